"""Reflexes: what cannot wait for a thought. No model is asked."""

from __future__ import annotations

from bots.agents.piano.agent import Agent


async def run(agent: Agent) -> None:
    """Get away from what hurts, and let a bell interrupt what is being done."""
    threat = agent.body.threat()
    if threat is not None:
        agent.body.flee()
        agent.is_done = True
        agent.wants_to_decide = True
        agent.working.append(f"I got away from {threat}")
        agent.note("reflex", cause=threat)
    if agent.asks_urgently:
        agent.asks_urgently = False
        agent.wants_to_decide = True
