"""Measures the speed of the grid in env-steps and agent-steps per second: ``python -m grid.bench
--help``.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from itertools import chain
from pathlib import Path
from statistics import median
from typing import Annotated, Any

import numpy as np
import typer
from rich.table import Table

from voxpolis.front import run_app
from voxpolis.grid.adasociety.tables import MOVES
from voxpolis.grid.adasociety.vector import VectorGame
from voxpolis.grid.commons.game import commons_names
from voxpolis.grid.commons.vector import VectorCommons
from voxpolis.grid.core.batch import Batch, Observations
from voxpolis.grid.core.data import GameError
from voxpolis.grid.registry import make, make_vec
from voxpolis.records.command_line import CommandLine
from voxpolis.records.console import plain_console
from voxpolis.records.text import one_line, say_error

# Maps grow with the number of agents, so that all agents have room.
MAPS = {4: (20, 20), 8: (20, 20), 20: (20, 20), 100: (20, 20), 1000: (40, 40), 10_000: (120, 120)}
# Maximum size of the state and observations of a batch that fits a core's cache.
BATCH_BYTES = 1_000_000
MOST_ENVIRONMENTS = 256
# Handing work to a thread takes about 0.1 ms, so several threads need larger batches.
THREADED_FACTOR = 16
RANDOM_STEPS = 16
# Maximum number of agents for flat rows, because each row contains who shares with whom.
MOST_FLAT = 20
# Games that are measured unchanged, with their numbers of agents.
OTHERS = (
    ("contract-easy", 4),
    ("contract-hard", 8),
    ("clean_up", 7),
    ("commons_harvest_open", 7),
)


@dataclass(frozen=True)
class BenchResult:
    """One line of the table of results.

    ``relative`` is the number of steps per second, divided by how often per second this machine
    copies the state and the observations. This ratio depends less on the machine and its load.
    """

    game: str
    agents: int
    api: str
    observations: str
    masks: bool
    cores: int
    env_steps_per_s: float
    agent_steps_per_s: float
    relative: float

    @property
    def key(self) -> tuple[Any, ...]:
        """The values that identify the measurement."""
        return (self.game, self.agents, self.api, self.observations, self.masks, self.cores)


@dataclass(frozen=True)
class BenchCase:
    """A measurement to make: a game with changes, for a number of agents."""

    game: str
    agents: int
    changes: dict[str, Any]


@dataclass(frozen=True)
class BenchOptions:
    """How to measure: for how long, with which clock, and whether all agents move in each step."""

    seconds: float
    clock: Callable[[], float] = time.perf_counter
    moving: bool = False


app = CommandLine()


@app.command()
def bench(
    seconds: Annotated[
        float, typer.Option(min=0.05, max=3600, help="Length of each measurement, in seconds.")
    ] = 1.0,
    agents: Annotated[
        str, typer.Option(help="Numbers of agents in the exploration game, comma-separated.")
    ] = "4,8,20,100,1000",
    num_envs: Annotated[
        str,
        typer.Option(
            help="Numbers of games in a batch, comma-separated. They are measured with four "
            "agents and masks, on one core."
        ),
    ] = "1,256,1024,4096",
    cores: Annotated[str, typer.Option(help="Numbers of threads, comma-separated.")] = "1,2",
    moving: Annotated[
        bool,
        typer.Option(
            "--moving", help="Let all agents move in each step, in the games of AdaSociety."
        ),
    ] = False,
    cpu_time: Annotated[
        bool,
        typer.Option(
            "--cpu-time",
            help="Measure CPU time instead of elapsed time. Use this on a busy machine.",
        ),
    ] = False,
    against: Annotated[
        Path | None,
        typer.Option(
            help="Earlier JSON output. Rates relative to copying must not be lower by more than "
            "a third; otherwise, the exit code is 1. On a busy machine, add --cpu-time."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a single JSON list.")] = False,
) -> None:
    """Play games with random actions, and measure the speed.

    Agents move, pick up, put down and produce at random. They are spread over groups of four,
    which share rewards. With --moving, all agents move in each step, which changes the most
    observations.

    The results depend on the machine and on its other load. The column "of a copy" depends less on
    them: it is the number of steps per second, divided by the number of times per second that this
    machine copies the state and the observations of the same games. Steps and copies take turns.
    """
    try:
        counts = [int(number) for number in agents.split(",")]
        threads = [int(number) for number in cores.split(",")]
        sizes = [int(number) for number in num_envs.split(",")]
    except ValueError as error:
        raise _failure(
            "--agents, --num-envs and --cores take numbers separated by commas"
        ) from error
    if min([*counts, *threads, *sizes]) < 1:
        raise _failure("--agents, --num-envs and --cores take numbers of at least 1")
    before = {} if against is None else _read(against)
    settings = [_exploration(number) for number in counts]
    settings += [BenchCase(name, n, {}) for name, n in OTHERS]
    results = []
    how = BenchOptions(seconds, time.process_time if cpu_time else time.perf_counter, moving)
    try:
        for measured in chain(_all(settings, threads, how), _by_size(sizes, how)):
            results.append(measured)
            if not as_json:
                print(f"measured {measured.game}, {measured.agents} agents", file=sys.stderr)
    except GameError as error:
        raise _failure(str(error)) from error
    except MemoryError as error:
        raise _failure(f"not enough memory for these numbers: {one_line(str(error))}") from error
    if as_json:
        print(json.dumps([asdict(measured) for measured in results]))
    else:
        _print_table(results)
    if against is not None and not before.keys() & {one.key for one in results}:
        raise _failure(f"--against {against}: it has no row of this measurement")
    lost = [one for one in results if one.relative < SLOWER * before.get(one.key, 0.0)]
    for one in lost:
        what = f"{one.game}, {one.agents} agents, {one.api}, {one.observations}"
        say_error(f"{what}: {one.relative:.3f} of a copy, {before[one.key]:.3f} before")
    if lost:
        raise typer.Exit(1)


# Rates relative to copying that are lower than this share of an earlier rate count as a loss.
SLOWER = 2 / 3


def _read(path: Path) -> dict[tuple[Any, ...], float]:
    """Return the relative rates in an earlier output, as a dictionary with ``BenchResult.key``."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        rows = found["output"] if isinstance(found, dict) else found
        rates = {(one := BenchResult(**row)).key: float(one.relative) for row in rows}
    except (OSError, ValueError, TypeError, KeyError) as error:
        raise _failure(f"--against {path}: no output of --json: {one_line(str(error))}") from error
    if not rates or not all(map(math.isfinite, rates.values())):
        raise _failure(f"--against {path}: it has no rows, or a rate that is not a number")
    return rates


