"""Perception: what is around goes into the shared state, and what was heard into memory."""

from __future__ import annotations

from collections.abc import Mapping

from bots.agents.piano.agent import Agent, Met, Seen, Sight


async def run(agent: Agent) -> None:
    """Look around, and listen."""
    body = agent.body
    now, near, around = agent.time.now(), tuple(sorted(body.near())), body.notices()
    if agent.belief is None:
        held: Mapping[str, int] = dict(body.inventory())
    else:
        held = agent.belief.held(now, body.inventory(), agent.task.take_ended())
    agent.seen = seen = Seen(body.place(), near, held, around)
    met = Met(now, seen.place)
    if around.things:
        agent.sights[seen.place] = Sight(met.t, around.things)
    if around.doing and agent.profiles is not None:
        agent.unjudged_deeds.update(around.doing)
    for name in seen.near:
        agent.met.pop(name, None)  # the latest stand last
        agent.met[name] = met
    while agent.heard:
        heard = agent.heard.popleft()
        agent.working.append(heard.happened)
        agent.unjudged.append(heard)
        agent.memory.take(heard.memory)
