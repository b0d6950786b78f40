"""What citizens of other kinds than PIANO would be asked, for ``--show-prompts``."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence

from voxpolis.bots.agents.code_writer import JAVASCRIPT, PolicyRequest
from voxpolis.bots.agents.code_writer import messages as policy_messages
from voxpolis.bots.agents.piano import ActionSet
from voxpolis.bots.agents.piano.citizen import CitizenBody
from voxpolis.bots.agents.planner.player import NextPlanRequest
from voxpolis.bots.agents.planner.player import messages as step_messages
from voxpolis.bots.agents.protocol import Briefing, StepFormat
from voxpolis.bots.models import Message
from voxpolis.experiments.citizens import CODING, WRITING, briefing_of, goal_of
from voxpolis.experiments.curriculum_prompts import FEEDBACK, SEEN, task_prompts
from voxpolis.experiments.society import Member
from voxpolis.experiments.society_prompts import stand_in, written
from voxpolis.worlds.minecraft.trades.programs import about_village

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
            yield _titled("action", member, policy_messages(request, JAVASCRIPT))
    else:
        yield asyncio.run(_of_verbs(kind, member, briefing, actions))


async def _of_verbs(kind: str, member: Member, briefing: Briefing, actions: ActionSet) -> str:
    body = CitizenBody(stand_in(member, actions))
    policy_format = body.format
    assert isinstance(policy_format, StepFormat)
    if kind == "planner":
        step = NextPlanRequest(briefing, await body.observe(), ())
        return _titled("planner", member, step_messages(step, policy_format))
    request = PolicyRequest(briefing, policy_format.name, await body.observe(), "")
    return _titled("action", member, policy_messages(request, policy_format))


def _titled(role: str, member: Member, asked: Sequence[Message]) -> str:
    return f"{f' {role}, {member.name} ':=^80}\n{written(asked)}"
