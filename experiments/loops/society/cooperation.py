"""Modules of cooperation in a society: what is done in a round is counted as acts.

A scenario provides a :class:`Book`. It says when a round is over, counts what everybody did in it
by the world's own account, and enforces bans. Before a round, people think and talk, one after
another, each with those who hear it where it stands. What their modules know holds for them from
then on (:class:`Carried`).
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
    ActsCooperation,
    ActsPlace,
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
    """Counts what people do, by the world's own account, and keeps a ban."""

    @property
    def is_open(self) -> bool:
        """Return whether another round begins now and is over before the society ends."""

    async def round(self) -> Counts:
        """Wait until a round that begins now is over; return what each did in it."""

    def ban(self, names: Collection[str]) -> None:
        """Ban only these people in the next round."""


@dataclass(frozen=True)
class Lending:
    """What a scenario provides for the modules of its people.

    ``rules``: which modules they carry, and how these work; ``acts``: what is counted;
    ``rounds``: at most; ``world``: what people are told of it; ``book``: makes a society's book.
    """

    rules: Cooperation
    acts: tuple[Act, ...]
    rounds: int
    world: str
    book: Callable[[SocietyRun], Book]


# The subject that what modules tell holds for; see :class:`bots.agents.piano.agent.Agent`.
COOPERATION = "cooperation"
# Which round is about to begin, in words.
NOW = "Round {round} is about to begin."


@dataclass(frozen=True)
class Carried:
    """What a person knows by its modules in a round, which began at the second ``began``."""

    known: Known
    round: int
    began: float

    def text(self, now: float) -> str:
        """Return it as sections of a prompt."""
        began = f"Round {self.round} began {ago(now, self.began)}."
        return f"{began}{self.known.sections()}"


class CooperatingPeople(ActsModules):
    """What can be varied about a society whose people can carry modules; a part of its settings."""

    carried: ModuleNames = modules_option("people")
    ban_rounds: NonNegativeInt = Field(
        default=1, le=20, description="Rounds of the ban that a neglected duty costs by law. Ours."
    )

    @property
    def chosen(self) -> str:
        return self.carried

    @property
    def duty_costs(self) -> float:
        return self.ban_rounds


class SocietyCooperation:
    """Modules and institutions through the life of one society."""

    def __init__(
        self, lending: Lending, members: Sequence[Member], run: SocietyRun, model: ChatModel
    ) -> None:
        names = [member.name for member in members]
        place = ActsPlace(names, lending.acts, NOW, lambda name: run.agents[name].body.near())
        beings = [Persona(one.name, one.traits, lending.world) for one in members]
        self._run, self._model, self._book = run, model, lending.book(run)
        self._acts = ActsCooperation(lending.rules, beings, place, model, run.note)
        # Whether a round is under way.
        self.is_busy = False

    async def live(self) -> None:
        """Play one round after another, until there is time for no other one.

        On the grid no time passes while people think and talk; on a server it goes on.

        Raises:
            ModelError: the model will answer no more.
        """
        time, own = self._run.time, self._acts
        await time.sleep(0.0, AFTER_ALL_WAKE)  # who wakes now has done what it does
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
        """Tell each person what its modules know, and record which questions went wrong."""
        own, now = self._acts, self._run.time.now()
        for name in own.agents:
            told = Carried(own.known(name), own.round, now)
            self._run.agents[name].standing[COOPERATION] = told
        if not isinstance(self._model, AccountedModel):
            return
        for failure in self._model.take_failures(own.agents):
            if failure.role in ROLES:  # minds record their own
                fields = {"role": failure.role, "message": failure.message}
                self._run.note(events.MindFailed, failure.agent, **fields)

    def outcome(self) -> Entry:
        """Return the part of the society's entry that tells what cooperation came to."""
        broken = [one for one in self._acts.events if isinstance(one, events.ArticleBroken)]
        found: dict[str, Any] = {**self._acts.measures(), "breaches": len(broken)}
        return {"cooperation": {"rounds": self._acts.deeds.rounds, **found}}


def cooperated(entries: Sequence[Entry], lending: Lending | None) -> Result:
    """Return what modules came to by condition, over its societies; nothing of none."""
    if lending is None:
        return {}
    names = dict.fromkeys(entry["condition"] for entry in entries)
    own = {name: [e["cooperation"] for e in entries if e["condition"] == name] for name in names}
    found = {name: spread_of(societies) for name, societies in own.items()}
    return {"modules": list(lending.rules.modules), "cooperation": found}
