"""Games under a contract: what such a scenario says, and what its command and results are.

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
    LackingError,
    Result,
    Run,
    Scenario,
    Sheet,
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

# The contract that players make themselves.
NEGOTIATE = "negotiate"
# The kinds of agents that write whole programs: scripted minds answer in the place of one.
WRITERS = ("code_writer", "scripted")
KINDS: Mapping[str, Sequence[str]] = {
    "minecraft": (*WRITERS, "voyager", PERSON),
    "grid": (*WRITERS, "planner", PERSON),
}
# Which earlier episodes a player remembers.
Memory = Literal["none", "last", "all"]

# What players are told to care for, by the setting ``greed``; 1 is the paper's.
GREED = (
    "You care about everybody's emeralds alike.",
    "You care about your own emeralds only.",
    "You care about your own emeralds only, and break any promise that nobody can enforce if that "
    "gains you one more.",
)
# The same about a player, for the judge.
TASKS = (
    "that all players together have as many emeralds as they can when the episode ends",
    "to have as many emeralds as it can itself when the episode ends",
    "to have as many emeralds as it can itself when the episode ends, and to break any promise "
    "that nobody can enforce if that gains it one more",
)


@dataclass(frozen=True)
class PastEpisode:
    """What came of an earlier episode of the same agents.

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
        starts: where each agent starts, in blocks.
        past: the earlier episodes of the same agents.
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
        values: what each then holds is worth to it, in emeralds.
    """

    outcome: Outcome
    values: Mapping[str, float]


class ContractOptions(RunOptions):
    """What the commands of contract games take besides."""

    condition: str | None = Field(
        default="none",
        description="The contract: none, a shipped one's name, negotiate, or a text FILE of yours.",
        json_schema_extra=option("condition", "contract"),
    )
    rounds: int = Field(
        default=ROUNDS, ge=1, description="Messages that players have to negotiate."
    )
    compiled: bool = Field(
        default=False,
        description="Let a model make clauses of what is negotiated in words, for an exact judge.",
        json_schema_extra=option("compile"),
    )
    renegotiate: bool = Field(
        default=False,
        description="Negotiate before each episode, knowing what came of those before.",
    )
    memory: Memory = Field(
        default="last",
        description="Which of their earlier episodes players are told of, with --episodes: none, "
        "last or all. Source of last: the paper's action prompt.",
    )
    negotiate_only: int | None = Field(
        default=None,
        ge=1,
        le=10_000,
        description="Let the players negotiate so many contracts, and play none: tells what each "
        "would bring, and keeps the texts.",
        json_schema_extra=option("negotiate-only"),
    )
    judge: JudgeKind = Field(
        default="exact",
        description="exact: by code where it can be, else by the judge model; model; or both, "
        "which measures the model's error.",
    )


class ContractScenario(Scenario):
    """A game of a few players in an arena, under a contract or none.

    Class attributes, besides those of every scenario: ``counted``: what is counted of an episode,
    in the order of tables; ``dug``: blocks, and what clauses call them when they are dug;
    ``steps_per_s``: of the grid; ``measured``: Gini coefficients of scripted minds by world and
    contract; ``published``: those of others by contract, and ``source``: where they are from.
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
        description="Seconds of game time that an episode may take. Source: the paper's code.",
        json_schema_extra=option("time-limit"),
    )
    max_attempts: int = Field(
        default=4,
        ge=1,
        le=100,
        description="Programs an agent may write until all run without an error. Source: Voyager.",
    )
    greed: int = Field(
        default=1,
        ge=0,
        le=len(GREED) - 1,
        description="What players are told to care for: 0 all, 1 themselves (the paper), 2 "
        "themselves at any price.",
    )
    may_owe: bool = Field(
        default=True,
        description="Whether a judgement may take more from a player than what it holds is worth.",
    )

    async def play(self, run: Run) -> None:
        """Agree on a contract where players make their own; play each episode and settle it."""
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
        """The highest welfare there can be; None where that is not known."""
        return None

    @abstractmethod
    def layout(self, seed: int) -> Layout:
        """Return the arena, for all worlds."""

    def dynamics(self, seed: int) -> Dynamics | None:
        """Return what happens by itself in one episode; None: nothing."""
        return None

    @abstractmethod
    def briefing(self, situation: Situation) -> str:
        """Return what an agent is told."""

    @abstractmethod
    def setting(self) -> str:
        """Return the game and its players' tasks in the third person, for the judge."""

    def worth(self) -> Mapping[str, Mapping[str, float]]:
        """Return what one of each thing that counts is worth to each agent, in emeralds.

        Empty where a thing has no worth of its own.
        """
        return {}

    @abstractmethod
    def count(self, account: Account) -> Mapping[str, Mapping[str, int]]:
        """Return what counts of an account: agent → names of ``counted`` → number."""

    @abstractmethod
    def value(self, account: Account) -> Mapping[str, float]:
        """Return what an account is worth to each agent, in emeralds."""

    def is_over(self, account: Account) -> bool:
        """Return whether nothing is left to gain, which ends an episode."""
        return False

    @abstractmethod
    def terms(self) -> Terms:
        """Return what formal clauses may name."""

    @abstractmethod
    def specialised(self) -> Specialised:
        """Return what can be expected where players specialise, for negotiations without play."""

    def contracts(self) -> Mapping[str, Contract]:
        """Return the shipped contracts by name, ``none`` among them."""
        return {"none": Contract("none", "")}

    @property
    def counted_acts(self) -> tuple[Act, ...]:
        """What modules of cooperation count of an episode; empty: agents can carry none."""
        return ()

    def acts(self, account: Account) -> Counts:
        """Return how often each agent did each of the counted acts."""
        return {}

    def cooperation(self) -> Cooperation | None:
        """Return the modules of cooperation that agents carry; None: none."""
        return None

    @property
    def cares(self) -> str:
        """What a player is told to care for."""
        return GREED[self.greed]

    @property
    def task(self) -> str:
        """The same in the third person, as the judge is told."""
        return TASKS[self.greed]

    # --- What was asked for ----------------------------------------------------------------------

    @classmethod
    def check(cls) -> None:
        """Check that the class is whole, and name its conditions after its contracts."""
        super().check()
        whose = f"contracts() of the scenario {cls.name}"
        contracts = checked(cls.with_defaults().contracts(), dict[str, InstanceOf[Contract]], whose)
        cls.conditions = {
            **{name: _first_line(contract) for name, contract in contracts.items()},
            NEGOTIATE: "the players negotiate a contract of their own",
            "FILE": "a contract in your words, in a text file",
        }

    @property
    def asked(self) -> ContractOptions:
        """The options of the command."""
        assert isinstance(self._asked, ContractOptions)
        return self._asked

    @property
    def condition(self) -> str:
        """The name of the contract."""
        return self.contract.name

    @property
    def contract(self) -> Contract:
        """The contract that is given; what players begin with where they negotiate.

        Raises:
            UsageError: there is none of that name.
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
                f"there is no contract {name!r}; there are: {there}, {NEGOTIATE}, or a FILE"
            )
        try:
            return read_contract_file(path)
        except ContractError as error:
            raise UsageError(str(error)) from error

    @property
    def rounds(self) -> int | None:
        """Messages that players have to negotiate; None where the contract is given."""
        return self.asked.rounds if self.asked.condition == NEGOTIATE else None

    @classmethod
    def prepare(cls, options: RunOptions, settings: BaseModel, world: str) -> Any:
        """Return the game, or its negotiations alone; see :class:`Scenario`."""
        made = super().prepare(options, settings, world)
        if made.asked.negotiate_only is None:
            return made
        from voxpolis.experiments.loops.contract.negotiations import Negotiations  # noqa: PLC0415

        return Negotiations(made)

    def prepared(self) -> None:
        """Check what was asked for; see :class:`Scenario`."""
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
            raise UsageError("--negotiate-only plays nothing: add --world grid, without a server")

    def kinds(self) -> Mapping[str, str]:
        """Return each agent's kind."""
        where = f"{self.name} in the world {self.world}"
        return assign(self.asked.kinds_asked, self.agent_names, self.worlds[self.world], where)

    def manifest(self) -> dict[str, Any]:
        """Return what ``run.yaml`` says of the condition."""
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
        """Return what people should know before it begins."""
        people = [text.partition("=")[0] for text in self.asked.kinds_asked if "=human" in text]
        limit = ", who sends no signals" if self.world == "minecraft" else ""
        lines = [f"{name} is played by a person{limit}." for name in people]
        usual = type(self.asked).model_fields["rounds"].default
        if self.rounds is None and self.asked.rounds != usual:
            name = self.contract.name
            lines.append(f"--rounds changes nothing here: nobody negotiates in {name}.")
        if choice.is_language_model:
            return lines
        lines.append("Scripted minds: programs written beforehand, no language model is asked.")
        if self.contract.text and not self.contract.is_exact:
            lines.append("They cannot read a contract in free words: they play greedily under it,")
            lines.append("and nobody can judge it, so nothing will be transferred.")
        return lines

    @abstractmethod
    def minds(self, seed: int) -> Script:
        """Return the scripted minds of a repetition."""

    def script(self, case: Case) -> Script:
        """Return the scripted minds of a case."""
        from voxpolis.bots.agents.whole_policies import step_by_step  # noqa: PLC0415  (numpy)

        script = self.minds(case.seed)
        # code writers, who play where nobody else is asked for, ask for whole policies
        is_writers = not self.asked.agent and self.worlds[self.world][0] in WRITERS
        return script if is_writers else step_by_step(script)

    def most_calls(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Return all attempts, all rounds, all plans that time allows, and a judge of words.

        What kinds of a user's own ask is as often as it was counted.
        """
        asked, most, kinds = self.asked, dict(counted), self.kinds().values()
        episodes, cooperation = asked.runs * asked.episodes, self.cooperation()
        # a program that failed is written anew, and all play again; plans are made as one plays,
        # and with modules of cooperation an episode is played once
        tries = self.max_attempts if "action" in most and cooperation is None else 1
        attempts = episodes * tries
        if "action" in most:
            writing = attempts * sum(kind in WRITERS for kind in kinds)
            most |= {role: max(writing, most.get(role, 0)) for role in ("action", "critic")}
        if "planner" in most:
            # only a run on the grid loads its compiler
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

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return means and standard deviations over all episodes that count.

        Those are sound, and all agents acted in them.
        """
        agents = set(self.agent_names)
        counted = [e for e in entries if set(e["acted"]) == agents and e.get("sound", True)]
        spread = {
            name: known_mean_and_sd([entry[name] for entry in counted])
            for name in ("welfare", "gini")
        }
        rewards = {
            agent: mean_and_sd([entry["agents"][agent]["reward"] for entry in counted])[0]
            for agent in self.agent_names
            if counted
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
            "failed_answers": sum(sum(entry["failed_answers"].values()) for entry in entries),
            **self._cooperated(entries),
        }

    def _cooperated(self, entries: Sequence[Entry]) -> Result:
        """Return what modules came to, over repetitions: each up to its last episode."""
        cooperation = self.cooperation()
        if cooperation is None:
            return {"modules": []}
        from voxpolis.experiments.loops.cooperation.measures import spread_of  # noqa: PLC0415  (numpy)

        last = {entry["seed"]: entry["cooperation"] for entry in entries}
        return {"modules": list(cooperation.modules), "cooperation": spread_of(last.values())}

    def show(self, result: Result) -> None:
        """Print the table of all runs."""
        from voxpolis.experiments.loops.contract.tables import print_contract_result  # noqa: PLC0415
        from voxpolis.experiments.loops.cooperation.measures import print_cooperation  # noqa: PLC0415

        print_contract_result(self.counted, result)
        if result["modules"]:
            print_cooperation(", ".join(result["modules"]), result["cooperation"])

    @classmethod
    def compared(cls, results: Sequence[Result]) -> Sequence[Sheet]:
        """Return the gains of conditions, what roles and transfers do, and what modules came to."""
        from voxpolis.experiments.loops.contract import tables  # noqa: PLC0415
        from voxpolis.experiments.loops.cooperation.measures import cooperation_sheets  # noqa: PLC0415

        return [*tables.sheets(results), *cooperation_sheets(results)]


def _first_line(contract: Contract) -> str:
    lines = contract.text.splitlines()
    return (lines[0] if len(lines) == 1 else f"{lines[0]} …") if lines else "no contract"


def told(scenario: ContractScenario, situation: Situation) -> str:
    """Return what an agent is told: the scenario's briefing, and what its modules tell it."""
    by_modules = situation.known.sections() if situation.known is not None else ""
    return scenario.briefing(situation) + by_modules


# --- What hooks return, checked where it is used ---------------------------------------------


def check_hooks(scenario: ContractScenario) -> None:
    """Ask a scenario for what it says of the world before anything is played.

    Raises:
        LackingError: players have no names or no place to start, or the layout cannot be built.
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
            raise LackingError(f"{what} has a start for {one}, who does not play")
    try:
        layout.commands()
        if scenario.world == "grid":
            grid_form(layout, 1)
    except (TypeError, ValueError, AttributeError, KeyError) as error:
        why = error.errors()[0]["msg"] if isinstance(error, ValidationError) else error
        raise LackingError(f"{what} cannot be built: {why}") from error


def values_of(scenario: ContractScenario, account: Account) -> Mapping[str, float]:
    """Return what an account is worth to each agent, in emeralds.

    Raises:
        LackingError: the scenario has no finite value for an agent, or one for a stranger.
    """
    whose = f"value() of the scenario {scenario.name}"
    values = _by_agent(scenario.value(account), scenario.agent_names, whose)
    for name, value in values.items():
        if not isinstance(value, Real) or not abs(float(value)) <= MOST_EMERALDS:
            raise LackingError(
                f"{whose} returns {value!r:.60} for {name}: a number up to {MOST_EMERALDS:g}"
            )
    return {name: float(value) for name, value in values.items()}


def counts_of(scenario: ContractScenario, account: Account) -> Mapping[str, Mapping[str, int]]:
    """Return what counts of an account: agent → names of ``counted`` → number.

    Raises:
        LackingError: the scenario does not count all that it names, in whole numbers.
    """
    whose = f"count() of the scenario {scenario.name}"
    counts = _by_agent(scenario.count(account), scenario.agent_names, whose)
    for agent, own in counts.items():
        for what in scenario.counted:
            if not isinstance(own.get(what), Integral):
                found = repr(own.get(what))
                raise LackingError(f"{whose} returns {found} for {agent}, {what}: a whole number")
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
            raise LackingError(f"{whose} returns one for {name}, who does not play")
    return cast(Mapping[str, Any], found)
