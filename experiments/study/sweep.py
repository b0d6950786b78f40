"""Sweeps, which play every condition of a scenario with every seed. Several workers play, and a
sweep can be continued after an interruption.

A plan is a YAML file::

    scenario: double_vein
    world: grid                  # or minecraft: each worker starts its own server
    seeds: 5                     # 0 to 4; or a list
    options: {rounds: 8}         # options of the scenario's command, for all conditions
    conditions:
      none: {contract: none}
      one: {contract: "1"}

Play it with ``python -m experiments sweep plan.yaml``. The same command continues an interrupted
sweep.
"""

from __future__ import annotations

import json
import re
import signal
import statistics
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import click
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeInt,
    PrivateAttr,
    ValidationError,
    field_validator,
)
from rich.table import Table

from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import check_line, parse_line, purchase
from voxpolis.experiments.run.earlier import read_config, refuse_untyped
from voxpolis.experiments.run.endings import DONE, FAILED, INTERRUPTED, USAGE
from voxpolis.experiments.run.measured import is_number, value_at
from voxpolis.experiments.run.options import MAX_RUNS, UsageError, fields_by_name, given
from voxpolis.experiments.run.scenario import Scenario
from voxpolis.experiments.run.spending import Purchase, agree, check_endpoints
from voxpolis.experiments.run.tables import measure_cells, print_differences
from voxpolis.experiments.study.job_host import needed_by
from voxpolis.experiments.study.sweep_workers import (
    Engine,
    Job,
    Outcome,
    ServerOptions,
    local,
    on_ray,
)
from voxpolis.records.console import plain_console, print_whole
from voxpolis.records.files import MAX_BYTES, read_bytes, unlinked
from voxpolis.records.lines import parse_json
from voxpolis.records.text import one_line, say_error

ENGINES = ("local", "ray")


class ServerPlan(BaseModel):
    """The servers of the workers: embedded servers, or servers that are already running."""

    model_config = ConfigDict(extra="forbid")

    running: list[str] = Field(
        default=[],
        description="State folders (VOXPOLIS_SERVER) of running servers, Paper or not: one per "
        "worker, which then starts none.",
    )
    speed: float = Field(default=5.0, gt=0)
    terrain: Literal["superflat", "natural"] = "superflat"


class SweepPlan(BaseModel):
    """The plan of a sweep."""

    model_config = ConfigDict(extra="forbid")

    scenario: str
    world: Literal["grid", "minecraft"] = "grid"
    seeds: list[NonNegativeInt] = Field(min_length=1)
    conditions: dict[str, dict[str, Any]] = Field(min_length=1)
    options: dict[str, Any] = {}
    measures: list[str] = []
    retries: int = Field(default=1, ge=0, description="Retries of a failed job.")
    server: ServerPlan = ServerPlan()
    # Additional command-line words for the jobs of each condition.
    _more: dict[str, list[str]] = PrivateAttr(default_factory=dict)

    @field_validator("conditions")
    @classmethod
    def _have_names(cls, value: Any) -> Any:
        for name in value:  # file names contain them
            if not re.fullmatch(r"\w[\w .,+=-]{0,99}", name):
                raise ValueError(
                    f"{name!r} must consist of letters, digits, spaces and . , + = - _"
                )
        return value

    @field_validator("seeds", mode="before")
    @classmethod
    def _count(cls, value: Any) -> Any:
        if not isinstance(value, int):
            return value
        if value > MAX_RUNS:
            raise ValueError(f"at most {MAX_RUNS}")
        return list(range(value))

    @field_validator("scenario")
    @classmethod
    def _known(cls, value: str) -> str:
        if value not in registry.names():
            raise ValueError(f"there is no {value!r}; choose from {', '.join(registry.names())}")
        return value

    def check(self, path: Path, typed: Mapping[str, Sequence[str]] = {}) -> list[Purchase]:
        """Check the options of each condition before play. Return the runs that the user must agree
        to pay for.

        Some options in a plan, such as endpoints and budgets, must also be typed on the command
        line. Typed options that the plan does not contain are added: a budget to jobs with language
        models, and other options to all jobs.

        Raises:
            UsageError: an option is invalid. The message names the condition.
        """
        experiment = registry.scenario(self.scenario)
        fields = fields_by_name(experiment.options)
        named = {fields.get(key.replace("_", "-"), key) for key in self.options}
        for own in self.conditions.values():
            named |= {fields.get(key.replace("_", "-"), key) for key in own}
        lacking = {name: given[-1] for name, given in typed.items() if given and name not in named}
        budget = lacking.pop("budget", None)
        purchases = []
        for name, own in self.conditions.items():
            shared = {"runs": 1, "seed": self.seeds[0], "world": self.world}
            words = command_words(experiment, shared, lacking, self.options, own)
            more = command_words(experiment, lacking)
            try:
                _refuse_untyped(str(path), experiment, parse_line(experiment, words), typed)
                params, run = check_line(experiment, words)
                if budget is not None and run.choice.is_language_model:
                    more += ["--budget", budget]
                    params, run = check_line(experiment, [*words, "--budget", budget])
                has_flat_land = self.server.terrain == "superflat" and not self.server.running
                if run.prepared.needs_land and has_flat_land:
                    raise UsageError("it needs natural terrain; add server: {terrain: natural}")
            except UsageError as error:
                raise UsageError(f"{path}: conditions.{name}: {error}") from error
            self._more[name] = more
            purchases.append(purchase(experiment, params, run, len(self.seeds)))
        return purchases

    def jobs(self, folder: Path) -> list[Job]:
        """Return all runs of the plan: every condition with every seed."""
        found, experiment = [], registry.scenario(self.scenario)
        for name, own in self.conditions.items():
            for seed in self.seeds:
                shared: dict[str, Any] = {"runs": 1, "seed": seed, "world": self.world}
                shared["out"] = str(folder / "runs" / f"{name}-{seed}")
                words = command_words(experiment, shared, self.options, own)
                module = ("-m", "voxpolis", *experiment.called, "--json", "--yes")
                imports = needed_by(experiment, self.world)
                words += self._more.get(name, [])
                found.append(Job(name, seed, (*module, *words), imports))
        return found


