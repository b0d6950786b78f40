"""The live view of a run, which shows each agent's inventory, position and last message."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self, TypeVar

from rich.console import ConsoleRenderable, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from voxpolis.bots.models import CallBoard
from voxpolis.experiments.run.progress import Progress
from voxpolis.records import events
from voxpolis.records.console import plain_console
from voxpolis.records.text import counts
from voxpolis.worlds.protocol import World

E = TypeVar("E", bound=events.Event)


@dataclass(frozen=True)
class Snapshot:
    """The state of an episode: how many game seconds are left, and the agents' inventories."""

    seconds_left: float
    inventories: Mapping[str, Mapping[str, int]]


class LiveView:
    """Shows a run on standard error. On a terminal, the view is a live table; otherwise, messages
    are single lines.
    """

    def __init__(
        self,
        title: str,
        number: str,
        agents: Sequence[str],
        world: World,
        progress: Progress,
        board: CallBoard | None = None,
    ) -> None:
        """Prepare the view.

        Args:
            title: heading of the view.
            number: text that says which run this is, such as "run 1 of 3".
            agents: the agents to show.
            world: the world in which they live.
            progress: prints what the run is doing if the view is not a live table.
            board: shows the model calls that are pending; None if no endpoint is used.
        """
        self._title = title
        self._agents = agents
        self._world = world
        self._progress = progress
        self._number = number
        self._run = ""
        self._board = board
        self._shown: ConsoleRenderable = Text("")
        self._console = plain_console(stderr=True)
        self._live = (
            Live(
                console=self._console,
                refresh_per_second=4,
                transient=True,
                get_renderable=self.draw,
            )
            if sys.stderr.isatty()
            else None
        )

    def __enter__(self) -> Self:
        if self._live:
            self._progress.hush()
            self._live.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._live:
            self._live.stop()

    def begin(self, attempt: int, seed: int) -> None:
        again = f", attempt {attempt}" if attempt > 1 else ""
        self._run = f"{self._number}, seed {seed}{again}"
        self.status("building the arena")

    def status(self, text: str) -> None:
        """Show what the run is doing before or between episodes. Without a live table, this appears
        only if it takes long.
        """
        self._progress.doing = text
        self._shown = Text(f"{self._title} · {self._run} · {text}")

    def say(self, text: str) -> None:
        """Show a message at once."""
        if self._live:
            self._shown = Text(f"{self._title} · {self._run} · {text}")
        else:
            self._console.print(f"{self._run}: {text}", soft_wrap=True)

    def on_snapshot(self, snapshot: Snapshot) -> None:
        self._progress.doing = ""
        if self._live:
            left = f"{snapshot.seconds_left:.0f} s left"
            title = f"{self._title} · {self._run} · {left}"
            self._shown = Group(title, self._table(snapshot))

    def draw(self) -> ConsoleRenderable:
        """Return what the terminal shows now. A spinner moves while the run waits for a model."""
        line = self._board.line() if self._board is not None else ""
        return Group(self._shown, Text(line)) if line else self._shown

    def _table(self, snapshot: Snapshot) -> Table:
        table = Table()
        for column in ("agent", "inventory", "position", "last said"):
            table.add_column(column)
        for agent in self._agents:
            position = self._last(events.PositionSampled, agent)
            said = self._last(events.Chat, agent)
            table.add_row(
                agent,
                counts(snapshot.inventories.get(agent, {})),
                " ".join(f"{value:.0f}" for value in position.position) if position else "",
                said.text if said else "",
            )
        return table

    def _last(self, kind: type[E], agent: str) -> E | None:
        own = (e for e in reversed(self._world.seen) if isinstance(e, kind) and e.agent == agent)
        return next(own, None)
