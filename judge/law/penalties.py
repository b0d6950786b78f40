"""The first law of a society: its articles and numbers, and the penalties that code imposes.

A world defines what its law forbids in addition to attacks (:class:`judge.deeds.account.Account`).
Breaches are found in events, and never in what agents say. A fine is divided equally among the
other agents, so that the transfers sum to zero. Scripted bots are not subject to the law: they are
never fined, receive no share of a fine, and may be attacked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from voxpolis.judge.deeds.account import Account, Deed, Offence
from voxpolis.judge.law.constitution import Constitution

ATTACK_FINE, BAN_ROUNDS = "attack_fine", "ban_rounds"
# The kind of deed that is an attack, in every world.
ATTACK = "attack"
# For this many rounds after an offence, other agents may stop the offender.
STOP_ROUNDS = 3
# The articles of the first law that follow the world's own article if agents can attack.
ATTACK_ARTICLES = (
    "An agent that broke article 1 may be stopped by others in that round and the next "
    f"{STOP_ROUNDS}.",
    "An agent that attacks another without that right pays attack_fine to the others, and may not "
    "attack in the next ban_rounds rounds.",
)
# The last article of every first law.
LAST_ARTICLE = "Agreements are binding. Kept and broken agreements are recorded."
# The minimum and the maximum of every number that amendments can set.
LIMITS = (0.0, 20.0)
# The number of the article about attacks.
ATTACK_ARTICLE = 3


@dataclass(frozen=True)
class Breach:
    """A breach of an article by an agent.

    Attributes:
        shares: the share of the fine that every other agent receives, by the agent's name.
        banned_until: the last round of the ban; 0 if the agent is not banned.
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
    """Return the law before the first round. ``cost`` is the penalty for the world's offence."""
    numbers = {account.offence.number: cost}
    if account.is_armed:
        numbers |= {ATTACK_FINE: attack_fine, BAN_ROUNDS: float(ban_rounds)}
    attacks = ATTACK_ARTICLES if account.is_armed else ()
    articles = (*account.articles, *attacks, LAST_ARTICLE)
    return Constitution(articles, numbers, dict.fromkeys(numbers, LIMITS))


class Penalties:
    """The breaches of the law, and the penalties for them.

    Attributes:
        transfers: for each agent, what it has received of others' fines minus what it has paid.
    """

    def __init__(self, agents: Sequence[str], offence: Offence) -> None:
        self._offence = offence
        self.breaches: list[Breach] = []
        self.transfers = dict.fromkeys(agents, 0.0)
        self._agents = tuple(agents)
        self._took: dict[str, int] = {}
        self._banned: dict[str, int] = {}

    def take(self, deed: Deed, law: Constitution) -> Breach | None:
        """Check whether a deed breaks the law. If so, impose the penalty and return the breach."""
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
        """Ban an agent for some rounds. Return the last of these rounds; 0 if there is no ban."""
        banned = round_ + rounds if rounds > 0 else 0
        self._banned[agent] = max(banned, self._banned.get(agent, 0))
        return banned

    def _breach(
        self, agent: str, article: int, deed: str, fine: float, banned_until: int = 0
    ) -> Breach:
        others = [name for name in self._agents if name != agent]
        shares = {name: fine / len(others) for name in others if fine}
        self.transfers[agent] -= fine if others else 0.0
        for name, share in shares.items():
            self.transfers[name] += share
        breach = Breach(agent, article, deed, fine if others else 0.0, shares, banned_until)
        self.breaches.append(breach)
        return breach

    def may_be_stopped(self, name: str, round_: int) -> bool:
        """Return whether others may attack this agent in a round because of a recent offence."""
        return name in self._took and round_ <= self._took[name] + STOP_ROUNDS

    def is_banned(self, name: str, round_: int) -> bool:
        return round_ <= self._banned.get(name, 0)
