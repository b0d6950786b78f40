"""Commons games as experiments: options, conditions, results and tables."""

from __future__ import annotations

import random
import textwrap
import time
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar

from pydantic import Field, PrivateAttr
from rich.table import Table

from voxpolis import environment
from voxpolis.bots.agents.cooperation.knowledge import Known
from voxpolis.bots.agents.form_model import keys, next_step
from voxpolis.bots.agents.generative import Persona
from voxpolis.bots.agents.generative.agent import GenerativeAgent
from voxpolis.bots.agents.turns import Perception, TurnPlayer
from voxpolis.bots.agents.voyager import minilm
from voxpolis.bots.agents.voyager.retrieval import LexicalRetriever, best_retriever
from voxpolis.bots.models import AccountedModel
from voxpolis.experiments.loops.commons.game import Bot, CommonsGame, CommonsRun
from voxpolis.experiments.loops.commons.measures import (
    bots_sheets,
    cost_in_words,
    episode_in_words,
    hits_sheet,
    measures_of,
)
from voxpolis.experiments.loops.cooperation.cooperation import MODULE_ROLES
from voxpolis.experiments.loops.cooperation.measures import MEASURED as COOPERATION
from voxpolis.experiments.loops.cooperation.measures import (
    cooperation_measures,
    cooperation_sheets,
    pooled_spearman,
)
from voxpolis.experiments.people.interventions import Interventions
from voxpolis.experiments.run.agents import RANDOM
from voxpolis.experiments.run.model_choice import ModelChoice
from voxpolis.experiments.run.options import RunOptions, UsageError
from voxpolis.experiments.run.scenario import Entry, Result, Run, Scenario, Sheet
from voxpolis.experiments.run.tables import mean_with_sd
from voxpolis.grid.core.data import GameError
from voxpolis.records import SimulatedClock
from voxpolis.records.console import plain_console, print_whole
from voxpolis.records.measures import mean_and_sd
from voxpolis.records.questions import Choice
from voxpolis.records.reader import PERSON
from voxpolis.records.text import in_digits
from voxpolis.worlds.commons.actions import Action
from voxpolis.worlds.commons.claims import Claim
from voxpolis.worlds.commons.stage import GridStage, RecordedStage, Stage
from voxpolis.worlds.commons.table import CommonsTable
from voxpolis.worlds.recorded import ReplayWriter

# --- Turn players by agent kind -------------------------------------------------------------------


class RandomTurns:
    """A player that chooses uniformly among the legal actions in each turn."""

    def __init__(self, seed: int, name: str) -> None:
        self._draws = random.Random(f"{seed} {name}")

    async def choose(self, perception: Perception[Action]) -> Action:
        """Return a random legal action; see :class:`bots.agents.turns.TurnPlayer`."""
        return self._draws.choice(perception.actions)


class PersonsTurns:
    """A player that asks a person to choose among the legal actions in each turn."""

    def __init__(self, persona: Persona, model: AccountedModel) -> None:
        """Create the player. ``model`` is the connection to the person."""
        self.acted = 0
        self._persona = persona
        self._model = model

    async def choose(self, perception: Perception[Action]) -> Action | None:
        """Return the person's choice, or None if the person did not answer in time."""
        if not perception.is_playing:
            return None
        texts = map(str, perception.actions)
        choices = [Choice(text, key) for text, key in zip(texts, keys(), strict=False)]
        told = [
            f"You are {self._persona.name}. It is your turn {perception.turn}.",
            f"You are at {perception.cell} and look {perception.heading}.",
            *(f"Your last action, {perception.last_action}: {perception.last_outcome}."
              for _ in range(bool(perception.last_action))),
            *perception.changes,
            *perception.observations,
        ]  # fmt: skip
        chosen = await next_step(self._model, self._persona.name, "\n".join(told), choices)
        self.acted += chosen is not None
        return None if chosen is None else perception.actions[choices.index(chosen)]


def generative_agent(
    played: CommonsGame,
    persona: Persona,
    model: AccountedModel,
    known: Callable[[], Known] = Known,
) -> GenerativeAgent:
    """Create a generative agent. ``known`` returns the text of its cooperation modules for
    prompts.
    """
    retriever = best_retriever() if played.habits.by_meaning else LexicalRetriever()
    return GenerativeAgent(persona, model, retriever, played.habits, known)


def player_of(
    kind: str,
    played: CommonsGame,
    persona: Persona,
    model: AccountedModel,
    seed: int,
    known: Callable[[], Known] = Known,
) -> TurnPlayer[Action]:
    """Create the player that takes the turns of an agent of this kind."""
    if kind == RANDOM:
        return RandomTurns(seed, persona.name)
    if kind == PERSON:
        return PersonsTurns(persona, model)
    return generative_agent(played, persona, model, known)


# --------------------------------------------------------------------------------------------------

