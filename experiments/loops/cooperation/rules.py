"""The modules of cooperation as a loop sees them: which there are, and what it lends to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from voxpolis.judge.deeds.account import Form
from voxpolis.judge.deeds.lent import Lent
from voxpolis.judge.law.constitution import Constitution

MODULES = ("understanding", "communication", "constitution", "reputation")
#: Which roles each of them asks.
MODULE_ROLES: Mapping[str, Sequence[str]] = {
    "understanding": ("induce", "predict", "check"),
    "communication": ("speak", "reply", "weigh"),
    "constitution": ("amendments", "ballot"),
    "reputation": ("rate",),
}


@dataclass(frozen=True)
class Cooperation:
    """Which modules agents carry, and how they work.

    Attributes:
        modules: some of :data:`MODULES`.
        lent: how the world's claims and deeds are told.
        law: the first constitution.
        understand_every: rounds from one search for rules to the next.
        predict_rounds: how far ahead agents predict.
        confirm: hits that make a hypothesis a rule.
        hearing: how many cells away agents hear each other, where they stand somewhere.
        amend_every: rounds from one vote to the next.
        reputation_every: rounds from one publication of reputations to the next.
    """

    modules: tuple[str, ...]
    lent: Lent
    law: Constitution
    understand_every: int = 3
    predict_rounds: int = 5
    confirm: int = 5
    hearing: int = 10
    amend_every: int = 25
    reputation_every: int = 5


def modules_in(text: str) -> tuple[str, ...]:
    """Return the modules that a setting names: with commas, or all.

    Raises:
        ValueError: there is no such module.
    """
    if text.strip() == "all":
        return MODULES
    chosen = {name.strip() for name in text.split(",") if name.strip()}
    unknown = sorted(chosen - {*MODULES})
    if unknown:
        raise ValueError(f"there is no module {unknown[0]}; there are: {', '.join(MODULES)}")
    return tuple(name for name in MODULES if name in chosen)


class Being(Protocol):
    """Who an agent is, as its prompts begin with it; ``character`` may be empty."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def character(self) -> str:
        """What it is told of its character."""

    @property
    def world(self) -> str:
        """What it is told of the world."""


@dataclass(frozen=True)
class View:
    """What an agent perceives when its modules have their turn.

    Attributes:
        place: where and when it is, in a sentence or two.
        observations: what it sees, a sentence each.
        changes: what has happened since its last turn.
        plan: what it means to do; empty: it has not said.
        about: the typed value that all of this was rendered from, for scripted minds.
    """

    place: str
    observations: tuple[str, ...]
    changes: tuple[str, ...]
    plan: str = ""
    about: object = None


class Place(Protocol):
    """What a loop lends to the modules of its agents.

    Attributes:
        history: what happened so far, as claims are checked by it.
    """

    history: Any  # a judge.deeds.claims.History of the kind that the loop's claims are about

    @property
    def names(self) -> tuple[str, ...]:
        """All who play, bots among them."""

    @property
    def things(self) -> Mapping[int, int]:
        """The numbers of what promises and clauses can name, and how much of each there can be."""

    def most(self, form: Form, thing: int) -> int | None:
        """Return how often anybody can do something in a round; None: nobody knows that yet.

        Args:
            form: of a promise about it.
            thing: the number of what it is done to; 0: anything.
        """

    @property
    def hour(self) -> int:
        """The world's time."""

    def hearing(self, name: str) -> tuple[str, ...]:
        """Return the other agents that hear an agent now."""

    def view(self, name: str) -> View:
        """Return what an agent perceives now, outside its own turn."""
