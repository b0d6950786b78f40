"""An agent's body in an arena on the grid: it executes programs of plans."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from bots.agents.planner.belief_map import BeliefMap
from bots.agents.planner.observation_text import held_text, known_map
from bots.agents.planner.plan_program import PlanExecutor, read_plans
from bots.agents.planner.situation import surroundings
from bots.agents.protocol import PolicyFormat
from bridge.protocol import CodeError, RunResult
from grid.adasociety.tables import STAY
from records import events

if TYPE_CHECKING:
    from worlds.grid import GridArena


class GridBody:
    """One agent's body; see :class:`bots.agents.protocol.Body`."""

    def __init__(self, arena: GridArena, name: str) -> None:
        self.name = name
        self.index = 0
        self.last: RunResult | None = None
        self._arena = arena

    def begin(self, index: int) -> None:
        """Begin an episode, as one of the game's agents, knowing what can be seen."""
        arena, self.index, self.last = self._arena, index, None
        self.know = BeliefMap(index, arena.game.tables, arena.game.names, arena.form.origin)
        self.know.steps_to_collect = arena.steps_to_collect()
        self.idle = PlanExecutor(self.name, self.know, [], arena.mail)
        self.look()

    @property
    def format(self) -> PolicyFormat:
        """Plans."""
        return self._arena.format

    def rows(self) -> dict[str, Any]:
        """Return the agent's own rows of the observation, by name."""
        observed = self._arena.observed
        rows = {name: observed[name][0, self.index] for name in ("position", "inventory", "window")}
        return rows | {"step": observed["step"][0]}

    def look(self) -> None:
        """Take in what the agent sees now."""
        rows = self.rows()
        self.know.see(rows["position"], rows["inventory"], rows["window"], int(rows["step"]))

    async def observe(self) -> str:
        """Return what the agent knows of the map, in words."""
        self.look()
        row, column = self.know.called(self.know.position)
        held = await self.inventory()
        return "\n".join(
            [
                f"You stand at ({row}, {column}).",
                f"You hold: {held_text(held)}.",
                *known_map(surroundings(self.know), self._arena.agents),
            ]
        )

    async def inventory(self) -> Mapping[str, int]:
        """Return what the agent holds: item → count."""
        return self._arena.holdings(self.name)

    async def act(self, policy: str, skills: Mapping[str, str] | None = None) -> RunResult:
        """Execute a program of plans, a step of the grid at a time.

        A program of which no plan could be carried out ends with an error, so that its writer is
        asked again; where only some failed, the result's logs say so.
        """
        arena = self._arena
        arena.note_later(self.name, events.CodeStarted, code=policy)
        plans = read_plans(policy, arena.game.names.resources, arena.agents)
        executor = PlanExecutor(self.name, self.know, plans, arena.mail, arena.max_plan_steps)
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
        return self.last


def _result(
    status: Literal["done", "stopped"], executor: PlanExecutor, seconds: float
) -> RunResult:
    """Return how a program ended: with an error where none of its plans could be carried out."""
    message = executor.failure
    if not message:
        return RunResult(status=status, error=None, logs=executor.logs, seconds=seconds)
    error = CodeError(message=message, line=None, column=None, source=None, done=[])
    return RunResult(status="error", error=error, logs=executor.logs, seconds=seconds)
