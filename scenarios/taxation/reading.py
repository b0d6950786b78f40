"""Lets a model read the record of a village: ``python -m scenarios.taxation.reading RUN --help``.

A judge reads people's feedback on the law and decides whether each person wants less or more tax.
The votes are then counted by this stance. A run's result contains the same measures according to
the lexicon of :mod:`scenarios.taxation.measures`. The lexicon also answers here if no model is
used.
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

# Meaning of each stance.
WANTS: Mapping[measures.Stance, Literal["LESS", "MORE", "NEITHER"]] = {
    "anti": "LESS",
    "pro": "MORE",
    "neutral": "NEITHER",
}


def lexicon_reader(request: ChatRequest) -> measures.Sentiment:
    """Answer with the lexicon in place of a model."""
    match request.about:
        case measures.SentimentRequest(text=text, tax_rate=rate):
            return measures.Sentiment(
                wants=WANTS[measures.stance_of(measures.sentiment(text, rate))]
            )
    raise TypeError(f"the lexicon cannot answer {request.role}")


@dataclass
class Referendum:
    """A village's vote, as its record shows it."""

    condition: str
    tax_rate: float
    feedback: dict[str, str]
    amendments: list[Amendment]
    ballots: dict[str, Sequence[Choice]]


def referendums(record: Record) -> list[Referendum]:
    """Return the votes of all villages in a record, in order. Villages that did not vote are
    included.
    """
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
    """Let a model read the feedback of a village.

    Returns:
        ``condition`` is the village's condition. ``feedback`` and ``votes`` are as in a run's
        result. ``unread`` is the number of texts for which the model gave no usable answer.
        ``as_lexicon`` is the share of the other texts in which the model and the lexicon find the
        same stance, or None.
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
    """Let a model read the feedback of all villages. The result is in ``villages``."""
    asked = [village for village in referendums(record) if village.feedback]
    return {"villages": [await read_village(model, village) for village in asked]}


def _show(result: Mapping[str, Any]) -> None:
    console = plain_console()
    if not result["villages"]:
        console.print("the record contains no feedback on the law")
    measures.show_stances(console, result["villages"])
    for village in result["villages"]:
        share = village["as_lexicon"]
        told = "-" if share is None else f"{share:.0%}"
        console.print(
            f"{village['condition']}: {told} of the stances are the lexicon's, "
            f"{village['unread']} texts were unreadable"
        )
    reader = "the lexicon" if result["mind"] == "scripted" else result["model"]
    console.print(f"reader: {reader}")


READING = Reading(
    "taxation",
    "Read a recorded village with a model: stances in feedback, and votes by stance.",
    lexicon_reader,
    read_villages,
    _show,
)

if __name__ == "__main__":
    run_app(command(READING))
