"""One agent on the grid: asks its mind for plans, and lets controllers execute them."""

from __future__ import annotations

from collections.abc import Callable

from voxpolis.bots.agents.planner.execution import WAIT_STEPS, PlanExecution
from voxpolis.bots.agents.planner.grid_player import GridPlayer, Mask, Observed
from voxpolis.bots.agents.planner.observation_text import plan_messages, vocabulary
from voxpolis.bots.agents.planner.plans import NextPlan, Plan, next_plan, plan_of
from voxpolis.bots.agents.planner.situation import situation_of
from voxpolis.bots.agents.planner.society import Society
from voxpolis.bots.asking import ask
from voxpolis.bots.models import AnswerError, ChatModel, Question
from voxpolis.grid.adasociety.game import Rules
from voxpolis.grid.adasociety.tables import STAY, Names, Tables

#: Ours: plans should follow from the situation.
TEMPERATURE = 0.1
#: Plans that are asked for in a step at most: one that ends at once leaves time for another.
PLANS_A_STEP = 2
#: What is done where no answer could be read.
FALLBACK = Plan("WAIT")

OnPlan = Callable[[str, PlanExecution], None]


class PlanningAgent(GridPlayer):
    """Plays one agent through an episode by plans."""

    def __init__(
        self,
        agent: int,
        tables: Tables,
        names: Names,
        rules: Rules,
        model: ChatModel,
        on_plan: OnPlan,
    ) -> None:
        """``on_plan`` is called with the agent's name and each plan that has ended."""
        super().__init__(agent, tables, names, rules, model)
        self._on_plan = on_plan
        self._last: PlanExecution | None = None
        self._now: PlanExecution | None = None

    async def _choose(self, observed: Observed, mask: Mask, society: Callable[[], Society]) -> int:
        action = self._go_on()
        for _ in range(PLANS_A_STEP):
            if action is not None:
                return action
            self._now = await self._ask(observed, mask, society())
            action = self._go_on()
        return STAY if action is None else action

    def _go_on(self) -> int | None:
        """Return the plan's next action; None where there is no plan, or it ended without one."""
        if self._now is None:
            return None
        action = self._now.next_action(self.know)
        if not self._now.outcome:
            return action
        self._last, self._now = self._now, None
        self._on_plan(self.name, self._last)
        return action if action != STAY else None

    async def _ask(self, observed: Observed, mask: Mask, society: Society) -> PlanExecution:
        situation = situation_of(self.know, self._rules, observed, mask, self._last, society)
        self.asked += 1
        try:
            plan = await ask(
                self._model,
                Question(lambda: plan_messages(situation)),
                NextPlan,
                role="planner",
                agent=self.name,
                temperature=TEMPERATURE,
                about=situation,
                narrow=lambda: next_plan(vocabulary(situation)),
                read=lambda answer: plan_of(answer.plan, society.names),
            )
        except AnswerError:
            self.failed += 1
            plan = FALLBACK
        left = society.left or WAIT_STEPS  # who waits is there when play begins
        had = self.know.held.get(plan.what, 0)
        return PlanExecution(plan, had, wait_steps=min(left, WAIT_STEPS))
