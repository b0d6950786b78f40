"""The spread of a religion: who says what to whom, and how the number of believers grows."""

from __future__ import annotations

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT, run_module
from tests.endpoint import completion, serving
from tests.saying import read_from
from voxpolis.bots.models.typed import AnswerError
from voxpolis.experiments.loops.society.scenario import Setup
from voxpolis.records import events, read_record
from voxpolis.scenarios.religion import Religion
from voxpolis.scenarios.religion.measures import (
    WORDS,
    BelievesRequest,
    SummaryRequest,
    TopicsRequest,
    level_of,
    memes_in,
    union_of_discs,
)
from voxpolis.scenarios.religion.population import archetypes, name_of


def play(*options):
    ran = run_module("scenarios.religion", *options, "--json", timeout=280)
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout)


def country(world="grid", **settings):
    return Religion(**settings).country(Setup("spread", 0, world))


@pytest.fixture(scope="module")
def spread(tmp_path_factory):
    out = tmp_path_factory.mktemp("runs")
    return play("--set", "length_s=1500", "--set", "faith.conversion=0.1", "--out", str(out))


def test_levels_rise_with_utterances_and_never_fall(spread):
    (run,) = spread["runs"]
    record = read_record(Path(spread["run_dir"]))
    assert record.problems == []
    level, heard = {}, {}
    for event in record.events:
        if isinstance(event, events.Spoke):
            said = level_of(event.text)
            level[event.agent] = max(said, level.get(event.agent, 0))
            assert event.agent not in event.hearers
            for hearer in event.hearers if said else ():
                heard.setdefault(hearer, event.agent)
    told = [(event.agent, event.level) for event in record.of(events.Converted)]
    assert len(told) == len(set(told))
    assert {agent: max(lv for a, lv in told if a == agent) for agent, _ in told} == {
        agent: lv for agent, lv in level.items() if lv
    }
    priests = set(country().priests)
    direct = [agent for agent, lv in level.items() if lv == 2 and agent not in priests]
    assert run["direct"] == len(direct) > 5
    said = record.of(events.Spoke)
    assert run["exposures_direct"] == sum(len(e.hearers) for e in said if level_of(e.text) == 2)
    named = [event for event in said if level_of(event.text)]
    assert run["exposures"] == sum(len(event.hearers) for event in named)
    assert run["exposures"] > run["exposures_direct"]
    # All believers heard of the faith: every convert has a first exposure.
    assert all(agent in heard for agent in direct)
    assert run["critical_edges"] == len(direct)


def test_perfect_mixing_gives_the_logistic_curve(tmp_path):
    """Each faithful person converts, with probability p, each of k random hearers who do not
    believe yet.

    Then dI/dt = r k p I (N - I) / (N - 1), where r is the rate of preaching (once in 20 s).
    """
    n, first, k, p, talk_s = 500, 33, 4, 0.1, 20.0
    found = play(
        *("--agents", str(n), "--set", f"mixing={k}", "--set", f"faith.conversion={p}"),
        *("--set", "faith.speaking=1", "--set", "faith.preaching=1", "--set", "priests=33"),
        *("--set", "length_s=240", "--out", str(tmp_path)),
        *("--set", "modules={perception: 5, social_awareness: 5, talking: 20}"),
    )
    rate = k * p / talk_s * n / (n - 1)
    (run,) = found["runs"]
    last = run["over_time"][-1]
    t = last["t"]
    assert t == 240
    # Hearing, thinking and speaking take half of each period on average.
    lag = 5 / 2 + 5 / 2 + talk_s / 2
    grown = last["direct"] + first
    low = n / (1 + (n / first - 1) * math.exp(-rate / (1 + rate * lag) * t))
    high = n / (1 + (n / first - 1) * math.exp(-rate * t))
    assert high < 0.95 * n  # late enough to measure, and early enough to be far from saturation
    assert 0.85 * low <= grown <= 1.15 * high, (t, grown, low, high)


def test_union_of_discs_counts_overlaps_once():
    assert union_of_discs([], 16) == 0
    one = union_of_discs([(0.0, 0.0)], 16)
    assert one == pytest.approx(math.pi * 256, rel=0.05)
    assert union_of_discs([(0.0, 0.0), (0.0, 0.0)], 16) == one
    assert union_of_discs([(0.0, 0.0), (500.0, 0.0)], 16) == pytest.approx(2 * one, rel=0.05)
    assert one < union_of_discs([(0.0, 0.0), (16.0, 0.0)], 16) < 2 * one


# --- People, memes and areas ---------------------------------------------------------------------


