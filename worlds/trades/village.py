"""The simulated village with trades: inventories, contents of sites, and results of work.

The state belongs to the world, and agents cannot change it directly. Items only come from actions
that the village's rules allow (:class:`worlds.trades.rules.Trades`) and that took the required
time, tools and inputs. Each check is made together with the change that it allows, so that two
people cannot both take the last ore.
"""

from __future__ import annotations

import heapq
import math
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voxpolis.bots.agents.piano.body import Surroundings
from voxpolis.worlds.society import THE_OPEN, WALKING_SPEED, Place, Resident, VillagePlan, scatter
from voxpolis.worlds.trades.rules import AWAY, HUNGRY, Report, Rule, Stock, Targets, Trades
from voxpolis.worlds.village import Village, Walker
from voxpolis.worlds.wolves import WOLF

# --- Site contents, computed when queried ---------------------------------------------------------


class Shelf:
    """The contents of a site. The times passed to its methods must not decrease from call to
    call.
    """

    def __init__(self, stocks: Mapping[str, Stock]) -> None:
        self._stocks = stocks
        self._counts = {kind: stock.count for kind, stock in stocks.items()}
        # For things that grow: when the current growth period began.
        self._grows = dict.fromkeys((k for k, s in stocks.items() if s.every_s is not None), 0.0)
        self._coming: list[tuple[float, str, int]] = []

    def counts(self, now: float) -> dict[str, int]:
        """Return a copy of the contents at the time ``now``, in seconds."""
        self._go_on(now)
        return dict(self._counts)

    def take(self, kinds: Mapping[str, int], now: float) -> None:
        """Remove things.

        Raises:
            ValueError: the site has too few things of some kind.
        """
        self._go_on(now)
        for kind, count in kinds.items():
            if self._counts.get(kind, 0) < count:
                raise ValueError(f"there are fewer than {count} {kind}")
        for kind, count in kinds.items():
            self._counts[kind] -= count

    def leave(self, kinds: Mapping[str, int], at: float) -> None:
        for kind, count in kinds.items():
            heapq.heappush(self._coming, (at, kind, count))

    def _go_on(self, now: float) -> None:
        while self._coming and self._coming[0][0] <= now:
            _, kind, count = heapq.heappop(self._coming)
            self._counts[kind] = self._counts.get(kind, 0) + count
        for kind, since in self._grows.items():
            stock = self._stocks[kind]
            every = stock.every_s or math.inf
            grown = math.floor((now - since) / every)
            if self._counts[kind] >= stock.most:
                self._grows[kind] = now
            elif grown:
                self._counts[kind] = min(stock.most, self._counts[kind] + grown)
                self._grows[kind] = since + grown * every


# Seconds that people need to find out that something is impossible, and to hand something over. Our
# choices.
FAILED_S, HANDING_S = 3.0, 1.0


@dataclass(frozen=True, kw_only=True)
class TradePlan(VillagePlan):
    """The plan of a village with trades. Its residents know all sites of ``trades`` as their own
    places.

    ``is_natural`` only concerns Minecraft: the village is natural terrain without buildings, and
    has ``danger`` monsters per person.
    """

    trades: Trades
    is_natural: bool = False
    danger: int = 0


@dataclass
class _Busy:
    action: str
    until: float
    reason: str


