"""The options of all commands in one class, for the command line, ``--config``, ``--set`` and
run.yaml.

Each field of :class:`RunOptions` is an option on the command line. The settings of a scenario are
the fields of another class. If such a field is marked with :func:`option`, the user can set it with
a separate option as well as with ``--set``.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin

import click
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from voxpolis.bots.models.settings import CONCURRENCY, DEFAULT_MODEL, TIMEOUT_S
from voxpolis.records.yaml_text import load_yaml


class UsageError(Exception):
    """The user asks for something invalid. The message is one line for the user."""


M = TypeVar("M", bound=BaseModel)
# Annotation of settings from 0 to 1.
Share = Annotated[float, Field(ge=0, le=1)]
# Default time for a person's answer, in seconds.
ANSWER_WITHIN_S = 300.0
# Error message for nan and inf.
NOT_FINITE = "it must be a finite number"
# Maximum absolute value of a setting: sums and products stay finite and accurate enough.
MAX_SETTING = 1e9
# Maximum length of an invalid value in an error message.
MAX_SHOWN = 200
# Maximum number of repetitions. It is limited because all of them are listed before the first is
# played.
MAX_RUNS = 100_000


def option(name: str, *more: str, scale: float = 1.0) -> dict[str, Any]:
    """Mark a field as an option on the command line, with a name and further names.

    The number that the user gives is multiplied by ``scale`` (for minutes, to get seconds).
    """
    return {"option": [name, *more], "scale": scale}


# Marker of a setting that can be changed during a run.
CHANGEABLE: dict[str, Any] = {"changeable": True}


def agents_option(
    default: int, most: int, description: str, *, least: int = 1, **marks: Any
) -> Any:
    """Return the field of a settings class for the number of agents, which is ``--agents`` on the
    command line.

    ``marks`` are further entries of the field's ``json_schema_extra``.
    """
    extra = {**option("agents"), **marks}
    return Field(default, ge=least, le=most, description=description, json_schema_extra=extra)


class RunOptions(BaseModel):
    """The options of every command. The description of a field is its help text."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True, defer_build=True)

    condition: str | None = Field(default=None, description="Condition to play; listed above.")
    world: str | None = Field(default=None, description="World to play in; listed above.")
    agent: list[str] = Field(
        default=[],
        description="Kind of agent: KIND for all agents, or NAME=KIND for one agent. Can be "
        "repeated.",
        json_schema_extra={"metavar": "[NAME=]KIND"},
    )
    human: list[str] = Field(
        default=[],
        description="Let a person play an agent. With NAME:ROLE, the person only answers the "
        "questions of one role (ballot, negotiator, talk). Can be repeated.",
        json_schema_extra={"metavar": "NAME[:ROLE]"},
    )
    answer_within: float = Field(
        default=ANSWER_WITHIN_S,
        gt=0,
        le=86_400,
        description="Seconds that a person has for an answer. After that, the default of the "
        "role applies.",
    )
    runs: int = Field(
        default=1,
        ge=1,
        le=MAX_RUNS,
        description="Number of repetitions, each with the next seed.",
    )
    episodes: int = Field(
        default=1,
        ge=1,
        le=MAX_RUNS,
        description="Number of episodes that the same agents play in each repetition.",
    )
    seed: int = Field(default=0, ge=0, le=2**53, description="Seed of the first repetition.")
    speed: float | None = Field(
        default=None,
        gt=0,
        description="Stop with an error if the Minecraft server runs at another speed.",
    )
    server: Literal["running", "new"] = Field(
        default="running",
        description="Play on the running server, or on a new server that is started for this run.",
    )
    wait_for_minds: bool = Field(
        default=False,
        description="Pause the game while a model answers, so that response times have no effect.",
    )
    hosts: int | None = Field(
        default=None,
        ge=1,
        description="Number of processes for bots. The default depends on the numbers of bots "
        "and cores.",
    )
    engine: Literal["local", "ray"] = Field(
        default="local",
        description="Run these processes on this machine, or on a Ray cluster (needs the extra "
        "ray).",
    )
    address: str | None = Field(
        default=None,
        description="Address of the Ray cluster. By default, Ray is started on this machine.",
    )
    settings: list[str] = Field(
        default=[],
        description="Change a setting; settings are listed below. Can be repeated.",
        json_schema_extra={**option("set"), "metavar": "KEY=VALUE"},
    )
    config: Path | None = Field(
        default=None,
        description="YAML file with settings and options. The run.yaml of a run plays a similar "
        "run.",
    )
    mind: Literal["scripted", "openai"] | None = Field(
        default=None,
        description="Scripted minds, or a language model. The default is openai if a model, an "
        "endpoint or OPENAI_API_KEY is given.",
    )
    model: str | None = Field(
        default=None,
        description="Name of the model. The default is in OPENAI_MODEL; without --base-url, it is "
        f"{DEFAULT_MODEL}.",
    )
    models: Path | None = Field(
        default=None,
        description="YAML file with endpoints, models and parameters, by role and by agent.",
    )
    base_url: str | None = Field(
        default=None,
        description="Address of an OpenAI-compatible endpoint. The default is in OPENAI_BASE_URL.",
    )
    request_timeout: float = Field(
        default=TIMEOUT_S, ge=0.1, description="Seconds to wait for an answer of an endpoint."
    )
    concurrency: int = Field(
        default=CONCURRENCY,
        ge=1,
        description="Maximum number of concurrent calls per endpoint.",
    )
    budget: str | None = Field(
        default=None,
        description='Stop the run before it exceeds this: "$2.50", "1000 calls", "200k tokens". '
        "Default: 1 dollar, unless the endpoint is on this machine or in a private network.",
    )
    yes: bool = Field(
        default=False,
        description="Agree to pay for a language model, without being asked.",
    )
    prices: Path | None = Field(
        default=None,
        description="YAML file with dollars per million tokens, by model. The default is in "
        "VOXPOLIS_PRICES.",
    )
    replay: Path | None = Field(
        default=None,
        description="Replay the run in this folder. This needs neither a key nor a network.",
    )
    resume: Path | None = Field(
        default=None, description="Continue the interrupted run in this folder."
    )
    show_prompts: bool = Field(
        default=False, description="Print the prompts of each role instead of playing."
    )
    estimate: bool = Field(
        default=False, description="Print the expected calls and cost instead of playing."
    )
    json_output: bool = Field(
        default=False,
        description="Print a single JSON object.",
        json_schema_extra=option("json"),
    )
    out: Path = Field(
        default=Path("runs"), description="Folder in which a folder for the run is created."
    )
    debug: bool = Field(default=False, description="Show tracebacks.")

    @property
    def kinds_asked(self) -> list[str]:
        """The kinds of agents that the user asked for, including people; see the field
        ``agent``.
        """
        return [*self.agent, *(f"{name}=human" for name in self.human if ":" not in name)]

    # Options that can be given with --replay or --resume; the others come from the record.
    FREE: ClassVar[frozenset[str]] = frozenset(
        ["replay", "resume", "json_output", "out", "debug", "request_timeout", "concurrency", "yes"]
    )


