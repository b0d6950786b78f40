"""Games about a commons as experiments: options, conditions, results and tables."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, ClassVar, Protocol

from pydantic import BaseModel, Field
from rich.table import Table

from voxpolis.bots.agents.turns import TurnPlayer
from voxpolis.bots.agents.voyager import minilm
from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.commons.game import Bot, CommonsGame, CommonsRun
from voxpolis.experiments.loops.commons.measures import (
    bots_sheets,
    cost_in_words,
    episode_in_words,
    hits_sheet,
    measures_of,
)
from voxpolis.experiments.loops.commons.players import player_of
from voxpolis.experiments.loops.commons.prompts import commons_prompts
from voxpolis.experiments.loops.cooperation.measures import MEASURED as COOPERATION
from voxpolis.experiments.loops.cooperation.measures import (
    cooperation_measures,
    cooperation_sheets,
    pooled_spearman,
)
from voxpolis.experiments.loops.cooperation.rules import MODULE_ROLES
from voxpolis.experiments.people.interventions import Interventions
from voxpolis.experiments.run.agents import RANDOM
from voxpolis.experiments.run.experiment import (
    BoundExperiment,
    Case,
    Entry,
    Repeated,
    Result,
    Session,
    Sheet,
)
from voxpolis.experiments.run.model_choice import ModelChoice
from voxpolis.experiments.run.options import RunOptions, UsageError
from voxpolis.experiments.run.tables import mean_with_sd
from voxpolis.grid.core.data import GameError
from voxpolis.records import SimulatedClock, events
from voxpolis.records.console import plain_console, print_whole
from voxpolis.records.measures import mean_and_sd
from voxpolis.records.reader import PERSON
from voxpolis.records.text import in_digits
from voxpolis.worlds.commons.actions import Action
from voxpolis.worlds.commons.claims import Claim
from voxpolis.worlds.commons.stage import GridStage, RecordedStage, Stage
from voxpolis.worlds.commons.table import CommonsTable
from voxpolis.worlds.recorded import ReplayWriter

_PLAYERS = ("generative", "scripted", "random", "human")
KINDS: Mapping[str, Sequence[str]] = {"grid": _PLAYERS, "minecraft": _PLAYERS}
#: What is averaged over episodes, and what the tables call it.
MEASURED: Mapping[str, str] = {
    "reward": "apples per agent",
    "bots_reward": "per bot",
    "attacks": "attacks",
    "effectiveness": "effective",
    "bots_attacks": "by bots",
    "bots_effectiveness": "effective",
    "approach": "to last apple",
    "approach_seen": "of those seen",
    "trees_alive": "trees",
    "dirt": "dirt",
    "cleaning": "cleaning",
    "cleaned": "cells",
    "gini": "Gini",
    "rounds": "rounds",
}


class CommonsOptions(RunOptions):
    """What the commands of these games take besides."""

    episodes: int = Field(default=1, ge=1, le=1, json_schema_extra={"hidden": True})


class CommonsScenario(Protocol):
    """A pydantic model whose fields vary the game, with what is played as methods.

    Class attribute: ``name``.
    """

    name: ClassVar[str]

    @property
    def game(self) -> str:
        """Which commons is played."""

    @staticmethod
    def conditions() -> Mapping[str, str]:
        """Return the conditions by name, the default first, each in a line."""

    def played(self, condition: str) -> CommonsGame:
        """Return the game of a condition.

        Raises:
            GameError: a setting makes no game.
        """

    def published(self, condition: str) -> tuple[str | None, str | None]:
        """Return what was published of a condition, in a line, and where; None: nothing was."""

    def script(self, condition: str, seed: int) -> Script:
        """Return the scripted persons of a case."""

    def persons_in_words(self, condition: str) -> Mapping[str, str]:
        """Return which scripted person stands for each agent, in words."""

    def bot(self, table: CommonsTable, player: int, seed: int) -> Bot:
        """Return a bot."""

    def judge_rule(self, condition: str, claim: Claim) -> tuple[str, bool] | None:
        """Return which rule a claim is (empty: none that is asked for) and whether it is true.

        None: it cannot be told.
        """

    def topics(self, condition: str) -> Sequence[str]:
        """Return the rules that there are to find."""


class CommonsExperiment(BoundExperiment):
    """A scenario about a commons; see :class:`experiments.run.experiment.Experiment`."""

    worlds: Mapping[str, Sequence[str]] = KINDS
    hears = ("grid",)  # a replay in Minecraft could not tell when
    measures: Sequence[str] = tuple(
        f"mean.{name}"
        for name in (
            *("reward", "gini", "attacks", "effectiveness"),
            *("approach", "trees_alive", "dirt", "cleaning"),
        )
    )
    examples = ("", "--condition selfish --runs 10", "--condition bots --json")

    def __init__(self, kind: type[CommonsScenario], settings: type[BaseModel], story: str) -> None:
        """Bind a scenario: its class, the same as the pydantic model that it is, and its story.

        Raises:
            TypeError: the scenario lacks a part of the protocol.
        """
        super().__init__(kind, CommonsScenario, settings, CommonsOptions, story)
        self.conditions = self._kind.conditions()

    def compared(self, results: Sequence[Result]) -> Sequence[Sheet]:
        """Return what bots and cooperation came to, and who hit whom, as parts of hits."""
        hits = [hits_sheet(result) for result in results if result["all_hits"]]
        return [*bots_sheets(results), *cooperation_sheets(results), *hits]

    def prepare(self, options: RunOptions, settings: BaseModel, world: str) -> PreparedCommons:
        """Check the options; see :class:`experiments.run.experiment.Experiment`."""
        scenario: CommonsScenario = self._kind(**settings.model_dump())
        condition = options.condition or next(iter(self.conditions))
        if condition not in self.conditions:
            there = ", ".join(self.conditions)
            raise UsageError(f"there is no condition {condition!r}; there are: {there}")
        try:
            played = scenario.played(condition)
        except GameError as error:
            raise UsageError(str(error)) from error
        if played.habits.by_meaning and not minilm.is_installed():
            raise UsageError("setting relevance: meaning needs the weights; run make embeddings")
        return PreparedCommons(scenario, options, condition, played)


@dataclass
class PreparedCommons(Repeated):
    """A game, ready to be played; see :class:`experiments.run.experiment.Prepared`."""

    scenario: CommonsScenario
    options: RunOptions
    condition: str
    played: CommonsGame
    records_scripted_calls: bool = False
    _stage: Stage | None = None
    _took: list[float] = field(default_factory=list)

    @property
    def agents(self) -> Sequence[str]:
        """The agents; bots are none."""
        return self.played.agents

    def manifest(self) -> dict[str, Any]:
        """Return what ``run.yaml`` says of the game."""
        return {
            "game": self.scenario.game,
            "condition": self.condition,
            "bots": self.played.kinds_of_bots,
            "bots_by": self.played.bots_by,
            "played": self.played.game.model_dump(mode="json"),
        }

    def notes(self, choice: ModelChoice) -> list[str]:
        """Return what people should know before it begins."""
        by = f" ({self.played.bots_by})" if self.played.bots_by else ""
        bots = [f"{name} is a {kind}{by}." for name, kind in self.played.kinds_of_bots.items()]
        if choice.is_language_model:
            return bots
        said = ", ".join(
            f"{n} {p}" for n, p in self.scenario.persons_in_words(self.condition).items()
        )
        return [*bots, f"Scripted persons, no language model is asked: {said}."]

    def prompts(self) -> str:
        """Return what each agent would be asked in its first turn."""
        return commons_prompts(self.played, self.options.seed)

    def script(self, case: Case) -> Script:
        """Return the scripted persons."""
        return self.scenario.script(case.condition, case.seed)

    async def play(self, case: Case, session: Session) -> AsyncIterator[Entry]:
        """Play an episode."""
        began = time.monotonic()
        entry = await self._play(case, session)
        self._took.append(time.monotonic() - began)
        of = f"episode {case.number + 1} of {self.options.runs}"
        session.say(f"{of}: {episode_in_words(entry)}")
        yield entry

    async def _play(self, case: Case, session: Session) -> Entry:
        writer, agents, played = session.writer, self.played.agents, self.played
        writer.begin_episode(case.number)
        players: dict[str, TurnPlayer[Action]] = {}
        failed = dict.fromkeys(agents, 0)

        def note_failures() -> None:
            for failure in session.model.take_failures(agents):
                failed[str(failure.agent)] += 1
                fields = {"role": failure.role, "message": failure.message}
                writer.event(events.MindFailed, failure.agent, **fields)

        def bots(table: CommonsTable, player: int) -> Bot:
            return self.scenario.bot(table, player, case.seed)

        if self._stage is None:
            self._stage = await self._open(session)
        run = CommonsRun(played, players, bots, writer, self._stage, session.model)
        for persona in played.personas:
            kind, known = session.agents[persona.name], partial(run.known, persona.name)
            players[persona.name] = player_of(
                kind, played, persona, session.model, case.seed, known
            )
        run.listen = Interventions(session.folder, run.ears, writer).take
        run.seated = [name for name, kind in session.agents.items() if kind == PERSON]
        await run.play(case.number, case.seed, note_failures)
        kinds = {**session.agents, **played.kinds_of_bots}
        found = measures_of(run.events, run.actions, agents, played.bots)
        claims = run.cooperation.claims if run.cooperation else {}
        found |= cooperation_measures(
            run.events,
            agents,
            lambda test: self.scenario.judge_rule(case.condition, claims[test]),
            self.scenario.topics(case.condition),
        )
        by_agent = {n: {"kind": kinds[n], **own} for n, own in found.pop("by_agent").items()}
        acted = [n for n, player in players.items()
                 if session.agents[n] == RANDOM or getattr(player, "acted", False)]  # fmt: skip
        return {
            "condition": case.condition,
            "seed": case.seed,
            **found,
            "agents": by_agent,
            "acted": acted,
            "failed_answers": {name: count for name, count in failed.items() if count},
        }

    async def _open(self, session: Session) -> Stage:
        """Return the world, which stays open until the whole run is over."""
        if isinstance(session.clock, SimulatedClock):
            return GridStage(session.clock)
        if session.server is None:
            assert isinstance(session.writer, ReplayWriter)
            return RecordedStage(session.writer)
        # only this world needs a server and its bots
        from voxpolis.worlds.minecraft.commons import open_stage  # noqa: PLC0415

        opening = open_stage(
            session.server,
            session.writer,
            self.played.players,
            session.standstill,
            session.hosts,
        )
        return await session.stack.enter_async_context(opening)

    def most_calls(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Return how often each role is asked at most: everything in every turn."""
        turns = self.played.rounds * len(self.agents) * self.options.runs
        cooperation = self.played.cooperation
        modules = cooperation.modules if cooperation else ()
        roles = (*_ROLES, *(role for module in modules for role in MODULE_ROLES[module]))
        return {role: max(turns, counted.get(role, 0)) for role in roles}

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return means and standard deviations over all episodes in which anybody acted."""
        counted = [entry for entry in entries if entry["acted"]]
        spread = {name: _spread(counted, name) for name in (*MEASURED, *COOPERATION)}
        directions, source = self.scenario.published(self.condition)
        return {
            "game": self.scenario.game,
            "condition": self.condition,
            "bots": self.played.kinds_of_bots,
            "source": source,
            "directions": directions,
            "mean": {name: pair[0] for name, pair in spread.items()},
            "sd": {name: pair[1] for name, pair in spread.items()},
            "modules": list(self.played.cooperation.modules) if self.played.cooperation else [],
            "reputation_spearman": pooled_spearman(counted),
            "all_hits": _summed_hits(counted),
            "failed_answers": sum(sum(entry["failed_answers"].values()) for entry in entries),
        }

    def _table(self, result: Result, measured: Mapping[str, str]) -> Table:
        """Return measures of all episodes, those that there are."""
        names = [name for name in measured if result["mean"][name] is not None]
        table = Table(title=f"{self.scenario.name}, {self.condition}, mind {result['mind']}")
        for column in ("seed", *(measured[name] for name in names)):
            table.add_column(column, justify="right", no_wrap=True)
        for run in result["runs"]:
            table.add_row(str(run["seed"]), *(_cell(run[name]) for name in names))
        if len(result["runs"]) > 1:
            means = (mean_with_sd(result["mean"][n], result["sd"][n]) for n in names)
            table.add_section()
            table.add_row("mean ± sd", *means)
        return table

    def show(self, result: Result) -> None:
        """Print the tables of all episodes."""
        console = plain_console()
        print_whole(console, self._table(result, MEASURED))
        if result["modules"]:
            print_whole(console, self._table(result, COOPERATION))
        for name, kind in self.played.kinds_of_bots.items():
            console.print(f"{name}: {kind}")
        if result["directions"]:
            console.print(f"published ({result['source']}): {result['directions']}", soft_wrap=True)
        if "usage" in result and self._took:
            cost = cost_in_words(result["usage"], len(result["runs"]), self._took)
            console.print(cost, soft_wrap=True)
        console.print(f"mind: {result['mind']}")
        console.print(f"record: {result['run_dir']}", soft_wrap=True)


_ROLES = ("react", "plan", "questions", "insights", "act")


def _cell(value: float | None) -> str:
    return "-" if value is None else in_digits(value)


def _spread(entries: Sequence[Entry], name: str) -> tuple[float | None, float | None]:
    known = [entry[name] for entry in entries if entry[name] is not None]
    return mean_and_sd(known) if known else (None, None)


def _summed_hits(entries: Sequence[Entry]) -> dict[str, dict[str, int]]:
    """Who hit whom how often in all episodes."""
    found: dict[str, dict[str, int]] = {}
    for entry in entries:
        for attacker, victims in entry["hits"].items():
            own = found.setdefault(attacker, {})
            for victim, count in victims.items():
                own[victim] = own.get(victim, 0) + count
    return found
