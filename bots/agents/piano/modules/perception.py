"""Perception: what is around goes into the shared state, and what was heard into memory."""

from __future__ import annotations

from bots.agents.piano.agent import Agent, Happened, Met, Seen
from records.text import one_line


async def run(agent: Agent) -> None:
    """Look around, and listen."""
    body = agent.body
    agent.seen = seen = Seen(body.place(), tuple(sorted(body.near())), dict(body.inventory()))
    met = Met(agent.time.now(), seen.place)
    for name in seen.near:
        agent.met.pop(name, None)  # the latest stand last
        agent.met[name] = met
    while agent.heard:
        heard = agent.heard.popleft()
        said = f"{heard.speaker} said: {one_line(heard.text)}"
        agent.working.append(Happened(heard.t, said))
        agent.unjudged.append(heard)
        agent.memory.add(heard.t, said, 0.3, about=heard)
