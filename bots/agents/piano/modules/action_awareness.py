"""Action awareness: what came of an action is noted, and held against what was expected of it.

What came of it holds from then on for the agent and is remembered: an agent without this module
does not know later what it did. Where outcome and expectation differ the belief gives way: the
agent notes that the action failed, and decides anew.
"""

from __future__ import annotations

from bots.agents.piano.agent import Agent
from records import events


async def run(agent: Agent) -> None:
    """Take note of outcomes; compare, once the time of the expectation has come."""
    while agent.outcomes:
        outcome = agent.outcomes.popleft()
        agent.standing[outcome.subject] = outcome.holds
        agent.memory.add(agent.time.now(), outcome.text, 0.5, about=outcome.holds)
    expected = agent.task.take_due_expectation()
    if expected is None:
        return
    if expected.place is not None and not agent.body.is_at(expected.place):
        _correct(agent, f"I wanted to be at {expected.place} by now, and am not there")
    elif expected.items is not None and sum(agent.body.inventory().values()) < expected.items:
        _correct(agent, f"{agent.task.action} did not bring what I expected")


def _correct(agent: Agent, text: str) -> None:
    agent.happened(text)
    agent.memory.add(agent.time.now(), text, 0.5)
    agent.task.fail(text)
    agent.note(events.BeliefCorrected, text=text)
