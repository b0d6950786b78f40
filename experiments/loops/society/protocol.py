"""What a society's scenario is: the protocol that ``experiment.py`` plays."""

from __future__ import annotations

from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict, Field

from voxpolis.bots.agents.piano import NOTHING_NOTICED, Agent, Notice, Standing, Surroundings, Verb
from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.cooperation.rules import Cooperation
from voxpolis.experiments.loops.society.society import Member, SocietyRun
from voxpolis.experiments.run.experiment import Entry, Result
from voxpolis.experiments.run.options import UsageError, only_in
from voxpolis.judge.deeds.acts import Act, Counts
from voxpolis.worlds.minecraft.trades.site import lay_out
from voxpolis.worlds.society import SocietyWorld, VillagePlan
from voxpolis.worlds.trades import TradePlan, Trades, settle

#: The world that is no computed one.
MINECRAFT = "minecraft"


@dataclass(frozen=True)
class Setup:
    """One society: its condition, its seed, and the world that it lives in (grid or minecraft)."""

    condition: str
    seed: int
    world: str


@dataclass(frozen=True)
class Stage:
    """What institutions have told an agent at some moment, for showing prompts of that moment.

    Attributes:
        title: when it is, in words: "in a tax season".
        t: when, in seconds of the society's time.
        standing: what holds for the agent then, by subject.
        notices: what the world has told it lately.
        around: what its body notices.
    """

    title: str
    t: float
    standing: Mapping[str, Standing]
    notices: tuple[Notice, ...] = ()
    around: Surroundings = NOTHING_NOTICED


class Book(Protocol):
    """Counts what people do, by the world's own account, and keeps a ban."""

    @property
    def is_open(self) -> bool:
        """Whether another round begins now and is over before the society ends."""

    async def round(self) -> Counts:
        """Wait until a round that begins now is over; return what each did in it."""

    def ban(self, names: Collection[str]) -> None:
        """Ban these people in the next round, and nobody else."""


@dataclass(frozen=True)
class Lending:
    """What a scenario lends to the modules of its people.

    Attributes:
        rules: which modules they carry, and how these work.
        acts: what is counted.
        rounds: how many rounds there are at most.
        world: what people are told of the world.
        book: returns the book of a society that has begun.
    """

    rules: Cooperation
    acts: tuple[Act, ...]
    rounds: int
    world: str
    book: Callable[[SocietyRun], Book]


class Institutions(Protocol):
    """What a society has beside its agents: bells and votes, and what is measured."""

    def works(self) -> Sequence[Coroutine[Any, Any, None]]:
        """Return what lives along with the agents until the society ends."""

    def is_busy(self) -> bool:
        """Return whether something that has begun, such as a count, must end before the society.

        False for those whose measures are whole at each moment.
        """
        return False

    def change(self, setting: str, value: Any) -> None:
        """Let another value of a setting hold from now on, of those that are marked as changeable.

        Raises:
            ValueError: none is marked.
        """
        raise ValueError(f"{setting} cannot be changed")

    def outcome(self) -> Entry:
        """Return the society's entry of ``runs`` in the result, beside what every entry has."""


def thought(default: float, whose: str = "") -> Any:
    """Return the setting how many seconds a thought takes, where time is computed.

    ``whose``: whose figure the default is, where there is something to say.
    """
    text = f"A thought, in simulated time{f'; {whose}' if whose else ''}."
    return Field(default, ge=0, description=text, json_schema_extra=only_in("grid"))


class SocietySettings(BaseModel):
    """What can be varied about a society (``--set``, ``--config``), with what most have alike."""

    model_config = ConfigDict(extra="forbid")

    has_trades: ClassVar[bool] = False

    def variants(self, condition: str) -> Sequence[str]:
        """Return the condition itself."""
        return [condition]

    def rare_calls(self, setup: Setup) -> Mapping[str, int]:
        """Return an empty mapping: scripted people are asked all that others are."""
        return {}

    def stages(self, setup: Setup) -> Sequence[Stage]:
        """Return none: nothing but people changes what its people are told."""
        return ()

    def cooperation(self, setup: Setup) -> Lending | None:
        """Return None: people of most societies carry no modules of cooperation."""
        return None

    def lasts_s(self, _setup: Setup) -> float:
        """Return the same for every condition: the setting ``length_s``."""
        length_s: float = self.length_s  # type: ignore[attr-defined]  # every scenario has it
        return length_s


class SocietyScenario(Protocol):
    """A pydantic model whose fields are what a user may vary, with the rules as methods.

    Class attributes: ``name``; ``conditions``: by name, each with what it is in a line;
    ``measures``: see :class:`experiments.run.experiment.Experiment`; ``world_defaults``: by world,
    the fields that have another default there; ``quantum_s``: modules begin at whole multiples of
    it; ``position_every_s``: how often positions are recorded on the grid; ``has_trades``: whether
    its people live in a village with trades, where bots of Minecraft can run programs of their
    agents.
    """

    name: ClassVar[str]
    conditions: ClassVar[Mapping[str, str]]
    measures: ClassVar[Sequence[str]]
    world_defaults: ClassVar[Mapping[str, Mapping[str, Any]]]
    quantum_s: ClassVar[float]
    position_every_s: ClassVar[float]
    has_trades: ClassVar[bool]
    length_s: float
    thinking_s: float

    def variants(self, condition: str) -> Sequence[str]:
        """Return what is played of a condition, by the names that results have."""

    def lasts_s(self, setup: Setup) -> float:
        """Return how long a society lives, in seconds of its own."""

    def village(self, setup: Setup) -> VillagePlan:
        """Return where everybody lives."""

    def members(self, setup: Setup) -> Sequence[Member]:
        """Return everybody who lives there."""

    def verbs(self, world: SocietyWorld) -> Sequence[Verb]:
        """Return what agents can decide to do, beside what they can in every society."""

    def institutions(self, setup: Setup, run: SocietyRun) -> Institutions:
        """Return what the society has beside its agents, who live there already."""

    def cooperation(self, setup: Setup) -> Lending | None:
        """Return what is lent to the modules of cooperation that people carry; None: to none."""

    def script(self, setup: Setup) -> Script:
        """Return the scripted minds: what they answer to what they are asked."""

    def requests(self, agent: Agent) -> Sequence[Any]:
        """Return what institutions ask an agent, beside what its modules ask.

        Each is a :class:`bots.agents.piano.Request`, once the assembly's are ported.
        """

    def stages(self, setup: Setup) -> Sequence[Stage]:
        """Return the moments at which institutions have told the first of its people other things
        than at the beginning.
        """

    def rare_calls(self, setup: Setup) -> Mapping[str, int]:
        """Return what only minds that use words are asked: role → at most how often."""

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return what all entries together show."""

    def show(self, result: Result) -> None:
        """Print a result for people."""

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """Return all settings."""


def settled(
    setup: Setup,
    trades_of: Callable[[Setup], Trades],
    names: Sequence[str],
    most_together: int,
    hearing_blocks: float,
) -> TradePlan:
    """Return where everybody begins: around the market, with empty hands.

    Args:
        setup: which society it is.
        trades_of: returns the village's rules as the setup's world can keep them.
        names: who lives there.
        most_together: how many live in one village at most.
        hearing_blocks: how far a voice carries.

    Raises:
        UsageError: its world cannot have such a village.
    """
    try:
        trades = trades_of(setup)
        plan = settle(trades, names, most_together, seed=setup.seed, hearing_blocks=hearing_blocks)
        if setup.world == MINECRAFT:
            lay_out(plan, setup.seed)
    except ValueError as error:
        raise UsageError(str(error)) from error
    return plan
