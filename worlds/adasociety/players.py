"""Players that control one agent on the grid: a mind that makes plans, or a person with a
keyboard.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from voxpolis.bots.agents.form_model import keys, next_step
from voxpolis.bots.agents.planner.plans import NextPlan, Plan, next_plan, plan_of
from voxpolis.bots.agents.planner.player import TEMPERATURE
from voxpolis.bots.asking import ask
from voxpolis.bots.models import AnswerError, ChatModel, Question
from voxpolis.grid.adasociety.game import Rules
from voxpolis.grid.adasociety.tables import FIRST_PICK, MOVES, PRODUCE, STAY, Names, Tables
from voxpolis.records.questions import Choice
from voxpolis.worlds.adasociety.belief_map import BeliefMap, Shown
from voxpolis.worlds.adasociety.execution import WAIT_STEPS, PlanExecution
from voxpolis.worlds.adasociety.situation import Society, situation_of
from voxpolis.worlds.adasociety.situation_text import (
    game_text,
    plan_messages,
    situation_text,
    vocabulary,
)

Observed = dict[str, npt.NDArray[np.generic]]
Mask = npt.NDArray[np.uint8]


class GridPlayer(ABC):
    """A player that controls one agent during an episode.

    Attributes:
        name: name of the agent.
        knowledge: the agent's map.
        asked: number of questions to the model or the person.
        failed: number of answers that could not be used.
    """

    def __init__(
        self, agent: int, tables: Tables, names: Names, rules: Rules, model: ChatModel
    ) -> None:
        """Create the player. ``model`` answers the player's questions. If a person plays, ``model``
        passes the questions on to that person.
        """
        self.name = names.agents[agent]
        self.knowledge = BeliefMap(agent, tables, names)
        self.asked, self.failed = 0, 0
        self._rules = rules
        self._model = model

    async def act(
        self,
        observed: Observed,
        mask: Mask,
        society: Callable[[], Society],
        shown: Sequence[Shown] = (),
    ) -> int:
        """Return the agent's next action.

        Args:
            observed: the agent's rows of the observation.
            mask: (A,), 1 for each action that would currently have an effect.
            society: returns the social state; only called if the state is needed.
            shown: observations that other agents share with this agent in this step.

        Raises:
            ModelError: the model does not answer.
        """
        self.knowledge.see(observed, shown)
        if mask.sum() == mask[STAY]:
            return STAY
        return await self._choose(observed, mask, society)

    @abstractmethod
    async def _choose(self, observed: Observed, mask: Mask, society: Callable[[], Society]) -> int:
        """Choose between the possible actions. Only called if the agent can do more than stay."""


# --- Planning agents: a mind makes plans, controllers execute them --------------------------------

# Maximum number of plans that are requested per step. A plan that ends immediately leaves time for
# another plan in the same step.
PLANS_A_STEP = 2
# Plan used after an unreadable answer.
FALLBACK = Plan("WAIT")

OnPlan = Callable[[str, PlanExecution], None]


class PlanningAgent(GridPlayer):
    """A player that asks a model for plans and executes them."""

    def __init__(
        self,
        agent: int,
        tables: Tables,
        names: Names,
        rules: Rules,
        model: ChatModel,
        on_plan: OnPlan,
    ) -> None:
        """Create the player. ``on_plan`` is called with the agent's name and each finished plan."""
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
        """Return the current plan's next action. Return None if there is no plan, or if the plan
        ended without an action.
        """
        if self._now is None:
            return None
        action = self._now.next_action(self.knowledge)
        if not self._now.outcome:
            return action
        self._last, self._now = self._now, None
        self._on_plan(self.name, self._last)
        return action if action != STAY else None

    async def _ask(self, observed: Observed, mask: Mask, society: Society) -> PlanExecution:
        situation = situation_of(self.knowledge, self._rules, observed, mask, self._last, society)
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
        left = society.left or WAIT_STEPS  # the agent waits until play begins
        had = self.knowledge.held.get(plan.what, 0)
        return PlanExecution(plan, had, wait_steps=min(left, WAIT_STEPS))


# --- Persons with keys: one step of the game per key ----------------------------------------------

# Labels of the arrow keys, for a map as the page shows it: rows go to the right, and columns go
# down.
MOVE_KEYS = ("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown")
BESIDE = ((-1, 0), (1, 0), (0, -1), (0, 1))
STAY_KEY, PRODUCE_KEY = ".", "p"


def steps_of(knowledge: BeliefMap, mask: npt.NDArray[np.integer]) -> dict[Choice, int]:
    """Return the possible single steps of an agent as choices for a person, each with its action.

    Args:
        knowledge: the agent's map.
        mask: (A,), 1 for each legal action.
    """
    others = keys()
    found: dict[Choice, int] = {}
    for action in np.flatnonzero(mask).tolist():
        if action < MOVES:
            cell = tuple(a + b for a, b in zip(knowledge.position, BESIDE[action], strict=True))
            row, column = knowledge.called((cell[0], cell[1]))
            found[Choice(f"go to ({row}, {column})", MOVE_KEYS[action])] = action
        elif action == STAY:
            found[Choice("stay", STAY_KEY)] = action
        elif action == PRODUCE:
            found[Choice("use the station here", PRODUCE_KEY)] = action
        else:
            found[Choice(_words(knowledge.tables, knowledge.names, action), next(others))] = action
    return found


def _words(t: Tables, names: Names, action: int) -> str:
    """Describe an action other than the first six (moves, staying and picking up)."""
    a = t.actions
    for begin, words in _blocks(t, names):
        if begin <= action < begin + len(words):
            return words[action - begin]
    return "accept the offer" if action == a.accept else "end the bargain"


def _blocks(t: Tables, names: Names) -> Iterator[tuple[int, Sequence[str]]]:
    """Yield the index of the first action in each block of actions, and a description of every
    action in that block.
    """
    a, people = t.actions, names.agents
    yield FIRST_PICK, [f"pick up {what}" for what in names.resources]
    yield a.dump, [f"lay down {what}" for what in names.resources]
    yield a.message, [f"send {who} a message" for who in people[: a.share - a.message]]
    sharing = people[: a.join - a.share]
    yield a.share, [f"show {who} what you see, or no longer" for who in sharing]
    yield a.join, [f"join group {number}" for number in range(a.request - a.join)]
    yield a.request, [f"bargain with {who}" for who in people[: a.propose - a.request]]
    offers = range(1, a.accept - a.propose + 1)
    yield a.propose, [f"propose to keep 0.{tenths}" for tenths in offers]


class StepPlayer(GridPlayer):
    """A player whose agent is controlled by a person's keys. If the person presses no key in time,
    the agent stays.
    """

    async def _choose(self, observed: Observed, mask: Mask, society: Callable[[], Society]) -> int:
        situation = situation_of(self.knowledge, self._rules, observed, mask, None, society())
        steps = steps_of(self.knowledge, mask)
        self.asked += 1
        text = f"{game_text(situation)}\n\n{situation_text(situation)}"
        found = await next_step(self._model, self.name, text, tuple(steps))
        self.failed += found is None
        return STAY if found is None else steps[found]
