"""What scripted persons know, ask, promise and foresee of a commons by a river."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from voxpolis.bots.agents.cooperation.wording import Moment
from voxpolis.judge.deeds.promises import Promise
from voxpolis.scenarios.commons.companions import CommonsCompanion, sight_of
from voxpolis.worlds.commons.accounts import peace, work
from voxpolis.worlds.commons.claims import Claim, State
from voxpolis.worlds.commons.lent import BY_RIVER
from voxpolis.worlds.commons.river_claims import Dirt, RiverGrowth, RiverState

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
        """Take in how dirty the river is."""
        sight = sight_of(about)
        if sight.river is not None:
            cells = sight.river.dirty + sight.river.clean
            self.is_dirty = TOO_DIRTY.is_so(sight.river.dirty / cells)

    def states(self) -> Sequence[State]:
        """Return that the river is too dirty, which everybody wants to know."""
        return [RiverState(TOO_DIRTY)]

    def knows(self, claim: Claim) -> State | None:
        """Return whether the river is too dirty, by what it saw of it last."""
        if not isinstance(claim, RiverState) or self.is_dirty is None:
            return None
        return RiverState(replace(TOO_DIRTY, or_more=self.is_dirty))

    def contrary(self, claim: State) -> State:
        """Return that the river is too dirty where it is not, or the other way round."""
        assert isinstance(claim, RiverState)
        return RiverState(replace(claim.dirt, or_more=not claim.dirt.or_more))

    def predictions(self, about: object) -> Sequence[tuple[Claim, float]]:
        """Return that the river stays as it saw it."""
        return [] if self.is_dirty is None else [(self._as_seen(), STAYS)]

    def _as_seen(self) -> State:
        return RiverState(replace(TOO_DIRTY, or_more=bool(self.is_dirty)))

    def offer(self, moment: Moment, to: str) -> Promise:
        """Return a promise to clean, and peace where it promised the former last."""
        self._offers += 1
        if self._offers % 2:
            return work(self.name, CELLS, moment.round + WORK_ROUNDS)
        return peace(self.name, to, moment.round + 1)

    _offers: int = 0