class TradeVillage(Village):
    """A village with trades; see :class:`worlds.society.SocietyWorld`.

    There may be several villages far apart. A resident only knows the sites of its own village.

    Attributes:
        trades: the rules of the village.
        listeners: functions that are called with each report.
        log: number of completed actions for each pair (agent, action).
        barred: the persons that may take nothing from the market now, each with the reason.
    """

    def __init__(self, plan: TradePlan, now: Callable[[], float], *, seed: int) -> None:
        super().__init__(plan, now, seed=seed)
        self.trades = plan.trades
        self.listeners: list[Callable[[Report], None]] = []
        self.log: Counter[tuple[str, str]] = Counter()
        self.barred: dict[str, str] = {}
        self._busy: dict[str, _Busy] = {}
        self._fed: dict[str, float] = dict.fromkeys(self.names, 0.0)
        self._worn: Counter[tuple[str, str]] = Counter()
        self._chances = {name: random.Random(f"{seed} {name} work") for name in self.names}
        self._targets = Targets(plan.trades, self.residents, self._chances)
        self._shelves: dict[tuple[str, Place], Shelf] = {}
        self._stores: dict[Place, Counter[str]] = {}
        # Sites of each person: name, position and squared radius.
        self._sites_of = [
            [(name, *one.places[name], s.radius**2) for name, s in self.trades.sites.items()]
            for one in plan.residents
        ]

    def body(self, name: str) -> TradeWalker:
        return TradeWalker(self, self.residents[name])

    def scenery(self) -> dict[str, Any]:
        """Return the village as fields of :class:`records.events.WorldBuilt`. The ground reaches to
        the outermost sites.
        """
        found = super().scenery()
        (kind, west, north, east, south), *_ = found["ground"]
        xs = [west, east, *(x for x, _, _ in found["places"].values())]
        zs = [north, south, *(z for _, _, z in found["places"].values())]
        return {**found, "ground": [(kind, min(xs), min(zs), max(xs), max(zs))]}

    # --- Places and hunger -----------------------------------------------------------------------

    def _look_up(self, i: int) -> str:
        x, z = self.at(i)
        for name, east, south, reach in self._sites_of[i]:
            if (east - x) ** 2 + (south - z) ** 2 <= reach:
                return name
        return THE_OPEN

    def is_hungry(self, name: str) -> bool:
        return self.now() - self._fed[name] > self.trades.hunger.every_s

    def speed_of(self, i: int) -> float:
        is_slow = self.is_hungry(self.names[i])
        return WALKING_SPEED * (self.trades.hunger.slower if is_slow else 1.0)

    def shelf(self, name: str, site: str) -> Shelf:
        at = self.residents[name].places[site]
        found = self._shelves.get((site, at))
        if found is None:
            found = self._shelves[site, at] = Shelf(self.trades.sites[site].holds)
        return found

    def store(self, name: str) -> Counter[str]:
        at = self.residents[name].places[self.trades.market]
        return self._stores.setdefault(at, Counter())

    def things(self, name: str, place: str) -> dict[str, int]:
        if place not in self.trades.sites:
            return {}
        found = self.shelf(name, place).counts(self.now())
        return {**found, **self.store(name)} if place == self.trades.market else found

    def doings(self, names: Iterable[str]) -> dict[str, str]:
        now, busy = self.now(), self._busy
        found = [(name, busy[name]) for name in names if name in busy]
        return {name: one.action for name, one in found if not one.reason and one.until >= now}

    def target(self, name: str, action: str) -> str | None:
        return self._targets.of(name, action)

    def aim(self, name: str) -> Place:
        return self._targets.aim(name)

    # --- Work ------------------------------------------------------------------------------------

    def lacks(self, name: str, action: str) -> str:
        return self.trades.rules[action].lacks(self.residents[name].holds)

    def carry_on(self, name: str, action: str) -> Report | None:
        busy, now = self._busy.get(name), self.now()
        if busy is None or busy.action != action:
            reason = self.lacks(name, action) or self._misses(name, action)
            takes = self.trades.rules[action].takes_s
            if self.is_hungry(name) and not action.startswith("EAT"):
                takes /= self.trades.hunger.slower
            self._busy[name] = _Busy(action, now + (FAILED_S if reason else takes), reason)
            return None
        if now < busy.until:
            return None
        del self._busy[name]
        return self._told(self._done(name, action, busy.reason))

    def stop_work(self, name: str) -> None:
        self._busy.pop(name, None)

    def _misses(self, name: str, action: str) -> str:
        rule = self.trades.rules[action]
        if not rule.uses:
            return ""
        counts = self.shelf(name, rule.at).counts(self.now())
        missing = [kind for kind, count in rule.uses.items() if counts.get(kind, 0) < count]
        return f"there is no {missing[0]} left at {rule.at}" if missing else ""

    def _done(self, name: str, action: str, reason: str) -> Report:
        verb, _, item = action.partition(" ")
        reason = reason or self.lacks(name, action) or self._misses(name, action)
        if reason:
            return Report(self.now(), name, verb, item, reason)
        rule, held = self.trades.rules[action], self.residents[name].holds
        self._wear(name, rule)
        self._targets.reached(name, action)
        if self._chances[name].random() >= rule.chance:
            return Report(self.now(), name, verb, item, "nothing came of it this time")
        if rule.uses or rule.leaves:
            shelf = self.shelf(name, rule.at)
            shelf.take(rule.uses, self.now())
            shelf.leave(rule.leaves, self.now() + rule.after_s)
        held.subtract(rule.needs)
        held.update(rule.makes)
        if verb == "EAT":
            self._fed[name] = self.now()
        return Report(self.now(), name, verb, item, "", rule.makes, rule.needs)

    def _wear(self, name: str, rule: Rule) -> None:
        """Let the best tool that a person holds wear by one use. A worn-out tool breaks."""
        held, wears = self.residents[name].holds, self.trades.wears
        tool = next((tool for tool in reversed(rule.tools) if held[tool]), None)
        if tool is None or tool not in wears:
            return
        self._worn[name, tool] += 1
        if self._worn[name, tool] >= wears[tool]:
            self._worn[name, tool] = 0
            held[tool] -= 1

    # --- Handing over ----------------------------------------------------------------------------

    def give(self, name: str, count: int, item: str, to: str) -> Report:
        if to not in self.residents or to == name:
            return self._told(
                Report(self.now(), name, "GIVE", item, f"there is no {to} to give to")
            )
        return self._hand_over(name, "GIVE", count, item, self.residents[to].holds, to)

    def put(self, name: str, count: int, item: str) -> Report:
        return self._hand_over(name, "PUT", count, item, self.store(name))

    def take(self, name: str, count: int, item: str) -> Report:
        store = self.store(name)
        reason = "" if store[item] else f"there is no {item} in the market"
        if reason := self.barred.get(name, reason):
            return self._told(Report(self.now(), name, "TAKE", item, reason))
        moved = {item: min(count, store[item])}
        store.subtract(moved)
        self.residents[name].holds.update(moved)
        return self._told(Report(self.now(), name, "TAKE", item, "", moved))

    def _hand_over(
        self, name: str, verb: str, count: int, item: str, into: Counter[str], to: str = ""
    ) -> Report:
        held = self.residents[name].holds
        if held[item] < 1:
            return self._told(Report(self.now(), name, verb, item, f"you hold no {item}", to=to))
        moved = {item: min(count, held[item])}
        held.subtract(moved)
        into.update(moved)
        return self._told(Report(self.now(), name, verb, item, "", {}, moved, to))

    def _told(self, report: Report) -> Report:
        self.log[report.agent, report.action] += 1
        for listener in self.listeners:
            listener(report)
        return report


