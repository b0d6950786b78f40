"""A place whose rounds are counted as acts, for the modules of cooperation: what agents see there.

See :mod:`judge.deeds.acts` for what acts are, and
:class:`experiments.loops.cooperation.rules.Place`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from voxpolis.bots.agents.cooperation.known import Known
from voxpolis.bots.models import ChatModel
from voxpolis.experiments.loops.cooperation.cooperation import CooperationRun
from voxpolis.experiments.loops.cooperation.measures import cooperation_measures
from voxpolis.experiments.loops.cooperation.rules import Being, Cooperation, View
from voxpolis.judge.deeds.account import Form
from voxpolis.judge.deeds.acts import Act, ActHistory, Counts
from voxpolis.records import events


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


# --- Modules and institutions where rounds are counted as acts, whoever counts them ---------------
#
# Before a round agents think and talk, one after another; when it is over its acts are counted from
# the world's own account, promises are settled, the law takes what it takes, and reputations and
# votes have their turn. See :mod:`judge.deeds.acts` for what acts are.


class ActsCooperation:
    """Modules and institutions through rounds that are counted as acts.

    Attributes:
        run: what agents know and decided.
        events: what was recorded of them, and of rewards.
    """

    def __init__(
        self,
        rules: Cooperation,
        beings: Sequence[Being],
        place: ActsPlace,
        model: ChatModel,
        note: Callable[..., object],
    ) -> None:
        """Begin before the first round.

        Args:
            rules: which modules agents carry.
            beings: who carries them.
            place: where rounds are counted.
            model: answers for all.
            note: records an event: its class, the agent, and its fields.
        """
        self.events: list[events.Event] = []
        self._note, self._place = note, place
        self._has_begun = False
        self.run = CooperationRun(rules, beings, place, model, self.note)

    def note(self, kind: type[events.Event], agent: str | None = None, **fields: Any) -> None:
        """Record an event, and let what counts be counted."""
        self._note(kind, agent, **fields)
        event = kind(t=0.0, episode=0, agent=agent, **fields)
        self.events.append(event)
        self.run.take(event)

    def known(self, name: str) -> Known:
        """Return what an agent knows by its modules."""
        return self.run.known(name)

    async def before(self) -> None:
        """Let all agents think and talk before a round, in their order.

        Raises:
            ModelError: the model will answer no more.
        """
        if not self._has_begun:
            self._has_begun = True
            self.run.begin()
        for name in self.run.agents:
            view = self._place.view(name)
            self.run.companions[name].perceive(view.changes)
            await self.run.think(name, view)

    def take_acts(self, counted: Counts) -> None:
        """Count the acts of a round that is over, and settle promises by them."""
        acts = {name: dict(own) for name, own in counted.items()}
        self.note(events.ActsCounted, round=self.run.round, acts=acts)
        self.run.settle_promises()

    async def after(self) -> None:
        """Let what is due after a round have its turn.

        Raises:
            ModelError: the model will answer no more.
        """
        await self.run.after_round()

    def end(self) -> None:
        """Settle what is left after the last round."""
        self.run.end()

    def measures(self) -> Mapping[str, Any]:
        """Return what cooperation came to so far."""
        found = cooperation_measures(self.events, self.run.agents, _unknown, ())
        return {name: value for name, value in found.items() if name not in ("welfare", "gini")}


def _unknown(_test: str) -> None:
    """Whether what agents hold for a rule is true here nobody has worked out."""
