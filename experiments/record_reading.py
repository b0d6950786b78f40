"""Reading a recorded run with a model: what is asked after a run, and where it is written."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from bots.models import ChatModel
from bots.models.scripted import Script
from experiments.model_choice import choose_model
from experiments.options import RunOptions
from experiments.usage import UsageError
from records import Record, read_record

#: The readings are in the run's folder, and the calls that they took.
FILE, CALLS = "reading.json", "reading_llm.jsonl"


def read_run(
    run: Path,
    scenario: str,
    reader: Script,
    options: RunOptions,
    ask: Callable[[ChatModel, Record], Coroutine[Any, Any, dict[str, Any]]],
) -> dict[str, Any]:
    """Have a model read a recorded run, write what it found into the run's folder, and return it.

    Args:
        run: the run's folder.
        scenario: what must have been played.
        reader: answers where there is no model.
        options: say which model.
        ask: asks it, and returns what it found.

    Raises:
        UsageError: there is no such run or model.
        ModelError: the model does not answer.
    """
    try:
        record = read_record(run)
    except (OSError, ValueError) as error:
        raise UsageError(f"cannot read {run}: {error}") from error
    if record.manifest.get("scenario") != scenario:
        raise UsageError(f"{run} is no run of {scenario}")
    choice = choose_model(options)
    with (run / CALLS).open("a", encoding="utf-8") as calls:
        model = choice.model(reader, lambda call: print(json.dumps(call), file=calls, flush=True))
        found = asyncio.run(ask(model, record))
    result = {"mind": choice.kind, "model": choice.settings.model, **found}
    (run / FILE).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return result
