"""Scripted persons, who answer the five prompts of a generative agent by rules.

Persons use what the agent notices (:class:`worlds.commons.sight.Sight`) and what its cooperation
modules know (:class:`bots.agents.cooperation.knowledge.Known`). They never read the text of
prompts.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Literal, get_args

from voxpolis.bots.agents.cooperation.knowledge import Known
from voxpolis.bots.agents.cooperation.requests import Moment
from voxpolis.bots.agents.generative import Situation
from voxpolis.bots.agents.generative.prompts import Act, Insights, Plan, Questions, React
from voxpolis.bots.agents.turns import Cell
from voxpolis.bots.models import ChatRequest
from voxpolis.bots.models.typed import Answer
from voxpolis.experiments.loops.cooperation.scripted import Manners, ScriptedCompanion
from voxpolis.judge.deeds.account import CooperationRules
from voxpolis.judge.deeds.promises import Promise
from voxpolis.judge.law.penalties import ATTACK_FINE
from voxpolis.worlds.commons.accounts import (
    BY_RIVER,
    BY_TREES,
    CLEANS,
    DUTY_CELLS,
    DUTY_ROUNDS,
    IDLE_FINE,
    LAST_APPLE_FINE,
    peace,
    work,
)
from voxpolis.worlds.commons.actions import Action, Clean, Explore, GoTo, Immobilize, Stay
from voxpolis.worlds.commons.claims import (
    AttacksUnfed,
    Claim,
    DeadTree,
    Dirt,
    GrassRule,
    GrowthRule,
    Near,
    RiverGrowth,
    RiverState,
    SiteGrowth,
    State,
    TreeState,
)
from voxpolis.worlds.commons.history import near
from voxpolis.worlds.commons.sight import Seen, Sight, distance

# --- Scripted persons with cooperation modules, in both games -------------------------------------

# Rounds for which a person promises peace.
PEACE_ROUNDS = 1


@dataclass
class CommonsCompanion(ScriptedCompanion):
    """Answers the questions of one person's cooperation modules in a commons.

    ``true_rules`` and ``false_rules`` are the hypotheses about the world that the person may
    propose.
    """

    lent: ClassVar[CooperationRules]
    true_rules: ClassVar[Sequence[Claim]]
    false_rules: ClassVar[Sequence[Claim]]

    bots: tuple[str, ...] = ()

    def language(self) -> CooperationRules:
        return self.lent

    def rules(self) -> tuple[Sequence[Claim], Sequence[Claim]]:
        return [*self.true_rules, *map(AttacksUnfed, self.bots)], self.false_rules

    def offer(self, moment: Moment, to: str) -> Promise:
        return peace(self.name, to, moment.round + PEACE_ROUNDS)


def sight_of(about: object) -> Sight:
    """Return a person's perception, which must be a :class:`~worlds.commons.sight.Sight`."""
    assert isinstance(about, Sight)
    return about


# Labels of the two games.
Harvesting = Literal["sparing", "greedy", "guard", "pacifist"]
Cleaning = Literal["cleaner", "eater", "sharer"]
Kind = Literal[Harvesting, Cleaning]

# What a person without modules knows from modules: nothing.
NOTHING = Known()


@dataclass(frozen=True)
class Person:
    """How a scripted person behaves.

    Attributes:
        kind: style of play; each game has its own styles (:data:`scenarios.commons.persons.WAYS`).
        rate: probability that the person deviates from that style.
        attacks: probability of attacking a visible player, if the style allows unprovoked attacks.
        targets: a mapping from agents to the shares of the person's attacks that go to them. All
            agents that are not named here share what remains. The person only attacks when it sees
            all named agents. If the shares add up to 1, it never attacks other agents.
        manners: how cooperative the person is, if agents carry cooperation modules.
    """

    kind: Kind
    rate: float = 0.0
    attacks: float = 0.0
    targets: Mapping[str, float] = field(default_factory=dict)
    manners: Manners = field(default_factory=Manners)

    def __str__(self) -> str:
        parts = [self.kind, f"deviates {self.rate:g}" * bool(self.rate)]
        parts.append(f"attacks {self.attacks:g}" * bool(self.attacks and self.can_attack))
        return f"({', '.join(part for part in parts if part)})"

    @property
    def can_attack(self) -> bool:
        """Return whether the person may attack without a reason."""
        return self.kind not in ("guard", "pacifist")


