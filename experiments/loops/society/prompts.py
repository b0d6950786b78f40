"""What a society's agents ask a model, without a society."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voxpolis.bots.agents.code_writer import JAVASCRIPT, PolicyRequest
from voxpolis.bots.agents.code_writer import messages as policy_messages
from voxpolis.bots.agents.piano import (
    NOTHING_NOTICED,
    ActionSet,
    Agent,
    Heard,
    Memory,
    Met,
    Mind,
    Notice,
    Request,
    Sight,
    StandIn,
    Standing,
    Surroundings,
    run_once,
)
from voxpolis.bots.agents.piano.citizen import CitizenBody
from voxpolis.bots.agents.piano.modules.action_awareness import AVOIDED, AVOIDED_S, Avoided
from voxpolis.bots.agents.planner.player import NextPlanRequest
from voxpolis.bots.agents.planner.player import messages as step_messages
from voxpolis.bots.agents.protocol import Briefing, StepFormat
from voxpolis.bots.models import ChatRequest, Completion, Message
from voxpolis.bots.time import RealTime
from voxpolis.experiments.loops.curriculum.prompts import FEEDBACK, SEEN, task_prompts
from voxpolis.experiments.loops.society.citizens import CODING, WRITING, briefing_of, goal_of
from voxpolis.experiments.loops.society.society import Member
from voxpolis.records import SimulatedClock
from voxpolis.worlds.minecraft.trades.programs import about_village


@dataclass(frozen=True)
class Stage:
    """What institutions have told an agent at some moment, for showing prompts of that moment.

    Attributes:
        title: when it is, in words: "in a tax season".
        t: when, in seconds of the society's time.
        standing: what holds for the agent then, by subject.
        notices: what the world has told it lately.
        around: what its body notices.
    """

    title: str
    t: float
    standing: Mapping[str, Standing]
    notices: tuple[Notice, ...] = ()
    around: Surroundings = NOTHING_NOTICED


#: What stands for what is known only when agents live.
SOMEWHERE, SOMEBODY = "(where it is)", "(somebody near)"
SAID = "(what was said)"
GOAL = "(its goal)"
REMEMBERED = "(what happened)"
ENOUGH_TO_REFLECT = 3
ELSEWHERE, THING, STEP, ACTION = "(elsewhere)", "(thing)", "(a step)", "(action)"
TOLD_OF = "(what it knows of somebody)"
BELIEVED = "(what it believes)"
RECALLED = "(what it remembers that has to do with its goal)"
FAILED = "(why that did nothing)"
#: The moment at which somebody knows all that there can be to know of itself and others.
LATER = "when much has happened"
LATER_S = 100.0
#: The roles that are told what somebody knows of others, and what holds.
TELLING = ("social", "decide")
#: Over the people whose prompts are those of somebody before.
OTHERS = "others: what they are told of themselves in the same prompts"


class _Asked:
    """A model that keeps what it is asked, and has no answer."""

    def __init__(self) -> None:
        self.prompts: dict[str, str] = {}

    async def complete(self, request: ChatRequest) -> Completion:
        """Keep a question; see :class:`~bots.models.model.ChatModel`."""
        self.prompts.setdefault(request.role, written(request.messages))
        return Completion(text="", model="none")


def stand_in(member: Member, actions: ActionSet) -> Agent:
    """Return an agent that lives nowhere, before anything has happened to it."""
    return _agent(member, actions, _Asked())


def _agent(member: Member, actions: ActionSet, model: _Asked, t: float = 0.0) -> Agent:
    """Return an agent that has something to think about, and lives nowhere."""

    def note(_kind: object, **_fields: object) -> None:
        """Record nothing."""

    clock = SimulatedClock()
    time = RealTime(clock)
    clock.set(t)
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
    agent.unjudged.append(Heard(t, SOMEBODY, SAID))
    agent.goal = GOAL
    for _ in range(ENOUGH_TO_REFLECT):
        agent.memory.add(0.0, REMEMBERED, 0.5)
    return agent


def _later(agent: Agent, modules: Collection[str], around: Surroundings) -> None:
    """Let an agent know something of each kind that its modules keep."""
    agent.body = StandIn(SOMEWHERE, (SOMEBODY,), {THING: 1}, around)
    if around.things:
        agent.sights[ELSEWHERE] = Sight(0.0, {THING: 3})
    agent.met["(somebody else)"] = Met(0.0, ELSEWHERE)
    agent.task.refuse(FAILED)
    agent.happened(REMEMBERED)
    if "social_awareness" in modules:
        agent.sentiments[SOMEBODY], agent.beliefs["(subject)"] = 5, BELIEVED
        if agent.profiles is not None:
            agent.profiles[SOMEBODY] = TOLD_OF
    if "planning" in modules:
        agent.plan, agent.planned_for = [STEP, STEP], GOAL
    if "memory" in modules:
        agent.memory.long = [*agent.memory.long, Memory(0.0, RECALLED, 0.5)]
    if "action_awareness" in modules:
        agent.standing[AVOIDED] = Avoided({ACTION: LATER_S + AVOIDED_S})


Own = Callable[[Agent], Iterable[Request]]


async def prompts(
    members: Iterable[Member], actions: ActionSet, own: Own, stages: Sequence[Stage]
) -> str:
    """Return what everybody is asked, each prompt under a line that says whose it is.

    That is at the beginning; the first person is shown at other moments, too. Where prompts differ
    from those of somebody before by name, nature and places only, these are told in a line, for all
    such people together at the end.

    Args:
        members: who is asked.
        actions: what they can decide to do.
        own: returns what the scenario's institutions ask an agent.
        stages: moments at which institutions have told the first person something; what holds at
            the one called :data:`LATER` holds beside all else that there is to know.
    """
    members = list(members)
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
    for stage in stages:
        asked = await _asked_then(members[0], actions, stage)
        shown += [_titled(title, text) for title, text in asked.items()]
    if alike:
        shown.append(_titled(OTHERS, "\n".join(alike)))
    return "\n\n".join(shown)


async def _asked_then(member: Member, actions: ActionSet, stage: Stage) -> dict[str, str]:
    """Return what a member is asked at a moment, by titles."""
    model = _Asked()
    agent = _agent(member, actions, model, stage.t)
    agent.standing.update(stage.standing)
    is_later = stage.title == LATER
    if is_later:
        _later(agent, member.modules, stage.around)
    agent.notices.extend(stage.notices)
    for name in member.modules:
        await run_once(name, agent)
    return {
        f"{role}, {member.name}, {stage.title}": text
        for role, text in model.prompts.items()
        if role == "decide" or (is_later and role in TELLING)
    }


async def _asked(member: Member, actions: ActionSet, own: Own) -> dict[str, str]:
    """Return what a member is asked, by titles in which ``{name}`` stands for its name."""
    model = _Asked()
    agent = _agent(member, actions, model)
    for name in member.modules:
        await run_once(name, agent)
    asked = {f"{role}, {{name}}": text for role, text in model.prompts.items()}
    for request in own(agent):
        is_its_own = hasattr(request, "agent")  # else it is the institution's
        asked[f"{request.role}, {{name}}" if is_its_own else request.role] = asked_in(request)
    return asked


def asked_in(request: Any) -> str:
    """Return a question of an institution in words."""
    return written(request.messages())


def written(messages: Sequence[Message]) -> str:
    """Return a conversation as it is shown."""
    return "\n\n".join(message["content"] for message in messages)


def _form(text: str, member: Member) -> str:
    """Return a prompt without what is a member's own."""
    for words in (member.traits, ", ".join(member.places)):
        text = text.replace(words, "…") if words else text
    return re.sub(rf"\b{re.escape(member.name)}\b", "…", text)


