"""What a run's end is called: no result, a crash of code, or a fault of what it played on."""

from __future__ import annotations

import traceback
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from bots.models import ModelError
from bridge import BridgeError
from experiments.decisions import unusable
from experiments.experiment import Entry, Prepared
from records import RunWriter, events
from records.text import one_line
from server import RconError


def not_a_result(
    entries: Sequence[Entry], decisions: Mapping[str, Any], prepared: Prepared
) -> str | None:
    """Return why what was played is no result, where minds or agents never did anything."""
    unread = unusable(decisions)
    if not entries or not all("acted" in entry for entry in entries):
        return unread
    if all(entry["acted"] == [] for entry in entries):
        return "no agent ever acted: no answer of its model could be used"
    if not any(entry.get("sound", True) for entry in entries):
        return "the machine was too slow for the game in every run; see faults"
    if all(result is None for result in prepared.summary(entries).get("mean", {0: 0}).values()):
        return "in no run did all agents act: no answer of some models could be used"
    return unread


def crash(problem: Exception) -> str:
    """Return what went wrong in the code of a scenario, or in ours, and where."""
    place = traceback.extract_tb(problem.__traceback__)[-1]
    where = f"{Path(place.filename).name}, line {place.lineno}"
    what = one_line(str(problem)) or "no message"
    return f"{type(problem).__name__} in {where}: {what} (--debug shows the traceback)"


def note_fault(writer: RunWriter, problem: Exception) -> None:
    """Record the faults that no part recorded itself."""
    kinds = ((ModelError, "model"), (BridgeError, "bridge"), (RconError, "server"))
    for kind, where in kinds:
        if isinstance(problem, kind):
            writer.event(events.Fault, where=where, message=str(problem))
