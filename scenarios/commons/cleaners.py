"""Scripted persons of Clean Up."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from voxpolis.bots.agents.cooperation.known import Known
from voxpolis.bots.agents.cooperation.wording import Moment
from voxpolis.bots.agents.turns import Cell
from voxpolis.judge.deeds.promises import Promise
from voxpolis.scenarios.commons.companions import CommonsCompanion, sight_of
from voxpolis.scenarios.commons.person import Kind, ScriptedPerson
from voxpolis.worlds.commons.accounts import CLEANS, DUTY_CELLS, DUTY_ROUNDS, IDLE_FINE, peace, work
from voxpolis.worlds.commons.actions import Action, Clean, Explore, GoTo, Stay
from voxpolis.worlds.commons.claims import Claim, State
from voxpolis.worlds.commons.lent import BY_RIVER
from voxpolis.worlds.commons.river_claims import Dirt, RiverGrowth, RiverState
from voxpolis.worlds.commons.sight import Sight, distance

# --- What scripted persons know, ask, promise and foresee of a commons by a river -----------------

#: From so much dirt on no apple grows (Melting Pot), and with how much one surely does.
TOO_DIRTY, CLEAN_ENOUGH = Dirt(40, or_more=True), Dirt(20, or_more=False)
#: Hours that rules are about.
HOURS = 20
TRUE_RULES = (
    RiverGrowth(TOO_DIRTY, grows=False, hours=HOURS),
    RiverGrowth(CLEAN_ENOUGH, grows=True, hours=HOURS),
)
FALSE_RULES = (
    RiverGrowth(TOO_DIRTY, grows=True, hours=HOURS),
    RiverGrowth(CLEAN_ENOUGH, grows=False, hours=HOURS),
)
#: What a person promises: so many cells, for so many rounds from now on.
CELLS, WORK_ROUNDS = 3, 10
#: How sure it is that the river is in some rounds as it saw it last.
STAYS = 0.8


@dataclass
class RiverCompanion(CommonsCompanion):
    """One person's modules by a river.

    Attributes:
        is_dirty: whether the part of the river that it saw last was too dirty; None: it saw none.
    """

    lent = BY_RIVER
    true_rules = TRUE_RULES
    false_rules = FALSE_RULES

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
        return [] if self.is_dirty is None else [(self._as_seen(), STAYS)]

    def _as_seen(self) -> State:
        return RiverState(replace(TOO_DIRTY, or_more=bool(self.is_dirty)))

    def offer(self, moment: Moment, to: str) -> Promise:
        self._offers += 1
        if self._offers % 2:
            return work(self.name, CELLS, moment.round + WORK_ROUNDS)
        return peace(self.name, to, moment.round + 1)

    _offers: int = 0


# --------------------------------------------------------------------------------------------------

#: Turns at the river of somebody who shares the work, before the next one's.
SHIFT = 20
#: What the time is worth that cleaning takes: an apple.
WORTH = 1.0
#: A place that is as near is where one is.
AT_HAND = 1
#: How often somebody waits who is where there may be some, and sees none.
PATIENCE = 0.95
#: What a person looks for.
Wanted = Literal["dirt", "apple"]
_PLANS: Mapping[Kind, str] = {
    "cleaner": "I clean the river.",
    "eater": "I take the nearest apple.",
    "sharer": f"We clean the river in turn, {SHIFT} turns each, and take apples meanwhile.",
}


@dataclass
class Cleaner(ScriptedPerson):
    """One person through Clean Up.

    ``cleaner`` always cleans the nearest dirt; ``eater`` always goes for the nearest apple;
    ``sharer`` cleans for :data:`SHIFT` turns when it is its turn among the agents, and else goes
    for apples. Whoever deviates does the other of the two. Who sees no dirt goes to the river,
    and who sees no apple to the orchard; there one waits, and goes on along it now and then. Who
    has not seen the place yet explores.

    Whoever has promised to clean does so first, or not at all if it means to break that. Whoever
    heeds the law cleans as much as that asks for, and before anything else.

    Attributes:
        cleaned: how often it chose to clean.
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
            is_at_work = self._is_at_work(sight) != self._deviates(draws)
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
        """Keep in mind where river and orchard are, and how much it cleaned in its last turn."""
        for wanted, place in (("dirt", sight.river), ("apple", sight.orchard)):
            if place is not None:
                self._places.setdefault(wanted, set()).add(place.cell)
        seen = (one.happening for one in sight.changes)
        cells = sum(len(one.cleaned) for one in seen if one.agent == self.name)
        span = _span(sight.turn - 1)
        self._done[span] = self._done.get(span, 0) + cells

    def _is_bound(self, sight: Sight, known: Known, draws: random.Random) -> bool | None:
        """Whether it cleans because of a promise or the law; None: neither binds it."""
        for pledge in known.promises:
            if pledge.by == self.name and pledge.kind == CLEANS.kind:
                return self.companion.means_to_keep(pledge.number)
        is_idle = self._done.get(_span(sight.turn), 0) < DUTY_CELLS
        fine = known.numbers.get(IDLE_FINE, 0.0)
        return True if is_idle and self.heeds(fine, WORTH, draws) else None

    def _is_at_work(self, sight: Sight) -> bool:
        """Whether it means to clean in this turn."""
        if self.person.kind == "sharer":
            shift = (sight.turn - 1) // SHIFT
            return self.agents[shift % len(self.agents)] == self.name
        return self.person.kind == "cleaner"

    def _deviates(self, draws: random.Random) -> bool:
        return draws.random() < self.person.rate

    def _search(self, wanted: Wanted, sight: Sight, draws: random.Random) -> Action:
        """Go where there may be some, or wait there and look further along now and then."""
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
    """Return in which of the spans that the law counts a turn is."""
    return (turn - 1) // DUTY_ROUNDS