def _failure(text: str) -> typer.Exit:
    say_error(text)
    return typer.Exit(2)


def _exploration(agents: int) -> BenchCase:
    size = MAPS.get(agents) or (max(20, int((2 * agents) ** 0.5) + 1),) * 2
    return BenchCase("exploration", agents, {"agents": {"explorer": agents}, "map": size})


def _all(settings: list[BenchCase], cores: list[int], how: BenchOptions) -> Iterator[BenchResult]:
    both: tuple[Observations, ...] = ("none", "window")
    for setting in settings:
        for threads in cores:
            for observations in both:
                yield measure_vector(setting, observations, threads, how)
            yield measure_vector(setting, "window", threads, how, masks=True)
            if setting.agents <= MOST_FLAT:
                yield measure_vector(setting, "flat", threads, how, masks=True)
            if setting.agents <= 100 and setting.game not in commons_names():
                yield measure_vector(setting, "map", threads, how)
        for observations in (*both, *(("flat",) if setting.agents <= MOST_FLAT else ())):
            yield measure_parallel(setting, observations, how)


def _by_size(sizes: list[int], how: BenchOptions) -> Iterator[BenchResult]:
    """Measure batches of games of four agents. The smallest batch fits into the cache, and the
    largest batch does not.
    """
    for size in sizes:
        measured = measure_vector(_exploration(4), "window", 1, how, masks=True, num_envs=size)
        yield replace(measured, game=f"exploration x {size}")


