"""The options of every command, as one model: the command line, ``--config``, ``--set``, run.yaml.

A field of :class:`RunOptions` is an option of the command line. A scenario's settings are a model
of their own; a field that is marked with :func:`option` has an option of its own besides ``--set``.
"""

from __future__ import annotations

import math
import types
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar, Union, get_args, get_origin

import click
import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.fields import FieldInfo

from voxpolis.bots.models.settings import CONCURRENCY, DEFAULT_MODEL, TIMEOUT_S
from voxpolis.records.yaml_text import load_yaml

# --- What a user asked for that cannot be done ----------------------------------------------------


class UsageError(Exception):
    """What was asked for cannot be done; the message is one line for the user."""


# --------------------------------------------------------------------------------------------------

M = TypeVar("M", bound=BaseModel)
# Seconds that a person has for an answer where nobody says otherwise.
PATIENCE_S = 300.0
# What is said of nan and inf.
NO_NUMBER = "it must be a finite number"
# Of a setting, in amount: sums and products of such numbers are finite, and still exact enough.
MAX_SETTING = 1e9
# A value that was found wrong is shown up to so many characters.
MOST_SHOWN = 200
# Of what is played again and again: a list of all of them is made before the first.
MOST_RUNS = 100_000


def option(name: str, *more: str, scale: float = 1.0) -> dict[str, Any]:
    """Return what marks a field as an option: its name, and others for the same.

    ``scale``: what the option's number is multiplied with to be the field's (minutes to seconds).
    """
    return {"option": [name, *more], "scale": scale}


# What marks a setting that can be changed while a run goes on.
CHANGEABLE: dict[str, Any] = {"changeable": True}


def agents_option(
    default: int, most: int, description: str, *, least: int = 1, **marks: Any
) -> Any:
    """Return the setting how many agents there are, which is ``--agents`` on the command line.

    ``marks``: see :mod:`experiments.run.options`.
    """
    extra = {**option("agents"), **marks}
    return Field(default, ge=least, le=most, description=description, json_schema_extra=extra)


