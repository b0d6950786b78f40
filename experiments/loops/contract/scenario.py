"""Scenarios with contracts: what such a scenario has to define, its options and its results.

Source of the procedure: Yocum et al., "Mitigating Generative Agent Social Dilemmas" (2023).
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Integral, Real
from pathlib import Path
from typing import Any, ClassVar, Literal, cast

from pydantic import BaseModel, Field, InstanceOf, ValidationError

from voxpolis.bots.agents.cooperation.knowledge import Known
from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.cooperation.cooperation import MODULE_ROLES, Cooperation
from voxpolis.experiments.run.agents import assign
from voxpolis.experiments.run.model_choice import ModelChoice
from voxpolis.experiments.run.options import RunOptions, UsageError, option
from voxpolis.experiments.run.scenario import (
    Case,
    Entry,
    Happened,
    LackingError,
    Result,
    Run,
    Scenario,
    Sheet,
    Silent,
    checked,
)
from voxpolis.judge import Contract, ContractError, JudgeKind, Outcome, Terms, read_contract_file
from voxpolis.judge.contracts.negotiation import ROUNDS
from voxpolis.judge.contracts.settlement import MOST_EMERALDS
from voxpolis.judge.deeds.acts import Act, Counts
from voxpolis.records.events import Position
from voxpolis.records.measures import known_mean_and_sd, mean_and_sd
from voxpolis.records.reader import PERSON
from voxpolis.worlds.layout import Layout, grid_form
from voxpolis.worlds.protocol import Account, Dynamics

# Name of the condition in which players make the contract.
NEGOTIATE = "negotiate"
# Agent kinds that write whole programs; a scripted mind can answer for all of these kinds.
WRITERS = ("code_writer", "scripted")
KINDS: Mapping[str, Sequence[str]] = {
    "minecraft": (*WRITERS, "voyager", PERSON),
    "grid": (*WRITERS, "planner", PERSON),
}
# The earlier episodes that a player remembers.
Memory = Literal["none", "last", "all"]

# Players' goal by the setting ``greed``; the paper uses 1.
GREED = (
    "You care about all players' emeralds equally.",
    "You care about your own emeralds only.",
    "You care about your own emeralds only, and break any unenforceable promise if that gains you "
    "one more.",
)
# Players' goal in the third person, for the judge.
TASKS = (
    "that all players together have as many emeralds as they can when the episode ends",
    "to have as many emeralds as it can itself when the episode ends",
    "to have as many emeralds as it can itself when the episode ends, and to break any "
    "unenforceable promise if that gains it one more",
)


@dataclass(frozen=True)
class PastEpisode:
    """The outcome of an earlier episode with the same agents.

    Attributes:
        number: number of the episode, counted from 1.
        contract: text of the contract that applied.
        counts: the counted quantities at the end (agent → name → number).
        rewards: reward of each agent.
        text: the whole outcome in words.
    """

    number: int
    contract: str
    counts: Mapping[str, Mapping[str, int]]
    rewards: Mapping[str, float]
    text: str


@dataclass(frozen=True)
class Situation:
    """The data from which an agent's briefing is rendered. Scripted minds use this data directly.

    Attributes:
        agent: name of the agent.
        world: ``minecraft`` or ``grid``.
        contract: the contract that applies.
        seed: seed of the repetition.
        starts: position at which each agent starts, in blocks.
        past: earlier episodes with the same agents.
        known: text from the agent's cooperation modules; None without modules.
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
    """The expected outcome if every player does what is best for the group.

    Attributes:
        outcome: what the players hold and have done, from which contracts compute transfers.
        values: what each player's items are worth to it, in emeralds.
    """

    outcome: Outcome
    values: Mapping[str, float]


class ContractOptions(RunOptions):
    """The options that only contract games have."""

    condition: str | None = Field(
        default="none",
        description="The contract: none, the name of a contract above, negotiate, or the path of "
        "a text file.",
        json_schema_extra=option("condition", "contract"),
    )
    rounds: int = Field(
        default=ROUNDS, ge=1, description="Maximum number of messages in a negotiation."
    )
    compiled: bool = Field(
        default=False,
        description="Let a model translate a contract that was negotiated in words into exact "
        "clauses.",
        json_schema_extra=option("compile"),
    )
    renegotiate: bool = Field(
        default=False,
        description="Negotiate before each episode. Players then know the outcomes of earlier "
        "episodes.",
    )
    memory: Memory = Field(
        default="last",
        description="Earlier episodes that players remember, with --episodes. Source of the "
        "default: the paper's action prompt.",
    )
    negotiate_only: int | None = Field(
        default=None,
        ge=1,
        le=10_000,
        description="Negotiate this many contracts without playing, print the expected payoffs, "
        "and keep the texts.",
        json_schema_extra=option("negotiate-only"),
    )
    judge: JudgeKind = Field(
        default="exact",
        description="How contracts are settled. exact: by code if possible, otherwise by the "
        "judge model. model: by the judge model. both: in both ways, to measure the error of "
        "the model.",
    )


