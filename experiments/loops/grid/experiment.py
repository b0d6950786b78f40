"""Grid games as experiments: options, conditions, results and tables."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field, PrivateAttr
from rich.console import Console
from rich.table import Table

from voxpolis.experiments.loops.grid.game import (
    GridGame,
    GridGameRun,
    GridOutcome,
    most_plans,
    new_table,
)
from voxpolis.experiments.run.agents import policy_files
from voxpolis.experiments.run.options import MAX_RUNS, RunOptions, UsageError, option
from voxpolis.experiments.run.scenario import Entry, Result, Run, Scenario, counting
from voxpolis.grid.adasociety.game import Game, Rules
from voxpolis.grid.adasociety.oracle import optimum
from voxpolis.grid.adasociety.tables import make_tables
from voxpolis.grid.core.data import GameError
from voxpolis.grid.trained import TrainedPlayers
from voxpolis.records import SimulatedClock
from voxpolis.records.console import plain_console, print_whole
from voxpolis.records.measures import mean_and_sd
from voxpolis.worlds.grid_stage import HeadlessStage

KINDS: Mapping[str, Sequence[str]] = {"grid": ("planner", "scripted", "random", "trained", "human")}
MEASURED = ("reward", "normalised", "fairness")
# Widths in a table: around the first column, and around and inside the column of a seed, in
# addition to the digits of the seed (at most "100%").
FRAME, SEED_WIDTH = 4, 6


class GridOptions(RunOptions):
    """The options that only grid games have."""

    runs: int = Field(
        default=1,
        ge=1,
        le=MAX_RUNS,
        description="Number of episodes, each with the next seed.",
        json_schema_extra=option("runs", "episodes"),
    )
    episodes: int = Field(default=1, ge=1, le=1, json_schema_extra={"hidden": True})
    rules: Path | None = Field(default=None, description="Your own file with the rules of games.")


class GridScenario(Scenario):
    """The base class of grid games. A subclass lists its games and changes them according to its
    settings.

    A scenario of this kind has these class attributes, in addition to those of every scenario:
    ``published`` contains published rewards relative to the optimum (game → author → reward).
    ``source`` says where they were published.
    """

    options: ClassVar[type[RunOptions]] = GridOptions
    worlds: ClassVar[Mapping[str, Sequence[str]]] = KINDS
    measures: ClassVar[Sequence[str]] = ("mean.normalised", "mean.fairness")
    published: ClassVar[Mapping[str, Mapping[str, float]]]
    source: ClassVar[str]

    _played: GridGame = PrivateAttr()

    @classmethod
    @abstractmethod
    def games(cls) -> Mapping[str, str]:
        """Return the names of the shipped games, each with a description in one line. The default
        comes first.
        """

    @abstractmethod
    def game(self, name: str, rules_file: Path | None) -> GridGame:
        """Return a game with these settings applied.

        Raises:
            GameError: there is no such game, or a file or a field is invalid.
        """

    @classmethod
    def check(cls) -> None:
        """Check that the class is complete, and name its conditions after its games."""
        super().check()
        cls.conditions = cls.games()

    def prepared(self) -> None:
        """Load the game and the policies that the user asked for."""
        try:
            self._played = self.game(self.condition, self.rules_file)
            files = dict(enumerate(sorted(policy_files(self.asked.agent))))
            TrainedPlayers(files, new_table(self._played), self._played.best.welfare)
        except GameError as error:
            raise UsageError(str(error)) from error

    @property
    def rules_file(self) -> Path | None:
        assert isinstance(self.asked, GridOptions)
        return self.asked.rules

    @property
    def agent_names(self) -> Sequence[str]:
        return self._played.agents

    def manifest(self) -> dict[str, Any]:
        """Return what ``run.yaml`` contains about the game."""
        return {"game": self.condition, "played": self._played.game.model_dump(mode="json")}

    def most_calls(self, counted: Mapping[str, int]) -> Mapping[str, int]:
        """Return the largest possible number of calls in each role: one for each plan that
        fits into the time.
        """
        return dict.fromkeys(counted, len(self.cases) * most_plans(self._played))

    async def play(self, run: Run) -> None:
        """Let all agents choose actions, step by step, until the game is over."""
        outcome = await play_steps(self._played, run)
        run.finish(entry := as_json(outcome))
        share = f"{entry['normalised']:.3f} of the optimum"
        run.say(f"episode {run.number + 1} of {run.options.runs}: {share}")

    def summary(self, entries: Sequence[Entry]) -> Result:
        """Return the mean and the standard deviation of each measure."""
        return {
            "game": self.condition,
            "optimum": self._played.best.welfare,
            **spread(entries, MEASURED),
        }

    def show(self, result: Result) -> None:
        is_shipped = not self.model_dump(exclude_none=True) and not self.rules_file
        published = self.published.get(self.condition, {}) if is_shipped else {}
        print_grid_result(self.condition, self._played, result, published, self.source)


def grid_game(rules: Rules, game: Game, agents: Sequence[str] = ()) -> GridGame:
    """Return a game with its players. By default, agents have the names that the game gives
    them.
    """
    names = tuple(agents) or tuple(make_tables(rules, game)[1].agents)
    return GridGame(rules, game, names, optimum(rules, game))


async def play_steps(played: GridGame, run: Run, until: str = "") -> GridOutcome:
    """Play one episode of a game as a case of a run. ``until`` is explained in
    :meth:`GridGameRun.play`.
    """
    assert isinstance(run.clock, SimulatedClock)
    run.writer.begin_episode(run.number)
    stage = HeadlessStage(run.writer, run.clock)
    game = GridGameRun(played, run.agents, run.model, run.writer, stage)
    return await game.play(run.number, run.seed, until)


def as_json(outcome: GridOutcome) -> Entry:
    """Return the outcome of an episode as an entry of the result."""
    agents = {
        name: {"job": account.job, "reward": account.reward, "items": dict(account.items)}
        for name, account in outcome.agents.items()
    }
    failed = {name: a.failed_answers for name, a in outcome.agents.items() if a.failed_answers}
    return {
        **outcome.measures(),
        "agents": agents,
        "acted": list(outcome.acted),
        "failed_answers": failed,
    }


def spread(entries: Sequence[Entry], measured: Sequence[str]) -> Result:
    """Return the mean and the standard deviation of some fields."""
    pairs = {
        name: mean_and_sd([entry[name] for entry in entries]) if entries else (None, None)
        for name in measured
    }
    return {
        "mean": {name: pair[0] for name, pair in pairs.items()},
        "sd": {name: pair[1] for name, pair in pairs.items()},
    }


def print_grid_result(
    title: str,
    played: GridGame,
    result: Result,
    published: Mapping[str, float],
    source: str,
) -> None:
    """Print a result: the episodes, their mean, and published results."""
    console = plain_console()
    best = played.best
    table = Table(title=f"{title}, mind {result['mind']}, optimum {best.welfare:g}")
    for column in ("seed", "reward", "of the\noptimum", "fairness"):
        table.add_column(column, justify="right")
    for run in result["runs"]:
        cells = (f"{run['reward']:g}", f"{run['normalised']:.3f}", f"{run['fairness']:.2f}")
        table.add_row(str(run["seed"]), *cells)
    print_whole(console, table)
    _print_completion(console, list(best.executions), result["runs"])
    mean, sd = result["mean"], result["sd"]
    if mean["normalised"] is not None:
        rest = f"of the optimum, fairness {mean['fairness']:.2f}"
        if sd["normalised"] is None:
            console.print(f"{mean['normalised']:.3f} {rest}")
        else:
            counted = len(counting(result["runs"]))
            spread = f"{mean['normalised']:.3f} ± {sd['normalised']:.3f}"
            console.print(f"mean ± sd of {counted} episodes: {spread} {rest}")
    if published:
        text = ", ".join(f"{name} {value:g}" for name, value in published.items())
        console.print(f"published ({source}): {text}")


def _print_completion(
    console: Console, events: Sequence[str], runs: Sequence[Mapping[str, Any]]
) -> None:
    """Print the completion of each event in percent, with a row per event and a column per seed.

    If the seeds do not fit on the screen, several tables are printed.
    """
    if not events:
        return
    room = console.width - max(map(len, ("event", *events))) - FRAME
    at_once = max(1, room // (max(len(f"{run['seed']}") for run in runs) + SEED_WIDTH))
    for first in range(0, len(runs), at_once):
        few = runs[first : first + at_once]
        table = Table(title="completed, by seed")
        table.add_column("event", no_wrap=True)
        for run in few:
            table.add_column(str(run["seed"]), justify="right", no_wrap=True)
        for event in events:
            table.add_row(event, *(_percent(run["completion"][event]) for run in few))
        print_whole(console, table)


def _percent(rate: float | None) -> str:
    return "n/a" if rate is None else f"{rate:.0%}"