def measure_vector(
    setting: BenchCase,
    observations: Observations,
    cores: int,
    how: BenchOptions,
    *,
    masks: bool = False,
    num_envs: int | None = None,
) -> BenchResult:
    """Measure the speed of a batch that does not copy its arrays.

    By default, the batch just fits into the cache of a core. The observation ``map`` is counted as
    having the size of a window, because a step reads only the visible part of the map.
    """
    one = make_vec(setting.game, 1, observations=observations, **setting.changes)
    size = sum(array.nbytes for array in one.state)
    if observations == "map":
        size += one.state.window.nbytes
    environments = cores * min(MOST_ENVIRONMENTS, max(1, BATCH_BYTES // size))
    environments *= THREADED_FACTOR if cores > 1 else 1
    environments = num_envs or environments
    game = make_vec(
        setting.game,
        environments,
        observations=observations,
        action_masks=masks,
        num_threads=cores,
        copy=False,
        **setting.changes,
    )
    game.reset(seed=0)
    _form_groups(game)
    actions = _random_actions(game, how.moving)
    rate = _rate(lambda number: game.step(actions[number % RANDOM_STEPS]), game, how)
    game.close()
    return _measured(setting, "vector", observations, cores, environments, rate, masks=masks)


def _form_groups(game: VectorGame | VectorCommons) -> None:
    """Form groups of four agents that share rewards, if agents may join groups during play."""
    if isinstance(game, VectorCommons):
        return
    a, n = game.tables.actions, game.tables.agents
    if not game.tables.contract_steps and a.join < a.request:
        game.step(np.tile(a.join + np.arange(n) // 4, (game.num_envs, 1)))


def _random_actions(game: Batch[Any], moving: bool) -> list[Any]:
    """Draw actions of all kinds, except those that change the social graph. If ``moving``, draw
    only moves.
    """
    rng, shape = np.random.default_rng(0), game.rewards.shape
    most = game.action_count
    if isinstance(game, VectorGame):
        most = MOVES if moving else game.tables.actions.message
    return [rng.integers(0, most, shape, dtype=np.int32) for _ in range(RANDOM_STEPS)]


def measure_parallel(
    setting: BenchCase, observations: Observations, how: BenchOptions
) -> BenchResult:
    """Measure one environment as a ParallelEnv, without action masks."""
    options: dict[str, Any] = {"action_masks": False, "execution": "compiled"}
    env = make(setting.game, observations=observations, **options, **setting.changes)
    env.reset(seed=0)
    plans = [
        dict(zip(env.possible_agents, actions[0].tolist(), strict=True))
        for actions in _random_actions(env.vector, how.moving)
    ]

    def step(number: int) -> None:
        if not env.agents:
            env.reset()
        env.step(plans[number % RANDOM_STEPS])

    return _measured(setting, "parallel", observations, 1, 1, _rate(step, env.vector, how))


# Number of turns in which steps and copies alternate. The results are medians over the turns.
TURNS = 7


def _rate(
    step: Callable[[int], object], game: Batch[Any], how: BenchOptions
) -> tuple[float, float]:
    """Return the number of steps per second, and this number divided by the number of copies of the
    game's arrays per second. The first step is not counted, because it may load machine code.
    """
    seen = game.observation
    extra = seen if game.observations == "flat" else seen.get("map", np.empty(0))
    pairs = [(array, np.empty_like(array)) for array in (*game.state, extra)]

    def copy(_: int) -> None:
        for source, target in pairs:
            np.copyto(target, source)

    step(0)
    turns = [(_turn(step, how), _turn(copy, how)) for _ in range(TURNS)]
    return median(rate for rate, _ in turns), median(rate / copies for rate, copies in turns)


def _turn(act: Callable[[int], object], how: BenchOptions) -> float:
    """Call ``act`` repeatedly for a fixed time (a turn). Return the number of calls per second."""
    started, number = how.clock(), 0
    while how.clock() - started < how.seconds / (2 * TURNS):
        for _ in range(10):
            act(number)
            number += 1
    return number / (how.clock() - started)


def _measured(
    setting: BenchCase,
    api: str,
    observations: Observations,
    cores: int,
    environments: int,
    rates: tuple[float, float],
    *,
    masks: bool = False,
) -> BenchResult:
    agents, (rate, relative) = setting.agents, rates
    what = (setting.game, agents, api, observations, masks, cores)
    return BenchResult(*what, rate * environments, rate * environments * agents, relative)


def _print_table(results: list[BenchResult]) -> None:
    table = Table(title="the grid, random play", box=None, padding=(0, 1, 0, 0))
    for column in ("game", "agents", "api", "seen", "masks", "cores"):
        table.add_column(column, no_wrap=True)
    for column in ("agent-steps/s", "of a copy"):
        table.add_column(column, justify="right", no_wrap=True)
    for one in results:
        masks = "yes" if one.masks else "no"
        words = (one.game, str(one.agents), one.api, one.observations, masks, str(one.cores))
        table.add_row(*words, f"{one.agent_steps_per_s:,.0f}", f"{one.relative:.3f}")
    plain_console().print(table)


if __name__ == "__main__":
    run_app(app)
