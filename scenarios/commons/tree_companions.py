"""What scripted persons know, ask and foresee of a commons with trees."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from voxpolis.bots.agents.turns import Cell
from voxpolis.scenarios.commons.companions import CommonsCompanion, sight_of
from voxpolis.worlds.commons.claims import (
    Claim,
    DeadTree,
    GrassRule,
    GrowthRule,
    Near,
    SiteGrowth,
    State,
    TreeState,
)
from voxpolis.worlds.commons.lent import BY_TREES
from voxpolis.worlds.commons.trees import near

NONE_NEAR, SOME_NEAR, ONE_NEAR = Near(0, False, 2), Near(1, True, 2), Near(1, False, 2)
#: What is so, and what is not; an observer supposes both at its first search for rules.
TRUE_RULES = (
    GrassRule(NONE_NEAR, stays=False),
    GrassRule(SOME_NEAR, stays=True),
    GrowthRule(NONE_NEAR, grows=False, hours=20),
    GrowthRule(ONE_NEAR, grows=False, hours=20),
    DeadTree(grows=False, hours=5),
)
FALSE_RULES = (
    GrassRule(SOME_NEAR, stays=False),
    GrassRule(NONE_NEAR, stays=True),
    GrowthRule(NONE_NEAR, grows=True, hours=20),
    GrowthRule(ONE_NEAR, grows=True, hours=20),
    DeadTree(grows=True, hours=5),
)
DEATH_RULE = TRUE_RULES[-1]
#: The chance an hour that an apple grows, by how many are within two cells (Melting Pot).
GROWTH = (0.0, 0.0025, 0.005, 0.025)
#: For how many hours and of how many places a person predicts growth.
PREDICTED_HOURS, PREDICTED = 20, 3


@dataclass
class TreeCompanion(CommonsCompanion):
    """One person's modules among trees.

    Attributes:
        trees: by number, whether a tree that it knows has apples, as far as it knows.
    """

    lent = BY_TREES
    true_rules = TRUE_RULES
    false_rules = FALSE_RULES

    trees: dict[int, bool] = field(default_factory=dict)

    def see(self, about: object) -> None:
        """Take in which trees have apples."""
        sight = sight_of(about)
        self.trees |= {tree.tree: True for tree in sight.trees if tree.apples}
        gone = (one.happening for one in sight.changes if one.happening.what == "died")
        self.trees |= {one.tree: False for one in gone}

    def states(self) -> Sequence[State]:
        """Return that trees that it knows live."""
        return [TreeState(tree, is_alive=True) for tree in sorted(self.trees)]

    def knows(self, claim: Claim) -> State | None:
        """Return whether a tree lives, if it knows that tree."""
        if isinstance(claim, TreeState) and claim.tree in self.trees:
            return TreeState(claim.tree, is_alive=self.trees[claim.tree])
        return None

    def contrary(self, claim: State) -> State:
        """Return that a tree lives that does not, or the other way round."""
        assert isinstance(claim, TreeState)
        return TreeState(claim.tree, is_alive=not claim.is_alive)

    def predictions(self, about: object) -> Sequence[tuple[Claim, float]]:
        """Return growth where it sees grass, with the chance that the apples in sight give."""
        sight = sight_of(about)
        apples = [one.cell for one in sight.objects if one.what == "apple"]
        grass = [one.cell for one in sight.objects if one.what == "grass"][:PREDICTED]
        return [(SiteGrowth(cell, PREDICTED_HOURS), chance(cell, apples)) for cell in grass]


def chance(cell: Cell, apples: Sequence[Cell]) -> float:
    """Return how probable it is that an apple grows somewhere, if what is near stays as it is."""
    count = sum(near(cell, apple, 2) for apple in apples)
    return float(1 - (1 - GROWTH[min(count, len(GROWTH) - 1)]) ** PREDICTED_HOURS)