def _refuse_untyped(
    source: str,
    experiment: type[Scenario],
    parsed: Mapping[str, Any],
    typed: Mapping[str, Sequence[str]],
) -> None:
    """Refuse a plan that sets options which the user must also type on the command line, but did
    not.

    The check uses parsed values, so the spelling of options in the plan does not matter.
    """
    if parsed.get("yes"):
        raise UsageError("yes is not allowed in a file: type --yes")
    held = given(experiment.options, parsed)
    known = {name: value for name, value in held.items() if str(value) in typed.get(name, ())}
    refuse_untyped(source, held, known, experiment.options)


def command_words(experiment: type[Scenario], *layers: Mapping[str, Any]) -> list[str]:
    """Return options as the words of a command line. An option in a later layer replaces the same
    option in an earlier layer, even if the layers use different names for the option.

    A list becomes one option per value.
    """
    fields = fields_by_name(experiment.options)
    items = (item for layer in layers for item in layer.items())
    options = {fields.get(key.replace("_", "-"), key): (key, value) for key, value in items}
    words: list[str] = []
    for key, value in options.values():
        name = f"--{key.replace('_', '-')}"
        for one in value if isinstance(value, list) else [value]:
            words += [name] if one is True else [] if one is False else [name, str(one)]
    return words


@dataclass
class Sweep:
    """A sweep in progress: the plan, and a folder that contains one file per finished job."""

    plan: SweepPlan
    folder: Path
    # Whether jobs cost money. Such jobs are not retried, because each attempt gets a new budget.
    is_paid: bool = False
    results: dict[str, dict[str, Any]] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    tried: dict[str, int] = field(default_factory=dict)

    def open(self) -> list[Job]:
        """Read the results of finished jobs, and return the other jobs. Write nothing.

        Raises:
            UsageError: the folder belongs to another plan.
        """
        told = self.plan.model_dump(mode="json")
        path = self.folder / "plan.json"
        try:
            if path.exists() and not _is_extension(read_object(path), told):
                raise UsageError(f"{self.folder} belongs to another plan; use another --out")
        except OSError as error:
            raise UsageError(f"cannot use {self.folder}: {error}") from error
        except ValueError as error:
            raise UsageError(f"cannot use {path}: {one_line(str(error))}") from error
        jobs = self.plan.jobs(self.folder.absolute())
        for job in jobs:
            self._read_done(job)
        return [job for job in jobs if job.name not in self.results]

    def begin(self) -> None:
        """Create the folder of the sweep, and write the plan into it.

        Raises:
            UsageError: the folder cannot be written.
        """
        try:
            (self.folder / "results").mkdir(parents=True, exist_ok=True)
            _write(self.folder / "plan.json", self.plan.model_dump(mode="json"))
        except OSError as error:
            raise UsageError(f"cannot use {self.folder}: {error}") from error

    def _read_done(self, job: Job) -> None:
        """Read the result of a job. A damaged result is reported and ignored."""
        measures = registry.scenario(self.plan.scenario).measures
        done = self._path(job)
        try:
            self.results[job.name] = read_result(done, job, measures)
        except FileNotFoundError:
            return
        except OSError as error:
            raise UsageError(f"cannot use {done}: {error.strerror or error}") from error
        except ValueError as error:
            said = f"{done} is unusable, so {job.name} is played again: {error}"
            print(f"warning: {one_line(said)}", file=sys.stderr)

    def _path(self, job: Job) -> Path:
        return self.folder / "results" / f"{job.name}.json"

    def take(self, outcome: Outcome) -> bool:
        """Store the outcome of a job. Return whether the job should be tried again."""
        name = outcome.job.name
        if outcome.result is not None:
            _write(self._path(outcome.job), outcome.result)
            self.results[name] = outcome.result
            return False
        self.tried[name] = self.tried.get(name, 0) + 1
        if self.tried[name] <= self.plan.retries and not self.is_paid:
            return True
        lines = outcome.said.strip().splitlines()
        self.failed[name] = lines[-1] if lines else "it said nothing"
        return False

    def summary(self) -> dict[str, Any]:
        """Return the measures by condition, and their differences from the first condition."""
        from voxpolis.analysis.comparing import differences  # noqa: PLC0415 - loads pandas

        measures = self.plan.measures or list(registry.scenario(self.plan.scenario).measures)
        conditions = {
            variant: {measure: self._spread(name, measure, variant) for measure in measures}
            for name in self.plan.conditions
            for variant in self._variants(name)
        }
        for measure in measures:
            if self.results and not any(found[measure]["n"] for found in conditions.values()):
                self.failed.setdefault(f"measure {measure}", "it is missing in all results")
        minds = sorted({str(result.get("mind")) for result in self.results.values()})
        return {
            "scenario": self.plan.scenario,
            "world": self.plan.world,
            "minds": minds,
            "conditions": conditions,
            "differences": differences(
                {
                    name: {measure: one["values"] for measure, one in found.items()}
                    for name, found in conditions.items()
                }
            ),
            "failed": self.failed,
        }

    def _variants(self, condition: str) -> list[str]:
        """Return the variants that were played of a condition, such as ``full-anti``.

        For a condition without variants, return the name that the plan gives to the condition.
        """
        results = [self.results.get(f"{condition}-{seed}", {}) for seed in self.plan.seeds]
        names = dict.fromkeys(name for one in results for name in one.get("by_seed", {}))
        return [*names] if len(names) > 1 else [condition]

    def _spread(self, condition: str, measure: str, variant: str) -> dict[str, Any]:
        found: dict[int, Any] = {}
        for seed in self.plan.seeds:
            result = self.results.get(f"{condition}-{seed}")
            if result is not None and variant == condition:
                found[seed] = value_at(result, measure)
            elif result is not None:
                by_seed = result.get("by_seed", {}).get(variant, {})
                found[seed] = by_seed.get(measure, {}).get(str(seed))
        for seed, value in found.items():
            if value is not None and not is_number(value):
                self.failed[f"measure {measure}"] = f"it is not a number in {condition}-{seed}"
        values = {seed: float(value) for seed, value in found.items() if is_number(value)}
        from voxpolis.analysis.comparing import bootstrap  # noqa: PLC0415 - loads pandas

        listed = list(values.values())
        interval = bootstrap(listed) if listed else None
        return {
            "mean": statistics.fmean(listed) if listed else None,
            "sd": statistics.stdev(listed) if len(listed) > 1 else None,
            "low": interval.low if interval and interval.count > 1 else None,
            "high": interval.high if interval and interval.count > 1 else None,
            "n": len(listed),
            "played": len(found),
            "values": {str(seed): value for seed, value in values.items()},
        }


