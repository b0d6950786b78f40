"""What agents in a commons would be asked, for ``--show-prompts``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

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
    place_of,
)
from voxpolis.experiments.loops.commons.game import CommonsGame
from voxpolis.experiments.loops.cooperation.prompts import (
    known_example,
    prompt_of,
    questions_of,
    whole,
)
from voxpolis.worlds.commons.sight import Watcher
from voxpolis.worlds.commons.table import CommonsTable

#: What stands for an agent's own words.
GOALS, PLAN, REASON = "(goals of its own)", "(a plan of its own)", "(why it plans anew)"
QUESTIONS = ("(its first question)", "(its second question)", "(its third question)")
INSIGHT = "(an insight of its own)"


def commons_prompts(played: CommonsGame, seed: int) -> str:
    """Return the five prompts of each agent, and those of its modules, as a game begins."""
    table = CommonsTable(played.game, played.players)
    table.reset(seed)
    shown = []
    for player, persona in enumerate(played.personas):
        watcher = Watcher(table, player, played.attention)
        known = known_example(played.cooperation)
        for kind, more, situation in _situations(watcher, persona, known):
            title = f" {kind.role}{more}, {persona.name} "
            shown.append(f"{title:=^80}\n{whole(messages_of(kind, situation))}")
        for title, prompt in _modules(played, watcher, persona):
            shown.append(f"{f' {title}, {persona.name} ':=^80}\n{prompt}")
    return "\n\n".join(shown)


def _modules(played: CommonsGame, watcher: Watcher, persona: Persona) -> Iterator[tuple[str, str]]:
    cooperation = played.cooperation
    if cooperation is None:
        return
    seen = watcher.glance()
    who = (persona.name, persona.character, persona.world)
    known = known_example(played.cooperation)
    moment = Moment(*who, place_of(seen), seen.observations, seen.changes, known, 1, 0)
    others = tuple(name for name in played.agents if name != persona.name)
    rules = (cooperation.modules, cooperation.lent, cooperation.law)
    for title, question in questions_of(moment, others, *rules, PLAN):
        yield title, prompt_of(question)


def _situations(
    watcher: Watcher, persona: Persona, known: Known
) -> Iterator[tuple[type[TurnAnswer], str, Situation]]:
    perception = watcher.perceive(0, "", "")
    seen = perception.observations
    begun = Situation(
        persona,
        perception,
        landmarks=perception.landmarks,
        explored=len(perception.view) / perception.area,
        known=known,
    )
    later = replace(begun, goals=GOALS, plan=PLAN, insights=(INSIGHT,))
    yield Plan, "", begun
    yield React, "", later
    yield Plan, ", anew", replace(later, reason=REASON)
    yield Questions, "", replace(later, recent=seen)
    remembered = {one: seen[2 * n : 2 * n + 2] for n, one in enumerate(QUESTIONS)}
    yield Insights, "", replace(later, questions=remembered)
    yield Act, "", later