def test_memes_are_found_as_whole_words():
    sentences = yaml.safe_load((ROOT / "tests" / "data" / "meme_sentences.yaml").read_text())
    for text, topics in sentences:
        assert sorted(memes_in(text)) == sorted(topics), text
    assert {topic for _, topics in sentences for topic in topics} == set(WORDS)


@pytest.mark.parametrize(
    ("level", "texts"),
    [
        (2, ("a pastafarian", "Pastafarians!", "the PASTAFARIAN'S hat", "Pastafarianism")),
        (
            2,
            (
                "Spaghetti Monster",
                "spaghetti  monster's",
                "Spaghetti-Monster",
                "spaghetti\nMonster",
            ),
        ),
        (2, ("Spaghetti - Monsters", "SpaghettiMonster", "Pasta for every Pastafarian")),
        (
            1,
            (
                "pasta?",
                "two Pastas",
                "Spaghettis!",
                "my spaghetti's cold",
                "a spaghetti, a monster",
            ),
        ),
        (0, ("antipasta", "impastable", "pastafari", "spaghettification", "a monster", "")),
    ],
)
def test_keywords_are_whole_words(level, texts):
    assert {text: level_of(text) for text in texts} == dict.fromkeys(texts, level)


def test_a_small_country_says_that_it_has_fewer_priests(tmp_path):
    options = ("--agents", "150", "--set", "length_s=200", "--out", str(tmp_path))
    note = "10 priests instead of 20: all priests live in Meadowbrook, which is too small"
    ran = run_module("scenarios.religion", *options)
    assert (note in ran.stderr, note in ran.stdout) == (True, True)
    assert play(*options)["note"].startswith(note)
    assert play(*options, "--set", "priests=10")["note"] == ""


def test_people_differ_in_name_character_and_items():
    assert len({one.name for one in archetypes()}) == len(archetypes()) >= 60
    names = [name_of(number) for number in range(100_000)]
    assert len(set(names)) == 100_000
    assert all(re.fullmatch(r"(?=.{2,16}$)[A-Za-z]+[0-9]*", name) for name in names)
    here, again, large = country(), country(), country(agents=2000)
    assert len({here.traits(name).partition(". ")[2] for name in here.homes}) >= 61
    assert all(3 <= len(one.holds) <= 5 for one in here.residents)
    assert [one.name for one in again.residents] == [one.name for one in here.residents]
    assert (len(here.homes), len(large.homes), len(large.places)) == (500, 2000, 24)
    assert len(here.priests) == len(large.priests) == 20


# --- Read by a model -----------------------------------------------------------------------------


def test_answers_of_country_readers_are_checked_and_normalised():
    for bad in ({"believes": "perhaps"}, {}):
        with pytest.raises(AnswerError, match="believes"):
            read_from(BelievesRequest("Hm."), bad)
    topics = [{"name": "a", "keywords": ["x", "Y"]}, {"name": "b"}, {"name": "A", "keywords": "z"}]
    topics.append({"name": "A", "keywords": ["z", "x"]})
    assert read_from(TopicsRequest(()), {"topics": topics}) == {"a": ["x", "y", "z"]}
    assert read_from(TopicsRequest(()), {"topics": []}) == {}
    period = {"from_s": 0, "until_s": 9, "about": "it", "keywords": ["x", "y"]}
    assert read_from(SummaryRequest(()), {"periods": [period]}) == "- 0 s to 9 s: it [x, y]"


def test_recorded_country_is_read_from_the_command_line(spread):
    ran = run_module("scenarios.religion.reading", spread["run_dir"], "--json")
    assert ran.returncode == 0, ran.stderr
    result = json.loads(ran.stdout)
    assert result["mind"] == "scripted"
    assert result["conversions"]["precision"] == 1.0
    assert json.loads((Path(spread["run_dir"]) / "reading.json").read_text()) == result
    refused = run_module("scenarios.religion.reading", "nowhere")
    assert refused.returncode == 2
    assert refused.stderr == "error: cannot read nowhere: there is no run folder nowhere\n"


def test_a_reader_without_usable_answers_leaves_the_earlier_reading(spread):
    reading = Path(spread["run_dir"]) / "reading.json"
    reading.write_text("{}")
    words = ["-m", "scenarios.religion.reading", spread["run_dir"], "--model", "dull"]
    with serving(lambda _: (200, completion("Hm?"))) as endpoint:
        words += ["--model", "local", "--base-url", endpoint.url]
        ran = subprocess.run(
            [sys.executable, *words], cwd=ROOT, capture_output=True, text=True, check=False
        )
    assert (ran.returncode, "was usable" in ran.stderr) == (1, True), ran.stderr
    assert reading.read_text() == "{}"
