"""AdaSociety's synthesis tree as a Minecraft arena: its layout, and the referee of its rules.

Source: Huang et al., "AdaSociety" (2024). Piles and stations are blocks on a walled platform. To
use one (``useBlock``) is to pick one unit from a pile, or to have a station turn inputs into its
output. The referee checks what the server says the agent holds and where it stands, then takes and
gives items by commands, each of which says what it did: nothing is ever made out of nothing.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grid.adasociety.game import Game, Rules
from records import events
from scenarios.arena import platform
from scenarios.world import Stage

#: Feet level of the platform, and its corner (x, z); high above ground on any server.
GROUND_Y = 151
CORNER = (60, 60)
#: Blocks from one cell to the next: bodies walk between piles.
CELL_BLOCKS = 2
WALL_HEIGHT = 4
REACH_BLOCKS = 5.0

#: What a resource is in an inventory. None can be crafted from the others by hand.
ITEMS = {
    "wood": "oak_log",
    "stone": "cobblestone",
    "hammer": "stone_axe",
    "coal": "coal",
    "torch": "lantern",
    "iron": "raw_iron",
    "steel": "iron_ingot",
    "shovel": "iron_shovel",
    "pickaxe": "iron_pickaxe",
    "gem_mine": "diamond_ore",
    "clay": "clay_ball",
    "pottery": "flower_pot",
    "cutter": "stonecutter",
    "gem": "diamond",
    "totem": "totem_of_undying",
}
PILE_BLOCKS = {
    "wood": "oak_log",
    "stone": "cobblestone",
    "coal": "coal_ore",
    "iron": "iron_ore",
    "gem_mine": "diamond_ore",
    "clay": "clay",
}
STATION_BLOCKS = {
    "HammerCraft": "chiseled_stone_bricks",
    "TorchCraft": "jack_o_lantern",
    "SteelMaking": "iron_block",
    "Potting": "bricks",
    "ShovelCraft": "lapis_block",
    "PickaxeCraft": "redstone_block",
    "CutterCraft": "quartz_block",
    "GemCutting": "emerald_block",
    "TotemMaking": "gold_block",
}

Cell = tuple[int, int]
Block = tuple[int, int, int]


@dataclass
class Pile:
    """A pile with so many units left."""

    resource: str
    left: int


@dataclass(frozen=True)
class Arena:
    """Where everything is; fixed by the seed."""

    game: Game
    piles: dict[Block, Pile]
    stations: dict[Block, str]
    chest: Block
    starts: dict[str, tuple[float, float, float]]

    def commands(self) -> list[str]:
        """The arena as vanilla commands."""
        x0, z0 = (corner - 2 for corner in CORNER)
        x1, z1 = (c + CELL_BLOCKS * size + 1 for c, size in zip(CORNER, self.game.map, strict=True))
        return [
            *platform((x0, x1), (z0, z1), GROUND_Y, WALL_HEIGHT, "smooth_stone"),
            *(f"setblock {_at(b)} {PILE_BLOCKS[p.resource]}" for b, p in self.piles.items()),
            *(f"setblock {_at(b)} {STATION_BLOCKS[e]}" for b, e in self.stations.items()),
            f"setblock {_at(self.chest)} chest",
        ]


def lay_out(game: Game, agents: Sequence[str], seed: int) -> Arena:
    """Put piles, stations and agents on cells of their own, the exchange chest in the middle."""
    chance = random.Random(f"synthesis {seed}")
    width, depth = game.map
    middle = (width // 2, depth // 2)
    cells = [(x, z) for x in range(width) for z in range(depth) if (x, z) != middle]
    chance.shuffle(cells)
    free = iter(cells)
    piles = {
        _block(next(free)): Pile(resource, amount)
        for resource, (number, amount) in game.piles.items()
        for _ in range(number)
    }
    stations = {
        _block(next(free)): event for event, number in game.events.items() for _ in range(number)
    }
    starts = {agent: _feet(next(free)) for agent in agents}
    return Arena(game, piles, stations, _block(middle), starts)


def resources_in(inventory: Mapping[str, int]) -> dict[str, int]:
    """What an inventory holds of each resource."""
    return {name: inventory[item] for name, item in ITEMS.items() if inventory.get(item)}


def rules_in_words(rules: Rules, game: Game, job: str, chest: Block) -> str:
    """What an agent is told of the tree."""
    lines = [
        "Using a block with `useBlock` is all there is to do here: digging and placing are off.",
        "Piles (each use gives one unit):",
    ]
    for name in game.piles:
        needs = rules.resources[name].requires
        lines.append(
            f"- {name}: block `{PILE_BLOCKS[name]}`, item `{ITEMS[name]}`{_needing(needs)}"
        )
    lines.append("Stations (each use turns the inputs you carry into one output):")
    for name in game.events:
        event = rules.events[name]
        inputs = " + ".join(f"{n} {resource}" for resource, n in event.inputs.items())
        tools = [r for r in event.requires if r not in event.inputs]
        lines.append(
            f"- {name}: block `{STATION_BLOCKS[name]}`: {inputs} → {event.output}, item "
            f"`{ITEMS[event.output]}`{_needing(tools)}"
        )
    full = rules.jobs[job].capacity
    if full:
        limits = ", ".join(f"{n} {resource}" for resource, n in full.items())
        lines.append(f"Your job is {job}; the most you can hold: {limits}.")
    lines.append(f"A chest at {chest} is there to exchange things. You gain, for each unit held:")
    worth = {r: rules.score(job, {r: 1}) for r in rules.resources}
    lines.append(", ".join(f"{resource} {value:g}" for resource, value in worth.items()) + ".")
    return "\n".join(lines)


class Referee:
    """Answers every use of a block in the arena, one after another."""

    def __init__(self, rules: Rules, arena: Arena, jobs: Mapping[str, str], stage: Stage) -> None:
        """``jobs`` gives each agent's."""
        self._rules = rules
        self._arena = arena
        self._jobs = jobs
        self._stage = stage
        self._asked: asyncio.Queue[events.BlockUsed] = asyncio.Queue()

    def hear(self, event: events.Event) -> None:
        """Take note of an event of the world."""
        if isinstance(event, events.BlockUsed):
            self._asked.put_nowait(event)

    async def serve(self) -> None:
        """Answer until cancelled."""
        while True:
            asked = await self._asked.get()
            assert asked.agent is not None
            x, y, z = (int(part) for part in asked.position)
            try:
                told = await self._use(asked.agent, (x, y, z))
            except RuleError as error:
                await self._answer(asked, ok=False, text=str(error))
            else:
                await self._answer(asked, ok=True, text=told)

    async def keep_capacities(self, agent: str, held: Mapping[str, int]) -> None:
        """Take what an agent holds beyond its capacity (from a chest, say) to the chest."""
        for resource, most in self._rules.jobs[self._jobs[agent]].capacity.items():
            surplus = held.get(resource, 0) - most
            if surplus > 0:
                taken = await self._take(agent, resource, surplus)
                x, y, z = self._arena.chest
                await self._stage.world.edit(
                    f"summon item {x} {y + 1} {z} "
                    f'{{Item:{{id:"minecraft:{ITEMS[resource]}",Count:{taken}b}}}}'
                )

    async def _answer(self, asked: events.BlockUsed, *, ok: bool, text: str) -> None:
        assert asked.agent is not None
        await self._stage.world.bodies[asked.agent].answer_use(asked.request, ok, text)

    async def _use(self, agent: str, block: Block) -> str:
        pile, event = self._arena.piles.get(block), self._arena.stations.get(block)
        if pile is None and event is None:
            return "nothing happens"
        await self._check_reach(agent, block)
        held = resources_in(await self._stage.world.inventory(agent))
        if pile is not None:
            return await self._pick(agent, block, pile, held)
        assert event is not None
        return await self._produce(agent, block, event, held)

    async def _pick(self, agent: str, block: Block, pile: Pile, held: Mapping[str, int]) -> str:
        name = pile.resource
        self._check_tools(name, self._rules.resources[name].requires, held)
        self._check_room(agent, name, held)
        if pile.left == 0:
            raise RuleError(f"nothing is left of this pile of {name}")
        pile.left -= 1
        await self._give(agent, name, "pile", block)
        if pile.left == 0:
            await self._stage.world.edit(f"setblock {_at(block)} air")
        return f"you get 1 {name}; {pile.left} left here"

    async def _produce(self, agent: str, block: Block, name: str, held: Mapping[str, int]) -> str:
        event = self._rules.events[name]
        self._check_tools(name, event.requires, held)
        lacking = {r: n - held.get(r, 0) for r, n in event.inputs.items() if held.get(r, 0) < n}
        if lacking:
            words = " and ".join(f"{count} {resource}" for resource, count in lacking.items())
            raise RuleError(f"{name} needs {words} more")
        left = {r: n - event.inputs.get(r, 0) for r, n in held.items()}
        self._check_room(agent, event.output, left)
        taken: dict[str, int] = {}
        for resource, count in event.inputs.items():
            taken[resource] = await self._take(agent, resource, count)
        if taken != event.inputs:  # it got rid of an input in this very moment
            for resource, count in taken.items():
                if count:
                    await self._stage.world.edit(f"give {agent} {ITEMS[resource]} {count}")
            raise RuleError(f"{name} lacks an input that you held a moment ago")
        await self._give(agent, event.output, name, block)
        return f"{name} gives you 1 {event.output}"

    async def _check_reach(self, agent: str, block: Block) -> None:
        at = await self._stage.world.position(agent)
        away = max(abs(part - b - 0.5) for part, b in zip(at, block, strict=True))
        if away > REACH_BLOCKS:
            raise RuleError("that block is too far away to be used")

    @staticmethod
    def _check_tools(what: str, needed: Sequence[str], held: Mapping[str, int]) -> None:
        missing = [tool for tool in needed if not held.get(tool)]
        if missing:
            raise RuleError(f"{what} takes who holds {' and '.join(missing)}")

    def _check_room(self, agent: str, resource: str, held: Mapping[str, int]) -> None:
        job = self._jobs[agent]
        most = self._rules.jobs[job].capacity.get(resource)
        if most is not None and held.get(resource, 0) >= most:
            raise RuleError(f"a {job} can hold {most} {resource}, and no more")

    async def _take(self, agent: str, resource: str, count: int) -> int:
        """Take units; return how many there were."""
        answer = await self._stage.world.ask(f"clear {agent} {ITEMS[resource]} {count}")
        removed = re.search(r"Removed (\d+) item", answer)
        return int(removed[1]) if removed else 0

    async def _give(self, agent: str, resource: str, source: str, block: Block) -> None:
        await self._stage.world.edit(f"give {agent} {ITEMS[resource]} 1")
        fields = {"resource": resource, "source": source, "position": block}
        self._stage.note(events.Produced, agent, **fields)


class RuleError(Exception):
    """A rule of the game forbids it; the message is for the agent."""


def _needing(tools: Sequence[str]) -> str:
    return f"; you must hold {' and '.join(tools)}" if tools else ""


def _block(cell: Cell) -> Block:
    return (CORNER[0] + CELL_BLOCKS * cell[0], GROUND_Y, CORNER[1] + CELL_BLOCKS * cell[1])


def _feet(cell: Cell) -> tuple[float, float, float]:
    x, y, z = _block(cell)
    return (x + 0.5, float(y), z + 0.5)


def _at(block: Block) -> str:
    return " ".join(map(str, block))
