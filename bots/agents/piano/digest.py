"""The digest of an agent's state, a text of limited length (the bottleneck in PIANO).

Prompts contain the state of an agent only in this form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from voxpolis.bots.agents.piano.agent import (
    DIGEST_CHARACTERS,
    Agent,
    Happened,
    Met,
    Notice,
    Seen,
    Sight,
)
from voxpolis.bots.agents.piano.memory_store import Memory, recall
from voxpolis.bots.agents.piano.task import Decision, Standing
from voxpolis.bots.values import made_often

# How many notices, events, matching memories and absent agents a digest contains.
NOTICES, HAPPENED, RECALLED, MET = 3, 6, 3, 8
# One empty mapping that all digests share.
NONE: Mapping[str, Any] = {}


class _Kept:
    """The memories that a digest recalls, retrieved when they are first needed."""

    __slots__ = ("_recalled",)
    _recalled: tuple[Memory, ...]


@made_often
class Digest(_Kept):
    """The state of an agent as its mind sees it. Prompts contain the text of the digest.

    Attributes:
        t: the time in seconds since the start of the society.
        standing: for each subject, such as the law, the fact that holds now.
        met: when and where the agents that are not near now were last seen; latest first.
        sights: for every place other than the current one, the things that were last seen there.
        profiles: one line about each agent nearby.
        goal: the agent's goal; may be empty.
        notices: the latest messages from the world, oldest first.
        happened: the latest events, oldest first.
        characters: the maximum length of the text without the standing facts. The standing facts
            come first and are never shortened, because their authors limit their length.
        failure: the reason why the last decision failed; empty if it succeeded or is in progress.
    """

    t: float
    seen: Seen
    standing: Mapping[str, Standing]
    met: Mapping[str, Met]
    sights: Mapping[str, Sight]
    beliefs: Mapping[str, str]
    profiles: Mapping[str, str]
    goal: str
    plan: tuple[str, ...]
    decision: Decision
    is_done: bool
    notices: tuple[Notice, ...]
    happened: tuple[Happened, ...]
    memories: Sequence[Memory]
    characters: int = DIGEST_CHARACTERS
    failure: str = ""

    @property
    def recalled(self) -> tuple[Memory, ...]:
        """The memories that match the goal and the surroundings.

        The memories are retrieved on first use.
        """
        try:
            return self._recalled
        except AttributeError:
            query = f"{self.goal} {_surroundings(self.t, self.seen)}"
            self._recalled = tuple(recall(self.memories, query, self.t, RECALLED))
            return self._recalled

    @property
    def news(self) -> object:
        """The part of the digest whose changes count as news.

        If this value differs from the value of an earlier digest, there has been news since then.

        The value excludes the agent's own position, inventory and action.
        """
        holds, beliefs = tuple(self.standing.items()), tuple(self.beliefs.items())
        return holds, beliefs, self.notices, self.happened

    def without(self, subject: str) -> Digest:
        """Return a copy without the standing fact about ``subject``.

        Prompts that show this fact elsewhere use the copy.
        """
        standing = {name: one for name, one in self.standing.items() if name != subject}
        return replace(self, standing=standing)

    def __str__(self) -> str:
        """Return the standing facts in full, followed by the other parts of the state, which are
        shortened.
        """
        holds = [text for one in self.standing.values() if (text := one.text(self.t))]
        return "\n".join([*holds, "\n".join(self._lines())[: self.characters]])

    def _lines(self) -> Iterator[str]:
        now = self.t
        held = ", ".join([f"{n} {item}" for item, n in sorted(self.seen.inventory.items()) if n])
        yield _surroundings(now, self.seen)
        yield f"You hold: {held or 'nothing'}."
        around = self.seen.around
        if around.feels:
            yield f"You are {around.feels}."
        if around.things:
            yield f"Here there are: {_listed(around.things)}."
        if around.doing:
            yield f"You see: {', '.join(f'{name}: {act}' for name, act in around.doing.items())}."
        done = "done" if self.is_done else "not done yet"
        done = f"did nothing: {self.failure}" if self.failure else done
        decided = f"Your last decision, {ago(now, self.decision.t)}"
        yield f"{decided}: {self.decision.action} ({done})."
        for name, text in self.profiles.items():
            yield f"What you know of {name}: {text}"
        for notice in self.notices:
            yield f"Notice, {ago(now, notice.t)}: {notice.text}"
        if self.goal:
            yield f"Your goal: {self.goal}"
        if self.plan:
            yield f"Your plan: {'; '.join(self.plan)}"
        if self.met:
            seen = [f"{name} ({one.place}, {ago(now, one.t)})" for name, one in self.met.items()]
            yield f"You saw: {', '.join(seen)}"
        for place, sight in self.sights.items():
            yield f"At {place} you saw, {ago(now, sight.t)}: {_listed(sight.things)}"
        for subject, text in sorted(self.beliefs.items()):
            yield f"{subject}: {text}"
        for one in self.happened:
            yield f"Happened {ago(now, one.t)}: {one.text}"
        for memory in self.recalled:
            yield f"Remember, {ago(now, memory.t)}: {memory.text}"


def ago(now: float, t: float) -> str:
    """Format the time from ``t`` to ``now``, both in seconds, for a prompt."""
    return f"{now - t:.0f} s ago"


def _surroundings(t: float, seen: Seen) -> str:
    return f"Time: {t:.0f} s. Place: {seen.place}. Near you: {', '.join(seen.near) or 'nobody'}."


def _listed(things: Mapping[str, int]) -> str:
    return ", ".join(f"{n} {thing}" for thing, n in things.items() if n) or "nothing"


def digest(agent: Agent) -> Digest:
    """Let an agent look around, and return its current state for its mind."""
    agent.look()
    task, seen, known = agent.task, agent.seen, agent.profiles
    return Digest(  # positional because keyword arguments would take four times as long
        agent.time.now(),
        seen,
        dict(agent.standing) if agent.standing else NONE,
        agent.absent(MET),
        {at: one for at, one in agent.sights.items() if at != seen.place} if agent.sights else NONE,
        dict(agent.beliefs) if agent.beliefs else NONE,
        {name: known[name] for name in seen.near if name in known} if known else NONE,
        agent.goal,
        tuple(agent.plan),
        task.decision,
        task.is_done,
        tuple(agent.notices)[-NOTICES:] if agent.notices else (),
        tuple(agent.working)[-HAPPENED:],
        agent.memory.long,
        agent.digest_characters,
        task.failure,
    )
