"""What Double-Vein lends to the modules of cooperation, and what its scripted minds know of it."""

from __future__ import annotations

from voxpolis.experiments.loops.cooperation.scripted import ActsKnowledge
from voxpolis.judge.deeds.acts import (
    EVERYONE,
    Act,
    ActClaims,
    ActRule,
    Amount,
    Duty,
    LastRound,
    account_of,
)
from voxpolis.judge.deeds.lent import Lent

#: So much of each ore there is in an episode.
ALL_IRON, ALL_DIAMONDS = 12, 6
IRON = Act("iron_dug", "digs", "iron", ALL_IRON)
DIAMONDS = Act("diamonds_dug", "digs", "diamonds", ALL_DIAMONDS)
#: In the order of the scenario's ores.
ACTS = (IRON, DIAMONDS)
#: The number of the first law.
DUTY_FINE = "duty_fine"
#: More than half of the iron, which only one of two can have.
MOST_OF_IRON, IRON_LEFT = 7, 5


def knowledge(agents: tuple[str, ...]) -> ActsKnowledge:
    """Return it for the players, in the order in which Gizmo is first.

    Gizmo leaves the diamonds, and Glitch the iron: each ore goes to whom it is worth most to.
    """
    first, second = agents
    parts = {
        first: Amount(first, DIAMONDS, 0, at_least=False),
        second: Amount(second, IRON, 0, at_least=False),
    }
    duty = Duty(
        f"{first} leaves the diamonds, and {second} leaves the iron. Whoever does not pays "
        f"{DUTY_FINE} to the other.",
        DUTY_FINE,
        "dug what the other should have",
        tuple(parts.values()),
    )
    lent = Lent(ActClaims(ACTS), account_of(ACTS, duty), LastRound(parts[second]))
    most = Amount(first, IRON, MOST_OF_IRON)
    little = Amount(second, IRON, IRON_LEFT, at_least=False)
    return ActsKnowledge(
        lent,
        true=(Amount(EVERYONE, IRON, ALL_IRON), ActRule(most, little)),
        false=(
            Amount(EVERYONE, IRON, ALL_IRON - 1, at_least=False),
            ActRule(most, Amount(second, IRON, IRON_LEFT + 1)),
        ),
        promised=parts,
    )
