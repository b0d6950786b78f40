"""What a society's agents ask a model, without a society."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from bots.agents.piano import MODULES, ActionSet, Agent, Heard, Mind, Request, StandIn
from bots.models import ChatRequest, Completion
from bots.time import RealTime
from experiments.society import Member
from records import Clock

#: What stands for what is known only when agents live.
SOMEWHERE, SOMEBODY = "(where it is)", "(somebody near)"
SAID = "(what was said)"
GOAL = "(its goal)"
REMEMBERED = "(what happened)"
ENOUGH_TO_REFLECT = 3


class _Asked:
    """A model that keeps what it is asked, and has no answer."""

    def __init__(self) -> None:
        self.prompts: dict[str, str] = {}

    async def complete(self, request: ChatRequest) -> Completion:
        """Keep a question; see :class:`~bots.models.model.ChatModel`."""
        self.prompts.setdefault(request.role, request.messages[-1]["content"])
        return Completion(text="", model="none")


def _agent(member: Member, actions: ActionSet, model: _Asked) -> Agent:
    """Return an agent that has something to think about, and lives nowhere."""

    def note(_kind: object, **_fields: object) -> None:
        """Record nothing."""

    time = RealTime(Clock())
    agent = Agent(
        name=member.name,
        traits=member.traits,
        index=0,
        body=StandIn(SOMEWHERE, (SOMEBODY,)),
        time=time,
        mind=Mind(model, member.name, 0, time, note, thinking_s=0.0, timeout_s=None),
        actions=actions,
        note=note,
        places=tuple(member.places),
        standing=dict(member.standing),
        profiles={} if member.keeps_profiles else None,
    )
    agent.unjudged.append(Heard(0.0, SOMEBODY, SAID))
    agent.goal = GOAL
    for _ in range(ENOUGH_TO_REFLECT):
        agent.memory.add(0.0, REMEMBERED, 0.5)
    return agent


async def prompts(
    member: Member, actions: ActionSet, own: Callable[[Agent], Iterable[Request]]
) -> dict[str, str]:
    """Return what a member is asked, by role.

    Args:
        member: who is asked.
        actions: what it can decide to do.
        own: returns what the scenario's institutions ask an agent.
    """
    model = _Asked()
    agent = _agent(member, actions, model)
    for name in member.modules:
        await MODULES[name](agent)
    return {**model.prompts, **{request.role: request.prompt() for request in own(agent)}}


def titled(role: str, agent: str, text: str) -> str:
    """Return a prompt under a line that says whose it is."""
    return f"{f' {role}, {agent} ':=^80}\n{text}"
