"""A generative agent's persona, and the values for its prompts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from voxpolis.bots.agents.cooperation.knowledge import Known
from voxpolis.bots.agents.turns import Perception


@dataclass(frozen=True)
class Persona:
    """The beginning of each of an agent's prompts.

    Attributes:
        character: description of its character; may be empty.
        world: description of the world.
    """

    name: str
    character: str
    world: str


@dataclass(frozen=True)
class Habits:
    """Parameters of a generative agent's mind.

    Attributes:
        reflect_every: observations between two reflections.
        recency_hours: age in hours at which a memory's recency is 1/e.
        recalled: memories recalled for each question.
        insights: number of latest insights that it keeps in mind.
        by_meaning: use sentence embeddings for relevance if the extra is installed; otherwise
            use words, which give the same result on every machine.
    """

    reflect_every: int = 30
    recency_hours: float = 24.0
    recalled: int = 5
    insights: int = 10
    by_meaning: bool = False


@dataclass(frozen=True)
class Situation:
    """An agent's situation at its turn, as the agent knows it.

    Attributes:
        goals: its goals; empty before the first plan.
        insights: its latest insights, oldest first.
        landmarks: a sentence about each known landmark, by name.
        explored: fraction of the map that it has seen.
        actions: its past actions, oldest first.
        recent: its observations since its last reflection.
        questions: its questions to itself, each with the recalled memories.
        known: knowledge from its cooperation modules.
    """

    persona: Persona
    perception: Perception[Any]
    goals: str = ""
    plan: str = ""
    reason: str = ""
    insights: tuple[str, ...] = ()
    landmarks: Mapping[str, str] = field(default_factory=dict)
    explored: float = 0.0
    actions: tuple[str, ...] = ()
    recent: tuple[str, ...] = ()
    questions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    known: Known = field(default_factory=Known)