# Headings of ``--help``, each with its fields; all other fields are under OWN_GROUP.
GROUPS: dict[str, tuple[str, ...]] = {
    "Main options": (
        *("condition", "world", "agent", "model", "runs", "episodes", "seed"),
        *("settings", "config", "estimate"),
    ),
    "Models and cost": (
        *("mind", "models", "base_url", "request_timeout", "concurrency"),
        *("budget", "yes", "prices"),
    ),
    "People": ("human", "answer_within"),
    "Minecraft": ("server", "speed", "wait_for_minds", "hosts", "engine", "address"),
    "Records and output": ("out", "json_output", "replay", "resume", "show_prompts", "debug"),
}
OWN_GROUP = "Options of this scenario"
# Options that decide who receives keys and prompts, what is paid, and which machines run agents'
# code. A file may contain these options, but they only take effect if the user also types them,
# because files are passed on to others.
MUST_BE_TYPED = ("base_url", "models", "prices", "budget", "engine", "address")
# Key for the file name in a field that is read from a file and then partly changed.
FILE = "(file)"


def marks_of(field: FieldInfo) -> dict[str, Any]:
    """Return the marks of a field, which describe its option; see :func:`option`."""
    extra = field.json_schema_extra
    return extra if isinstance(extra, dict) else {}


def fields_by_name(model: type[BaseModel]) -> dict[str, str]:
    """Return a dictionary from all names of each option to the name of the option's field."""
    names: dict[str, str] = {}
    for name, field in model.model_fields.items():
        if "hidden" in marks_of(field):  # another field may be the one with this option name
            names.setdefault(name, name)
            continue
        own = marks_of(field).get("option") or [name.replace("_", "-")]
        names |= dict.fromkeys((name, *own), name)
    return names


# --- Settings ----------------------------------------------------------------------------------


