"""The constitution of a commons: articles, numbers, and what code takes from who breaks them.

What happened is taken from events, never from what anybody says. A fine goes in equal parts to the
other agents, so that all transfers sum to zero. Bots are no party: nobody fines them, they get no
part of a fine, and to attack them is not forbidden.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from judge.constitution import Constitution
from judge.deeds import Deed

LAST_APPLE_FINE, ATTACK_FINE, BAN_ROUNDS = "last_apple_fine", "attack_fine", "ban_rounds"
#: For so many rounds after it took a last apple anybody may stop an agent.
STOP_ROUNDS = 3
ARTICLES = (
    "Nobody takes the last apple of a tree. Whoever does pays last_apple_fine to the others.",
    f"Whoever took one may be stopped by anyone in that round and the next {STOP_ROUNDS}.",
    "Whoever attacks another without that right pays attack_fine to the others, and may not attack "
    "anybody in the next ban_rounds rounds.",
    "Agreements bind. Who keeps them and who does not is recorded.",
)
LIMITS = {LAST_APPLE_FINE: (0.0, 20.0), ATTACK_FINE: (0.0, 20.0), BAN_ROUNDS: (0.0, 20.0)}
#: The numbers of articles whose breach is fined.
LAST_APPLE_ARTICLE, ATTACK_ARTICLE = 1, 3


@dataclass(frozen=True)
class Breach:
    """An article that an agent broke.

    Attributes:
        agent: who.
        article: its number.
        what: what it did, in words.
        fine: what it pays.
        shares: by agent, what each of the others gets of it.
        banned_until: the last round in which it may not attack; 0: it may.
    """

    agent: str
    article: int
    what: str
    fine: float
    shares: dict[str, float]
    banned_until: int = 0


def first_constitution(last_apple_fine: float, attack_fine: float, ban_rounds: int) -> Constitution:
    """Return the law before the first round."""
    numbers = {
        LAST_APPLE_FINE: last_apple_fine,
        ATTACK_FINE: attack_fine,
        BAN_ROUNDS: float(ban_rounds),
    }
    return Constitution(ARTICLES, numbers, LIMITS)


class Penalties:
    """Who broke what, and what it cost.

    Attributes:
        breaches: all, in their order.
        transfers: by agent, what fines took (< 0) and brought (> 0) so far.
    """

    def __init__(self, agents: Sequence[str]) -> None:
        """Begin without a breach; ``agents``: who is under the law."""
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
        if deed.kind == "last":
            self._took[deed.agent] = deed.round
            fine = law.parameters[LAST_APPLE_FINE]
            what = f"took the last apple of tree {deed.tree}"
            found = self._breach(deed.agent, LAST_APPLE_ARTICLE, what, fine)
        elif (
            deed.kind == "attack"
            and deed.other in self._agents
            and not self.may_be_stopped(deed.other, deed.round)
        ):
            until = deed.round + int(law.parameters[BAN_ROUNDS])
            banned = until if until > deed.round else 0
            self._banned[deed.agent] = max(banned, self._banned.get(deed.agent, 0))
            fine = law.parameters[ATTACK_FINE]
            what = f"attacked {deed.other}"
            found = self._breach(deed.agent, ATTACK_ARTICLE, what, fine, banned)
        return found

    def _breach(
        self, agent: str, article: int, what: str, fine: float, banned_until: int = 0
    ) -> Breach:
        others = [name for name in self._agents if name != agent]
        shares = {name: fine / len(others) for name in others}
        self.transfers[agent] -= fine if others else 0.0
        for name, share in shares.items():
            self.transfers[name] += share
        breach = Breach(agent, article, what, fine if others else 0.0, shares, banned_until)
        self.breaches.append(breach)
        return breach

    def may_be_stopped(self, name: str, round_: int) -> bool:
        """Return whether anybody may attack an agent, because it took a last apple."""
        return name in self._took and round_ <= self._took[name] + STOP_ROUNDS

    def is_banned(self, name: str, round_: int) -> bool:
        """Return whether an agent may not attack anybody in a round."""
        return round_ <= self._banned.get(name, 0)
