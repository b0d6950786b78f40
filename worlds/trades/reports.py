"""What came of work, by the world's own account, and what a world with trades is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from voxpolis.worlds.society import Resident, SocietyWorld
from voxpolis.worlds.trades.rules import Trades

#: What one feels who ate nothing for too long.
HUNGRY = "hungry"


@dataclass(frozen=True)
class Report:
    """What came of an action, by the world's own account.

    Attributes:
        t: when, in seconds of the village's time.
        agent: who did it.
        verb: such as ``MINE``.
        item: such as ``coal``; empty for verbs without one.
        reason: why nothing came of it; empty: it was done.
        gained: what the agent has more of, of what the action makes.
        spent: what the agent has less of, of what it needs.
        to: who got it, of a gift.
    """

    t: float
    agent: str
    verb: str
    item: str = ""
    reason: str = ""
    gained: Mapping[str, int] = field(default_factory=dict)
    spent: Mapping[str, int] = field(default_factory=dict)
    to: str = ""

    @property
    def ok(self) -> bool:
        return not self.reason

    @property
    def action(self) -> str:
        """The action's name: ``MINE coal``."""
        return f"{self.verb} {self.item}".strip()

    def fields(self) -> dict[str, Any]:
        """Return the fields of :class:`records.events.ActionDone`."""
        return {
            "action": self.verb,
            "item": self.item,
            "ok": self.ok,
            "reason": self.reason,
            "gained": dict(self.gained),
            "spent": dict(self.spent),
            "to": self.to,
        }


@runtime_checkable
class TradeWorld(SocietyWorld, Protocol):
    """A village with trades, wherever it is.

    What takes time is begun by one call and looked at by others: they return None until it is over,
    and then what came of it. Whoever begins something else leaves what it was busy with.

    Attributes:
        trades: what can be done here.
        residents: who lives here, by name.
        listeners: called with each report.
        log: how often each did each action, by agent and action.
        barred: by name, why somebody may take nothing from the market now.
    """

    trades: Trades
    residents: dict[str, Resident]
    barred: dict[str, str]
    listeners: list[Callable[[Report], None]]
    log: Counter[tuple[str, str]]

    def target(self, name: str, action: str) -> str | None:
        """Return where somebody has to go for an action; None: nowhere."""

    def lacks(self, name: str, action: str) -> str:
        """Return what somebody lacks for an action of what one holds; empty: nothing."""

    def carry_on(self, name: str, action: str) -> Report | None:
        """Go on with an action, or begin it."""

    def stop_work(self, name: str) -> None:
        """Let somebody leave what it was busy with."""

    def give(self, name: str, count: int, item: str, to: str) -> Report | None:
        """Let somebody give things to somebody next to it."""

    def put(self, name: str, count: int, item: str) -> Report | None:
        """Let somebody put things into the market."""

    def take(self, name: str, count: int, item: str) -> Report | None:
        """Let somebody take things from the market."""
