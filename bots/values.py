"""Values that are made in great numbers: frozen for the type checker, plain where they run.

A frozen dataclass fills each field by a call, which takes four times as long as a plain one takes;
a society makes some fifty fields for each thought. They have slots, which take half the memory of a
dictionary; what is found out of them later has one in a base class (as :class:`Heard`'s).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

# So many answers are known again: scripted persons say the same few things a million times.
REMEMBERED = 1024

if TYPE_CHECKING:
    from typing import TypeVar, dataclass_transform

    T = TypeVar("T")

    @dataclass_transform(frozen_default=True)
    def made_often(cls: type[T]) -> type[T]:
        """Make a class a dataclass whose objects are never changed; equal ones have one hash."""
else:
    made_often = dataclass(unsafe_hash=True, slots=True)
