"""Readings of recorded runs by a model: the command line that scenarios' readings share."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer

from bots.models import ChatModel, ChatRequest, ModelError
from bots.structured import AnswerError, complete_parsed
from experiments.model_choice import choose_model
from experiments.options import RunOptions
from experiments.usage import UsageError
from records import Record, events, read_record

#: The options of a reading's command.
ModelName = Annotated[str | None, typer.Option(help="Model name.")]
BaseUrl = Annotated[str | None, typer.Option(help="OpenAI-compatible endpoint.")]
BudgetText = Annotated[str | None, typer.Option(help='Such as "2 dollars".')]
PricesFile = Annotated[Path | None, typer.Option(help="YAML file with prices.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object only.")]
#: The readings are in the run's folder.
FILE, CALLS = "reading.json", "reading_llm.jsonl"


class Question(Protocol):
    """A question about a recorded run."""

    @property
    def role(self) -> str:
        """What the question is about; see :class:`~bots.models.model.ChatModel`."""

    def prompt(self) -> str:
        """Return the question in words."""

    def read(self, answer: str) -> Any:
        """Return what an answer says.

        Raises:
            AnswerError: it cannot be read.
        """


async def ask(model: ChatModel, question: Question) -> Any:
    """Return what a model answers to a question; None where no answer can be read."""
    message: Any = {"role": "user", "content": question.prompt()}
    try:
        return await complete_parsed(
            model,
            [message],
            question.read,
            role=question.role,
            agent=None,
            temperature=0.0,
            about=question,
        )
    except AnswerError:
        return None


def recorded(run: Path, scenario: str) -> Record:
    """Return the record of a run of a scenario, with those of its episodes that were played to
    their end; a line on standard error says how many are left out.

    Raises:
        typer.Exit: there is none, or no episode of it ended; one line says so.
    """
    try:
        record = read_record(run)
    except (OSError, ValueError) as error:
        raise _failure(f"cannot read {run}: {error}") from error
    if record.manifest.get("scenario") != scenario:
        raise _failure(f"{run} is no run of {scenario}")
    began = {event.episode for event in record.of(events.EpisodeStarted)}
    ended = {event.episode for event in record.of(events.EpisodeEnded)}
    if not ended:
        raise _failure(f"{run}: no episode was played to its end; go on with the run by --resume")
    if left_out := len(began - ended):
        print(f"left out, as they did not end: {left_out} of the episodes", file=sys.stderr)
    kept = [event for event in record.events if event.episode in ended]
    return replace(record, events=kept)


def read_with(
    run: Path,
    options: RunOptions,
    script: Callable[[ChatRequest], str],
    read: Callable[[ChatModel], Awaitable[Mapping[str, Any]]],
) -> dict[str, Any]:
    """Let a model read a run, write what it found and its calls into the run's folder; return it.

    Args:
        run: the run's folder.
        options: which model, and what it may cost.
        script: answers where there is no model.
        read: asks the model.

    Raises:
        typer.Exit: the options are wrong, or the model does not answer; one line says so.
    """
    try:
        choice = choose_model(options)
    except UsageError as error:
        raise _failure(str(error)) from error
    if not choice.is_language_model:
        print("no model is named: a scripted reader takes its place", file=sys.stderr)
    with (run / CALLS).open("a", encoding="utf-8") as calls:
        asked = choice.model(script, lambda call: print(json.dumps(call), file=calls, flush=True))
        try:
            found = asyncio.run(_awaited(read(asked)))
        except ModelError as error:
            raise _failure(str(error), 1) from error
    result = {"mind": choice.kind, "model": choice.settings.model, **found}
    (run / FILE).write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return result


async def _awaited(reading: Awaitable[Mapping[str, Any]]) -> Mapping[str, Any]:
    return await reading


def _failure(text: str, code: int = 2) -> typer.Exit:
    print(f"error: {text}", file=sys.stderr)
    return typer.Exit(code)