def _is_extension(before: Mapping[str, Any], plan: Mapping[str, Any]) -> bool:
    """Return whether the results of an earlier plan can be kept as results of a new plan.

    The new plan may have more seeds, conditions and measures.
    """
    same = ("scenario", "world", "options", "server")
    played = before.get("conditions")
    if not isinstance(played, dict):
        raise ValueError("conditions: no object")
    both = played.keys() & plan["conditions"].keys()
    return all(before.get(name) == plan[name] for name in same) and all(
        played[name] == plan["conditions"][name] for name in both
    )


def _write(path: Path, content: object) -> None:
    """Write a JSON file atomically."""
    part = path.with_suffix(".part")
    part.write_text(json.dumps(content, indent=1))
    part.replace(path)


# --- The command ----------------------------------------------------------------------------------

EXAMPLES = """\b
Example of a plan:
  scenario: double_vein
  world: grid
  seeds: 5
  conditions:
    none: {contract: none}
    one: {contract: "1"}

\b
Examples:
  python -m experiments sweep plan.yaml --workers 4
  python -m experiments sweep plan.yaml --budget '$5' --yes"""


@click.command(epilog=EXAMPLES)
@click.argument("plan", type=click.Path(path_type=Path))
@click.option(
    "--workers",
    type=click.IntRange(min=1),
    default=2,
    help="Number of jobs that are played at once. [default: 2]",
)
@click.option(
    "--engine",
    default="local",
    help="Play the jobs on this machine (local), or on a Ray cluster (ray, which needs the extra "
    "ray). [default: local]",
)
@click.option(
    "--address", help="Address of the Ray cluster. By default, Ray is started on this machine."
)
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    help="Folder of the sweep. By default, sweeps/NAME, where NAME is the name of the plan.",
)
@click.option(
    "--base-url", multiple=True, help="Confirm the endpoint in the plan, or set one for all jobs."
)
@click.option(
    "--models", multiple=True, help="Confirm the models file in the plan, or set one for all jobs."
)
@click.option(
    "--prices", multiple=True, help="Confirm the price file in the plan, or set one for all jobs."
)
@click.option(
    "--budget", multiple=True, help="Confirm the budget in the plan, or set a budget for each job."
)
@click.option("--yes", is_flag=True, help="Agree to pay for a language model, without being asked.")
@click.option("--json", "as_json", is_flag=True, help="Print a single JSON object.")
@click.option("--debug", is_flag=True, help="Show tracebacks.")
def sweep(
    plan: Path,
    workers: int,
    engine: str,
    address: str | None,
    out: Path | None,
    yes: bool,
    as_json: bool,
    debug: bool,
    **typed: Any,
) -> None:
    """Play all conditions and seeds of a plan and print a table.

    Finished jobs are kept: the same command continues an interrupted sweep. Failed jobs are
    retried, then listed; the exit code is 1 if any remain.
    """
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # treat SIGTERM as an interrupt
    try:
        found = Sweep(_read(plan), out or Path("sweeps") / plan.stem)
        purchases = found.plan.check(plan, typed)
        found.is_paid = any(purchase.choice.is_paid for purchase in purchases)
        free = "or set mind: scripted in the plan"
        agree(str(plan), purchases, {"yes": yes, "budget": typed["budget"]}, free)
        jobs = found.open()
        if jobs and engine == "local":  # other engines play on other machines
            check_endpoints(purchases)
        found.begin()
        with _engine(engine, workers, found, address) as play:
            _play(found, jobs, play)
    except (UsageError, RuntimeError, OSError) as error:
        if debug:
            raise
        say_error(error)
        sys.exit(USAGE if isinstance(error, UsageError) else FAILED)
    except KeyboardInterrupt:
        print("interrupted; the same command continues from here", file=sys.stderr)
        sys.exit(INTERRUPTED)
    summary = found.summary()
    _write(found.folder / "summary.json", summary)
    if as_json:
        print(json.dumps(summary))
    else:
        _print(found, summary)
    sys.exit(FAILED if found.failed else DONE)


