"""The server's own account of what agents did: blocks dug and placed, items taken and put back.

Bots report such events too, but they run next to the agents' code and could be manipulated. Judges
therefore use the server's account. The numbers of dug and placed blocks come from the server's
statistics (scoreboard objectives). Moves of items to and from the chest are derived from the
contents of the chest and of the inventories.
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
    """A log entry: agent, action, item and count."""

    agent: str
    action: LoggedAction
    item: str
    count: int


class ServerStatistics:
    """Reads the server's statistics, and returns the changes since the last reading as entries."""

    def __init__(
        self,
        world: MinecraftWorld,
        agents: Sequence[str],
        blocks: Sequence[str],
        chest: tuple[int, int, int] | None,
    ) -> None:
        """Prepare to read.

        Args:
            world: the server.
            agents: names of the agents.
            blocks: names of the blocks for which digging and placing are counted.
            chest: position of the chest in which agents exchange items, or None.
        """
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
        """Return the log entries since the last reading, given the current inventories."""
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
        """Return the moves between the chest and the inventories since the last reading.

        The chest and the inventories are not read at the same moment, and an item that is just
        being moved is in neither. A change without a counterpart is therefore checked again at the
        next reading.
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
    """Work out which agents took an item out of the chest or put it in.

    If the changes of all inventories add up to the change of the chest, every change is a move. An
    item that one agent put in and another took out immediately also counts as two moves. (Two
    agents who throw the item and pick it up cause the same changes.) The changes may not add up,
    for example because an agent also dug the item. The chest's change is then credited to the
    agents whose inventories changed in the matching direction, one after another.

    Args:
        item: name of the item.
        left: number taken out of the chest minus number put in.
        gained: by how much the number in each agent's inventory grew.
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
