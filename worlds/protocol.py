"""The interface between a scenario and the world in which it is played.

A world builds a layout, gives bodies to agents, lets time pass, and accounts for what has happened.
The account comes from the world's own state: from the Minecraft server's statistics, or from the
counters of the grid's kernel. Rewards, clauses and judges use this account and never what agents
say.
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
# Counted actions. Names are Minecraft's: blocks for digging and placing, items for moves between
# chest and inventory.
LoggedAction = Literal["dug", "placed", "took", "put"]
# Reasons for the end of an episode.
EndReason = Literal["time_limit", "all_gained", "policies_ended"]


_LATE_ADVICE = "use a lower --speed, fewer runs at the same time, or more cores"


@dataclass(frozen=True)
class Lateness:
    """A notice that the machine did not keep up with the game clock, which may have changed the
    outcome of the episode.

    Attributes:
        share: the share of the time that was lost, from 0 to 1.
    """

    share: float

    @property
    def message(self) -> str:
        return f"{self._lost()}; {_LATE_ADVICE}"

    def verdict(self, *, counts: bool) -> str:
        """Return a message that says how far the world fell behind, and whether the outcome
        counts. It counts only if the agents themselves ended the episode.
        """
        if not counts:
            return f"{self._lost()}, so that its outcome does not count; {_LATE_ADVICE}"
        return (
            f"{self._lost()}, but the agents ended it, so that its outcome counts; {_LATE_ADVICE}"
        )

    def _lost(self) -> str:
        return f"the machine fell behind: {self.share:.0%} of the episode's time was lost"


class FaultError(RuntimeError):
    """A failure that the agents did not cause and after which the run cannot continue."""


@dataclass
class ActionLog:
    """The acts of agents in an episode, as counted by the world.

    ``counts`` maps (agent, action, item) to units. ``signals`` maps an agent to the number of
    signals that the agent sent.
    """

    counts: Counter[tuple[str, LoggedAction, str]] = field(default_factory=Counter)
    signals: Counter[str] = field(default_factory=Counter)

    def add(self, agent: str, action: LoggedAction, item: str, count: int) -> None:
        self.counts[agent, action, item] += count

    def of(self, agent: str, action: LoggedAction) -> dict[str, int]:
        """Return how many units of each item an agent dug, placed, took or put (``action``)."""
        return {
            item: units
            for (who, what, item), units in self.counts.items()
            if (who, what) == (agent, action)
        }


@dataclass(frozen=True)
class Account:
    """The state of an episode according to the world.

    Attributes:
        inventories: agent → item → count.
        positions: position of each agent, in blocks.
        log: what agents did since the start of the episode.
        passed_s: game seconds since the start of the episode.
    """

    inventories: Inventories
    positions: Mapping[str, Position]
    log: ActionLog
    passed_s: float = 0.0


@dataclass(frozen=True)
class Ending:
    """The reason why an episode ended, and the duration of the episode in game seconds."""

    reason: EndReason
    seconds: float


class Dynamics(Protocol):
    """Processes in a scenario's world that no agent controls."""

    async def tick(self, world: World) -> None:
        """Apply one second of game time."""


# Called with an episode's account about once a second; returns whether the episode is over.
Watch = Callable[[Account], bool]


@dataclass(frozen=True)
class Episode:
    """An episode to be played in an arena.

    Attributes:
        lives: the coroutine of each agent, which lets the agent act. The coroutines are closed
            together with the episode, even if the episode never starts.
        dynamics: processes that no agent controls, or None.
        watch: called with the account about once per second.
        limit_s: maximum duration in game seconds.
    """

    lives: Mapping[str, Coroutine[Any, Any, None]]
    dynamics: Dynamics | None
    watch: Watch
    limit_s: float


class World(Protocol):
    """Builds arenas, plays episodes in them, and accounts for what has happened.

    All methods raise :class:`FaultError` if the world is lost.
    """

    @property
    def kind(self) -> str:
        """The name of this world on the command line: ``minecraft`` or ``grid``."""

    @property
    def format(self) -> PolicyFormat:
        """The format of the programs that bodies of this world run."""

    @property
    def seen(self) -> Sequence[events.Event]:
        """All events that were recorded since the arena was built."""

    def begin(self, episode: int) -> None:
        """Assign all later events to an episode."""

    def note(self, kind: type[events.Event], agent: str | None = None, **fields: object) -> None:
        """Record an event that the experiment (not the world) reports."""

    def body(self, agent: str) -> Body:
        """Return an agent's body."""

    async def build(self, layout: Layout, seed: int) -> None:
        """Build an arena, and put the agents at their starts with empty inventories."""

    async def run(self, episode: Episode) -> Ending:
        """Run all agents until the episode is over."""

    def account(self) -> Account:
        """Return the current or final account of the episode."""

    async def standing(self, block: str, places: Sequence[Block]) -> int:
        """Count how many of the given positions contain a certain kind of block."""

    async def grow(self, block: str, places: Sequence[Block]) -> None:
        """Put a block at each of the positions that are empty."""

    async def announce(self, text: str) -> None:
        """Send a message to all agents."""

    async def check_speed(self, seconds: float) -> Lateness | None:
        """Return a notice if the world was too slow in the last ``seconds``, or None."""
