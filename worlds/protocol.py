"""The seam between a scenario and the world that it is played in.

A world builds a layout, lends bodies to agents, lets time pass, and keeps the account of what
happened by its own state: the Minecraft server's statistics, the grid kernel's counters. Rewards,
clauses and judges go by that account and never by what an agent says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from voxpolis.bots.agents.protocol import Body, PolicyFormat
from voxpolis.records import events
from voxpolis.records.events import Position
from voxpolis.worlds.layout import Block, Layout

Inventories = Mapping[str, Mapping[str, int]]
# What the log counts. Items are called by Minecraft's names: blocks where they are dug or placed,
# items where they are taken out of a chest or put into it.
LoggedAction = Literal["dug", "placed", "took", "put"]
# Why an episode ended.
EndReason = Literal["time_limit", "all_gained", "policies_ended"]


_LATE_ADVICE = "use a lower --speed, fewer runs at the same time, or more cores"


@dataclass(frozen=True)
class Lateness:
    """A machine did not keep up with the game's clock: the outcome may be another for it.

    Attributes:
        share: which part of the time was lost, from 0 to 1.
    """

    share: float

    @property
    def message(self) -> str:
        return f"{self._lost()}; {_LATE_ADVICE}"

    def verdict(self, *, counts: bool) -> str:
        """Return the message of an outcome: it ended by itself and counts, or it does not."""
        if not counts:
            return f"{self._lost()}, so that its outcome does not count; {_LATE_ADVICE}"
        return f"{self._lost()}, but it ended by itself, so that its outcome counts; {_LATE_ADVICE}"

    def _lost(self) -> str:
        return f"the machine fell behind: {self.share:.0%} of the episode's time was lost"


class FaultError(RuntimeError):
    """Something broke that is not the agents' doing; the run cannot go on."""


@dataclass
class ActionLog:
    """What each agent did in an episode, counted by the world itself.

    ``counts`` has the number of units by agent, action and item; ``signals`` how often each agent
    has signalled.
    """

    counts: Counter[tuple[str, LoggedAction, str]] = field(default_factory=Counter)
    signals: Counter[str] = field(default_factory=Counter)

    def add(self, agent: str, action: LoggedAction, item: str, count: int) -> None:
        self.counts[agent, action, item] += count

    def of(self, agent: str, action: LoggedAction) -> dict[str, int]:
        """Return item → units of one agent's action."""
        return {
            item: units
            for (who, what, item), units in self.counts.items()
            if (who, what) == (agent, action)
        }


@dataclass(frozen=True)
class Account:
    """How an episode stands, by the world's own state.

    Attributes:
        inventories: what each agent holds: agent → item → count.
        positions: where each agent is, in blocks.
        log: what each has done since the episode began.
        passed_s: game seconds since the episode began.
    """

    inventories: Inventories
    positions: Mapping[str, Position]
    log: ActionLog
    passed_s: float = 0.0


@dataclass(frozen=True)
class Ending:
    """Why an episode ended, and after how many game seconds."""

    reason: EndReason
    seconds: float


class Dynamics(Protocol):
    """What happens in a scenario's world by itself."""

    async def tick(self, world: World) -> None:
        """Do what happens in one second of game time."""


# Called with an episode's account about once a second; returns whether it is over.
Watch = Callable[[Account], bool]


@dataclass(frozen=True)
class Episode:
    """What is played in an arena that was built.

    Attributes:
        lives: what each agent does; ended when the episode is, also where that never began.
        dynamics: what happens by itself; None: nothing.
        watch: called with the account about once a second.
        limit_s: game seconds that it may take.
    """

    lives: Mapping[str, Coroutine[Any, Any, None]]
    dynamics: Dynamics | None
    watch: Watch
    limit_s: float


class World(Protocol):
    """Builds arenas, plays episodes in them, and keeps the account of what happened.

    All methods raise :class:`FaultError` where the world is lost.
    """

    @property
    def kind(self) -> str:
        """Its name on the command line: ``minecraft`` or ``grid``."""

    @property
    def format(self) -> PolicyFormat:
        """What bodies here execute."""

    @property
    def seen(self) -> Sequence[events.Event]:
        """All events since the arena was built."""

    def begin(self, episode: int) -> None:
        """Let what is noted from now on belong to an episode."""

    def note(self, kind: type[events.Event], agent: str | None = None, **fields: object) -> None:
        """Record an event of the experiment's own."""

    def body(self, agent: str) -> Body:
        """Return an agent's body."""

    async def build(self, layout: Layout, seed: int) -> None:
        """Build an arena and put the agents, empty-handed, at their starts."""

    async def run(self, episode: Episode) -> Ending:
        """Let all agents live until the episode is over."""

    def account(self) -> Account:
        """Return how the episode stands, or how it ended."""

    async def standing(self, block: str, places: Sequence[Block]) -> int:
        """Return at how many of some places a kind of block stands."""

    async def grow(self, block: str, places: Sequence[Block]) -> None:
        """Put a block at each of some places where nothing stands."""

    async def announce(self, text: str) -> None:
        """Tell everybody something."""

    async def check_speed(self, seconds: float) -> Lateness | None:
        """Return what was wrong with the world's pace in the last seconds, if something was."""
