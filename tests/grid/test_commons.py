"""Clean Up and Commons Harvest by Melting Pot's rules."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.commons_reference import play_beside
from voxpolis import grid
from voxpolis.grid.commons import read_commons
from voxpolis.grid.commons.tables import APPLE_AT, CHANNELS, CLEAN, PLAYER_AT, TURN_LEFT, ZAP
from voxpolis.grid.core.data import GameError

NAMES = ["clean_up", "commons_harvest_open"]
# A narrow map, so that everything happens often.
NARROW = """
#########
#rdr~a@A#
#ddr.a@a#
#drd@a@A#
#rrd@@a.#
#########
"""
CLOSE = {"least": 20, "interval": 10, "chance": 0.3, "most": 60}


def narrow(name, **changes):
    common = {"layout": NARROW, "players": 4, "ending": CLOSE, "zap": {"cooldown": 1, "out_for": 3}}
    return read_commons(name, {**common, **changes})


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_the_kernel_matches_the_plain_reference(name, seed):
    game = narrow(name)
    assert play_beside(game, seed, steps=70) == 70 * game.players


@pytest.mark.parametrize("name", NAMES)
def test_the_full_game_matches_the_reference(name):
    play_beside(read_commons(name), 3, steps=40)


@pytest.mark.parametrize("name", NAMES)
def test_results_do_not_depend_on_batch_or_threads(name):
    def play(env, row):
        env.reset(seed=7 - row)
        chance = np.random.default_rng(0)
        found = []
        for _ in range(80):
            actions = chance.integers(0, env.action_count, (1, len(env.agents)))
            seen, rewards, *_ = env.step(np.tile(actions, (env.num_envs, 1)))
            found.append((rewards[row].tolist(), seen["window"][row].tobytes()))
        return found

    alone = play(grid.make_vec(name, 1), 0)
    assert play(grid.make_vec(name, 9, num_threads=3), 5) == alone


def test_maps_have_the_published_sizes_and_counts():
    clean_up, harvest = read_commons("clean_up"), read_commons("commons_harvest_open")
    assert (len(clean_up.rows), len(clean_up.rows[0])) == (21, 30)
    assert (len(harvest.rows), len(harvest.rows[0])) == (18, 24)
    letters = clean_up.layout.count
    assert (letters("a"), letters("r") + letters("d"), letters("d")) == (122, 147, 79)
    assert harvest.layout.count("A") == 64
    assert (len(clean_up.actions), len(harvest.actions)) == (9, 8)
    assert grid.make_vec("clean_up", 1).observation["window"].shape == (1, 7, 11, 11, 8)


def alone(**changes):
    """Return a game with one player in a corridor who looks east."""
    settings = {"players": 1, "layout": "#######\n#@rrrr#\n#.dddd#\n#######", **changes}
    for seed in range(50):
        env = grid.make_vec("clean_up", 1, **settings)
        env.reset(seed=seed)
        if env.state.heading[0, 0] == 1:
            return env
    raise AssertionError("no seed makes it look east")


def test_a_cleaning_beam_removes_the_first_dirt_on_each_ray_and_has_a_cooldown():
    env = alone(layout="######\n#rrdd#\n#@dda#\n#.rrd#\n######")
    before = int(env.state.dirty[0])
    shots = []
    for _ in range(7):
        env.step(np.array([[CLEAN]]))
        shots.append(int(env.state.cleaned_now[0, 0]))
    # Rays: (1,1) (1,2) (1,3); (2,2) (2,3) (2,4); (3,1) (3,2) (3,3): no dirt in the last one.
    assert shots == [2, 0, 0, 1, 0, 0, 0]
    assert env.state.dirty[0] == before - 3


@pytest.mark.parametrize(("out_for", "back"), [(4, 5), (50, 51), (100, 101)])
def test_a_hit_player_returns_after_the_same_time_as_in_the_original_engine(out_for, back):
    """While the player is out, its cooldown does not advance."""
    zap = {"cooldown": 10, "out_for": out_for}
    settings = {"players": 2, "layout": "####\n#@@#\n#AA#\n####", "zap": zap}
    env = grid.make_vec("commons_harvest_open", 1, **settings)
    for seed in range(200):  # until they look at each other
        seen, _ = env.reset(seed=seed)
        if (seen["window"][0, :, 8, 5, PLAYER_AT] == [2, 1]).all():
            break
    seen, *_ = env.step(np.array([[ZAP, ZAP]]))  # both fire in the same step, so both are out
    steps = 0
    while seen["out"][0, 1]:
        assert not seen["window"][0, 1].any()
        assert not seen["ready"][0, 1].any()
        seen, *_ = env.step(np.array([[0, TURN_LEFT]]))
        steps += 1
    assert steps == back
    waited = 0
    while not seen["ready"][0, 1, 0]:
        seen, *_ = env.step(np.array([[0, 0]]))
        waited += 1
    assert waited == 10


def test_maps_from_other_projects_can_be_read():
    theirs = "WWWWWW\nW A  W\nW  PPW\nWWWWWW\n"
    legend = {"W": "#", " ": ".", "P": "@"}
    env = grid.make("commons_harvest_open", layout=theirs, legend=legend, players=2)
    env.reset(seed=0)
    assert env.vector.game.rows == ["######", "#.A..#", "#..@@#", "######"]
    swapped = {"@": "#", " ": ".", "P": "@"}
    changes = {"layout": theirs.replace("W", "@"), "legend": swapped, "players": 2}
    game = read_commons("commons_harvest_open", changes)
    assert game.rows == env.vector.game.rows
    changes["layout"] = changes["layout"].splitlines()  # a list of rows, as in SSD
    assert read_commons("commons_harvest_open", changes).rows == game.rows
    for known, says in (({}, "'P', 'W' and blanks"), ({"W": "#", "P": "@"}, "blanks")):
        with pytest.raises(GameError, match=f"^layout: the legend does not explain {says};"):
            grid.make("commons_harvest_open", layout=theirs, legend=known, players=2)


def test_apples_grow_at_the_published_rate_in_a_clean_river():
    env = grid.make_vec("clean_up", 200, layout="#####\n#@ra#\n#raa#\n#####", players=1)
    env.reset(seed=0)
    stay = np.zeros((200, 1), int)
    grown = empty = 0
    for _ in range(40):  # before dirt appears
        before = _apples(env)
        env.step(stay)
        empty += 200 * 3 - before
        grown += _apples(env) - before
    assert grown / empty == pytest.approx(0.05, abs=0.005)


def _apples(env):
    return int(_channels(env)[..., APPLE_AT].sum())


def _channels(env):
    return env.state.plane.view(np.uint8).reshape(env.num_envs, -1, len(CHANNELS))


def test_dirt_appears_every_second_step_and_prevents_apples():
    env = grid.make_vec("clean_up", 50, num_threads=2)
    env.reset(seed=0)
    stay = np.zeros((50, 7), int)
    for _ in range(50):
        env.step(stay)
    assert (env.state.dirty == 79).all()
    for _ in range(60):
        env.step(stay)
    assert env.state.dirty.mean() == pytest.approx(79 + 30, abs=2)
    assert not _channels(env)[..., APPLE_AT].any()


def test_episodes_end_randomly_or_at_the_maximum_length():
    env = grid.make_vec("commons_harvest_open", 400, ending=CLOSE)
    env.reset(seed=0)
    lengths = np.zeros(400, int)
    stay = np.zeros((400, 7), int)
    for step in range(1, 61):
        _, _, terminated, truncated, _ = env.step(stay)
        new = (terminated | truncated) & (lengths == 0)
        lengths[new] = step
        assert not truncated.any() or step == 60
    assert set(lengths) == {20, 30, 40, 50, 60}
    assert (lengths == 20).mean() == pytest.approx(0.3, abs=0.08)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"layout": "###\n#@#\n###", "players": 1}, "there is no apple site"),
        ({"layout": "####\n#@A#\n###"}, "rows differ in length: row 3 has 3 cells, row 1 4"),
        ({"layout": " \n"}, "^layout: the map is empty$"),
        ({"legend": {"WW": "#"}}, "^legend: 'WW' must be a single letter$"),
        ({"legend": {"W": "##"}}, "^legend: 'W' must stand for one of #.@~aArd, not for '##'$"),
        ({"view": {"ahead": 10**6, "behind": 1, "sideways": 1}}, "view.ahead: Input should be"),
        ({"players": 9, "layout": "#####\n#@Ar#\n#####"}, "9 players need that many cells @"),
        (
            {"layout": "#####\n#@Ax#\n#####"},
            "does not explain 'x'; letters with a fixed meaning: #.@~aArd",
        ),
        ({"regrowth": (0, 0, 0, 2)}, "less than or equal to 1"),
        ({"fruit": 3}, "fruit"),
        (
            {"ending": {"least": 10, "interval": 1, "chance": 0.1, "most": 5}},
            r"least \(10\) is more than most \(5\)",
        ),
    ],
)
def test_invalid_games_are_refused(changes, told):
    with pytest.raises(GameError, match=told):
        grid.make("commons_harvest_open", **changes)


def test_a_game_is_drawn_as_image_and_text():
    env = grid.make("clean_up", render_mode="rgb_array")
    env.reset(seed=0)
    assert env.render().shape == (21 * 12, 30 * 12, 3)
    assert env.state().shape == (21, 30, 8)
    assert "player_6: 0 apples" in env.vector.text()
