"""What everybody in the village knows for certain: the law, the tax season, what one has paid.

Each is a typed value that holds until it is replaced (:class:`bots.agents.piano.Standing`):
scripted villagers go by the value, language models read its text at the head of what they are told.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from voxpolis.bots.agents.piano import Standing, ago
from voxpolis.judge.law.constitution import Constitution

#: The subjects that they hold for.
LAW, SEASON, TAX = "law", "season", "tax"


@dataclass(frozen=True)
class Law:
    """The constitution that holds since ``t``, and what its enactment changed."""

    constitution: Constitution
    t: float
    changes: tuple[str, ...] = ()

    def text(self, now: float) -> str:
        """Return the whole constitution, under a line that says what is new."""
        told = f"The law (version {self.constitution.version}"
        if self.changes:
            told += f", changed {ago(now, self.t)}: {'; '.join(self.changes)}"
        told += "). Of articles that contradict each other the later one holds:"
        return f"{told}\n{self.constitution}"


@dataclass(frozen=True)
class TaxSeason:
    """A tax season.

    Attributes:
        number: from 1.
        opened: when the bell rang, in seconds of the village's time.
        closes: until when the chest takes what is paid.
        due: the share of 1 that a judge found somebody to owe; None: the law's numbers say it.
    """

    number: int
    opened: float
    closes: float
    due: float | None = None

    def is_open(self, now: float) -> bool:
        """Return whether the chest takes what is paid."""
        return self.opened <= now < self.closes

    def text(self, now: float) -> str:
        """Return whether it is open, since when, and for how long."""
        if not self.is_open(now):
            closed = f"Tax season {self.number} closed {ago(now, self.closes)}"
            return f"{closed}: until the bell rings again the chest takes nothing."
        told = f"Tax season {self.number} is open: the bell rang {ago(now, self.opened)}"
        told += f", {self.closes - now:.0f} s are left."
        if self.due is not None:
            told += f" The judge finds that by the law you owe {self.due * 100:g} %."
        return told


@dataclass(frozen=True)
class Payment:
    """What somebody paid in a season: the share of 1 of what it held, and when."""

    season: int
    share: float
    t: float


@dataclass(frozen=True)
class TaxAccount:
    """All that somebody paid, the latest last."""

    payments: tuple[Payment, ...] = ()

    @property
    def seasons(self) -> frozenset[int]:
        """The seasons that it paid in."""
        return frozenset(payment.season for payment in self.payments)

    def text(self, now: float) -> str:
        """Return the last payment, and in which seasons there were others."""
        if not self.payments:
            return "You have not paid yet."
        last = self.payments[-1]
        told = f"You paid {last.share * 100:.1f} % in season {last.season}, {ago(now, last.t)}."
        before = ", ".join(str(payment.season) for payment in self.payments[:-1])
        return f"{told} You also paid in season {before}." if before else told


def season_of(standing: Mapping[str, Standing]) -> TaxSeason | None:
    """Return the last tax season that somebody was told of."""
    found = standing.get(SEASON)
    return found if isinstance(found, TaxSeason) else None


def account_of(standing: Mapping[str, Standing]) -> TaxAccount:
    """Return what somebody knows of its payments; empty where it knows of none."""
    found = standing.get(TAX)
    return found if isinstance(found, TaxAccount) else TaxAccount()


def law_of(standing: Mapping[str, Standing]) -> Constitution:
    """Return the constitution that somebody was told.

    Raises:
        LookupError: it was told none.
    """
    found = standing.get(LAW)
    if not isinstance(found, Law):
        raise LookupError("nobody told the law")
    return found.constitution
