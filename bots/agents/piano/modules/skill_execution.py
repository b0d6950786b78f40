"""Skill execution: carries out what the controller decided, a little each time it runs."""

from __future__ import annotations

from bots.agents.piano.agent import Agent


async def run(agent: Agent) -> None:
    """Do the next bit of the decision, if it is not done."""
    if not agent.task.is_done:
        await agent.actions.carry_out(agent.task)
