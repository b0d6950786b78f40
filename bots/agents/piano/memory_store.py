"""The memory of an agent: a short-term queue, and a long-term store that is searched.

The search ranks long-term memories by relevance, recency and importance.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from voxpolis.bots.agents.recall import best_memories
from voxpolis.bots.values import made_often

_WORD = re.compile(r"[a-z]{3,}")
# The time in seconds in which the recency of a memory falls by half; our value.
HALF_LIFE_S = 600.0
SHORT_TERM = 24
LONG_TERM = 60
# The sort key of memories. The memory with the lowest key is forgotten first.
_LEAST = attrgetter("importance", "t")


class _Kept:
    """The words of a memory, computed when they are first needed."""

    __slots__ = ("_words",)
    _words: frozenset[str]


@made_often
class Memory(_Kept):
    """An event or a thought that an agent remembers.

    Attributes:
        t: the time in seconds since the start of the society.
        importance: from 0 to 1.
        about: the structured data from which ``text`` was written; may be None.
    """

    t: float
    text: str
    importance: float
    about: object = None

    @property
    def words(self) -> frozenset[str]:
        try:
            return self._words
        except AttributeError:
            self._words = words_of(self.text)
            return self._words


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text that are compared with a query when memories are searched."""
    return frozenset(_WORD.findall(text.lower()))


@dataclass(slots=True)
class MemoryStore:
    """The memories of an agent, in a short-term and a long-term part.

    When the short-term part is full, its oldest memories move to the long-term part.
    """

    short: deque[Memory] = field(default_factory=deque)
    # The list is replaced and never modified. A digest keeps a reference to the list, and must
    # still recall the memories of its own time later.
    long: Sequence[Memory] = ()

    def add(self, t: float, text: str, importance: float, about: object = None) -> None:
        self.take(Memory(t, text, importance, about))

    def take(self, memory: Memory) -> None:
        """Add a memory to the short-term part. Several agents may share one memory object."""
        self.short.append(memory)

    def consolidate(self) -> None:
        """Move the oldest memories from the full short-term part to the long-term part.

        Unimportant memories are dropped. If the long-term part is full, its least important
        memories are also dropped.
        """
        over = [self.short.popleft() for _ in range(len(self.short) - SHORT_TERM)]
        kept = [*self.long, *(memory for memory in over if memory.importance >= 0.3)]
        if len(kept) > LONG_TERM:
            kept.sort(key=_LEAST)
            del kept[: len(kept) - LONG_TERM]
        if over:
            self.long = kept


def recall(memories: Sequence[Memory], query: str, t: float, count: int) -> list[Memory]:
    """Return the memories that best match a query, at the time ``t``.

    The best memories have the highest sum of relevance, recency and importance, each from 0 to 1.

    Relevance is the fraction of the query's words that a memory contains; see
    :func:`bots.agents.recall.best_memories`.
    """
    wanted = words_of(query)
    relevance = [len(wanted & one.words) / len(wanted) if wanted else 0.0 for one in memories]
    return best_memories(memories, relevance, t, lambda age: 0.5 ** (age / HALF_LIFE_S), count)
