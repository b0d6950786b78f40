"""A village with trades on a Minecraft server, where bots till, mine, craft, eat and give.

The server reports inventories, hunger and positions. The server also decides the results of work: a
result is the difference between a bot's inventory before and after an errand.
"""

from __future__ import annotations

import asyncio
import math
import random
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from voxpolis.bots.agents.piano.body import Surroundings
from voxpolis.bridge import MinecraftWorld
from voxpolis.records.events import Position
from voxpolis.records.programs import RunResult
from voxpolis.worlds.layout import Block, Layout
from voxpolis.worlds.minecraft.session import MinecraftSession
from voxpolis.worlds.minecraft.trades import skills
from voxpolis.worlds.minecraft.trades.doing import DO, ProgramContext
from voxpolis.worlds.minecraft.trades.site import (
    GROUND_Y,
    Animals,
    Growth,
    TradeSite,
    crop_speed,
    lay_out,
)
from voxpolis.worlds.minecraft.trades.skills import (
    ANIMAL,
    FAILED_S,
    HANDING_S,
    ON_ITS_WAY_S,
    OWN_LIMIT_S,
    TICKS_PER_SECOND,
)
from voxpolis.worlds.minecraft.village import MinecraftVillage, Villager
from voxpolis.worlds.society import THE_OPEN, Place, Resident
from voxpolis.worlds.trades import HUNGRY, Report, Rule, TradePlan, Trades
from voxpolis.worlds.trades.rules import AWAY, EAT, Targets

# --- Hunger: Minecraft's mechanism, scaled to the village's rules ---------------------------------
# People start well fed. Until they are hungry for the first time, they are drained at a rate at
# which bread lasts as long as the rules say (``hunger.every_s``). From then on the village's
# poorest food lasts that long. Otherwise people for whom bread lasted two minutes would eat
# everything they caught and never have anything to give, because raw meat feeds a third as long as
# bread.

# Food level (of 20) at or below which players cannot run in Minecraft.
HUNGRY_FOOD = 6
# Speed loss per level of the slowness effect in Minecraft.
SLOWER_A_LEVEL = 0.15
# Source: Minecraft. How much exhaustion uses up a point of food or saturation, and how much
# exhaustion the hunger effect causes per tick and level.
TIRED_A_FOOD, TIRED_A_TICK = 4.0, 0.005
BREAD = "bread"
# Minecraft: food plus saturation of an item (minecraft.wiki: Food).
FEEDS = {"apple": 6.4, BREAD: 11.0, "cod": 2.4, "cooked_cod": 11.0, "salmon": 2.4}
FEEDS |= {"mutton": 3.2, "cooked_mutton": 15.6, "beef": 4.8, "cooked_beef": 20.8}
FEEDS |= {"chicken": 3.2, "cooked_chicken": 13.2, "carrot": 6.6, "potato": 1.6}


def hunger_level(feeds: float, lasts_s: float) -> int:
    """Return the level of Minecraft's hunger effect at which the food points ``feeds`` last
    ``lasts_s`` seconds.
    """
    tired = TIRED_A_FOOD * feeds / (lasts_s * TICKS_PER_SECOND)
    return min(255, max(0, round(tired / TIRED_A_TICK) - 1))


