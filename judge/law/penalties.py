"""A first law: articles, numbers, and what code takes from who breaks them.

The world says what it forbids besides attacks (:class:`judge.deeds.account.Account`).

What happened is taken from events, never from what anybody says. A fine goes in equal parts to the
other agents, so that all transfers sum to zero. Bots are no party: nobody fines them, they get no
part of a fine, and to attack them is not forbidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from voxpolis.judge.deeds.account import Account, Deed, Offence
from voxpolis.judge.law.constitution import Constitution

ATTACK_FINE, BAN_ROUNDS = "attack_fine", "ban_rounds"
# The kind of deed that an attack is, in every account.
ATTACK = "attack"
# For so many rounds after its offence anybody may stop an agent.
STOP_ROUNDS = 3
# What the first law has besides its own first article, where agents can attack each other.
ATTACK_ARTICLES = (
    f"Whoever broke article 1 may be stopped by anyone in that round and the next {STOP_ROUNDS}.",
    "Whoever attacks another without that right pays attack_fine to the others, and may not attack "
    "anybody in the next ban_rounds rounds.",
)
# What every first law ends with.
LAST_ARTICLE = "Agreements bind. Who keeps them and who does not is recorded."
# Of every number that can be set.
LIMITS = (0.0, 20.0)
# The number of the article about attacks.
ATTACK_ARTICLE = 3


@dataclass(frozen=True)
class Breach:
    """An article that an agent broke.

    Attributes:
        shares: by agent, what each of the others gets of it.
        banned_until: the last round of its ban (from attacks, or from what the world's account
            says); 0: it has none.
    """

    agent: str
    article: int
    what: str
    fine: float
    shares: dict[str, float]
    banned_until: int = 0


def first_constitution(
    account: Account, cost: float, attack_fine: float = 0.0, ban_rounds: int = 0
) -> Constitution:
    """Return the law before the first round; ``cost``: of what the world's own article forbids."""
    numbers = {account.offence.number: cost}
    if account.is_armed:
        numbers |= {ATTACK_FINE: attack_fine, BAN_ROUNDS: float(ban_rounds)}
    attacks = ATTACK_ARTICLES if account.is_armed else ()
    articles = (*account.articles, *attacks, LAST_ARTICLE)
    return Constitution(articles, numbers, dict.fromkeys(numbers, LIMITS))


class Penalties:
    """Breaches of the law, and their costs.

    Attributes:
        transfers: by agent, what fines took (< 0) and brought (> 0) so far.
    """

    def __init__(self, agents: Sequence[str], offence: Offence) -> None:
        self._offence = offence
        self.breaches: list[Breach] = []
        self.transfers = dict.fromkeys(agents, 0.0)
        self._agents = tuple(agents)
        self._took: dict[str, int] = {}
        self._banned: dict[str, int] = {}

    def take(self, deed: Deed, law: Constitution) -> Breach | None:
        """Return the breach that a deed is, if it is one, after its fine was taken."""
        if deed.agent not in self._agents:
            return None
        found = None
        offence = self._offence
        if deed.kind == offence.kind:
            self._took[deed.agent] = deed.round
            cost, what = law.parameters[offence.number], offence.what.format(thing=deed.thing)
            if offence.is_ban:
                banned = self._ban(deed.agent, deed.round, int(cost))
                found = self._breach(deed.agent, offence.article, what, 0.0, banned)
            else:
                found = self._breach(deed.agent, offence.article, what, cost)
        elif (
            deed.kind == ATTACK
            and deed.other in self._agents
            and not self.may_be_stopped(deed.other, deed.round)
        ):
            banned = self._ban(deed.agent, deed.round, int(law.parameters[BAN_ROUNDS]))
            fine = law.parameters[ATTACK_FINE]
            what = f"attacked {deed.other}"
            found = self._breach(deed.agent, ATTACK_ARTICLE, what, fine, banned)
        return found

    def _ban(self, agent: str, round_: int, rounds: int) -> int:
        """Ban an agent for some rounds after this; return the last of them, 0: there is none."""
        banned = round_ + rounds if rounds > 0 else 0
        self._banned[agent] = max(banned, self._banned.get(agent, 0))
        return banned

    def _breach(
        self, agent: str, article: int, what: str, fine: float, banned_until: int = 0
    ) -> Breach:
        others = [name for name in self._agents if name != agent]
        shares = {name: fine / len(others) for name in others if fine}
        self.transfers[agent] -= fine if others else 0.0
        for name, share in shares.items():
            self.transfers[name] += share
        breach = Breach(agent, article, what, fine if others else 0.0, shares, banned_until)
        self.breaches.append(breach)
        return breach

    def may_be_stopped(self, name: str, round_: int) -> bool:
        """Return whether anybody may attack an agent, because of its offence."""
        return name in self._took and round_ <= self._took[name] + STOP_ROUNDS

    def is_banned(self, name: str, round_: int) -> bool:
        """Return whether an agent is banned in a round: from attacks, or what its account says."""
        return round_ <= self._banned.get(name, 0)
