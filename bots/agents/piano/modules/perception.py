"""Perception: what is around goes into the shared state, and what was heard into memory.

Who is asked to decide, to say something or to set itself a goal looks first
(:func:`bots.agents.piano.digest.digest`), so that no prompt tells of hands as they were before the
last action.
"""

from __future__ import annotations

from voxpolis.bots.agents.piano.agent import Agent


def run(agent: Agent) -> None:
    """Look around, and listen."""
    agent.look()
    while agent.heard:
        heard = agent.heard.popleft()
        agent.working.append(heard.happened)
        agent.unjudged.append(heard)
        agent.memory.take(heard.memory)
