"""Values that are created in great numbers: frozen for the type checker, plain at run time.

A frozen dataclass sets each field by a call, which takes four times as long; a society sets some
fifty fields for each thought. These classes use slots, which take half the memory of a dictionary.
If a class caches values computed later, a base class defines their slots (as for :class:`Heard`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

# Size of the cache of answers: scripted persons repeat the same few answers a million times.
REMEMBERED = 1024

if TYPE_CHECKING:
    from typing import TypeVar, dataclass_transform

    T = TypeVar("T")

    @dataclass_transform(frozen_default=True)
    def made_often(cls: type[T]) -> type[T]:
        """Turn a class into a dataclass whose objects are hashable and must not be modified."""
else:
    made_often = dataclass(unsafe_hash=True, slots=True)
