"""What is true of a commons, so that rules which agents find can be told true or false.

The world's rules: grass has no life without an apple within the radius; apples grow the sooner the
more are near, and never where none is; a tree without apples is dead. By a river apples grow where
it is clean, and none where too much of it is dirty. Scripted bots attack where they see no apple.
A rule about growth is true where it holds with at least .8 as long as what is near stays, and the
dirt.
"""

from __future__ import annotations

from collections.abc import Sequence

from voxpolis.grid.commons.game import APPLE, SITE, Commons
from voxpolis.worlds.commons.claims import (
    AttacksUnfed,
    Claim,
    DeadTree,
    GrassRule,
    GrowthRule,
    Near,
)
from voxpolis.worlds.commons.river_claims import RiverGrowth

RADIUS, NO_GROWTH, GROWTH, DEATH, BOTS = "radius", "none alone", "sooner", "death", "bots"
DIRTY, CLEAN = "none by a dirty river", "some by a clean river"
#: A rule holds in at least this part of its tests.
HOLDS = 0.8


def topics_of(game: Commons, bots: Sequence[str]) -> tuple[str, ...]:
    """Return the rules that there are to find; ``bots``: those that play by the rule."""
    rules = (RADIUS, NO_GROWTH, GROWTH, DEATH) if game.river is None else (DIRTY, CLEAN)
    return (*rules, BOTS) if bots else rules


def judge_rule(claim: Claim, game: Commons, bots: Sequence[str]) -> tuple[str, bool] | None:
    """Return which rule a claim is (empty: none of them), and whether it is true.

    None: it cannot be told, as of agents' habits (trained bots' among them) and of single places.
    ``bots``: those that play by the rule.
    """
    match claim:
        case GrassRule(near=near, stays=stays):
            return RADIUS if near.radius == game.radius else "", _is_grass_rule(near, stays, game)
        case GrowthRule(near=near) if near.radius == game.radius:
            topic = NO_GROWTH if near.apples == 0 and not near.or_more else GROWTH
            return topic, _is_growth_rule(claim, game)
        case DeadTree(grows=grows):
            return DEATH, not grows
        case RiverGrowth(dirt=dirt):
            return DIRTY if dirt.or_more else CLEAN, _is_river_rule(claim, game)
        case AttacksUnfed(agent=agent) if agent in bots:
            return BOTS, True
        case _:
            return None


def _is_grass_rule(near: Near, stays: bool, game: Commons) -> bool:
    if stays:
        return near.apples > 0 and near.radius <= game.radius
    return near.apples == 0 and not near.or_more and near.radius >= game.radius


def _is_growth_rule(claim: GrowthRule, game: Commons) -> bool:
    """Whether it holds in each number of apples that it speaks of."""
    tiers = game.regrowth
    assert tiers is not None
    most = len(tiers) - 1
    counts = range(min(claim.near.apples, most), most + 1) if claim.near.or_more else None
    chances = [
        1 - (1 - tiers[min(count, most)]) ** claim.hours
        for count in (counts if counts is not None else (claim.near.apples,))
    ]
    if claim.grows:
        return min(chances) >= HOLDS
    return max(chances) <= 1 - HOLDS


def _is_river_rule(claim: RiverGrowth, game: Commons) -> bool:
    """Whether it holds for every part of the river's dirt that it speaks of.

    The least and the greatest of these parts decide: the cleaner, the sooner apples grow.
    """
    river = game.river
    assert river is not None
    sites = sum(row.count(letter) for row in game.rows for letter in (SITE, APPLE))
    named = claim.dirt.percent / 100
    least, most = (named, 1.0) if claim.dirt.or_more else (0.0, min(named, 1.0))

    def chance(part: float) -> float:
        rate = river.growth * min(1.0, max(0.0, (river.threshold - part) / river.threshold))
        return float(1 - (1 - rate) ** (sites * claim.hours))

    return chance(most) >= HOLDS if claim.grows else chance(least) <= 1 - HOLDS
