"""The society of fifty: perceived likeability follows the true one by as much as its rates say."""

from __future__ import annotations

import random
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from tests.scenarios.test_society_minds import played, prepare
from voxpolis.bots.agents.piano.agent import Heard
from voxpolis.bots.agents.piano.modules.social_awareness import ProfilesRequest
from voxpolis.bots.models import ChatRequest, Completion
from voxpolis.records import events
from voxpolis.scenarios import sentiment
from voxpolis.scenarios.sentiment.lexicon import LikeabilityRequest, Score, score_of
from voxpolis.scenarios.sentiment.measures import likeability, measured, slope_interval
from voxpolis.scenarios.sentiment.reading import judge_feelings
from voxpolis.scenarios.sentiment.scripted import (
    FARTHEST,
    SPREAD,
    NeighbourParams,
    Neighbours,
    Personality,
    likeability_of,
    personalities,
    profile,
    spoken,
)
from voxpolis.worlds.trades import Trades, read_trades

LIFE_S = 14_400.0


def neighbours(people, seed, **rates):
    village = Trades(**read_trades())
    return Neighbours(people, village, NeighbourParams(**rates), LIFE_S, seed)


def hears(script, who, heard):
    asked = ProfilesRequest(who, "", tuple(heard))
    return script(ChatRequest([], asked.role, who, 0.7, 400, about=asked))


def lived(seed, moved, people=50):
    """A society in which each speaks as often as it is extroverted, to some of those around it.

    Returns its people, what each line made of scores, and how many lines each heard of each.
    """
    rng = random.Random(f"{seed} meetings")
    everybody = personalities(people, seed)
    script = neighbours(everybody, seed, moved=moved)
    names = [one.name for one in everybody]
    lines = Counter()
    for one in everybody:
        around = rng.sample([name for name in names if name != one.name], 16)
        for _ in range(round(one.extroversion * 1.2)):
            text = spoken(one.likeability, rng)
            for listener in rng.sample(around, rng.randint(0, 7)):
                lines[listener, one.name] += 1
                hears(script, listener, [Heard(0.0, one.name, text)])
    scores = {(a, b): score_of(profile(script.people[a].feels[b])) for a, b in lines}
    return everybody, scores, lines


def true_slope(everybody, lines, moved, observers):
    """The slope of what is to be expected, by the model's own formula: 1 - (1 - g)^m."""
    x, y = [], []
    for one in everybody:
        heard = [count for (_, speaker), count in lines.items() if speaker == one.name]
        if len(heard) >= observers:
            reached = np.mean([1 - (1 - moved) ** count for count in heard])
            x.append(one.likeability)
            y.append(5 + expected_valence(one.likeability) * reached)
    return stats.linregress(x, y).slope


def expected_valence(likeability):
    """What somebody so likeable says on average: a normal law in whole steps, -5 to 5."""
    steps = np.arange(-FARTHEST, FARTHEST) + 0.5
    return FARTHEST - stats.norm.cdf(steps, likeability - 5, SPREAD).sum()


# --- Measures recover the model's rates ---


def test_the_slope_is_that_of_the_model_and_introverts_are_known_to_fewer():
    hits, off = 0, []
    for seed in range(8):
        everybody, scores, lines = lived(seed, 0.15)
        found = likeability(scores, everybody, 5)
        truth = true_slope(everybody, lines, 0.15, 5)
        hits += found["low"] <= truth <= found["high"]
        off.append(found["slope"] - truth)
        assert measured(scores, everybody)["extroversion_r"] > 0.6
    assert hits >= 7
    assert np.mean(off) == pytest.approx(0, abs=0.015)


def test_intervals_are_those_of_scipy():
    chance = np.random.default_rng(7)
    for n in (18, 31, 46):
        x = chance.uniform(0, 10, n)
        y = 0.37 * x + 4.3 + chance.normal(0, 0.7, n)
        known = stats.linregress(x, y)
        for confidence in (0.68, 0.95, 0.99):
            far = stats.t.ppf((1 + confidence) / 2, n - 2) * known.stderr
            found = slope_interval(list(x), list(y), confidence)
            assert found == pytest.approx((known.slope - far, known.slope + far), abs=1e-5)
    assert slope_interval([1, 2], [1, 2]) == (None, None)
    assert slope_interval([3, 3, 3], [1, 2, 3]) == (None, None)


def test_a_graph_is_measured_edge_by_edge():
    people = [Personality(name, "", like, out) for name, like, out in
              (("A", 1, 9), ("B", 5, 5), ("C", 9, 1))]  # fmt: skip
    scores = {("A", "B"): 6.0, ("B", "A"): 2.0, ("C", "A"): 3.0, ("C", "B"): 5.0}
    found = measured(scores, people)
    assert {name: one["observers"] for name, one in found["people"].items()} == {
        "A": 2, "B": 2, "C": 0}  # fmt: skip
    assert found["people"]["A"]["perceived"] == 2.5
    assert found["people"]["C"]["perceived"] is None
    assert found["asymmetry"] == [4.0]
    assert found["extroversion_r"] == pytest.approx(np.corrcoef([9, 5, 1], [2, 2, 0])[0, 1])
    assert likeability(scores, people, 3)["n"] == 0


# --- People ---


def test_personalities_are_drawn_evenly_and_told_so():
    drawn = [one for seed in range(40) for one in personalities(50, seed)]
    likeabilities = [one.likeability for one in drawn]
    assert np.mean(likeabilities) == pytest.approx(5, abs=0.2)
    r = np.corrcoef(likeabilities, [one.extroversion for one in drawn])[0, 1]
    assert abs(r) < 0.06
    for one in drawn[:200]:
        assert one.traits.count(".") >= 3
        assert abs(likeability_of(one.traits) - one.likeability) <= 1.01
    assert personalities(9, 4) == personalities(9, 4) != personalities(9, 5)


# --- Whole societies ---

SHORT = ("agents=14", "society_s=900", "ways.lines=40")


async def live(out, condition, *settings, mind=None):
    values = {"settings": (*SHORT, *settings), "runs": 1, "out": out, "condition": condition}
    return await played(prepare(sentiment.Sentiment, values), mind)


@pytest.fixture(scope="module")
async def society(tmp_path_factory):
    return await live(tmp_path_factory.mktemp("society"), "society")


async def test_a_society_is_what_its_people_wrote_of_each_other(society):
    entry, record = society
    profiles = {(e.agent, e.about): e.text for e in record.of(events.ProfileWritten)}
    edges = {(a, b): score for a, b, score in entry["edges"]}
    assert edges == {pair: score_of(text) for pair, text in profiles.items()}
    assert len(edges) > 15
    heard = {(h, e.agent) for e in record.of(events.Spoke) for h in e.hearers}
    assert set(edges) <= heard
    assert [one["t"] for one in entry["over_time"]][-1] == 900
    assert len(entry["over_time"]) == 8
    assert entry["by_observers"][0]["r"] > 0.5
    assert not entry["faults"]


async def test_a_judge_reads_a_society_again(society):
    entry, record = society

    async def complete(request):
        about = request.about
        if isinstance(about, LikeabilityRequest):
            return Completion("", "judge", value=Score(score=likeability_of(about.traits)))
        return Completion("", "judge", value=Score(score=score_of(about.text)))

    found = await judge_feelings(SimpleNamespace(complete=complete), record)
    (read,) = found["episodes"]
    assert [tuple(edge) for edge in read["society"]["edges"]] == entry["edges"]
    slope = entry["by_observers"][0]["slope"]
    assert read["society"]["by_observers"][0]["slope"] == pytest.approx(slope, abs=0.06)
