"""What scenarios build on: counted actions, and rules of their own between the steps."""

from __future__ import annotations

import numpy as np
import pytest

from voxpolis import grid
from voxpolis.grid.adasociety.game import Rules
from voxpolis.grid.adasociety.tables import STAY, Ground
from voxpolis.grid.adasociety.vector import VectorGame

#: Caps grow on the ground and, dug with a trowel, are turned into mushrooms by the scenario.
RULES = Rules.model_validate(
    {
        "resources": {
            "trowel": {"reward": 0},
            "cap": {"reward": 1},
            "truffle": {"reward": 3, "requires": ["trowel"]},
            "mushroom": {"reward": 2},
        },
        "events": {},
        "jobs": {"picker": {"sight": 2, "capacity": {"mushroom": 5}}, "watcher": {"sight": 1}},
        "games": {
            "meadow": {
                "layout": "#...\n.cC.\n@..@\n....",
                "legend": {"c": {"pile": "cap", "units": 3}, "C": {"chest": {"trowel": 2}}},
                "resources": ["mushroom", "truffle"],
                "agents": {"picker": 1, "watcher": 1},
                "length": 30,
            },
            "pact": {
                "map": [4, 4],
                "piles": {"cap": [2, 2]},
                "events": {},
                "resources": ["mushroom"],
                "agents": {"picker": 2},
                "structure": [{"groups": [{0: 3, 1: 1}]}],
            },
        },
    }
)
MEADOW = RULES.games["meadow"]


def make(num_envs=1, **options):
    env = VectorGame(RULES, MEADOW, num_envs, **options)
    env.reset(seed=3)
    return env


def do(env, agent, *words, b=0):
    """One agent of an environment does something, all others stay."""
    for word in words:
        actions = np.full((env.num_envs, 2), STAY)
        actions[b, agent] = env.names.actions.index(word)
        env.step(actions)


def counted(env, b=0):
    """What was counted: action → agent → resource → units."""
    names = env.names.resources
    return {
        (what, agent, names[r]): int(counts[b, agent, r])
        for what, counts in env.counts._asdict().items()
        for agent, r in np.argwhere(counts[b])
    }


# --- Counted actions -----------------------------------------------------------------------------


def test_each_unit_is_counted_where_it_came_from_and_went():
    env = make(num_envs=3, action_log=True)
    do(env, 0, "up", "right", "pick cap", "pick cap", "pick truffle", "pick trowel", b=1)
    assert counted(env, 1) == {("gathered", 0, "cap"): 2}
    do(env, 0, "dump cap", b=1)  # not here: there is a chest
    do(env, 0, "right", "dump cap", "dump cap", "pick cap", "pick trowel", "dump mushroom", b=1)
    assert counted(env, 1) == {
        ("gathered", 0, "cap"): 2,
        ("put", 0, "cap"): 2,
        ("taken", 0, "cap"): 1,
        ("taken", 0, "trowel"): 1,
    }
    assert counted(env, 0) == counted(env, 2) == {}
    for counts in env.counts:
        assert (counts.shape, counts.dtype) == ((3, 2, len(env.names.resources)), np.int32)


def test_what_is_laid_down_where_there_are_no_chests():
    env = VectorGame(RULES, RULES.games["pact"], 1, action_log=True)
    env.reset(seed=0)
    env.set_inventory(0, "mushroom", 2)
    do(env, 0, "dump mushroom", "dump mushroom", "pick mushroom")
    assert counted(env) == {("dropped", 0, "mushroom"): 2, ("gathered", 0, "mushroom"): 1}


def test_counts_begin_anew_with_an_episode():
    env = make(action_log=True)
    do(env, 0, "up", "right", "pick cap")
    assert counted(env) == {("gathered", 0, "cap"): 1}
    for _ in range(MEADOW.length - 3):
        do(env, 0, "stay")
    assert counted(env) == {("gathered", 0, "cap"): 1}
    do(env, 0, "stay")  # the next episode's first observation
    assert counted(env) == {}
    do(env, 0, "up", "right", "pick cap")
    env.reset(seed=4)
    assert counted(env) == {}


def test_without_a_log_nothing_is_kept_and_the_same_happens():
    with_log, without = make(action_log=True), make()
    assert [counts.size for counts in without.counts] == [0, 0, 0, 0]
    for env in (with_log, without):
        do(env, 0, "up", "right", "pick cap", "right", "dump cap")
    for one, other in zip(with_log.state[:-1], without.state[:-1], strict=True):
        assert (one == other).all()


# --- What lies on the map ------------------------------------------------------------------------


def test_the_ground_and_what_lies_on_it():
    env = make(num_envs=2)
    assert env.grounds(1).tolist() == [
        [Ground.BLOCK, 0, 0, 0],
        [0, 0, Ground.CHEST, 0],
        [0] * 4,
        [0] * 4,
    ]
    units = env.units("cap", 1)
    assert np.argwhere(units).tolist() == [[1, 1]]
    assert (units[1, 1], units.shape) == (3, (4, 4))
    units[:] = 9  # copies
    env.grounds(1)[:] = 9
    assert env.units("cap", 1).sum() == 3
    assert env.grounds(1).max() == Ground.CHEST


@pytest.mark.parametrize("cell", [(row, column) for row in range(4) for column in range(4)])
def test_units_are_set_with_all_repetitions(cell):
    env = make(num_envs=2)
    env.set_units("mushroom", cell, 7, environment=1)
    assert np.argwhere(env.units("mushroom", 1)).tolist() == [list(cell)]
    assert env.units("mushroom", 1)[cell] == 7
    assert not env.units("mushroom", 0).any()
    t = env.tables
    plane = env.state.plane[1].reshape(t.height + 2 * t.pad, t.width + 2 * t.pad, t.channels)
    inner = plane[t.pad : -t.pad, t.pad : -t.pad]
    around = [(t.pad, t.pad), (t.pad, t.pad), (0, 0)]
    assert (plane == np.pad(inner, around, mode="wrap")).all()


