"""What the commands of all scenarios share: settings, minds, the server, how a run ends."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import sys
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml
from pydantic import BaseModel, ValidationError

from bots.models import BudgetError, ModelError
from bots.models.settings import DEFAULT_MODEL
from bridge import BridgeError
from records import RunWriter, events, new_run_folder
from scenarios.usage import UsageError
from scenarios.world import FaultError
from server import RconError, ServerState, ping, read_state

# --- Options that all commands have ---------------------------------------------------------------

MindOption = Annotated[
    str | None,
    typer.Option(help="scripted or openai; default: openai if OPENAI_API_KEY is set."),
]
SettingsOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="KEY=VALUE", help="Vary a field; the fields are listed above."),
]
ConfigOption = Annotated[Path | None, typer.Option(help="YAML file with fields of the scenario.")]
ModelOption = Annotated[
    str | None, typer.Option(help=f"Model name (OPENAI_MODEL, else {DEFAULT_MODEL}).")
]
BaseUrlOption = Annotated[
    str | None, typer.Option(help="Any OpenAI-compatible endpoint (OPENAI_BASE_URL).")
]
TimeoutOption = Annotated[
    float, typer.Option(min=0.1, help="Seconds the endpoint has for an answer.")
]
ModelsOption = Annotated[
    Path | None, typer.Option(help="YAML file with models and parameters by role.")
]
ConcurrencyOption = Annotated[
    int, typer.Option(min=1, help="Calls to the endpoint that may be under way at once.")
]
BudgetOption = Annotated[
    str | None,
    typer.Option(
        help='Ends the run before it is passed: "2.5 dollars", "1000 calls", "1e6 tokens".'
    ),
]
PricesOption = Annotated[
    Path | None, typer.Option(help="YAML file with dollars per million tokens by model.")
]
ReplayOption = Annotated[
    Path | None, typer.Option(help="Answer from a recorded run's folder, without key or network.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print one JSON object only.")]
OutOption = Annotated[Path, typer.Option(help="Folder for run folders.")]
DebugOption = Annotated[bool, typer.Option(help="Show tracebacks.")]


#: Calls under way at once, where nobody says otherwise.
CONCURRENCY = 16

DONE, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def settings_help(model: BaseModel) -> str:
    """All fields of a scenario with their defaults, for ``--help``."""
    lines = [f"  {key}={value}" for key, value in _flat(model.model_dump(mode="json"))]
    return "\b\nSettings for --set and --config, with their defaults:\n" + "\n".join(lines)


def _flat(fields: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in fields.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


def configure(
    kind: Callable[..., Any],
    config: Path | None,
    settings: Sequence[str],
    options: Mapping[str, Any],
) -> Any:
    """The scenario from a YAML file, ``--set`` and further options, later ones winning.

    An option that is None was not given.

    Raises:
        UsageError: a setting is unknown or wrong.
    """
    fields = _read_config(config) if config else {}
    for setting in settings:
        key, separator, text = setting.partition("=")
        if not separator:
            raise UsageError(f"--set takes KEY=VALUE, not {setting!r}")
        _assign(fields, key.strip(), text)
    fields |= {key: value for key, value in options.items() if value is not None}
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


async def find_server() -> ServerState:
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


def make_folder(out: Path, name: str) -> Path:
    """A new run folder."""
    try:
        return new_run_folder(out, name)
    except OSError as error:
        raise UsageError(f"cannot write to {out}: {error.strerror}") from error


def run_to_end(main: Coroutine[Any, Any, int], debug: bool) -> int:
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


Result = dict[str, Any]


async def execute(
    open_record: Callable[[], RunWriter],
    play: Callable[[RunWriter], Awaitable[None]],
    summarise: Callable[[str | None], Result],
    show: Callable[[Result], None],
    *,
    folder: Path,
    debug: bool,
) -> int:
    """Play a run to its end; whatever happens, the record says how it ended.

    Args:
        open_record: opens the run's record.
        play: plays; raises what ends a run early.
        summarise: the result object, with the error where there was one.
        show: prints the result object.
        folder: where the record is, for messages.
        debug: show tracebacks.

    Returns:
        the exit code.
    """
    error: str | None = None
    reason = "interrupted"
    try:
        with open_record() as writer:
            try:
                await play(writer)
                reason = "done"
            except (FaultError, ModelError, BridgeError, RconError) as problem:
                reason, error = "fault", str(problem)
                if isinstance(problem, BudgetError):
                    reason = "budget"
                else:
                    _note_fault(writer, problem)
                if debug:
                    raise
            finally:
                writer.event(events.RunEnded, reason=reason)
                result = summarise(error)
                writer.write_result(result)
    except OSError as problem:
        return _report(f"cannot write the record in {folder}: {problem.strerror}", folder)
    show(result)
    return _report(error, folder) if error else DONE


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


def fail(text: str, code: int, debug: bool) -> typer.Exit:
    """Print one line for the user and give the exit to raise."""
    if debug:
        raise RuntimeError(text)
    print(f"error: {text}", file=sys.stderr)
    return typer.Exit(code)
