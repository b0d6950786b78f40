"""An agent's memory: short-term in order, long-term by relevance, recency and importance."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from voxpolis.bots.agents.recall import best_memories
from voxpolis.bots.values import made_often

_WORD = re.compile(r"[a-z]{3,}")
# Half-life of a memory's recency, in seconds; our value.
HALF_LIFE_S = 600.0
SHORT_TERM = 24
LONG_TERM = 60
# Sort key for memories: the first is forgotten first.
_LEAST = attrgetter("importance", "t")


class _Kept:
    """A memory's search keys, computed on demand."""

    __slots__ = ("_words",)
    _words: frozenset[str]


@made_often
class Memory(_Kept):
    """An event or a thought.

    Attributes:
        t: time in society seconds.
        importance: from 0 to 1.
        about: typed value that ``text`` was rendered from, if any.
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
    """Return the words by which a memory is found."""
    return frozenset(_WORD.findall(text.lower()))


@dataclass(slots=True)
class MemoryStore:
    """Memory whose short-term part overflows into a long-term part of bounded size."""

    short: deque[Memory] = field(default_factory=deque)
    # Replaced, never modified, so that a digest that kept the old tuple recalls from the memories
    # of that time.
    long: Sequence[Memory] = ()

    def add(self, t: float, text: str, importance: float, about: object = None) -> None:
        self.take(Memory(t, text, importance, about))

    def take(self, memory: Memory) -> None:
        """Add a memory, which agents may share, to short-term memory."""
        self.short.append(memory)

    def consolidate(self) -> None:
        """Move the overflow of short-term memory to long-term memory; drop the least important."""
        over = [self.short.popleft() for _ in range(len(self.short) - SHORT_TERM)]
        kept = [*self.long, *(memory for memory in over if memory.importance >= 0.3)]
        if len(kept) > LONG_TERM:
            kept.sort(key=_LEAST)
            del kept[: len(kept) - LONG_TERM]
        if over:
            self.long = kept


def recall(memories: Sequence[Memory], query: str, t: float, count: int) -> list[Memory]:
    """Return the best matches by the sum of relevance, recency and importance, 0 to 1 each.

    Relevance is the fraction of the query's words that a memory contains; see
    :func:`bots.agents.recall.best_memories`.
    """
    wanted = words_of(query)
    relevance = [len(wanted & one.words) / len(wanted) if wanted else 0.0 for one in memories]
    return best_memories(memories, relevance, t, lambda age: 0.5 ** (age / HALF_LIFE_S), count)
