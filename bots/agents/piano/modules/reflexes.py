"""Reflexes: what cannot wait for a thought. No model is asked."""

from __future__ import annotations

from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.records import events


def run(agent: Agent) -> None:
    """Get away from what hurts, and let a bell interrupt what is being done."""
    threat = agent.body.threat()
    if threat is not None:
        agent.body.flee()
        agent.task.interrupt()
        agent.happened(f"I got away from {threat}")
        agent.note(events.ReflexFired, cause=threat)
    if agent.is_called:
        agent.is_called = False
        agent.task.reconsider()
