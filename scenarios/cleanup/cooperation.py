"""What Cleanup lends to the modules of cooperation, and what its scripted minds know of it."""

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

SLIME, MUSHROOMS = Act("slime_cleaned", "cleans", "slime"), Act("mushrooms", "gets", "mushrooms")
ACTS = (SLIME, MUSHROOMS)
#: The number of the first law.
DUTY_FINE = "duty_fine"
#: So much slime each cleans in an episode by law.
DUTY_SLIME = 8


def knowledge(agents: tuple[str, ...]) -> ActsKnowledge:
    """Return it for the players: each cleans its part of the river."""
    parts = {name: Amount(name, SLIME, DUTY_SLIME) for name in agents}
    duty = Duty(
        f"In every episode each cleans at least {DUTY_SLIME} slime. Whoever does not pays "
        f"{DUTY_FINE} to the other.",
        DUTY_FINE,
        "cleaned too little",
        tuple(parts.values()),
    )
    lent = Lent(ActClaims(ACTS), account_of(ACTS, duty), LastRound(parts[agents[0]]))
    cleaned = Amount(EVERYONE, SLIME, 2 * DUTY_SLIME)
    return ActsKnowledge(
        lent,
        true=(ActRule(cleaned, Amount(EVERYONE, MUSHROOMS, 1)),),
        false=(ActRule(cleaned, Amount(EVERYONE, MUSHROOMS, 0, at_least=False)),),
        promised=parts,
    )