@dataclass
class ScriptedPerson(ABC):
    """A scripted person during a game. Subclasses define how the person moves.

    Class attributes: ``questions`` that the person asks itself, ``insights`` that it draws, and
    ``companion_kind``, the class that answers its cooperation modules' questions.

    Attributes:
        person: how the person behaves.
        name: name of the person.
        agents: all persons in turn order.
        players: all players, including bots.
        seed: seed of the person's random choices.
        attacks: number of attacks on each player.
    """

    questions: ClassVar[tuple[str, str, str]]
    insights: ClassVar[tuple[str, str, str]]
    companion_kind: ClassVar[type[CommonsCompanion]]

    person: Person
    name: str
    agents: tuple[str, ...]
    players: tuple[str, ...]
    seed: int
    attacks: dict[str, int] = field(default_factory=dict)
    _chosen: tuple[int, Action] = (0, Stay())

    def __post_init__(self) -> None:
        self._others = tuple(one for one in self.players if one != self.name)
        self._seed = f"{self.seed} {self.name}"
        bots = tuple(one for one in self.players if one not in self.agents)
        self.companion = self.companion_kind(self.name, self.person.manners, self._seed, bots=bots)

    def answer(self, request: ChatRequest) -> Answer | str:
        """Answer one of the person's five questions, or a question of a cooperation module."""
        situation = request.about
        if not isinstance(situation, Situation):
            return self.companion.answer(situation)
        seen = situation.perception
        sight = seen.about
        assert isinstance(sight, Sight)
        self.companion.see(sight)
        match request.role:
            case "react":
                return React(new_plan=self.is_surprised(sight), reason="I look around.")
            case "plan":
                return Plan(goals="To get apples.", plan=self.plan)
            case "questions":
                return Questions(questions=self.questions)
            case "insights":
                return Insights(insights=self.insights)
            case _:
                return Act(number=seen.actions.index(self.act(sight, situation.known)) + 1)

    def act(self, sight: Sight, known: Known = NOTHING) -> Action:
        """Return the person's action in a turn. Asking twice in the same turn gives the same
        action.

        Args:
            sight: the objects that the person notices.
            known: what the person's cooperation modules know.
        """
        if self._chosen[0] != sight.turn:
            draws = random.Random(f"{self._seed} {sight.turn}")
            attack = self._attack(sight, known, draws)
            self._chosen = (sight.turn, attack or self.move(sight, known, draws))
        return self._chosen[1]

    @property
    @abstractmethod
    def plan(self) -> str:
        """The person's plan in words."""

    @abstractmethod
    def is_surprised(self, sight: Sight) -> bool:
        """Return whether something has happened that requires a new plan."""

    @abstractmethod
    def move(self, sight: Sight, known: Known, draws: random.Random) -> Action:
        """Return the person's action in a turn in which the person does not attack."""

    def offender(self, sight: Sight, seen: Mapping[str, Seen]) -> str:
        """Return a visible player that the person wants to punish, or an empty string."""
        return ""

    def heeds(self, fine: float, brings: float, draws: random.Random) -> bool:
        """Return whether the person avoids an offence because the fine is higher than the gain."""
        return fine > brings and draws.random() < self.person.manners.heeds

    # --- Attacks ---------------------------------------------------------------------------------

    def _attack(self, sight: Sight, known: Known, draws: random.Random) -> Action | None:
        seen = {one.name: one for one in sight.objects if one.what == "agent"}
        name = self.offender(sight, seen)
        if self.person.can_attack and draws.random() < self.person.attacks:
            name = self._target(seen, draws)
            if name and self.heeds(known.numbers.get(ATTACK_FINE, 0.0), 0.0, draws):
                name = ""
        name = self._betrayed(seen, known, but=name)
        if known.is_banned:
            name = ""
        if not name:
            return None
        self.attacks[name] = self.attacks.get(name, 0) + 1
        return Immobilize(name, seen[name].cell)

    def _betrayed(self, seen: Mapping[str, Seen], known: Known, but: str) -> str:
        """Return the player to attack; ``but`` is the intended target. If the person keeps a
        promise not to attack ``but``, the result is empty. If the person breaks a promise not to
        attack another visible player, the result is that player.
        """
        for pledge in known.promises:
            if pledge.by == self.companion.name and pledge.other:
                if not self.companion.means_to_keep(pledge.number):
                    but = pledge.other if pledge.other in seen else but
                elif but == pledge.other:
                    but = ""
        return but

    def _target(self, seen: Mapping[str, Seen], draws: random.Random) -> str:
        targets = self.person.targets
        if not targets:
            return draws.choice(sorted(seen)) if seen else ""
        # otherwise the person would attack a player more often if it saw that player more often
        if set(self._others) - seen.keys():
            return ""
        rest = [name for name in self._others if name not in targets]
        share = (1 - sum(targets.values())) / max(len(rest), 1)
        parts = [targets.get(name, share) for name in self._others]
        return draws.choices(self._others, parts)[0] if sum(parts) > 1e-9 else ""