def configure(
    kind: Callable[..., M],
    fields: Mapping[str, Any],
    settings: Sequence[str] = (),
    typed: Collection[str] = (),
    recorded: Mapping[str, Any] | None = None,
) -> M:
    """Build a pydantic model from fields and from settings ``KEY=VALUE``. If the same value is
    given in both ways, the setting takes precedence.

    If a setting names a part of a nested model, or of a mapping of models, only this part changes.
    Other mappings are replaced as a whole by ``KEY={…}``. ``typed`` contains the fields that were
    given by separate options, and is needed for error messages. ``recorded`` contains the complete
    settings of a run, which replace the defaults.

    Raises:
        UsageError: a setting is unknown or invalid.
    """
    changed: dict[str, Any] = {}
    whole: set[str] = set()
    for setting in settings:
        key, separator, text = setting.partition("=")
        if not separator:
            raise UsageError(f"--set takes KEY=VALUE, not {setting!r}")
        _assign(kind, changed, key.strip(), text)
        whole.add(key.strip())
    called = option_names(kind, set(typed) - set(changed))
    laid_out = _model_arguments(kind, fields, changed, whole, recorded)
    try:
        made = kind(**laid_out)
    except ValidationError as error:
        raise UsageError(explain(kind, error, called)) from error
    given = dict(_flat(laid_out))
    for key, value in _flat(made.model_dump()):
        name = called.get(key, f"setting {key}")
        if isinstance(given.get(key), bool) and not isinstance(value, bool | dict | list):
            raise UsageError(f"{name} does not take a yes or no (found {given[key]})")
        if _is_not_finite(value):
            raise UsageError(f"{name}: {NOT_FINITE} (found {value!r})")
        if isinstance(value, float) and abs(value) > MAX_SETTING:
            raise UsageError(f"{name} must be at most {MAX_SETTING:g} (found {value!r})")
    return made


def option_names(kind: Any, names: Collection[str]) -> dict[str, str]:
    """Return the names that fields have on the command line."""
    fields = getattr(kind, "model_fields", {})
    marked = {name: marks_of(fields[name]).get("option") for name in names if name in fields}
    return {name: f"--{option[0]}" for name, option in marked.items() if option}


def _is_not_finite(value: object) -> bool:
    """Return whether a value is infinite or is "not a number" (NaN). A text such as "inf" or "nan"
    counts as the value that it names.
    """
    try:
        return isinstance(value, float | str) and not math.isfinite(float(value))
    except ValueError:
        return False


