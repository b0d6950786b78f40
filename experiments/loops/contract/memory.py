"""What a player takes from one episode of a contract game to the next.

Source: Yocum et al. (2023): the action prompt of each iteration holds the last program, its errors,
the chat, both inventories, the reward after transfers, and what critic and judge have to say.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Literal

from voxpolis.bots.agents.code_writer import how_it_went, unwritten, what_others_say
from voxpolis.bots.agents.protocol import Lesson, Review
from voxpolis.bots.prompts import quoted
from voxpolis.judge import Settlement
from voxpolis.records import events

#: Which episodes a player remembers.
Memory = Literal["none", "last", "all"]


class Memories:
    """All players' memories through the episodes of a repetition."""

    def __init__(self, kind: Memory) -> None:
        """``kind``: which episodes are remembered."""
        self.kind = kind
        self._told: dict[str, list[str]] = defaultdict(list)

    def clear(self) -> None:
        """Forget everything."""
        self._told.clear()

    def add(self, agent: str, text: str) -> None:
        """Remember an episode."""
        self._told[agent].append(text)

    def of(self, agent: str) -> str:
        """Return what a player remembers, in words, the oldest first."""
        told = self._told[agent]
        kept = {"none": [], "last": told[-1:], "all": told}[self.kind]
        return "\n\n".join(kept)


def rewards_text(values: Mapping[str, float], transfers: Mapping[str, float], by: str) -> str:
    """Return what everybody got, in words; ``by``: what transfers are by, empty: nothing."""
    paid = {agent: f" {amount:+g} {by}" for agent, amount in transfers.items()}
    return "\n".join(
        f"{agent} got {values[agent] + transfers[agent]:g} emeralds: what it holds is worth "
        f"{values[agent]:g}{paid[agent] if by else ''}."
        for agent in values
    )


def judgement_to(agent: str, settlement: Settlement) -> list[str]:
    """Return what the judge said to a player: its findings, and the player's critique."""
    critique = settlement.critiques.get(agent)
    return [*settlement.reasons, *([f"To {agent}: {critique}"] if critique else [])]


def recollection(
    agent: str,
    episode: int,
    contract: str,
    review: Review,
    lesson: Lesson | None,
    seen: Sequence[events.Event],
) -> str:
    """Return an episode as a player remembers it; what others wrote in it is quoted."""
    ran = [e.code for e in seen if isinstance(e, events.CodeStarted) and e.agent == agent]
    program = f"Your last program:\n```\n{ran[-1].rstrip()}\n```" if ran else "You ran no program."
    ended = how_it_went(review.program) if ran else ""
    if lesson is not None and lesson.unwritten:
        program, ended = f"Your last program: {unwritten(lesson.unwritten)}", ""
    parts = [
        f"## Episode {episode}",
        f"The contract:\n{quoted(contract)}" if contract else "There was no contract.",
        program,
        ended,
        f"What happened:\n{review.outcome}",
        *what_others_say(lesson.critique if lesson else "", review.judgement),
    ]
    return "\n\n".join(part for part in parts if part)