# --- Scripted persons of Commons Harvest ----------------------------------------------------------

# --- Knowledge, questions and predictions in a commons with trees ---------------------------------

NONE_NEAR, SOME_NEAR, ONE_NEAR = Near(0, False, 2), Near(1, True, 2), Near(1, False, 2)
DEATH_RULE = DeadTree(grows=False, hours=5)
# Probability of growth per hour, by number of apples within two cells (Melting Pot).
GROWTH = (0.0, 0.0025, 0.005, 0.025)
# For how many hours a person predicts, and for how many cells.
PREDICTED_HOURS, PREDICTED = 20, 3


@dataclass
class TreeCompanion(CommonsCompanion):
    """Answers the questions of one person's cooperation modules in a commons with trees.

    Attributes:
        trees: for each known tree, True if the person saw apples on the tree, and False once the
            person saw the tree die.
    """

    lent = BY_TREES
    true_rules = (
        GrassRule(NONE_NEAR, stays=False),
        GrassRule(SOME_NEAR, stays=True),
        GrowthRule(NONE_NEAR, grows=False, hours=20),
        GrowthRule(ONE_NEAR, grows=False, hours=20),
        DEATH_RULE,
    )
    false_rules = (
        GrassRule(SOME_NEAR, stays=False),
        GrassRule(NONE_NEAR, stays=True),
        GrowthRule(NONE_NEAR, grows=True, hours=20),
        GrowthRule(ONE_NEAR, grows=True, hours=20),
        DeadTree(grows=True, hours=5),
    )

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
    """Return the probability that an apple grows in a cell if the apples nearby do not change."""
    count = sum(near(cell, apple, 2) for apple in apples)
    return float(1 - (1 - GROWTH[min(count, len(GROWTH) - 1)]) ** PREDICTED_HOURS)


# Turns that a sharer spends at the river before the next sharer's shift begins.
SHIFT = 20
# Value of an apple, and cost of the time spent on cleaning.
AN_APPLE = 1.0
_PLANS: Mapping[Kind, str] = {
    "sparing": "I take apples, and leave the last one of each tree.",
    "greedy": "I take the nearest apple.",
    "guard": "I leave the last apple of each tree, and stop those who take it.",
    "pacifist": "I leave the last apple of each tree, and never attack.",
    "cleaner": "I clean the river.",
    "eater": "I take the nearest apple.",
    "sharer": f"We clean the river in turn, {SHIFT} turns each, and take apples meanwhile.",
}


