"""Sentiment: feelings follow words, food follows feelings, and the measures quantify both."""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from scipy import stats

from tests.conftest import result_of, run_module
from tests.scenarios.test_cooperation import recorded
from tests.scenarios.test_society_minds import played, prepare
from tests.scenarios.test_specialisation import empty
from voxpolis.analysis.figure_styles import Format
from voxpolis.analysis.figures import save_all
from voxpolis.bots.agents.piano.actions import Known
from voxpolis.bots.agents.piano.agent import Heard, Seen
from voxpolis.bots.agents.piano.modules.controller import DecideRequest
from voxpolis.bots.agents.piano.modules.social_awareness import ProfilesRequest
from voxpolis.bots.agents.piano.task import Action, Decision
from voxpolis.bots.models import ChatRequest, Completion
from voxpolis.experiments.study.record_reading import command
from voxpolis.records import events
from voxpolis.scenarios import sentiment
from voxpolis.scenarios.sentiment import CUSTOMERS
from voxpolis.scenarios.sentiment.lexicon import LikeabilityRequest, Score, score_of
from voxpolis.scenarios.sentiment.measures import likeability, measured, regression, slope_interval
from voxpolis.scenarios.sentiment.reading import READING, judge_feelings
from voxpolis.scenarios.sentiment.scripted import (
    FARTHEST,
    SPREAD,
    FeelingParams,
    NeighbourParams,
    Neighbours,
    People,
    Personality,
    likeability_of,
    personalities,
    profile,
    spoken,
)
from voxpolis.worlds.trades import Trades, read_trades

# Scripted people of a society live by the game clock, which waits for a busy machine.
SERVER_OPTIONS = ("--speed", "8")


def people(chef=None, seed=0, **params):
    who = {"Ada": "", "Chef": "", **CUSTOMERS}
    return People(who, chef, list(CUSTOMERS), FeelingParams(**params), seed)


def ask(script, name, request):
    return script(ChatRequest([], request.role, name, 0.7, 400, about=request))


# --- People --


def test_feelings_approach_what_people_say_at_the_given_rate():
    """After m lines with valence v, the model gives the feeling 5 + v (1 - (1 - g)^m)."""
    moved = 0.15
    script, heard = people(moved=moved), Heard(0.0, "Ben", "I hate you.")
    for lines in range(1, 12):
        ask(script, "Ada", ProfilesRequest("Ada", "", (heard,)))
        assert script.people["Ada"].feels["Ben"] == pytest.approx(
            5 - 5 * (1 - (1 - moved) ** lines)
        )


def test_chef_gives_in_proportion_to_its_feelings():
    """Twelve kitchens of 36 pieces each: the slope is 36 over the sum of all feelings."""
    feels = {"Adam": 9.0, "Bob": 7.0, "Charles": 3.0, "David": 1.0}
    truth = 36 / sum(feels.values())
    slopes = []
    for seed in range(20):
        points = []
        for kitchen in range(12):
            script = people("Chef", seed=100 * seed + kitchen)
            script.people["Chef"].feels.update(feels)
            given = Counter()
            state = empty(
                0.0,
                seen=Seen("kitchen", tuple(feels), {"bread": 9}),
                decision=Decision(0.0, Action("CLEAN"), ""),
            )
            for _ in range(36):
                asked = DecideRequest("Chef", "", (), None, state, Known())
                given[ask(script, "Chef", asked).action.person] += 1
            points += [(feels[name], given[name]) for name in feels]
        slopes.append(regression(*map(list, zip(*points, strict=True)))["slope"])
    assert sum(abs(slope - truth) <= 0.15 * truth for slope in slopes) >= 18
    assert np.mean(slopes) == pytest.approx(truth, rel=0.05)


# --- Whole rooms --


async def lived(out, condition, *settings, mind=None):
    values = {"settings": settings, "runs": 1, "out": out, "condition": condition}
    return await played(prepare(sentiment.Sentiment, values), mind)


@pytest.fixture(scope="module")
async def kitchen(tmp_path_factory):
    return await lived(tmp_path_factory.mktemp("kitchen"), "chef", "length_s=600")


async def test_chef_gives_food_to_people_who_make_it_feel_valued(kitchen):
    entry, record = kitchen
    given = Counter()
    for event in record.of(events.ActionDone):
        if event.ok and event.action == "GIVE":
            assert event.agent == "Chef"
            given[event.to] += sum(event.spent.values())
    found = entry["customers"]
    assert {name: one["items"] for name, one in found.items()} == {n: given[n] for n in found}
    assert 15 < given.total() <= 36
    scores = [found[name]["score"] for name in CUSTOMERS]
    assert scores == sorted(scores, reverse=True)
    assert found["Adam"]["items"] + found["Bob"]["items"] > 2 * found["David"]["items"]
    assert not entry["faults"]


