"""Action awareness: the agent learns what its actions have achieved.

The module stores each outcome in memory. If an outcome differs from the expectation, the agent
notes that the action failed, and decides again. After two failures in a row, the agent avoids the
action for a while. An agent without this module does not learn the outcomes of its actions, and
believes that its expectations came true (:mod:`bots.agents.piano.expectations`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.bots.agents.piano.expectations import MET, MISSED, OTHER, PARTLY, Ended
from voxpolis.records import events

# The subject of the standing fact that lists the actions to avoid; see
# :attr:`bots.agents.piano.agent.Agent.standing`.
AVOIDED = "avoided"
# After this many failures in a row the agent avoids an action, for this many seconds; our values.
MISSES, AVOIDED_S = 2, 60.0


@dataclass(frozen=True)
class Avoided:
    """The actions that an agent avoids, each with the time at which the avoidance ends."""

    until: Mapping[str, float]

    def now(self, now: float) -> list[str]:
        return [action for action, until in self.until.items() if now < until]

    def text(self, now: float) -> str:
        lines = (
            f"Stop trying {action} this way: it did not do what you expected, twice. "
            f"Do something else for {self.until[action] - now:.0f} s."
            for action in self.now(now)
        )
        return "\n".join(lines)


def run(agent: Agent) -> None:
    """Store new outcomes in memory, and check the expectations whose time has come."""
    while agent.outcomes:
        outcome = agent.outcomes.popleft()
        agent.standing[outcome.subject] = outcome.holds
        agent.memory.add(agent.time.now(), outcome.text, 0.5, about=outcome.holds)
    for ended in agent.task.take_ended():
        _compare(agent, ended)
    expected, missed = agent.task.take_due_expectation(), ""
    if expected is None:
        return
    if expected.place is not None and not agent.body.is_at(expected.place):
        missed = f"I wanted to be at {expected.place} by now, and am not there"
    elif expected.items is not None and sum(agent.body.inventory().values()) < expected.items:
        missed = f"{agent.task.action} did not bring what I expected"
    if missed:
        _remember(agent, missed)
        agent.task.fail(missed)
        agent.note(events.BeliefCorrected, text=missed)


def _compare(agent: Agent, ended: Ended) -> None:
    outcome, action = ended.outcome(), ended.action
    agent.note(
        events.ExpectationEnded,
        action=action,
        expected=str(ended.forecast),
        outcome=outcome,
        actual=ended.changes(),
    )
    if outcome in (MET, PARTLY):
        agent.misses.pop(action, None)
    if outcome == PARTLY:
        _remember(agent, ended.in_words())
    if outcome not in (MISSED, OTHER):
        return
    agent.misses[action] += 1
    _remember(agent, ended.in_words())
    if not ended.is_over:
        agent.task.finish(reconsider=True)
    agent.note(events.BeliefCorrected, text=ended.in_words())
    if agent.misses[action] >= MISSES:
        now, before = agent.time.now(), agent.standing.get(AVOIDED)
        until = before.until if isinstance(before, Avoided) else {}
        still = {one: t for one, t in until.items() if now < t}
        agent.standing[AVOIDED] = Avoided({**still, action: now + AVOIDED_S})
        del agent.misses[action]


def _remember(agent: Agent, text: str) -> None:
    agent.happened(text)
    agent.memory.add(agent.time.now(), text, 0.5)
