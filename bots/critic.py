"""The critic sub-agent: says whether a policy did what it should, and if not, why."""

from __future__ import annotations

from dataclasses import dataclass

from bots.action import Briefing
from bots.asking import ask
from bots.models import ChatModel
from bots.parsing import AnswerError, read_object
from bots.prompts import render

#: Source: Yocum et al. (2023), temperature of the critic.
TEMPERATURE = 0.1


@dataclass(frozen=True)
class Assessment:
    """The critic's view."""

    success: bool
    critique: str


async def assess(model: ChatModel, briefing: Briefing, code: str, outcome: str) -> Assessment:
    """Have the model criticise an agent's episode.

    An answer that cannot be read, however often it is asked for, counts as no success with no
    advice: the critic never ends a run.

    Raises:
        ModelError: the model does not answer.
    """
    prompt = critic_prompt(briefing, code, outcome)
    try:
        return await ask(
            model,
            [{"role": "user", "content": prompt}],
            read_assessment,
            role="critic",
            agent=briefing.agent,
            temperature=TEMPERATURE,
        )
    except AnswerError:
        return Assessment(success=False, critique="")


def critic_prompt(briefing: Briefing, code: str, outcome: str) -> str:
    """What the model sees."""
    return render(
        "critic",
        agent=briefing.agent,
        briefing=briefing.situation,
        contract=briefing.contract or "None.",
        code=code,
        outcome=outcome,
    )


def read_assessment(answer: str) -> Assessment:
    """Read a critic's answer: a JSON object with ``success`` and ``critique``.

    Raises:
        AnswerError: it is none.
    """
    found = read_object(answer)
    success, critique = found.get("success"), found.get("critique")
    if not isinstance(success, bool) or not isinstance(critique, str):
        raise AnswerError('the object needs "success" (true or false) and "critique" (a text)')
    return Assessment(success, critique)
