"""Reads the ``--config`` file, which contains options and settings or is the ``run.yaml`` of a
run.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_origin

from pydantic import BaseModel

from voxpolis.experiments.run.agents import is_custom
from voxpolis.experiments.run.options import MUST_BE_TYPED, RunOptions, UsageError, fields_by_name
from voxpolis.experiments.run.runner import FORMAT
from voxpolis.experiments.run.scenario import Scenario
from voxpolis.records import Record, events, read_record
from voxpolis.records.process import is_running
from voxpolis.records.text import one_line
from voxpolis.records.yaml_text import read_yaml

# Options that select the kind of mind.
MIND_OPTIONS = ("mind", "model", "models", "base_url")


def read_config(path: Path | None) -> dict[str, Any]:
    """Read the fields of a YAML file. The result is empty if there is no file.

    Raises:
        UsageError: the file cannot be read or is not a mapping.
    """
    if path is None:
        return {}
    try:
        fields = read_yaml(path)
    except ValueError as error:
        raise UsageError(str(error)) from error
    if not isinstance(fields, dict) or not all(isinstance(key, str) for key in fields):
        raise UsageError(f"{path} must be a mapping of fields to values, such as: seed: 3")
    return fields


# Options that a file cannot set: the record to play, the file to read, and consent to pay.
NOT_IN_FILES = ("config", "replay", "resume", "yes")


def custom_kinds(agent: Any) -> list[str]:
    """Return those of the requested kinds of agents that are the user's own classes."""
    asked = agent if isinstance(agent, list | tuple) else []
    return [one for one in map(str, asked) if is_custom(one.rpartition("=")[2])]


def refuse_untyped(
    source: str, options: Mapping[str, Any], typed: Mapping[str, Any], model: type[BaseModel]
) -> None:
    """Refuse options in a file that must also be typed (:data:`MUST_BE_TYPED`), but were not.

    Args:
        source: names the file in error messages.
        options: the options in the file.
        typed: the options on the command line.
        model: the class of the command's options.

    Raises:
        UsageError: there is such an option.
    """
    untyped = []
    for name in MUST_BE_TYPED:
        value = options.get(name)
        is_known = name == "base_url" and value == os.environ.get("OPENAI_BASE_URL")
        is_default = value in (None, model.model_fields[name].default)
        if name not in typed and not is_known and not is_default:
            untyped.append(f"--{name.replace('_', '-')} {shlex.quote(one_line(str(value)))}")
    for kind in custom_kinds(options.get("agent")):
        if kind not in custom_kinds(typed.get("agent")):
            untyped.append(f"--agent {shlex.quote(one_line(kind))}")
    if untyped:
        raise UsageError(
            f"{source} sets {' '.join(untyped)}, which must be given on the command line: type "
            "it, with these or other values, if you trust the file"
        )


