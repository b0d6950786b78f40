"""The agent kind ``planner``: one plan after another, in any world whose bodies carry out plans."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from voxpolis.bots.agents.protocol import AgentSetup, Briefing, Review, StepFormat
from voxpolis.bots.models import AnswerError, Message
from voxpolis.records.programs import RunResult

# The temperature is low so that plans follow from the situation; the value is ours.
TEMPERATURE = 0.1
# After this many plans in a row that take no time, the player waits. Without the pause it could ask
# its model forever while the game stands still.
MAX_INSTANT_PLANS = 2


@dataclass(frozen=True)
class DonePlan:
    """A plan that has ended, and its result.

    Attributes:
        is_asked: true if the model chose the plan; false for a pause after plans that take no time.
    """

    plan: str
    outcome: str
    is_asked: bool = True


@dataclass(frozen=True)
class NextPlanRequest:
    """The data from which the prompt is built.

    ``done`` contains all plans that have ended so far.
    """

    briefing: Briefing
    observation: str
    done: tuple[DonePlan, ...]

    @property
    def last(self) -> DonePlan | None:
        """The last plan; None before the first."""
        return self.done[-1] if self.done else None


class PlanPlayer:
    """An agent that asks its model for a plan, has its body carry the plan out, and repeats."""

    is_ready = True

    def __init__(self, setup: AgentSetup) -> None:
        """Create the player.

        Raises:
            TypeError: the body cannot carry out plans.
        """
        policy_format = setup.body.format
        if not isinstance(policy_format, StepFormat):
            raise TypeError(f"a body that takes {policy_format.name} cannot carry out plans")
        self._setup = setup
        self._format = policy_format
        self._done: list[DonePlan] = []

    async def prepare(self, observation: str) -> str:
        return ""

    async def live(self) -> None:
        body, instant = self._setup.body, 0
        while True:
            is_asked = instant < MAX_INSTANT_PLANS
            plan = await self._next() if is_asked else self._nothing
            result = await body.act(f"{plan}\n")
            self._done.append(DonePlan(plan, _outcome(result), is_asked))
            instant = 0 if result.seconds else instant + 1

    async def review(self, review: Review) -> None:
        """Return None.

        The player has learnt the result of each plan immediately, so there is nothing to review.
        """

    @property
    def _nothing(self) -> str:
        return self._format.nothing.strip()

    async def _next(self) -> str:
        briefing = self._setup.briefing
        request = NextPlanRequest(briefing, await self._setup.body.observe(), tuple(self._done))
        known = self._format
        try:
            return await known.step.ask(
                self._setup.model,
                messages(request, known),
                role="planner",
                agent=briefing.agent,
                temperature=TEMPERATURE,
                about=request,
            )
        except AnswerError:
            return self._nothing


def most_plans(seconds: float, steps_per_s: int) -> int:
    """Return the maximum number of questions to the model in an episode of the given length.

    At most :data:`MAX_INSTANT_PLANS` plans in a row take no time. The following pause takes at
    least one step, and so does every other plan. The model is also asked after the last step.
    """
    return MAX_INSTANT_PLANS * (math.ceil(seconds * steps_per_s) + 1)


def messages(request: NextPlanRequest, policy_format: StepFormat) -> list[Message]:
    """Build the prompt for the next plan."""
    last = request.last
    told = f"{policy_format.in_words(last.plan)}: {last.outcome}" if last else "none yet"
    return policy_format.ask_step(request.briefing, request.observation, told)


def _outcome(result: RunResult) -> str:
    lines: Sequence[str] = result.logs or [result.status]
    return lines[-1].rpartition(": ")[2]
