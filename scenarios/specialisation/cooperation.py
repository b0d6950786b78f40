"""What the village lends to modules of cooperation, and what its scripted people know of it.

Acts are what people bring to the market, take from it and give each other, by the village's own
reports of what came of their work. The law asks everybody to bring something in each round, and who
does not may take nothing in the next: the village refuses it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence

from voxpolis.bots.time import AFTER_ALL_WAKE
from voxpolis.experiments.loops.cooperation.scripted import ActsKnowledge
from voxpolis.experiments.loops.society.society import SocietyRun
from voxpolis.judge.deeds.acts import (
    EVERYONE,
    Act,
    ActClaims,
    Amount,
    Counts,
    Duty,
    LastRound,
    account_of,
)
from voxpolis.judge.deeds.lent import Lent
from voxpolis.worlds.trades import Report, TradeWorld

BROUGHT = Act("brought", "brings", "things to the market")
TAKEN = Act("taken", "takes", "things from the market")
GIVEN = Act("given", "gives", "things to others")
ACTS = (BROUGHT, TAKEN, GIVEN)
#: By a report's verb, which act it is.
ACT_OF = {"PUT": BROUGHT, "TAKE": TAKEN, "GIVE": GIVEN}
#: The number of the first law.
BAN_ROUNDS = "ban_rounds"
#: So many things each brings in a round by law; ours.
DUTY_THINGS = 1
#: Nobody gives so many things in a round, which scripted people suppose all the same.
NEVER = 1000
BANNED = "You may take nothing from the market in this round."
#: What people are told who ask for something all the same.
REFUSED = "the law forbids you to take anything from the market in this round"
#: Two moments count as the same that are so near, in seconds.
SAME_S = 1e-6


def knowledge(names: Sequence[str]) -> ActsKnowledge:
    """Return it for some people: each brings something."""
    parts = {name: Amount(name, BROUGHT, DUTY_THINGS) for name in names}
    duty = Duty(
        f"In every round each brings at least {DUTY_THINGS} thing to the market. Whoever does not "
        f"may take nothing from it in the next {BAN_ROUNDS} rounds.",
        BAN_ROUNDS,
        "brought nothing to the market",
        tuple(parts.values()),
        BANNED,
    )
    lent = Lent(ActClaims(ACTS), account_of(ACTS, duty), LastRound(parts[names[0]]))
    return ActsKnowledge(
        lent,
        true=(Amount(EVERYONE, BROUGHT, DUTY_THINGS),),
        false=(Amount(EVERYONE, GIVEN, NEVER),),
        promised=parts,
    )


class MarketBook:
    """What came to the market and went; see :class:`experiments.loops.society.cooperation.Book`."""

    def __init__(self, run: SocietyRun, round_s: float, length_s: float) -> None:
        """Begin to count.

        Args:
            run: a society in a village with trades.
            round_s: how long a round takes, in seconds of its own.
            length_s: how long the society lives.
        """
        assert isinstance(run.world, TradeWorld)
        self._run, self._village = run, run.world
        self._round_s, self._length_s = round_s, length_s
        self._counts = {name: Counter[str]() for name in run.agents}
        run.world.listeners.append(self._note)

    def _note(self, report: Report) -> None:
        act = ACT_OF.get(report.verb)
        if act is not None and report.ok:
            moved = report.gained if act is TAKEN else report.spent
            self._counts[report.agent][act.name] += sum(moved.values())

    @property
    def is_open(self) -> bool:
        """Whether there is time for another round."""
        return self._run.time.now() + self._round_s <= self._length_s + SAME_S

    async def round(self) -> Counts:
        """Wait until a round is over; return what each did since the last one was."""
        await self._run.time.sleep(self._round_s, AFTER_ALL_WAKE)
        counted = {
            name: {one.name: own[one.name] for one in ACTS} for name, own in self._counts.items()
        }
        self._counts = {name: Counter() for name in self._counts}
        return counted

    def ban(self, names: Collection[str]) -> None:
        """Let these people take nothing from the market in the next round."""
        self._village.barred = dict.fromkeys(names, REFUSED)
