"""What scripted persons of both games have in common where they carry modules of cooperation.

What they know, ask, promise and foresee each kind of commons has its own:
:mod:`scenarios.commons.tree_companions` and :mod:`scenarios.commons.river_companions`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from voxpolis.bots.agents.cooperation.wording import Moment
from voxpolis.experiments.loops.cooperation.scripted import Manners, ScriptedCompanion
from voxpolis.judge.deeds.lent import Lent
from voxpolis.judge.deeds.promises import Promise
from voxpolis.worlds.commons.accounts import peace
from voxpolis.worlds.commons.claims import AttacksUnfed, Claim
from voxpolis.worlds.commons.sight import Sight

__all__ = ["CommonsCompanion", "Manners", "sight_of"]

#: Rounds for which a person promises peace.
PEACE_ROUNDS = 1


@dataclass
class CommonsCompanion(ScriptedCompanion):
    """One person's modules in a commons.

    Class attributes: ``lent``, how its world's claims and deeds are told; ``true_rules`` and
    ``false_rules``, which an observer supposes.
    """

    lent: ClassVar[Lent]
    true_rules: ClassVar[Sequence[Claim]]
    false_rules: ClassVar[Sequence[Claim]]

    bots: tuple[str, ...] = ()

    def lends(self) -> Lent:
        return self.lent

    def rules(self) -> tuple[Sequence[Claim], Sequence[Claim]]:
        return [*self.true_rules, *map(AttacksUnfed, self.bots)], self.false_rules

    def offer(self, moment: Moment, to: str) -> Promise:
        return peace(self.name, to, moment.round + PEACE_ROUNDS)


def sight_of(about: object) -> Sight:
    """Return what a person perceives, as it is in a commons."""
    assert isinstance(about, Sight)
    return about
