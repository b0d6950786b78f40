"""The spread of a religion: who says what to whom, and how that grows."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest

from experiments.society_protocol import Setup
from records import events, read_record
from scenarios.religion import Religion
from scenarios.religion.measures import DIRECT, INDIRECT, union_of_discs
from tests.conftest import run_module

SERVER_OPTIONS = ("--speed", "4")


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


def test_levels_rise_by_what_is_said_and_only_rise(spread):
    (run,) = spread["runs"]
    record = read_record(Path(spread["run_dir"]))
    assert record.problems == []
    level, heard = {}, {}
    for event in record.events:
        if isinstance(event, events.Spoke):
            said = 2 if DIRECT.search(event.text) else 1 if INDIRECT.search(event.text) else 0
            level[event.agent] = max(said, level.get(event.agent, 0))
            assert event.agent not in event.hearers
            for hearer in event.hearers if said == 2 else ():
                heard.setdefault(hearer, event.agent)
    told = [(event.agent, event.level) for event in record.of(events.Converted)]
    assert len(told) == len(set(told))
    assert {agent: max(lv for a, lv in told if a == agent) for agent, _ in told} == {
        agent: lv for agent, lv in level.items() if lv
    }
    priests = set(country().priests)
    direct = [agent for agent, lv in level.items() if lv == 2 and agent not in priests]
    assert run["direct"] == len(direct) > 5
    # Nobody believes who was not told: every convert has a first exposure.
    assert all(agent in heard for agent in direct)
    assert run["critical_edges"] == len(direct)


def test_it_rises_and_does_not_saturate(spread):
    counts = [row["direct"] for row in spread["runs"][0]["over_time"]]
    assert counts == sorted(counts)
    assert counts[-1] > counts[len(counts) // 2] > 0
    assert counts[-1] < 240


def test_memes_are_counted_by_town_over_time(spread):
    (run,) = spread["runs"]
    record = read_record(Path(spread["run_dir"]))
    homes = country().homes
    goals = record.of(events.GoalSet)
    assert all(event.home == homes[event.agent] for event in goals)
    last = {event.agent: event for event in goals}
    for town, memes in run["over_time"][-1]["memes"].items():
        for meme, count in memes.items():
            assert count == sum(e.home == town and meme in e.text for e in last.values())
    assert run["over_time"][-1]["memes"] == run["memes"]
    assert run["over_time"][1]["memes"] != run["memes"]


def test_without_talk_nobody_converts(tmp_path):
    found = play("--set", "length_s=600", "--set", "faith.speaking=0", "--out", str(tmp_path))
    assert found["mean"] == {"direct": 0, "indirect": 0}
    record = read_record(Path(found["run_dir"]))
    assert not record.of(events.Spoke)


def test_with_perfect_mixing_the_curve_is_the_logistic_it_must_be(tmp_path):
    """Each faithful one converts each of k hearers out of all, p of those who do not believe yet.

    Then dI/dt = r k p I (N - I) / (N - 1), r being preaching a second (one in 20 s).
    """
    n, first, k, p, talk_s = 500, 33, 4, 0.1, 20.0
    found = play(
        *("--agents", str(n), "--set", f"mixing={k}", "--set", f"faith.conversion={p}"),
        *("--set", "faith.speaking=1", "--set", "faith.preaching=1", "--set", "priests=33"),
        *(
            "--set",
            "length_s=900",
            "--set",
            "modules={perception: 5, social_awareness: 5, talking: 20}",
        ),
        *("--runs", "2", "--out", str(tmp_path)),
    )
    rate = k * p / talk_s * n / (n - 1)
    for row in range(3):
        t = found["runs"][0]["over_time"][row]["t"]
        # To hear, to think and to speak takes a while: half of each period on average.
        lag = 5 / 2 + 5 / 2 + talk_s / 2
        grown = [run["over_time"][row]["direct"] + first for run in found["runs"]]
        low = n / (1 + (n / first - 1) * math.exp(-rate / (1 + rate * lag) * t))
        high = n / (1 + (n / first - 1) * math.exp(-rate * t))
        assert 0.85 * low <= np.mean(grown) <= 1.15 * high, (t, grown, low, high)


def test_the_union_of_circles():
    assert union_of_discs([], 16) == 0
    one = union_of_discs([(0.0, 0.0)], 16)
    assert one == pytest.approx(math.pi * 256, rel=0.05)
    assert union_of_discs([(0.0, 0.0), (0.0, 0.0)], 16) == one
    assert union_of_discs([(0.0, 0.0), (500.0, 0.0)], 16) == pytest.approx(2 * one, rel=0.05)
    assert one < union_of_discs([(0.0, 0.0), (16.0, 0.0)], 16) < 2 * one


def test_more_people_live_in_more_of_the_same_country():
    small, large = country(), country(agents=2000)
    assert len(small.homes) == 500
    assert sum(town == "Meadowbrook" for town in small.homes.values()) == 33
    assert sum(town == "the country" for town in small.homes.values()) == 302
    assert len(large.homes) == 2000
    assert len(large.places) == 24
    assert len(small.priests) == len(large.priests) == 20


def test_thousands_live_in_one_country(tmp_path):
    found = play("--agents", "10000", "--set", "length_s=40", "--out", str(tmp_path))
    assert found["runs"][0]["agents"] == 10_000


def test_two_villages_in_minecraft(server, tmp_path):
    found = play(
        *("--world", "minecraft", "--agents", "6", "--set", "length_s=120"),
        *("--set", "faith.conversion=1", "--set", "faith.speaking=1", "--set", "faith.preaching=1"),
        *("--set", "modules={perception: 2, social_awareness: 3, controller: 5, talking: 4, "
          "skill_execution: 1}"),
        *("--set", "hearing_blocks=24", "--out", str(tmp_path)),
    )  # fmt: skip
    (run,) = found["runs"]
    assert run["agents"] == 6
    record = read_record(Path(found["run_dir"]))
    assert not record.of(events.Fault)
    assert record.of(events.Chat)  # what is said is in the server's chat