def _model_arguments(
    kind: Any,
    fields: Mapping[str, Any],
    changed: Mapping[str, Any],
    whole: Collection[str],
    recorded: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return the arguments for a pydantic model: its base values, with the changes applied to them.

    ``whole`` contains the fields that the changes replace completely. :func:`configure` explains
    the other parameters.
    """
    fields = {
        name: {FILE: one} if isinstance(one, str) and isinstance(changed.get(name), dict) else one
        for name, one in fields.items()
    }
    if recorded is not None:
        below = [recorded, fields]
    else:
        asked = {name: one for name, one in {**fields, **changed}.items() if isinstance(one, dict)}
        defaults = {name: _parts_of(kind, name) for name in asked if FILE not in asked[name]}
        below = [{name: parts for name, parts in defaults.items() if parts is not None}, fields]
    replaced = {name for name in whole if _parts_of(kind, name) is None}
    kept = [{name: one for name, one in layer.items() if name not in replaced} for layer in below]
    return _merged(*kept, changed)


def _parts_of(kind: Any, name: str) -> dict[str, Any] | None:
    """Return the default of a field as a mapping if it is a model or a mapping of models, otherwise
    None.
    """
    field = getattr(kind, "model_fields", {}).get(name)
    default = None if field is None else field.get_default(call_default_factory=True)
    if isinstance(default, BaseModel):
        return default.model_dump()
    if isinstance(default, dict) and any(isinstance(v, BaseModel) for v in default.values()):
        return {key: part.model_dump() for key, part in default.items()}
    return None


def _merged(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Merge mappings field by field. If a field is in several mappings, the last of these mappings
    takes precedence. A value that names a file replaces all earlier values of its field.
    """
    merged: dict[str, Any] = {}
    for layer in layers:
        for key, value in layer.items():
            old = merged.get(key)
            if isinstance(old, Mapping) and isinstance(value, Mapping) and FILE not in value:
                merged[key] = _merged(old, value)
            else:
                merged[key] = value
    return merged


def _assign(kind: Any, fields: dict[str, Any], key: str, text: str) -> None:
    try:
        value = load_yaml(text)
    except yaml.YAMLError as error:
        raise UsageError(f"--set {key}: {text!r} is not a YAML value") from error
    *path, last = key.split(".")
    known = getattr(kind, "model_fields", {})
    whole = (path or [last])[0]
    if whole in known and marks_of(known[whole]).get("is_file"):
        given, changes = fields.get(whole), {}
        if path and isinstance(given, str):
            fields[whole] = {FILE: given}
        elif not path and isinstance(given, dict) and isinstance(value, str):
            changes = {name: one for name, one in given.items() if name != FILE}
            value = {FILE: value, **changes} if changes else value
    for part in path:
        fields = fields.setdefault(part, {})
        if not isinstance(fields, dict):
            raise UsageError(f"--set {key}: {part} has no fields")
    fields[last] = value


def read_from_file(value: Any, read: Callable[[Path], dict[str, Any]]) -> Any:
    """Return the value of a field whose value can be the name of a file (mark ``is_file``).

    If the value names a file, the content of the file is returned. If the value also changes parts
    of the content, these changes are applied.
    """
    if isinstance(value, str):
        return read(Path(value))
    if isinstance(value, dict) and FILE in value:
        changes = {name: one for name, one in value.items() if name != FILE}
        return _merged(read(Path(value[FILE])), changes)
    return value


def explain(kind: Any, error: ValidationError, called: Mapping[str, str] | None = None) -> str:
    """Describe an invalid setting in one line. ``called`` contains the option names of fields."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    fields = getattr(kind, "model_fields", None)
    if first["type"] == "extra_forbidden" and fields is not None:
        return f"there is no setting {place!r}; choose from {', '.join(fields)}"
    text = str(first["msg"]).removeprefix("Value error, ")
    if _is_not_finite(first["input"]):
        text = NOT_FINITE
    found = repr(first["input"])
    shown = f" (found {found})" if len(found) <= MAX_SHOWN else ""
    name = (called or {}).get(place, f"setting {place}")
    return f"{name}: {text}{shown}" if place else text


def settings_help(model: BaseModel) -> str:
    """Return all settings with defaults and descriptions, one per line, for ``--help``.

    If a field has the mark ``shown``, the text of this mark stands in place of the field's parts.
    """
    return "\n".join(_settings_help(model, ""))


def _settings_help(model: BaseModel, prefix: str) -> Iterator[str]:
    values = model.model_dump(mode="json")
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        if isinstance(value, BaseModel) and "shown" not in marks_of(field):
            yield from _settings_help(value, f"{prefix}{name}.")
            continue
        shown = marks_of(field).get("shown", values[name])
        about = f": {field.description}" if field.description else ""
        for number, (key, part) in enumerate(_flat({name: shown})):
            yield f"  {prefix}{key}={part}{about if number == 0 else ''}"


def _flat(fields: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in fields.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


# --- Command-line options from model fields, and back ---------------------------------------------


class GroupedOption(click.Option):
    """An option that ``--help`` lists under the heading of its group."""

    group = "Options"


class OneNameCommand(click.Command):
    """A command that refuses an option if it is given twice, under two names."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options by group, in the order of :data:`GROUPS`."""
        groups: dict[str, list[click.Parameter]] = {}
        first, *rest = GROUPS
        for parameter in self.get_params(ctx):
            groups.setdefault(getattr(parameter, "group", rest[-1]), []).append(parameter)
        for title in (first, OWN_GROUP, *rest):
            order = GROUPS.get(title, ())
            known = [one for one in groups.get(title, []) if one.name in order]
            listed = sorted(known, key=lambda one: order.index(one.name or ""))
            listed += [one for one in groups.get(title, []) if one not in known]
            rows = [row for one in listed if (row := one.get_help_record(ctx)) is not None]
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows, col_max=27)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; see :class:`click.Command`.

        Raises:
            click.UsageError: an option is given under two names.
        """
        typed = {word.partition("=")[0] for word in args}
        for parameter in self.params:
            names = [name for name in parameter.opts if name in typed]
            if len(names) > 1 and not parameter.multiple:
                raise click.UsageError(f"{' and '.join(names)} are the same option: leave one out")
        return super().parse_args(ctx, args)


def click_options(model: type[BaseModel], *, marked_only: bool = False) -> list[click.Parameter]:
    """Return the fields of a model as options on the command line.

    If ``marked_only`` is True, only fields that are marked with :func:`option` are included.
    """
    return [
        _click_option(name, field)
        for name, field in model.model_fields.items()
        if "hidden" not in marks_of(field) and (not marked_only or "option" in marks_of(field))
    ]


def _click_option(name: str, field: FieldInfo) -> click.Option:
    extra = marks_of(field)
    names = extra.get("option") or [name.replace("_", "-")]
    kind, many = _click_type(field.annotation)
    scaled = extra.get("scale", 1.0) != 1.0
    text = (field.description or "").strip()
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    if not scaled and default not in (None, "", [], False, {}):
        text += f" [default: {default}]"
    shown = GroupedOption(
        [*(f"--{one}" for one in names), name],
        type=float if scaled else kind,
        is_flag=kind is bool,
        multiple=many,
        default=None,
        help=text,
        metavar=extra.get("metavar"),
    )
    shown.group = next((title for title, fields in GROUPS.items() if name in fields), OWN_GROUP)
    return shown


def _click_type(annotation: Any) -> tuple[Any, bool]:
    """Return the type of a field on the command line, and whether its option can be repeated."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin in (Union, types.UnionType):
        return _click_type(next(arg for arg in args if arg is not type(None)))
    if origin is Literal:
        return click.Choice([str(arg) for arg in args]), False
    if origin is list:
        return _click_type(args[0])[0], True
    if annotation is Path:
        return click.Path(path_type=Path), False
    return (annotation if annotation in (bool, int, float) else str), False


