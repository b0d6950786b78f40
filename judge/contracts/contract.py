"""A contract: its text, and a rule if code can settle it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from voxpolis.records.files import read_text

Counts = Mapping[str, Mapping[str, int]]

MAX_CHARACTERS = 10_000
# Maximum size in bytes of a contract file, including the white space around the text.
MAX_BYTES = 1_000_000


class ContractError(ValueError):
    """A contract cannot be used. The message gives the reason."""


@dataclass(frozen=True)
class Outcome:
    """The holdings and the acts of each player at the end of a game.

    Attributes:
        held: for each player, the number of each item that the player holds.
        dug: for each player, the number of each item that the player has dug.
        signals: for each player, the number of signals that the player has sent.
        counted: the game's further counts. Keys are written as in clauses: ``eaten(Ada, 3)`` → 2.
    """

    held: Counts = field(default_factory=dict)
    dug: Counts = field(default_factory=dict)
    signals: Mapping[str, int] = field(default_factory=dict)
    counted: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def counts(self) -> Mapping[str, int]:
        """All counts. Keys are written as in clauses: ``held(Ada, iron)`` → 3."""
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
    """The names that clauses can use, with the maximum of each count.

    Attributes:
        items: the items, each with its maximum count.
        most_signals: the maximum number of signals per player.
        counts: a mapping from further observables, written as in clauses, to their maxima:
            ``eaten(Ada, 3)`` → 1000.
        aliases: a mapping from further names that items have in the game to their names in clauses:
            ``raw_iron`` → ``iron``.
    """

    players: Sequence[str]
    items: Mapping[str, int]
    most_signals: int = 1000
    counts: Mapping[str, int] = field(default_factory=dict)
    aliases: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def most(self) -> Mapping[str, int]:
        """The maximum of each observable. Keys are written as in clauses."""
        items = dict.fromkeys(self.players, self.items)
        signals = dict.fromkeys(self.players, self.most_signals)
        return Outcome(items, items, signals, self.counts).counts

    def describe(self, *, with_most: bool = False) -> str:
        told = []
        for item, most in (*self.items.items(), *self.counts.items()):
            others = ", ".join(name for name, aliases in self.aliases.items() if aliases == item)
            asides = [f"also {others}"] * bool(others) + [f"at most {most}"] * with_most
            told.append(f"{item} ({'; '.join(asides)})" if asides else item)
        return ", ".join(told)


# Formally, a contract is a function from the outcome to transfers that sum to zero (Christoffersen
# et al., "Get It in Writing", 2023).
Rule = Callable[[Outcome], Mapping[str, float]]


@dataclass(frozen=True)
class Contract:
    """An agreement of the players.

    Attributes:
        rule: computes the transfers exactly. Without a rule, only a model can judge the text.
        clauses: the clauses from which the rule was made (``judge/contracts/clauses.py``), if any.
        proposed: the original text, if clauses were added to it (``judge/contracts/compiling.py``).
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
    """Read a contract in words from a text file.

    Raises:
        ContractError: the file is missing, empty, too long, or not a text file.
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
