"""The server's own account of what agents did: blocks dug and placed, items taken and put back.

Agents' bots report events too, but they run beside agents' code; a judge goes by the server. What
was dug and placed comes from its statistics (scoreboard objectives), what a chest gave and took
from what it and the inventories hold.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from voxpolis.bridge import MinecraftWorld
from voxpolis.worlds.protocol import LoggedAction

Counts = Mapping[str, int]

# The statistic that counts an action.
STATISTICS: dict[LoggedAction, str] = {"dug": "mined", "placed": "used"}


# How often a chest's change that no inventory shows is looked at again.
MAX_LOOKS = 3


@dataclass(frozen=True)
class Entry:
    """One line of the ledger: an agent did something with so many of an item."""

    agent: str
    action: LoggedAction
    item: str
    count: int


class ServerStatistics:
    """Reads the server's account, and returns what is new in it since the last time."""

    def __init__(
        self,
        world: MinecraftWorld,
        agents: Sequence[str],
        blocks: Sequence[str],
        chest: tuple[int, int, int] | None,
    ) -> None:
        """Look at ``blocks`` by name, and at the chest that agents exchange items through."""
        self._world = world
        self._agents = agents
        self._blocks = blocks
        self._chest = chest
        self._counted: dict[tuple[str, LoggedAction, str], int] = {}
        self._held: dict[tuple[str, str], int] = {}
        self._in_chest: dict[str, int] = {}
        self._looks: Counter[str] = Counter()

    async def open(self, inventories: Mapping[str, Counts]) -> None:
        for action, block in self._counters():
            criterion = f"minecraft.{STATISTICS[action]}:minecraft.{block}"
            await self._world.objective(_objective(action, block), criterion)
        self._counted.clear()
        self._looks.clear()
        self._held = {
            (agent, item): count
            for agent, items in inventories.items()
            for item, count in items.items()
        }
        self._in_chest = await self._look_into_chest()

    async def read(self, inventories: Mapping[str, Counts]) -> list[Entry]:
        """What is new, given what agents hold now."""
        found = []
        for agent in self._agents:
            for action, block in self._counters():
                total = await self._world.score(agent, _objective(action, block))
                new = total - self._counted.get((agent, action, block), 0)
                self._counted[agent, action, block] = total
                if new:
                    found.append(Entry(agent, action, block, new))
        return [*found, *self._moved(await self._look_into_chest(), inventories)]

    def _moved(self, chest: Counts, held: Mapping[str, Counts]) -> list[Entry]:
        """Who took and put what since the last look.

        A chest and the inventories are not read in one moment, and what is on its way is in
        neither: what does not add up yet is looked at again with the next reading.
        """
        found = []
        for item in sorted({*chest, *self._in_chest}):
            left = self._in_chest.get(item, 0) - chest.get(item, 0)
            gained = {agent: held[agent].get(item, 0) - self._before(agent, item) for agent in held}
            moves = chest_moves(item, left, gained)
            on_its_way = left != _net(moves) or sum(gained.values()) < left
            if on_its_way and self._looks[item] < MAX_LOOKS:
                self._looks[item] += 1
                continue
            found += moves
            self._looks[item] = 0
            self._in_chest[item] = chest.get(item, 0)
            self._keep(item, held)
        for item in {item for counts in held.values() for item in counts} - set(self._in_chest):
            self._keep(item, held)
        return found

    def _before(self, agent: str, item: str) -> int:
        return self._held.get((agent, item), 0)

    def _keep(self, item: str, held: Mapping[str, Counts]) -> None:
        for agent, counts in held.items():
            self._held[agent, item] = counts.get(item, 0)

    def _counters(self) -> Iterator[tuple[LoggedAction, str]]:
        return ((action, block) for action in STATISTICS for block in self._blocks)

    async def _look_into_chest(self) -> dict[str, int]:
        return await self._world.container(self._chest) if self._chest else {}


def _objective(action: LoggedAction, block: str) -> str:
    return f"{action}.{block}"


def chest_moves(item: str, left: int, gained: Mapping[str, int]) -> list[Entry]:
    """Who took an item out of a chest or put it in.

    Where all changes add up, each is a move: what one put in and another took at once, too (or
    threw and picked up, which comes to the same). Else, where an inventory also grew by digging,
    the chest's change is credited to those whose inventory changed that way, in the agents' order.

    Args:
        item: its name.
        left: how many left the chest; negative: came into it.
        gained: by how many each agent's inventory grew.
    """
    moves = []
    adds_up = sum(gained.values()) == left
    for agent, change in gained.items():
        if adds_up and change:
            moves.append(Entry(agent, "took" if change > 0 else "put", item, abs(change)))
        elif left * change > 0:
            count = min(left, change) if left > 0 else max(left, change)
            moves.append(Entry(agent, "took" if count > 0 else "put", item, abs(count)))
            left -= count
    return moves


def _net(moves: Sequence[Entry]) -> int:
    """How many left the chest by some moves."""
    return sum(move.count if move.action == "took" else -move.count for move in moves)
