"""The result files of a sweep: read with checks, since what is there was written another day."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from voxpolis.experiments.sweep_workers import Job
from voxpolis.records.files import MAX_BYTES, read_bytes, unlinked
from voxpolis.records.lines import parse_json
from voxpolis.records.reader import MAX_NUMBER
from voxpolis.records.text import one_line

#: Of a file of a sweep: a result's may be longer than ``result.json``, since it is indented.
MOST_BYTES = 2 * MAX_BYTES


def read_object(path: Path) -> dict[str, Any]:
    """Return the JSON object that a file of a sweep holds.

    Raises:
        OSError: it cannot be read.
        ValueError: it holds no JSON object; says so in one line.
    """
    found = parse_json(read_bytes(path, MOST_BYTES, unlinked))
    if not isinstance(found, dict):
        raise ValueError("no object")
    return found


def read_result(path: Path, job: Job, measures: Sequence[str]) -> dict[str, Any]:
    """Return a job's result from its file.

    ``measures``: paths at which the scenario's results have numbers, or nothing.

    Raises:
        OSError: the file cannot be read.
        ValueError: it is damaged, or another job's; says which in one line.
    """
    try:
        found = read_object(path)
    except ValueError as error:
        raise ValueError(one_line(str(error))) from error
    words = job.arguments
    folder = Path(str(found.get("run_dir"))).parent.parent.name
    wanted = Path(_option(words, "--out")).name
    if folder != wanted:
        raise ValueError(f"it is of another job: its run is not one of runs/{wanted}")
    if str(found.get("seed")) != _option(words, "--seed"):
        raise ValueError(f"it is of another job: its seed is not {_option(words, '--seed')}")
    for measure in measures:
        if not is_number(value := value_at(found, measure)) and value is not None:
            raise ValueError(f"{measure} is no number")
    return found


def _option(words: Sequence[str], name: str) -> str:
    """The value of a command's option, which counts as it was given last."""
    at = len(words) - 1 - words[::-1].index(name)
    return words[at + 1]


def value_at(result: Any, path: str) -> Any:
    """What a result object has at a path such as runs.0.welfare; None where it has none."""
    for part in path.split("."):
        if isinstance(result, list) and part.isdecimal() and int(part) < len(result):
            result = result[int(part)]
        elif isinstance(result, dict):
            result = result.get(part)
        else:
            return None
    return result


def is_number(value: Any) -> bool:
    """Whether a mean can be taken of a value; of what is true or false, that is its share."""
    return isinstance(value, int | float) and -MAX_NUMBER <= value <= MAX_NUMBER
