"""A place whose rounds are counted as acts, for the modules of cooperation: what agents see there.

See :mod:`judge.acts` for what acts are, and :class:`experiments.cooperation_protocol.Place`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from voxpolis.experiments.cooperation_protocol import View
from voxpolis.judge.acts import Act, ActHistory, Counts
from voxpolis.judge.deeds import Form


@dataclass(frozen=True)
class ActsSeen:
    """What an agent perceives between two rounds.

    Attributes:
        agent: its name.
        agents: all who play.
        last: what each did in the last round; None: none was played.
    """

    agent: str
    agents: tuple[str, ...]
    last: Counts | None


class ActsPlace:
    """Rounds of acts; everybody knows what was counted, and everybody hears everybody.

    Attributes:
        history: the rounds so far.
        names: all who play.
        things: nothing there has a number.
    """

    def __init__(self, names: Sequence[str], acts: Sequence[Act], now: str) -> None:
        """Begin before the first round.

        Args:
            names: all who play.
            acts: what is counted.
            now: which round is about to begin, in words; ``{round}`` is its number, from 1.
        """
        self.history = ActHistory()
        self.names = tuple(names)
        self.things: dict[int, int] = {}
        self._acts = tuple(acts)
        self._now = now

    def most(self, form: Form, _thing: int) -> int | None:
        """Return how often anybody can do something in a round, by what there is or was done."""
        act = next((one for one in self._acts if one.name == form.kind), None)
        return act.most_so_far(self.history.rounds) if act else None

    @property
    def hour(self) -> int:
        """Rounds so far."""
        return self.history.hour

    def hearing(self, name: str) -> tuple[str, ...]:
        """Return all others."""
        return tuple(other for other in self.names if other != name)

    def view(self, name: str) -> View:
        """Return what an agent perceives now: all rounds together, and the last one."""
        rounds = self.history.rounds
        place = self._now.format(round=len(rounds) + 1)
        last = rounds[-1] if rounds else None
        so_far = [self._in_words(f"In all {len(rounds)} rounds", rounds)] if rounds else []
        changes = [self._in_words(f"In round {len(rounds)}", [last])] if last is not None else []
        seen = ActsSeen(name, self.names, last)
        return View(place, tuple(so_far), tuple(changes), about=seen)

    def _in_words(self, when: str, rounds: Iterable[Counts]) -> str:
        rounds = list(rounds)
        parts = []
        for name in self.names:
            sums = {
                one: sum(own.get(name, {}).get(one.name, 0) for own in rounds) for one in self._acts
            }
            done = (f"{one.verb} {count} {one.thing}" for one, count in sums.items())
            parts.append(f"{name} {' and '.join(done)}")
        return f"{when}: {'; '.join(parts)}."
