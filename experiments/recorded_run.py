"""Whether a run folder can be replayed, or gone on with: what is wrong with it, in one line."""

from __future__ import annotations

import os
from typing import Any, Literal

from voxpolis.experiments.runner import FORMAT
from voxpolis.experiments.usage import UsageError
from voxpolis.records import Record, events, read_record
from voxpolis.records.process import is_running


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
