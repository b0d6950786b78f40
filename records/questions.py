"""What a run asks the persons who take part in it, and what they answer: two files in its folder.

The run appends to ``questions.jsonl``, and whoever shows the questions to people appends to
``answers.jsonl``. Neither needs to know the other, and both files stay readable when one ends.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from voxpolis.records.files import open_of_run
from voxpolis.records.lines import JsonLines
from voxpolis.records.process import is_running

QUESTIONS, ANSWERS = "questions.jsonl", "answers.jsonl"
# How often an answer is looked for, in seconds.
LOOK_S = 0.05
# Of a question's name.
NAME_BYTES = 6
# Of an answer.
MAX_CHARACTERS = 20_000


@dataclass(frozen=True)
class Choice:
    """One of the answers that can be given by a key: the words, and the key's name in browsers."""

    text: str
    key: str = ""


@dataclass(frozen=True)
class Question:
    """What a person is asked.

    Attributes:
        name: tells it apart from all others of all runs.
        agent: for whom the person answers.
        role: what the answer is for.
        text: the whole question, as a model would be asked it.
        schema: the JSON schema of the answer; None: any text, or one of the choices.
        complaint: why the last answer could not be used; empty: this is the first.
        choices: the answers that there are; empty: any words.
        until: the Unix time after which nobody waits for an answer.
    """

    name: str
    agent: str
    role: str
    text: str
    schema: Mapping[str, Any] | None
    complaint: str
    choices: tuple[Choice, ...]
    until: float


class Desk:
    """The run's side: asks questions, and waits for their answers."""

    def __init__(self, folder: Path) -> None:
        """Begin; whatever was asked before in this folder is no longer asked."""
        self._questions = folder / QUESTIONS
        self._answers = folder / ANSWERS
        _append(self._questions, [{"closes": name} for name in _open(_read(self._questions))])
        self._lines = JsonLines(self._answers)
        self._given: dict[str, str] = {}

    async def ask(
        self,
        agent: str,
        role: str,
        text: str,
        *,
        schema: Mapping[str, Any] | None = None,
        complaint: str = "",
        choices: Sequence[Choice] = (),
        within_s: float,
    ) -> str | None:
        """Ask, and return the answer; None where there was none within so many seconds."""
        name = secrets.token_hex(NAME_BYTES)
        until = time.time() + within_s
        asked = Question(name, agent, role, text, schema, complaint, tuple(choices), until)
        _append(self._questions, [asdict(asked)])
        deadline = time.monotonic() + within_s
        try:
            while (answer := self._answer(name)) is None and time.monotonic() < deadline:
                await asyncio.sleep(LOOK_S)
            return answer
        finally:
            _append(self._questions, [{"closes": name}])

    def _answer(self, name: str) -> str | None:
        if self._answers.exists():
            for line in self._lines.new():
                told = line.data if isinstance(line.data, dict) else {}
                to, text = told.get("to"), told.get("text")
                if isinstance(to, str) and isinstance(text, str):
                    self._given.setdefault(to, text[:MAX_CHARACTERS])
        return self._given.pop(name, None)


class OpenQuestions:
    """The other side: which questions a run has that nobody has answered, as the file grows."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / QUESTIONS
        self._lines = JsonLines(self._path)
        self._open: dict[str, dict[str, Any]] = {}

    def now(self) -> list[dict[str, Any]]:
        """Return the open questions, the oldest first, each with the fields of a Question."""
        if self._path.exists():
            _follow(self._open, (line.data for line in self._lines.new()))
        return [one for one in self._open.values() if one["until"] > time.time()]


def answer(folder: Path, to: str, text: str) -> None:
    """Answer an open question of a run; what the run makes of the answer, its record says.

    Raises:
        ValueError: nobody asks that any more, or the answer is too long.
        OSError: it cannot be written.
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"an answer has at most {MAX_CHARACTERS:,} characters")
    if is_running(folder) is False or to not in {
        one["name"] for one in OpenQuestions(folder).now()
    }:
        raise ValueError("nobody waits for this answer any more")
    _append(folder / ANSWERS, [{"to": to, "text": text}])


def _read(path: Path) -> Iterable[Any]:
    return [line.data for line in JsonLines(path).new()] if path.exists() else []


def _open(lines: Iterable[Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    _follow(found, lines)
    return found


def _follow(found: dict[str, dict[str, Any]], lines: Iterable[Any]) -> None:
    for line in lines:
        if not isinstance(line, dict):
            continue
        found.pop(str(line.get("closes")), None)
        if isinstance(line.get("name"), str) and isinstance(line.get("until"), int | float):
            found[line["name"]] = line


def _append(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    if lines:
        with open_of_run(path, "a") as file:
            file.write("".join(json.dumps(line) + "\n" for line in lines))
