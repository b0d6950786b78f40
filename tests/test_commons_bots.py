"""Trained bots of a commons: what a policy's file holds, and what it plays."""

from __future__ import annotations

import numpy as np
import pytest
from pydantic import ValidationError

from tests.commons_playing import played, run_of
from voxpolis.analysis.figures import FIGURES
from voxpolis.analysis.loading import load
from voxpolis.experiments.loops.commons.game import CommonsRun
from voxpolis.grid.commons.game import read_commons
from voxpolis.grid.commons.policy import (
    ACTIONS,
    INPUTS,
    Policy,
    inputs_of,
    read_policy,
    write_policy,
)
from voxpolis.grid.commons.tables import APPLE_AT, FORWARD, STAY, TURN_RIGHT
from voxpolis.grid.core.data import GameError
from voxpolis.scenarios.commons import CommonsHarvest
from voxpolis.scenarios.commons.bots import SHIPPED, greedy_bot, policy_of, trained_bot
from voxpolis.worlds.commons.table import CommonsTable

LANE = """
##########
#........#
#.@..A...#
#.@......#
##########
"""


def linear(*rewarded: tuple[int, int, float], biases: dict[int, float] | None = None) -> Policy:
    """A policy of one layer: inputs that raise actions, each (input, action, by how much)."""
    weights, bias = np.zeros((INPUTS, len(ACTIONS))), np.zeros(len(ACTIONS))
    for number, action, value in rewarded:
        weights[number, action] = value
    for action, value in (biases or {}).items():
        bias[action] = value
    return Policy([(weights, bias)], {"game": "commons_harvest_open", "steps": 1, "seed": 0})


@pytest.fixture
def lane():
    game = read_commons("commons_harvest_open", {"players": 2, "layout": LANE})
    table = CommonsTable(game, ("Ana", "Bo"))
    seed = next(s for s in range(99) if not table.reset(s) and table.cells[0] == (2, 2))
    table.reset(seed)
    return table


def test_a_policy_is_written_and_read_and_does_what_its_weights_say(lane, tmp_path):
    """It turns until the apple is straight ahead, and then goes there."""
    ahead = [(row * 11 + 5) * 3 + 1 for row in range(9)]  # of channels wall, apple, player
    goes = linear(*((cell, FORWARD, 99.0) for cell in ahead), biases={TURN_RIGHT: 50.0})
    write_policy(tmp_path / "goes.npz", goes)
    act = trained_bot(lane, 0, 0, tmp_path / "goes.npz")
    for _ in range(8):
        if lane.eaten["Ana"]:
            break
        lane.step({0: act()})
    assert lane.eaten["Ana"] == 1
    assert lane.steps <= 6  # at most three turns, and three steps


def test_the_same_policy_is_the_same_file_and_draws_the_same(tmp_path):
    for name in ("one", "other"):
        write_policy(tmp_path / f"{name}.npz", policy_of())
    one, other = ((tmp_path / f"{name}.npz").read_bytes() for name in ("one", "other"))
    assert one == other == SHIPPED.read_bytes()
    assert len(one) < 300_000


def test_actions_are_drawn_by_their_chances_of_the_legal_ones():
    policy = linear(biases={STAY: 0.0, FORWARD: float(np.log(3)), TURN_RIGHT: 40.0})
    legal = np.zeros(len(ACTIONS), bool)
    legal[[STAY, FORWARD]] = True
    drawn = [policy.act(np.zeros(INPUTS), legal, lambda n=n: (n + 0.5) / 100) for n in range(100)]
    assert drawn == [STAY] * 25 + [FORWARD] * 75
    assert policy.act(np.zeros(INPUTS), legal, lambda: 1 - 2**-53) == FORWARD


def test_inputs_are_what_stands_in_view(lane):
    window = lane.observation(0)
    inputs = inputs_of(window, np.array(1))
    assert inputs.shape == (INPUTS,)
    assert inputs[-1] == 1
    cells = inputs[:-1].reshape(11, 11, 3)
    assert cells[9, 5, 2] == 1  # itself
    assert cells[..., 1].sum() == (window[..., APPLE_AT] > 0).sum()


