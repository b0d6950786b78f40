"""The critic sub-agent: says whether a policy did what it should, and if not, why."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, Field

from voxpolis.bots.agents.protocol import Briefing, PolicyFormat
from voxpolis.bots.asking import ask
from voxpolis.bots.models import Answer, AnswerError, ChatModel, Message
from voxpolis.bots.prompts import messages, quoted
from voxpolis.records.programs import RunResult

#: Source: Yocum et al. (2023), temperature of the critic.
TEMPERATURE = 0.1


#: Characters of advice.
MOST_ADVICE = 1200


class Assessment(Answer):
    """The critic's view."""

    success: bool = Field(description="Whether the program did what the player set out to do.")
    critique: Annotated[str, AfterValidator(lambda text: text[:MOST_ADVICE])] = Field(
        description="At most three sentences of advice for the next program; empty: none."
    )


#: A scripted mind's answer where a critic is asked.
NO_CRITIC = Assessment(success=True, critique="A scripted mind has no critic.")
#: What counts where no answer of the critic can be used.
NO_ADVICE = Assessment(success=False, critique="")


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
    """
    try:
        return await ask(
            model,
            critic_messages(briefing, policy_format, policy, outcome),
            Assessment,
            role="critic",
            agent=briefing.agent,
            temperature=TEMPERATURE,
            about=CriticRequest(briefing, program),
        )
    except AnswerError:
        return NO_ADVICE


def critic_messages(
    briefing: Briefing, policy_format: PolicyFormat, policy: str, outcome: str
) -> list[Message]:
    """Return what the model sees."""
    return messages(
        "critic",
        agent=briefing.agent,
        where=policy_format.where,
        briefing=briefing.text,
        contract=quoted(briefing.contract) or "None.",
        code=policy,
        outcome=outcome,
    )