class ContractScenario(Scenario):
    """A game for a few players in an arena, with or without a contract.

    A scenario of this kind has these class attributes, in addition to those of every scenario:
    ``counted`` contains the quantities that are counted in an episode, in the order in which tables
    show them. ``dug`` maps blocks that can be dug to their names in clauses. ``steps_per_s`` is the
    speed of the grid. ``measured`` contains Gini coefficients of scripted minds (world → contract →
    coefficient). ``published`` maps contracts to published Gini coefficients, and ``source`` says
    where they were published.
    """

    options: ClassVar[type[RunOptions]] = ContractOptions
    worlds: ClassVar[Mapping[str, Sequence[str]]] = KINDS
    measures: ClassVar[Sequence[str]] = ("mean.welfare", "mean.gini")
    joined: ClassVar[Collection[str]] = ("minecraft",)
    counted: ClassVar[Any]
    dug: ClassVar[Mapping[str, str]] = {}
    steps_per_s: ClassVar[int] = 1
    measured: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    published: ClassVar[Mapping[str, str]] = {}
    source: ClassVar[str] = ""

    time_limit_s: float = Field(
        default=120,
        gt=0,
        le=86_400,
        description="Length of an episode, in seconds of game time. Source: the paper's code.",
        json_schema_extra=option("time-limit"),
    )
    max_attempts: int = Field(
        default=4,
        ge=1,
        le=100,
        description="Maximum number of attempts at an episode, until all programs run without "
        "errors. Source: Voyager.",
    )
    greed: int = Field(
        default=1,
        ge=0,
        le=len(GREED) - 1,
        description="Aim of the players. 0: emeralds for the group; 1: emeralds for themselves "
        "(the paper); 2: emeralds for themselves at any price.",
    )
    may_owe: bool = Field(
        default=True,
        description="Whether a player may have to pay more than its items are worth.",
    )

    async def play(self, run: Run) -> None:
        """Let players negotiate if they make their own contract. Then play and settle each
        episode.
        """
        from voxpolis.experiments.loops.contract.game import contract_game  # noqa: PLC0415  (loads slowly)

        async with contract_game(self, run) as game:
            for episode in range(1, self.asked.episodes + 1):
                if self.rounds is not None and (episode == 1 or self.asked.renegotiate):
                    await game.negotiate(self.rounds)
                await game.think()
                outcome = await game.play(episode)
                run.finish(await game.look_back(episode, outcome))

    # --- The rules of a game ---------------------------------------------------------------------

    @property
    def optimum(self) -> float | None:
        """The highest possible welfare, or None if it is unknown."""
        return None

    @abstractmethod
    def layout(self, seed: int) -> Layout:
        """Return the arena, which is the same in all worlds."""

    def dynamics(self, seed: int) -> Dynamics | None:
        """Return processes in the world that no agent controls, for one episode, or None."""
        return None

    @abstractmethod
    def briefing(self, situation: Situation) -> str:
        """Return an agent's briefing."""

    @abstractmethod
    def setting(self) -> str:
        """Describe the game and the players' tasks in the third person, for the judge."""

    def worth(self) -> Mapping[str, Mapping[str, float]]:
        """Return what one unit of each counted thing is worth to each agent, in emeralds.

        The result is empty if single units have no value.
        """
        return {}

    @abstractmethod
    def count(self, account: Account) -> Mapping[str, Mapping[str, int]]:
        """Return the counted quantities of an episode: agent → name in ``counted`` → number."""

    @abstractmethod
    def value(self, account: Account) -> Mapping[str, float]:
        """Return what the outcome of an episode is worth to each agent, in emeralds."""

    def is_over(self, account: Account) -> bool:
        """Return whether there is nothing left to gain. The episode then ends."""
        return False

    @abstractmethod
    def terms(self) -> Terms:
        """Return the names to which formal clauses can refer."""

    @abstractmethod
    def specialised(self) -> Specialised:
        """Return the outcome that is expected if every player does what is best for the group.
        Negotiations without play use this outcome.
        """

    def contracts(self) -> Mapping[str, Contract]:
        """Return a dictionary from names to shipped contracts, one of which is ``none``."""
        return {"none": Contract("none", "")}

    @property
    def counted_acts(self) -> tuple[Act, ...]:
        """The acts that are counted for cooperation modules; empty if the game's agents cannot have
        modules.
        """
        return ()

    def acts(self, account: Account) -> Counts:
        """Count what each agent did in an episode."""
        return {}

    def cooperation(self) -> Cooperation | None:
        """Return the agents' cooperation modules, or None if agents carry none."""
        return None

    @property
    def cares(self) -> str:
        """The aim of a player, as its prompt states it."""
        return GREED[self.greed]

    @property
    def task(self) -> str:
        """The aim of a player in the third person, for the judge."""
        return TASKS[self.greed]

    # --- Options ---------------------------------------------------------------------------------

    @classmethod
    def check(cls) -> None:
        """Check that the class is complete, and name its conditions after its contracts."""
        super().check()
        whose = f"contracts() of the scenario {cls.name}"
        contracts = checked(cls.with_defaults().contracts(), dict[str, InstanceOf[Contract]], whose)
        cls.conditions = {
            **{name: _in_one_line(contract) for name, contract in contracts.items()},
            NEGOTIATE: "the players negotiate a contract",
            "FILE": "your contract, in a text file",
        }

    @property
    def asked(self) -> ContractOptions:
        assert isinstance(self._asked, ContractOptions)
        return self._asked

    @property
    def condition(self) -> str:
        """The name of the contract."""
        return self.contract.name

    @property
    def contract(self) -> Contract:
        """The contract that the user chose, or an empty contract if players negotiate.

        Raises:
            UsageError: there is no contract of that name.
        """
        name = "none" if self.asked.condition is None else self.asked.condition
        shipped = self.contracts()
        if name == NEGOTIATE:
            return Contract(NEGOTIATE, "")
        if name in shipped:
            return shipped[name]
        path = Path(name)
        if not name or (not path.exists() and path.suffix == "" and os.sep not in name):
            there = ", ".join(shipped)
            raise UsageError(
                f"there is no contract {name!r}; choose one of {there}, {NEGOTIATE}, or a FILE"
            )
        try:
            return read_contract_file(path)
        except ContractError as error:
            raise UsageError(str(error)) from error

    @property
    def rounds(self) -> int | None:
        """The number of messages in a negotiation, or None if players do not negotiate."""
        return self.asked.rounds if self.asked.condition == NEGOTIATE else None

    @classmethod
    def prepare(cls, options: RunOptions, settings: BaseModel, world: str) -> Any:
        """Return the scenario, or only its negotiations if the user asked for ``--negotiate-only``;
        see :class:`Scenario`.
        """
        made = super().prepare(options, settings, world)
        if made.asked.negotiate_only is None:
            return made
        from voxpolis.experiments.loops.contract.negotiations import Negotiations  # noqa: PLC0415

        return Negotiations(made)

    def prepared(self) -> None:
        asked = self.asked
        check_hooks(self)
        is_negotiated = self.contract.name == NEGOTIATE
        if not is_negotiated and (asked.compiled or asked.renegotiate):
            raise UsageError(f"--compile and --renegotiate need --condition {NEGOTIATE}")
        if any(text.endswith(PERSON) for text in asked.kinds_asked) and self.cooperation():
            raise UsageError("--modules: a person carries no modules of cooperation")
        if asked.negotiate_only is not None and not is_negotiated:
            raise UsageError(f"--negotiate-only needs --condition {NEGOTIATE}")
        if asked.negotiate_only is not None and self.world != "grid":
            raise UsageError(
                "--negotiate-only plays nothing: add --world grid, which needs no server"
            )

    def kinds(self) -> Mapping[str, str]:
        where = f"{self.name} in the world {self.world}"
        return assign(self.asked.kinds_asked, self.agent_names, self.worlds[self.world], where)

    def manifest(self) -> dict[str, Any]:
        """Return what ``run.yaml`` contains about the condition."""
        asked, contract = self.asked, self.contract
        return {
            "contract": {"name": contract.name, "text": contract.text},
            "rounds": self.rounds,
            "compiled": asked.compiled,
            "episodes": asked.episodes,
            "renegotiate": asked.renegotiate,
            "memory": asked.memory,
            "judge": asked.judge,
        }

    def notes(self, choice: ModelChoice) -> list[str]:
        """Return messages that are printed before the run."""
        people = [text.partition("=")[0] for text in self.asked.kinds_asked if "=human" in text]
        limit = ", who sends no signals" if self.world == "minecraft" else ""
        lines = [f"{name} is played by a person{limit}." for name in people]
        usual = type(self.asked).model_fields["rounds"].default
        if self.rounds is None and self.asked.rounds != usual:
            name = self.contract.name
            lines.append(f"--rounds has no effect: there is no negotiation in {name}.")
        if choice.is_language_model:
            return lines
        lines.append("Scripted minds: prewritten programs, no language model is called.")
        if self.contract.text and not self.contract.is_exact:
            lines.append("They cannot read a contract in free words: they play greedily under it,")
            lines.append("and no judge can settle it, so its runs will be excluded from means.")
        return lines

    @abstractmethod
    def minds(self, seed: int) -> Script:
        """Return the scripted minds of a repetition."""

    def script(self, case: Case) -> Script:
        """Return the script that answers for the scripted minds in a case."""
        from voxpolis.bots.agents.whole_policies import step_by_step  # noqa: PLC0415  (numpy)

        script = self.minds(case.seed)
        # Code writers, the default kind, ask for whole policies.
        is_writers = not self.asked.agent and self.worlds[self.world][0] in WRITERS
        return script if is_writers else step_by_step(script)

    def most_calls(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Return the largest possible number of calls in each role. The numbers assume that all
        attempts, rounds and plans for which there is time are used, and that a judge settles
        contracts in words.

        For kinds of agents that a user has defined, the numbers in ``counted`` are returned.
        """
        asked, most, kinds = self.asked, dict(counted), self.kinds().values()
        episodes, cooperation = asked.runs * asked.episodes, self.cooperation()
        # A failed program is rewritten and the episode replayed. Plans are made during play, and
        # with cooperation modules an episode is played once.
        tries = self.max_attempts if "action" in most and cooperation is None else 1
        attempts = episodes * tries
        if "action" in most:
            writing = attempts * sum(kind in WRITERS for kind in kinds)
            most |= {role: max(writing, most.get(role, 0)) for role in ("action", "critic")}
        if "planner" in most:
            # Only runs on the grid load the compiler.
            from voxpolis.bots.agents.planner.player import most_plans  # noqa: PLC0415

            each = most_plans(self.time_limit_s, self.steps_per_s)
            planners = sum(kind not in (*WRITERS, PERSON) for kind in kinds)
            most["planner"] = attempts * planners * each
        if self.rounds is not None:
            talks = asked.runs * (asked.episodes if asked.renegotiate else 1)
            most["negotiator"] = talks * self.rounds
            most |= {"compiler": talks * self.rounds} if asked.compiled else {}
        is_read = asked.judge != "exact" or not self.contract.is_exact
        if self.rounds is not None or (self.contract.text and is_read):
            most["judge"] = attempts
        if cooperation is not None:
            each = episodes * len(self.agent_names)
            roles = (role for module in cooperation.modules for role in MODULE_ROLES[module])
            most |= {role: max(each, most.get(role, 0)) for role in roles}
        return most

    # --- Results ---------------------------------------------------------------------------------

    def missing(self, entry: Entry, happened: Happened, silent: Silent) -> Sequence[str]:
        told = super().missing(entry, happened, silent)
        has_judge = entry.get("judged") != "none" or silent.get("judge")
        if has_judge or not entry.get("contract"):
            return told
        return [*told, "the contract, which is in words, was not settled: no model judges"]

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return means and standard deviations of the measures."""
        spread = {
            name: known_mean_and_sd([entry[name] for entry in entries])
            for name in ("welfare", "gini")
        }
        rewards = {
            agent: mean_and_sd([entry["agents"][agent]["reward"] for entry in entries])[0]
            for agent in self.agent_names
            if entries
        }
        name = self.contract.name
        return {
            "contract": name,
            "rewards": rewards,
            "published": self.published.get(name),
            "measured": {world: by_name.get(name) for world, by_name in self.measured.items()},
            "source": self.source,
            "welfare_optimum": self.optimum,
            "mean": {name: pair[0] for name, pair in spread.items()},
            "sd": {name: pair[1] for name, pair in spread.items()},
            **self._cooperated(entries),
        }

    def _cooperated(self, entries: Sequence[Entry]) -> Result:
        """Summarise the measures of cooperation. For each repetition, the measures after its last
        episode are used.
        """
        cooperation = self.cooperation()
        if cooperation is None:
            return {"modules": []}
        from voxpolis.experiments.loops.cooperation.measures import spread_of  # noqa: PLC0415  (numpy)

        last = {entry["seed"]: entry["cooperation"] for entry in entries}
        return {"modules": list(cooperation.modules), "cooperation": spread_of(last.values())}

    def show(self, result: Result) -> None:
        from voxpolis.experiments.loops.contract.tables import print_contract_result  # noqa: PLC0415
        from voxpolis.experiments.loops.cooperation.measures import print_cooperation  # noqa: PLC0415

        print_contract_result(self.counted, result)
        if result["modules"]:
            print_cooperation(", ".join(result["modules"]), result["cooperation"])

    @classmethod
    def compared(cls, results: Sequence[Result]) -> Sequence[Sheet]:
        """Return the tables that compare conditions: gains, effects of contracts, and
        cooperation.
        """
        from voxpolis.experiments.loops.contract import tables  # noqa: PLC0415
        from voxpolis.experiments.loops.cooperation.measures import cooperation_sheets  # noqa: PLC0415

        return [*tables.sheets(results), *cooperation_sheets(results)]


def _in_one_line(contract: Contract) -> str:
    return " ".join(contract.text.split()) or "no contract"


def full_briefing(scenario: ContractScenario, situation: Situation) -> str:
    """Return an agent's full briefing, which consists of the scenario's briefing and its modules'
    text.
    """
    by_modules = situation.known.sections() if situation.known is not None else ""
    return scenario.briefing(situation) + by_modules


# --- Checks of the values that a scenario's methods return -----------------------------------


def check_hooks(scenario: ContractScenario) -> None:
    """Call the methods of a scenario that describe its world, before play starts, and check what
    they return.

    Raises:
        LackingError: players have no names or start positions, or the layout cannot be built.
    """
    name, seed = scenario.name, scenario.asked.seed
    whose = f"of the scenario {name}"
    agents = scenario.checked_names()
    layout = checked(scenario.layout(seed), InstanceOf[Layout], f"layout({seed}) {whose}")
    checked(scenario.setting(), str, f"setting() {whose}")
    checked(scenario.terms(), InstanceOf[Terms], f"terms() {whose}")
    checked(scenario.counted_acts, tuple[InstanceOf[Act], ...], f"counted_acts {whose}")
    what = f"layout({seed}) {whose}"
    for one in {**dict.fromkeys(agents), **layout.starts}:
        if one not in layout.starts:
            raise LackingError(f"{what} has no start for {one}")
        if one not in agents:
            raise LackingError(f"{what} has a start for {one}, who is not a player")
    try:
        layout.commands()
        if scenario.world == "grid":
            grid_form(layout, 1)
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
        raise LackingError(f"{what} cannot be built: {why}") from error


def values_of(scenario: ContractScenario, account: Account) -> Mapping[str, float]:
    """Return what the outcome of an episode is worth to each agent, in emeralds.

    Raises:
        LackingError: an agent's value is missing or not finite, or somebody who does not play has a
            value.
    """
    whose = f"value() of the scenario {scenario.name}"
    values = _by_agent(scenario.value(account), scenario.agent_names, whose)
    for name, value in values.items():
        if not isinstance(value, Real) or not abs(float(value)) <= MOST_EMERALDS:
            raise LackingError(
                f"{whose} returns {value!r:.60} for {name}; it must return a number up to "
                f"{MOST_EMERALDS:g}"
            )
    return {name: float(value) for name, value in values.items()}


def counts_of(scenario: ContractScenario, account: Account) -> Mapping[str, Mapping[str, int]]:
    """Return the counted quantities of an episode: agent → name in ``counted`` → number.

    Raises:
        LackingError: a declared quantity is missing or is not a whole number.
    """
    whose = f"count() of the scenario {scenario.name}"
    counts = _by_agent(scenario.count(account), scenario.agent_names, whose)
    for agent, own in counts.items():
        for what in scenario.counted:
            if not isinstance(own.get(what), Integral):
                found = repr(own.get(what))
                raise LackingError(
                    f"{whose} returns {found} for {agent}, {what}; it must return a whole number"
                )
    return {
        agent: {what: int(number) for what, number in own.items()} for agent, own in counts.items()
    }


def _by_agent(returned: Any, agents: Sequence[str], whose: str) -> Mapping[str, Any]:
    found = checked(returned, dict[str, Any], whose)
    for agent in agents:
        if agent not in found:
            raise LackingError(f"{whose} returns none for {agent}")
    for name in found:
        if name not in agents:
            raise LackingError(f"{whose} returns a value for {name}, who is not a player")
    return cast(Mapping[str, Any], found)
