"""Games as data: custom maps, games built in Python, and errors in rules files."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from tests.grid_playing import compare, played, view
from voxpolis.grid.adasociety.game import Game, Rules, read_game, read_rules, with_changes
from voxpolis.grid.adasociety.tables import STAY
from voxpolis.grid.adasociety.vector import VectorGame
from voxpolis.grid.core.data import GameError
from voxpolis.grid.registry import make_vec

# --- Custom maps ---------------------------------------------------------------------------------

LAYOUT = """\
###.@.
w.#H.s
..#w.T
@..c@.
"""
LEGEND = {
    "w": {"pile": "wood", "units": 3},
    "s": {"pile": "stone", "units": 2},
    "c": {"pile": "coal"},
    "H": {"event": "HammerCraft"},
    "T": {"event": "TorchCraft"},
}


@pytest.mark.parametrize("layout", [LAYOUT, LAYOUT.replace("@", ".")])
def test_a_custom_map_is_used(layout):
    game = Game(layout=layout, legend=LEGEND, agents={"explorer": 3}, length=60)
    assert (game.map, game.blocks) == ((4, 6), 5)
    assert game.piles == {"wood": (2, 3), "stone": (1, 2), "coal": (1, 1)}
    compare(game, 8)
    env = played(game)
    env.reset(seed=1)
    assert view(env)["stations"] == {(1, 3): "HammerCraft", (2, 5): "TorchCraft"}
    if "@" in layout:
        assert view(env)["position"] == [(0, 4), (3, 0), (3, 4)]


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"layout": "..\n.", "legend": {}}, "rows differ in length"),
        ({"layout": " \n"}, "the map is empty"),
        ({"layout": "W W\nW@W", "legend": {}}, "'W' and blanks; letters with a fixed meaning: #.@"),
        ({"layout": "w@", "legend": {"ww": {"pile": "wood"}}}, "'ww' must be a single letter"),
        ({"layout": "#@", "legend": {"#": {"pile": "wood"}}}, "'#' has a fixed meaning"),
        (
            {"layout": "C@", "legend": {"C": {"chest": {"wood": 10**30}}}},
            "legend.C: chest.wood: .*255",
        ),
        ({"layout": "w@", "legend": {"w": "wood"}}, "one of #.@, or .*, not for 'wood'"),
        ({"layout": ["w@", 5], "legend": LEGEND}, "Input should be a valid string"),
        ({"layout": "w@@", "legend": LEGEND}, "2 starts .* for 1 agents"),
        ({"layout": "w@", "legend": LEGEND, "map": (3, 3)}, "map follows from the layout"),
        ({"layout": "w@", "legend": {"w": {"units": 3}}}, "one of a pile, an event or a chest"),
    ],
)
def test_an_invalid_layout_is_refused(fields, says):
    with pytest.raises(ValidationError, match=says):
        Game(**fields)


@pytest.mark.parametrize(
    ("layout", "more"),
    [
        (LAYOUT.split(), {}),
        (LAYOUT.replace(".", " "), {" ": "."}),
        (LAYOUT.replace(".", " ").replace("#", "X"), {" ": ".", "X": "#"}),
    ],
)
def test_legend_letters_can_replace_standard_letters_and_rows_can_be_a_list(layout, more):
    game = Game(layout=layout, legend=LEGEND | more, agents={"explorer": 3})
    assert game == Game(layout="\n".join(LAYOUT.split()), legend=LEGEND, agents={"explorer": 3})


# --- Errors and settings -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"map": (2, 2)}, "55 piles do not fit on 0 free cells"),
        ({"piles": {"gold": (1, 1)}}, "there is no resource 'gold'"),
        ({"piles": {"wood": (1, 300)}}, "the maximum is 255"),
        ({"piles": {"coal": (1, 1)}, "events": {}}, "no agent can ever obtain coal"),
        ({"agents": {"wizard": 1}}, "there is no job 'wizard'"),
        ({"structure": [{"groups": [[0, 99]]}]}, "there is no agent 99"),
        ({"structure": [{"groups": [[0]], "unions": [[1]]}]}, "only the 1 groups"),
        ({"structure": [{"groups": [[0]], "unions": [[0], [0]]}]}, "in one union only"),
        ({"structure": [{"groups": [[0]] * 5}]}, "agent 0 is in 5 groups: the maximum is 4"),
        (
            {"map": (10**6, 10**6)},
            "a map of 1000000000000 cells is too large: the maximum is 16777216",
        ),
        ({"agents": {"explorer": 10**9}}, "1000000000 agents are too many: the maximum is 65536"),
        ({"layout": "gggggggg", "legend": {"g": {"pile": "gold"}}}, "^there is no resource 'gold'"),
    ],
)
def test_an_invalid_game_gives_one_clear_message(change, says):
    rules, game = read_game("exploration")
    with pytest.raises(GameError, match=says):
        with_changes(rules, game, change)


def test_a_layout_replaces_the_map_of_a_shipped_game():
    own = {"layout": "w.@\n#..", "legend": LEGEND, "agents": {"explorer": 1}}
    game = make_vec("exploration", 1, **own).game
    assert (game.map, game.blocks) == ((2, 3), 1)
    assert (game.piles, game.events) == ({"wood": (1, 3)}, {})
    with pytest.raises(GameError, match="map follows from the layout"):
        make_vec("exploration", 1, **own, map=(3, 3))


def test_errors_in_a_rules_file_name_the_line(tmp_path):
    text = (read_rules.__defaults__[0]).read_text()
    path = tmp_path / "mine.yaml"
    path.write_text(text.replace("reward: 20}", "reward: -20}"))
    line = next(n for n, row in enumerate(text.splitlines(), 1) if "torch:    {" in row)
    with pytest.raises(GameError, match=f"line {line}: resources.torch.reward"):
        read_rules(path)
    path.write_text(text.replace("output: shovel", "output: shovl"))
    line = next(n for n, row in enumerate(text.splitlines(), 1) if "output: shovel" in row)
    with pytest.raises(GameError, match=f"line {line}: .*there is no resource 'shovl'"):
        read_rules(path)
    path.write_text("resources: [")
    with pytest.raises(GameError, match="is not YAML"):
        read_rules(path)
    with pytest.raises(GameError, match="cannot read"):
        read_rules(tmp_path / "none.yaml")


def test_custom_games_can_be_played(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(
        "resources: {straw: {reward: 1}, brick: {reward: 7}}\n"
        "events: {Firing: {inputs: {straw: 2}, output: brick}}\n"
        "jobs: {worker: {sight: 1}}\n"
        "games:\n  kiln: {map: [4, 4], piles: {straw: [3, 4]}, events: {Firing: 2},"
        " agents: {worker: 2}, length: 30}\n"
    )
    env = make_vec("kiln", 3, rules_file=path)
    observation, _ = env.reset(seed=0)
    assert observation["window"].shape == (3, 2, 3, 3, 6)
    compare(read_game("kiln", path)[1], 1, read_rules(path))


# Caps grow on the ground; the scenario turns dug ones into mushrooms.
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
    """Let one agent of an environment act while all others stay."""
    for word in words:
        actions = np.full((env.num_envs, 2), STAY)
        actions[b, agent] = env.names.actions.index(word)
        env.step(actions)


# --- Units on the map --------------------------------------------------------------------------


@pytest.mark.parametrize("cell", [(0, 0), (0, 3), (3, 0), (2, 1)])
def test_set_units_appear_on_all_copies_of_a_cell(cell):
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


def test_set_units_appear_in_windows_and_masks_in_the_next_step():
    env = make(action_masks=True)
    channel = env.tables.channel.first_resource + env.names.resources.index("mushroom")
    pick = env.names.actions.index("pick mushroom")
    stay = np.full((1, 2), STAY)
    for units, may in ((4, 1), (0, 0)):
        env.set_units("mushroom", (2, 0), units)  # at the picker's position
        observation, *_, info = env.step(stay)
        assert observation["window"][0, 0, 2, 2, channel] == units
        assert info["action_mask"][0, 0, pick] == may
        # The watcher sees one cell in each direction, also across the map's edge.
        assert observation["window"][0, 1, 2, 3, channel] == units
        assert observation["window"][0, 1, 2, 4, channel] == 0
    env.set_units("mushroom", (2, 0), 1)
    do(env, 0, "pick mushroom")
    assert env.units("mushroom").sum() == 0
    assert env.state.score[0].tolist() == [2, 0]


# --- Inventories -------------------------------------------------------------------------------


def test_a_dug_cap_becomes_mushrooms():
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


def test_groups_share_value_that_is_set_from_outside():
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
        (lambda env: env.set_units("cap", (4, 0), 1), r"no cell \(4, 0\) on a map of 4 x 4"),
        (lambda env: env.set_units("cap", (0, 1), 256), "0 to 255 units, not 256"),
        (lambda env: env.set_inventory(2, "cap", 1), "no agent 2; there are: 0 to 1"),
        (lambda env: env.set_inventory(0, "mushroom", 6), "picker_0 holds 0 to 5 mushroom, not 6"),
        *(
            (lambda env, n=n: env.set_inventory(0, "cap", n), r" holds 0 to \d+ cap, not ")
            for n in (1.5, "2", True, -1)
        ),
        (lambda env: env.set_units("cap", (0, 1), 1.5), r"^a cell holds 0 to \d+ units, not "),
        (
            lambda env: env.set_inventory("picker_0", "cap", 1),
            "^there is no agent 'picker_0'; there",
        ),
    ],
)
def test_invalid_arguments_give_one_clear_line(call, says):
    env = make(num_envs=2)
    before = [array.copy() for array in env.state]
    with pytest.raises(ValueError, match=says) as raised:
        call(env)
    assert "\n" not in str(raised.value)
    for array, old in zip(env.state, before, strict=True):
        assert (array == old).all()
