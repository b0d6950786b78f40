"""Perception: what is around goes into the shared state, and what was heard into memory."""

from __future__ import annotations

from bots.agents.piano.agent import Agent, Seen
from records.text import one_line


async def run(agent: Agent) -> None:
    """Look around, and listen."""
    body = agent.body
    agent.seen = Seen(body.place(), tuple(sorted(body.near())), dict(body.inventory()))
    while agent.heard:
        heard = agent.heard.popleft()
        agent.working.append(f"{heard.speaker} said: {one_line(heard.text)}")
        agent.unjudged.append(heard)
        agent.memory.add(heard.t, f"{heard.speaker} said: {one_line(heard.text)}", 0.3)
