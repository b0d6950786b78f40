"""The results that agents expect of their decisions, and what really happens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from voxpolis.bots.models.typed import Answer, integer

# Time in seconds after which an expectation is checked if it states no time; our value.
WITHIN_S = 60.0
LONGEST_S = 3600
MOST_ITEMS = 1000

MET, PARTLY, MISSED, OTHER = "met", "partly", "missed", "other"


@dataclass(frozen=True)
class Forecast:
    """The result that an agent expects of a decision.

    Attributes:
        items: the expected change in the number of pieces of each item.
        place: the place where the agent expects to be; empty if it states none.
        within_s: the time in seconds after the decision until which the result is expected.
    """

    items: Mapping[str, int] = field(default_factory=dict)
    place: str = ""
    within_s: float = WITHIN_S

    def __str__(self) -> str:
        parts = [f"{count:+d} {item}" for item, count in self.items.items()]
        what = [", ".join(parts)] if parts else []
        if self.place:
            what.append(f"at {self.place}")
        return f"{', '.join(what)} within {self.within_s:g} s"


class Expects(Answer):
    """The expected result of an action."""

    item: str | None = Field(description="What you will hold more or less of; null: nothing.")
    amount: integer(-MOST_ITEMS, MOST_ITEMS) = Field(  # type: ignore[valid-type]
        description="How many more of it; below 0: fewer."
    )
    place: str | None = Field(description="Where you will be; null: anywhere.")
    within_s: integer(1, LONGEST_S) = Field(description="By when, in seconds.")  # type: ignore[valid-type]


def as_forecast(value: Any) -> Any:
    """Convert an answer with the fields of :class:`Expects` into a forecast; return others
    unchanged.

    The result is None if the agent expects nothing.
    """
    if not isinstance(value, Mapping) or "amount" not in value:
        return value
    items = {value["item"]: value["amount"]} if value["item"] and value["amount"] else {}
    place = value["place"] or ""
    return Forecast(items, place, value["within_s"]) if items or place else None


@dataclass(frozen=True)
class Ended:
    """An expectation whose time or action has ended, and what has really happened.

    Attributes:
        before: the inventory at the time of the decision.
        after: the inventory at the end.
        is_there: whether the agent was at the expected place at the end.
        is_over: whether the action itself had ended.
        hurt: the health that the agent lost in the meantime, on a scale of 20.
    """

    action: str
    forecast: Forecast
    before: Mapping[str, int]
    after: Mapping[str, int]
    is_there: bool
    is_over: bool
    hurt: float = 0.0

    def changes(self) -> dict[str, int]:
        """Return the change in the number of pieces of each item, without zeros."""
        names = sorted({*self.before, *self.after})
        change = {name: self.after.get(name, 0) - self.before.get(name, 0) for name in names}
        return {name: count for name, count in change.items() if count}

    def outcome(self) -> str:
        """Compare the expectation with the result.

        Returns:
            ``met``; ``partly`` (met in part); ``missed`` (nothing has changed); or ``other``
            (something has changed, but nothing that was expected).
        """
        wanted, changes = self.forecast.items, self.changes()
        came = [changes.get(item, 0) if count else 0 for item, count in wanted.items()]
        fits = [
            got >= count if count > 0 else got <= count
            for got, count in zip(came, wanted.values(), strict=True)
        ]
        if self.forecast.place:
            fits.append(self.is_there)
        if all(fits):
            return MET
        moved = [got * count > 0 for got, count in zip(came, wanted.values(), strict=True)]
        if any(fits) or any(moved):
            return PARTLY
        return OTHER if changes or self.hurt else MISSED

    def in_words(self) -> str:
        came = [f"{count:+d} {item}" for item, count in self.changes().items()]
        if self.hurt:
            came.append(f"{self.hurt:g} health lost")
        if self.forecast.place and not self.is_there:
            came.append(f"I am not at {self.forecast.place}")
        told = ", ".join(came) or "nothing came of it"
        return f"I expected {self.forecast} of {self.action}, but {told}"


# --- The believed inventory of an agent that never checks the results of its actions --------------
#
# Source: Project Sid (Altera.AL 2024). Without action awareness, an agent believes that its
# expectations came true, and therefore imagines successes that it did not have.

# The agent sees its real inventory at intervals of this many seconds; our value.
LOOKS_EVERY_S = 120.0


class Belief:
    """The inventory that an agent believes it has.

    The belief is the real inventory at the agent's last look, plus all changes that the agent has
    expected since then.
    """

    __slots__ = ("_items", "_looked_at")

    def __init__(self) -> None:
        self._items: Mapping[str, int] = {}
        self._looked_at: float | None = None

    def held(
        self, now: float, real: Mapping[str, int], ended: Iterable[Ended]
    ) -> Mapping[str, int]:
        """Return the believed inventory, item → count. A mapping that was returned is never
        modified later.

        Args:
            now: the current time in seconds.
            real: the real inventory.
            ended: expectations whose time has ended. The agent believes that they came true.
        """
        for one in ended:
            items = dict(self._items)
            for item, count in one.forecast.items.items():
                items[item] = max(0, items.get(item, 0) + count)
            self._items = items
        if self._looked_at is None or now - self._looked_at >= LOOKS_EVERY_S:
            self._items, self._looked_at = dict(real), now
        return self._items
