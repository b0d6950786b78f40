"""A contract: a text, and for the shipped ones a rule that settles it exactly."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from judge.formal import FormalContract

#: agent → item → count, as the server reports it at the end.
Inventories = Mapping[str, Mapping[str, int]]

#: A contract is formally a function from the outcome to transfers that sum to zero
#: (Christoffersen et al., "Get It in Writing", 2023).
Rule = Callable[[Inventories], Mapping[str, float]]

MAX_CHARACTERS = 10_000


class ContractError(ValueError):
    """A contract that cannot be used; the message says why."""


@dataclass(frozen=True)
class Contract:
    """What the players agreed on.

    ``rule`` settles a shipped contract exactly, ``formal`` one that was written as clauses; a text
    that has neither only a model can judge.
    """

    name: str
    text: str
    rule: Rule | None = None
    formal: FormalContract | None = None

    @property
    def is_exact(self) -> bool:
        """Whether code can settle it."""
        return self.rule is not None or self.formal is not None


def read_contract_file(path: Path) -> Contract:
    """Read a contract in words from a text file.

    Raises:
        ContractError: it is missing, empty, too long or not text.
    """
    try:
        text = path.read_text(encoding="utf-8").strip()
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