def _read(path: Path) -> SweepPlan:
    try:
        return SweepPlan.model_validate(read_config(path))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        text = str(first["msg"]).removeprefix("Value error, ")
        raise UsageError(f"{path}: {place}: {text}") from error


@contextmanager
def _engine(name: str, workers: int, sweep: Sweep, address: str | None) -> Iterator[Engine]:
    plan = sweep.plan
    server = None
    if plan.world == "minecraft":
        folder = str((sweep.folder / "servers").absolute())
        running = tuple(str(Path(one).absolute()) for one in plan.server.running)
        if running and len(running) < workers:
            raise UsageError(f"{workers} workers need a server each; the plan names {len(running)}")
        server = ServerOptions(folder, plan.server.speed, plan.server.terrain, running)
    if name not in ENGINES:
        raise UsageError(f"there is no engine {name!r}; choose from {', '.join(ENGINES)}")
    made = local(workers, server) if name == "local" else on_ray(workers, server, address)
    with made as play:
        yield play


def _play(sweep: Sweep, jobs: Sequence[Job], play: Engine) -> None:
    total, began, ended = len(sweep.plan.seeds) * len(sweep.plan.conditions), time.monotonic(), 0
    if len(jobs) < total:
        print(f"{total - len(jobs)} of {total} are done already", file=sys.stderr)

    def take(outcome: Outcome) -> bool:
        nonlocal ended
        again = sweep.take(outcome)
        ended += not again
        each = (time.monotonic() - began) / max(1, ended)
        left = f"about {each * (len(jobs) - ended):.0f} s left"
        how = "failed, tried again" if again else "failed" if outcome.result is None else "done"
        told = f"{outcome.job.name}: {how} ({total - len(jobs) + ended} of {total}, {left})"
        print(told, file=sys.stderr)
        return again

    if jobs:
        play(jobs, take)


