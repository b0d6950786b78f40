"""A table of models: one row per model, and one column per game of a suite.

A row is a folder with one sweep per game, so an interrupted row continues where it stopped. The
table of a folder shows all rows in it.
"""

from __future__ import annotations

import json
import re
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import yaml
from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from voxpolis.bots.models import Budget
from voxpolis.bots.models.typed import describe_errors
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import expected_dollars, parse_line
from voxpolis.experiments.run.endings import DONE, FAILED, INTERRUPTED, USAGE
from voxpolis.experiments.run.measured import is_number, value_at
from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.run.spending import Purchase, agree, check_endpoints
from voxpolis.experiments.study.sweep import Sweep, SweepPlan, command_words, read_object
from voxpolis.experiments.study.sweep_workers import Job, Outcome, local
from voxpolis.records.reader import read_record
from voxpolis.records.text import one_line, say_error

if TYPE_CHECKING:  # loads pandas
    from voxpolis.analysis.model_table import Cell

SUITES = Path(__file__).parent / "suites"
# The file in the folder of a row that identifies the row.
MODEL = "model.json"
# The file in the folder of a game with what its failed runs used.
LOST = "lost.json"
# Minds that need no model, with the options that choose them. A game without the kind of agent is
# not played.
MINDS: Mapping[str, Mapping[str, Any]] = {
    "scripted": {"mind": "scripted"},
    "random": {"agent": "random"},
}


class Entry(BaseModel):
    """A game of a suite.

    Attributes:
        name: title of the column.
        scenario: name of the scenario.
        options: options of the scenario's command.
        measure: path of the reported measure in a result.
        unit: unit of the measure, in words.
    """

    model_config = ConfigDict(extra="forbid")

    name: str
    scenario: str
    options: dict[str, Any]
    measure: str
    unit: str


@dataclass
class Playing:
    """One game of a row, with the sweep that plays the game, and the jobs that are left to play."""

    entry: Entry
    sweep: Sweep
    purchases: Sequence[Purchase] = ()
    jobs: Sequence[Job] = ()


EXAMPLES = """\b
Examples:
  python -m experiments model-table --mind scripted
  python -m experiments model-table --model gpt-4o-mini --estimate
  python -m experiments model-table --model gpt-4o-mini --budget '$5'
  python -m experiments model-table --models qwen.yaml --base-url http://HOST:8000/v1"""


@click.command(name="model-table", epilog=EXAMPLES)
@click.option("--suite", default="core", help="Name of a suite, or a YAML file with one.")
@click.option("--runs", type=click.IntRange(1, 1000), default=5, help="Number of seeds per game.")
@click.option("--name", help="Name of the row; default: the name of the model.")
@click.option("--model", help="Name of the model.")
@click.option("--models", type=click.Path(path_type=Path), help="Models file; see docs.")
@click.option("--base-url", help="Address of an OpenAI-compatible endpoint.")
@click.option("--prices", type=click.Path(path_type=Path), help="File with prices per token.")
@click.option("--concurrency", type=click.IntRange(min=1), help="Calls at once.")
@click.option("--request-timeout", type=float, help="Seconds to wait for an answer.")
@click.option("--mind", type=click.Choice([*MINDS]), help="A row without a model.")
@click.option("--budget", help="Limit of what this command spends in all its runs.")
@click.option("--estimate", is_flag=True, help="Print the expected price instead of playing.")
@click.option("--yes", is_flag=True, help="Agree to pay for a language model.")
@click.option("--workers", type=click.IntRange(min=1), default=1, help="Runs at once, if free.")
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("tables/models"), help="Folder."
)
@click.option("--json", "as_json", is_flag=True, help="Print the table as a JSON object.")
def model_table(
    suite: str,
    runs: int,
    name: str | None,
    mind: str | None,
    budget: str | None,
    estimate: bool,
    yes: bool,
    workers: int,
    out: Path,
    as_json: bool,
    **asked: Any,
) -> None:
    """Play a suite of games with one model, and add a row to a table of models.

    The same command continues an interrupted row. Every cell is a mean over seeds with its 95 %
    interval. If a run fails, or if something that its condition promises does not happen, the cell
    is a mean over fewer seeds, and the exit code is 1.
    """
    from voxpolis.analysis.model_table import Row, print_table, write_row  # noqa: PLC0415 - loads pandas

    signal.signal(signal.SIGTERM, signal.default_int_handler)  # treat SIGTERM as an interrupt
    try:
        title = name or mind or asked["model"] or _model_in(asked["models"])
        if mind is None and title is None:
            raise UsageError("name a model with --model or --models, or use --mind scripted")
        if mind is not None and any(asked.values()):
            raise UsageError("--mind needs no model: leave out the options of the model")
        games_of = read_suite(suite)
        if estimate:
            _print_estimate(title, games_of, runs, asked)
            sys.exit(DONE)
        folder = out / "rows" / re.sub(r"[^\w.-]+", "-", str(title))
        games = list(_games(games_of, folder, runs, mind, asked))
        purchases = [one for game in games for one in game.purchases]
        model = _model_of(mind, purchases)
        endpoints = sorted({one for each in purchases for one in each.choice.endpoints})
        row = {**model, "endpoints": endpoints, "runs": runs}
        _refuse_another_row(folder, row)
        agree("model-table", purchases, {"yes": yes, "budget": budget, **asked})
        left, cells = None if budget is None else _parse(budget), {}
        for game in games:
            game.jobs = game.sweep.open()
        if any(game.jobs for game in games):
            check_endpoints(purchases)
        folder.mkdir(parents=True, exist_ok=True)
        (folder / MODEL).write_text(json.dumps(row, indent=1) + "\n", encoding="utf-8")
        for game in games:
            game.sweep.begin()
            left = _play(game, left, workers)
            # An interrupted row shows the games that were played.
            cells[game.entry.name] = _cell(game)
            kind = mind or "language model"
            write_row(folder, Row(str(title), suite, kind, model, runs, _now(), cells))
    except (UsageError, RuntimeError, OSError) as error:
        say_error(error)
        sys.exit(USAGE if isinstance(error, UsageError) else FAILED)
    except KeyboardInterrupt:
        print("interrupted; the same command continues from here", file=sys.stderr)
        sys.exit(INTERRUPTED)
    print_table([out], as_json=as_json)
    failed = {f"{g.entry.name}: {job}": why for g in games for job, why in g.sweep.failed.items()}
    for job, why in failed.items():
        say_error(f"{job}: {why}")
    sys.exit(FAILED if failed else DONE)


