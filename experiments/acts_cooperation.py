"""Modules and institutions where rounds are counted as acts, whoever counts them.

Before a round agents think and talk, one after another; when it is over its acts are counted from
the world's own account, promises are settled, the law takes what it takes, and reputations and
votes have their turn. See :mod:`judge.acts` for what acts are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from voxpolis.bots.agents.cooperation.known import Known
from voxpolis.bots.models import ChatModel
from voxpolis.experiments.acts import ActsPlace
from voxpolis.experiments.cooperation import CooperationRun
from voxpolis.experiments.cooperation_measures import cooperation_measures
from voxpolis.experiments.cooperation_protocol import Being, Cooperation
from voxpolis.judge.acts import Counts
from voxpolis.records import events


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
        """Return what cooperation came to so far; see :mod:`experiments.cooperation_measures`."""
        found = cooperation_measures(self.events, self.run.agents, _unknown, ())
        return {name: value for name, value in found.items() if name not in ("welfare", "gini")}


def _unknown(_test: str) -> None:
    """Whether what agents hold for a rule is true here nobody has worked out."""
