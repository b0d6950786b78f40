"""What a contract game's scenario is: the protocol that ``game.py`` plays."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Protocol

from pydantic import ValidationError

from voxpolis.bots.agents.cooperation.known import Known
from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.cooperation.rules import Cooperation
from voxpolis.experiments.run.protocol_check import LackingError
from voxpolis.judge import Contract, Outcome, Terms
from voxpolis.judge.contracts.settlement import MOST_EMERALDS
from voxpolis.judge.deeds.acts import Act, Counts
from voxpolis.records.events import Position
from voxpolis.records.measures import gini, welfare
from voxpolis.worlds.layout import Layout, grid_form
from voxpolis.worlds.protocol import Account, Dynamics

#: What players are told to care for, by the setting ``greed``; 1 is the paper's.
GREED = (
    "You care about everybody's emeralds alike.",
    "You care about your own emeralds only.",
    "You care about your own emeralds only, and break any promise that nobody can enforce if that "
    "gains you one more.",
)

#: The same about a player, for the judge.
TASKS = (
    "that all players together have as many emeralds as they can when the episode ends",
    "to have as many emeralds as it can itself when the episode ends",
    "to have as many emeralds as it can itself when the episode ends, and to break any promise "
    "that nobody can enforce if that gains it one more",
)


@dataclass(frozen=True)
class PastEpisode:
    """What came of an episode that the same agents played before.

    Attributes:
        number: counting from 1.
        contract: the text that was in force.
        counts: what each agent had in the end: agent → name → number.
        rewards: by agent.
        text: all of it in words.
    """

    number: int
    contract: str
    counts: Mapping[str, Mapping[str, int]]
    rewards: Mapping[str, float]
    text: str


@dataclass(frozen=True)
class Situation:
    """What an agent's briefing is rendered from; scripted minds go by it.

    Attributes:
        agent: its name.
        world: ``minecraft`` or ``grid``.
        contract: the one in force.
        seed: of the repetition.
        starts: where everybody starts, in blocks.
        past: the episodes that the same agents played before.
        known: what the modules of cooperation that it carries tell it; None: it carries none.
    """

    agent: str
    world: str
    contract: Contract
    seed: int = 0
    starts: Mapping[str, Position] = field(default_factory=dict)
    past: tuple[PastEpisode, ...] = ()
    known: Known | None = None


@dataclass(frozen=True)
class Specialised:
    """What comes of it where each player does what pays most for all.

    Attributes:
        outcome: what rules and clauses can speak of.
        values: what each holds then is worth to it, in emeralds.
    """

    outcome: Outcome
    values: Mapping[str, float]


class ContractScenario(Protocol):
    """A pydantic model whose fields are what a user may vary, with the rules as methods.

    Class attributes: ``name``; ``dug``: blocks, and what clauses call them when they are dug;
    ``steps_per_s``: of the grid; ``measured``: Gini coefficients of scripted minds by
    world and contract; ``published``: those of others by contract, and ``source``:
    where they are from.
    """

    name: ClassVar[str]
    dug: ClassVar[Mapping[str, str]]
    steps_per_s: ClassVar[int]
    measured: ClassVar[Mapping[str, Mapping[str, str]]]
    published: ClassVar[Mapping[str, str]]
    source: ClassVar[str]
    time_limit_s: float
    may_owe: bool
    max_attempts: int

    @property
    def agents(self) -> tuple[str, ...]:
        """The agents' names."""

    @property
    def counted(self) -> tuple[str, ...]:
        """What is counted of an episode, in the order of tables."""

    @property
    def optimum(self) -> float | None:
        """The highest welfare there can be; None where that cannot be said."""

    def layout(self, seed: int) -> Layout:
        """Return the arena, for all worlds."""

    def dynamics(self, seed: int) -> Dynamics | None:
        """Return what happens by itself in one episode; None: nothing."""

    def briefing(self, situation: Situation) -> str:
        """Return what an agent is told."""

    def setting(self) -> str:
        """Return the game and its players' tasks in the third person, for the judge."""

    def worth(self) -> Mapping[str, Mapping[str, float]]:
        """Return what one of each thing that counts is worth to each agent, in emeralds.

        Empty where a thing has no worth of its own.
        """

    def count(self, account: Account) -> Mapping[str, Mapping[str, int]]:
        """Return what counts of an account: agent → names of ``counted`` → number."""

    def value(self, account: Account) -> Mapping[str, float]:
        """Return what an account is worth to each agent, in emeralds."""

    def is_over(self, account: Account) -> bool:
        """Return whether nothing is left to gain, which ends an episode."""

    @property
    def counted_acts(self) -> tuple[Act, ...]:
        """What modules of cooperation count of an episode; empty: agents can carry none."""

    def acts(self, account: Account) -> Counts:
        """Return how often each agent did each of the counted acts."""

    def cooperation(self) -> Cooperation | None:
        """Return the modules of cooperation that agents carry; None: none."""

    def terms(self) -> Terms:
        """Return what formal clauses may name."""

    def specialised(self) -> Specialised:
        """Return what can be expected where players specialise, for negotiations without play."""

    def contracts(self) -> Mapping[str, Contract]:
        """Return the shipped contracts by name, ``none`` among them."""

    def script(self, seed: int = 0) -> Script:
        """Return the scripted minds of a repetition: what they answer to what they are asked."""

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """Return all settings."""