def given(model: type[BaseModel], values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those fields of a pydantic model to which the command line gives values."""
    fields = {}
    for name, field in model.model_fields.items():
        value = values.get(name)
        if value is None or value is False or value == ():
            continue
        scale = marks_of(field).get("scale", 1.0)
        fields[name] = value * scale if scale != 1.0 else value
        if isinstance(value, tuple):
            fields[name] = list(value)
    return fields


# --- Settings without effect under a condition or in a world are refused --------------------------


class IneffectiveSettingError(UsageError):
    """A setting that the user gave has no effect.

    Attributes:
        field: the setting.
        options: its names on the command line, with ``--``.
    """

    def __init__(self, text: str, field: str, options: Collection[str]) -> None:
        super().__init__(text)
        self.field, self.options = field, options


def only_under(*conditions: str) -> dict[str, Any]:
    """Mark a setting that only has an effect in the given conditions."""
    return {"conditions": list(conditions)}


def only_in(*worlds: str) -> dict[str, Any]:
    """Mark a setting that only has an effect in the given worlds."""
    return {"worlds": list(worlds)}


def refuse_ineffective(
    kind: type[BaseModel], given: Collection[str], condition: str | None, world: str
) -> None:
    """Refuse settings that have no effect.

    Args:
        kind: the class of all settings.
        given: names of the given settings; parts are separated by dots (``ways.lines``).
        condition: the condition; None if all conditions are played or the condition is unknown.
        world: the world.

    Raises:
        IneffectiveSettingError: a setting belongs to other conditions or to another world.
    """
    played = {"condition": condition, "world": world}
    for whole in sorted({name.partition(".")[0] for name in given}):
        field = kind.model_fields.get(whole)
        if field is None:
            continue
        for what, where in played.items():
            its = marks_of(field).get(f"{what}s")
            if its and where is not None and where not in its:
                name = option_names(kind, [whole]).get(whole, f"setting {whole}")
                text = f"{name} has no effect under --{what} {where}, only under: "
                options = [f"--{one}" for one in marks_of(field).get("option", ())]
                raise IneffectiveSettingError(text + ", ".join(its), whole, options)


def key_of(setting: str) -> str:
    """Return KEY of a setting ``KEY=VALUE``."""
    return setting.partition("=")[0].strip()


def without(words: Sequence[str], unused: IneffectiveSettingError) -> list[str]:
    """Return a command line without the words that give the setting ``unused``."""
    kept: list[str] = []
    rest = iter(words)
    for word in rest:
        name, is_joined, value = word.partition("=")
        if name in (*unused.options, "--set"):
            given = value if is_joined else next(rest, "")
            if name != "--set" or key_of(given).partition(".")[0] == unused.field:
                continue
            kept += [name, given]
        else:
            kept.append(word)
    return kept


def refuse_twice(kind: type[BaseModel], typed: Collection[str], settings: Sequence[str]) -> None:
    """Refuse a setting that is given both by its own option and with ``--set``.

    Raises:
        UsageError: a setting is given twice.
    """
    for key in map(key_of, settings):
        if key in typed:
            name = option_names(kind, [key]).get(key, key)
            raise UsageError(f"{name} and --set {key} are the same setting: leave one out")
