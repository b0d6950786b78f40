"""Cooperation modules in a society, in rounds of counted acts.

A scenario provides a :class:`Book`, an object that decides when a round is over, counts what
everybody did according to the world, and enforces bans. Before a round, people think and talk one
after another, each with the people who can hear. Their knowledge then stays the same until the next
round (:class:`ModuleKnowledge`).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import Field, NonNegativeInt

from voxpolis.bots.agents.cooperation.knowledge import Known
from voxpolis.bots.agents.generative import Persona
from voxpolis.bots.agents.piano.digest import ago
from voxpolis.bots.models import AccountedModel, ChatModel
from voxpolis.bots.time import AFTER_ALL_WAKE
from voxpolis.experiments.loops.cooperation.cooperation import (
    ROLES,
    ActsContext,
    ActsCooperation,
    Cooperation,
)
from voxpolis.experiments.loops.cooperation.measures import spread_of
from voxpolis.experiments.loops.cooperation.scripted import (
    ActsModules,
    ModuleNames,
    modules_option,
)
from voxpolis.experiments.loops.society.society import Member, SocietyRun
from voxpolis.experiments.run.scenario import Entry, Result
from voxpolis.judge.deeds.acts import Act, Counts
from voxpolis.records import events


class Book(Protocol):
    """Counts what people do in rounds, according to the world, and enforces bans."""

    @property
    def is_open(self) -> bool:
        """True if there is time for another full round before the society ends."""

    async def round(self) -> Counts:
        """Wait until the round that begins now is over, and return what each person did."""

    def ban(self, names: Collection[str]) -> None:
        """Ban these people in the next round, and nobody else."""


@dataclass(frozen=True)
class ModuleContext:
    """The interface that a scenario provides for its people's modules.

    ``rules`` contains the modules and their parameters, and ``acts`` the acts that are counted.
    ``rounds`` is the maximum number of rounds. ``world`` describes the world to people. ``book``
    creates the object that counts the acts in a society (:class:`Book`).
    """

    rules: Cooperation
    acts: tuple[Act, ...]
    rounds: int
    world: str
    book: Callable[[SocietyRun], Book]


# Key under which people know what their modules know; see :class:`bots.agents.piano.agent.Agent`.
COOPERATION = "cooperation"
# Announcement of the next round.
NOW = "Round {round} is about to begin."


@dataclass(frozen=True)
class ModuleKnowledge:
    """The knowledge of a person's modules in a round. The round began at the time ``began``."""

    known: Known
    round: int
    began: float

    def text(self, now: float) -> str:
        """Return what the modules know, as sections of a prompt."""
        began = f"Round {self.round} began {ago(now, self.began)}."
        return f"{began}{self.known.sections()}"


class CooperatingPeople(ActsModules):
    """The settings of societies whose people can carry cooperation modules."""

    carried: ModuleNames = modules_option("people")
    ban_rounds: NonNegativeInt = Field(
        default=1,
        le=20,
        description="Number of rounds of the ban for a neglected duty. Our choice.",
    )

    @property
    def chosen(self) -> str:
        return self.carried

    @property
    def duty_costs(self) -> float:
        return self.ban_rounds


class SocietyCooperation:
    """Cooperation modules and institutions during the life of one society."""

    def __init__(
        self, lending: ModuleContext, members: Sequence[Member], run: SocietyRun, model: ChatModel
    ) -> None:
        names = [member.name for member in members]
        context = ActsContext(names, lending.acts, NOW, lambda name: run.agents[name].body.near())
        participants = [Persona(one.name, one.traits, lending.world) for one in members]
        self._run, self._model, self._book = run, model, lending.book(run)
        self._acts = ActsCooperation(lending.rules, participants, context, model, run.note)
        # Whether a round is in progress.
        self.is_busy = False

    async def live(self) -> None:
        """Play rounds as long as there is time for another round.

        On the grid, no time passes while people think and talk. On a server, time passes.

        Raises:
            ModelError: the model is closed.
        """
        time, own = self._run.time, self._acts
        await time.sleep(0.0, AFTER_ALL_WAKE)  # let everyone due now act first
        while self._book.is_open:
            self.is_busy = True
            await own.before()
            self._tell()
            counted = await self._book.round()
            own.take_acts(counted)
            await own.after_round()
            self._book.ban([name for name in own.agents if own.is_banned(name)])
            self.is_busy = False
        own.end()
        self._tell()

    def _tell(self) -> None:
        own, now = self._acts, self._run.time.now()
        for name in own.agents:
            told = ModuleKnowledge(own.known(name), own.round, now)
            self._run.agents[name].standing[COOPERATION] = told
        if not isinstance(self._model, AccountedModel):
            return
        for failure in self._model.take_failures(own.agents):
            if failure.role in ROLES:  # minds record their own failures
                fields = {"role": failure.role, "message": failure.message}
                self._run.note(events.MindFailed, failure.agent, **fields)

    def outcome(self) -> Entry:
        """Return the measures of cooperation for the society's entry."""
        broken = [one for one in self._acts.events if isinstance(one, events.ArticleBroken)]
        found: dict[str, Any] = {**self._acts.measures(), "breaches": len(broken)}
        return {"cooperation": {"rounds": self._acts.deeds.rounds, **found}}


def cooperation_results(entries: Sequence[Entry], lending: ModuleContext | None) -> Result:
    """Return the measures of cooperation over all societies of each condition. The result is empty
    if people carry no modules.
    """
    if lending is None:
        return {}
    names = dict.fromkeys(entry["condition"] for entry in entries)
    own = {name: [e["cooperation"] for e in entries if e["condition"] == name] for name in names}
    found = {name: spread_of(societies) for name, societies in own.items()}
    return {"modules": list(lending.rules.modules), "cooperation": found}
