"""The bottleneck: no prompt tells more of an agent's state than its digest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bots.agents.piano.agent import Agent, Notice, Seen
from bots.agents.piano.task import Action

DIGEST_CHARACTERS = 2000
#: How much of the state it tells: the latest notices and happenings, the memories that fit best.
NOTICES, HAPPENED, RECALLED = 3, 6, 3


@dataclass(frozen=True)
class Digest:
    """What a mind is told of its agent's state; its text is rendered from this.

    Attributes:
        t: seconds of the society's time.
        seen: what perception last saw.
        beliefs: by subject.
        goal: empty where there is none.
        plan: steps towards the goal.
        action: what was decided last.
        is_done: whether that is done.
        notices: the last that the world told the agent, the newest last.
        happened: the last that happened to it, the newest last.
        recalled: memories that fit.
    """

    t: float
    seen: Seen
    beliefs: Mapping[str, str]
    goal: str
    plan: tuple[str, ...]
    action: Action
    is_done: bool
    notices: tuple[Notice, ...]
    happened: tuple[str, ...]
    recalled: tuple[str, ...]

    def __str__(self) -> str:
        """Return a bounded text."""
        held = ", ".join(f"{n} {item}" for item, n in sorted(self.seen.inventory.items()) if n)
        lines = [
            _surroundings(self.t, self.seen),
            f"You hold: {held or 'nothing'}.",
            *(f"{subject}: {text}" for subject, text in sorted(self.beliefs.items())),
        ]
        if self.goal:
            lines.append(f"Your goal: {self.goal}")
        if self.plan:
            lines.append(f"Your plan: {'; '.join(self.plan)}")
        done = "done" if self.is_done else "not done yet"
        lines.append(f"Your last decision: {self.action} ({done}).")
        lines += [f"Notice: {notice.text}" for notice in self.notices]
        lines += [f"Happened: {text}" for text in self.happened]
        lines += [f"Remember: {text}" for text in self.recalled]
        return "\n".join(lines)[:DIGEST_CHARACTERS]


def _surroundings(t: float, seen: Seen) -> str:
    return f"Time: {t:.0f} s. Place: {seen.place}. Near you: {', '.join(seen.near) or 'nobody'}."


def digest(agent: Agent) -> Digest:
    """Return what an agent's mind is told of its state now."""
    now = agent.time.now()
    query = f"{agent.goal} {_surroundings(now, agent.seen)}"
    return Digest(
        t=now,
        seen=agent.seen,
        beliefs=dict(agent.beliefs),
        goal=agent.goal,
        plan=tuple(agent.plan),
        action=agent.task.action,
        is_done=agent.task.is_done,
        notices=tuple(agent.notices)[-NOTICES:],
        happened=tuple(agent.working)[-HAPPENED:],
        recalled=tuple(agent.memory.recall(query, now, RECALLED)),
    )