def read_suite(suite: str) -> list[Entry]:
    """Return the games of a shipped suite or of a file.

    Raises:
        UsageError: there is no such suite, or the file is not one.
    """
    shipped = SUITES / f"{suite}.yaml"
    path = shipped if shipped.exists() else Path(suite)
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
        entries = TypeAdapter(list[Entry]).validate_python(found)
    except OSError as error:
        known = ", ".join(sorted(one.stem for one in SUITES.glob("*.yaml")))
        raise UsageError(f"--suite {suite}: {error.strerror}; shipped: {known}") from error
    except ValidationError as error:
        raise UsageError(f"--suite {suite}: {describe_errors(error)}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"--suite {suite}: {one_line(str(error))}") from error
    names = [entry.name for entry in entries]
    if not names or len(set(names)) < len(names):
        raise UsageError(f"--suite {suite}: its games must have different names")
    fixed = {"runs", "seed", "world"}
    if wrong := [entry.name for entry in entries if fixed & entry.options.keys()]:
        raise UsageError(f"--suite {suite}: {wrong[0]}: the table sets {', '.join(sorted(fixed))}")
    return entries


def _model_in(path: Path | None) -> str | None:
    """Return the name of the default model in a models file."""
    if path is None:
        return None
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"--models {path}: {one_line(str(error))}") from error
    named = value_at(found, "default.model")
    return str(named) if named else path.stem


def _games(
    suite: Sequence[Entry], folder: Path, runs: int, mind: str | None, asked: Mapping[str, Any]
) -> Iterator[Playing]:
    """Yield the games of the suite that the mind can play, after checking all options."""
    fixed = dict(MINDS[mind]) if mind else {}
    typed = {name: (str(value),) for name, value in asked.items() if value is not None}
    for entry in suite:
        scenario = registry.scenario(entry.scenario)
        if mind == "random" and "random" not in scenario.worlds["grid"]:
            continue
        name = re.sub(r"[^\w ]+", "", entry.name)
        plan = SweepPlan(
            scenario=entry.scenario,
            seeds=runs,  # type: ignore[arg-type]  # a number of seeds becomes a list
            conditions={name: {**entry.options, **fixed}},
            measures=[entry.measure],
            retries=0,
        )
        purchases = plan.check(folder, typed)
        is_paid = any(one.choice.is_paid for one in purchases)
        yield Playing(entry, Sweep(plan, folder / name.replace(" ", "_"), is_paid), purchases)


def _play(game: Playing, left: Budget | None, workers: int) -> Budget | None:
    """Play the jobs that are left, and return what is left of the budget.

    With a budget, the runs are played one at a time, and each may spend what is left.
    """

    def take(outcome: Outcome) -> bool:
        nonlocal left
        if left is not None:
            unknown = outcome.usage is None  # the job was killed, and may have spent everything
            left = Budget(0.0, left.unit) if unknown else left.less(outcome.usage or {})
        if outcome.result is None:
            _note_lost(game, outcome)
        again = game.sweep.take(outcome)
        state = "failed" if outcome.result is None else "done"
        print(f"{game.entry.name}, seed {outcome.job.seed}: {state}", file=sys.stderr)
        return again

    with local(workers if left is None else 1, None) as play:
        for batch in [game.jobs] if left is None else [[job] for job in game.jobs]:
            if left is not None and left.amount <= 0:
                for job in batch:
                    game.sweep.failed[job.name] = "the budget of this command is spent"
            elif batch:
                play(
                    [_with(job, [] if left is None else ["--budget", str(left)]) for job in batch],
                    take,
                )
    return left