def _print(sweep: Sweep, summary: Mapping[str, Any]) -> None:
    minds = ", ".join(summary["minds"])
    table = Table(
        title=f"{sweep.plan.scenario}, {sweep.plan.world}, mind {minds}, mean [95 % interval]"
    )
    table.add_column("condition", no_wrap=True)
    measures = list(next(iter(summary["conditions"].values())))
    for name in ("n", *measures):
        table.add_column(name, justify="right", no_wrap=True)
    for name, found in summary["conditions"].items():
        values = [[*one["values"].values()] for one in found.values()]
        table.add_row(name, *measure_cells(values, next(iter(found.values()))["played"]))
    console = plain_console()
    print_whole(console, table)
    print_differences(console, summary["differences"])
    for name, said in summary["failed"].items():
        console.print(f"failed: {name}: {said}", soft_wrap=True)
    console.print(f"results: {sweep.folder}", soft_wrap=True)


# --- Result files of a sweep: checked when read, since they may be old ----------------------------

# Maximum size of a file of a sweep. Because of indentation, results are longer than in
# ``result.json``.
MOST_BYTES = 2 * MAX_BYTES


def read_object(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file of a sweep.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file does not contain a JSON object. The message is one line.
    """
    found = parse_json(read_bytes(path, MOST_BYTES, unlinked))
    if not isinstance(found, dict):
        raise ValueError("no object")
    return found


def read_result(path: Path, job: Job, measures: Sequence[str]) -> dict[str, Any]:
    """Read the result of a job from its file.

    ``measures`` are paths at which each result must contain a number or None.

    Raises:
        OSError: the file cannot be read.
        ValueError: the file is damaged, or belongs to another job. The message is one line.
    """
    try:
        found = read_object(path)
    except ValueError as error:
        raise ValueError(one_line(str(error))) from error
    words = job.arguments
    folder = Path(str(found.get("run_dir"))).parent.parent.name
    wanted = Path(_option(words, "--out")).name
    if folder != wanted:
        raise ValueError(f"it belongs to another job: its run is not in runs/{wanted}")
    if str(found.get("seed")) != _option(words, "--seed"):
        raise ValueError(f"it belongs to another job: its seed is not {_option(words, '--seed')}")
    for measure in measures:
        if not is_number(value := value_at(found, measure)) and value is not None:
            raise ValueError(f"{measure} is not a number")
    return found


def _option(words: Sequence[str], name: str) -> str:
    """Return the last value that a command line gives to an option."""
    at = len(words) - 1 - words[::-1].index(name)
    return words[at + 1]
