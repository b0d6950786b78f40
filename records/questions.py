"""The questions of a run to people who take part in it, and their answers.

The questions and the answers are stored in two files of the run folder.

The run appends to ``questions.jsonl``. The program that shows the questions appends to
``answers.jsonl``. The two processes do not depend on each other, and both files remain readable if
one of the processes ends.
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
# The run checks for answers at this interval in seconds.
LOOK_S = 0.05
# The length of a question's identifier in bytes.
NAME_BYTES = 6
# Maximum length of an answer in characters.
MAX_CHARACTERS = 20_000


@dataclass(frozen=True)
class Choice:
    """An answer that a person can give by pressing a key.

    ``key`` is the name of the key in browsers.
    """

    text: str
    key: str = ""


@dataclass(frozen=True)
class Question:
    """A question to a person.

    Attributes:
        name: an identifier that is unique among all runs.
        agent: the agent for which the person answers.
        role: the role of the question.
        text: the whole prompt, as a model would receive it.
        schema: the JSON schema of the answer. None: the answer is any text, or one of the choices.
        complaint: why the last answer was unusable; empty at the first attempt.
        choices: the possible answers. Empty: any answer is possible.
        until: the Unix time at which the question times out.
    """

    name: str
    agent: str
    role: str
    text: str
    schema: Mapping[str, Any] | None
    complaint: str
    choices: tuple[Choice, ...]
    until: float


class HumanInputQueue:
    """Asks questions for a run, and waits for the answers."""

    def __init__(self, folder: Path) -> None:
        """Close all open questions that an earlier process asked in this folder."""
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
    """The questions of a run that have not been answered, for the program that shows them."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / QUESTIONS
        self._lines = JsonLines(self._path)
        self._open: dict[str, dict[str, Any]] = {}

    def now(self) -> list[dict[str, Any]]:
        """Return the open questions, oldest first.

        Each question has the fields of a :class:`Question`.
        """
        if self._path.exists():
            _follow(self._open, (line.data for line in self._lines.new()))
        return [one for one in self._open.values() if one["until"] > time.time()]


def answer(folder: Path, to: str, text: str) -> None:
    """Answer an open question of a run.

    Raises:
        ValueError: the question is no longer open, or the answer is too long.
        OSError: the answer cannot be written.
    """
    if len(text) > MAX_CHARACTERS:
        raise ValueError(f"an answer must have at most {MAX_CHARACTERS:,} characters")
    if is_running(folder) is False or to not in {
        one["name"] for one in OpenQuestions(folder).now()
    }:
        raise ValueError("the question is no longer open: no run waits for this answer")
    _append(folder / ANSWERS, [{"to": to, "text": text}])


def _read(path: Path) -> Iterable[Any]:
    return [line.data for line in JsonLines(path).new()] if path.exists() else []


def _open(lines: Iterable[Any]) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    _follow(found, lines)
    return found


def _follow(open_questions: dict[str, dict[str, Any]], lines: Iterable[Any]) -> None:
    for line in lines:
        if not isinstance(line, dict):
            continue
        open_questions.pop(str(line.get("closes")), None)
        if isinstance(line.get("name"), str) and isinstance(line.get("until"), int | float):
            open_questions[line["name"]] = line


def _append(path: Path, lines: Sequence[Mapping[str, Any]]) -> None:
    if lines:
        with open_of_run(path, "a") as file:
            file.write("".join(json.dumps(line) + "\n" for line in lines))
