"""The cognitive controller: the only place where an agent decides.

It sees the state through a bottleneck (:func:`bots.agents.piano.thinking.digest`), and its decision is
broadcast: skills carry it out, and speech follows from it.
"""

from __future__ import annotations

from bots.agents.piano.actions import read_decision
from bots.agents.piano.agent import Agent, Decision
from bots.agents.piano.thinking import digest

#: Ours: without a cause a decision stands so long before it is thought over.
STANDS_FOR_S = 60.0


async def run(agent: Agent) -> None:
    """Decide, if there is a cause to."""
    now = agent.time.now()
    if not agent.wants_to_decide and now - agent.decision.t < STANDS_FOR_S:
        return
    agent.wants_to_decide = False
    found = await agent.think(
        "decide",
        read_decision,
        name=agent.name,
        traits=agent.traits,
        places=", ".join(agent.places),
        state=digest(agent),
    )
    if found is None:
        agent.wants_to_decide = True
        return
    action, about = found
    changed = action != agent.decision.action
    agent.decision = Decision(now, action, about)
    if changed or agent.is_done:
        agent.is_done = False
        agent.expected = None
    if changed:
        agent.note("decided", action=str(action), about=about)
