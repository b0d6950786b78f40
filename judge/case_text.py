"""A case in words, for the judge model: what is from the game apart from what players said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from voxpolis.bots.models import Message
from voxpolis.bots.prompts import quoted
from voxpolis.judge.contract import Contract, Outcome
from voxpolis.judge.prompts import messages, render


@dataclass(frozen=True)
class Case:
    """What a judge decides on.

    Attributes:
        contract: what the players agreed on.
        agents: their names.
        outcome: what came of the episode by the world's own account.
        text: the same in words, a line each; players' words in it are quoted (:func:`quoted`).
        means: the most that each can pay, in emeralds, where that is limited.
        setting: the game in words.
        worth: what one of each item is worth to whom, in emeralds: agent → item → worth.
        values: what all that each has is worth to it, in emeralds.
    """

    contract: Contract
    agents: tuple[str, ...]
    outcome: Outcome
    text: str
    means: Mapping[str, float] | None = None
    setting: str = ""
    worth: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    values: Mapping[str, float] = field(default_factory=dict)


def judge_messages(case: Case) -> list[Message]:
    """Return what the judge model sees."""
    return messages(
        "judge",
        players=", ".join(case.agents),
        setting=case.setting or "Nothing is known of the game beside what follows.",
        holdings="\n".join(_holdings(case)),
        record=_record(case),
        contract=quoted(case.contract.text),
        examples=render("judge_examples"),
    )


def _holdings(case: Case) -> list[str]:
    """Return what each holds and what that is worth to whom, and what each dug and signalled."""
    lines = []
    for agent in case.agents:
        for item, count in case.outcome.held.get(agent, {}).items():
            lines.append(f"- {agent} holds {count} {item}{_worth(case, agent, item, count)}.")
        if agent in case.values:
            lines.append(f"- All that {agent} has is worth {case.values[agent]:g} to {agent}.")
        for item, count in case.outcome.dug.get(agent, {}).items():
            lines.append(f"- {agent} dug {count} {item}.")
        lines.append(f"- {agent} sent {case.outcome.signals.get(agent, 0)} signals.")
    return lines


def _worth(case: Case, owner: str, item: str, count: int) -> str:
    """Return what some of an item are worth, to the agent that has them and to the others."""
    worths = {agent: case.worth[agent][item] for agent in case.agents if item in _of(case, agent)}
    if owner not in worths:
        return ""
    others = [f"{worth:g} to {agent}" for agent, worth in worths.items() if agent != owner]
    told = f", each worth {worths[owner]:g} emeralds to {owner}"
    told += f" (and {', '.join(others)})" if others else ""
    return f"{told}: {count * worths[owner]:g} in all"


def _of(case: Case, agent: str) -> Mapping[str, float]:
    return case.worth.get(agent, {})


def _record(case: Case) -> str:
    if case.means is None:
        return case.text
    most = ", ".join(f"{agent} {amount:g}" for agent, amount in case.means.items())
    return f"{case.text}\nNobody can pay more than what it has is worth, in emeralds: {most}."
