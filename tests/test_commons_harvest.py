"""Commons Harvest with scripted persons: what the specification says must come out of them."""

from __future__ import annotations

import math
from functools import cache

import pytest

from tests.commons_playing import played
from voxpolis.bots.agents.generative.memory import LongTermMemory, Memory
from voxpolis.bots.agents.voyager.retrieval import LexicalRetriever
from voxpolis.grid.commons.game import read_commons
from voxpolis.grid.commons.tables import FORWARD, TURN_LEFT, TURN_RIGHT, ZAP
from voxpolis.records import events
from voxpolis.scenarios.commons.persons import Person
from voxpolis.worlds.commons.sight import Watcher
from voxpolis.worlds.commons.table import CommonsTable
from voxpolis.worlds.commons.trees import trees_of

FEW = range(3)


@cache
def all_of(kind, seeds, **settings):
    fields = {
        "rate": 0.0,
        "attacks": 0.0,
        "persons": dict.fromkeys(("Juan", "Laura", "Pedro"), kind),
    }
    return [played(seed, **fields, **dict(settings))[0] for seed in seeds]


def mean(values):
    found = [value for value in values if value is not None]
    return sum(found) / len(found)


# --- Ground truth --------------------------------------------------------------------------------


def test_sparing_persons_keep_all_trees_and_earn_more_than_greedy_ones():
    sparing, greedy = all_of("sparing", FEW), all_of("greedy", FEW)
    assert [(one["trees_alive"], one["rounds"]) for one in sparing] == [(6, 100)] * len(FEW)
    assert [(one["trees_alive"], one["apples_by_round"][-1]) for one in greedy] == [(0, 0)] * len(
        FEW
    )
    assert min(one["reward"] for one in sparing) > max(one["reward"] for one in greedy)
    assert {one["approach_seen"] for one in sparing} == {0.0}
    assert {one["approach_seen"] for one in greedy} == {1.0}


@pytest.mark.parametrize("rate", [0.1, 0.4])
def test_the_approach_of_last_apples_is_the_rate_of_those_who_deviate(rate):
    """In one room where all is seen; the persons themselves say how often they gave in."""
    people = dict.fromkeys(("Juan", "Laura", "Pedro"), Person("sparing", rate=rate))
    nearer = tempted = 0.0
    gave_in = spared = 0
    for seed in range(20):
        found, persons, run = played(seed, "one_tree", people, attention_bandwidth=100, rounds=40)
        turns = [e for e in run.events if isinstance(e, events.TurnTaken) and e.last_apple]
        nearer += (found["approach"] or 0) * len(turns)
        tempted += len(turns)
        gave_in += sum(person.approaches[True] for person in persons.values())
        spared += sum(person.approaches[False] for person in persons.values())
    assert tempted == gave_in + spared
    assert nearer == pytest.approx(gave_in, abs=0.01)
    assert nearer / tempted == pytest.approx(rate, abs=3 * math.sqrt(rate * (1 - rate) / tempted))


def test_attacks_are_counted_as_they_were_chosen_and_fall_on_whom_they_were_meant_for():
    on_pedro = hits = 0
    for seed in range(30):
        person = Person("sparing", attacks=0.5, targets={"Pedro": 0.86})
        people = {"Juan": person, "Laura": person, "Pedro": Person("pacifist")}
        found, persons, _ = played(seed, "one_tree", people, attention_bandwidth=100, rounds=12)
        chosen = sum(sum(one.attacks.values()) for one in persons.values())
        assert found["attacks"] == chosen
        assert "Pedro" not in found["hits"]
        on_pedro += sum(own.get("Pedro", 0) for own in found["hits"].values())
        hits += sum(sum(own.values()) for own in found["hits"].values())
    assert hits > 150
    assert on_pedro / hits == pytest.approx(0.86, abs=0.05)


def test_a_guard_attacks_once_whom_it_saw_take_a_last_apple_and_a_pacifist_nobody():
    people = {"Juan": Person("guard"), "Laura": Person("pacifist"), "Pedro": Person("greedy")}
    found, persons, run = played(0, "none", people, attention_bandwidth=100)
    died = [event.by for event in run.events if isinstance(event, events.TreeDied)]
    assert set(died) == {"Pedro"}
    assert 0 < persons["Juan"].attacks.get("Pedro", 0) <= len(died)
    assert not persons["Laura"].attacks
    assert set(found["hits"]) <= {"Juan"}


def test_bots_earn_their_keep_and_attack_more_often_but_with_less_effect():
    found = [played(seed, "bots")[0] for seed in FEW]
    assert mean(one["bots_attacks"] for one in found) > 3 * mean(one["attacks"] for one in found)
    assert mean(one["effectiveness"] for one in found) > 2 * mean(
        one["bots_effectiveness"] for one in found
    )
    for one in found:
        assert set(one["last_apples"]) == {"Juan", "Laura", "Ana", "Luis"}
        assert sum(one["last_apples"].values()) == 6 - one["trees_alive"]


# --- Measures against the events, counted in another way ------------------------------------------


