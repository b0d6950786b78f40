"""The critic sub-agent: says whether a policy did what it should, and if not, why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bots.agents.protocol import Briefing, PolicyFormat
from bots.models import ChatModel
from bots.prompts import quoted, render
from bots.structured import (
    AnswerError,
    Names,
    after_verdict,
    alone,
    complete_parsed,
    only_reading,
    read_verdict,
)
from bridge.protocol import RunResult

#: Source: Yocum et al. (2023), temperature of the critic.
TEMPERATURE = 0.1


@dataclass(frozen=True)
class Assessment:
    """The critic's view."""

    success: bool
    critique: str


@dataclass(frozen=True)
class CriticRequest:
    """What the critic's prompt is rendered from."""

    briefing: Briefing
    program: RunResult


async def assess(
    model: ChatModel,
    briefing: Briefing,
    policy_format: PolicyFormat,
    policy: str,
    outcome: str,
    program: RunResult,
) -> Assessment:
    """Have the model criticise an agent's episode.

    An answer that cannot be read, however often it is asked for, counts as no success with no
    advice: the critic never ends a run.

    Raises:
        ModelError: the model does not answer.
    """
    prompt = critic_prompt(briefing, policy_format, policy, outcome)
    try:
        return await complete_parsed(
            model,
            [{"role": "user", "content": prompt}],
            read_assessment,
            role="critic",
            agent=briefing.agent,
            temperature=TEMPERATURE,
            about=CriticRequest(briefing, program),
        )
    except AnswerError:
        return Assessment(success=False, critique="")


def critic_prompt(
    briefing: Briefing, policy_format: PolicyFormat, policy: str, outcome: str
) -> str:
    """Return what the model sees."""
    return render(
        "critic",
        agent=briefing.agent,
        where=policy_format.where,
        briefing=briefing.text,
        contract=quoted(briefing.contract) or "None.",
        code=policy,
        outcome=outcome,
    )


def read_assessment(answer: str) -> Assessment:
    """Read a critic's answer: an object, or lines, with ``success`` and ``critique``.

    Where a verdict comes with its reasons and there is no other advice, they are the critique.

    Raises:
        AnswerError: it is none.
    """

    def read(text: str) -> Assessment:
        return only_reading(text, _read_assessment, _FIELDS, sees_others=True)

    return alone(answer, read, _OWN, compared=lambda found: found.success)


_FIELDS: Names = {
    "success": ("successful", "succeeded", "is_success", "verdict", "assessment", "judgement"),
    "critique": ("criticism",),
    "advice": ("feedback", "suggestion", "suggestions", "recommendation", "recommendations"),
}


#: Words of them, in labels.
_OWN = frozenset(
    (*_FIELDS, *(one for more in _FIELDS.values() for one in more), "critic", "was", "success")
)


def _read_assessment(fields: Mapping[str, object]) -> Assessment:
    said = fields.get("success")
    success = bool(said) if said in (0, 1) else read_verdict(said)
    told = [fields[name] for name in ("critique", "advice") if fields.get(name) is not None]
    lists = (one if isinstance(one, list) else [one] for one in told)
    critique = " ".join(str(part) for one in lists for part in one) if told else None
    if critique is None:
        critique = after_verdict(said) or ("" if success else None)
    if success is None or critique is None or any(isinstance(one, dict) for one in told):
        raise AnswerError('the object needs "success" (true or false) and "critique" (a text)')
    return Assessment(success, critique)
