"""A contract: a text, and where code can settle it, the rule that does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from voxpolis.records.files import read_text

Counts = Mapping[str, Mapping[str, int]]

MAX_CHARACTERS = 10_000
# Of a contract file: what is longer is no such text, with whatever blanks around it.
MAX_BYTES = 1_000_000


class ContractError(ValueError):
    """A contract that cannot be used; the message says why."""


@dataclass(frozen=True)
class Outcome:
    """Outcome of a game, by player: items held and dug by name, signals sent.

    ``counted``: what else a game counts, as clauses spell it: ``eaten(Ada, 3)`` → 2.
    """

    held: Counts = field(default_factory=dict)
    dug: Counts = field(default_factory=dict)
    signals: Mapping[str, int] = field(default_factory=dict)
    counted: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """All of it as clauses spell it: ``held(Ada, iron)`` → 3."""
        items = {
            f"{name}({player}, {item})": count
            for name, counts in (("held", self.held), ("dug", self.dug))
            for player, own in counts.items()
            for item, count in own.items()
        }
        signals = {f"signals({player})": count for player, count in self.signals.items()}
        return {**items, **signals, **self.counted}


@dataclass(frozen=True)
class Terms:
    """Names for clauses: the players, and each item with how many there can be.

    ``most_signals`` bounds how often a player can signal; ``counts`` are further observables as
    clauses spell them, each with how large it can get: ``eaten(Ada, 3)`` → 1000. ``called`` are
    items by other names that the game has for them: ``raw_iron`` → ``iron``.
    """

    players: Sequence[str]
    items: Mapping[str, int]
    most_signals: int = 1000
    counts: Mapping[str, int] = field(default_factory=dict)
    called: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def most(self) -> Mapping[str, int]:
        """How large each observable can get, as clauses spell it."""
        items = dict.fromkeys(self.players, self.items)
        signals = dict.fromkeys(self.players, self.most_signals)
        return Outcome(items, items, signals, self.counts).counts

    def listed(self, *, with_most: bool = False) -> str:
        """Return items and counts in words, with other names and how many there can be."""
        told = []
        for item, most in (*self.items.items(), *self.counts.items()):
            others = ", ".join(name for name, called in self.called.items() if called == item)
            asides = [f"also {others}"] * bool(others) + [f"at most {most}"] * with_most
            told.append(f"{item} ({'; '.join(asides)})" if asides else item)
        return ", ".join(told)


# A contract is formally a function from the outcome to transfers that sum to zero
# (Christoffersen et al., "Get It in Writing", 2023).
Rule = Callable[[Outcome], Mapping[str, float]]


@dataclass(frozen=True)
class Contract:
    """Agreement of the players.

    ``rule`` settles the contract exactly; a text that has none only a model can judge. ``clauses``
    is what the rule was made of, where players wrote it as clauses
    (``judge/contracts/clauses.py``). ``proposed`` are the words to which clauses were added
    (``judge/contracts/compiling.py``), if any were.
    """

    name: str
    text: str
    rule: Rule | None = None
    clauses: tuple[str, ...] = ()
    proposed: str = ""

    @property
    def is_exact(self) -> bool:
        return self.rule is not None


def read_contract_file(path: Path) -> Contract:
    """Return the contract in words that a text file holds.

    Raises:
        ContractError: it is missing, empty, too long or not text.
    """
    try:
        text = read_text(path, MAX_BYTES).strip()
    except UnicodeDecodeError as error:
        raise ContractError(f"the contract file {path} is not text") from error
    except OSError as error:
        raise ContractError(f"cannot read the contract file {path}: {error.strerror}") from error
    if not text:
        raise ContractError(f"the contract file {path} is empty")
    if "\0" in text:
        raise ContractError(f"the contract file {path} is not text")
    if len(text) > MAX_CHARACTERS:
        raise ContractError(f"the contract file {path} is longer than {MAX_CHARACTERS} characters")
    return Contract(name=str(path), text=text)
