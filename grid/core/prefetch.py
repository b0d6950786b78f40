"""Prefetches memory, for batches that are larger than every cache."""

from __future__ import annotations

from typing import Any

from voxpolis.grid.core.jit import compiled_by

# Size of a cache line in bytes.
LINE = 64
# Arguments of LLVM's ``llvm.prefetch``: read, level-2 cache, data.
_READ, _SECOND_CACHE, _DATA = 0, 2, 1


def _intrinsic() -> Any:
    from llvmlite import ir  # type: ignore[import-untyped]  # noqa: PLC0415
    from numba.core import types  # noqa: PLC0415
    from numba.extending import intrinsic  # noqa: PLC0415

    def prefetch(context: Any, array: Any, offset: Any) -> Any:
        signature = types.void(array, types.int64)

        def build(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind, _ = signature.args
            data = context.make_array(kind)(context, builder, arguments[0]).data
            start = builder.bitcast(data, ir.IntType(8).as_pointer())
            hint = ir.IntType(32)
            shape = ir.FunctionType(ir.VoidType(), [start.type, hint, hint, hint])
            function = builder.module.declare_intrinsic("llvm.prefetch", [start.type], shape)
            hints = [hint(number) for number in (_READ, _SECOND_CACHE, _DATA)]
            builder.call(function, [builder.gep(start, [arguments[1]]), *hints])
            return context.get_dummy_value()

        return signature, build

    return intrinsic(prefetch)


@compiled_by(_intrinsic)
def prefetch(array: Any, offset: int) -> None:
    """Fetch the cache line that contains a byte of an array. The call only affects the speed of
    machine code.
    """
