"""The commands for readings, in which a language model answers questions about recorded runs."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

import click
from pydantic import BaseModel

from voxpolis.bots.asking import ask as ask_typed
from voxpolis.bots.models import (
    Account,
    AccountedModel,
    ChatModel,
    ChatRequest,
    Message,
    ModelError,
)
from voxpolis.bots.models.typed import Answer, AnswerError
from voxpolis.experiments.run.model_choice import choose_model
from voxpolis.experiments.run.options import RunOptions, UsageError, click_options, configure, given
from voxpolis.experiments.run.spending import Purchase, agree
from voxpolis.records import Record, events, read_record
from voxpolis.records.files import open_of_run, replace_text
from voxpolis.records.text import say, say_error

# Run options that all readings accept.
OPTIONS = frozenset(("model", "base_url", "budget", "prices", "json_output", "yes"))
# Folder of readings inside a run.
FILE, CALLS = "reading.json", "reading_llm.jsonl"


class Question(Protocol):
    """A question about a recorded run. The optional method ``narrow`` is explained in
    :func:`ask_typed`.
    """

    @property
    def role(self) -> str:
        """The role of the question; see :class:`~bots.models.model.ChatModel`."""

    @property
    def answer(self) -> type[Any]:
        """The type of the answer."""

    def messages(self) -> list[Message]:
        """Return the question as messages."""

    def read(self, answer: Any) -> Any:
        """Interpret an answer.

        Raises:
            AnswerError: the answer contradicts itself.
        """


class NoSettings(BaseModel):
    """The settings of a reading that has no options of its own."""


@dataclass(frozen=True)
class Reading:
    """A kind of reading that a scenario offers for recorded runs.

    Attributes:
        scenario: name of the scenario; empty if runs of any society can be read.
        summary: description in one line.
        script: a function that answers in place of a model.
        read: a function that asks a model about a record and returns what was found. The settings
            are its keyword arguments.
        show: a function that prints what was found.
        settings: the class of the reading's own options.
    """

    scenario: str
    summary: str
    script: Callable[[ChatRequest], Answer]
    read: Callable[..., Awaitable[Mapping[str, Any]]]
    show: Callable[[Mapping[str, Any]], None]
    settings: type[BaseModel] = NoSettings


def command(reading: Reading) -> click.Command:
    """Return the command of a reading: ``python -m scenarios.<name>.reading RUN``."""
    shared = [option for option in click_options(RunOptions) if option.name in OPTIONS]
    run = click.Argument(["run"], type=click.Path(path_type=Path))
    return click.Command(
        "reading",
        params=[run, *click_options(reading.settings), *shared],
        callback=lambda run, **values: _main(reading, run, values),
        help=f"{reading.summary}\n\nRUN is a run folder of {reading.scenario or 'any society'}.",
    )


def _main(reading: Reading, run: Path, values: Mapping[str, Any]) -> None:
    record = recorded(run, reading.scenario)
    options = RunOptions(**given(RunOptions, values))
    try:
        own = given(reading.settings, values)
        settings = configure(reading.settings, own, typed=own)
    except UsageError as error:
        raise _failure(str(error)) from error
    result = _read_with(reading, record, options, settings)
    if options.json_output:
        print(json.dumps(result))
        return
    reading.show(result)
    say(run / FILE)


async def ask(model: ChatModel, question: Question) -> Any:
    """Return the answer of a model to a question, or None if the answer could not be used."""
    own: Any = {"narrow": getattr(question, "narrow", None), "about": question}
    try:
        return await ask_typed(
            model,
            question.messages(),
            question.answer,
            read=question.read,
            role=question.role,
            agent=None,
            temperature=0.0,
            **own,
        )
    except AnswerError:
        return None


def recorded(run: Path, scenario: str) -> Record:
    """Return the record of a run, without its incomplete episodes.

    The number of episodes that are left out is printed on standard error. ``scenario`` is the name
    of the scenario; it is empty if the run may be of any society.

    Raises:
        click.exceptions.Exit: there is no such record, or no completed episode. A line is printed.
    """
    try:
        record = read_record(run)
    except (OSError, ValueError) as error:
        raise _failure(f"cannot read {run}: {error}") from error
    if scenario and record.manifest.get("scenario") != scenario:
        raise _failure(f"{run} is not a run of {scenario}")
    if not scenario and not record.of(events.Introduced):
        raise _failure(f"{run} is not a run of a society")
    began = {event.episode for event in record.of(events.EpisodeStarted)}
    ended = {event.episode for event in record.of(events.EpisodeEnded)}
    if not ended:
        raise _failure(f"{run}: no episode is complete; continue the run with --resume")
    if left_out := len(began - ended):
        print(f"left out because incomplete: {left_out} of the episodes", file=sys.stderr)
    kept = [event for event in record.events if event.episode in ended]
    return replace(record, events=kept)


def _read_with(
    reading: Reading, record: Record, options: RunOptions, settings: BaseModel
) -> dict[str, Any]:
    """Carry out a reading with a model. Write the result and all calls into the run's folder.

    Raises:
        click.exceptions.Exit: an option is invalid, or the model gives no usable answer in some
        role. A line is printed.
    """
    try:
        choice = choose_model(options)
        typed = {name: value for name, value in dict(options).items() if name in OPTIONS}
        free = "or unset OPENAI_API_KEY to use a scripted reader"
        agree(f"reading {record.folder}", [Purchase(choice, 1, lambda: None)], typed, free)
    except UsageError as error:
        raise _failure(str(error)) from error
    if not choice.is_language_model:
        print("no model is named: using a scripted reader", file=sys.stderr)
    with open_of_run(record.folder / CALLS, "a") as calls:
        asked = choice.model(
            reading.script, lambda call: print(json.dumps(call), file=calls, flush=True)
        )
        model = AccountedModel(asked, Account())
        try:
            found = asyncio.run(_awaited(reading.read(model, record, **dict(settings))))
        except ModelError as error:
            raise _failure(str(error), 1) from error
    for role, counts in model.account.roles.items():
        if counts["asked"] == counts["failed"]:
            raise _failure(f"no answer in the role {role} was usable: {model.account.first}", 1)
    result = {"mind": choice.kind, "model": choice.settings.model, **found}
    replace_text(record.folder / FILE, json.dumps(result, indent=2) + "\n")
    return result


async def _awaited(reading: Awaitable[Mapping[str, Any]]) -> Mapping[str, Any]:
    return await reading


def _failure(text: str, code: int = 2) -> click.exceptions.Exit:
    say_error(text)
    return click.exceptions.Exit(code)
