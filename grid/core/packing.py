"""Packs tables into two flat arrays, which can be passed to a kernel cheaply.

Python passes arrays and numbers to compiled code one by one. Passing the fifty values of a game
took 4 µs per call, which is half of a small game's step. Packed values take a fraction of that
time.

Tables are a NamedTuple whose fields are ``int``, ``float``, arrays of :mod:`grid.core.arrays`, or
again such a NamedTuple. How a field is packed and unpacked follows from its type, so fields are
declared only in the NamedTuple. Compiled code cannot build a tuple in a loop. :func:`unpacker`
therefore generates the source code of the unpacking function, as the standard library does for
dataclasses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

import numpy as np

from voxpolis.grid.core.arrays import Float1, Int1
from voxpolis.grid.core.jit import inlined_from_source

T = TypeVar("T", bound=tuple[Any, ...])


class Packed(NamedTuple):
    """Tables as two flat arrays.

    ``ints`` begins with all whole numbers, and with the start, end and shape of each array, in the
    order of the fields. ``floats`` begins with all floats. After these numbers, ``ints`` and
    ``floats`` contain the elements of the tables' arrays.
    """

    ints: Int1
    floats: Float1


class _Field(NamedTuple):
    """A field of the tables: a number (``axes`` is None) or an array."""

    dtype: type
    axes: int | None


def pack(tables: tuple[Any, ...]) -> Packed:
    """Pack tables into flat arrays. The values are copied.

    Raises:
        TypeError: an array does not have the declared type.
    """
    ints: list[int] = []
    floats: list[float] = []
    arrays: list[tuple[int, np.ndarray]] = []
    for field, value in zip(_fields(type(tables)), _values(tables), strict=True):
        if field.axes is None:
            (floats if field.dtype is float else ints).append(value)
            continue
        if (value.dtype, value.ndim) != (field.dtype, field.axes):
            raise TypeError(
                f"an array of {value.dtype} with {value.ndim} axes does not match {field}"
            )
        arrays.append((len(ints), value))
        ints += [0, 0, *value.shape]
    ends = {"i": len(ints), "f": len(floats)}
    for place, array in arrays:
        flat = _flat(array.dtype.type)
        ints[place], ends[flat] = ends[flat], ends[flat] + array.size
        ints[place + 1] = ends[flat]
    whole = [array.ravel().view(np.int64) for _, array in arrays if _flat(array.dtype.type) == "i"]
    others = [array.ravel() for _, array in arrays if _flat(array.dtype.type) == "f"]
    return Packed(
        np.concatenate([np.array(ints, np.int64), *whole]),
        np.concatenate([np.array(floats, np.float64), *others]),
    )


def unpacker(cls: type[T]) -> Callable[[Packed], T]:
    """Return a compiled function that unpacks tables of type ``cls``. The unpacked arrays are
    views.
    """
    names: dict[str, Any] = {"np": np}
    fields = _fields(cls)
    places: dict[str, Iterator[int]] = {"i": count(), "f": count()}

    def taken(cls: Any) -> str:
        if not hasattr(cls, "_fields"):
            return _taken(next(fields), places)
        names[cls.__name__] = cls
        parts = [taken(part) for part in _parts(cls)]
        return f"{cls.__name__}({', '.join(parts)})"

    source = (
        f"def unpack(packed):\n    i, f = packed.ints, packed.floats\n    return {taken(cls)}\n"
    )
    unpack: Callable[[Packed], T] = inlined_from_source(source, "unpack", names)
    return unpack


def _taken(field: _Field, places: dict[str, Iterator[int]]) -> str:
    """Return source code that takes one field out of the flat arrays ``i`` and ``f``."""
    flat = _flat(field.dtype)
    if field.axes is None:
        return f"{flat}[{next(places[flat])}]"
    start, end, *shape = (f"i[{next(places['i'])}]" for _ in range(2 + field.axes))
    source = f"{flat}[{start}:{end}]"
    if field.dtype is np.uint64:
        source += ".view(np.uint64)"
    return source + (f".reshape({', '.join(shape)})" if field.axes > 1 else "")


def _flat(dtype: type) -> str:
    return "f" if dtype in (float, np.float64) else "i"


def _parts(cls: Any) -> list[Any]:
    hints = get_type_hints(cls)
    return [hints[name] for name in cls._fields]


def _fields(cls: Any) -> Iterator[_Field]:
    for part in _parts(cls):
        if hasattr(part, "_fields"):
            yield from _fields(part)
        elif part in (int, float):
            yield _Field(part, None)
        else:
            shape, dtype = get_args(part)
            yield _Field(get_args(dtype)[0], len(get_args(shape)))


def _values(tables: tuple[Any, ...]) -> Iterator[Any]:
    for value in tables:
        if isinstance(value, tuple):
            yield from _values(value)
        else:
            yield value
