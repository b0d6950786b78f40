"""Memory: short-term memory overflows into long-term memory, which forgets."""

from __future__ import annotations

from voxpolis.bots.agents.piano.agent import Agent


def run(agent: Agent) -> None:
    """Consolidate."""
    agent.memory.consolidate()
