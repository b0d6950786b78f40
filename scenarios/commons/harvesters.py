"""Scripted persons of Commons Harvest."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field

from voxpolis.bots.agents.cooperation.known import Known
from voxpolis.scenarios.commons.person import Kind, ScriptedPerson
from voxpolis.scenarios.commons.tree_companions import DEATH_RULE, TreeCompanion
from voxpolis.worlds.commons.accounts import LAST_APPLE_FINE
from voxpolis.worlds.commons.actions import Action, Explore, GoTo, Stay
from voxpolis.worlds.commons.sight import Seen, Sight, distance

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
        """Its plan, in words."""
        return _PLANS[self.person.kind]

    def is_surprised(self, sight: Sight) -> bool:
        """Return whether it saw a tree die."""
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
        """Return where to go."""
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
