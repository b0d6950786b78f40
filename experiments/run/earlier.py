"""The file of ``--config``: options and settings in YAML, or the ``run.yaml`` of a run."""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_origin

from pydantic import BaseModel

from voxpolis.experiments.run.agents import is_own
from voxpolis.experiments.run.options import TYPED_TOO, RunOptions, UsageError, fields_by_name
from voxpolis.experiments.run.runner import FORMAT
from voxpolis.experiments.run.scenario import Scenario
from voxpolis.records import Record, events, read_record
from voxpolis.records.process import is_running
from voxpolis.records.text import one_line
from voxpolis.records.yaml_text import read_yaml

# The options that say who answers.
NAMES_A_MIND = ("mind", "model", "models", "base_url")


def read_config(path: Path | None) -> dict[str, Any]:
    """Return the fields of a YAML file; none where no file is named.

    Raises:
        UsageError: it cannot be read, or holds something else.
    """
    if path is None:
        return {}
    try:
        fields = read_yaml(path)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if not isinstance(fields, dict) or not all(isinstance(key, str) for key in fields):
        raise UsageError(f"{path} must hold fields and values, such as: seed: 3")
    return fields


# Options that a file cannot hold: which record is played, which file is read, consent to pay.
TYPED_ONLY = ("config", "replay", "resume", "yes")


def own_kinds(agent: Any) -> list[str]:
    """Return the classes of a user's own among kinds of agents that are asked for."""
    asked = agent if isinstance(agent, list | tuple) else []
    return [one for one in map(str, asked) if is_own(one.rpartition("=")[2])]


def refuse_untyped(
    source: str, options: Mapping[str, Any], typed: Mapping[str, Any], model: type[BaseModel]
) -> None:
    """Refuse options of :data:`TYPED_TOO` that a file holds and the command line does not.

    Args:
        source: the file, for people.
        options: what the file holds.
        typed: what the command line holds.
        model: the options of the command.

    Raises:
        UsageError: there is one.
    """
    untyped = []
    for name in TYPED_TOO:
        value = options.get(name)
        is_known = name == "base_url" and value == os.environ.get("OPENAI_BASE_URL")
        is_default = value in (None, model.model_fields[name].default)
        if name not in typed and not is_known and not is_default:
            untyped.append(f"--{name.replace('_', '-')} {shlex.quote(one_line(str(value)))}")
    for kind in own_kinds(options.get("agent")):
        if kind not in own_kinds(typed.get("agent")):
            untyped.append(f"--agent {shlex.quote(one_line(kind))}")
    if untyped:
        raise UsageError(
            f"{source} sets {' '.join(untyped)}: this is only taken from the command line, so type "
            "it, with these or other values, if you trust the file"
        )


