"""Where people of villages with trades begin: around their market, with empty hands."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from voxpolis.worlds.society import Place, Resident, VillagePlan, scatter
from voxpolis.worlds.trades.rules import Trades
from voxpolis.worlds.trades.village import TradePlan, TradeVillage
from voxpolis.worlds.village import Village

#: Villages lie so far apart, in blocks, that nobody of one meets anybody of another; ours.
APART_BLOCKS = 2000.0


def settle(
    trades: Trades, names: Sequence[str], most_together: int, *, seed: int, hearing_blocks: float
) -> TradePlan:
    """Return where people live: as many villages of the same plan, far apart, as they need.

    Args:
        trades: the plan of each village.
        names: who lives there, with empty hands.
        most_together: how many live in one village at most; all have about as many.
        seed: of where around the market each begins.
        hearing_blocks: how far a voice carries.

    Raises:
        ValueError: a site is called as somebody who lives there.
    """
    called = {name.casefold() for name in names}
    for site in trades.sites:
        if site.casefold() in called:
            raise ValueError(f"site {site!r} is called as somebody who lives there")
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
    """Return the computed world of a plan; see :class:`worlds.village.Village`."""
    if isinstance(plan, TradePlan):
        return TradeVillage(plan, now, seed=seed)
    return Village(plan, now, seed=seed)
