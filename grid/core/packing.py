"""Packs a named tuple of numbers and arrays into one array, which a kernel can take cheaply.

Python passes arrays and numbers to compiled code one by one. Passing the eighty values of a game
took 5 µs per call, which is ten times as long as the step of a small game. Passing one array takes
0.1 µs.

The fields of a named tuple are ``int``, ``float``, arrays of :mod:`grid.core.arrays`, or nested
named tuples. How a field is packed and unpacked follows from its type, so fields are declared only
in the named tuple. Compiled code cannot build a tuple in a loop. :func:`unpacker` therefore
generates the source code of the unpacking function, as the standard library does for dataclasses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, NamedTuple, TypeVar, get_args, get_type_hints

import numpy as np

from voxpolis.grid.core.arrays import Int1
from voxpolis.grid.core.jit import inlined_from_source

T = TypeVar("T", bound=tuple[Any, ...])

# Arrays start at multiples of a cache line, in bytes.
LINE = 64


# A packed tuple: first its numbers (floats by their bits) and the start, end and shape of each
# array, in the order of the fields; then the elements of the arrays.
Packed = Int1


class _Field(NamedTuple):
    """The type of a field of a named tuple: a number (``axes`` is None) or an array."""

    dtype: type
    axes: int | None


def pack(values: tuple[Any, ...]) -> Packed:
    """Pack a named tuple. The values are copied.

    Raises:
        TypeError: an array does not have the declared type.
    """
    fields = [*zip(_fields(type(values)), _values(values), strict=True)]
    end = 8 * sum(1 if field.axes is None else 2 + field.axes for field, _ in fields)
    words: list[int] = []
    arrays: list[tuple[int, int, np.ndarray]] = []
    for field, value in fields:
        if field.axes is None:
            words.append(int(np.array(value, field.dtype).view(np.int64)))
            continue
        if (value.dtype, value.ndim) != (field.dtype, field.axes):
            raise TypeError(
                f"an array of {value.dtype} with {value.ndim} axes does not match {field}"
            )
        start = _aligned(end)
        end = start + value.nbytes
        words += [start, end, *value.shape]
        arrays.append((start, end, value))
    packed = np.zeros(_aligned(end) // 8, np.int64)
    packed[: len(words)] = words
    for start, end, array in arrays:
        packed.view(np.uint8)[start:end] = array.ravel().view(np.uint8)
    return packed


def _aligned(offset: int) -> int:
    return -(-offset // LINE) * LINE


def unpacker(cls: type[T]) -> Callable[[Packed], T]:
    """Return a function that unpacks named tuples of type ``cls``, for Python and for compiled
    code. The unpacked arrays are views.
    """
    names: dict[str, Any] = {"np": np}
    fields, places = _fields(cls), count()

    def taken(cls: Any) -> str:
        if not hasattr(cls, "_fields"):
            return _taken(next(fields), places)
        names[cls.__name__] = cls
        parts = [taken(part) for part in _parts(cls)]
        return f"{cls.__name__}({', '.join(parts)})"

    source = (
        f"def unpack(packed):\n    n, d = packed, packed.view(np.uint8)\n    return {taken(cls)}\n"
    )
    unpack: Callable[[Packed], T] = inlined_from_source(source, "unpack", names)
    return unpack


def _taken(field: _Field, places: Iterator[int]) -> str:
    """Return code that reads a field of a packed tuple from its words ``n`` or bytes ``d``."""
    if field.axes is None:
        at = next(places)
        return f"n[{at}]" if field.dtype is int else f"n[{at}:{at + 1}].view(np.float64)[0]"
    start, end, *shape = (f"n[{next(places)}]" for _ in range(2 + field.axes))
    return f"d[{start}:{end}].view(np.{field.dtype.__name__}).reshape({', '.join(shape)})"


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


def _values(values: tuple[Any, ...]) -> Iterator[Any]:
    for value in values:
        if isinstance(value, tuple):
            yield from _values(value)
        else:
            yield value
