"""Have a judge tell feelings in a recorded run: ``python -m scenarios.sentiment.reading RUN``.

A model reads what each observer wrote about each other, and says how it feels, 0 (hate) to 10
(love); the measures are taken again with its scores. Source of the procedure: Altera.AL, "Project
Sid" (2024), sentiment. Without a model the lexicon takes its place.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from bots.models import ChatModel, ChatRequest
from experiments.options import RunOptions
from experiments.record_reading import FILE, ask, read_with, recorded
from records import Record, events
from scenarios.sentiment.measures import mean, regression
from scenarios.sentiment.questions import ScoreRequest
from scenarios.sentiment.scripted import scripted_score
from voxpolis import run_app

app = typer.Typer(pretty_exceptions_enable=False, add_completion=False, rich_markup_mode=None)


def scripted_reader(request: ChatRequest) -> str:
    """Answer by the lexicon.

    Raises:
        TypeError: nobody ever thought of such a request.
    """
    if isinstance(request.about, ScoreRequest):
        return scripted_score(request.about)
    raise TypeError(f"the scripted reader cannot answer {request.role}")


async def judge_feelings(model: ChatModel, record: Record) -> dict[str, Any]:
    """Return what a judge reads in what people wrote of each other; the same text is asked once.

    Returns:
        ``asked`` and ``read``: texts; ``difference``: how far judge and lexicon are apart on
        average; ``episodes``: ``condition`` and, by name of the other, the mean ``score``, with the
        ``regression`` of what each received on it where a chef gave food.
    """
    noted = record.of(events.ProfileScored)
    asked = list(
        dict.fromkeys(
            ScoreRequest(str(event.agent), event.about, event.text) for event in noted if event.text
        )
    )
    scores = await asyncio.gather(*(ask(model, one) for one in asked))
    found = {one: score for one, score in zip(asked, scores, strict=True) if score is not None}
    by_other: dict[int, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    apart = []
    for event in noted:
        score = found.get(ScoreRequest(str(event.agent), event.about, event.text))
        if score is not None:
            by_other[event.episode][event.about].append(score)
            apart.append(abs(score - event.score))
    return {
        "asked": len(asked),
        "read": len(found),
        "difference": mean(list(apart)),
        "episodes": [
            {
                "condition": event.condition,
                **_episode(record, event.episode, by_other[event.episode]),
            }
            for event in record.of(events.ConditionStarted)
        ],
    }


def _episode(record: Record, episode: int, scores: Mapping[str, list[float]]) -> dict[str, Any]:
    means = {name: sum(each) / len(each) for name, each in scores.items()}
    received = dict.fromkeys(means, 0)
    for event in record.of(events.ActionDone):
        if event.episode == episode and event.ok and event.to in received:
            received[event.to] += sum(event.spent.values())
    line = regression(list(means.values()), [float(count) for count in received.values()])
    return {"scores": means, "regression": line if any(received.values()) else None}


@app.command()
def reading(
    run: Annotated[Path, typer.Argument(help="A run folder of sentiment.")],
    model: Annotated[str | None, typer.Option(help="Model name.")] = None,
    base_url: Annotated[str | None, typer.Option(help="OpenAI-compatible endpoint.")] = None,
    budget: Annotated[str | None, typer.Option(help='Such as "2 dollars".')] = None,
    prices: Annotated[Path | None, typer.Option(help="YAML file with prices.")] = None,
) -> None:
    """Have a judge tell feelings in a recorded run; prints one JSON object."""
    options = RunOptions(model=model, base_url=base_url, budget=budget, prices=prices)
    record = recorded(run, "sentiment")
    result = read_with(run, options, scripted_reader, lambda asked: judge_feelings(asked, record))
    print(json.dumps(result))
    print(run / FILE, file=sys.stderr)


if __name__ == "__main__":
    run_app(app)