class RunOptions(BaseModel):
    """What every command takes; each field's description is its help."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True, defer_build=True)

    condition: str | None = Field(
        default=None, description="The named variant to play; they are listed above."
    )
    world: str | None = Field(
        default=None, description="Where it is played; the worlds are listed above."
    )
    agent: list[str] = Field(
        default=[],
        description="Which kind of agent plays: KIND for all, or NAME=KIND for one of them. May be "
        "given several times.",
        json_schema_extra={"metavar": "[NAME=]KIND"},
    )
    human: list[str] = Field(
        default=[],
        description="An agent that a person plays; NAME:ROLE: only that role's questions (ballot, "
        "negotiator, talk) go to a person. May be given several times.",
        json_schema_extra={"metavar": "NAME[:ROLE]"},
    )
    answer_within: float = Field(
        default=PATIENCE_S,
        gt=0,
        le=86_400,
        description="Seconds that a person has for an answer; then the role's default counts.",
    )
    runs: int = Field(
        default=1,
        ge=1,
        le=MOST_RUNS,
        description="Independent repetitions, each with the next seed.",
    )
    episodes: int = Field(
        default=1,
        ge=1,
        le=MOST_RUNS,
        description="Episodes that the same agents play in each repetition.",
    )
    seed: int = Field(default=0, ge=0, le=2**53, description="Seed of the first repetition.")
    speed: float | None = Field(
        default=None, gt=0, description="Refuse a Minecraft server that runs at another speed."
    )
    server: Literal["running", "new"] = Field(
        default="running",
        description="In Minecraft: the server that runs, or a new one that ends with the run.",
    )
    wait_for_minds: bool = Field(
        default=False,
        description="In Minecraft: let the game stand still while a model is asked, so that how "
        "fast it answers changes nothing.",
    )
    hosts: int | None = Field(
        default=None,
        ge=1,
        description="In Minecraft: how many processes bots live in; by default as many as their "
        "number and the cores ask for.",
    )
    engine: Literal["local", "ray"] = Field(
        default="local",
        description="In Minecraft: where those processes run: on this machine, or as actors of "
        "a Ray cluster (an extra).",
    )
    address: str | None = Field(
        default=None,
        description="With --engine ray: the cluster; without it Ray starts on this machine.",
    )
    settings: list[str] = Field(
        default=[],
        description="Vary a setting; they are listed above. May be given several times.",
        json_schema_extra={**option("set"), "metavar": "KEY=VALUE"},
    )
    config: Path | None = Field(
        default=None,
        description="YAML file with settings and with options of this list, or the run.yaml of a "
        "run, to play one like it.",
    )
    mind: Literal["scripted", "openai"] | None = Field(
        default=None,
        description="Default: openai where a model, an endpoint or OPENAI_API_KEY is given.",
    )
    model: str | None = Field(
        default=None, description=f"Model name (OPENAI_MODEL, else {DEFAULT_MODEL})."
    )
    models: Path | None = Field(
        default=None,
        description="YAML file with endpoints, models and parameters by role and by agent.",
    )
    base_url: str | None = Field(
        default=None, description="Any OpenAI-compatible endpoint (OPENAI_BASE_URL)."
    )
    request_timeout: float = Field(
        default=TIMEOUT_S, ge=0.1, description="Seconds that the endpoint has for an answer."
    )
    concurrency: int = Field(
        default=CONCURRENCY,
        ge=1,
        description="Calls that may be under way at once, at each endpoint.",
    )
    budget: str | None = Field(
        default=None,
        description='Stop the run before it spends more: "$2.50", "1000 calls", "200k tokens". '
        "Default: 1 dollar, unless the endpoint is on this machine or in a private network.",
    )
    yes: bool = Field(
        default=False,
        description="Agree to pay for a language model, instead of being asked.",
    )
    prices: Path | None = Field(
        default=None,
        description="YAML file with dollars per million tokens by model (VOXPOLIS_PRICES).",
    )
    replay: Path | None = Field(
        default=None, description="Play a recorded run's folder again, without key or network."
    )
    resume: Path | None = Field(
        default=None, description="Go on with a run that was cut off: its folder."
    )
    show_prompts: bool = Field(
        default=False, description="Print what each role would be asked; nothing is run."
    )
    estimate: bool = Field(
        default=False, description="Print what it would ask and cost, counted with scripted minds."
    )
    json_output: bool = Field(
        default=False,
        description="Print one JSON object only.",
        json_schema_extra=option("json"),
    )
    out: Path = Field(default=Path("runs"), description="Folder for run folders.")
    debug: bool = Field(default=False, description="Show tracebacks.")

    @property
    def kinds_asked(self) -> list[str]:
        """The kinds of agents that are asked for, persons included; see ``agent``."""
        return [*self.agent, *(f"{name}=human" for name in self.human if ":" not in name)]

    # What a replay or a resumed run takes from the command line; the rest is in its record.
    FREE: ClassVar[frozenset[str]] = frozenset(
        ["replay", "resume", "json_output", "out", "debug", "request_timeout", "concurrency", "yes"]
    )


# Options that decide who receives keys and prompts, what is paid, and which machines run agents'
# code. A file may hold them, but they only count if they are typed as well: files are passed on.
TYPED_TOO = ("base_url", "models", "prices", "budget", "engine", "address")
# Of a field that a file holds, and that is changed in part: the key of the file's name.
FILE = "(file)"


def extra_of(field: FieldInfo) -> dict[str, Any]:
    """Return what a field is marked with."""
    extra = field.json_schema_extra
    return extra if isinstance(extra, dict) else {}


def fields_by_name(model: type[BaseModel]) -> dict[str, str]:
    """Return the field of each name that an option has, as it is typed and as the field's own."""
    names: dict[str, str] = {}
    for name, field in model.model_fields.items():
        if "hidden" in extra_of(field):  # another may be typed by its name
            names.setdefault(name, name)
            continue
        own = extra_of(field).get("option") or [name.replace("_", "-")]
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
    """Return a model made of fields and of ``KEY=VALUE`` settings, which win.

    Of a field that is a model, or a mapping of models, they change the part that they name; another
    mapping is what ``KEY={…}`` gives. ``typed``: the fields that options of their own gave, which
    an error calls as these. ``recorded``: all that a run was played with, which is changed instead
    of the defaults; nothing of these is added to it.

    Raises:
        UsageError: a setting is unknown or wrong.
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
    laid_out = _laid_out(kind, fields, changed, whole, recorded)
    try:
        made = kind(**laid_out)
    except ValidationError as error:
        raise UsageError(explain(kind, error, called)) from error
    given = dict(_flat(laid_out))
    for key, value in _flat(made.model_dump()):
        name = called.get(key, f"setting {key}")
        if isinstance(given.get(key), bool) and not isinstance(value, bool | dict | list):
            raise UsageError(f"{name}: it takes no yes or no (found {given[key]})")
        if _is_no_number(value):
            raise UsageError(f"{name}: {NO_NUMBER} (found {value!r})")
        if isinstance(value, float) and abs(value) > MAX_SETTING:
            raise UsageError(f"{name}: it must be at most {MAX_SETTING:g} (found {value!r})")
    return made


def option_names(kind: Any, names: Collection[str]) -> dict[str, str]:
    """Return what fields are called on the command line, by their names."""
    fields = getattr(kind, "model_fields", {})
    marked = {name: extra_of(fields[name]).get("option") for name in names if name in fields}
    return {name: f"--{option[0]}" for name, option in marked.items() if option}


def _is_no_number(value: object) -> bool:
    """Whether a value is a number, or the text of one, that nothing can be reckoned with."""
    try:
        return isinstance(value, float | str) and not math.isfinite(float(value))
    except ValueError:
        return False


def _laid_out(
    kind: Any,
    fields: Mapping[str, Any],
    changed: Mapping[str, Any],
    whole: Collection[str],
    recorded: Mapping[str, Any] | None,
) -> dict[str, Any]:
    """Return what a model is made of: what there is without the changes, and they on top of it.

    ``whole``: what the changes name themselves, not by its parts; the rest as in :func:`configure`.
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
    """Return the default of a field that is a model, or a mapping of some; None: it is neither."""
    field = getattr(kind, "model_fields", {}).get(name)
    default = None if field is None else field.get_default(call_default_factory=True)
    if isinstance(default, BaseModel):
        return default.model_dump()
    if isinstance(default, dict) and any(isinstance(v, BaseModel) for v in default.values()):
        return {key: part.model_dump() for key, part in default.items()}
    return None


