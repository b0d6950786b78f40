"""A village in Minecraft, with bots that walk and chests for payments.

The server is regularly asked for inventories and positions. Each person's bot carries out the
person's actions as short programs, one at a time.
"""

from __future__ import annotations

import asyncio
import itertools
import math
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from functools import partial
from typing import Any

from voxpolis.bridge import MinecraftWorld
from voxpolis.records import events
from voxpolis.records.events import Position
from voxpolis.records.programs import RunResult
from voxpolis.worlds.layout import Block, Layout
from voxpolis.worlds.minecraft.session import MinecraftSession
from voxpolis.worlds.protocol import FaultError
from voxpolis.worlds.society import (
    CHEST,
    THE_OPEN,
    WALKING_SPEED,
    Place,
    Resident,
    VillageBody,
    VillagePlan,
    whole_share,
)

# Feet level on the village's platform, high above any terrain.
GROUND_Y = 151
WALL_HEIGHT = 3
# Margin from the outermost home to the platform's edge, in blocks.
MARGIN_BLOCKS = 4
# Interval of queries for positions and inventories, in game seconds.
LOOK_S = 0.5
# Time limits of a bot's program.
WALK_TIMEOUT_S, PAY_TIMEOUT_S = 60.0, 20.0
# Distance between chests on a ring, and minimum number of chests for several rings.
CHEST_EVERY_BLOCKS, MOST_ON_ONE_RING = 3, 12
# Maximum number of counts until two successive counts agree, and the interval between counts.
COUNTS, COUNT_AGAIN_S = 40, 0.5
# Number of people per community chest: a chest has 27 slots.
PEOPLE_PER_CHEST = 4


