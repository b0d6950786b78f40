"""What a society's agents ask a model, without a society."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from bots.agents.piano import MODULES, ActionSet, Agent, Heard, Mind, Request, StandIn
from bots.models import ChatRequest, Completion
from bots.time import RealTime
from experiments.society import Member
from records import SimulatedClock

#: What stands for what is known only when agents live.
SOMEWHERE, SOMEBODY = "(where it is)", "(somebody near)"
SAID = "(what was said)"
GOAL = "(its goal)"
REMEMBERED = "(what happened)"
ENOUGH_TO_REFLECT = 3
#: Over the people whose prompts are those of somebody before.
OTHERS = "others: what they are told of themselves in the same prompts"


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

    time = RealTime(SimulatedClock())
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


Own = Callable[[Agent], Iterable[Request]]


async def prompts(members: Iterable[Member], actions: ActionSet, own: Own) -> str:
    """Return what everybody is asked, each prompt under a line that says whose it is.

    Where prompts differ from those of somebody before by name, nature and places only, these are
    told in a line, for all such people together at the end.

    Args:
        members: who is asked.
        actions: what they can decide to do.
        own: returns what the scenario's institutions ask an agent.
    """
    shown: list[str] = []
    first: dict[tuple[str, str], str] = {}
    alike: list[str] = []
    for member in members:
        asked = await _asked(member, actions, own)
        forms = {title: (title, _form(text, member)) for title, text in asked.items()}
        new = [title for title in asked if forms[title] not in first]
        shown += [_titled(title.format(name=member.name), asked[title]) for title in new]
        before = next((first[form] for form in forms.values() if form in first), None)
        if before is not None:
            alike.append(f"- {member.name}, as {before}: {member.traits or '(nothing)'}")
        for title in new:
            first[forms[title]] = member.name
    if alike:
        shown.append(_titled(OTHERS, "\n".join(alike)))
    return "\n\n".join(shown)


async def _asked(member: Member, actions: ActionSet, own: Own) -> dict[str, str]:
    """Return what a member is asked, by titles in which ``{name}`` stands for its name."""
    model = _Asked()
    agent = _agent(member, actions, model)
    for name in member.modules:
        await MODULES[name](agent)
    asked = {f"{role}, {{name}}": text for role, text in model.prompts.items()}
    for request in own(agent):
        is_its_own = hasattr(request, "agent")  # else it is the institution's
        asked[f"{request.role}, {{name}}" if is_its_own else request.role] = request.prompt()
    return asked


def _form(text: str, member: Member) -> str:
    """Return a prompt without what is a member's own."""
    for words in (member.traits, ", ".join(member.places)):
        text = text.replace(words, "…") if words else text
    return re.sub(rf"\b{re.escape(member.name)}\b", "…", text)


def _titled(title: str, text: str) -> str:
    return f"{f' {title} ':=^80}\n{text}"
