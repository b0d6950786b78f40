"""The persona of a generative agent, and the data from which its prompts are built."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from voxpolis.bots.agents.cooperation.knowledge import Known
from voxpolis.bots.agents.turns import Perception


@dataclass(frozen=True)
class Persona:
    """The introduction that opens each of an agent's prompts.

    Attributes:
        character: a description of the agent's character; may be empty.
        world: a description of the world.
    """

    name: str
    character: str
    world: str


@dataclass(frozen=True)
class Habits:
    """The parameters of a generative agent's mind.

    Attributes:
        reflect_every: the agent reflects after this many observations.
        recency_hours: the age in hours at which the recency of a memory has fallen to 1/e.
        recalled: the number of memories that the agent recalls for each question.
        insights: the number of latest insights that the agent keeps in its working memory.
        by_meaning: if true and the optional package is installed, relevance is computed with
            sentence embeddings. Otherwise relevance is computed from words, which gives the same
            result on every machine.
    """

    reflect_every: int = 30
    recency_hours: float = 24.0
    recalled: int = 5
    insights: int = 10
    by_meaning: bool = False


@dataclass(frozen=True)
class Situation:
    """The situation of an agent at its turn, as the agent knows it.

    Attributes:
        goals: the agent's goals; empty before the first plan.
        insights: the agent's latest insights, oldest first.
        landmarks: for each known landmark, a sentence about it.
        explored: the fraction of the map that the agent has seen.
        actions: the agent's past actions, oldest first.
        recent: what the agent has observed since it last reflected.
        questions: the questions that the agent asks itself, each with the memories recalled for it.
        known: the knowledge from the agent's cooperation modules.
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
