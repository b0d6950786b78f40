"""Plays an experiment and writes it to a run folder. The run is live, replayed, or resumed."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import inspect
import shlex
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from voxpolis import environment
from voxpolis.bots.agents.person import Seat
from voxpolis.bots.models import Account, AccountedModel, BudgetError, ChatModel, UntimedModel
from voxpolis.experiments.people.interventions import InterviewableModel, Pauses
from voxpolis.experiments.people.people import ModelWithPeople, Part, people_of, person_model
from voxpolis.experiments.run.agents import WORDLESS, kind_of, scripted, sources
from voxpolis.experiments.run.endings import (
    DONE,
    FAILED,
    FAULTS,
    describe_crash,
    describe_ending,
    describe_excluded,
    note_crash,
    note_fault,
    why_no_result,
)
from voxpolis.experiments.run.measured import by_seed
from voxpolis.experiments.run.model_choice import ModelChoice, RoutedModel
from voxpolis.experiments.run.options import MUST_BE_TYPED, RunOptions, UsageError
from voxpolis.experiments.run.progress import Progress, report_waiting
from voxpolis.experiments.run.scenario import (
    TOO_SLOW,
    Case,
    Entry,
    Result,
    Run,
    Scenario,
    checked,
    counting,
)
from voxpolis.front import as_typed
from voxpolis.records import (
    Clock,
    Record,
    ResumedWriter,
    RunWriter,
    SimulatedClock,
    events,
    new_run_folder,
    read_record,
)
from voxpolis.records.text import many, say_error
from voxpolis.records.writer import NotFiniteError
from voxpolis.server import ServerState, ping, read_state
from voxpolis.worlds.protocol import FaultError
from voxpolis.worlds.recorded import ReplayWriter
from voxpolis.worlds.server_pauses import Standstill

# Format of run.yaml; older records without it cannot be replayed.
FORMAT = 3


@dataclass
class Plan:
    """A run that is planned or in progress: what the user asked for, and the results so far."""

    experiment: type[Scenario]
    options: RunOptions
    settings: BaseModel
    world: str
    agents: Mapping[str, str]
    prepared: Scenario
    choice: ModelChoice
    server: ServerState | None
    folder: Path
    before: Record | None = None
    entries: list[Entry] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    decisions: Account = field(default_factory=Account)
    # Reasons to pause a server's game.
    standstill: Standstill = field(default_factory=Standstill)
    # Interventions: events ``intervention``.
    interventions: int = 0
    # Seats of persons with Minecraft clients, by agent.
    seats: Mapping[str, Seat] = field(default_factory=dict)
    # Agents or roles that persons answer for by forms, and the model that asks them.
    parts: Sequence[Part] = ()
    people: ChatModel | None = None
    # Number of open questions per person.
    awaited: Counter[str] = field(default_factory=Counter)
    # Completed cases, and their entries.
    cases_done: int = 0
    entries_done: int = 0
    # Whether the means of its results could be computed.
    is_summarised: bool = True
    # State that a scenario keeps between cases, such as its world.
    kept: dict[str, Any] = field(default_factory=dict)
    # Whether a signal told the run to end early.
    is_interrupted: bool = False

    @property
    def is_resumed(self) -> bool:
        """True if the run continues the record in its folder."""
        return self.options.resume is not None

    @property
    def is_simulated(self) -> bool:
        """True if the world is simulated, so that equal seeds give equal runs."""
        return self.world != "minecraft"

    def result(self, error: str | None, *, has_ended: bool = True) -> Result:
        """Return the result object, which is written to ``result.json`` and printed with
        ``--json``.

        Only the result of a run that ``has_ended`` contains the measures by seed.
        """
        try:
            summary = dict(self.prepared.summary(counting(self.entries)))
            if has_ended:
                summary["by_seed"] = by_seed(self.prepared, self.entries)
        except Exception as problem:  # the scenario's code may raise anything
            summary, self.is_summarised = {}, False
            error = error or f"the runs cannot be summarised: {describe_crash(problem)}"
        result: Result = {
            "scenario": self.experiment.name,
            "world": self.world,
            "mind": self.choice.kind,
            "agents_kinds": dict(self.agents),
            "condition": self.options.condition,
            "seed": self.options.seed,
            "run_dir": str(self.folder),
            "runs": self.entries,
            **summary,
            "decisions": self.decisions.as_json(),
            "faults": self.faults,
        }
        if self.parts:
            result["people"] = [
                name if role is None else f"{name}:{role}" for name, role in self.parts
            ]
        if self.interventions:
            result["interventions"] = self.interventions
        board = self.choice.board
        if board is not None and (board.calls or board.cut_off):
            result["usage"] = board.as_json()
        return result if error is None else {**result, "error": error}

    def so_far(self, error: str | None = None, *, has_ended: bool = False) -> Result:
        """Return the result object of an unfinished run, with the cases that are complete."""
        done = replace(self, entries=self.entries[: self.entries_done])
        whole = done.result(error, has_ended=has_ended)
        self.is_summarised = done.is_summarised
        cases = {"cases": len(self.prepared.cases), "cases_done": self.cases_done}
        return {**whole, "unfinished": True, **cases, "interrupted": self.is_interrupted}

    def manifest(self) -> dict[str, Any]:
        server = self.server
        if server is not None:
            where: Any = {"kind": server.kind, "host": server.host, "port": server.port}
            where |= {"terrain": server.terrain, "options": dict(server.options)}
        else:
            where = self.before.manifest.get("server") if self.before is not None else None
        call = as_typed(f"scenarios.{self.experiment.name}")
        return {
            "scenario": self.experiment.name,
            "format": FORMAT,
            "world": self.world,
            "config": self.settings.model_dump(mode="json"),
            "options": self.options.model_dump(mode="json", exclude=set(RunOptions.FREE)),
            "agents": dict(self.agents),
            "conditions": list(dict.fromkeys(case.condition for case in self.prepared.cases)),
            **self.sources(),
            **self.taken(),
            **self.prepared.manifest(),
            **self.choice.manifest(),
            "seed": self.options.seed,
            "runs": self.options.runs,
            "server": where,
            "command": " ".join(map(shlex.quote, [*call.split(), *sys.argv[1:]])),
        }

    def sources(self) -> dict[str, Any]:
        """Return a hash of each file of the user that defines the scenario or a kind of agent."""
        own: dict[str, type] = dict(sources(self.agents))
        if not self.experiment.__module__.startswith("voxpolis."):
            own[self.experiment.name] = self.experiment
        return {"sources": {name: source_hash(one) for name, one in own.items()}} if own else {}

    def taken(self) -> dict[str, Any]:
        """Return which interventions the run accepts, as the fields of ``run.yaml``."""
        if self.options.replay is not None:
            return {"takes": []}
        talking = {name for name, role in self.parts if role is None}
        if self.choice.is_language_model:
            talking |= {n for n, kind in self.agents.items() if kind_of(kind) not in WORDLESS}
        experiment, hears = self.experiment, self.world in self.experiment.hears
        takes = ["say", "whisper"] * hears + ["set"] * bool(experiment.changeable)
        takes += ["ask", *["interview"] * hears] if talking else []
        asked = [name for name in self.agents if name in talking - set(self.seats)]
        return {
            "takes": takes,
            "changeable": list(experiment.changeable),
            "interviewed": asked,
        }


def source_hash(kind: type) -> str:
    """Return a hash of the file that defines a class, or an empty string if there is no file."""
    try:
        return hashlib.sha256(Path(inspect.getfile(kind)).read_bytes()).hexdigest()
    except (OSError, TypeError):
        return ""


async def find_server(speed: float | None = None) -> ServerState:
    """Return the Minecraft server that was started, if it answers.

    Raises:
        UsageError: there is no server, or it runs at another speed.
    """
    state, start = read_state(), environment.how_to_start()
    if state is None:
        raise UsageError(f"no Minecraft server is running; start one with: {start}")
    host = "127.0.0.1" if state.host == "0.0.0.0" else state.host
    try:
        await ping(host, state.port)
    except (OSError, TimeoutError) as error:
        where = f"{host}:{state.port}"
        raise UsageError(
            f"the server at {where} does not answer; start it with: {start}"
        ) from error
    if speed is not None and speed != state.speed:
        again = environment.typed(f"server up --kind embedded --speed {speed:g}")
        anew = f"{environment.typed('server down')}, then {again}"
        raise UsageError(f"the running server's speed is {state.speed:g}; to change it: {anew}")
    return state


def make_folder(out: Path, name: str) -> Path:
    """Create a new run folder.

    Raises:
        UsageError: the folder cannot be created.
    """
    try:
        return new_run_folder(out, name)
    except OSError as error:
        raise UsageError(f"cannot write to {out}: {error.strerror}") from error


async def play(run: Plan) -> tuple[int, Result]:
    """Play a run. Whatever happens, the record states how the run ended.

    Returns:
        The exit code and the result object.
    """
    error: str | None = None
    reason = "interrupted"
    result: Result = {}
    clock = _clock(run)
    going = Progress(clock, len(run.prepared.cases), awaited=run.awaited)
    try:
        with _open(run, clock) as writer, going as progress:
            try:
                board = run.choice.board
                async with (
                    report_waiting(board, progress.say) if board else contextlib.nullcontext()
                ):
                    await _play_all(run, writer, clock, progress)
                reason = "done"
                if not run.choice.is_counted:
                    error = why_no_result(run.entries, run.decisions.as_json())
            except FAULTS as problem:
                reason, error = "fault", describe_ending(problem, run.before)
                if isinstance(problem, BudgetError):
                    reason = "budget"
                    error += f"; to continue: {_resuming(run)} --budget AMOUNT"
                else:
                    note_fault(writer, problem)
                if run.options.debug:
                    raise
            except (Exception, asyncio.CancelledError) as problem:
                task = asyncio.current_task()
                if isinstance(problem, asyncio.CancelledError) and task and task.cancelling():
                    # raise the error again if the run itself was cancelled; otherwise only agents'
                    # code was cancelled
                    raise
                reason, error = "fault", note_crash(writer, problem)
                if run.options.debug:
                    raise
            finally:
                writer.event(events.RunEnded, reason=reason)
                _count_interventions(run, writer, progress.say)
                run.is_interrupted = reason == "interrupted"
                is_done = reason == "done"
                result = run.result(error) if is_done else run.so_far(error, has_ended=True)
                error = result.get("error", error)
                writer.write_result(result)
    except OSError as problem:
        error = f"cannot write the record in {run.folder}: {problem.strerror}"
    except NotFiniteError as problem:
        error = str(problem)
        result = {"error": error}
    if error:
        say_error(f"the run failed: {error} (record: {run.folder})")
    return (FAILED if error else DONE), result


def _resuming(run: Plan) -> str:
    """Return the command that resumes a run, without the option for its budget."""
    fields = RunOptions.model_fields
    named = {name: getattr(run.options, name) for name in MUST_BE_TYPED if name != "budget"}
    typed = [
        f"--{name.replace('_', '-')} {shlex.quote(str(value))}"
        for name, value in named.items()
        if value not in (None, fields[name].default)
    ]
    call = as_typed(f"scenarios.{run.experiment.name}")
    return " ".join([call, f"--resume {shlex.quote(str(run.folder))}", *typed])


def _clock(run: Plan) -> Clock:
    if run.is_simulated or run.choice.is_counted:
        return SimulatedClock()
    if run.server is not None:
        return run.server.clock()
    assert run.before is not None
    return Clock(run.before.manifest.get("speed", 1.0))


def _open(run: Plan, clock: Clock) -> RunWriter:
    if run.is_resumed and run.is_simulated:
        return ResumedWriter.resume(run.folder, clock)
    if run.is_resumed:
        return RunWriter.reopen(run.folder, clock)
    if run.options.replay is not None:
        assert run.before is not None
        recorded = run.before.events
        return ReplayWriter(run.folder, run.manifest(), clock, recorded, strict=run.is_simulated)
    return RunWriter(run.folder, run.manifest(), clock)


async def _play_all(run: Plan, writer: RunWriter, clock: Clock, progress: Progress) -> None:
    goes_on = run.is_resumed and not run.is_simulated
    if goes_on:
        writer.event(events.RunResumed)
    else:
        writer.event(events.RunStarted, scenario=run.experiment.name, mind=run.choice.kind)
    if run.server is not None:
        progress.say(f"{many(len(run.agents), 'bot')} join the server")
    cases = run.prepared.cases
    done = _done(run) if goes_on else 0
    async with contextlib.AsyncExitStack() as stack:
        for number, case in enumerate(cases[done:], start=done):
            can_pause = run.is_simulated and run.options.replay is None
            pauses = Pauses(run.folder if can_pause else None, writer)
            outside = _outside(run, case, writer, pauses)
            async with outside.open():
                session = _session(run, case, outside, writer, progress, pauses, stack)
                progress.begin(number, case.condition, run.prepared.lasts_s(case))
                await _play_case(run, case, session)
            run.cases_done, run.entries_done = number + 1, len(run.entries)
            if number + 1 < len(cases):  # keep finished cases in case the run is interrupted
                writer.write_result(run.so_far(), is_final=False)


async def _play_case(run: Plan, case: Case, session: Run) -> None:
    before = len(run.entries)
    try:
        await run.prepared.play(session)
    finally:
        run.faults += [fault for fault in session.faults if fault not in run.faults]
        faulty = [e for e in run.entries[before:] if {*e.get("excluded", ())} - {TOO_SLOW}]
        excluded = describe_excluded(faulty)
        run.faults += [f"{case.condition}, seed {case.seed}: {excluded}"] if excluded else []
    if len(run.entries) == before:
        raise FaultError(f"run {case.number + 1} of {case.condition} ended without a result")


def _done(run: Plan) -> int:
    """Take over the finished cases of an interrupted run, and return their number."""
    assert run.before is not None
    so_far = run.before.result or {}
    if not so_far.get("cases_done"):
        return 0
    run.entries += so_far.get("runs", [])
    run.faults += so_far.get("faults", [])
    run.decisions.add(so_far.get("decisions", {}))
    run.cases_done, run.entries_done = int(so_far.get("cases_done", 0)), len(run.entries)
    return run.cases_done


def _outside(run: Plan, case: Case, writer: RunWriter, pauses: Pauses) -> InterviewableModel:
    """Return the model for a case. This model also carries out pauses and interviews that are
    requested from outside.
    """
    whose = f"the scripted minds of the scenario {run.experiment.name}"
    script = checked(run.prepared.script(case), Callable, whose)
    # The many calls of a society's scripted persons are not recorded: the seed reproduces them.
    is_recorded = run.choice.is_language_model or run.prepared.records_scripted_calls
    record = writer.write_call if is_recorded else None
    model = run.choice.model(script, record, announces=True)
    if run.choice.live is not None and (own := scripted(run.agents)):
        answered = replace(run.choice, live=None, recording=None).model(script, writer.write_call)
        model = RoutedModel(model, dict.fromkeys(own, answered))
    if run.parts:
        model = ModelWithPeople(model, _people(run, writer), run.parts, run.awaited)
    if run.options.wait_for_minds and run.server is not None:
        model = UntimedModel(model, run.standstill)
    within_s = run.options.answer_within
    people = {n: person_model(seat, within_s, writer.write_call) for n, seat in run.seats.items()}
    if people:
        model = RoutedModel(model, people)
    return InterviewableModel(model, run.folder, run.taken().get("interviewed", ()), writer, pauses)


def _session(
    run: Plan,
    case: Case,
    model: ChatModel,
    writer: RunWriter,
    progress: Progress,
    pauses: Pauses,
    stack: contextlib.AsyncExitStack,
) -> Run:
    return Run(
        case,
        run.options,
        run.world,
        run.agents,
        run.choice,
        AccountedModel(model, run.decisions),
        writer,
        writer.clock,
        run.folder,
        run.server,
        run.before,
        progress,
        run.seats,
        bool(run.parts),
        run.standstill,
        pauses,
        stack,
        run.prepared,
        run.entries,
        kept=run.kept,
    )


def _people(run: Plan, writer: RunWriter) -> ChatModel:
    """Return the model that stands for the people who answer web forms. All cases share this
    model.
    """
    if run.people is None:
        within_s, is_replayed = run.options.answer_within, run.options.replay is not None
        how = (run.folder, within_s, writer.write_call, run.before)
        run.people = people_of(*how, is_replayed=is_replayed)
    return run.people


def _count_interventions(run: Plan, writer: RunWriter, say: Callable[[str], None]) -> None:
    """Count and report all interventions, including those before an interruption of the run."""
    run.interventions = writer.counts["intervention"]
    if run.is_resumed:  # some interventions are only in the record, and some were repeated
        run.interventions = len(read_record(run.folder).of(events.Intervention))
    if done := run.interventions:
        say(f"{many(done, 'intervention')}: the run was influenced from outside; see its record")
