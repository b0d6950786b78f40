"""The society of fifty: perceived likeability follows the true one by as much as its rates say."""

from __future__ import annotations

import random
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import stats

from bots.agents.piano import (
    NO_INSIGHTS,
    Heard,
    Insight,
    Memory,
    ProfilesRequest,
    ReflectRequest,
    TalkRequest,
)
from bots.agents.piano.memory_store import MemoryStore
from bots.models import ChatRequest, Completion
from bots.models.typed import AnswerError
from records import events
from scenarios import sentiment
from scenarios.sentiment.lexicon import score_of
from scenarios.sentiment.neighbours import NeighbourParams, Neighbours, expected_valence, spoken
from scenarios.sentiment.personalities import Personality, likeability_of, personalities
from scenarios.sentiment.questions import LikeabilityRequest, Score
from scenarios.sentiment.reading import judge_feelings
from scenarios.sentiment.results import TABLES, show, summary
from scenarios.sentiment.scripted import profile
from scenarios.sentiment.society import likeability, measured, opinion_of, slope_interval
from tests.saying import answered, prompt_of, read_from
from tests.scenarios.test_roles_recovered import empty
from tests.scenarios.test_society_minds import played, prepare
from worlds.trades import Trades, read_trades

SEEDS = range(20)
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


@pytest.fixture(scope="module")
def societies():
    return [lived(seed, 0.15) for seed in SEEDS]


# --- Measures recover the model's rates ---


def test_the_slope_is_that_of_the_model(societies):
    hits, off = 0, []
    for everybody, scores, lines in societies:
        found = likeability(scores, everybody, 5)
        truth = true_slope(everybody, lines, 0.15, 5)
        hits += found["low"] <= truth <= found["high"]
        off.append(found["slope"] - truth)
    assert hits >= 18
    assert np.mean(off) == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize("moved", [0.15, 0.4])
def test_the_slope_rises_with_the_lines_that_are_heard(moved):
    """Everybody hears the same number of lines of everybody: slope m is 1 - (1 - g)^m of all."""
    everybody, rng = personalities(40, 1), random.Random(1)
    script = neighbours(everybody, 1, moved=moved)
    whole = stats.linregress(
        [one.likeability for one in everybody],
        [expected_valence(one.likeability) for one in everybody],
    ).slope
    for heard in range(1, 9):
        for one in everybody:
            for other in everybody[:20]:
                if other is not one:
                    line = Heard(float(heard), one.name, spoken(one.likeability, rng))
                    hears(script, other.name, [line])
        scores = {
            (other.name, name): score_of(profile(felt))
            for other in everybody[:20]
            for name, felt in script.people[other.name].feels.items()
        }
        slope = likeability(scores, everybody, 5)["slope"]
        assert slope == pytest.approx(whole * (1 - (1 - moved) ** heard), abs=0.035)


def test_more_observers_see_better(societies):
    by_k = {
        k: np.mean([likeability(scores, who, k)["r"] for who, scores, _ in societies])
        for k in (1, 5, 11)
    }
    assert by_k[1] < by_k[5] < by_k[11]


def test_introverts_are_known_to_fewer(societies):
    found = [measured(scores, who)["extroversion_r"] for who, scores, _ in societies]
    assert min(found) > 0.6


def test_who_is_never_moved_sees_nothing():
    everybody, scores, _ = lived(3, 0.0)
    found = likeability(scores, everybody, 5)
    assert found["n"] > 20
    assert found["slope"] == pytest.approx(0, abs=1e-9)
    assert found["low"] <= 0 <= found["high"]


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


def test_published_intervals_fit_their_table():
    """Table 1's r and n at 1, 5 and 11 observers come to the intervals that are published."""
    for observers, published in ((1, 0.234), (5, 0.269), (11, 0.278)):
        r, n, slope, _ = TABLES["society"][observers - 1]
        error = slope / r * ((1 - r**2) / (n - 2)) ** 0.5
        assert slope - stats.t.ppf(0.975, n - 2) * error == pytest.approx(published, abs=0.005)


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


