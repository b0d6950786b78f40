"""Read a recorded village with a model: ``python -m scenarios.taxation.reading RUN --help``.

A judge reads what people said of the law: are they for less tax or for more, and how did those of
each stance vote? The result of a run has the same by the lexicon of
:mod:`scenarios.taxation.measures`, which reads here, too, where there is no model.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from voxpolis.bots.models import ChatModel, ChatRequest
from voxpolis.experiments.study.record_reading import Reading, ask, command
from voxpolis.front import run_app
from voxpolis.judge.law.constitution import Amendment, Choice
from voxpolis.records import Record, events
from voxpolis.records.console import plain_console
from voxpolis.scenarios.taxation import measures

# What somebody of each stance wants.
WANTS: Mapping[measures.Stance, Literal["LESS", "MORE", "NEITHER"]] = {
    "anti": "LESS",
    "pro": "MORE",
    "neutral": "NEITHER",
}


def lexicon_reader(request: ChatRequest) -> measures.Sentiment:
    """Answer by the lexicon, where there is no model."""
    match request.about:
        case measures.SentimentRequest(text=text, tax_rate=rate):
            return measures.Sentiment(
                wants=WANTS[measures.stance_of(measures.sentiment(text, rate))]
            )
    raise TypeError(f"the lexicon cannot answer {request.role}")


@dataclass
class Referendum:
    """What the record of one village says of its vote."""

    condition: str
    tax_rate: float
    feedback: dict[str, str]
    amendments: list[Amendment]
    ballots: dict[str, Sequence[Choice]]


def referendums(record: Record) -> list[Referendum]:
    """Return the votes of a record's villages, in their order, also those without a vote."""
    found: dict[int | None, Referendum] = {}
    for event in record.events:
        if isinstance(event, events.ConditionStarted):
            found[event.episode] = Referendum(event.condition, 0.0, {}, [], {})
        village = found.get(event.episode)
        if village is None:
            continue
        match event:
            case events.LawChanged(version=1):
                village.tax_rate = event.parameters["tax_rate"]
            case events.FeedbackGiven():
                village.feedback[str(event.agent)] = event.text
            case events.AmendmentProposed():
                village.amendments.append(Amendment(event.number, event.text, event.sets))
            case events.BallotCast():
                village.ballots[str(event.agent)] = event.choices
    return list(found.values())


async def read_village(model: ChatModel, village: Referendum) -> dict[str, Any]:
    """Return what a model reads in a village's feedback.

    Returns:
        ``condition``; ``feedback`` and ``votes`` as a run's result has them; ``unread``: how many
        texts the model could not tell of; ``as_lexicon``: the part of the others of which the
        lexicon says the same stance, None of nothing.
    """
    rate, said = village.tax_rate, village.feedback
    answers = await asyncio.gather(
        *(ask(model, measures.SentimentRequest(text, rate)) for text in said.values())
    )
    scores = {name: score for name, score in zip(said, answers, strict=True) if score is not None}
    agreeing = [
        measures.stance_of(scores[name]) == measures.stance_of(measures.sentiment(said[name], rate))
        for name in scores
    ]
    return {
        "condition": village.condition,
        "feedback": measures.feedback_outcome(scores),
        "votes": measures.votes_by_stance(scores, village.amendments, village.ballots, rate),
        "unread": len(said) - len(scores),
        "as_lexicon": round(sum(agreeing) / len(agreeing), 4) if agreeing else None,
    }


async def read_villages(model: ChatModel, record: Record) -> dict[str, Any]:
    """Return ``villages``: what a model reads in each whose people were asked about the law."""
    asked = [village for village in referendums(record) if village.feedback]
    return {"villages": [await read_village(model, village) for village in asked]}


def _show(result: Mapping[str, Any]) -> None:
    console = plain_console()
    if not result["villages"]:
        console.print("nobody was asked what they think of the law")
    measures.show_stances(console, result["villages"])
    for village in result["villages"]:
        share = village["as_lexicon"]
        told = "-" if share is None else f"{share:.0%}"
        console.print(
            f"{village['condition']}: {told} of the stances are the lexicon's, "
            f"{village['unread']} texts were not read"
        )
    reader = "the lexicon" if result["mind"] == "scripted" else result["model"]
    console.print(f"reader: {reader}")


READING = Reading(
    "taxation",
    "Read a recorded village with a model: stances of what people said, and votes by them.",
    lexicon_reader,
    read_villages,
    _show,
)

if __name__ == "__main__":
    run_app(command(READING))
