"""What agents in a commons would be asked, for ``--show-prompts``."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bots.agents.generative import Persona, Situation
from bots.agents.generative.prompts import messages_of
from experiments.commons_game import CommonsGame
from worlds.commons.sight import Watcher
from worlds.commons.table import CommonsTable

#: What stands for an agent's own words.
GOALS, PLAN, REASON = "(goals of its own)", "(a plan of its own)", "(why it plans anew)"
QUESTION, INSIGHT = "(a question of its own)", "(an insight of its own)"


def commons_prompts(played: CommonsGame, seed: int) -> str:
    """Return the five prompts of each agent, as a game begins."""
    table = CommonsTable(played.game, played.players)
    table.reset(seed)
    shown = []
    for player, persona in enumerate(played.personas):
        watcher = Watcher(table, player, played.attention)
        for role, situation in _situations(watcher, persona):
            title = f" {role}, {persona.name} "
            shown.append(
                f"{title:=^80}\n{messages_of(role.partition(',')[0], situation)[0]['content']}"
            )
    return "\n\n".join(shown)


def _situations(watcher: Watcher, persona: Persona) -> Iterator[tuple[str, Situation]]:
    perception = watcher.perceive(0, "", "")
    seen = perception.observations
    begun = Situation(
        persona,
        perception,
        landmarks=perception.landmarks,
        explored=len(perception.view) / perception.area,
    )
    later = replace(begun, goals=GOALS, plan=PLAN, insights=(INSIGHT,))
    yield "plan", begun
    yield "react", later
    yield "plan, anew", replace(later, reason=REASON)
    yield "questions", replace(later, recent=seen)
    yield "insights", replace(later, questions={QUESTION: seen[:2], f"{QUESTION} ": seen[2:4]})
    yield "act", later