class MinecraftVillage:
    """A village on a platform; see :class:`worlds.society.SocietyWorld`."""

    def __init__(
        self, session: MinecraftSession, plan: VillagePlan, chests: Sequence[Block] = ()
    ) -> None:
        """Prepare the village. ``chests`` gives the positions of chests; by default, the chests
        stand around the middle.
        """
        self._session = session
        self.plan = plan
        self.residents = {resident.name: resident for resident in plan.residents}
        self.at: dict[str, Position] = {}
        self.held: dict[str, Counter[str]] = {}
        self._is_closed = False
        self._worked: dict[str, float] = {}
        count = max(1, math.ceil(len(self.residents) / PEOPLE_PER_CHEST))
        self.chests = list(chests) or around_the_middle(count)
        self._bodies = {
            name: self._body(resident, self.chests[k % len(self.chests)])
            for k, (name, resident) in enumerate(self.residents.items())
        }

    def _body(self, resident: Resident, chest: Block) -> Villager:
        return Villager(self, resident, chest)

    @property
    def world(self) -> MinecraftWorld:
        return self._session.world

    def body(self, name: str) -> Villager:
        return self._bodies[name]

    def position(self, name: str) -> Position:
        x, y, z = self.at[name]
        return (round(x, 1), round(y, 1), round(z, 1))

    async def build(self) -> None:
        await self._session.reset(self._layout())
        await asyncio.gather(*map(self._equip, self.plan.residents))
        await self.look()

    async def _equip(self, resident: Resident) -> None:
        for item, count in resident.holds.items():
            await self.world.edit(f"give {resident.name} minecraft:{item} {count}")

    def _layout(self) -> Layout:
        parts = [abs(part) for resident in self.plan.residents for part in resident.start]
        parts += [abs(part) for x, _, z in self.chests for part in (x, z)]
        reach = math.ceil(max(parts) + MARGIN_BLOCKS)
        y = float(GROUND_Y)
        return Layout(
            x=(-reach, reach),
            z=(-reach, reach),
            ground_y=GROUND_Y,
            wall_height=WALL_HEIGHT,
            floor="oak_planks",
            starts={
                name: (math.floor(resident.start[0]) + 0.5, y, math.floor(resident.start[1]) + 0.5)
                for name, resident in self.residents.items()
            },
            chests={place: {} for place in self.chests},
            places={name: (x, y, z) for name, (x, z) in self.plan.places.items()},
        )

    async def look(self) -> None:
        """Ask the server for positions and inventories.

        People who are rejoining after their host was lost keep their last position and inventory.
        """
        for name, seen in (await self.world.glances(list(self.residents))).items():
            if seen is not None:
                self.at[name], self.held[name] = seen[0], Counter(seen[1])

    async def watch(self) -> None:
        """Ask the server for positions and inventories regularly, until cancelled or until a fault
        occurs.
        """
        looking = asyncio.create_task(self._look_on())
        fault = asyncio.create_task(self._session.fault())
        try:
            await asyncio.wait({looking, fault}, return_when=asyncio.FIRST_COMPLETED)
            if fault.done():  # even if the session still waits for bodies that will not return
                raise FaultError(fault.result())
            await looking
        finally:
            for task in (looking, fault):
                task.cancel()
            await asyncio.gather(looking, fault, return_exceptions=True)

    async def _look_on(self) -> None:
        while True:
            await self.look()
            for body in self._bodies.values():
                body.check()
            await self._pause(LOOK_S)

    async def _pause(self, seconds: float) -> None:
        await self._session.writer.clock.sleep(seconds)

    async def end(self) -> None:
        await asyncio.gather(*(body.end() for body in self._bodies.values()))

    async def say(self, name: str, text: str) -> None:
        """Show an utterance in the server's chat. Nothing is shown if the server refuses the text
        because it contains an invalid selector, such as ``@x``.
        """
        await self.world.ask(f"say {name}: {' '.join(text.split())}")

    def on_chat(self, name: str, heard: Callable[[str], None]) -> None:
        """Call ``heard`` with each chat message that a person's bot sends."""

        def listen(event: events.Event) -> None:
            if isinstance(event, events.Chat) and event.agent == name:
                heard(event.text)

        self._session.listeners.append(listen)

    # --- Work and the chests ---------------------------------------------------------------------

    async def work(self, name: str) -> bool:
        now, item = self._session.writer.now(), self.residents[name].makes
        worked = self._worked.get(name, -math.inf)
        if now - worked < self.plan.work_s or self._is_closed or not item:
            return False
        self._worked[name] = now
        await self.world.edit(f"give {name} minecraft:{item} 1")
        return True

    async def deposit(self, name: str, share: float) -> Mapping[str, int]:
        """Let a person put a share of its items into the chest, and return how many items of each
        kind the server counts.
        """
        before = Counter(await self.world.inventory(name))
        due = whole_share(before, share)
        if due:
            await self._bodies[name].put_into_chest(due)
        return before - Counter(await self.world.inventory(name))

    async def account(self, names: Sequence[str]) -> tuple[dict[str, Counter[str]], Counter[str]]:
        """Return the contents of inventories and community chests at one moment, according to the
        server.

        An item that is on its way to a chest is in neither, so the items are counted until two
        successive counts agree.
        """
        last = None
        for _ in range(COUNTS):
            held = await self.world.inventories(names)
            found = ({name: Counter(items) for name, items in held.items()}, await self._chests())
            if found == last:
                break
            last = found
            await self._pause(COUNT_AGAIN_S)
        return found

    async def _chests(self) -> Counter[str]:
        held = await asyncio.gather(*map(self.world.container, self.chests))
        return sum(map(Counter, held), Counter[str]())

    def close_workplaces(self, closed: bool) -> None:
        self._is_closed = closed


