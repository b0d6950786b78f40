"""A village in Minecraft as a society's habitat: bots who walk, and chests that hold what is paid.

What people hold and where they are is looked up in the server itself, every now and then; what they
do are short programs of their bots, one at a time.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Mapping, Sequence

from grid.village import ARRIVED_BLOCKS, WALKING_SPEED, Place, Resident, whole_share
from scenarios.world import Stage

from bridge import BridgeError, MinecraftWorld
from records.events import Position

#: Feet level on the village's platform, high above any land.
GROUND_Y = 151
WALL_HEIGHT = 3
#: How often the server is asked where everybody is and what they hold, in game seconds.
LOOK_S = 0.5
#: Limits of a bot's program.
WALK_TIMEOUT_S, PAY_TIMEOUT_S = 60.0, 20.0
#: How often holdings are counted until they are twice the same, and how long between.
COUNTS, COUNT_AGAIN_S = 40, 0.5
#: People to a community chest: a chest has 27 slots.
PEOPLE_PER_CHEST = 5
#: A fill command changes at most 32,768 blocks.
STRIP_BLOCKS = 32


class MinecraftHabitat:
    """The village on its platform."""

    def __init__(
        self,
        stage: Stage,
        residents: Sequence[Resident],
        places: Mapping[str, Place],
        *,
        hearing_blocks: float,
        work_s: float,
        place_radius: float = ARRIVED_BLOCKS,
    ) -> None:
        self._stage = stage
        self.residents = {resident.name: resident for resident in residents}
        self.places = dict(places)
        self.hearing_blocks = hearing_blocks
        self.work_s = work_s
        self.place_radius = place_radius
        self.is_closed = False
        self.at: dict[str, Position] = {}
        self.held: dict[str, Counter[str]] = {}
        self._bodies: dict[str, MinecraftBody] = {}
        spread = max(1, math.ceil(len(residents) / PEOPLE_PER_CHEST))
        self.chests = [_on_ring(k, spread) for k in range(spread)]

    @property
    def world(self) -> MinecraftWorld:
        """The server."""
        return self._stage.world

    def now(self) -> float:
        """Game time in seconds."""
        return self._stage.writer.now()

    def body(self, name: str) -> MinecraftBody:
        """An agent's body."""
        if name not in self._bodies:
            chest = self.chests[len(self._bodies) % len(self.chests)]
            self._bodies[name] = MinecraftBody(self, self.residents[name], chest)
        return self._bodies[name]

    def position(self, name: str) -> Position:
        """Where an agent was a moment ago."""
        x, y, z = self.at[name]
        return (round(x, 1), round(y, 1), round(z, 1))

    async def build(self) -> None:
        """Build the platform, and put everybody with what they begin with in place."""
        reach = math.ceil(max(abs(part) for r in self.residents.values() for part in r.start) + 4)
        starts = {
            name: (math.floor(r.start[0]) + 0.5, float(GROUND_Y), math.floor(r.start[1]) + 0.5)
            for name, r in self.residents.items()
        }
        chests = [f"setblock {x} {y} {z} chest" for x, y, z in self.chests]
        places = {name: (x, float(GROUND_Y), z) for name, (x, z) in self.places.items()}
        await self._stage.reset([*_platform(reach), *chests], starts, places=places)
        for name, resident in self.residents.items():
            for item, count in resident.holds.items():
                await self.world.edit(f"give {name} minecraft:{item} {count}")
        await self.look()

    async def look(self) -> None:
        """Ask the server where everybody is and what they hold."""
        names = list(self.residents)
        self.at = {name: await self.world.position(name) for name in names}
        held = await self.world.inventories(names)
        self.held = {name: Counter(items) for name, items in held.items()}

    async def watch(self) -> None:
        """Look again and again; raises what a body's errand ran into."""
        while True:
            await self.look()
            for body in self._bodies.values():
                body.check()
            await asyncio.sleep(self._stage.writer.clock.wall_seconds(LOOK_S))

    async def end(self) -> None:
        """Stop all errands."""
        await asyncio.gather(*(body.end() for body in self._bodies.values()))

    # --- Holdings, see scenarios.taxation ---------------------------------------------------------

    async def account(self, names: Sequence[str]) -> tuple[dict[str, Counter[str]], Counter[str]]:
        """What people and the community chests hold, by the server, at one moment.

        Somebody may be at a chest while it is counted, with things in hand that nobody's account
        shows. So it is counted again until twice the same comes out.
        """
        last = None
        for _ in range(COUNTS):
            held = await self.world.inventories(names)
            found = ({name: Counter(items) for name, items in held.items()}, await self._chests())
            if found == last:
                break
            last = found
            await asyncio.sleep(self._stage.writer.clock.wall_seconds(COUNT_AGAIN_S))
        return found

    async def _chests(self) -> Counter[str]:
        found = Counter[str]()
        for place in self.chests:
            found.update(await self.world.container(place))
        return found

    def close_workplaces(self, closed: bool) -> None:
        """Let nothing be made while a season lasts."""
        self.is_closed = closed


