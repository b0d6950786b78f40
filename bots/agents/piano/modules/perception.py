"""Perception: what is around goes into the shared state, and what was heard into memory."""

from __future__ import annotations

from bots.agents.piano.agent import Agent, Happened, Met, Seen, Sight
from records.text import one_line


async def run(agent: Agent) -> None:
    """Look around, and listen."""
    body = agent.body
    near, held, around = tuple(sorted(body.near())), dict(body.inventory()), body.notices()
    if agent.belief is not None:
        held = agent.belief.held(agent.time.now(), held, agent.task.take_ended())
    agent.seen = seen = Seen(body.place(), near, held, around)
    met = Met(agent.time.now(), seen.place)
    if around.things:
        agent.sights[seen.place] = Sight(met.t, around.things)
    if around.doing and agent.profiles is not None:
        agent.unjudged_deeds.update(around.doing)
    for name in seen.near:
        agent.met.pop(name, None)  # the latest stand last
        agent.met[name] = met
    while agent.heard:
        heard = agent.heard.popleft()
        said = f"{heard.speaker} said: {one_line(heard.text)}"
        agent.working.append(Happened(heard.t, said))
        agent.unjudged.append(heard)
        agent.memory.add(heard.t, said, 0.3, about=heard)
