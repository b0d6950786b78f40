"""The code writer: an agent that writes one whole program per episode.

After the episode the model is asked again, in the role of a critic, to review the program. If the
program failed, the agent revises it.

Source: the action and critic sub-agents of Yocum et al., "Mitigating Generative Agent Social
Dilemmas" (2023), after Voyager. The program (the agent's policy) is JavaScript or a list of plans,
depending on the agent's body.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import AfterValidator, Field

from voxpolis.bots.agents.protocol import AgentSetup, Briefing, Lesson, Policy, PolicyFormat, Review
from voxpolis.bots.asking import ask
from voxpolis.bots.models import Answer, AnswerError, ChatModel, Message
from voxpolis.bots.prompts import messages as prompt_messages
from voxpolis.bots.prompts import quoted, render
from voxpolis.records.programs import RunResult
from voxpolis.records.vanilla import MINECRAFT_VERSION

# Temperature of the action and critic sub-agents in Yocum et al. (2023).
TEMPERATURE = 0.1

# --- The critic: judges whether a policy achieved its goal, and if not, why -----------------------

# Maximum length of the critic's advice, in characters.
MOST_ADVICE = 1200


class Assessment(Answer):
    """The critic's view."""

    success: bool = Field(description="Whether the program did what the player set out to do.")
    critique: Annotated[str, AfterValidator(lambda text: text[:MOST_ADVICE])] = Field(
        description="At most three sentences of advice for the next program; empty: none."
    )


# The critic's answer when the mind is scripted.
NO_CRITIC = Assessment(success=True, critique="A scripted mind has no critic.")
# The answer that replaces an unusable answer of the critic.
NO_ADVICE = Assessment(success=False, critique="")


@dataclass(frozen=True)
class CriticRequest:
    """The data from which the critic's prompt is built."""

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
    """Ask the model to criticise the policy that an agent played in an episode.

    If the model's answer is unreadable, the policy counts as failed and the critic gives no advice.
    The run continues.
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
    """Build the critic's prompt."""
    return prompt_messages(
        "critic",
        agent=briefing.agent,
        where=policy_format.where,
        briefing=briefing.text,
        contract=quoted(briefing.contract) or "None.",
        code=policy,
        outcome=outcome,
    )


# --- The writer -----------------------------------------------------------------------------------

NO_CONTRACT = "None: everyone keeps what they hold at the end."
FIRST = "This is your first program of this episode."
# Maximum number of lines of program output that the writer is shown.
PRINTED_LINES = 20


@dataclass(frozen=True)
class PolicyRequest:
    """The data from which the prompt for a new policy is built."""

    briefing: Briefing
    format: str
    observation: str
    feedback: str


def _javascript(briefing: Briefing) -> str:
    return render(
        "action",
        agent=briefing.agent,
        version=MINECRAFT_VERSION,
        briefing=briefing.full_text,
        contract=quoted(briefing.contract) or NO_CONTRACT,
    )


# Policies that are JavaScript programs for Mineflayer.
JAVASCRIPT = PolicyFormat(
    "code",
    _javascript,
    Policy(None, str),
    nothing="// The model gave no program.\n",
    where="in Minecraft",
)