def from_config(
    model: type[BaseModel], fields: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Separate the fields of a ``--config`` file into command options and scenario settings.

    An option may have the name that it has on the command line (``json``, ``set``,
    ``show-prompts``) or the name of its field. An option that can be repeated may be a single
    value, and ``set`` may be a mapping.

    Raises:
        UsageError: an option appears under two names or is only allowed on the command line, or
            ``set`` has the wrong type.
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
        elif called in NOT_IN_FILES:
            raise UsageError(f"--config: {key} is not allowed in a file: type --{called}")
        elif called in options:
            raise UsageError(f"--config: {key} appears twice, under two names")
        else:
            is_many = get_origin(model.model_fields[called].annotation) is list
            options[called] = [value] if is_many and isinstance(value, str) else value
    sets = options.get("settings", [])
    if not isinstance(sets, list) or not all(isinstance(one, str) for one in sets):
        raise UsageError("--config: set must be a list such as [time_limit_s=60], or a mapping")
    return options, settings


def is_run(fields: Mapping[str, Any]) -> bool:
    """Return whether the fields of a ``--config`` file come from a ``run.yaml``."""
    return "scenario" in fields and not {"format", "command", "git_revision"}.isdisjoint(fields)


def from_run(
    experiment: type[Scenario], manifest: Mapping[str, Any], path: Path
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options and settings of a recorded run, so that a similar run can be played.

    The settings include what the recorded run changed with ``--set`` and ``--config``. The kind of
    mind is also that of the recorded run, even if the environment variables of this machine suggest
    another kind.

    Raises:
        UsageError: the run belongs to another scenario or version, or its record is damaged.
    """
    if (name := manifest["scenario"]) != experiment.name:
        raise UsageError(f"--config: {path} is a run of {name}, not of {experiment.name}")
    if (found := manifest.get("format", 1)) != FORMAT:
        raise UsageError(
            f"--config: {path} is a run of another version of voxpolis (format {found}, current "
            f"{FORMAT}): copy the settings that you need into a new file"
        )
    options, settings = (manifest.get(part) for part in ("options", "config"))
    if not isinstance(options, dict) or not isinstance(settings, dict):
        raise UsageError(f"--config: {path} is damaged: its options or config are not mappings")
    for part, model in ((options, experiment.options), (settings, experiment.settings)):
        known = model.model_fields.keys() - RunOptions.FREE
        if unknown := [str(one) for one in part if one not in known]:
            raise UsageError(
                f"--config: {path} is a run of another version of voxpolis: this version has no "
                f"{', '.join(unknown)}"
            )
    given = {key: value for key, value in options.items() if key not in ("settings", "config")}
    if all(given.get(name) is None for name in MIND_OPTIONS):
        given["mind"] = "openai" if manifest.get("language_model") else "scripted"
    return given, settings


# --- Checks before a replay or resumption: the problem in one line --------------------------------


def read(folder: Any) -> Record:
    """Read the record in the folder of a run.

    Raises:
        UsageError: there is no record.
    """
    try:
        return read_record(folder)
    except FileNotFoundError as error:
        raise UsageError(str(error)) from error


def check(record: Record, scenario: str, action: Literal["replay", "resume"]) -> None:
    """Check that a record can be replayed or resumed as a run of a scenario.

    Raises:
        UsageError: the record belongs to another scenario or an older version, or is damaged. The
            error is also raised for the replay of a Minecraft run that was resumed.
    """
    manifest, folder = record.manifest, record.folder
    done = "replayed" if action == "replay" else "resumed"
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
            f"{folder} is a record of an older version of voxpolis: it can be viewed, but "
            f"not {done}"
        )
    for part in ("options", "config"):
        if not isinstance(manifest.get(part), dict):
            why = f"run.yaml: {part}: no settings by name"
            raise UsageError(f"{folder} is damaged and cannot be {done}: {why}")
    lost = record.lost_calls if action == "replay" else None
    damage = lost or record.damage
    if action == "replay" and damage is None and not record.events:
        damage = "events.jsonl: it contains no complete event"
    if damage is not None:
        raise UsageError(f"{folder} is damaged and cannot be {done}: {damage}")
    if action == "replay" and record.of(events.RunResumed):
        raise UsageError(
            f"{folder} was interrupted in Minecraft and resumed: its record contains a case twice "
            "and cannot be replayed"
        )
    if action == "resume":
        if is_running(folder):
            raise UsageError(f"{folder} cannot be resumed: another process is writing to it")
        if links := [path.name for path in folder.iterdir() if path.is_symlink()]:
            raise UsageError(f"{folder} cannot be resumed: {links[0]} is a symbolic link")
        for place in (folder / "result.json", folder / "result.json.part"):
            if place.is_dir():  # the result replaces anything else
                raise UsageError(f"{folder} cannot be resumed: {place.name} is a folder")
        ended = record.of(events.RunEnded)
        is_whole = not (record.result or {"unfinished": True}).get("unfinished")
        if ended and ended[-1].reason == "done" and is_whole:
            raise UsageError(f"{folder} is finished: there is nothing to resume")