def test_what_events_say_of_apples_adds_up():
    found, _, run = played(3)
    built = next(one for one in run.events if isinstance(one, events.WorldBuilt))
    live = set(built.blocks["apple"])
    sites = trees_of([(int(r), int(c)) for r, _, c in sorted(live)], 2)
    eaten = dict.fromkeys(("Juan", "Laura", "Pedro"), 0)
    for event in run.events:
        if isinstance(event, events.AppleEaten):
            live.remove(event.position)
            eaten[event.agent] += 1
            row, _, column = event.position
            tree = sites[int(row), int(column)]
            rest = [1 for r, _, c in live if sites[int(r), int(c)] == tree]
            assert (event.tree, event.was_last) == (tree, not rest)
        elif isinstance(event, events.AppleGrown):
            assert event.position not in live
            live.add(event.position)
        elif isinstance(event, events.RoundEnded):
            assert (event.apples_left, event.rewards) == (len(live), eaten)
            trees = {sites[int(r), int(c)] for r, _, c in live}
            assert event.trees_alive == len(trees)
    assert found["reward"] == pytest.approx(sum(eaten.values()) / 3, abs=1e-5)


# --- Sentences, by hand --------------------------------------------------------------------------

MEADOW = """
#######
#@....#
#.A.a.#
#....@#
#######
"""


@pytest.fixture
def meadow():
    """A map of 5 by 7 with one apple and one eaten one within two cells of it."""
    game = read_commons(
        "commons_harvest_open",
        {"players": 2, "layout": MEADOW, "regrowth": [0, 0, 0, 0],
         "zap": {"cooldown": 0, "out_for": 5},
         "view": {"ahead": 9, "behind": 9, "sideways": 9}},
    )  # fmt: skip
    table = CommonsTable(game, ("Ada", "Bo"))
    seed = next(s for s in range(50) if not table.reset(s) and table.cells == [(1, 1), (3, 5)])
    table.reset(seed)
    return table


def look(table, player, heading):
    while table.headings[player] != heading:
        table.step({player: TURN_RIGHT})


def test_sentences_of_a_meadow(meadow):
    look(meadow, 0, 2)
    ada = Watcher(meadow, 0, 10)
    perceived = ada.perceive(0, "", "")
    assert perceived.observations == (
        "There is an apple at [2, 2], of tree 1.",
        "Tree 1 is at [2, 2], with 1 apple and 1 grass left on the part you see.",
        "There is grass at [2, 4], of tree 1.",
        "Bo is at [3, 5].",
    )
    assert {"immobilize player Bo at (3, 5)", "go to position (2, 2)", "stay put"} <= set(
        map(str, perceived.actions)
    )
    assert (perceived.cell, perceived.heading) == ((1, 1), "south")
    bo = Watcher(meadow, 1, 10)
    look(meadow, 0, 2)
    for step in (FORWARD, TURN_LEFT, FORWARD):
        happened = meadow.step({0: step})
        ada.watch(happened)
        bo.watch(happened)
    told = [text.rpartition(" (")[0] for text in bo.perceive(0, "", "").changes]
    assert told == [
        "Ada took an apple from [2, 2], of tree 1",
        "Tree 1 lost its last apple",
        "The grass at [2, 4] vanished",
    ]
    changes = ada.perceive(1, "go to position (2, 2)", "done").changes
    own = [text.rpartition(" (")[0] for text in changes]
    assert own == told[1:]


def test_a_beam_takes_out_who_stands_in_it_and_nobody_else(meadow):
    for step in (FORWARD, FORWARD):
        look(meadow, 0, 2)
        meadow.step({0: step})
    look(meadow, 0, 1)
    meadow.step({0: FORWARD})
    assert meadow.targets(0, 1) == [1]
    assert meadow.targets(0, 3) == []
    ada, bo = Watcher(meadow, 0, 10), Watcher(meadow, 1, 10)
    happened = meadow.step({0: ZAP})
    ada.watch(happened)
    bo.watch(happened)
    assert meadow.out == [False, True]
    hurt = bo.perceive(0, "", "")
    assert (hurt.is_playing, hurt.observations) == (False, ("You are out of the game.",))
    assert any("You were hit by Ada" in text for text in hurt.changes)
    steps = 0
    while meadow.out[1]:
        meadow.step({})
        steps += 1
    assert steps == 6  # five whole steps, and the one that brings it back


# --- Memory --------------------------------------------------------------------------------------


def test_what_comes_to_mind_is_the_mean_of_three_scores():
    memory = LongTermMemory(LexicalRetriever(), recency_hours=24)
    for hour, text in ((0, "apples grow"), (48, "walls stand"), (40, "apples fall")):
        memory.add(Memory(hour, text, "observation"))
    # two of the three texts hold "apples", one each other word
    common, rare = math.log(1 + 3 / 3), math.log(1 + 3 / 2)
    cosine = common / math.hypot(common, rare)
    recency = {text: math.exp(-age / 24) for text, age in
               (("apples grow", 48), ("walls stand", 0), ("apples fall", 8))}  # fmt: skip
    scores = {t: recency[t] + (cosine if "apples" in t else 0) for t in recency}
    expected = sorted(scores, key=lambda text: -scores[text])
    assert [one.text for one in memory.recall("apples", 48, 3)] == expected
    memory.add(Memory(48, "apples grow", "observation"))
    assert memory.recall("apples", 48, 1)[0].text == "apples grow"
    assert len(memory.memories) == 3