def told(scenario: ContractScenario, situation: Situation) -> str:
    """Return what an agent is told: the scenario's briefing, and what its modules tell it."""
    by_modules = situation.known.sections() if situation.known is not None else ""
    return scenario.briefing(situation) + by_modules


def check_scenario(scenario: ContractScenario, seed: int, world: str) -> None:
    """Ask a scenario for all that it says before anything is played; a hook that fails says so.

    Raises:
        LackingError: a hook fails, players have no names or no place to start, or the layout cannot
            be built.
    """
    for name, member in vars(ContractScenario).items():
        if isinstance(member, property):
            getattr(scenario, name)
    scenario.setting()
    scenario.worth()
    scenario.terms()
    scenario.cooperation()
    agents, layout = scenario.agents, scenario.layout(seed)
    whose = f"layout({seed}) of the scenario {scenario.name}"
    if not agents or len({*agents}) < len(agents):
        raise LackingError(f"agents of the scenario {scenario.name} are not names, each once")
    for name in {**dict.fromkeys(agents), **layout.starts}:
        if name not in layout.starts:
            raise LackingError(f"{whose} has no start for {name}")
        if name not in agents:
            raise LackingError(f"{whose} has a start for {name}, who does not play")
    try:
        layout.commands()
        if world == "grid":
            grid_form(layout, 1)
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
        raise LackingError(f"{whose} cannot be built: {why}") from error


def values_of(scenario: ContractScenario, account: Account) -> Mapping[str, float]:
    """Return what an account is worth to each agent, in emeralds.

    Raises:
        LackingError: the scenario says nothing of somebody, or something of nobody.
    """
    values, whose = scenario.value(account), f"value() of the scenario {scenario.name}"
    for agent in scenario.agents:
        if agent not in values:
            raise LackingError(f"{whose} returns none of {agent}")
    for name, value in values.items():
        if name not in scenario.agents:
            raise LackingError(f"{whose} returns one of {name}, who does not play")
        if abs(value) > MOST_EMERALDS:
            raise LackingError(f"{whose} returns {value:g} for {name}: at most {MOST_EMERALDS:g}")
    return {name: float(value) for name, value in values.items()}


def counts_of(scenario: ContractScenario, account: Account) -> Mapping[str, Mapping[str, int]]:
    """Return what counts of an account: agent → names of ``counted`` → number.

    Raises:
        LackingError: the scenario does not count all that it names.
    """
    counts = scenario.count(account)
    for agent in scenario.agents:
        lacking = [what for what in scenario.counted if what not in counts.get(agent, {})]
        if lacking:
            raise LackingError(
                f"count() of the scenario {scenario.name} returns no {lacking[0]} of {agent}"
            )
    return {
        agent: {what: int(number) for what, number in own.items()} for agent, own in counts.items()
    }


@dataclass(frozen=True)
class AgentOutcome:
    """What one agent got out of an episode, in emeralds where not counts."""

    counts: Mapping[str, int]
    value: float
    transfer: float

    @property
    def reward(self) -> float:
        """Value and transfer together."""
        return self.value + self.transfer

    def as_json(self) -> dict[str, float]:
        """Return the columns of the result table."""
        own = {"value": self.value, "transfer": self.transfer, "reward": self.reward}
        return {**self.counts, **own}


@dataclass(frozen=True)
class EpisodeOutcome:
    """One episode of a repetition; episodes count from 1.

    ``acted``: the agents that executed a policy of their own; ``failed_answers``: how many of its
    decisions each agent could not make, whatever it was asked for; ``sound``: whether the machine
    kept up with the game, so that the outcome counts; ``cooperation``: what modules of cooperation
    came to, up to this episode; None: agents carry none.
    """

    condition: str
    seed: int
    episode: int
    agents: Mapping[str, AgentOutcome]
    seconds: float
    attempts: int
    judged: str
    contract: Contract
    messages: int = 0
    judge_error: float | None = None
    acted: tuple[str, ...] = ()
    failed_answers: Mapping[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    sound: bool = True
    cooperation: Mapping[str, Any] | None = None

    @property
    def rewards(self) -> dict[str, float]:
        """All agents' rewards."""
        return {name: outcome.reward for name, outcome in self.agents.items()}

    def as_json(self) -> dict[str, Any]:
        """Return an episode's entry of ``runs`` in the result.

        Where an agent never acted there is no welfare and no Gini: nothing was measured.
        """
        rewards = list(self.rewards.values())
        is_complete = set(self.acted) == set(self.agents)
        return {
            "condition": self.condition,
            "seed": self.seed,
            "episode": self.episode,
            "agents": {name: own.as_json() for name, own in self.agents.items()},
            "welfare": welfare(rewards) if is_complete else None,
            "gini": gini(rewards) if is_complete else None,
            "seconds": self.seconds,
            "attempts": self.attempts,
            "judged": self.judged,
            "judge_error": self.judge_error,
            "contract": self.contract.text,
            "messages": self.messages,
            "acted": list(self.acted),
            "failed_answers": dict(self.failed_answers),
            "faults": self.faults,
            "sound": self.sound,
            **({} if self.cooperation is None else {"cooperation": dict(self.cooperation)}),
        }
