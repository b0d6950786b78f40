"""A decorator for classes with very many objects.

The type checker treats the objects as frozen, but at run time they are ordinary objects. A frozen
dataclass sets each field by a function call, which takes four times as long, and a society sets
some fifty fields for each thought. The classes use slots, which need half the memory of a
dictionary. If a class caches values that are computed later, a base class defines the slots for
these values (see :class:`Heard`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

# The size of caches for answers. Scripted agents repeat the same few answers a million times.
REMEMBERED = 1024

if TYPE_CHECKING:
    from typing import TypeVar, dataclass_transform

    T = TypeVar("T")

    @dataclass_transform(frozen_default=True)
    def made_often(cls: type[T]) -> type[T]:
        """Turn a class into a dataclass with slots.

        Its objects are hashable and must not be modified.
        """
else:
    made_often = dataclass(unsafe_hash=True, slots=True)