@dataclass
class Harvester(ScriptedPerson):
    """A person in Commons Harvest.

    A ``sparing`` person never takes the last visible apple of a tree. A ``greedy`` person takes the
    nearest apple. A ``guard`` is sparing, and attacks a player once for each time that it saw the
    player take the last apple of a tree. A ``pacifist`` is sparing and never attacks. A sparing
    person that deviates from its style takes the nearest apple even if it is the last of its tree.
    A greedy person that deviates does not take such an apple.

    Attributes:
        approaches: how often the nearest apple was the last of its tree. The key True stands for
            turns in which the person went for this apple, and False for other turns.
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
        """Return a visible player that a guard still has to attack, because the guard saw the
        player take the last apple of a tree.
        """
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
        """Return whether the person takes a last apple. A person who knows that trees die deviates
        from its style half as often.
        """
        greedy = self.person.kind == "greedy"
        knows = not greedy and any(rule.test == DEATH_RULE for rule in known.rules)
        rate = self.person.rate / 2 if knows else self.person.rate
        goes = (draws.random() < rate) != greedy
        fine = known.numbers.get(LAST_APPLE_FINE, 0.0)
        return goes and not self.heeds(fine, AN_APPLE, draws)

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


# --- Scripted persons of Clean Up -----------------------------------------------------------------

# --- Knowledge, questions, promises and predictions in a commons by a river -----------------------

# Shares of dirt at which growth stops (Melting Pot), and at which apples are sure to grow.
TOO_DIRTY, CLEAN_ENOUGH = Dirt(40, or_more=True), Dirt(20, or_more=False)
# Time span that rules refer to, in hours.
HOURS = 20
# What a person promises: to clean this many cells within this many rounds from now.
CELLS, WORK_ROUNDS = 3, 10
# Confidence that the river stays as last seen, by number of rounds since then.
STAYS = 0.8


@dataclass
class RiverCompanion(CommonsCompanion):
    """Answers the questions of one person's cooperation modules in a commons with a river.

    Attributes:
        is_dirty: whether the part of the river that the person last saw was too dirty for growth;
            None if the person has never seen the river.
    """

    lent = BY_RIVER
    true_rules = (
        RiverGrowth(TOO_DIRTY, grows=False, hours=HOURS),
        RiverGrowth(CLEAN_ENOUGH, grows=True, hours=HOURS),
    )
    false_rules = (
        RiverGrowth(TOO_DIRTY, grows=True, hours=HOURS),
        RiverGrowth(CLEAN_ENOUGH, grows=False, hours=HOURS),
    )

    is_dirty: bool | None = None

    def see(self, about: object) -> None:
        sight = sight_of(about)
        if sight.river is not None:
            cells = sight.river.dirty + sight.river.clean
            self.is_dirty = TOO_DIRTY.is_so(sight.river.dirty / cells)

    def states(self) -> Sequence[State]:
        return [RiverState(TOO_DIRTY)]

    def knows(self, claim: Claim) -> State | None:
        if not isinstance(claim, RiverState) or self.is_dirty is None:
            return None
        return RiverState(replace(TOO_DIRTY, or_more=self.is_dirty))

    def contrary(self, claim: State) -> State:
        assert isinstance(claim, RiverState)
        return RiverState(replace(claim.dirt, or_more=not claim.dirt.or_more))

    def predictions(self, about: object) -> Sequence[tuple[Claim, float]]:
        if self.is_dirty is None:
            return []
        return [(RiverState(replace(TOO_DIRTY, or_more=self.is_dirty)), STAYS)]

    def offer(self, moment: Moment, to: str) -> Promise:
        self._offers += 1
        if self._offers % 2:
            return work(self.name, CELLS, moment.round + WORK_ROUNDS)
        return peace(self.name, to, moment.round + 1)

    _offers: int = 0


# Distance at which a person counts as having reached a position.
AT_HAND = 1
# Probability of waiting at a position without visible targets.
PATIENCE = 0.95
# What a person looks for.
Wanted = Literal["dirt", "apple"]


@dataclass
class Cleaner(ScriptedPerson):
    """A person in Clean Up.

    A ``cleaner`` always cleans the nearest dirt. An ``eater`` always goes for the nearest apple. A
    ``sharer`` cleans for :data:`SHIFT` turns when its shift comes, and eats at other times. A
    person that deviates from its style eats instead of cleaning, or cleans instead of eating. If no
    dirt is visible, a person that wants to clean goes to the river. If no apple is visible, a
    person that wants to eat goes to the orchard. There the person waits, or sometimes moves on. If
    the person has not seen this place yet, it explores the map.

    A person that has promised to clean does so first; a person that intends to break the promise
    does not clean at all. A person that obeys the law begins with cleaning, until it has cleaned as
    much as the law requires.

    Attributes:
        cleaned: how often the person chose to clean.
    """

    questions = ("How dirty is the river?", "Who cleans it?", "Who takes apples?")
    insights = ("Dirt comes back.", "Some clean the river.", "Others take apples.")
    companion_kind = RiverCompanion

    cleaned: int = 0
    _done: dict[int, int] = field(default_factory=dict)
    _places: dict[str, set[Cell]] = field(default_factory=dict)

    @property
    def plan(self) -> str:
        return _PLANS[self.person.kind]

    def is_surprised(self, sight: Sight) -> bool:
        return any(one.happening.what == "hit" for one in sight.changes)

    def move(self, sight: Sight, known: Known, draws: random.Random) -> Action:
        self._look(sight)
        is_at_work = self._is_bound(sight, known, draws)
        if is_at_work is None:
            is_at_work = self._is_at_work(sight) != (draws.random() < self.person.rate)
        wanted: Wanted = "dirt" if is_at_work else "apple"
        cells = [one.cell for one in sight.objects if one.what == wanted and one.cell != sight.cell]
        if not cells:
            return self._search(wanted, sight, draws)
        nearest = min(cells, key=lambda cell: (distance(sight.cell, cell), cell))
        if wanted == "apple":
            return GoTo(nearest)
        self.cleaned += 1
        return Clean(nearest)

    def _look(self, sight: Sight) -> None:
        """Remember where the river and the orchard are, and how many cells the person cleaned in
        its last turn.
        """
        for wanted, place in (("dirt", sight.river), ("apple", sight.orchard)):
            if place is not None:
                self._places.setdefault(wanted, set()).add(place.cell)
        seen = (one.happening for one in sight.changes)
        cells = sum(len(one.cleaned) for one in seen if one.agent == self.name)
        span = _span(sight.turn - 1)
        self._done[span] = self._done.get(span, 0) + cells

    def _is_bound(self, sight: Sight, known: Known, draws: random.Random) -> bool | None:
        """Return True if the person cleans now because of a promise or the law, and False if it has
        promised to clean but intends to break the promise. Return None if there is neither a
        promise nor a duty that it heeds.
        """
        for pledge in known.promises:
            if pledge.by == self.name and pledge.kind == CLEANS.kind:
                return self.companion.means_to_keep(pledge.number)
        is_idle = self._done.get(_span(sight.turn), 0) < DUTY_CELLS
        fine = known.numbers.get(IDLE_FINE, 0.0)
        return True if is_idle and self.heeds(fine, AN_APPLE, draws) else None

    def _is_at_work(self, sight: Sight) -> bool:
        if self.person.kind == "sharer":
            shift = (sight.turn - 1) // SHIFT
            return self.agents[shift % len(self.agents)] == self.name
        return self.person.kind == "cleaner"

    def _search(self, wanted: Wanted, sight: Sight, draws: random.Random) -> Action:
        """Return the action of a person that looks for dirt or apples: it goes to the place where
        they may be. There it waits, or sometimes moves on.
        """
        places = self._places.get(wanted, set())
        if not places or not sight.edges:
            return Explore(draws.choice(sight.edges)) if sight.edges else Stay()
        nearest = min(places, key=lambda place: (distance(sight.cell, place), place))
        if distance(sight.cell, nearest) > AT_HAND:
            return Explore(min(sight.edges, key=lambda edge: (distance(edge, nearest), edge)))
        if draws.random() < PATIENCE:
            return Stay()
        rows = {row for row, _ in places}
        along = [edge for edge in sight.edges if edge[0] in rows]
        return Explore(draws.choice(along or sight.edges))


def _span(turn: int) -> int:
    """Return the number of the period that contains a turn. The law divides the turns into periods
    of :data:`DUTY_ROUNDS`.
    """
    return (turn - 1) // DUTY_ROUNDS


# --- Scripted persons of both games, by kind ------------------------------------------------------

# Class of each kind of scripted person.
WAYS: Mapping[str, type[ScriptedPerson]] = {
    **dict.fromkeys(get_args(Harvesting), Harvester),
    **dict.fromkeys(get_args(Cleaning), Cleaner),
}


def make_persons(
    persons: Mapping[str, Person], players: tuple[str, ...], seed: int
) -> dict[str, ScriptedPerson]:
    """Create the scripted persons of an episode. ``players`` contains the names of all players,
    including bots.
    """
    agents = tuple(persons)
    return {
        name: WAYS[person.kind](person, name, agents, players, seed)
        for name, person in persons.items()
    }
