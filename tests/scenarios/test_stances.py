"""Whether people are for less tax or for more: by the lexicon, by a model, and how they voted."""

from __future__ import annotations

import asyncio
import random
from collections import Counter

import pytest

from voxpolis.bots.models import ScriptedModel
from voxpolis.judge.law.constitution import Amendment
from voxpolis.scenarios.taxation.measures import (
    Sentiment,
    SentimentRequest,
    sentiment,
    votes_by_stance,
    yes_share,
)
from voxpolis.scenarios.taxation.reading import Referendum, lexicon_reader, read_village


def test_a_share_counts_by_the_law_that_holds():
    text = "The tax should be 10 %."
    assert [sentiment(text, rate) for rate in (0.2, 0.1, 0.05)] == [-1, 0, 1]
    assert sentiment("20 % is too high, 25 % is too low", 0.2) == pytest.approx(1 / 3, abs=1e-3)


def test_votes_are_counted_by_stance_and_direction():
    rng = random.Random(4)
    rates = [0.1, 0.2, 0.3, None]
    amendments = [
        Amendment(k, "words", {} if rate is None else {"tax_rate": rate})
        for k, rate in enumerate(rates, start=1)
    ]
    scores = {f"P{k}": rng.choice([-1.0, -0.2, 0.0, 0.7]) for k in range(40)}
    silent = {f"Q{k}": 0.0 for k in range(5)}
    ballots = {
        name: tuple(rng.choice(["yes", "no", "abstain"]) for _ in rates)
        for name in [*list(scores)[:30], *silent]
    }
    # An oracle by sorting single votes.
    kinds = ["lowers", "other", "raises", "other"]
    stances = {-1.0: "anti", -0.2: "anti", 0.0: "neutral", 0.7: "pro"}
    single = Counter(
        (stances[{**scores, **silent}[name]], kinds[at], choice)
        for name, choices in ballots.items()
        for at, choice in enumerate(choices)
    )
    found = votes_by_stance(scores, amendments, ballots, 0.2)
    told = Counter(
        {
            (stance, kind, choice): count
            for stance, by in found.items()
            for kind, counts in by.items()
            for choice, count in counts.items()
        }
    )
    assert +told == single
    lowering = [choice for choices in ballots.values() for choice in choices[:1]]
    assert yes_share([found], "lowers") == lowering.count("yes") / len(lowering)
    assert yes_share([{}], "raises") is None


def village():
    return Referendum(
        "full-anti",
        0.2,
        {"Ada": "The tax is too high.", "Ben": "Nobody here pays enough."},
        [Amendment(1, "Less.", {"tax_rate": 0.1})],
        {"Ada": ("yes",), "Ben": ("no",)},
    )


def read(script):
    return asyncio.run(read_village(ScriptedModel(script), village()))


def test_a_model_reads_what_the_lexicon_cannot():
    def judge(request):
        assert isinstance(request.about, SentimentRequest)
        return Sentiment(wants="MORE" if "enough" in request.about.text else "LESS")

    found = read(judge)
    assert found["feedback"] == {"sentiment": 0.0, "anti": 1, "pro": 1, "neutral": 0}
    assert found["votes"]["pro"]["lowers"] == {"yes": 0, "no": 1, "abstain": 0}
    assert found["as_lexicon"] == 0.5
    by_lexicon = read(lexicon_reader)
    assert by_lexicon["as_lexicon"] == 1
    assert by_lexicon["feedback"]["neutral"] == 1


def test_a_reader_that_cannot_answer_leaves_texts_unread():
    found = read(lambda _: "who knows")
    assert found["unread"] == 2
    assert found["as_lexicon"] is None
    assert found["feedback"]["sentiment"] is None