class Hunger:
    """Makes people hungry as often as the rules say, and slows down people who are hungry."""

    def __init__(self, world: MinecraftWorld, trades: Trades) -> None:
        self._world = world
        self._slower = round((1 - trades.hunger.slower) / SLOWER_A_LEVEL) - 1
        poorest = min((FEEDS.get(food, FEEDS[BREAD]) for food in trades.hunger.foods), default=0.0)
        self._first = hunger_level(FEEDS[BREAD], trades.hunger.every_s)
        self._later = hunger_level(poorest, trades.hunger.every_s)
        # People who have not been hungry yet.
        self._fresh: set[str] = set()

    async def feed(self, names: Collection[str]) -> None:
        """Restore people's health and food. Afterwards only Minecraft's own hunger applies."""
        for name in names:
            await self._world.edit(f"effect give {name} instant_health 1 4 true")
            await self._world.edit(f"effect give {name} saturation 1 19 true")

    async def drain(self, names: Collection[str]) -> None:
        for name in names:
            await self._world.edit(f"effect give {name} hunger infinite {self._first} true")
        self._fresh.update(names)

    async def note(self, name: str, food: int, seconds: float) -> None:
        """React to a person's food level. A hungry person is slowed down for ``seconds``."""
        if food > HUNGRY_FOOD:
            return
        if name in self._fresh:
            self._fresh.discard(name)
            # a weaker effect would otherwise be ignored
            await self._world.ask(f"effect clear {name} hunger")
            await self._world.edit(f"effect give {name} hunger infinite {self._later} true")
        if self._slower >= 0:
            lasts = math.ceil(seconds)
            await self._world.edit(f"effect give {name} slowness {lasts} {self._slower} true")


# --- Regrowth: grass, trees, animals --------------------------------------------------------------

# Minimum distance between regrowth and people, in blocks, so that nothing grows into people.
CLEAR_BLOCKS = 2
# Radius around a pasture's middle in which animals appear, in blocks.
HERD_BLOCKS = 3.0


class Growing:
    """Restores things that were dug, and lets animals appear."""

    def __init__(
        self,
        world: MinecraftWorld,
        site: TradeSite,
        people_at: Callable[[], Iterable[Position]],
        pause: Callable[[float], Awaitable[None]],
        seed: int,
    ) -> None:
        self._world = world
        self._site = site
        self._people_at = people_at
        self._pause = pause
        self._rng = random.Random(f"{seed} herds")

    async def begin(self) -> None:
        for herd in self._site.herds:
            for _ in range(herd.count):
                await self._summon(herd)

    def works(self) -> list[Coroutine[Any, Any, None]]:
        """Return the coroutines that restore things and animals until they are cancelled."""
        growths = [self._grow(growth) for growth in self._site.growths]
        herds = [self._raise(herd, herd.every_s) for herd in self._site.herds if herd.every_s]
        return [*growths, *herds]

    async def end(self) -> None:
        await self._world.ask(f"kill @e[type={ANIMAL}]")

    async def _grow(self, growth: Growth) -> None:
        turn = 0
        while True:
            await self._pause(growth.every_s)
            for _ in range(growth.at_once):
                (x, z), command = growth.parts[turn % len(growth.parts)]
                turn += 1
                people = self._people_at()
                if all(max(abs(at[0] - x), abs(at[2] - z)) > CLEAR_BLOCKS for at in people):
                    await self._world.ask(command)

    async def _raise(self, herd: Animals, every_s: float) -> None:
        while True:
            await self._pause(every_s)
            answer = await self._world.ask(f"execute if entity @e[type={ANIMAL}]")
            count = int(answer.rpartition(":")[2]) if ":" in answer else 0
            if count < herd.most:
                await self._summon(herd)

    async def _summon(self, herd: Animals) -> None:
        x, z = (part + self._rng.uniform(-HERD_BLOCKS, HERD_BLOCKS) for part in herd.middle)
        await self._world.edit(f"summon {ANIMAL} {x:.2f} {GROUND_Y} {z:.2f}")


# Result of a program that never started.
NEVER_BEGUN = RunResult(status="stopped", error=None, logs=[], seconds=0.0)
# The server's answer if a condition holds.
PASSED = "Test passed"
# Maximum characters of a failure's reason.
MOST_REASON = 160


@dataclass
class Work:
    """An errand in progress, with its action, destination and result."""

    action: str
    target: str | None
    report: Report | None = None


# Performs an action and returns its report.
Errand = Callable[[Work], Awaitable[Report]]


def picked(item: str) -> str:
    """Return the scoreboard objective that counts how many items of a kind were picked up."""
    return f"picked.{item}"


