"""Games as data: maps of one's own, games made in Python, and what is wrong in a rules file."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from tests.grid_playing import compare, played, view
from voxpolis.grid.adasociety.game import Game, Rules, read_game, read_rules, with_changes
from voxpolis.grid.adasociety.oracle import optimum
from voxpolis.grid.adasociety.tables import STAY
from voxpolis.grid.adasociety.vector import VectorGame
from voxpolis.grid.core.data import GameError
from voxpolis.grid.registry import make_vec

# --- Maps of one's own ---------------------------------------------------------------------------

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
def test_a_map_of_ones_own(layout):
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
        ({"layout": "..\n.", "legend": {}}, "not equally long"),
        ({"layout": " \n"}, "there is no map in it"),
        ({"layout": "x.", "legend": {}}, "does not say what 'x' mean"),
        ({"layout": "W W\nW@W", "legend": {}}, "'W' and blanks mean; by itself #.@ do"),
        ({"layout": "w@", "legend": {"ww": {"pile": "wood"}}}, "'ww' is not one letter"),
        ({"layout": "#@", "legend": {"#": {"pile": "wood"}}}, "'#' means something by itself"),
        (
            {"layout": "C@", "legend": {"C": {"chest": {"wood": 10**30}}}},
            "legend.C: chest.wood: .*255",
        ),
        (
            {"layout": "w@", "legend": {"w": {"pile": "wood", "units": 256}}},
            "legend.w: units: .*255",
        ),
        ({"layout": "w@", "legend": {"w": "wood"}}, "one of #.@, or .*, not for 'wood'"),
        ({"layout": "w @", "legend": LEGEND | {" ": {}}}, "' ' stands for one of #.@, not for {}"),
        ({"layout": ["w@", 5], "legend": LEGEND}, "Input should be a valid string"),
        ({"layout": 5}, "Input should be a valid string"),
        ({"layout": "w@@", "legend": LEGEND}, "2 starts .* for 1 agents"),
        ({"layout": "w@", "legend": LEGEND, "map": (3, 3)}, "map follows from the layout"),
        ({"layout": "w@", "legend": {"w": {"units": 3}}}, "either a pile, an event or a chest"),
    ],
)
def test_a_wrong_layout(fields, says):
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
def test_a_map_s_letters_may_stand_for_ours_and_its_rows_may_be_a_list(layout, more):
    game = Game(layout=layout, legend=LEGEND | more, agents={"explorer": 3})
    assert game == Game(layout="\n".join(LAYOUT.split()), legend=LEGEND, agents={"explorer": 3})


#: Two who share a chest with two tools; a scenario makes such rules of its own, without a file.
MINING = {
    "resources": {
        "iron_pickaxe": {"reward": 0},
        "stone_pickaxe": {"reward": 0},
        "iron": {"reward": 1, "tools": ["stone_pickaxe", "iron_pickaxe"]},
        "diamond": {"reward": 1, "tools": ["iron_pickaxe"]},
    },
    "events": {},
    "jobs": {
        "gizmo": {"sight": 7, "preference": {"iron": 4, "diamond": 4}},
        "glitch": {"sight": 7, "preference": {"iron": 3, "diamond": 5}},
    },
    "games": {
        "mining": {
            "layout": """
                #################
                #...............#
                #.iiii..........#
                #.iiii......dd..#
                #.iiii..C...dd..#
                #...........dd..#
                #...............#
                #......@.@......#
                #...............#
                #################
            """,
            "legend": {
                "i": {"pile": "iron"},
                "d": {"pile": "diamond"},
                "C": {"chest": {"iron_pickaxe": 1, "stone_pickaxe": 1}},
            },
            "agents": {"gizmo": 1, "glitch": 1},
            "length": 120,
        }
    },
}


def test_a_game_with_a_chest_made_in_python():
    rules = Rules.model_validate(MINING)
    game = rules.games["mining"]
    assert (game.piles["iron"], game.piles["diamond"]) == ((12, 1), (6, 1))
    for seed in range(3):
        compare(game, seed, rules)
    assert optimum(rules, game).welfare == 78
    env = VectorGame(rules, game, 1, action_log=True)
    env.reset(seed=0)
    actions, stay = env.names.actions, [STAY, STAY]

    def do(agent, *words):
        for word in words:
            acts = list(stay)
            acts[agent] = actions.index(word)
            env.step(np.array([acts]))

    do(0, *["up"] * 3, "right", "pick iron_pickaxe", "dump iron_pickaxe", "pick stone_pickaxe")
    do(0, *["left"] * 3, "dump stone_pickaxe", "pick diamond", "pick iron")
    assert env.state.inventory[0, 0].tolist() == [0, 1, 1, 0]  # laid down nothing beside the chest
    do(1, *["up"] * 3, "left", "pick iron_pickaxe", *["right"] * 4, "pick diamond")
    assert env.state.inventory[0, 1].tolist() == [1, 0, 0, 1]
    assert env.state.score[0].tolist() == [4, 5]
    done = {what: counts[0].tolist() for what, counts in env.counts._asdict().items()}
    assert done == {
        "gathered": [[0, 0, 1, 0], [0, 0, 0, 1]],
        "taken": [[1, 1, 0, 0], [1, 0, 0, 0]],
        "put": [[1, 0, 0, 0], [0, 0, 0, 0]],
        "dropped": [[0, 0, 0, 0], [0, 0, 0, 0]],
    }


# --- Errors and settings -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"map": (2, 2)}, "55 piles do not fit on 0 free cells"),
        ({"piles": {"gold": (1, 1)}}, "there is no resource 'gold'"),
        ({"piles": {"coal": (1, 1)}, "events": {}}, "nobody can ever get to coal"),
        ({"piles": {"wood": (1, 300)}}, "at most 255"),
        ({"piles": {"wood": (-1, 3)}}, "greater than 0"),
        ({"agents": {"wizard": 1}}, "there is no job 'wizard'"),
        ({"magic": 1}, "Extra inputs"),
        ({"structure": [{"groups": [[0, 99]]}]}, "there is no agent 99"),
        ({"structure": [{"groups": [[0]], "unions": [[1]]}]}, "there are 1 groups for unions"),
        ({"structure": [{"groups": [[0]], "unions": [[0], [0]]}]}, "in one union at most"),
        ({"structure": [{"groups": [[0]] * 5}]}, "agent 0 is in 5 groups: at most 4"),
        ({"map": (10**6, 10**6)}, "a map of 1000000000000 cells is too large: at most 16777216"),
        ({"agents": {"explorer": 10**9}}, "1000000000 agents are too many: at most 65536"),
        ({"layout": "gggggggg", "legend": {"g": {"pile": "gold"}}}, "^there is no resource 'gold'"),
        ({"length": 10**30}, "length: Input should be less than 2147483648"),
    ],
)
def test_a_wrong_game_is_one_clear_message(change, says):
    rules, game = read_game("exploration")
    with pytest.raises(GameError, match=says):
        with_changes(rules, game, change)


def test_a_layout_takes_the_place_of_a_shipped_map():
    own = {"layout": "w.@\n#..", "legend": LEGEND, "agents": {"explorer": 1}}
    game = make_vec("exploration", 1, **own).game
    assert (game.map, game.blocks) == ((2, 3), 1)
    assert (game.piles, game.events) == ({"wood": (1, 3)}, {})
    with pytest.raises(GameError, match="map follows from the layout"):
        make_vec("exploration", 1, **own, map=(3, 3))


def test_a_wrong_file_names_the_line(tmp_path):
    text = (read_rules.__defaults__[0]).read_text()
    path = tmp_path / "mine.yaml"
    path.write_text(text.replace("reward: 20}", "reward: -20}"))
    line = next(n for n, row in enumerate(text.splitlines(), 1) if "torch:    {" in row)
    with pytest.raises(GameError, match=f"line {line}: resources.torch.reward"):
        read_rules(path)
    path.write_text("resources: [")
    with pytest.raises(GameError, match="is not YAML"):
        read_rules(path)
    with pytest.raises(GameError, match="cannot read"):
        read_rules(tmp_path / "none.yaml")


def test_games_of_ones_own(tmp_path):
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


@pytest.mark.parametrize("actions", [np.zeros((2, 8)), np.zeros((1, 7)), np.zeros(8)])
def test_actions_of_the_wrong_shape(actions):
    env = make_vec("exploration", 1)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="shape"):
        env.step(actions)
