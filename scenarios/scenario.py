"""What a scenario is: the protocol that the machinery of this package plays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

from bots.models.scripted import Script
from bridge import MinecraftWorld
from judge import Contract, Terms
from judge.contract import Inventories

Place = tuple[float, float, float]


@dataclass(frozen=True)
class GridForm:
    """A scenario's form on the grid.

    Attributes:
        game: the grid's game.
        items: what its resources are called in inventories.
        dug: items that come from digging, and the block that is dug for them.
    """

    game: str
    items: Mapping[str, str]
    dug: Mapping[str, str]


class Scenario(Protocol):
    """A pydantic model whose fields are what a user may vary, with the rules as methods."""

    name: ClassVar[str]
    #: What is counted of an inventory, in the order of tables.
    counted: ClassVar[tuple[str, ...]]
    #: Blocks that the server's ledger counts when they are dug, and what clauses call them.
    dug: ClassVar[Mapping[str, str]]
    #: The chest that agents exchange items through, if there is one.
    chest: ClassVar[tuple[int, int, int] | None]
    #: How it is played on the grid, if it is.
    grid: ClassVar[GridForm | None]
    #: Published Gini coefficients by contract, and where they are from.
    published: ClassVar[Mapping[str, str]]
    source: ClassVar[str]
    time_limit_s: float
    may_owe: bool
    max_attempts: int

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents' names."""

    @property
    def optimum(self) -> float | None:
        """The highest welfare there can be; None where that cannot be said."""

    def starts(self, seed: int) -> dict[str, Place]:
        """Where the agents start."""

    def layout(self) -> list[str]:
        """The arena as vanilla commands."""

    async def live(self, world: MinecraftWorld, seed: int) -> None:
        """What happens in the world by itself while an episode lasts; cancelled at its end."""

    def briefing(self, agent: str) -> str:
        """What an agent is told."""

    def count(self, inventory: Mapping[str, int]) -> dict[str, int]:
        """What counts of an inventory, by the names in ``counted``."""

    def value(self, agent: str, inventory: Mapping[str, int]) -> float:
        """What an inventory is worth to an agent."""

    def is_all_gained(self, inventories: Inventories) -> bool:
        """Whether nothing is left to gain, which ends an episode."""

    def terms(self) -> Terms:
        """What formal clauses may name."""

    def contracts(self) -> dict[str, Contract]:
        """The shipped contracts by name, ``none`` among them."""

    def script(self) -> Script:
        """The scripted minds: what they answer to what they are asked."""
