"""A generative agent's three memories: long-term, short-term and spatial."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from voxpolis.bots.agents.generative.situation import Habits
from voxpolis.bots.agents.recall import recalled
from voxpolis.bots.agents.turns import Cell, Perception
from voxpolis.bots.agents.voyager.retrieval import Retriever

#: Of every memory, of at most 10: the paper's agents never learnt to tell, all had the most.
POIGNANCY = 10
#: What an agent did before, as far as its prompts tell it.
ACTIONS_KEPT = 5


@dataclass(frozen=True)
class Memory:
    """Something that an agent observed, planned or understood.

    Attributes:
        t: the hour.
        text: in words.
        kind: what it is.
        poignancy: how much it counts, from 1 to 10.
    """

    t: float
    text: str
    kind: Literal["observation", "plan", "insight"]
    poignancy: int = POIGNANCY

    @property
    def importance(self) -> float:
        """How much it counts, from 0 to 1."""
        return self.poignancy / 10


class LongTermMemory:
    """All that an agent ever observed, planned and understood; what it meets again is renewed."""

    def __init__(self, retriever: Retriever, recency_hours: float) -> None:
        """Get ready; ``recency_hours``: see :class:`~bots.agents.generative.situation.Habits`."""
        self._index = retriever.index()
        self._hours = recency_hours
        self._number: dict[str, int] = {}
        self.memories: list[Memory] = []

    def add(self, memory: Memory) -> None:
        """Keep a memory; one of the same text is renewed."""
        number = self._number.setdefault(memory.text, len(self.memories))
        if number < len(self.memories):
            self.memories[number] = replace(memory, kind=self.memories[number].kind)
            return
        self._index.add(memory.text)
        self.memories.append(memory)

    def recall(self, query: str, hour: float, count: int) -> list[Memory]:
        """Return what comes to mind: by the mean of relevance, recency and poignancy, best first.

        Relevance is the cosine similarity to the query. The paper prints the recency of a memory
        that is h hours old as e^h, which grows; ours is e^(-h / 24).
        """
        relevance = self._index.scores(query)
        return recalled(
            self.memories, relevance, hour, lambda age: math.exp(-age / self._hours), count
        )


@dataclass
class ShortTermMemory:
    """What an agent has in mind: its goals and plan, its latest insights and actions."""

    goals: str = ""
    plan: str = ""
    insights: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    recent: list[str] = field(default_factory=list)

    def perceive(self, perception: Perception[Any]) -> None:
        """Take in what came of the last action, and what is observed now."""
        if perception.last_action:
            done = f"{perception.last_action}: {perception.last_outcome}"
            self.actions = [*self.actions, done][-ACTIONS_KEPT:]
        self.recent += [*perception.changes, *perception.observations]

    def due(self, habits: Habits) -> bool:
        """Whether it is time to reflect."""
        return len(self.recent) >= habits.reflect_every


@dataclass
class SpatialMemory:
    """What an agent knows of the map: the cells that it has seen, and what does not move."""

    seen: set[Cell] = field(default_factory=set)
    landmarks: dict[str, str] = field(default_factory=dict)

    def perceive(self, perception: Perception[Any]) -> None:
        """Take in what is seen now; what is said of a landmark carries the hour."""
        self.seen |= perception.view
        told = {
            name: f"{text} (seen at {perception.clock})"
            for name, text in perception.landmarks.items()
        }
        self.landmarks = dict(sorted({**self.landmarks, **told}.items()))
