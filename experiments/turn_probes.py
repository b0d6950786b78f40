"""Canned turns: each role of a generative agent and of modules, with its prompt and answer."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

from voxpolis.bots.agents.cooperation.asking import TEMPERATURE, Question
from voxpolis.bots.agents.cooperation.known import Known
from voxpolis.bots.agents.cooperation.wording import Moment
from voxpolis.bots.agents.generative import Persona, Situation
from voxpolis.bots.agents.generative.prompts import (
    Act,
    Insights,
    Plan,
    Questions,
    React,
    TurnAnswer,
    messages_of,
    narrow_of,
)
from voxpolis.bots.agents.turns import Perception
from voxpolis.bots.asking import ask
from voxpolis.bots.models import ChatModel
from voxpolis.experiments.cooperation_prompts import questions_of
from voxpolis.experiments.cooperation_protocol import MODULES
from voxpolis.judge.penalties import first_constitution
from voxpolis.worlds.commons.actions import Explore, GoTo, Immobilize, Stay
from voxpolis.worlds.commons.lent import BY_TREES

WORLD = "Apples grow again where others are near. A tree without an apple is dead for ever."
SEEN = (
    "There is an apple at [3, 4]. It belongs to tree 1.",
    "There is grass at [3, 5]. It belongs to tree 1.",
    "Pedro is at [6, 4].",
)
ASKED_ITSELF = ("Who takes last apples?", "Where do apples grow?", "Whom can I rely on?")
PERCEPTION = Perception(
    turn=7,
    hour=12,
    clock="2023-11-19 12:00",
    cell=(5, 4),
    heading="north",
    is_playing=True,
    reward=1.0,
    last_action="go to position (5, 4)",
    last_outcome="You are there.",
    observations=SEEN,
    changes=("At 2023-11-19 11:00 Pedro took an apple from [3, 5].",),
    actions=(Immobilize("Pedro", (6, 4)), GoTo((3, 4)), Stay(), Explore((1, 4))),
    area=432,
)


def turn_probes() -> Iterator[tuple[str, Callable[[ChatModel, str], Awaitable[bool]]]]:
    """Yield what asks each prompt of a generative agent, by role."""
    for kind in (React, Plan, Questions, Insights, Act):
        yield kind.role, _probe(kind)
    for title in _questions("Gizmo"):
        yield title.partition(",")[0], _module_probe(title)


def _questions(agent: str) -> dict[str, Question[object]]:
    """What the modules of cooperation ask, by title."""
    moment = Moment(agent, "", WORLD, "You are at [5, 4].", SEEN, SEEN, Known(), 4, 12)
    law = first_constitution(BY_TREES.account, 3, 1, 3)
    rules = (MODULES, BY_TREES, law)
    return dict(questions_of(moment, ("Pedro", "Laura"), *rules, "I leave the last apple."))


def _module_probe(title: str) -> Callable[[ChatModel, str], Awaitable[bool]]:
    async def probe(model: ChatModel, agent: str) -> bool:
        question: Any = _questions(agent)[title]
        own: Any = {"role": question.role, "agent": agent, "temperature": TEMPERATURE}
        typed: Any = {"narrow": question.narrow, "read": question.value, "about": question}
        await ask(model, question.messages(), question.answer, **own, **typed)
        return True

    return probe


def _probe(kind: type[TurnAnswer]) -> Callable[[ChatModel, str], Awaitable[bool]]:
    async def probe(model: ChatModel, agent: str) -> bool:
        situation = Situation(Persona(agent, "", WORLD), PERCEPTION, recent=SEEN)
        if kind in (React, Act):
            situation = replace(situation, goals="Apples.", plan="I leave the last of each tree.")
        if kind is Insights:
            situation = replace(situation, questions=dict.fromkeys(ASKED_ITSELF, SEEN))
        await ask(
            model,
            messages_of(kind, situation),
            kind,
            role=kind.role,
            agent=agent,
            temperature=TEMPERATURE,
            about=situation,
            narrow=partial(narrow_of, kind, situation),
        )
        return True

    return probe
