"""What agents did on a commons, counted from a record's events for promises and laws."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from records import events

DeedKind = Literal["eaten", "last", "attack", "hit"]


@dataclass(frozen=True)
class Deed:
    """Something that an agent did: it took an apple or a tree's last one, attacked, or hit.

    Attributes:
        kind: what.
        agent: who.
        other: whom it named or hit; empty: nobody.
        tree: of which tree the apple was; 0: none.
        round: in which round, from 1.
    """

    kind: DeedKind
    agent: str
    other: str = ""
    tree: int = 0
    round: int = 1


class Deeds:
    """All deeds of an episode so far, in their order.

    An attack is a beam that was fired at somebody by name, whether or not it hit.
    """

    def __init__(self) -> None:
        self.all: list[Deed] = []
        self.rounds = 0

    def take(self, event: events.Event) -> None:
        """Take in an event of the episode."""
        agent, now = str(event.agent), self.rounds + 1
        match event:
            case events.AppleEaten(tree=tree, was_last=was_last):
                self.all.append(Deed("eaten", agent, tree=tree, round=now))
                if was_last:
                    self.all.append(Deed("last", agent, tree=tree, round=now))
            case events.ZapFired(target=str(target)):
                self.all.append(Deed("attack", agent, target, round=now))
            case events.ZapHit(victim=victim, by_chance=False):
                self.all.append(Deed("hit", agent, victim, round=now))
            case events.RoundEnded(round=ended):
                self.rounds = ended
            case _:
                pass

    def count(
        self,
        kind: DeedKind,
        agent: str,
        *,
        other: str = "",
        tree: int = 0,
        since: int = 0,
        until: int | None = None,
    ) -> int:
        """Return how often an agent did something.

        Args:
            kind: what.
            agent: who.
            other: to whom; empty: to anybody.
            tree: of which tree; 0: of any.
            since: only after so many deeds of all (``len(deeds.all)`` at that moment).
            until: only up to this round; None: up to now.
        """
        return sum(
            one.kind == kind
            and one.agent == agent
            and other in ("", one.other)
            and tree in (0, one.tree)
            and (until is None or one.round <= until)
            for one in self.all[since:]
        )

    def counts(self, players: Sequence[str], trees: Iterable[int]) -> Mapping[str, int]:
        """Return what clauses can name, as they spell it, since the beginning."""
        found = {"rounds()": self.rounds}
        trees = tuple(trees)
        for name in players:
            found[f"eaten({name})"] = self.count("eaten", name)
            found[f"last({name})"] = self.count("last", name)
            found |= {f"eaten({name}, {t})": self.count("eaten", name, tree=t) for t in trees}
            found |= {
                f"hits({name}, {other})": self.count("hit", name, other=other)
                for other in players
                if other != name
            }
        return found