class Villager(VillageBody):
    """The body of one person in the village; see :class:`bots.agents.piano.body.Body`."""

    def __init__(self, village: MinecraftVillage, resident: Resident, chest: Block) -> None:
        super().__init__(resident)
        self._village = village
        self._chest = chest
        self._bot = village.world.bodies[resident.name]
        self._turn = asyncio.Lock()
        self._errand: asyncio.Task[None] | None = None
        self._errands = 0
        self._tasks: set[asyncio.Task[None]] = set()
        # Error in the first failed errand.
        self._error: BaseException | None = None

    def place(self) -> str:
        plan = self._village.plan
        for name, middle in plan.places.items():
            if self._away(middle) <= plan.place_radius_blocks:
                return name
        return THE_OPEN

    def near(self) -> list[str]:
        village = self._village
        own, reach = village.at[self._resident.name], village.plan.hearing_blocks
        return [
            name
            for name, at in village.at.items()
            if name != self._resident.name and math.dist(own, at) <= reach
        ]

    def inventory(self) -> Mapping[str, int]:
        return self._village.held[self._resident.name]

    def threat(self) -> str | None:
        """Return None, because the platform is safe."""
        return None

    def flee(self) -> None:
        """Do nothing, because there is nothing to flee from."""

    def _plan(self) -> VillagePlan:
        return self._village.plan

    def _at(self, name: str) -> Place | None:
        if name not in self._village.at:
            return None
        x, _, z = self._village.at[name]
        return x, z

    def _where(self, target: str) -> Place:
        if target == CHEST:
            return self._chest[0] + 0.5, self._chest[2] + 0.5
        return super()._where(target)

    def head_for(self, target: str) -> float:
        self._begin(partial(self._go, self.way_to(target)))
        return self._away(self._where(target)) / WALKING_SPEED

    def way_to(self, target: str) -> str:
        """Return the position of a target and the distance at which to stop, as arguments for a
        program.
        """
        x, z = self._where(target)
        reach, y = self._reach(target), self._height(target)
        return f"new Vec3({x:.2f}, {y:g}, {z:.2f}), {reach}"

    def _height(self, _target: str) -> float:
        return GROUND_Y

    def _reach(self, _target: str) -> int:
        """Return how far from a target, in blocks, a walk ends."""
        return 2

    async def _go(self, to: str) -> None:
        await self._walk(to)

    async def _walk(self, to: str) -> RunResult:
        return await self._bot.run(f"await goTo(bot, {to})", WALK_TIMEOUT_S)

    def stop(self) -> None:
        if self._errand is not None and not self._errand.done():
            self._begin(None)

    def _begin(self, errand: Callable[[], Awaitable[None]] | None) -> None:
        """Replace the bot's errand by another errand, or by none if ``errand`` is None."""
        self._errands += 1
        before = self._errand
        self._errand = self._begun(self._do(self._errands, errand, before))

    def _begun(self, errand: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(errand)
        self._tasks.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            self._error = self._error or task.exception()

    async def _do(
        self,
        number: int,
        errand: Callable[[], Awaitable[None]] | None,
        before: asyncio.Task[None] | None,
    ) -> None:
        if before is not None and not before.done():
            await self._bot.stop("changed its mind")
        async with self._turn:
            if errand is not None and number == self._errands:
                await errand()

    async def put_into_chest(self, due: Mapping[str, int]) -> None:
        x, y, z = self._chest
        items = ", ".join(f"{item}: {count}" for item, count in due.items())
        self._errands += 1
        await self._bot.stop("puts something into its chest")
        async with self._turn:
            code = f"await depositItemIntoChest(bot, new Vec3({x}, {y}, {z}), {{{items}}})"
            await self._bot.run(code, PAY_TIMEOUT_S)

    def say(self, text: str) -> list[str]:
        self._begun(self._village.say(self._resident.name, text))
        return self.near()

    def check(self) -> None:
        """Raise the error of an errand that has failed, if there is one."""
        if self._error is not None:
            raise self._error

    async def end(self) -> None:
        tasks = [*self._tasks, *([] if self._errand is None else [self._errand])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def around_the_middle(chests: int) -> list[Block]:
    """Return positions for chests on one or more rings around the middle, at least two blocks
    apart.
    """
    if chests <= MOST_ON_ONE_RING:
        return _ring(max(2.0, chests * CHEST_EVERY_BLOCKS / math.tau), chests)
    places: list[Block] = []
    for radius in itertools.count(2, CHEST_EVERY_BLOCKS):
        room = int(radius * math.tau / CHEST_EVERY_BLOCKS)
        places += _ring(radius, min(room, chests - len(places)))
        if len(places) == chests:
            break
    return places


def _ring(radius: float, chests: int) -> list[Block]:
    angles = [number * math.tau / chests for number in range(chests)]
    return [(round(radius * math.cos(a)), GROUND_Y, round(radius * math.sin(a))) for a in angles]
