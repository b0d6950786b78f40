"""Scripted strategies for repeated games; they go by what was chosen before, a typed value.

Sources: tit for tat and grim (Friedman's) as in Axelrod, "The Evolution of Cooperation" (1984).
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from voxpolis.bots.agents.code_writer import PolicyRequest
from voxpolis.bots.agents.critic import NO_CRITIC
from voxpolis.bots.agents.planner.plans import program_answer
from voxpolis.bots.models import Answer, ChatRequest
from voxpolis.experiments.loops.contract.protocol import Situation
from voxpolis.judge.contracts.negotiation import Talk, Turn, TurnAnswer
from voxpolis.records.events import Position

_RANDOM = re.compile(r"random\((0(?:\.\d+)?|1(?:\.0+)?)\)")
_ALWAYS = re.compile(r"always\((\w+)\)")


def check_strategy(strategy: str, actions: Sequence[str]) -> None:
    """Check a strategy's name.

    Raises:
        ValueError: there is no such strategy.
    """
    always = _ALWAYS.fullmatch(strategy)
    if always and always[1] in actions:
        return
    if strategy not in ("tit_for_tat", "grim", "alternate") and not _RANDOM.fullmatch(strategy):
        there = (
            f"tit_for_tat, grim, alternate, random(p), {', '.join(f'always({a})' for a in actions)}"
        )
        raise ValueError(f"there is no strategy {strategy!r}: {there}")


def choose(strategy: str, situation: Situation, actions: Sequence[str]) -> int:
    """Return the number of the action that a strategy plays in a situation."""
    agent, past = situation.agent, situation.past
    others = [
        _chosen(p.counts, other, actions) for p in past for other in p.counts if other != agent
    ]
    drawn, always = _RANDOM.fullmatch(strategy), _ALWAYS.fullmatch(strategy)
    if drawn:
        rng = random.Random(f"matrix {situation.seed} {agent} {len(past)}")
        return int(rng.random() >= float(drawn[1]))
    if always:
        return actions.index(always[1])
    if strategy == "alternate":
        return len(past) % 2
    if strategy == "grim":
        return int(1 in others)
    return others[-1] if others else 0


def _chosen(counts: Mapping[str, Mapping[str, int]], agent: str, actions: Sequence[str]) -> int:
    """Return what an agent has chosen; who has not chosen counts as having played the second."""
    return 0 if counts[agent][actions[0]] else 1


@dataclass(frozen=True)
class MatrixMinds:
    """Answers what each role is asked, by each player's strategy."""

    strategies: Mapping[str, str]
    actions: Sequence[str]
    plates: Mapping[str, Sequence[Position]]

    def __call__(self, request: ChatRequest) -> Answer | str:
        """Return the answer of a scripted mind."""
        about = request.about
        if isinstance(about, Turn):
            message = "My strategy knows no contracts."
            return TurnAnswer(note=None, message=message, move=Talk())
        if isinstance(about, PolicyRequest):
            assert isinstance(about.briefing.situation, Situation)
            situation = about.briefing.situation
            action = choose(self.strategies[situation.agent], situation, self.actions)
            x, y, z = map(math.floor, self.plates[situation.agent][action])
            if about.format == "plans":
                return program_answer(f"GO TO ({x}, {z})")
            return (
                "A scripted mind's policy.\n\n```javascript\nasync function main(bot) {\n"
                f"  await goTo(bot, new Vec3({x}, {y}, {z}), 0)\n}}\n```"
            )
        return NO_CRITIC