class CodeWriter:
    """An agent that writes its policies as programs; see :class:`bots.agents.protocol.Agent`."""

    def __init__(self, setup: AgentSetup) -> None:
        self._briefing = setup.briefing
        self._body = setup.body
        self._model = setup.model
        self._format = setup.body.format
        self._policy: str | None = None
        # The reason why the model wrote no policy. If this is not empty, the current policy does
        # nothing.
        self._unwritten = ""
        self._feedback = ""

    @property
    def is_ready(self) -> bool:
        """True if a policy is ready to run: it has not run yet, or it ran without an error."""
        return self._policy is not None

    async def prepare(self, observation: str) -> str:
        """Ask the model for a policy.

        If the model gives no policy, the agent does nothing in this episode.

        Returns:
            The reason why there is no policy; empty if there is a policy.
        """
        request = PolicyRequest(self._briefing, self._format.name, observation, self._feedback)
        self._unwritten = ""
        try:
            self._policy = await self._format.policy.ask(
                self._model,
                messages(request, self._format),
                role="action",
                agent=self._briefing.agent,
                temperature=TEMPERATURE,
                about=request,
            )
        except AnswerError as error:
            self._policy = self._format.nothing
            self._unwritten = str(error)
        return self._unwritten

    async def live(self) -> None:
        assert self._policy is not None
        await self._body.act(self._policy)

    async def review(self, review: Review) -> Lesson | None:
        """Ask the critic about the last policy, and discard a policy that failed.

        A policy that was never written is also discarded, without asking the critic.

        Return None if a critique would be of no further use to the agent.
        """
        assert self._policy is not None
        if self._unwritten:
            self._feedback = _joined(unwritten(self._unwritten), review, "")
            self._policy = None
            return Lesson(again=True, success=False, unwritten=self._unwritten)
        program = review.program
        again = failed(program) or review.goes_on
        if not again and not review.is_remembered:
            return None
        outcome = f"{review.outcome}\n{program_end(program)}"
        view = await assess(
            self._model, self._briefing, self._format, self._policy, outcome, program
        )
        if again:
            ran = f"```\n{self._policy}```\n\n{describe_result(program)}"
            self._feedback = _joined(ran, review, view.critique)
            self._policy = None
        return Lesson(again, view.success, view.critique)


def messages(request: PolicyRequest, policy_format: PolicyFormat) -> list[Message]:
    """Build the prompt that asks for a policy."""
    situation = render(
        "action_situation",
        observation=request.observation,
        feedback=request.feedback or FIRST,
    )
    return [
        {"role": "system", "content": policy_format.system(request.briefing)},
        {"role": "user", "content": situation},
    ]


def failed(program: RunResult) -> bool:
    """Return whether a program ended with an error or was killed."""
    return program.status in ("error", "killed")


def program_end(program: RunResult, *, with_limits: bool = False) -> str:
    """Describe how a program ended. The position of an error refers to the agent's own code.

    If ``with_limits`` is true, a program that was stopped at a limit counts as a program with an
    error. In Double-Vein ``with_limits`` is false, because the agents do not know the time limit.
    """
    limited = program.status in ("timeout", "stopped") and not with_limits
    if program.error is None or limited:
        return "The program ran without an error."
    error = program.error
    place = f" in line {error.line}, column {error.column}" if error.line else ""
    source = f"\n    {error.source}" if error.source else ""
    done = f"\nDone by then: {', '.join(error.done)}." if error.done else ""
    return f"The program ended with an error{place}: {error.message}{source}{done}"


def unwritten(problem: str) -> str:
    """Return the message to an agent whose answers contained no program."""
    return f"You had none: your answers contained no readable program; the last problem: {problem}."


def _joined(ran: str, review: Review, critique: str) -> str:
    """Build the feedback that the agent reads before it writes its next policy.

    ``ran`` is a text that describes how the previous policy ended.
    """
    parts = [
        ran,
        f"What happened:\n{review.outcome}",
        *quote_feedback(critique, review.judgement),
    ]
    return "\n\n".join(part for part in parts if part)


def quote_feedback(critique: str, judgement: Sequence[str]) -> list[str]:
    """Quote what the critic and the judge said.

    The words are quoted because they may repeat text that agents wrote.
    """
    told = [f"A critic says:\n{quoted(critique)}"] if critique else []
    return [*told, f"The judge says:\n{quoted(' '.join(judgement))}"]


def describe_result(program: RunResult) -> str:
    """Describe how a program ended, and quote the last lines that it printed."""
    printed = "\n".join(program.logs[-PRINTED_LINES:])
    end = program_end(program)
    return f"{end}\n\nIt printed:\n{printed}" if printed else end