def _merged(*layers: Mapping[str, Any]) -> dict[str, Any]:
    """Return mappings laid on top of each other, field by field; a file hides what is below it."""
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
    if whole in known and extra_of(known[whole]).get("is_file"):
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
    """Return a field's value, that of a file where one is named, with what is set besides.

    The field is marked with ``is_file``.
    """
    if isinstance(value, str):
        return read(Path(value))
    if isinstance(value, dict) and FILE in value:
        changes = {name: one for name, one in value.items() if name != FILE}
        return _merged(read(Path(value[FILE])), changes)
    return value


def explain(kind: Any, error: ValidationError, called: Mapping[str, str] | None = None) -> str:
    """Return what is wrong with settings, in one line; ``called``: the options that gave some."""
    first = error.errors()[0]
    place = ".".join(str(part) for part in first["loc"])
    fields = getattr(kind, "model_fields", None)
    if first["type"] == "extra_forbidden" and fields is not None:
        return f"there is no setting {place!r}; there are: {', '.join(fields)}"
    text = str(first["msg"]).removeprefix("Value error, ")
    if _is_no_number(first["input"]):
        text = NO_NUMBER
    found = repr(first["input"])
    shown = f" (found {found})" if len(found) <= MOST_SHOWN else ""
    name = (called or {}).get(place, f"setting {place}")
    return f"{name}: {text}{shown}" if place else text


def settings_help(model: BaseModel) -> str:
    """Return all settings with their defaults, a line each, for ``--help``.

    A field that is marked with ``shown`` stands there with that text instead of all its parts.
    """
    fields = model.model_dump(mode="json")
    for name, field in type(model).model_fields.items():
        if "shown" in extra_of(field):
            fields[name] = extra_of(field)["shown"]
    return "\n".join(f"  {key}={value}" for key, value in _flat(fields))