def test_windows_and_masks_follow_units_at_the_next_step():
    env = make(action_masks=True)
    channel = env.tables.channel.first_resource + env.names.resources.index("mushroom")
    pick = env.names.actions.index("pick mushroom")
    stay = np.full((1, 2), STAY)
    for units, may in ((4, 1), (0, 0)):
        env.set_units("mushroom", (2, 0), units)  # where the picker stands
        observation, *_, info = env.step(stay)
        assert observation["window"][0, 0, 2, 2, channel] == units
        assert info["action_mask"][0, 0, pick] == may
        # The watcher sees one cell each way, and across the edge of the map.
        assert observation["window"][0, 1, 2, 3, channel] == units
        assert observation["window"][0, 1, 2, 4, channel] == 0
    env.set_units("mushroom", (2, 0), 1)
    do(env, 0, "pick mushroom")
    assert env.units("mushroom").sum() == 0
    assert env.state.score[0].tolist() == [2, 0]


# --- What agents hold ----------------------------------------------------------------------------


def test_a_dug_cap_is_turned_into_mushrooms():
    env = make(num_envs=2)
    do(env, 0, "up", "right", "pick cap", b=1)
    env.set_inventory(0, "cap", 0, environment=1)
    env.set_inventory(0, "mushroom", 4, environment=1)
    inventory = dict(zip(env.names.resources, env.state.inventory[1, 0].tolist(), strict=True))
    assert inventory == {"trowel": 0, "cap": 0, "truffle": 0, "mushroom": 4}
    assert env.state.score[1].tolist() == [8, 0]
    assert env.state.held[1, 0] == 1 << env.names.resources.index("mushroom")
    assert not env.state.inventory[0].any()
    do(env, 0, "right", *["dump mushroom"] * 4, b=1)
    assert env.state.held[1, 0] == 0
    assert env.state.score[1].tolist() == [0, 0]
    assert env.rewards[1].tolist() == [-2, 0]


def test_sight_and_masks_follow_tools_that_are_set():
    env = make(action_masks=True)
    env.set_units("truffle", (2, 0), 1)
    channel = env.tables.channel.first_resource + env.names.resources.index("truffle")
    pick = env.names.actions.index("pick truffle")
    stay = np.full((1, 2), STAY)
    for trowels in (0, 1, 0):
        env.set_inventory(0, "trowel", trowels)
        observation, *_, info = env.step(stay)
        assert observation["window"][0, 0, 2, 2, channel] == trowels
        assert info["action_mask"][0, 0, pick] == trowels


def test_what_is_set_is_shared_by_the_groups_in_force():
    env = VectorGame(RULES, RULES.games["pact"], 1)
    env.reset(seed=0)
    _, rewards, *_ = env.step(np.full((1, 2), STAY))
    env.set_inventory(1, "mushroom", 4)
    assert env.state.score[0].tolist() == [6, 2]
    assert rewards[0].tolist() == [0, 0]
    env.set_inventory(1, "mushroom", 1)
    assert env.state.score[0].tolist() == [1.5, 0.5]


# --- Errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda env: env.units("gold"), "no resource 'gold' in the game; there are: trowel, cap"),
        (lambda env: env.units("cap", 2), "no environment 2; there are: 0 to 1"),
        (lambda env: env.grounds(-1), "no environment -1; there are: 0 to 1"),
        (lambda env: env.set_units("gold", (0, 1), 1), "no resource 'gold'"),
        (lambda env: env.set_units("cap", (4, 0), 1), r"no cell \(4, 0\) on a map of 4 x 4"),
        (lambda env: env.set_units("cap", (0, -1), 1), r"no cell \(0, -1\)"),
        (lambda env: env.set_units("cap", (0, 1), 256), "0 to 255 units, not 256"),
        (lambda env: env.set_units("cap", (0, 1), -1), "0 to 255 units, not -1"),
        (lambda env: env.set_units("cap", (0, 1), 1, 2), "no environment 2"),
        (lambda env: env.set_inventory(2, "cap", 1), "no agent 2; there are: 0 to 1"),
        (lambda env: env.set_inventory(0, "gold", 1), "no resource 'gold'"),
        (lambda env: env.set_inventory(0, "mushroom", 6), "picker_0 holds 0 to 5 mushroom, not 6"),
        (lambda env: env.set_inventory(0, "cap", -1), "picker_0 holds 0 to .* cap, not -1"),
        (lambda env: env.set_inventory(0, "cap", 1, 2), "no environment 2"),
    ],
)
def test_what_makes_no_sense_is_one_clear_line(call, says):
    env = make(num_envs=2)
    before = [array.copy() for array in env.state]
    with pytest.raises(ValueError, match=says) as raised:
        call(env)
    assert "\n" not in str(raised.value)
    for array, old in zip(env.state, before, strict=True):
        assert (array == old).all()


@pytest.mark.parametrize("units", [1.5, "2", True, -1, 10**12])
def test_only_whole_units_lie_on_cells_and_are_held(units):
    env = grid.make_vec("contract-easy", 1)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r" holds 0 to \d+ wood, not "):
        env.set_inventory(0, "wood", units)
    with pytest.raises(ValueError, match=r"^a cell holds 0 to \d+ units, not "):
        env.set_units("wood", (1, 1), units)
    with pytest.raises(ValueError, match=r"^there is no agent 'carpenter_0'; there are: 0 to 3$"):
        env.set_inventory("carpenter_0", "wood", 1)