class TradeWalker(Walker):
    """The body of one person in a village with trades; see :class:`bots.agents.piano.body.Body`."""

    def __init__(self, village: TradeVillage, resident: Resident) -> None:
        super().__init__(village, resident)
        self._trades = village

    def notices(self) -> Surroundings:
        village, name = self._trades, self._resident.name
        return Surroundings(
            feels=HUNGRY if village.is_hungry(name) else "",
            doing=village.doings(self.near()),
            things={**village.things(name, self.place()), **({WOLF: 1} if self.threat() else {})},
        )

    def _where(self, target: str) -> Place:
        if target == AWAY:
            return self._trades.aim(self._resident.name)
        return super()._where(target)


# --- Starts: around the market, with empty inventories --------------------------------------------

# Distance between villages in blocks, so that their people never meet; our choice.
APART_BLOCKS = 2000.0


def settle(
    trades: Trades, names: Sequence[str], most_together: int, *, seed: int, hearing_blocks: float
) -> TradePlan:
    """Assign people to as many copies of the village as needed. The copies are far apart.

    Args:
        trades: the rules of each village.
        names: names of the people.
        most_together: maximum number of people per village. All villages have about equally many.
        seed: seed for the positions around the market at which people start.
        hearing_blocks: distance up to which people hear each other, in blocks.

    Raises:
        ValueError: a site has the name of a person.
    """
    called = {name.casefold() for name in names}
    for site in trades.sites:
        if site.casefold() in called:
            raise ValueError(
                f"the site name {site!r} is also the name of a person: rename the site"
            )
    rng = random.Random(f"{seed} settling")
    villages = -(-len(names) // most_together)
    residents, places = [], dict[str, Place]()
    for number in range(villages):
        own = {name: (x + number * APART_BLOCKS, z) for name, (x, z) in trades.places().items()}
        mark = "" if number == 0 else f" {number + 1}"
        places |= {f"{name}{mark}": at for name, at in own.items()}
        people = names[number::villages]
        radius = trades.sites[trades.market].radius
        starts = scatter(rng, own[trades.market], radius, len(people))
        residents += [Resident(name, at, own) for name, at in zip(people, starts, strict=True)]
    order = {name: k for k, name in enumerate(names)}
    residents.sort(key=lambda one: order[one.name])
    return TradePlan(residents, places, hearing_blocks=hearing_blocks, trades=trades)


def open_village(plan: VillagePlan, now: Callable[[], float], *, seed: int) -> Village:
    """Build the simulated village that ``plan`` describes; see :class:`worlds.village.Village`."""
    if isinstance(plan, TradePlan):
        return TradeVillage(plan, now, seed=seed)
    return Village(plan, now, seed=seed)