def _titled(title: str, text: str) -> str:
    return f"{f' {title} ':=^80}\n{text}"


# --- What citizens of other kinds than PIANO would be asked, for ``--show-prompts`` ---------------

#: What stands for what is known only when it is played.
PLACE, CHEST = "{} (where it is)", "(where they stand)"


def prompts_of_kinds(
    kinds: Mapping[str, str], members: Sequence[Member], actions: ActionSet, *, has_code: bool
) -> Iterator[str]:
    """Yield what the first citizen of each kind is asked, each prompt under a line that says whose
    it is.

    Args:
        kinds: of agent, by name.
        members: who lives there.
        actions: what PIANO agents can decide to do.
        has_code: whether bodies take programs.
    """
    shown = set[str]()
    for member in members:
        kind = kinds[member.name]
        if kind in WRITING and kind not in shown and member.modules:
            shown.add(kind)
            yield from _prompts(kind, member, members, actions, has_code=has_code)


def _prompts(
    kind: str, member: Member, members: Sequence[Member], actions: ActionSet, *, has_code: bool
) -> Iterator[str]:
    told = ""
    if kind in CODING and has_code:
        told = about_village(actions, [PLACE.format(one) for one in member.places], [CHEST])
    briefing = briefing_of(member, [one.name for one in members], told)
    if kind == "voyager":
        yield from task_prompts(briefing, goal_of(member))
    elif told:
        for feedback in ("", FEEDBACK):
            request = PolicyRequest(briefing, JAVASCRIPT.name, SEEN, feedback)
            yield _asked_of("action", member, policy_messages(request, JAVASCRIPT))
    else:
        yield asyncio.run(_of_verbs(kind, member, briefing, actions))


async def _of_verbs(kind: str, member: Member, briefing: Briefing, actions: ActionSet) -> str:
    body = CitizenBody(stand_in(member, actions))
    policy_format = body.format
    assert isinstance(policy_format, StepFormat)
    if kind == "planner":
        step = NextPlanRequest(briefing, await body.observe(), ())
        return _asked_of("planner", member, step_messages(step, policy_format))
    request = PolicyRequest(briefing, policy_format.name, await body.observe(), "")
    return _asked_of("action", member, policy_messages(request, policy_format))


def _asked_of(role: str, member: Member, asked: Sequence[Message]) -> str:
    return f"{f' {role}, {member.name} ':=^80}\n{written(asked)}"
