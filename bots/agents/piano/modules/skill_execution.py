"""Skill execution: carries out what the controller decided, a little each time it runs."""

from __future__ import annotations

from bots.agents.piano.agent import Agent, Expectation

#: Where work is done and where taxes are paid, by the names that all bodies know.
WORKPLACE, CHEST = "work", "chest"
#: How much longer than it should a way may take before it counts as failed.
PATIENCE, PATIENCE_S = 2.0, 5.0


async def run(agent: Agent) -> None:
    """Do the next bit of the decision, if it is not done."""
    if agent.is_done:
        return
    action, body = agent.decision.action, agent.body
    if action.kind == "REST":
        body.stop()
        agent.is_done = True
    elif action.kind in ("GO", "VISIT"):
        if _is_there(agent, action.target):
            agent.is_done = True
    elif action.kind == "WORK" and _is_there(agent, WORKPLACE):
        before = sum(body.inventory().values())
        if await body.work():
            agent.expected = Expectation(agent.time.now(), items=before)
    elif action.kind == "PAY" and _is_there(agent, CHEST):
        paid = await body.pay(action.share)
        if agent.decision.action is action:  # the mind may have changed meanwhile
            agent.is_done = True
            agent.wants_to_decide = True
        told = ", ".join(f"{count} {item}" for item, count in paid.items()) or "nothing"
        agent.working.append(f"I put {told} into the community chest")


def _is_there(agent: Agent, target: str) -> bool:
    """Whether the way is done; sets out where it has not begun."""
    if agent.body.is_at(target):
        if agent.expected is not None and agent.expected.place == target:
            agent.expected = None
        return True
    if agent.expected is None or agent.expected.place != target:
        try:
            seconds = agent.body.head_for(target)
        except LookupError:
            agent.is_done = True
            agent.wants_to_decide = True
            agent.working.append(f"There is no {target}")
            return False
        until = agent.time.now() + PATIENCE * seconds + PATIENCE_S
        agent.expected = Expectation(until, place=target)
    return False
