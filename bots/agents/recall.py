"""The search for memories by relevance, recency and importance, which several agent kinds share.

Source of the three criteria: Park et al., "Generative Agents" (2023).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar


class Recallable(Protocol):
    """A memory with its time (in any unit) and its importance (from 0 to 1)."""

    @property
    def t(self) -> float: ...

    @property
    def importance(self) -> float: ...


M = TypeVar("M", bound=Recallable)


def best_memories(
    memories: Sequence[M],
    relevance: Sequence[float],
    t: float,
    recency: Callable[[float], float],
    count: int,
) -> list[M]:
    """Return the memories with the highest sum of relevance, recency and importance, best first.

    Of equally good memories, the older one comes first.

    Args:
        memories: the memories to search.
        relevance: the relevance of each memory, from 0 to 1.
        t: the current time, in the unit of the memories.
        recency: maps the age of a memory to its recency, from 0 to 1.
        count: the number of memories to return.
    """
    scored = [
        (-(relevant + recency(t - memory.t) + memory.importance), memory.t, number)
        for number, (memory, relevant) in enumerate(zip(memories, relevance, strict=True))
    ]
    return [memories[number] for _, _, number in heapq.nsmallest(count, scored)]
