"""What a game about a commons lends to the modules of cooperation that its agents carry."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from voxpolis.bots.agents.generative.prompts import place_of
from voxpolis.bots.agents.turns import Perception
from voxpolis.experiments.loops.cooperation.rules import View
from voxpolis.judge.deeds.account import Form
from voxpolis.worlds.commons.actions import Action, Immobilize
from voxpolis.worlds.commons.history import History
from voxpolis.worlds.commons.sight import Watcher, distance
from voxpolis.worlds.commons.table import CommonsTable


@dataclass
class CommonsPlace:
    """A commons as a place where agents cooperate.

    See :class:`experiments.loops.cooperation.rules.Place`.

    Attributes:
        table: the substrate.
        agents: who can hear and talk; bots cannot.
        hears: how many cells away agents hear each other.
        plan_of: returns an agent's plan.
        watchers: what each agent perceives.
    """

    table: CommonsTable
    agents: Sequence[str]
    hears: int
    plan_of: Callable[[str], str]
    watchers: Mapping[str, Watcher] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.history = History(self.table.game.radius)

    def begin(self, watchers: Mapping[str, Watcher]) -> None:
        """Look at what stands there at first."""
        self.watchers = watchers
        table = self.table
        self.history.begin(table.apples, table.open, table.dirty_part, table.sites)

    @property
    def names(self) -> tuple[str, ...]:
        """All players."""
        return self.table.names

    @property
    def things(self) -> Mapping[int, int]:
        """The trees, each with how many apples it can have."""
        return Counter(tree for tree in self.table.tree_of.values() if tree)

    def most(self, form: Form, thing: int) -> int | None:
        """Return how often anybody can do something in a round: a tree has so many apples."""
        return None if form.most is None else min(form.most, self.things.get(thing, form.most))

    @property
    def hour(self) -> int:
        """The substrate's steps."""
        return self.table.steps

    def hearing(self, name: str) -> tuple[str, ...]:
        """Return the agents that hear an agent: those in the game that are near enough."""
        standing = {self.table.names[i]: cell for cell, i in self.table.standing().items()}
        return tuple(
            other
            for other in self.agents
            if other != name
            and {name, other} <= standing.keys()
            and distance(standing[name], standing[other]) <= self.hears
        )

    def view(self, name: str) -> View:
        """Return what an agent perceives now."""
        return self.view_of(name, self.watchers[name].glance())

    def view_of(self, name: str, seen: Perception[Action]) -> View:
        """Return what an agent perceives in its turn, as its modules are told."""
        plan = self.plan_of(name)
        return View(place_of(seen), seen.observations, seen.changes, plan, seen.about)


def without_attacks(perception: Perception[Action]) -> Perception[Action]:
    """Return what an agent perceives whom the law forbids to attack: without these actions."""
    allowed = tuple(one for one in perception.actions if not isinstance(one, Immobilize))
    return replace(perception, actions=allowed)
