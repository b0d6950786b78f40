"""The body of an agent in an arena on the grid. Its programs consist of plans."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from voxpolis.bots.agents.planner.plans import parse_plans
from voxpolis.bots.agents.protocol import PolicyFormat, as_policy
from voxpolis.bots.models import AnswerError
from voxpolis.grid.adasociety.tables import FIRST_PICK, STAY
from voxpolis.records import events
from voxpolis.records.events.base import counted
from voxpolis.records.programs import CodeError, RunResult
from voxpolis.records.questions import Choice
from voxpolis.worlds.adasociety.belief_map import BeliefMap
from voxpolis.worlds.adasociety.plan_program import PlanExecutor
from voxpolis.worlds.adasociety.players import steps_of
from voxpolis.worlds.adasociety.situation import surroundings
from voxpolis.worlds.adasociety.situation_text import known_map

if TYPE_CHECKING:
    from voxpolis.worlds.grid import GridArena


# How many observations and fruitless programs per step take no game time. Each further one lets a
# step pass. Otherwise, an agent that retries forever would stop the game's time.
FREE_LOOKS = 50
# A fruitless program counts as this many observations, because each of its plans is recorded.
VAIN_LOOKS = 10


class GridBody:
    """The body of one agent; see :class:`bots.agents.protocol.Body`."""

    def __init__(self, arena: GridArena, name: str) -> None:
        self.name = name
        self.index = 0
        self.last: RunResult | None = None
        self._arena = arena
        self._choices: dict[Choice, int] = {}
        self._signals: dict[Choice, str] = {}
        self._looks: Counter[int] = Counter()

    def begin(self, index: int) -> None:
        arena, self.index, self.last = self._arena, index, None
        self._looks.clear()
        self.knowledge = BeliefMap(index, arena.game.tables, arena.game.names, arena.form.origin)
        self.knowledge.steps_to_collect = arena.steps_to_collect()
        self.idle = PlanExecutor(self.name, self.knowledge, [], arena.mail)
        self.look()

    @property
    def format(self) -> PolicyFormat:
        return self._arena.format

    def rows(self) -> dict[str, Any]:
        """Return a dictionary from the name of each array of the observation to the agent's row."""
        observed = self._arena.observed
        rows = {name: observed[name][0, self.index] for name in ("position", "inventory", "window")}
        return rows | {"step": observed["step"][0]}

    def look(self) -> None:
        self.knowledge.see(self.rows())

    async def observe(self) -> str:
        await self._spend_look()
        self.look()
        row, column = self.knowledge.called(self.knowledge.position)
        held = self._arena.holdings(self.name)
        return "\n".join(
            [
                f"You stand at ({row}, {column}).",
                f"You hold: {counted(held)}.",
                *known_map(surroundings(self.knowledge), self._arena.agents),
            ]
        )

    async def inventory(self) -> Mapping[str, int]:
        await self._spend_look()
        return self._arena.holdings(self.name)

    async def _spend_look(self, looks: int = 1) -> None:
        """Let a step pass if an agent has observed several times without acting, so that game time
        advances.
        """
        step = int(self._arena.observed["step"][0])
        if step not in self._looks:
            self._looks.clear()
        self._looks[step] += looks
        if self._looks[step] > FREE_LOOKS:
            await self._arena.take_step(self.index, STAY)

    # --- Single steps: see bots.agents.person.Stepping --------------------------------------------

    def steps(self) -> Sequence[Choice]:
        """Return the single steps that a person can choose: stay, moves, and signals to other
        agents.
        """
        self.look()
        arena = self._arena
        self._choices = steps_of(self.knowledge, arena.game.action_masks()[0, self.index])
        others = [other for other in arena.agents if other != self.name]
        self._signals = {Choice(f"signal to {other}"): other for other in others}
        stays = [choice for choice, action in self._choices.items() if action == STAY]
        moves = [choice for choice in self._choices if choice not in stays]
        return [*stays, *moves, *self._signals]

    async def step(self, choice: Choice) -> None:
        """Take one of the available steps. Collecting something may take several steps of the
        game.
        """
        arena = self._arena
        if to := self._signals.get(choice):
            arena.mail.send(self.name, to)
            arena.signal(self.name, to)
        action = self._choices.get(choice, STAY)
        resource = action - FIRST_PICK
        if 0 <= resource < len(self.knowledge.names.resources):
            name = self.knowledge.names.resources[resource]
            for _ in range(self.knowledge.steps_to_collect.get(name, 1) - 1):
                await arena.take_step(self.index, STAY)
        await arena.take_step(self.index, action)

    async def act(self, policy: str, skills: Mapping[str, str] | None = None) -> RunResult:
        """Execute a program of plans, one step of the grid at a time.

        If no plan could be carried out, the result contains an error, so that the author of the
        program is asked again. If only some plans failed, the logs of the result report them.
        """
        arena = self._arena
        arena.note_later(self.name, events.CodeStarted, code=as_policy(policy, self.name))
        try:
            plans = parse_plans(policy, arena.game.names.resources, arena.agents)
        except AnswerError:
            await self._spend_look(VAIN_LOOKS)
            raise
        executor = PlanExecutor(self.name, self.knowledge, plans, arena.mail, arena.max_plan_steps)
        started = arena.now()
        status: Literal["done", "stopped"] = "stopped"
        try:
            while not executor.is_done:
                action = executor.act(self.rows())
                for to in executor.signalled:
                    arena.signal(self.name, to)
                if executor.is_done and action == STAY:
                    break
                await arena.take_step(self.index, action)
            status = "done"
        finally:
            seconds = round(arena.now() - started, 3)
            self.last = _result(status, executor, seconds)
            kind: type[events.Event] = events.CodeFinished
            fields = self.last.model_dump(exclude={"error"})
            if self.last.error is not None:
                kind, fields = events.CodeFailed, fields | self.last.error.model_dump()
            arena.note_later(self.name, kind, **fields)
        if arena.now() == started:
            await self._spend_look(VAIN_LOOKS)
        return self.last


def _result(
    status: Literal["done", "stopped"], executor: PlanExecutor, seconds: float
) -> RunResult:
    """Return the result of a program. The result contains an error if no plan could be carried
    out.
    """
    message = executor.failure
    if not message:
        return RunResult(status=status, error=None, logs=executor.logs, seconds=seconds)
    error = CodeError(message=message, line=None, column=None, source=None, done=[])
    return RunResult(status="error", error=error, logs=executor.logs, seconds=seconds)
