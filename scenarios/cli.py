"""The command line that all scenarios share."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Callable, Coroutine, Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
import yaml
from pydantic import BaseModel, ValidationError

from bots.models import ChatModel, ModelError, OpenAIModel, RecordedModel, ScriptedModel
from bots.models.openai_model import DEFAULT_MODEL, TIMEOUT_S
from bridge import BridgeError
from judge import Contract, ContractError, read_contract_file
from records import RunWriter, events, new_run_folder
from scenarios.experiment import Condition, Experiment, RunOutcome, summary
from scenarios.live import LiveView
from scenarios.scenario import Scenario
from scenarios.tables import print_result
from scenarios.world import FaultError, open_stage
from server import RconError, ServerState, ping, read_state

Mind = Literal["scripted", "openai"]

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


class UsageError(Exception):
    """What was asked for cannot be done; the message is one line for the user."""


def scenario_command(kind: type[Any]) -> Callable[[], None]:
    """The command of a scenario, a pydantic model that follows the Scenario protocol."""
    app = typer.Typer(pretty_exceptions_enable=False, add_completion=False, rich_markup_mode=None)

    def main(
        contract: Annotated[
            str, typer.Option(help="none, a shipped contract's name, or a text FILE.")
        ] = "none",
        mind: Annotated[
            str | None,
            typer.Option(help="scripted or openai; default: openai if OPENAI_API_KEY is set."),
        ] = None,
        runs: Annotated[int, typer.Option(min=1, help="Repetitions, each with the next seed.")] = 1,
        seed: Annotated[int, typer.Option(help="Seed of the first repetition.")] = 0,
        time_limit: Annotated[
            float | None, typer.Option(help="Seconds an episode may take.")
        ] = None,
        settings: Annotated[
            list[str] | None,
            typer.Option("--set", metavar="KEY=VALUE", help="Vary a field, e.g. max_attempts=2."),
        ] = None,
        config: Annotated[
            Path | None, typer.Option(help="YAML file with fields of the scenario.")
        ] = None,
        model: Annotated[
            str | None, typer.Option(help=f"Model name (OPENAI_MODEL, else {DEFAULT_MODEL}).")
        ] = None,
        base_url: Annotated[
            str | None, typer.Option(help="Any OpenAI-compatible endpoint (OPENAI_BASE_URL).")
        ] = None,
        request_timeout: Annotated[
            float, typer.Option(min=0.1, help="Seconds the endpoint has for an answer.")
        ] = TIMEOUT_S,
        as_json: Annotated[
            bool, typer.Option("--json", help="Print one JSON object only.")
        ] = False,
        out: Annotated[Path, typer.Option(help="Folder for run folders.")] = Path("runs"),
        debug: Annotated[bool, typer.Option(help="Show tracebacks.")] = False,
    ) -> None:
        try:
            scenario = _configure(kind, config, settings or [], time_limit)
            agreed = _choose_contract(scenario, contract)
            if _choose_mind(mind) == "scripted":
                chosen: ChatModel = ScriptedModel(scenario.script(agreed))
            else:
                chosen = _openai(model, base_url, request_timeout)
            condition = Condition(agreed, _choose_mind(mind), chosen, seed, runs)
            state = asyncio.run(_find_server())
            folder = _make_folder(out, scenario.name)
        except UsageError as error:
            raise _fail(str(error), USAGE, debug) from error
        if not as_json:
            _announce(condition, state, folder)
        code = _run_to_end(_execute(scenario, condition, state, folder, as_json, debug), debug)
        raise typer.Exit(code)

    app.command(help=_help_text(kind))(main)
    return app


def _help_text(kind: type[Any]) -> str:
    """What ``--help`` says above the options: what is played, contracts, settings, examples."""
    story = (sys.modules[kind.__module__].__doc__ or "").split("\n\nRun it")[0]
    call = f"python -m scenarios.{kind.name}"
    settings = [f"  {key}={value}" for key, value in _flat(kind().model_dump(mode="json"))]
    return "\n\n".join(
        [
            story,
            f"Contracts: {', '.join(kind().contracts())}, or a text FILE with your own words.",
            "\b\nSettings for --set and --config, with their defaults:\n" + "\n".join(settings),
            f"\b\nExamples:\n  {call} --contract 1\n  {call} --runs 10 --seed 5 --json\n"
            f"  {call} --set max_attempts=2 --time-limit 60",
        ]
    )


def _flat(fields: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in fields.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def _configure(
    kind: Callable[..., Any], config: Path | None, settings: list[str], time_limit: float | None
) -> Any:
    """The scenario from a YAML file, ``--set`` and ``--time-limit``, later ones winning."""
    fields = _read_config(config) if config else {}
    for setting in settings:
        key, separator, text = setting.partition("=")
        if not separator:
            raise UsageError(f"--set takes KEY=VALUE, not {setting!r}")
        _assign(fields, key.strip(), text)
    if time_limit is not None:
        fields["time_limit_s"] = time_limit
    try:
        return kind(**fields)
    except ValidationError as error:
        raise UsageError(_explain(kind, error)) from error


def _read_config(path: Path) -> dict[str, Any]:
    try:
        found = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not YAML: {str(error).splitlines()[0]}") from error
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found):
        raise UsageError(f"{path} must hold fields and values, such as: time_limit_s: 60")
    return found


def _assign(fields: dict[str, Any], key: str, text: str) -> None:
    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise UsageError(f"--set {key}: {text!r} is not a YAML value") from error
    *path, last = key.split(".")
    for part in path:
        fields = fields.setdefault(part, {})
        if not isinstance(fields, dict):
            raise UsageError(f"--set {key}: {part} has no fields")
    fields[last] = value


def _explain(kind: Callable[..., Any], error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    if (
        first["type"] == "extra_forbidden"
        and isinstance(kind, type)
        and issubclass(kind, BaseModel)
    ):
        return f"there is no setting {place!r}; there are: {', '.join(kind.model_fields)}"
    return f"setting {place}: {first['msg']} (found {first['input']!r})"


def _choose_contract(scenario: Scenario, name: str) -> Contract:
    shipped = scenario.contracts()
    if name in shipped:
        return shipped[name]
    path = Path(name)
    if not path.exists() and path.suffix == "" and os.sep not in name:
        raise UsageError(
            f"there is no contract {name!r}; there are: {', '.join(shipped)}, or a FILE"
        )
    try:
        return read_contract_file(path)
    except ContractError as error:
        raise UsageError(str(error)) from error


def _choose_mind(mind: str | None) -> Mind:
    if mind == "scripted" or (mind is None and not os.environ.get("OPENAI_API_KEY")):
        return "scripted"
    if mind in (None, "openai"):
        return "openai"
    raise UsageError(f"there is no mind {mind!r}; there are: scripted, openai")


def _openai(model: str | None, base_url: str | None, timeout_s: float) -> ChatModel:
    name = model or os.environ.get("OPENAI_MODEL") or DEFAULT_MODEL
    try:
        return OpenAIModel(name, base_url=base_url, timeout_s=timeout_s)
    except ModelError as error:
        raise UsageError(str(error)) from error


async def _find_server() -> ServerState:
    """The server that was started, answering."""
    state = read_state()
    if state is None:
        raise UsageError("no Minecraft server is running; start one with: make server")
    host = "127.0.0.1" if state.host == "0.0.0.0" else state.host
    try:
        await ping(host, state.port)
    except (OSError, TimeoutError) as error:
        hint = "start it with: make server"
        raise UsageError(f"the server at {host}:{state.port} does not answer; {hint}") from error
    return state


def _make_folder(out: Path, name: str) -> Path:
    try:
        return new_run_folder(out, name)
    except OSError as error:
        raise UsageError(f"cannot write to {out}: {error.strerror}") from error


def _announce(condition: Condition, state: ServerState, folder: Path) -> None:
    contract = condition.contract.name
    lines = [f"mind: {condition.mind}    contract: {contract}    record: {folder}"]
    if condition.mind == "scripted":
        lines.append("Scripted minds: programs written beforehand, no language model is asked.")
        if condition.contract.text and condition.contract.rule is None:
            lines.append("They cannot read a contract in free words: they play greedily under it,")
            lines.append("and nobody can judge it, so nothing will be transferred.")
    if state.speed != 1:
        lines.append(f"The game's clock runs {state.speed:g} times as fast; all times are its.")
    print("\n".join(lines), file=sys.stderr)


def _run_to_end(main: Coroutine[Any, Any, int], debug: bool) -> int:
    """Run, with Ctrl-C and a polite kill both ending the run in order."""
    try:
        return asyncio.run(_cancellable(main))
    except (KeyboardInterrupt, asyncio.CancelledError):
        print("interrupted; the record holds what happened so far", file=sys.stderr)
        return INTERRUPTED


async def _cancellable(main: Coroutine[Any, Any, int]) -> int:
    task = asyncio.ensure_future(main)
    with contextlib.suppress(NotImplementedError):
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    return await task


async def _execute(
    scenario: Scenario,
    condition: Condition,
    state: ServerState,
    folder: Path,
    as_json: bool,
    debug: bool,
) -> int:
    """Run the experiment; whatever happens, the record says how it ended."""
    outcomes: list[RunOutcome] = []
    error: str | None = None
    reason = "interrupted"
    try:
        manifest = _manifest(scenario, condition, state)
        with RunWriter(folder, manifest, state.clock()) as writer:
            try:
                await _play_all(scenario, condition, state, writer, outcomes)
                reason = "done"
            except (FaultError, ModelError, BridgeError, RconError) as problem:
                reason, error = "fault", str(problem)
                _note_fault(writer, problem)
                if debug:
                    raise
            finally:
                writer.event(events.RunEnded, reason=reason)
                result = summary(scenario, condition, str(folder), outcomes, error)
                writer.write_result(result)
    except OSError as problem:
        return _report(f"cannot write the record in {folder}: {problem.strerror}", folder)
    if as_json:
        print(json.dumps(result))
    elif outcomes:
        print_result(scenario, result)
    return _report(error, folder) if error else DONE


async def _play_all(
    scenario: Scenario,
    condition: Condition,
    state: ServerState,
    writer: RunWriter,
    outcomes: list[RunOutcome],
) -> None:
    writer.event(events.RunStarted, scenario=scenario.name, mind=condition.mind)
    contract = condition.contract
    writer.event(events.ContractAgreed, name=contract.name, text=contract.text)
    recorded = RecordedModel(condition.model, writer.write_call)
    condition = Condition(contract, condition.mind, recorded, condition.seed, condition.runs)
    title = f"{scenario.name} · contract {contract.name} · mind {condition.mind}"
    async with open_stage(state, writer, scenario.agents) as stage:
        with LiveView(title, scenario.agents, stage.seen) as live:
            experiment = Experiment(scenario, condition, stage, live)
            for number in range(condition.runs):
                outcomes.append(await experiment.run(number))


def _manifest(scenario: Any, condition: Condition, state: ServerState) -> dict[str, Any]:
    return {
        "scenario": scenario.name,
        "config": scenario.model_dump(mode="json"),
        "contract": {"name": condition.contract.name, "text": condition.contract.text},
        "mind": condition.mind,
        "model": getattr(condition.model, "model", "scripted"),
        "seed": condition.seed,
        "runs": condition.runs,
        "server": {"kind": state.kind, "host": state.host, "port": state.port},
        "command": sys.argv,
    }


def _note_fault(writer: RunWriter, problem: Exception) -> None:
    """Record the faults that no part recorded itself."""
    if isinstance(problem, ModelError):
        writer.event(events.Fault, where="model", message=str(problem))
    elif isinstance(problem, BridgeError):
        writer.event(events.Fault, where="bridge", message=str(problem))
    elif isinstance(problem, RconError):
        writer.event(events.Fault, where="server", message=str(problem))


def _report(error: str, folder: Path) -> int:
    print(f"error: the run failed: {error} (record: {folder})", file=sys.stderr)
    return FAILED


def _fail(text: str, code: int, debug: bool) -> typer.Exit:
    if debug:
        raise RuntimeError(text)
    print(f"error: {text}", file=sys.stderr)
    return typer.Exit(code)
