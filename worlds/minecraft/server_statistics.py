"""The server's account of agents' acts: blocks dug and placed, items taken and put back.

Bots also report events, but they run next to agents' code and could be manipulated, so judges use
the server's account. Dug and placed blocks come from its statistics (scoreboard objectives); chest
moves are derived from the contents of the chest and the inventories.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from voxpolis.bridge import MinecraftWorld
from voxpolis.worlds.protocol import LoggedAction

Counts = Mapping[str, int]

# Statistic that counts actions of each kind.
STATISTICS: dict[LoggedAction, str] = {"dug": "mined", "placed": "used"}


# Number of further readings if a change of the chest matches no change of an inventory.
MAX_LOOKS = 3


@dataclass(frozen=True)
class Entry:
    """One log entry: agent, action, item and count."""

    agent: str
    action: LoggedAction
    item: str
    count: int


class ServerStatistics:
    """Reads the server's statistics and returns new log entries."""

    def __init__(
        self,
        world: MinecraftWorld,
        agents: Sequence[str],
        blocks: Sequence[str],
        chest: tuple[int, int, int] | None,
    ) -> None:
        """``blocks``: names of blocks to watch; ``chest``: chest for exchanging items."""
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
        """Return new entries, given the current inventories."""
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
        """Return the moves between chest and inventories since the last reading.

        Chest and inventories are not read simultaneously, and items in transit are in neither:
        unmatched changes are checked again at the next reading.
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
    """Return which agents took an item out of a chest or put it in.

    If all changes add up, each change is a move. This includes items that one agent put in and
    another took immediately (or threw and picked up, which has the same effect). Otherwise, if an
    inventory also grew by digging, the chest's change is credited to agents whose inventory changed
    accordingly, in order.

    Args:
        item: name of the item.
        left: net number taken out of the chest; negative if put in.
        gained: growth of each agent's inventory.
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
    return sum(move.count if move.action == "took" else -move.count for move in moves)
