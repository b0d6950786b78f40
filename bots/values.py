"""Values that are created in great numbers: frozen for the type checker, plain at run time.

A frozen dataclass sets each field by a call, which takes four times as long; a society sets some
fifty fields for each thought. They have slots, which take half the memory of a dictionary; a slot
for values computed later is in a base class (as for :class:`Heard`).
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
        """Make a class a dataclass whose objects must not be modified and are hashable."""
else:
    made_often = dataclass(unsafe_hash=True, slots=True)
