"""A contract: a text, and where code can settle it, the rule that does."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from voxpolis.records.files import read_text

Counts = Mapping[str, Mapping[str, int]]

MAX_CHARACTERS = 10_000
#: Of a contract file: what is longer is no such text, with whatever blanks around it.
MAX_BYTES = 1_000_000


class ContractError(ValueError):
    """A contract that cannot be used; the message says why."""


@dataclass(frozen=True)
class Outcome:
    """What rules and clauses can speak of, by player: items held and dug by name, signals sent.

    ``counted``: what else a game counts, as clauses spell it: ``eaten(Ada, 3)`` → 2.
    """

    held: Counts = field(default_factory=dict)
    dug: Counts = field(default_factory=dict)
    signals: Mapping[str, int] = field(default_factory=dict)
    counted: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Terms:
    """What may be named in clauses: the players, and each item with how many there can be.

    ``most_signals`` bounds how often a player can signal; ``counts`` are further observables as
    clauses spell them, each with how large it can get: ``eaten(Ada, 3)`` → 1000. ``called`` are
    items by other names that the game has for them: ``raw_iron`` → ``iron``.
    """

    players: Sequence[str]
    items: Mapping[str, int]
    most_signals: int = 1000
    counts: Mapping[str, int] = field(default_factory=dict)
    called: Mapping[str, str] = field(default_factory=dict)

    def listed(self, *, with_most: bool = False) -> str:
        """Return the items in words, each with its other names, and how many there can be."""
        return ", ".join(self._told(item, with_most=with_most) for item in self.items)

    def _told(self, item: str, *, with_most: bool) -> str:
        others = [name for name, called in self.called.items() if called == item]
        also = [f"also {', '.join(others)}"] if others else []
        asides = "; ".join([*also, *([f"at most {self.items[item]}"] if with_most else [])])
        return f"{item} ({asides})" if asides else item


#: A contract is formally a function from the outcome to transfers that sum to zero
#: (Christoffersen et al., "Get It in Writing", 2023).
Rule = Callable[[Outcome], Mapping[str, float]]


@dataclass(frozen=True)
class Contract:
    """What the players agreed on.

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