def _flat(fields: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in fields.items():
        if isinstance(value, dict) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


# --- Options of the command line, made of the fields of a model, and read back --------------------


class OneNameCommand(click.Command):
    """A command that refuses an option which is typed under two of its names, as two values."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse what was typed; see :class:`click.Command`.

        Raises:
            click.UsageError: an option is there under two names.
        """
        typed = {word.partition("=")[0] for word in args}
        for parameter in self.params:
            names = [name for name in parameter.opts if name in typed]
            if len(names) > 1 and not parameter.multiple:
                raise click.UsageError(f"{' and '.join(names)} are one option: leave one out")
        return super().parse_args(ctx, args)


def click_options(model: type[BaseModel], *, marked_only: bool = False) -> list[click.Parameter]:
    """Return a model's fields as options of a command line.

    ``marked_only``: only those that are marked with :func:`option`.
    """
    return [
        _click_option(name, field)
        for name, field in model.model_fields.items()
        if "hidden" not in extra_of(field) and (not marked_only or "option" in extra_of(field))
    ]


def _click_option(name: str, field: FieldInfo) -> click.Option:
    extra = extra_of(field)
    names = extra.get("option") or [name.replace("_", "-")]
    kind, many = _click_type(field.annotation)
    scaled = extra.get("scale", 1.0) != 1.0
    text = (field.description or "").strip()
    default = None if field.is_required() else field.get_default(call_default_factory=True)
    if not scaled and default not in (None, "", [], False, {}):
        text += f" [default: {default}]"
    return click.Option(
        [*(f"--{one}" for one in names), name],
        type=float if scaled else kind,
        is_flag=kind is bool,
        multiple=many,
        default=None,
        help=text,
        metavar=extra.get("metavar"),
    )


def _click_type(annotation: Any) -> tuple[Any, bool]:
    """Return a field's type on the command line, and whether it may be given several times."""
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
    """Return the fields of a model that were given on the command line."""
    fields = {}
    for name, field in model.model_fields.items():
        value = values.get(name)
        if value is None or value is False or value == ():
            continue
        scale = extra_of(field).get("scale", 1.0)
        fields[name] = value * scale if scale != 1.0 else value
        if isinstance(value, tuple):
            fields[name] = list(value)
    return fields


# --- Settings that would not be used, as some conditions, worlds and others typed say: refused ----


class UnusedError(UsageError):
    """A setting was given that would change nothing.

    Attributes:
        field: which.
        options: what it is called on the command line, with ``--``.
    """

    def __init__(self, text: str, field: str, options: Collection[str]) -> None:
        super().__init__(text)
        self.field, self.options = field, options


def only_under(*conditions: str) -> dict[str, Any]:
    """Return what marks a setting that changes something under these conditions alone."""
    return {"conditions": list(conditions)}


def only_in(*worlds: str) -> dict[str, Any]:
    """Return what marks a setting that changes something in these worlds alone."""
    return {"worlds": list(worlds)}


def refuse_unused(
    kind: type[BaseModel], given: Collection[str], condition: str | None, world: str
) -> None:
    """Refuse settings that would change nothing.

    Args:
        kind: all settings.
        given: the names of those that were given; parts of one with dots (``ways.lines``).
        condition: the one that is played; None: all are, or one that there is not.
        world: where it is played.

    Raises:
        UnusedError: one is of other conditions, or of another world.
    """
    played = {"condition": condition, "world": world}
    for whole in sorted({name.partition(".")[0] for name in given}):
        field = kind.model_fields.get(whole)
        if field is None:
            continue
        for what, where in played.items():
            its = extra_of(field).get(f"{what}s")
            if its and where is not None and where not in its:
                name = option_names(kind, [whole]).get(whole, f"setting {whole}")
                text = f"{name} changes nothing under --{what} {where}, only under: "
                options = [f"--{one}" for one in extra_of(field).get("option", ())]
                raise UnusedError(text + ", ".join(its), whole, options)


def key_of(setting: str) -> str:
    """Return what a ``KEY=VALUE`` sets."""
    return setting.partition("=")[0].strip()


def without(words: Sequence[str], unused: UnusedError) -> list[str]:
    """Return the words of a command line without those that give a setting."""
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
    """Refuse a setting that was typed as an option of its own and with ``--set``.

    Raises:
        UsageError: one was.
    """
    for key in map(key_of, settings):
        if key in typed:
            name = option_names(kind, [key]).get(key, key)
            raise UsageError(f"{name} and --set {key} are one setting: leave one out")