def test_trained_bots_are_greedy_and_quicker_than_chance():
    """What they take of the map in 150 steps, and what such take that draw any legal action."""
    policy_of.cache_clear()
    game = CommonsHarvest().played("bots").game

    def taken(make, seed):
        table = CommonsTable(game, ("Ana", "Bo", "Cy", "Di"))
        table.reset(seed)
        bots = [make(table, i, seed) for i in range(4)]
        for _ in range(150):
            table.step({i: bot() for i, bot in enumerate(bots) if not table.out[i]})
        return sum(table.eaten.values())

    def by_chance(table, player, seed):
        draws = np.random.default_rng([seed, player])
        return lambda: int(draws.integers(len(ACTIONS)))

    trained = [taken(trained_bot, seed) for seed in range(3)]
    chance = [taken(by_chance, seed) for seed in range(3)]
    scripted = [taken(greedy_bot, seed) for seed in range(3)]
    assert min(trained) > 2 * max(chance)
    assert sum(trained) > 0.7 * sum(scripted)


@pytest.mark.parametrize("game", ["harvest", "clean_up"])
def test_all_that_trained_bots_do_is_legal(game, monkeypatch):
    chosen = []
    taken = CommonsTable.step

    def watched(table, moves):
        chosen.extend(bool(table.legal(i)[action]) for i, action in moves.items() if i >= 2)
        return taken(table, moves)

    monkeypatch.setattr(CommonsTable, "step", watched)
    found, _, run = played(2, "bots", game=game, bots="trained", rounds=15)
    assert isinstance(run, CommonsRun)
    assert len(chosen) > 100
    assert all(chosen)
    assert found["bots_attacks"] is not None


def test_a_run_names_them_and_is_replayed(tmp_path, capsys):
    words = ["--condition", "bots", "--set", "bots=trained", "--set", "rounds=8"]
    code, result, record = run_of(tmp_path, *words)
    assert code == 0
    assert result["bots"] == {"Ana": "trained bot", "Luis": "trained bot"}
    (entry,) = result["runs"]
    assert {entry["agents"][name]["kind"] for name in ("Ana", "Luis")} == {"trained bot"}
    assert record.manifest["bots"] == result["bots"]
    assert "agent-steps of commons_harvest_open, seed 0, sha256 " in record.manifest["bots_by"]
    code, again, replayed = run_of(tmp_path, "--replay", str(record.folder))
    assert (code, again["runs"]) == (0, result["runs"])
    events = "events.jsonl"
    assert (replayed.folder / events).read_bytes() == (record.folder / events).read_bytes()
    drawn = FIGURES["commons_reward"](load([record.folder]))
    labels = [line.get_text() for line in drawn.axes[0].get_legend().get_texts()]
    assert labels == ["bots (trained bots)", "bots (trained bots), bots"]


@pytest.mark.parametrize(
    ("setting", "condition", "message"),
    [
        ("trained:there/is/none.npz", "bots", "none.npz cannot be read: No such file"),
        (f"trained:{__file__}", "bots", "is no trained policy"),
        ("trained", "none", "setting bots: none is played without bots"),
    ],
)
def test_what_is_no_bot_is_refused_in_a_line(setting, condition, message):
    with pytest.raises(GameError, match=message):
        CommonsHarvest(bots=setting).played(condition)


@pytest.mark.parametrize("bots", ["", "trained:", "wild", "scripted:x"])
def test_there_are_no_other_bots(bots):
    with pytest.raises(ValidationError, match="bots are scripted, trained or trained:FILE"):
        CommonsHarvest(bots=bots)


@pytest.mark.parametrize("change", ["version", "inputs", "actions", "infinite", "cut"])
def test_files_that_hold_no_policy_are_refused(tmp_path, change):
    (weights, biases), about = linear().layers[0], {"game": "x"}
    match change:
        case "version":
            about = {"version": 99}
        case "inputs":
            weights = weights[1:]
        case "actions":
            weights, biases = weights[:, 1:], biases[1:]
        case "infinite":
            weights[0, 0] = np.inf
        case _:
            pass
    path = tmp_path / "bad.npz"
    write_policy(path, Policy([(weights, biases)], about))
    if change == "cut":
        path.write_bytes(path.read_bytes()[:-80])
    with pytest.raises(GameError, match="is no trained policy"):
        read_policy(path)
