"""Lets a judge read feelings in a recorded run: ``python -m scenarios.sentiment.reading RUN``.

A model reads what each observer wrote about each person, and scores the feeling from 0 (hate) to 10
(love). For a society, the model also scores how likeable each person is, based on the person's
traits. The measures are then computed again from these scores. Source of the procedure: Altera.AL,
"Project Sid" (2024), sentiment. If no model is used, the lexicon scores the feelings. In
this case, likeability comes from ``personalities.yaml``, which lists traits for five equal ranges
of likeability: a person is as likeable as the middle of the range in which the person's traits are
listed.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from voxpolis.bots.models import ChatModel, ChatRequest
from voxpolis.experiments.study.record_reading import Reading, ask, command
from voxpolis.front import run_app
from voxpolis.records import Record, events
from voxpolis.records.console import plain_console
from voxpolis.records.measures import known_mean
from voxpolis.scenarios.sentiment import PHASES, SOCIETY, Sentiment
from voxpolis.scenarios.sentiment.lexicon import (
    NEUTRAL,
    LikeabilityRequest,
    Score,
    ScoreRequest,
    score_of,
)
from voxpolis.scenarios.sentiment.measures import (
    SHOWN_OBSERVERS,
    follows,
    measured,
    number,
    regression,
)
from voxpolis.scenarios.sentiment.scripted import likeability_of, personalities


def scripted_reader(request: ChatRequest) -> Score:
    """Answer with the lexicon in place of a model."""
    match request.about:
        case ScoreRequest(text=text):
            return Score(score=score_of(text))
        case LikeabilityRequest(traits=traits):
            return Score(score=likeability_of(traits))
    raise TypeError(f"the scripted reader cannot answer {request.role}")


async def judge_feelings(model: ChatModel, record: Record) -> dict[str, Any]:
    """Let a judge score what people wrote about each other. Identical texts are only scored once.

    A person who wrote nothing about another person counts as neutral, as in a run's result. If an
    answer of the judge cannot be used, the score is missing.

    Returns:
        ``asked`` is the number of texts that the judge was asked to score, and ``read`` is the
        number of texts that it did score. ``difference`` is the mean absolute difference between
        the judge's and the lexicon's scores of the texts that the judge scored. ``episodes``
        contains, for each episode, the ``condition`` and the mean ``scores`` by observed person. If
        a chef gave food in an episode, there is also the ``regression`` of received pieces on
        scores. If speakers spoke, ``speakers`` says how closely scores follow moods. In a society,
        ``society`` contains the measures, computed with the likeability that the judge gave. All
        measures are computed as in a run's result.
    """
    noted = record.of(events.ProfileScored)
    asked = list(dict.fromkeys(_question(event) for event in noted if event.text))
    scores = await asyncio.gather(*(ask(model, one) for one in asked))
    found = {one: score for one, score in zip(asked, scores, strict=True) if score is not None}
    read = [(event, found[_question(event)]) for event in noted if _question(event) in found]
    felt = [(event, NEUTRAL) for event in noted if not event.text]
    scored = sorted(read + felt, key=lambda pair: pair[0].id)
    episodes = []
    for event in record.of(events.ConditionStarted):
        own = [(noted, score) for noted, score in scored if noted.episode == event.episode]
        read_episode = _society if event.condition.startswith(SOCIETY) else _room
        episodes.append(
            {
                "condition": event.condition,
                **dict.fromkeys(("regression", "speakers", "society")),
                **await read_episode(model, record, event, own),
            }
        )
    apart = known_mean(abs(score - event.score) for event, score in read)
    return {"asked": len(asked), "read": len(found), "difference": apart, "episodes": episodes}


def _question(event: events.ProfileScored) -> ScoreRequest:
    return ScoreRequest(str(event.agent), event.about, event.text)


# Events to which the judge assigned scores.
Scored = Sequence[tuple[events.ProfileScored, float]]


async def _society(
    model: ChatModel, record: Record, started: events.ConditionStarted, scored: Scored
) -> dict[str, Any]:
    """Return the measures of a society. If the judge gave no usable answer about a person, the
    person keeps the likeability from which its traits were drawn.
    """
    (seed,) = (
        event.seed for event in record.of(events.EpisodeStarted) if event.episode == started.episode
    )
    people = personalities(len(started.agents), seed)
    asked = [LikeabilityRequest(one.name, one.traits) for one in people]
    judged = await asyncio.gather(*(ask(model, one) for one in asked))
    people = [
        one if found is None else replace(one, likeability=found)
        for one, found in zip(people, judged, strict=True)
    ]
    last = max((event.t for event, _ in scored), default=0.0)
    latest = {(str(event.agent), event.about): score for event, score in scored if event.t == last}
    society = measured(latest, people)
    perceived = {name: one["perceived"] for name, one in society["people"].items()}
    return {"scores": perceived, "society": society}


async def _room(
    _: ChatModel, record: Record, started: events.ConditionStarted, scored: Scored
) -> dict[str, Any]:
    over_time: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for event, score in scored:
        over_time[event.about].append((round(event.t - started.t, 3), score))
    means = {name: known_mean(score for _, score in each) for name, each in over_time.items()}
    if set(means) <= set(PHASES):
        talk_s = Sentiment(**record.manifest["config"]).spoken_s
        speakers = {name: follows(own, PHASES[name], talk_s) for name, own in over_time.items()}
        return {"scores": means, "speakers": speakers}
    received = dict.fromkeys(means, 0)
    for done in record.of(events.ActionDone):
        if done.episode == started.episode and done.ok and done.to in received:
            received[done.to] += sum(done.spent.values())
    known = [(score, received[name]) for name, score in means.items() if score is not None]
    line = regression([score for score, _ in known], [count for _, count in known])
    return {"scores": means, "regression": line if any(received.values()) else None}


def _show(result: Mapping[str, Any]) -> None:
    console = plain_console(soft_wrap=True)
    for one in result["episodes"]:
        if society := one["society"]:
            at_k = society["by_observers"][SHOWN_OBSERVERS - 1]
            people = f"{at_k['n']} people with {at_k['observers']} observers or more"
            console.print(
                f"{one['condition']}: slope {number(at_k['slope'])} of perceived on true "
                f"likeability, r {number(at_k['r'])}, {people}"
            )
            continue
        felt = ", ".join(f"{name} {number(score)}" for name, score in one["scores"].items())
        parts = [f"mean feeling, 0 to 10: {felt}"]
        if line := one["regression"]:
            parts.append(f"{number(line['slope'])} pieces a point, r {number(line['r'])}")
        if speakers := one["speakers"]:
            each = (f"{name} {number(found['r'])}" for name, found in speakers.items())
            parts.append(f"r of score and mood: {', '.join(each)}")
        console.print(f"{one['condition']}: {'; '.join(parts)}")
    read = f"{result['read']} of {result['asked']} texts were read"
    if result["mind"] != "scripted":
        read += f"; judge and lexicon are {number(result['difference'])} points apart on average"
    console.print(read)


READING = Reading(
    "sentiment",
    "Let a judge read feelings in a recorded run, and recompute its measures.",
    scripted_reader,
    judge_feelings,
    _show,
)

if __name__ == "__main__":
    run_app(command(READING))
