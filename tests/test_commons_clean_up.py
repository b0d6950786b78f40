"""Clean Up with scripted persons: what must come out of them by the rules of the game."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import pytest

from tests.commons_playing import (
    assert_gone_on_with,
    assert_replayed,
    assert_same,
    played,
    run_of,
)
from tests.test_commons_harvest import look
from voxpolis.analysis.figures import FIGURES
from voxpolis.analysis.loading import load
from voxpolis.grid.commons.game import read_commons
from voxpolis.grid.commons.tables import CLEAN
from voxpolis.records import events
from voxpolis.records.measures import gini
from voxpolis.scenarios.commons.persons import Person
from voxpolis.worlds.commons.actions import Clean, Stay, carry_out
from voxpolis.worlds.commons.sight import Watcher
from voxpolis.worlds.commons.table import CommonsTable

SEEDS = range(4)
CLEANER, EATER, SHARER = Person("cleaner"), Person("eater"), Person("sharer")
MIXES = {
    "cleaners": (CLEANER, CLEANER, CLEANER),
    "two clean": (CLEANER, CLEANER, EATER),
    "one cleans": (CLEANER, EATER, EATER),
    "eaters": (EATER, EATER, EATER),
    "sharers": (SHARER, SHARER, SHARER),
}


@cache
def games(mix, *, simultaneous=False):
    """Measures, persons and runs of a few games of a mix of persons."""
    people = dict(zip(("Juan", "Laura", "Pedro"), MIXES[mix], strict=True))
    fields = {"game": "clean_up", "simultaneous": simultaneous}
    return [played(seed, "none", people, **fields) for seed in SEEDS]


def apples(found):
    return [own["apples"] for own in found["by_agent"].values()]


# --- Ground truth --------------------------------------------------------------------------------


@pytest.mark.parametrize("simultaneous", [False, True])
def test_nobody_eats_where_nobody_cleans_and_none_are_eaten_where_all_clean(simultaneous):
    """The river is too dirty for apples at first, and gets dirtier; cleaners never leave it."""
    for found, _, run in games("eaters", simultaneous=simultaneous):
        assert (apples(found), found["cleaning"], found["cleaned"]) == ([0, 0, 0], 0, 0)
        assert not [one for one in run.events if isinstance(one, events.AppleGrown)]
        dirt = found["dirt_by_round"]
        assert dirt == sorted(dirt)
        assert dirt[-1] > dirt[0] > 0.4
    for found, _, run in games("cleaners", simultaneous=simultaneous):
        assert apples(found) == [0, 0, 0]
        assert found["dirt_by_round"][0] > 0.4
        assert found["dirt_by_round"][-1] < 0.1
        assert any(isinstance(one, events.AppleGrown) for one in run.events)


@pytest.mark.parametrize("simultaneous", [False, True])
def test_who_eats_lives_on_who_cleans(simultaneous):
    """The more clean, the cleaner the river; only those who eat have apples."""
    dirt = {
        mix: [found["dirt"] for found, _, _ in games(mix, simultaneous=simultaneous)]
        for mix in MIXES
    }
    order = ("cleaners", "two clean", "one cleans", "eaters")
    for more, fewer in pairwise(order):
        assert sum(dirt[more]) < sum(dirt[fewer])
    for mix, clean in (("two clean", 2), ("one cleans", 1)):
        for found, _, _ in games(mix, simultaneous=simultaneous):
            eaten = apples(found)
            assert eaten[:clean] == [0] * clean
            assert min(eaten[clean:]) > 0


def test_one_cleaner_feeds_two_better_than_two_feed_one_and_sharing_is_fairer():
    welfare = {mix: [sum(apples(found)) for found, _, _ in games(mix)] for mix in MIXES}
    assert sum(welfare["one cleans"]) > sum(welfare["two clean"])
    assert min(welfare["two clean"] + welfare["sharers"]) > 0
    ginis = {mix: [gini(apples(one[0])) for one in games(mix)] for mix in MIXES}
    assert min(ginis["one cleans"]) > 1 / 2 - 1e-6  # one of three has nothing
    assert ginis["two clean"] == [1] * len(SEEDS)  # one of three has all
    assert max(ginis["sharers"]) < 1 / 2


def test_acts_of_cleaning_are_those_that_were_chosen():
    for found, persons, run in games("two clean"):
        for name, person in persons.items():
            assert found["by_agent"][name]["cleaning"] == person.cleaned
        cleaned = run.table._state.cleaned[0].tolist()
        assert [own["cleaned"] for own in found["by_agent"].values()] == cleaned
        assert found["cleaning"] == sum(person.cleaned for person in persons.values())


def test_what_events_say_of_the_river_adds_up():
    found, _, run = games("one cleans")[0]
    built = next(one for one in run.events if isinstance(one, events.WorldBuilt))
    dirt = {(int(r), int(c)) for r, _, c in built.blocks["dirt"]}
    assert (len(dirt), len(run.table.river)) == (79, 147)
    parts = []
    for event in run.events:
        if isinstance(event, events.PilesChanged):
            for name, r, c, is_there in event.piles:
                if name == "dirt":
                    assert ((r, c) in dirt) != bool(is_there)
                    (dirt.add if is_there else dirt.discard)((r, c))
        elif isinstance(event, events.RoundEnded):
            assert event.dirt == pytest.approx(len(dirt) / 147, abs=1e-6)
            assert event.trees_alive is None
            parts.append(event.dirt)
    assert found["dirt_by_round"] == parts
    assert found["dirt"] == pytest.approx(sum(parts) / len(parts), abs=1e-6)


# --- Sentences and actions, by hand --------------------------------------------------------------

BROOK = """
#########
#@..rd..#
#...dr.a#
#....@..#
#########
"""


@pytest.fixture
def brook():
    """A map of 5 by 9 with four cells of a river, two of them dirty, in which nothing changes."""
    game = read_commons(
        "clean_up",
        {"players": 2, "layout": BROOK, "zap": {"cooldown": 0, "out_for": 5},
         "river": {"growth": 0, "threshold": 0.4, "dirt": 0, "quiet_steps": 0, "cooldown": 2},
         "view": {"ahead": 9, "behind": 9, "sideways": 9}},
    )  # fmt: skip
    table = CommonsTable(game, ("Ada", "Bo"))
    seed = next(s for s in range(50) if not table.reset(s) and table.cells == [(1, 1), (3, 5)])
    table.reset(seed)
    return table


def test_sentences_of_a_brook(brook):
    perceived = Watcher(brook, 0, 10).perceive(0, "", "")
    assert perceived.observations == (
        "The river is at [1, 4], with 2 dirty and 2 clean cells on the part you see.",
        "The river is dirty at [1, 5].",
        "The river is dirty at [2, 4].",
        "Bo is at [3, 5].",
        "The orchard is at [2, 7], with 0 apples and 1 place without one on the part you see.",
    )
    assert {"clean the river at (1, 5)", "clean the river at (2, 4)", "go to position (1, 4)",
            "go to position (2, 7)", "immobilize player Bo at (3, 5)"
            } <= set(map(str, perceived.actions))  # fmt: skip
    assert set(perceived.landmarks) == {"river", "orchard"}


def test_cleaning_takes_the_first_dirt_of_each_row_and_is_told(brook):
    look(brook, 0, 1)
    watchers = [Watcher(brook, i, 10) for i in range(2)]
    doing, steps = carry_out(brook, 0, Clean((1, 5))), []
    while True:
        try:
            step = next(doing)
        except StopIteration as done:
            outcome = done.value
            break
        happened = brook.step({0: step})
        steps.append(step)
        for watcher in watchers:
            watcher.watch(happened)
    assert (steps.count(CLEAN), outcome) == (1, "done")
    assert brook.cells[0] == (1, 4 - 2)  # two steps further on the beam's three cells reach it
    assert brook.dirt == frozenset()  # the one in the row beside, too
    for watcher, who in zip(watchers, ("You", "Ada"), strict=True):
        (told,) = watcher.perceive(0, "", "").changes
        assert told.startswith(f"{who}, at [1, 2], cleaned 2 cells of the river (")
    assert next(carry_out(brook, 0, Stay())) == 0
    with pytest.raises(StopIteration, match="it is clean already"):
        next(carry_out(brook, 0, Clean((1, 5))))


# --- Whole runs, by the command ------------------------------------------------------------------

GAME = ("--game", "clean_up")


def test_a_run_is_what_persons_do_without_prompts_and_is_replayed(tmp_path):
    words = [*GAME, "--set", "rounds=12", "--seed", "5", "--condition", "selfish"]
    code, result, record = run_of(tmp_path, *words)
    assert code == 0
    direct, _, _ = played(5, "selfish", rounds=12, game="clean_up")
    (entry,) = result["runs"]
    assert_same(entry, direct)
    assert entry["acted"] == ["Juan", "Laura", "Pedro"]
    assert (entry["trees_alive"], entry["approach"], result["directions"]) == (None, None, None)
    assert_replayed(tmp_path, result, record)


def test_a_run_that_was_cut_off_is_gone_on_with(tmp_path):
    _, result, record = run_of(tmp_path, *GAME, "--simultaneous", "--set", "rounds=6")
    assert_gone_on_with(tmp_path, result, record)


def test_bots_play_clean_up_too(tmp_path):
    words = [*GAME, "--condition", "bots", "--set", "rounds=8", "--set", "persons.Juan=cleaner"]
    code, result, _ = run_of(tmp_path, *words)
    assert code == 0
    (entry,) = result["runs"]
    assert {name for name, own in entry["agents"].items() if own["kind"] == "scripted bot"} == {
        "Ana",
        "Luis",
    }
    assert entry["agents"]["Juan"]["cleaning"] > 0


def test_figures_of_clean_up_have_the_river_and_no_trees(tmp_path):
    _, result, record = run_of(tmp_path, *GAME, "--set", "rounds=15")
    drawn = {name: draw(load([record.folder])) for name, draw in FIGURES.items()}
    found = {name: one for name, one in drawn.items() if one is not None}
    assert {"commons_reward", "commons_dirt", "commons_cleaning"} <= set(found)
    assert not {"commons_last_apples", "commons_cooperation"} & set(found)
    (entry,) = result["runs"]
    (axes,) = found["commons_dirt"].axes
    assert list(axes.lines[0].get_ydata()) == entry["dirt_by_round"]
    cleaning, eaten = found["commons_cleaning"].axes
    heights = sorted(bar.get_height() for bar in cleaning.patches)
    assert heights == sorted(own["cleaning"] for own in entry["agents"].values())
    assert sorted(bar.get_height() for bar in eaten.patches) == sorted(
        own["apples"] for own in entry["agents"].values()
    )