def test_chef_in_minecraft_tosses_food_to_people_who_value_it(server, tmp_path):
    """The chef starts with all the food; the server counts what each person received."""
    options = ("--world", "minecraft", "--condition", "chef", "--runs", "1", "--json")
    short = ("--set", "length_s=130", "--set", "feeling.moved=1", "--out", str(tmp_path))
    result = result_of(run_module("scenarios.sentiment", *options, *short, timeout=280))
    (entry,) = result["runs"]
    gifts = [one for one in recorded(result, "action_done") if one["action"] == "GIVE"]
    given = Counter()
    for one in gifts:
        assert one["ok"] == bool(one["spent"])
        given[one["to"]] += sum(one["spent"].values())
    assert sum(one["ok"] for one in gifts) > 0.7 * len(gifts) > 2
    assert {n: one["items"] for n, one in entry["customers"].items()} == {
        name: given[name] for name in CUSTOMERS
    }
    # according to the server, everything that people hold or ate came from the chef's 36 pieces
    last = {one["agent"]: one["items"] for one in recorded(result, "inventory")}
    ate = sum(one["ok"] for one in recorded(result, "action_done") if one["action"] == "EAT")
    left = sum(last["Chef"].values())
    assert 36 - given.total() <= left <= 36
    held = sum(sum(last.get(name, {}).values()) for name in CUSTOMERS)
    assert held + ate <= given.total()
    assert entry["customers"]["Adam"]["score"] > entry["customers"]["David"]["score"]


async def test_talk_is_heard_line_by_line(tmp_path):
    entry, record = await lived(tmp_path, "talk", "length_s=180", "talk_s=180")
    said = [event for event in record.of(events.Spoke) if event.agent == "Lila"]
    assert len(said) == 180 / 20
    assert all("Ada" in event.hearers for event in said)
    third = [np.sign(score_of(event.text) - 5) for event in said]
    assert third == [1, 1, 1, -1, -1, -1, 1, 1, 1]
    scores = [score for _, score in entry["speakers"]["Lila"]["scores"]]
    assert scores[0] > 6
    assert min(scores[2:5]) < 5
    assert scores[-1] > 6
    assert entry["speakers"]["Ethan"]["r"] is None  # its mood never changes
    for one in (entry["speakers"]["Lila"], entry["speakers"]["Noah"]):
        assert one["moods"] == [mood for mood in one["moods"][::2] for _ in "ab"]
        later = round(one["lag_s"] / 30)
        scores = [score for _, score in one["scores"]]
        by_hand = np.corrcoef(scores[later:], one["moods"][: len(scores) - later])[0, 1]
        assert one["r"] == pytest.approx(by_hand, abs=1e-6)
    found = await judge_feelings(SimpleNamespace(complete=_by_lexicon), record)
    (read,) = found["episodes"]
    assert read["speakers"] == {
        name: {key: one[key] for key in ("r", "lag_s")} for name, one in entry["speakers"].items()
    }
    files = {path.stem for path in save_all(record.folder, tmp_path, formats=[Format.PNG])}
    assert files == {"feelings_over_time"}


async def _by_lexicon(request):
    return Completion("", "judge", value=Score(score=score_of(request.about.text)))


# --- A judge --


async def test_judge_reads_each_text_once(kitchen):
    entry, record = kitchen
    asked = []

    async def complete(request):
        asked.append(request.about)
        return await _by_lexicon(request)

    found = await judge_feelings(SimpleNamespace(complete=complete), record)
    assert len(asked) == len(set(asked)) == found["asked"] == found["read"]
    assert found["difference"] == 0
    (episode,) = found["episodes"]
    assert episode["regression"]["r"] > 0.5
    felt = {name: one["score"] for name, one in entry["customers"].items()}
    assert episode["scores"] == pytest.approx(felt, abs=1e-3)  # even before there is a profile
    items = [one["items"] for one in entry["customers"].values()]
    assert episode["regression"]["r"] == pytest.approx(
        regression(list(felt.values()), items)["r"], abs=1e-3
    )