_PLAYERS = ("generative", "scripted", "random", "human")
KINDS: Mapping[str, Sequence[str]] = {"grid": _PLAYERS, "minecraft": _PLAYERS}
# Measures that are averaged over episodes, with their labels in tables.
MEASURED: Mapping[str, str] = {
    "reward": "apples per agent",
    "bots_reward": "per bot",
    "attacks": "attacks",
    "effectiveness": "share that hit",
    "bots_attacks": "by bots",
    "bots_effectiveness": "share that hit",
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
    """The options that only commons games have."""

    episodes: int = Field(default=1, ge=1, le=1, json_schema_extra={"hidden": True})


class CommonsScenario(Scenario):
    """A commons game, which generative agents and bots play in rounds of turns."""

    options: ClassVar[type[RunOptions]] = CommonsOptions
    worlds: ClassVar[Mapping[str, Sequence[str]]] = KINDS
    # A replay in Minecraft could not restore the world's state in the middle of a game.
    hears: ClassVar[Collection[str]] = ("grid",)
    measures: ClassVar[Sequence[str]] = tuple(
        f"mean.{name}"
        for name in (
            *("reward", "gini", "attacks", "effectiveness"),
            *("approach", "trees_alive", "dirt", "cleaning"),
        )
    )
    examples: ClassVar[Sequence[str]] = (
        "",
        "--condition selfish --runs 10",
        "--condition bots --json",
    )
    records_scripted_calls: ClassVar[bool] = False

    # The commons game to play.
    game: str

    _played: CommonsGame = PrivateAttr()
    _took: list[float] = PrivateAttr(default_factory=list)

    @abstractmethod
    def played(self, condition: str) -> CommonsGame:
        """Return the game of a condition, with its players.

        Raises:
            GameError: the settings do not describe a valid game.
        """

    def published(self, condition: str) -> tuple[str | None, str | None]:
        """Return a summary of published results for a condition, and the source of the results. If
        there are no published results, the summary and the source are None.
        """
        return None, None

    def persons_in_words(self, condition: str) -> Mapping[str, str]:
        """Return, for each agent, a description of the scripted person that plays this agent."""
        return {}

    @abstractmethod
    def bot(self, table: CommonsTable, player: int, seed: int) -> Bot:
        """Create the bot that plays as ``player`` in the game."""

    def judge_rule(self, condition: str, claim: Claim) -> tuple[str, bool] | None:
        """Return which rule of the game a claim is about, and whether the claim is true.

        The rule is an empty string if the claim is about none of the tracked rules. If the truth of
        the claim is unknown, the whole result is None.
        """
        return None

    def topics(self, condition: str) -> Sequence[str]:
        """Return the names of the rules that agents can discover."""
        return ()

    @classmethod
    def compared(cls, results: Sequence[Result]) -> Sequence[Sheet]:
        """Return tables of the bots' results, of cooperation, and of hits by attacker and
        victim.
        """
        hits = [hits_sheet(result) for result in results if result["all_hits"]]
        return [*bots_sheets(results), *cooperation_sheets(results), *hits]

    def prepared(self) -> None:
        """Load the game of the condition."""
        super().prepared()
        try:
            self._played = self.played(self.condition)
        except GameError as error:
            raise UsageError(str(error)) from error
        if self._played.habits.by_meaning and not minilm.is_installed():
            raise UsageError(
                "setting relevance: meaning needs the embedding weights; run: "
                + environment.how_to_embed()
            )

    @property
    def agent_names(self) -> Sequence[str]:
        """The names of the agents. Bots are not included."""
        return self._played.agents

    def manifest(self) -> dict[str, Any]:
        """Return what ``run.yaml`` contains about the game."""
        return {
            "game": self.game,
            "condition": self.condition,
            "bots": self._played.kinds_of_bots,
            "bots_by": self._played.bots_by,
            "played": self._played.game.model_dump(mode="json"),
        }

    def notes(self, choice: ModelChoice) -> list[str]:
        """Return messages that are printed before the run."""
        by = f" ({self._played.bots_by})" if self._played.bots_by else ""
        bots = [f"{name} is a {kind}{by}." for name, kind in self._played.kinds_of_bots.items()]
        played = {
            name: kind for name, _, kind in (t.rpartition("=") for t in self.asked.kinds_asked)
        }
        people = [name for name, kind in played.items() if kind == PERSON]
        bots += [f"{name} is played by a person." for name in people]
        if choice.is_language_model:
            return bots
        persons = self.persons_in_words(self.condition).items()
        unscripted = (PERSON, RANDOM)
        scripted = [
            f"{n} {p}" for n, p in persons if played.get(n, played.get("")) not in unscripted
        ]
        note = f"Scripted persons answer, no language model is called: {', '.join(scripted)}."
        return [*bots, note] if scripted else bots

    async def play(self, run: Run) -> None:
        """Let the agents take turns, round after round, until the game is over."""
        began = time.monotonic()
        run.writer.begin_episode(run.number)
        game, players = self._played, dict[str, TurnPlayer[Action]]()
        if "stage" not in run.kept:
            run.kept["stage"] = await self._open(run)
        failed: Counter[str] = Counter()

        def bots(table: CommonsTable, player: int) -> Bot:
            return self.bot(table, player, run.seed)

        turns = CommonsRun(game, players, bots, run.writer, run.kept["stage"], run.model)
        for persona in game.personas:
            kind, known = run.agents[persona.name], partial(turns.known, persona.name)
            players[persona.name] = player_of(kind, game, persona, run.model, run.seed, known)
        turns.listen = Interventions(run.folder, turns.ears, run.writer).take
        turns.seated = [name for name, kind in run.agents.items() if kind == PERSON]
        note = partial(run.note_failures, game.agents)
        await turns.play(run.number, run.seed, lambda: failed.update(note()))
        entry = self._entry(run, turns)
        entry["failed_answers"] = {n: failed[n] for n in game.agents if failed[n]}
        run.finish(entry)
        self._took.append(time.monotonic() - began)
        run.say(f"episode {run.number + 1} of {run.options.runs}: {episode_in_words(entry)}")

    def _entry(self, run: Run, turns: CommonsRun) -> Entry:
        agents = self._played.agents
        found = measures_of(turns.events, turns.actions, agents, self._played.bots)
        claims = turns.cooperation.claims if turns.cooperation else {}
        found |= cooperation_measures(
            turns.events,
            agents,
            lambda test: self.judge_rule(run.condition, claims[test]),
            self.topics(run.condition),
        )
        kinds = {**run.agents, **self._played.kinds_of_bots}
        by_agent = {n: {"kind": kinds[n], **own} for n, own in found.pop("by_agent").items()}
        acted = [n for n in agents if run.agents[n] == RANDOM or turns.has_acted(n)]
        return {**found, "agents": by_agent, "acted": acted}

    async def _open(self, run: Run) -> Stage:
        """Open the world, which stays open until all episodes are over."""
        if isinstance(run.clock, SimulatedClock):  # on the grid, or only displayed
            return GridStage(run.clock)
        if run.server is None:
            assert isinstance(run.writer, ReplayWriter)
            return RecordedStage(run.writer)
        # Only Minecraft needs a server and its bots.
        from voxpolis.worlds.minecraft.commons import open_stage  # noqa: PLC0415

        players = self._played.players
        opening = open_stage(run.server, run.writer, players, run.standstill, run.hosts)
        return await run.stack.enter_async_context(opening)

    def most_calls(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Return the largest possible number of calls in each role: every agent asks every question
        in every turn.
        """
        turns = self._played.rounds * len(self.agent_names) * self.asked.runs
        cooperation = self._played.cooperation
        modules = cooperation.modules if cooperation else ()
        roles = (*_ROLES, *(role for module in modules for role in MODULE_ROLES[module]))
        return {role: max(turns, counted.get(role, 0)) for role in roles}

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return the mean and the standard deviation of each measure."""
        spread = {name: _spread(entries, name) for name in (*MEASURED, *COOPERATION)}
        directions, source = self.published(self.condition)
        cooperation = self._played.cooperation
        return {
            "game": self.game,
            "condition": self.condition,
            "bots": self._played.kinds_of_bots,
            "source": source,
            "directions": directions,
            "mean": {name: pair[0] for name, pair in spread.items()},
            "sd": {name: pair[1] for name, pair in spread.items()},
            "modules": list(cooperation.modules) if cooperation else [],
            "reputation_spearman": pooled_spearman(entries),
            "all_hits": _summed_hits(entries),
        }

    def _table(self, result: Result, measured: Mapping[str, str]) -> Table:
        names = [name for name in measured if result["mean"][name] is not None]
        table = Table(title=f"{self.name}, {self.condition}, mind {result['mind']}")
        for column in ("seed", *(measured[name] for name in names)):
            label = textwrap.fill(column, 9, break_long_words=False)
            table.add_column(label, justify="right", no_wrap=True)
        for run in result["runs"]:
            table.add_row(str(run["seed"]), *(_cell(run[name]) for name in names))
        if len(result["runs"]) > 1:
            means = (mean_with_sd(result["mean"][n], result["sd"][n]) for n in names)
            table.add_section()
            table.add_row(*(cell.replace(" ±", "\n±") for cell in ("mean ± sd", *means)))
        return table

    def show(self, result: Result) -> None:
        console = plain_console()
        print_whole(console, self._table(result, MEASURED))
        if result["modules"]:
            print_whole(console, self._table(result, COOPERATION))
        for name, kind in self._played.kinds_of_bots.items():
            console.print(f"{name}: {kind}")
        if result["directions"]:
            console.print(f"published ({result['source']}): {result['directions']}", soft_wrap=True)
        if "usage" in result and self._took:
            cost = cost_in_words(result["usage"], len(result["runs"]), self._took)
            console.print(cost, soft_wrap=True)


_ROLES = ("react", "plan", "questions", "insights", "act")


def _cell(value: float | None) -> str:
    return "n/a" if value is None else in_digits(value)


def _spread(entries: Sequence[Entry], name: str) -> tuple[float | None, float | None]:
    known = [entry[name] for entry in entries if entry[name] is not None]
    return mean_and_sd(known) if known else (None, None)


def _summed_hits(entries: Sequence[Entry]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for entry in entries:
        for attacker, victims in entry["hits"].items():
            own = found.setdefault(attacker, {})
            for victim, count in victims.items():
                own[victim] = own.get(victim, 0) + count
    return found