def from_config(
    model: type[BaseModel], fields: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields of a ``--config`` file as options of a model, and all others: settings.

    Options are called as on the command line (``json``, ``set``, ``show-prompts``) or as their
    fields. What may be given several times may stand there once, and ``set`` also takes a mapping.

    Raises:
        UsageError: an option stands there under two names, is for the command line only, or ``set``
            is no list.
    """
    names = fields_by_name(model)
    options: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    for key, value in fields.items():
        called = names.get(key)
        if called == "settings" and isinstance(value, dict):
            settings |= value
        elif called is None:
            settings[key] = value
        elif called in TYPED_ONLY:
            raise UsageError(f"--config: {key} is no field of such a file: type --{called}")
        elif called in options:
            raise UsageError(f"--config: {key} stands there twice, under two names")
        else:
            is_many = get_origin(model.model_fields[called].annotation) is list
            options[called] = [value] if is_many and isinstance(value, str) else value
    sets = options.get("settings", [])
    if not isinstance(sets, list) or not all(isinstance(one, str) for one in sets):
        raise UsageError("--config: set is a list such as [time_limit_s=60], or fields and values")
    return options, settings


def is_run(fields: Mapping[str, Any]) -> bool:
    """Whether the fields of a ``--config`` file are those of a run's ``run.yaml``."""
    return "scenario" in fields and not {"format", "command", "git_revision"}.isdisjoint(fields)


def from_run(
    experiment: type[Scenario], manifest: Mapping[str, Any], path: Path
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options and the settings that a run was played with, to play one like it.

    Its settings hold what its own ``--set`` and ``--config`` changed. Minds are of its kind where
    it named none, whatever this machine's environment says.

    Raises:
        UsageError: it is another scenario's, of another version, or damaged.
    """
    if (name := manifest["scenario"]) != experiment.name:
        raise UsageError(f"--config: {path} is of a run of {name}, not of {experiment.name}")
    if (found := manifest.get("format", 1)) != FORMAT:
        raise UsageError(
            f"--config: {path} is of a run of another version of voxpolis (format {found}, this "
            f"one's is {FORMAT}): write the settings that you need into a file of your own"
        )
    options, settings = (manifest.get(part) for part in ("options", "config"))
    if not isinstance(options, dict) or not isinstance(settings, dict):
        raise UsageError(f"--config: {path} is damaged: its options or config have no names")
    for part, model in ((options, experiment.options), (settings, experiment.settings)):
        known = model.model_fields.keys() - RunOptions.FREE
        if unknown := [str(one) for one in part if one not in known]:
            raise UsageError(
                f"--config: {path} is of a run of another version of voxpolis: there is no "
                f"{', '.join(unknown)} any more"
            )
    given = {key: value for key, value in options.items() if key not in ("settings", "config")}
    if all(given.get(name) is None for name in NAMES_A_MIND):
        given["mind"] = "openai" if manifest.get("language_model") else "scripted"
    return given, settings


# --- Whether a run folder can be replayed, or gone on with: what is wrong with it, in one line ----


def read(folder: Any) -> Record:
    """Return the record of a run folder.

    Raises:
        UsageError: there is none.
    """
    try:
        return read_record(folder)
    except FileNotFoundError as error:
        raise UsageError(str(error)) from error


def check(record: Record, scenario: str, action: Literal["replay", "resume"]) -> None:
    """Check that a record can be played again, or gone on with, as one of a scenario.

    Raises:
        UsageError: it is another scenario's, from an older version, damaged, or to be replayed and
            gone on with in Minecraft.
    """
    manifest, folder = record.manifest, record.folder
    done = "replayed" if action == "replay" else "gone on with"
    if not os.path.lexists(folder / "run.yaml"):
        raise UsageError(f"{folder} holds no run")
    if not manifest:
        problems = (one for one in record.problems if one.startswith("run.yaml"))
        why = next(problems, "run.yaml: no settings by name")
        raise UsageError(f"{folder} is damaged and cannot be {done}: {why}")
    if (name := manifest.get("scenario")) != scenario:
        raise UsageError(f"{folder} is a run of {name}, not of {scenario}")
    if manifest.get("format") != FORMAT:
        raise UsageError(
            f"{folder} is a record of an older version of voxpolis: it can be read and drawn, but "
            f"not {done}"
        )
    for part in ("options", "config"):
        if not isinstance(manifest.get(part), dict):
            why = f"run.yaml: {part}: no settings by name"
            raise UsageError(f"{folder} is damaged and cannot be {done}: {why}")
    lost = record.lost_calls if action == "replay" else None
    damage = lost or record.damage
    if action == "replay" and damage is None and not record.events:
        damage = "events.jsonl: it holds no whole event"
    if damage is not None:
        raise UsageError(f"{folder} is damaged and cannot be {done}: {damage}")
    if action == "replay" and record.of(events.RunResumed):
        raise UsageError(
            f"{folder} was cut off in Minecraft and gone on with: such a record holds a case twice "
            "and cannot be replayed"
        )
    if action == "resume":
        if is_running(folder):
            raise UsageError(f"{folder} cannot be resumed: another process writes it now")
        if links := [path.name for path in folder.iterdir() if path.is_symlink()]:
            raise UsageError(f"{folder} cannot be resumed: {links[0]} is a symbolic link")
        for place in (folder / "result.json", folder / "result.json.part"):
            if place.is_dir():  # whatever else is there, a result is put in its place
                raise UsageError(f"{folder} cannot be gone on with: {place.name} is a folder")
        ended = record.of(events.RunEnded)
        is_whole = not (record.result or {"unfinished": True}).get("unfinished")
        if ended and ended[-1].reason == "done" and is_whole:
            raise UsageError(f"{folder} is finished: there is nothing to resume")