def _parse(budget: str) -> Budget:
    try:
        return Budget.parse(budget)
    except ValueError as error:
        raise UsageError(f"--budget: {error}") from error


def _with(job: Job, words: Sequence[str]) -> Job:
    return Job(job.condition, job.seed, (*job.arguments, *words), job.imports)


def _model_of(mind: str | None, purchases: Sequence[Purchase]) -> dict[str, Any]:
    """Return the kind of mind or the model settings that identify a row (not its endpoint)."""
    settings = purchases[0].choice.settings.model_dump(mode="json", exclude_defaults=True)
    return {"mind": mind} if mind else {"models": settings}


def _refuse_another_row(folder: Path, row: Mapping[str, Any]) -> None:
    """Check that a folder has no runs of another row of the table.

    Raises:
        UsageError: the folder contains runs of another model or endpoint, or more runs than the
            row asks for.
    """
    path = folder / MODEL
    if path.exists():
        before = dict(read_object(path))
        if before.pop("runs", 0) > row["runs"]:
            raise UsageError(f"{folder} has more runs: raise --runs, or use another --out")
        if before != {key: value for key, value in row.items() if key != "runs"}:
            raise UsageError(
                f"{folder} has runs of another model or endpoint: use another --name or --out"
            )


def _note_lost(game: Playing, outcome: Outcome) -> None:
    """Store the usage of a failed run in a file, because the result of a failed run is not
    stored.
    """
    path = game.sweep.folder / LOST
    lost = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    decisions = (outcome.unfinished or {}).get("decisions", {})
    lost.append({"usage": outcome.usage or {}, "decisions": decisions})
    path.write_text(json.dumps(lost), encoding="utf-8")


def _cell(game: Playing) -> Cell:
    """Return a game's cell of the table: the measure for each seed, and what all runs have used."""
    from voxpolis.analysis.model_table import Cell  # noqa: PLC0415 - loads pandas

    results = [*game.sweep.results.values()]
    values = {
        str(result["seed"]): float(value)
        for result in results
        if is_number(value := value_at(result, game.entry.measure))
    }
    if results and not values:
        measure = game.entry.measure
        game.sweep.failed[f"measure {measure}"] = "it is missing in all results"
    path = game.sweep.folder / LOST
    lost = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    played = results + lost
    decisions = [one.get("decisions", {}) for one in played]
    usage = [one["usage"] for one in played if one.get("usage")]
    costs = [one.get("cost") for one in usage]
    return Cell(
        measure=game.entry.measure,
        unit=game.entry.unit,
        options=game.entry.options,
        values=values,
        asked=sum(one.get("asked", 0) for one in decisions),
        failed=sum(one.get("failed", 0) for one in decisions),
        tokens=sum(one.get("prompt_tokens", 0) + one.get("completion_tokens", 0) for one in usage),
        dollars=None if None in costs or not costs else float(sum(filter(None, costs))),
        seconds=round(sum(map(_seconds, results)), 1),
        records=[str(result["run_dir"]) for result in results],
        lost=len(lost),
    )


def _seconds(result: Mapping[str, Any]) -> float:
    """Return how long a run took on the wall clock, from its record."""
    folder = Path(result["run_dir"])
    try:
        began = datetime.fromisoformat(str(read_record(folder).manifest["started"]))
        return (folder / "result.json").stat().st_mtime - began.timestamp()
    except (OSError, ValueError, KeyError):
        return 0.0


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d")


def _print_estimate(
    title: object, suite: Sequence[Entry], runs: int, asked: Mapping[str, Any]
) -> None:
    """Print the expected price of each game and of the whole row."""
    prices: dict[str, float | None] = {}
    for entry in suite:
        scenario = registry.scenario(entry.scenario)
        options = {**entry.options, "world": "grid", "runs": 1}
        options |= {key: str(value) for key, value in asked.items() if value is not None}
        values = parse_line(scenario, command_words(scenario, options))
        prices[entry.name] = expected_dollars(scenario, values, runs)
        price = prices[entry.name]
        print(f"{entry.name}: {'unknown' if price is None else f'${price:.2f}'}", flush=True)
    known = [price for price in prices.values() if price is not None]
    if len(known) < len(prices):
        print(f"{title}: the price is unknown; name the model's price with --prices")
    else:
        print(f"{title}: about ${sum(known):.2f} for {runs} seeds of each game")