def why(result: RunResult) -> str:
    """Explain why a program failed, in words for its agent."""
    if result.error is None:
        return "nothing came of it this time" if result.status == "done" else "it took too long"
    return result.error.message.partition(" (in the skill")[0][:MOST_REASON]


# Interval of queries for hunger and the market, in game seconds.
ACCOUNT_S = 2.0


class MinecraftTradeVillage(MinecraftVillage):
    """A village with trades in Minecraft; see :class:`worlds.trades.TradeWorld`.

    Attributes:
        trades, listeners, log, barred: see :class:`worlds.trades.TradeWorld`.
        store: contents of the market at the last query.
        food: food level of each person, from 0 to 20.
    """

    def __init__(self, session: MinecraftSession, plan: TradePlan, *, seed: int) -> None:
        """Prepare the village. ``seed`` determines the layout of the land and the random choices of
        bots.
        """
        self.trades = plan.trades
        self.site = self._lay_out(plan, seed)
        self.listeners: list[Callable[[Report], None]] = []
        self.log: Counter[tuple[str, str]] = Counter()
        self.barred: dict[str, str] = {}
        self.store: Counter[str] = Counter()
        self.food: dict[str, int] = {}
        self._in_chests: dict[Block, Counter[str]] = {}
        self._work: dict[str, Work] = {}
        # Total number of gifts received by each person.
        self._gifts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._rng = random.Random(f"{seed} work")
        self._built_at = session.writer.clock.now()
        # People who stand still to receive a gift.
        self._still = {one.name: asyncio.Lock() for one in plan.residents}
        chances = {one.name: random.Random(f"{seed} {one.name} work") for one in plan.residents}
        people = {one.name: one for one in plan.residents}
        self._targets = Targets(plan.trades, people, chances, plan.trades.scale)
        super().__init__(session, plan, self.site.chests)
        self._hunger = Hunger(self.world, plan.trades)
        self._growing = Growing(self.world, self.site, self._people_at, self._pause, seed)

    def _lay_out(self, plan: TradePlan, seed: int) -> TradeSite:
        return lay_out(plan, seed)

    def skill(self, action: str, rule: Rule) -> skills.Skill | None:
        return skills.skill_of(action, rule)

    async def _settle(self) -> None:
        await super().build()

    def _body(self, resident: Resident, chest: Block) -> TradeVillager:
        return TradeVillager(self, resident, chest)

    def body(self, name: str) -> TradeVillager:
        found = super().body(name)
        assert isinstance(found, TradeVillager)
        return found

    def _people_at(self) -> list[Position]:
        return list(self.at.values())

    def _layout(self) -> Layout:
        return self.site.layout

    # --- The land --------------------------------------------------------------------------------

    async def build(self) -> None:
        await self._growing.end()
        await self._settle()
        await self.world.edit(f"gamerule randomTickSpeed {crop_speed(self.trades)}")
        await self.world.edit("difficulty easy")
        await self._feed()
        for item in self.trades.items:
            await self.world.objective(picked(item), f"minecraft.picked_up:minecraft.{item}")
        await self._growing.begin()
        await self._account()
        self._built_at = self._session.writer.clock.now()

    async def _feed(self) -> None:
        await self._hunger.feed(self.residents)
        await self._hunger.drain(self.residents)

    async def watch(self) -> None:
        await asyncio.gather(super().watch(), self._keep_account(), *self._growing.works())

    async def end(self) -> None:
        """Stop all errands, and restore the server's game rules."""
        await super().end()
        await self.world.ask("gamerule randomTickSpeed 3")
        await self.world.ask("difficulty peaceful")
        await self._growing.end()
        for name in self.residents:
            await self.world.ask(f"effect clear {name}")

    # --- The server's account --------------------------------------------------------------------

    async def _keep_account(self) -> None:
        while True:
            await self._pause(ACCOUNT_S)
            await self._account()

    async def _account(self) -> None:
        for name in self.residents:
            if name in self.food and self.world.is_away(name):
                continue
            self.food[name] = await self.world.food(name)
            await self._hunger.note(name, self.food[name], 2 * ACCOUNT_S)
        for place in self.site.chests:
            await self._look_into(place)

    async def _look_into(self, place: Block) -> None:
        self._in_chests[place] = Counter(await self.world.container(place))
        self.store = sum(self._in_chests.values(), Counter())

    def is_hungry(self, name: str) -> bool:
        return self.food[name] <= HUNGRY_FOOD

    def things(self, place: str) -> dict[str, int]:
        return dict(self.store) if place == self.trades.market else {}

    def doing(self, name: str) -> str:
        work = self._work.get(name)
        return work.action if work is not None and work.report is None else ""

    # --- Work ------------------------------------------------------------------------------------

    def target(self, name: str, action: str) -> str | None:
        return self._targets.of(name, action)

    def aim(self, name: str) -> Place:
        """Return the destination of a person who explores, moved onto the platform if necessary."""
        x, z = self._targets.aim(name)
        (west, east), (north, south) = self.site.layout.x, self.site.layout.z
        return min(max(x, west + 2), east - 1), min(max(z, north + 2), south - 1)

    def works_at(self, name: str, target: str) -> bool:
        """Return whether a person is busy with work that belongs to a site, even if the work has
        led the person away from the site.
        """
        work = self._work.get(name)
        return work is not None and work.target == target

    def lacks(self, name: str, action: str) -> str:
        return self.trades.rules[action].lacks(self.held[name])

    def stop_work(self, name: str) -> None:
        """Abandon a person's errand. The bot only stops when it starts something else."""
        self._work.pop(name, None)

    def carry_on(self, name: str, action: str) -> Report | None:
        rule = self.trades.rules[action]
        skill = self.skill(action, rule)
        assert skill is not None, action
        errand = partial(self._perform, name, action, skill)
        return self._go_on(
            name, action, errand, self.target(name, action), self.lacks(name, action)
        )

    def give(self, name: str, count: int, item: str, to: str) -> Report | None:
        reason = self._has_none(name, item)
        if to not in self.residents or to == name:
            reason = f"there is no {to} to give to"
        errand = partial(self._give, name, count, item, to)
        return self._go_on(name, f"GIVE {count} {item} to {to}", errand, to, reason)

    def put(self, name: str, count: int, item: str) -> Report | None:
        place = self.body(name).chest
        errand = partial(self._exchange, name, "PUT", item, skills.putting, count, place)
        reason = self._has_none(name, item)
        return self._go_on(name, f"PUT {count} {item}", errand, self.trades.market, reason)

    def take(self, name: str, count: int, item: str) -> Report | None:
        place = next((place for place, held in self._in_chests.items() if held[item]), None)
        reason = "" if place is not None else f"there is no {item} in the market"
        reason = self.barred.get(name, reason)
        there = min(count, self._in_chests[place][item]) if place is not None else 0
        errand = partial(
            self._exchange, name, "TAKE", item, skills.taking, there, place or self.chests[0]
        )
        return self._go_on(name, f"TAKE {count} {item}", errand, self.trades.market, reason)

    def run_own(self, name: str, words: str, code: str, own: ProgramContext) -> Report | None:
        """Let a bot run a program that its agent wrote for the task ``words``. A person who is
        barred from the market cannot run programs either.
        """
        errand = partial(self._run_own, name, words, code, own)
        return self._go_on(name, f"{DO} {words}", errand, None, self.barred.get(name, ""))

    async def _run_own(
        self, name: str, words: str, code: str, own: ProgramContext, work: Work
    ) -> Report:
        """Run an agent's program. If the agent expects items, the inventory decides whether the
        program succeeded.
        """
        result, change = await self._run(
            name, work, code, OWN_LIMIT_S, own.wanted, skills_of=own.skills
        )
        gained = {item: count for item, count in change.items() if count > 0}
        spent = {item: -count for item, count in change.items() if count < 0}
        came = all(change[item] >= count for item, count in own.wanted.items())
        is_done = came if own.wanted else result.status == "done"
        own.result = result
        return Report(self._now(), name, DO, words, "" if is_done else why(result), gained, spent)

    def _has_none(self, name: str, item: str) -> str:
        return "" if self.held[name][item] else f"you hold no {item}"

    # --- Errands ---------------------------------------------------------------------------------

    def _go_on(
        self, name: str, action: str, errand: Errand, target: str | None, reason: str
    ) -> Report | None:
        """Start an errand unless it is already running. Return its report once it is over.

        If the errand is impossible, ``reason`` says why. The person learns the reason only after
        some time.
        """
        work = self._work.get(name)
        if work is None or work.action != action:
            work = Work(action, target)
            begun = partial(self._fail, name, reason) if reason else errand
            self.body(name).begin_work(partial(self._report, work, begun))
            self._work[name] = work
            return None
        if work.report is None:
            return None
        del self._work[name]
        if work.report.ok and action in self.trades.rules:
            self._targets.reached(name, action)
        self.log[name, work.report.action] += 1
        for listener in self.listeners:
            listener(work.report)
        return work.report

    async def _report(self, work: Work, errand: Errand) -> None:
        work.report = await errand(work)

    async def _fail(self, name: str, reason: str, work: Work) -> Report:
        await self._pause(FAILED_S)
        verb, *what = work.action.split()
        item = what[1] if verb in ("GIVE", "PUT", "TAKE") else " ".join(what)
        to = what[3] if verb == "GIVE" else ""
        return Report(self._now(), name, verb, item, reason, to=to)

    async def _perform(self, name: str, action: str, skill: skills.Skill, work: Work) -> Report:
        verb, _, item = action.partition(" ")
        rule = self.trades.rules[action]
        moves = list(rule.makes or rule.needs)
        result, change = await self._run(name, work, skill.program, skill.limit_s, moves)
        if verb == EAT:
            self.food[name] = await self.world.food(name)
        gained = {item: change[item] for item in rule.makes if change[item] > 0}
        spent = {item: -change[item] for item in rule.needs if change[item] < 0}
        is_done = bool(gained if rule.makes else spent)
        if not moves:
            is_done = result.status == "done" and await self._stands(skill.leaves, result)
        return Report(self._now(), name, verb, item, "" if is_done else why(result), gained, spent)

    async def _stands(self, block: str, result: RunResult) -> bool:
        if not block:
            return True
        where = f"{result.logs[-1] if result.logs else ''} minecraft:{block}"
        return PASSED in await self.world.ask(f"execute if block {where}")

    async def _give(self, name: str, count: int, item: str, to: str, work: Work) -> Report:
        """Let a bot throw items to a person. The server counts how many the person picked up."""
        before = await self.world.score(to, picked(item))
        code = skills.giving(item, min(count, self.held[name][item]), to)
        async with self._still[to]:
            await self.world.bodies[to].stop("takes what it is given")
            result, change = await self._run(name, work, code, HANDING_S, [item], is_gift=True)
        taken = min(await self.world.score(to, picked(item)) - before, -change[item])
        if taken <= 0:
            reason = f"{to} did not take it" if result.status == "done" else why(result)
            return Report(self._now(), name, "GIVE", item, reason, to=to)
        self._gifts[to][item] += taken
        return Report(self._now(), name, "GIVE", item, "", {}, {item: taken}, to)

    async def _exchange(
        self,
        name: str,
        verb: str,
        item: str,
        program: Callable[[str, int, Block], str],
        count: int,
        place: Block,
        work: Work,
    ) -> Report:
        count = min(count, self.held[name][item]) if verb == "PUT" else count
        code = program(item, count, place)
        result, change = await self._run(name, work, code, HANDING_S, [item])
        await self._look_into(place)
        moved = {item: abs(change[item])}
        if verb == "PUT" and change[item] < 0:
            return Report(self._now(), name, verb, item, "", {}, moved)
        if verb == "TAKE" and change[item] > 0:
            return Report(self._now(), name, verb, item, "", moved)
        return Report(self._now(), name, verb, item, why(result))

    async def _run(
        self,
        name: str,
        work: Work,
        program: str,
        limit_s: float,
        moves: Collection[str],
        *,
        is_gift: bool = False,
        skills_of: Mapping[str, str] | None = None,
    ) -> tuple[RunResult, Counter[str]]:
        """Run a bot's program. Return its result and the change in the bot's inventory.

        ``moves`` lists the items whose number should change. The bot's last click may not have
        reached the server when the program ends, so the inventory is read again if none of these
        numbers has changed. Gifts that the bot receives in the meantime do not count. If the
        program was stopped because the bot received a gift, the program starts again. A program
        that gives something does not start again, because two people could then wait for each
        other.
        """
        before, gifts = Counter(await self.world.inventory(name)), Counter(self._gifts[name])
        result, there = NEVER_BEGUN, skills.sources() if skills_of is None else dict(skills_of)
        while result.status == "stopped" and self._work.get(name) is work:
            if not is_gift:
                await self.stand_still(name)
            if self._work.get(name) is not work:  # the person has started something else
                break
            seed = self._rng.randrange(2**31)
            result = await self.world.bodies[name].run(program, limit_s, seed, there)
            if is_gift:
                break
        after = Counter(await self.world.inventory(name))
        if moves and result.status == "done" and all(after[one] == before[one] for one in moves):
            await self._pause(ON_ITS_WAY_S)
            after = Counter(await self.world.inventory(name))
        self.held[name] = after
        change = Counter(after)
        change.subtract(before)
        change.subtract(self._gifts[name])
        change.update(gifts)
        return result, change

    async def stand_still(self, name: str) -> None:
        async with self._still[name]:
            pass

    def _now(self) -> float:
        """Return the seconds since the village was built."""
        return self._session.writer.clock.now() - self._built_at


