"""Persona of a generative agent, and the values of its prompts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from voxpolis.bots.agents.cooperation.known import Known
from voxpolis.bots.agents.turns import Perception


@dataclass(frozen=True)
class Persona:
    """Beginning of every prompt of an agent.

    Attributes:
        character: what it is told of its character; empty: nothing.
        world: what it is told of the world.
    """

    name: str
    character: str
    world: str


@dataclass(frozen=True)
class Habits:
    """Parameters of its mind.

    Attributes:
        reflect_every: observations from one reflection to the next.
        recency_hours: after so many hours a memory's recency is 1/e.
        recalled: memories that come to mind at each question.
        insights: how many of the latest insights it keeps in mind.
        by_meaning: relevance is by the meaning of sentences, where the extra for it is installed;
            else by words, which is the same on every machine.
    """

    reflect_every: int = 30
    recency_hours: float = 24.0
    recalled: int = 5
    insights: int = 10
    by_meaning: bool = False


@dataclass(frozen=True)
class Situation:
    """An agent's turn, as it knows it.

    Attributes:
        goals: what it wants; empty: it has not thought of that yet.
        insights: the latest, oldest first.
        landmarks: what it knows of what does not move: by name a sentence.
        explored: the part of the map that it has seen.
        actions: what it did before, oldest first.
        recent: its observations since it reflected last.
        questions: what it asks itself, each with the memories that come to mind.
        known: what the modules that it carries tell it.
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