def test_people_speak_as_often_as_they_are_extroverted():
    """Whoever has 10 says ``lines`` lines in the life, by the rate of a Poisson process."""
    spoke = Counter()
    for seed in range(30):
        people = [Personality("Ada", "", 8, 10), Personality("Ben", "", 8, 2.5)]
        script = neighbours(people, seed, lines=40)
        for t in np.arange(0.0, LIFE_S, 60.0):
            for one in people:
                asked = TalkRequest(one.name, "", None, empty(float(t)))
                answer = script(ChatRequest([], asked.role, one.name, 0.7, 400, about=asked))
                spoke[one.name] += answer.say is not None
    assert spoke["Ada"] / 30 == pytest.approx(40, rel=0.1)
    assert spoke["Ben"] / 30 == pytest.approx(10, rel=0.15)


def test_who_is_not_aware_of_others_feels_less_and_only_as_it_reflects():
    people = personalities(6, 0)
    script = neighbours(people, 0, moved=0.46, dulled=2.3)
    lines = [Heard(float(k), f"S{k}", "You are beloved.") for k in range(5)]
    memories = tuple(Memory(one.t, "", 0.3, one) for one in lines)
    asked = ReflectRequest("Ada", "", memories)
    request = ChatRequest([], asked.role, "Ada", 0.7, 400, about=asked)
    first, second = script(request).insights, script(request).insights
    assert len(first) == 3, "a mind keeps three insights"
    assert [one.partition(" ")[0] for one in second] == ["S3", "S4"]
    assert script.people["Ada"].feels["S3"] == pytest.approx(5 + 5 * 0.2)
    assert script(request) == NO_INSIGHTS
    hears(script, "Ben", [lines[0]])
    asked = ReflectRequest("Ben", "", memories)
    assert script(ChatRequest([], asked.role, "Ben", 0.7, 400, about=asked)) == NO_INSIGHTS


# --- Whole societies ---

SHORT = ("agents=14", "society_s=900", "ways.lines=40")


async def live(out, condition, *settings, mind=None):
    values = {"settings": (*SHORT, *settings), "runs": 1, "out": out, "condition": condition}
    return await played(prepare(sentiment.EXPERIMENT, values), mind)


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


async def test_without_social_awareness_opinions_are_insights(society, tmp_path):
    entry, record = await live(tmp_path, "society_ablated")
    assert not record.of(events.ProfileWritten)
    assert entry["edges"]
    whole = society[0]["by_observers"][0]["slope"]
    assert 0 < entry["by_observers"][0]["slope"] < whole


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


async def test_a_model_that_hates_everybody_has_a_slope_of_nothing(tmp_path):
    class Bitter:
        async def complete(self, request):
            prompt = prompt_of(request)
            if "# You saw what others did" in prompt:
                heard = prompt.partition("# You heard")[2].splitlines()
                who = [line.partition(":")[0] for line in heard if ': "You are' in line]
                return answered({"about": [{"name": n, "profile": "I hate him"} for n in who]})
            if request.role == "decide":
                return answered({"action": {"do": "GO", "place": "market"}})
            return answered({"say": "You are kind."})

    entry, _ = await live(tmp_path, "society", "society_s=300", mind=Bitter())
    assert {score for _, _, score in entry["edges"]} == {0.0}
    assert entry["by_observers"][0]["slope"] == pytest.approx(0, abs=1e-9)


def test_the_last_insight_that_names_somebody_is_an_opinion():
    memory = MemoryStore()
    memory.add(1.0, "Ben is nice", 0.8, about=Insight())
    memory.add(2.0, "Benno is cruel", 0.8, about=Insight())
    memory.add(3.0, "Ben said: I am here", 0.3, about=Heard(3.0, "Ben", "I am here"))
    agent = SimpleNamespace(profiles=None, memory=memory)
    assert opinion_of(agent, "Ben") == "Ben is nice"
    assert opinion_of(agent, "Cora") == ""
    agent.profiles = {"Ben": "To me: kind."}
    assert opinion_of(agent, "Ben") == "To me: kind."


def test_tables_stand_beside_those_published(society, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    entry, _ = society
    result = {**summary([entry]), "runs": [entry], "mind": "scripted", "run_dir": "."}
    show(result)
    told = capsys.readouterr().out
    assert "31, 0.81, 0.37, 4.33" in told
    assert result["conditions"]["society"]["slope"] == entry["by_observers"][4]["slope"]


def test_a_judges_likeability_is_a_number():
    asked = LikeabilityRequest("Ada", "You are kind.")
    assert read_from(asked, {"score": 8}) == 8
    with pytest.raises(AnswerError):
        read_from(asked, {"score": "very"})