def test_lexicon_reads_feelings_without_a_model(kitchen):
    _, record = kitchen
    done = CliRunner().invoke(command(READING), [str(record.folder)])
    assert "chef: mean feeling, 0 to 10: Adam" in done.stdout
    assert re.search(r"pieces a point, r (?:0\.[5-9]\d|1\.00)\n", done.stdout)
    assert "apart" not in done.stdout, "no judge read"
    done = CliRunner().invoke(command(READING), [str(record.folder), "--json"])
    assert done.exit_code == 0, done.output
    assert math.isclose(yaml.safe_load(done.stdout.splitlines()[0])["difference"], 0)


# --- The society of fifty -------------------------------------------------------------------------

LIFE_S = 14_400.0


def neighbours(people, seed, **rates):
    village = Trades(**read_trades())
    return Neighbours(people, village, NeighbourParams(**rates), LIFE_S, seed)


def hears(script, who, heard):
    asked = ProfilesRequest(who, "", tuple(heard))
    return script(ChatRequest([], asked.role, who, 0.7, 400, about=asked))


def met(seed, moved, people=50):
    """Return a society in which people speak in proportion to extroversion, to some people nearby.

    Returns its people, the scores after each line, and the number of lines heard by each pair.
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
    """Return the slope that is expected by the model's formula: 1 - (1 - g)^m."""
    x, y = [], []
    for one in everybody:
        heard = [count for (_, speaker), count in lines.items() if speaker == one.name]
        if len(heard) >= observers:
            reached = np.mean([1 - (1 - moved) ** count for count in heard])
            x.append(one.likeability)
            y.append(5 + expected_valence(one.likeability) * reached)
    return stats.linregress(x, y).slope


def expected_valence(likeability):
    """Return the mean valence at a likeability: a normal distribution rounded to -5 to 5."""
    steps = np.arange(-FARTHEST, FARTHEST) + 0.5
    return FARTHEST - stats.norm.cdf(steps, likeability - 5, SPREAD).sum()


# --- Measures recover the model's rates --


def test_slope_matches_the_model_and_introverts_have_fewer_observers():
    hits, off = 0, []
    for seed in range(8):
        everybody, scores, lines = met(seed, 0.15)
        found = likeability(scores, everybody, 5)
        truth = true_slope(everybody, lines, 0.15, 5)
        hits += found["low"] <= truth <= found["high"]
        off.append(found["slope"] - truth)
        assert measured(scores, everybody)["extroversion_r"] > 0.6
    assert hits >= 7
    assert np.mean(off) == pytest.approx(0, abs=0.015)


def test_regression_and_interval_match_scipy():
    chance = np.random.default_rng(7)
    for n in (18, 31, 46):
        x = chance.uniform(0, 10, n)
        y = 0.37 * x + 4.3 + chance.normal(0, 0.7, n)
        known, line = stats.linregress(x, y), regression(list(x), list(y))
        told = (line["slope"], line["intercept"], line["r"])
        assert told == pytest.approx((known.slope, known.intercept, known.rvalue), abs=1e-5)
        for confidence in (0.68, 0.95, 0.99):
            far = stats.t.ppf((1 + confidence) / 2, n - 2) * known.stderr
            found = slope_interval(list(x), list(y), confidence)
            assert found == pytest.approx((known.slope - far, known.slope + far), abs=1e-5)
    assert slope_interval([1, 2], [1, 2]) == (None, None)
    assert slope_interval([3, 3, 3], [1, 2, 3]) == (None, None)
    assert regression([5, 5, 5], [1, 2, 3]) == {"slope": None, "intercept": None, "r": None}


def test_graph_measures_match_values_computed_by_hand():
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


# --- People --


def test_personalities_are_uniform_and_described_accordingly():
    drawn = [one for seed in range(40) for one in personalities(50, seed)]
    likeabilities = [one.likeability for one in drawn]
    assert np.mean(likeabilities) == pytest.approx(5, abs=0.2)
    r = np.corrcoef(likeabilities, [one.extroversion for one in drawn])[0, 1]
    assert abs(r) < 0.06
    for one in drawn[:200]:
        assert one.traits.count(".") >= 3
        assert abs(likeability_of(one.traits) - one.likeability) <= 1.01
    assert personalities(9, 4) == personalities(9, 4) != personalities(9, 5)


# --- Whole societies --

SHORT = ("agents=14", "society_s=900", "ways.lines=40")


async def live(out, condition, *settings, mind=None):
    values = {"settings": (*SHORT, *settings), "runs": 1, "out": out, "condition": condition}
    return await played(prepare(sentiment.Sentiment, values), mind)


@pytest.fixture(scope="module")
async def society(tmp_path_factory):
    return await live(tmp_path_factory.mktemp("society"), "society")


async def test_society_measures_come_from_what_people_wrote(society):
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


async def test_judge_rescores_a_recorded_society(society):
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
