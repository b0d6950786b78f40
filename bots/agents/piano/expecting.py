"""Expectations that decisions state, and their outcomes in the world."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import Field

from voxpolis.bots.models.typed import Answer, integer

# Ours: an expectation that names no time is looked at after so many seconds.
WITHIN_S = 60.0
LONGEST_S = 3600
MOST_ITEMS = 1000

MET, PARTLY, MISSED, OTHER = "met", "partly", "missed", "other"


@dataclass(frozen=True)
class Forecast:
    """Expectation of a decision.

    Attributes:
        items: how many more (less: below 0) of each item it will hold.
        place: where it will be; empty: it does not say.
        within_s: by when, in seconds after the decision.
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
    """What an action should have come to."""

    item: str | None = Field(description="What you will hold more or less of; null: nothing.")
    amount: integer(-MOST_ITEMS, MOST_ITEMS) = Field(  # type: ignore[valid-type]
        description="How many more of it; below 0: fewer."
    )
    place: str | None = Field(description="Where you will be; null: anywhere.")
    within_s: integer(1, LONGEST_S) = Field(description="By when, in seconds.")  # type: ignore[valid-type]


def as_forecast(value: Any) -> Any:
    """Return the forecast of the fields of :class:`Expects`; None: it expects nothing."""
    if not isinstance(value, Mapping) or "amount" not in value:
        return value
    items = {value["item"]: value["amount"]} if value["item"] and value["amount"] else {}
    place = value["place"] or ""
    return Forecast(items, place, value["within_s"]) if items or place else None


@dataclass(frozen=True)
class Ended:
    """An expectation whose time has come: what it was, and the world's account of it.

    Attributes:
        before: what was held when it was decided.
        after: what was held when it was over.
        is_there: whether one was at the place then.
        is_over: whether the action itself was over.
        hurt: how much health was lost meanwhile, of 20.
    """

    action: str
    forecast: Forecast
    before: Mapping[str, int]
    after: Mapping[str, int]
    is_there: bool
    is_over: bool
    hurt: float = 0.0

    def changes(self) -> dict[str, int]:
        """Return how many more or less of each item there are."""
        names = sorted({*self.before, *self.after})
        change = {name: self.after.get(name, 0) - self.before.get(name, 0) for name in names}
        return {name: count for name, count in change.items() if count}

    def outcome(self) -> str:
        """Return ``met``, ``partly``, ``missed``, or ``other``: something else came of it."""
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


# --- What somebody believes to hold who never looks at what came of its actions -------------------
#
# Source: Project Sid (Altera.AL 2024): without action awareness expectations are believed, so that
# success is hallucinated.

# Ours: so often it looks at what it really holds, in seconds.
LOOKS_EVERY_S = 120.0


class Belief:
    """Inventory that is believed to be held: the last one seen, and expectations since."""

    __slots__ = ("_items", "_looked_at")

    def __init__(self) -> None:
        self._items: Mapping[str, int] = {}
        self._looked_at: float | None = None

    def held(
        self, now: float, real: Mapping[str, int], ended: Iterable[Ended]
    ) -> Mapping[str, int]:
        """Return item → count as it is believed, which is never changed, but replaced.

        What ``ended`` expected is believed to have come true; ``now`` is in seconds.
        """
        for one in ended:
            items = dict(self._items)
            for item, count in one.forecast.items.items():
                items[item] = max(0, items.get(item, 0) + count)
            self._items = items
        if self._looked_at is None or now - self._looked_at >= LOOKS_EVERY_S:
            self._items, self._looked_at = dict(real), now
        return self._items
