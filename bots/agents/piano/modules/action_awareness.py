"""Action awareness: what came of an action is held against what was expected of it.

Where they differ the belief gives way: the agent notes that the action failed, and decides anew.
"""

from __future__ import annotations

from bots.agents.piano.agent import Agent
from records import events


async def run(agent: Agent) -> None:
    """Compare, once the time of the expectation has come."""
    expected = agent.task.take_due_expectation()
    if expected is None:
        return
    if expected.place is not None and not agent.body.is_at(expected.place):
        _correct(agent, f"I wanted to be at {expected.place} by now, and am not there")
    elif expected.items is not None and sum(agent.body.inventory().values()) < expected.items:
        _correct(agent, f"{agent.task.action} did not bring what I expected")


def _correct(agent: Agent, text: str) -> None:
    agent.working.append(text)
    agent.memory.add(agent.time.now(), text, 0.5)
    agent.task.finish(reconsider=True)
    agent.note(events.BeliefCorrected, text=text)
