"""Scripted persons with modules of cooperation where rounds are counted as acts."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from voxpolis.bots.agents.cooperation.known import Known
from voxpolis.bots.agents.cooperation.wording import Moment
from voxpolis.experiments.acts import ActsSeen
from voxpolis.experiments.scripted_cooperation import ScriptedCompanion
from voxpolis.judge.acts import ActHistory, Amount, LastRound, promise
from voxpolis.judge.claims import Claim, State
from voxpolis.judge.lent import Lent
from voxpolis.judge.promises import Promise

#: How sure a person is that others do again what they did last.
AGAIN = 0.8


@dataclass(frozen=True)
class ActsKnowledge:
    """What scripted persons of a scenario know and promise.

    Attributes:
        lent: how its claims and deeds are told.
        true: rules that are so, in every round in which they are put to the test.
        false: rules that are not.
        promised: by agent, what it promises for a round; whoever keeps its part keeps it.
    """

    lent: Lent
    true: tuple[Claim[ActHistory], ...]
    false: tuple[Claim[ActHistory], ...]
    promised: Mapping[str, Amount]


@dataclass
class ActsCompanion(ScriptedCompanion):
    """One person's modules; it keeps its part of what is best for all, or it does not.

    Attributes:
        knowledge: what it knows and promises.
        seen: what it perceived last.
    """

    knowledge: ActsKnowledge = field(kw_only=True)
    seen: ActsSeen | None = None

    def lends(self) -> Lent:
        """Return how its scenario's claims and deeds are told."""
        return self.knowledge.lent

    def rules(self) -> tuple[Sequence[Claim[Any]], Sequence[Claim[Any]]]:
        """Return what is so, and what is not."""
        return self.knowledge.true, self.knowledge.false

    def see(self, about: object) -> None:
        """Take in what was done in the last round."""
        assert isinstance(about, ActsSeen)
        self.seen = about

    def states(self) -> Sequence[State[Any]]:
        """Return that others did in the last round what they might have promised."""
        if self.seen is None or self.seen.last is None:
            return []
        amounts = self.knowledge.promised.items()
        return [LastRound(amount) for name, amount in amounts if name != self.name]

    def knows(self, claim: Claim[Any]) -> State[Any] | None:
        """Return whether something was so in the last round; everybody has seen that."""
        if not isinstance(claim, LastRound) or self.seen is None or self.seen.last is None:
            return None
        return claim if claim.amount.is_so(self.seen.last) else claim.contrary

    def contrary(self, claim: State[Any]) -> State[Any]:
        """Return what is so where a claim is not."""
        assert isinstance(claim, LastRound)
        return claim.contrary

    def predictions(self, about: object) -> Sequence[tuple[Claim[Any], float]]:
        """Return that others do again what they did last."""
        self.see(about)
        assert self.seen is not None
        last = self.seen.last
        if last is None:
            return []
        amounts = {n: a for n, a in self.knowledge.promised.items() if n != self.name}
        return [(one, AGAIN if one.is_so(last) else 1 - AGAIN) for one in amounts.values()]

    def offer(self, moment: Moment, to: str) -> Promise:
        """Return the promise to keep its part in the round that is about to begin."""
        return promise(self.knowledge.promised[self.name], moment.round)

    def keeps_its_part(self, known: Known, round_: int) -> bool:
        """Return whether it plays its part in a round: as it promised, or as the law wants it.

        Who has promised keeps that or not, whatever the law says.
        """
        own = [one.number for one in known.promises if one.by == self.name and one.number]
        if own:
            return all(self.means_to_keep(number) for number in own)
        fine = known.numbers.get(self.lends().account.offence.number, 0.0)
        draws = random.Random(f"{self.seed} law {round_}")
        return fine > 0 and draws.random() < self.manners.heeds
