"""What a curriculum's scenario is, and what it needs of a world."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, Self

from pydantic import BaseModel

from voxpolis.bots.agents.protocol import Body
from voxpolis.bots.models.scripted import Script
from voxpolis.records import events
from voxpolis.records.events import Position
from voxpolis.worlds.layout import Block, BlockMap, Layout
from voxpolis.worlds.protocol import Lateness

if TYPE_CHECKING:  # only a run on the grid loads its compiler
    from voxpolis.experiments.loops.grid.game import GridGame


class RefereedWorld(Protocol):
    """What a referee may do in a world, by the world's own state."""

    async def inventory(self, agent: str) -> Mapping[str, int]:
        """Return what an agent holds: item → count."""

    async def position(self, agent: str) -> Position:
        """Return where an agent is, in blocks."""

    async def take(self, agent: str, item: str, count: int) -> int:
        """Take items from an agent; return how many there were."""

    async def give(self, agent: str, item: str, count: int) -> None:
        """Give items to an agent."""

    async def drop(self, item: str, count: int, place: Block) -> None:
        """Let items lie above a block."""

    async def clear_block(self, place: Block) -> None:
        """Take a block away."""

    async def answer_use(self, agent: str, request: int, ok: bool, text: str) -> None:
        """Answer an agent's ``block_used`` event: what came of it, or why nothing did."""

    def note(self, kind: type[events.Event], agent: str | None = None, **fields: Any) -> None:
        """Record an event."""


class Referee(Protocol):
    """Keeps rules that the world itself does not have."""

    def hear(self, event: events.Event) -> None:
        """Take note of an event of the world."""

    def recall(self, event: events.Event) -> None:
        """Take up what a run that was cut off had come to, event by event."""

    async def serve(self) -> None:
        """Keep the rules until cancelled."""

    async def keep_capacities(self, agent: str, inventory: Mapping[str, int]) -> None:
        """Take from an agent what it may not hold."""


class CurriculumWorld(RefereedWorld, Protocol):
    """A world that agents live their own lives in, until the run's end.

    Attributes:
        listeners: called with each event of the world, after it was recorded.
    """

    listeners: list[Callable[[events.Event], None]]

    def body(self, agent: str) -> Body:
        """Return an agent's body."""

    def now(self) -> float:
        """Return the run's time, in game seconds."""

    async def build(self, layout: Layout, commands: list[str]) -> None:
        """Build an arena under some rules, and put the agents, empty-handed, at their starts.

        Raises:
            FaultError: they do not get there.
        """

    async def settle(self, rules: list[str], land: list[str]) -> None:
        """Put the agents, empty-handed, into natural land by commands.

        Raises:
            FaultError: they do not get there.
        """

    async def pause(self, seconds: float) -> None:
        """Let game time pass."""

    async def stop(self, agent: str) -> None:
        """Stop the program that an agent's body runs, if it can still be reached."""

    async def fault(self) -> str:
        """Wait for the first fault, and return what it was."""

    def guarded(self) -> AbstractAsyncContextManager[None]:
        """Return what turns the world's own errors into a ``FaultError``."""

    async def check_speed(self, seconds: float) -> Lateness | None:
        """Return what was wrong with the world's pace in the last seconds, if something was."""


class CurriculumScenario(Protocol):
    """A pydantic model whose fields are what a user may vary, with the rules as methods.

    Attributes:
        iterations: programs that each agent may write.
        time_limit_s: game seconds that a run may take.
        program_limit_s: game seconds that one program may run.
        until: the milestone that ends a run when all agents have reached it; empty: none does.
        roles: what agents are told of their role, in a user's words.
    """

    name: ClassVar[str]
    iterations: int
    time_limit_s: float
    program_limit_s: float
    until: str
    roles: dict[str, str]

    @classmethod
    def of(cls, condition: str, settings: BaseModel) -> Self:
        """Return the scenario of a condition.

        Raises:
            UsageError: there is none of that name, or a setting does not fit it.
        """

    @property
    def agent_names(self) -> tuple[str, ...]:
        """The agents."""

    @property
    def milestones(self) -> tuple[str, ...]:
        """All there are to reach, in order."""

    def reached(self, items: Mapping[str, int]) -> list[str]:
        """Return the milestones that kinds of item stand for."""

    def job(self, agent: str) -> str:
        """Return an agent's job."""

    def score(self, agent: str, inventory: Mapping[str, int]) -> float | None:
        """Return what an inventory is worth; None where that does not count."""

    def goal(self) -> str:
        """Return what a curriculum aims at."""

    def briefing(self, agent: str, seed: int) -> str:
        """Return what is special about the world."""

    def layout(self, seed: int) -> Layout | None:
        """Return the arena; None in natural land."""

    def referee(self, world: RefereedWorld, seed: int) -> Referee | None:
        """Return who keeps the scenario's own rules; None where it has none."""

    def grid_game(self, seed: int) -> GridGame:
        """Return the same as a game of the grid.

        Raises:
            UsageError: it has no such form.
            GameError: it cannot be played.
        """

    def block_map(self, seed: int) -> BlockMap:
        """Return how that game stands in blocks; asked for only where there is such a game."""

    def house_rules(self) -> list[str]:
        """Return commands for the whole world."""

    def land(self, seed: int) -> list[str]:
        """Return commands that put the agents into natural land."""

    def script(self, seed: int) -> Script:
        """Return the scripted minds."""
