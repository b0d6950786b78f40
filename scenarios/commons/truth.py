"""What is true of the commons, so that rules which agents find can be told true or false.

The world's rules: grass has no life without an apple within the radius; apples grow the sooner the
more are near, and never where none is; a tree without apples is dead; bots attack where they see
no apple. A rule about growth is true where it holds with at least .8 as long as what is near stays.
"""

from __future__ import annotations

from collections.abc import Sequence

from bots.structured import AnswerError
from grid.commons.game import Commons
from worlds.commons.claims import AttacksUnfed, DeadTree, GrassRule, GrowthRule, Near, read_claim

RADIUS, NO_GROWTH, GROWTH, DEATH, BOTS = "radius", "none alone", "sooner", "death", "bots"
#: A rule holds in at least this part of its tests.
HOLDS = 0.8


def topics_of(bots: Sequence[str]) -> tuple[str, ...]:
    """Return the rules that there are to find."""
    rules = (RADIUS, NO_GROWTH, GROWTH, DEATH)
    return (*rules, BOTS) if bots else rules


def judge_rule(
    test: str, game: Commons, players: tuple[str, ...], bots: Sequence[str]
) -> tuple[str, bool] | None:
    """Return which rule a test is (empty: none of them), and whether it is true.

    None: it cannot be told, as what is said of agents' habits, of single places, or freely.
    """
    try:
        claim = read_claim(test, players)
    except AnswerError:
        return None
    match claim:
        case GrassRule(near=near, stays=stays):
            return RADIUS if near.radius == game.radius else "", _is_grass_rule(near, stays, game)
        case GrowthRule(near=near) if near.radius == game.radius:
            topic = NO_GROWTH if near.apples == 0 and not near.or_more else GROWTH
            return topic, _is_growth_rule(claim, game)
        case DeadTree(grows=grows):
            return DEATH, not grows
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
