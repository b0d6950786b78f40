"""Lets a model read the record of a country: ``python -m scenarios.religion.reading RUN --help``.

Two measures that are based on keywords are checked. The first is the precision of conversions: a
judge reads utterances that counted as conversions and decides whether their speakers believe. The
second is the list of memes: in place of our list of words, the model summarises each person's
goals, and then finds the topics of all summaries, with keywords for each topic. A person counts for
a topic if its last goal contains one of the topic's keywords as a whole word. Source of the
procedure for memes: Altera.AL, "Project Sid" (2024), figure 11. If no model is used, a scripted
reader answers.
"""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import BaseModel, Field

from voxpolis.bots.models import ChatModel, ChatRequest
from voxpolis.bots.models.typed import Answer
from voxpolis.experiments.study.record_reading import Reading, ask, command
from voxpolis.front import run_app
from voxpolis.records import Record, events
from voxpolis.records.console import plain_console, print_whole, table_of
from voxpolis.records.text import caseless
from voxpolis.scenarios.religion import measures
from voxpolis.scenarios.religion.scripted import PREACHED


class CountrySettings(BaseModel):
    """The options of this command."""

    sample: int = Field(default=50, ge=1, description="Number of conversions that the judge reads.")
    seed: int = Field(default=0, description="Seed of the sample of conversions.")


def scripted_reader(request: ChatRequest) -> Answer:
    """Answer in place of a model for runs of scripted persons, who only say sentences that we
    know.
    """
    match request.about:
        case measures.BelievesRequest(text=text):
            return measures.Believes(believes=text in PREACHED)
        case measures.SummaryRequest(goals=goals):
            found = sorted({meme for _, text in goals for meme in measures.memes_in(text)})
            keywords = found or ["small talk"]
            own = measures.Period(from_s=0, until_s=0, about="all the time", keywords=keywords)
            return measures.Summary(periods=(own,))
        case measures.TopicsRequest(summaries=summaries):
            text = "\n".join(summaries)
            memes_there = (meme for meme in measures.WORDS if meme in text)
            return measures.Topics(
                topics=[measures.Topic(name=meme, keywords=(meme,)) for meme in memes_there]
            )
    raise TypeError(f"the scripted reader cannot answer {request.role}")


def conversions(record: Record) -> list[events.Spoke]:
    """Return the utterances with which people became direct converts, leaving out the priests."""
    last: dict[tuple[int | None, str], events.Spoke] = {}
    found = []
    for event in record.events:
        key = (event.episode, event.agent or "")
        if isinstance(event, events.Spoke):
            last[key] = event
        elif isinstance(event, events.Converted) and event.level == 2 and not event.believed:
            found.append(last[key])
    return found


async def precision(model: ChatModel, record: Record, sample: int, seed: int) -> dict[str, Any]:
    """Let a judge assess a sample of conversions.

    Returns:
        ``conversions`` is the number of all conversions, ``read`` the number that the judge could
        decide, and ``believe`` the number whose speaker is a believer according to the judge.
        ``precision`` is ``believe`` divided by ``read``, or None.
    """
    found = conversions(record)
    drawn = random.Random(f"{seed} conversions").sample(found, min(sample, len(found)))
    verdicts = await asyncio.gather(
        *(ask(model, measures.BelievesRequest(one.text)) for one in drawn)
    )
    read = [verdict for verdict in verdicts if verdict is not None]
    return {
        "conversions": len(found),
        "read": len(read),
        "believe": sum(read),
        "precision": round(sum(read) / len(read), 4) if read else None,
    }


async def memes(model: ChatModel, record: Record) -> dict[str, Any]:
    """Let a model find topics in people's goals, and count the people whose last goal is about each
    topic.

    Returns:
        ``topics`` maps a topic to its keywords. ``by_town`` maps a town to topics, and each topic
        to a number of people.
    """
    people = defaultdict(list)
    for event in record.of(events.GoalSet):
        people[event.episode, str(event.agent)].append(event)
    requests = [
        measures.SummaryRequest(tuple((e.t, e.text) for e in goals)) for goals in people.values()
    ]
    summaries = await asyncio.gather(*(ask(model, one) for one in requests))
    asked = measures.TopicsRequest(tuple(text for text in summaries if text))
    topics: Mapping[str, Sequence[str]] = await ask(model, asked) or {}
    finders = {
        topic: caseless(rf"\b({'|'.join(map(re.escape, words))})\b")
        for topic, words in topics.items()
        if words
    }
    by_town: dict[str, Counter[str]] = defaultdict(Counter)
    for goals in people.values():
        last = goals[-1]
        by_town[last.home].update(name for name, one in finders.items() if one.search(last.text))
    return {
        "topics": dict(topics),
        "by_town": {town: dict(count) for town, count in sorted(by_town.items())},
    }


async def read_country(
    model: ChatModel, record: Record, sample: int, seed: int
) -> dict[str, dict[str, Any]]:
    """Carry out both checks, and return ``conversions`` and ``memes``."""
    judged, found = await asyncio.gather(
        precision(model, record, sample, seed), memes(model, record)
    )
    return {"conversions": judged, "memes": found}


def _show(result: Mapping[str, Any]) -> None:
    console, judged = plain_console(), result["conversions"]
    share = "-" if judged["precision"] is None else f"{judged['precision'] * 100:.0f} %"
    console.print(
        f"of {judged['conversions']} direct conversions {judged['read']} were read; "
        f"{judged['believe']} of the speakers believe: precision {share}"
    )
    topics = list(result["memes"]["topics"])
    if not topics:
        console.print(f"no topics were found in people's goals; {result['mind']}")
        return
    by_town = result["memes"]["by_town"].items()
    rows = [[town, *(str(count.get(topic, 0)) for topic in topics)] for town, count in by_town]
    title = f"people whose last goal is about a topic, by town; {result['mind']}"
    print_whole(console, table_of(title, ["town", *topics], rows))


READING = Reading(
    "religion",
    "Read a recorded country with a model: precision of conversions, and memes.",
    scripted_reader,
    read_country,
    _show,
    CountrySettings,
)

if __name__ == "__main__":
    run_app(command(READING))