class MinecraftBody:
    """One agent's body: what :class:`bots.agents.piano.body.Body` asks for."""

    def __init__(
        self, habitat: MinecraftHabitat, resident: Resident, chest: tuple[int, int, int]
    ) -> None:
        self._habitat = habitat
        self._resident = resident
        self._chest = chest
        self._bot = habitat.world.bodies[resident.name]
        self._turn = asyncio.Lock()
        self._errand: asyncio.Task[None] | None = None
        self._errands = 0
        self._said: set[asyncio.Task[str]] = set()
        self._worked = -math.inf

    def place(self) -> str:
        """Where it is."""
        for name, middle in self._habitat.places.items():
            if self._away(middle) <= self._habitat.place_radius:
                return name
        return "the open"

    def near(self) -> list[str]:
        """Who would hear it."""
        own, reach = self._habitat.at[self._resident.name], self._habitat.hearing_blocks
        return [
            name
            for name, at in self._habitat.at.items()
            if name != self._resident.name and math.dist(own, at) <= reach
        ]

    def inventory(self) -> Mapping[str, int]:
        """What the server said it holds, a moment ago."""
        return self._habitat.held[self._resident.name]

    def threat(self) -> str | None:
        """Nothing hurts on the platform."""
        return None

    def flee(self) -> None:
        """There is nothing to flee from."""

    def _away(self, to: Place) -> float:
        x, _, z = self._habitat.at[self._resident.name]
        return math.hypot(to[0] - x, to[1] - z)

    def _where(self, target: str) -> Place:
        habitat = self._habitat
        if target == "chest":
            return self._chest[0] + 0.5, self._chest[2] + 0.5
        if target in self._resident.places:
            return self._resident.places[target]
        if target in habitat.places:
            return habitat.places[target]
        if target in habitat.at:
            x, _, z = habitat.at[target]
            return x, z
        raise LookupError(f"there is no place or person {target!r}")

    def is_at(self, target: str) -> bool:
        """Whether it is at a place, or next to somebody."""
        try:
            return self._away(self._where(target)) <= ARRIVED_BLOCKS
        except LookupError:
            return False

    def head_for(self, target: str) -> float:
        """Set out; gives the seconds that the way should take.

        Raises:
            LookupError: there is no such place or person.
        """
        x, z = self._where(target)
        self._begin(f"await goTo(bot, new Vec3({x:.2f}, {GROUND_Y}, {z:.2f}), 2)")
        return self._away((x, z)) / WALKING_SPEED

    def stop(self) -> None:
        """Stay."""
        if self._errand is not None and not self._errand.done():
            self._begin("")

    def _begin(self, code: str) -> None:
        """Let the bot do something else from now on."""
        self._errands += 1
        before = self._errand
        self._errand = asyncio.create_task(self._do(self._errands, code, before))

    async def _do(self, number: int, code: str, before: asyncio.Task[None] | None) -> None:
        if before is not None and not before.done():
            await self._bot.stop("changed its mind")
        async with self._turn:
            if code and number == self._errands:
                await self._bot.run(code, WALK_TIMEOUT_S)

    async def work(self) -> bool:
        """Be given one piece of what its job makes, if the last one was long enough ago."""
        habitat, item = self._habitat, self._resident.makes
        if habitat.now() - self._worked < habitat.work_s or habitat.is_closed or not item:
            return False
        self._worked = habitat.now()
        await habitat.world.edit(f"give {self._resident.name} minecraft:{item} 1")
        return True

    async def pay(self, share: float) -> Mapping[str, int]:
        """Put a share of what it holds into its chest; what was put in by the server's account."""
        name, world = self._resident.name, self._habitat.world
        before = Counter(await world.inventory(name))
        due = whole_share(before, share)
        if due:
            x, y, z = self._chest
            items = ", ".join(f"{item}: {count}" for item, count in due.items())
            self._errands += 1
            await self._bot.stop("pays its tax")
            async with self._turn:
                code = f"await depositItemIntoChest(bot, new Vec3({x}, {y}, {z}), {{{items}}})"
                await self._bot.run(code, PAY_TIMEOUT_S)
        return before - Counter(await world.inventory(name))

    def say(self, text: str) -> list[str]:
        """Say something: the server's chat shows it, those within hearing take notice."""
        words = " ".join(text.split())
        task = asyncio.create_task(self._habitat.world.edit(f"say {self._resident.name}: {words}"))
        self._said.add(task)
        task.add_done_callback(self._said.discard)
        return self.near()

    def check(self) -> None:
        """Raise what its last errand ran into.

        Raises:
            BridgeError: the bot is gone.
        """
        if self._errand is not None and self._errand.done() and not self._errand.cancelled():
            error = self._errand.exception()
            if isinstance(error, BridgeError):
                raise error

    async def end(self) -> None:
        """Stop what it does."""
        for task in (self._errand, *self._said):
            if task is not None:
                task.cancel()
        await asyncio.gather(
            *(t for t in (self._errand, *self._said) if t is not None), return_exceptions=True
        )


def _on_ring(number: int, chests: int) -> tuple[int, int, int]:
    """Chests stand on a ring, two blocks apart at least."""
    radius = max(2.0, chests * 3 / math.tau)
    angle = number * math.tau / chests
    return round(radius * math.cos(angle)), GROUND_Y, round(radius * math.sin(angle))


def _platform(reach: int) -> list[str]:
    """A walled floor of planks, as commands, strip by strip."""
    lines = [f"forceload add {-reach} {-reach} {reach} {reach}"]
    top = GROUND_Y + WALL_HEIGHT
    for x in range(-reach, reach + 1, STRIP_BLOCKS):
        end = min(x + STRIP_BLOCKS - 1, reach)
        lines += [
            f"fill {x} {GROUND_Y} {-reach} {end} {top} {reach} air",
            f"fill {x} {GROUND_Y - 1} {-reach} {end} {GROUND_Y - 1} {reach} oak_planks",
        ]
    for side in (-reach, reach):
        lines.append(f"fill {side} {GROUND_Y} {-reach} {side} {top} {reach} barrier")
        lines.append(f"fill {-reach} {GROUND_Y} {side} {reach} {top} {side} barrier")
    return lines