# Distance from a site's middle at which a walk ends, in blocks: the middle may be occupied or be a
# pond.
SITE_REACH = 6


class TradeVillager(Villager):
    """The body of one person in a village with trades; see :class:`bots.agents.piano.body.Body`."""

    def __init__(self, village: MinecraftTradeVillage, resident: Resident, chest: Block) -> None:
        super().__init__(village, resident, chest)
        self._trades = village
        self.chest = chest

    def notices(self) -> Surroundings:
        village = self._trades
        seen = ((other, village.doing(other)) for other in self.near())
        return Surroundings(
            feels=HUNGRY if village.is_hungry(self._resident.name) else "",
            doing={other: action for other, action in seen if action},
            things=village.things(self.place()),
        )

    def place(self) -> str:
        sites = self._trades.trades.sites.items()
        at = {name: self._away(self._where(name)) for name, site in sites}
        near = [name for name, site in sites if at[name] <= site.radius]
        return min(near, key=lambda name: at[name], default=THE_OPEN)

    def is_at(self, target: str) -> bool:
        """Return whether this person is at a place or next to a person, or is busy with work that
        belongs to the place.
        """
        if self._trades.works_at(self._resident.name, target):
            return True
        site = self._trades.trades.sites.get(target)
        return (
            super().is_at(target)
            if site is None
            else self._away(self._where(target)) <= site.radius
        )

    def _where(self, target: str) -> Place:
        if target == AWAY:
            return self._trades.aim(self._resident.name)
        return super()._where(target)

    def _reach(self, target: str) -> int:
        return SITE_REACH if target in self._trades.trades.sites else super()._reach(target)

    def _begin(self, errand: Callable[[], Awaitable[None]] | None) -> None:
        self._trades.stop_work(self._resident.name)
        super()._begin(errand)

    async def _go(self, to: str) -> None:
        errand, result = self._errands, NEVER_BEGUN
        while result.status == "stopped" and errand == self._errands:
            await self._trades.stand_still(self._resident.name)
            if errand == self._errands:
                result = await self._walk(to)

    def begin_work(self, errand: Callable[[], Awaitable[None]]) -> None:
        self._begin(errand)
