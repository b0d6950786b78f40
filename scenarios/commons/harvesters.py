"""Scripted persons of Commons Harvest."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from voxpolis.bots.agents.cooperation.known import Known
from voxpolis.bots.agents.turns import Cell
from voxpolis.scenarios.commons.companions import CommonsCompanion, sight_of
from voxpolis.scenarios.commons.person import Kind, ScriptedPerson
from voxpolis.worlds.commons.accounts import LAST_APPLE_FINE
from voxpolis.worlds.commons.actions import Action, Explore, GoTo, Stay
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
from voxpolis.worlds.commons.sight import Seen, Sight, distance
from voxpolis.worlds.commons.trees import near

# --- What scripted persons know, ask and foresee of a commons with trees --------------------------

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
        sight = sight_of(about)
        self.trees |= {tree.tree: True for tree in sight.trees if tree.apples}
        gone = (one.happening for one in sight.changes if one.happening.what == "died")
        self.trees |= {one.tree: False for one in gone}

    def states(self) -> Sequence[State]:
        return [TreeState(tree, is_alive=True) for tree in sorted(self.trees)]

    def knows(self, claim: Claim) -> State | None:
        if isinstance(claim, TreeState) and claim.tree in self.trees:
            return TreeState(claim.tree, is_alive=self.trees[claim.tree])
        return None

    def contrary(self, claim: State) -> State:
        assert isinstance(claim, TreeState)
        return TreeState(claim.tree, is_alive=not claim.is_alive)

    def predictions(self, about: object) -> Sequence[tuple[Claim, float]]:
        sight = sight_of(about)
        apples = [one.cell for one in sight.objects if one.what == "apple"]
        grass = [one.cell for one in sight.objects if one.what == "grass"][:PREDICTED]
        return [(SiteGrowth(cell, PREDICTED_HOURS), chance(cell, apples)) for cell in grass]


def chance(cell: Cell, apples: Sequence[Cell]) -> float:
    """Return how probable it is that an apple grows somewhere, if what is near stays as it is."""
    count = sum(near(cell, apple, 2) for apple in apples)
    return float(1 - (1 - GROWTH[min(count, len(GROWTH) - 1)]) ** PREDICTED_HOURS)


# --------------------------------------------------------------------------------------------------

#: What an apple is worth to whoever takes it.
WORTH = 1.0
_PLANS: Mapping[Kind, str] = {
    "sparing": "I take apples, and leave the last one of each tree.",
    "greedy": "I take the nearest apple.",
    "guard": "I leave the last apple of each tree, and stop whoever takes one.",
    "pacifist": "I leave the last apple of each tree, and attack nobody.",
}


@dataclass
class Harvester(ScriptedPerson):
    """One person through Commons Harvest.

    ``sparing`` never goes for the last apple that it sees of a tree; ``greedy`` goes for the
    nearest; ``guard`` is sparing and attacks once whom it saw take a last apple; ``pacifist`` is
    sparing and never attacks. Where the nearest apple is the last of its tree, a sparing person
    that deviates goes for it, and a greedy one spares it.

    Attributes:
        approaches: by whether it went for it: how often the nearest apple was the last of its tree.
    """

    questions = ("Which trees have apples?", "Who takes apples?", "Who attacks?")
    insights = ("Trees differ.", "Others take apples.", "Some attack.")
    companion_kind = TreeCompanion

    approaches: dict[bool, int] = field(default_factory=lambda: {True: 0, False: 0})
    _wanted: dict[str, int] = field(default_factory=dict)

    @property
    def plan(self) -> str:
        return _PLANS[self.person.kind]

    def is_surprised(self, sight: Sight) -> bool:
        return any(one.happening.what == "died" for one in sight.changes)

    def offender(self, sight: Sight, seen: Mapping[str, Seen]) -> str:
        """Return somebody in sight whom a guard saw take a last apple, once for each."""
        if self.person.kind != "guard":
            return ""
        for one in sight.changes:
            culprit = one.happening.agent
            if one.happening.what == "died" and culprit != sight.agent:
                self._wanted[culprit] = self._wanted.get(culprit, 0) + 1
        name = next((name for name in sorted(seen) if self._wanted.get(name)), "")
        if name:
            self._wanted[name] -= 1
        return name

    def _goes(self, known: Known, draws: random.Random) -> bool:
        """Whether it goes for a last apple; who knows that trees die deviates half as often."""
        greedy = self.person.kind == "greedy"
        knows = not greedy and any(rule.test == DEATH_RULE for rule in known.rules)
        rate = self.person.rate / 2 if knows else self.person.rate
        goes = (draws.random() < rate) != greedy
        fine = known.numbers.get(LAST_APPLE_FINE, 0.0)
        return goes and not self.heeds(fine, WORTH, draws)

    def move(self, sight: Sight, known: Known, draws: random.Random) -> Action:
        left = {tree.tree: tree.apples for tree in sight.trees}
        apples = sorted(
            (distance(sight.cell, one.cell), left[one.tree] == 1, one.cell)
            for one in sight.objects
            if one.what == "apple" and one.cell != sight.cell
        )
        if not apples:
            return Explore(draws.choice(sight.edges)) if sight.edges else Stay()
        away, is_last, nearest = apples[0]
        if not is_last:
            return GoTo(nearest)
        goes = self._goes(known, draws)
        self.approaches[goes] += 1
        if goes:
            return GoTo(nearest)
        spared = [cell for _, last, cell in apples if not last and distance(cell, nearest) >= away]
        if spared:
            return GoTo(spared[0])
        edges = [cell for cell in sight.edges if distance(cell, nearest) >= away]
        return Explore(draws.choice(edges)) if edges else Stay()
