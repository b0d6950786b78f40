"""What users call on the grid: ParallelEnv, batches, pictures, the oracle, measures, commands."""

from __future__ import annotations

import copy
import itertools
import json
import threading

import networkx as nx
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode
from pettingzoo.test import parallel_api_test, parallel_seed_test

from tests.conftest import result_of, run_module
from voxpolis import grid
from voxpolis.grid.adasociety.game import Game, read_rules, with_changes
from voxpolis.grid.adasociety.metrics import (
    completion_rates,
    degrees,
    fairness,
    share_ratio,
    split_ratio,
)
from voxpolis.grid.adasociety.oracle import optimum
from voxpolis.grid.adasociety.social import social_graph
from voxpolis.grid.adasociety.tables import STAY
from voxpolis.grid.core.data import GameError

RULES = read_rules()

# --- ParallelEnv ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(RULES.games))
def test_pettingzoos_own_tests_pass(name):
    parallel_api_test(grid.make(name, length=60), num_cycles=150)


def test_a_seed_fixes_everything():
    parallel_seed_test(lambda: grid.make("exploration"), num_cycles=300)
    env = grid.make("contract-easy")
    first, _ = env.reset(seed=4)
    again, _ = env.reset(seed=4)
    following, _ = env.reset()
    assert same(first, again)
    assert not same(first, following)


def same(one, other):
    if isinstance(one, dict):
        return all(same(one[k], other[k]) for k in one)
    return np.array_equal(one, other)


def test_observations_and_masks_are_copies():
    env = grid.make("exploration")
    observed, infos = env.reset(seed=1)
    kept = copy.deepcopy(observed)
    masks = {a: info["action_mask"].copy() for a, info in infos.items()}
    for _ in range(20):
        env.step({agent: env.action_space(agent).sample() for agent in env.agents})
    assert same(observed, kept)
    assert all((infos[a]["action_mask"] == masks[a]).all() for a in masks)
    assert env.observation_space("explorer_0") is env.observation_space("explorer_0")


def test_masked_samples_are_legal_and_an_episode_ends_once():
    env = grid.make("negotiation-easy", length=40)
    _, infos = env.reset(seed=0)
    steps = 0
    while env.agents:
        actions = {
            agent: env.action_space(agent).sample(infos[agent]["action_mask"].astype(np.int8))
            for agent in env.agents
        }
        _, rewards, terminated, truncated, infos = env.step(actions)
        steps += 1
        assert set(rewards) == set(env.possible_agents)
    assert steps == 40
    assert all(truncated.values())
    assert not any(terminated.values())
    assert env.step({}) == ({}, {}, {}, {}, {})


def test_masks_step_by_step_are_those_made_anew():
    env = grid.make_vec("exploration", 3, action_masks=True, length=30)
    rng = np.random.default_rng(0)
    _, info = env.reset(seed=2)
    for _ in range(70):
        assert (info["action_mask"] == env.action_masks()).all()
        *_, info = env.step(rng.integers(0, env.tables.actions.total, env.rewards.shape))


def test_closing_closes_the_batch(monkeypatch):
    env = grid.make("exploration")
    closed = []
    monkeypatch.setattr(env.vector, "close", lambda: closed.append(True))
    env.close()
    assert closed == [True]


def test_a_closed_batch_has_no_threads():
    batch = grid.make_vec("exploration", 4, num_threads=2)
    batch.reset(seed=0)
    before = threading.active_count()
    batch.close()
    assert threading.active_count() == before - 1


def test_a_parallel_env_is_one_environment():
    with pytest.raises(GameError, match="one environment, not 4"):
        grid.GridEnv(grid.make_vec("exploration", 4))


@pytest.mark.parametrize("mode", ["rgb_array", "ansi", "human"])
def test_rendering(mode, capsys):
    env = grid.make("exploration", render_mode=mode)
    env.reset(seed=1)
    found = env.render()
    if mode == "rgb_array":
        assert found.shape == (240, 240, 3)
        assert found.dtype == np.uint8
        assert len(np.unique(found.reshape(-1, 3), axis=0)) > 8
    else:
        text = found or capsys.readouterr().out
        rows = text.splitlines()[1:21]
        assert [len(row) for row in rows] == [20] * 20
        assert sum(row.count("#") for row in rows) <= 25
        assert {"a", "h"} <= set("".join(rows))


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"name": "chess"}, "there is no game 'chess'"),
        ({"name": "exploration", "render_mode": "hologram"}, "no render mode"),
        ({"name": "exploration", "length": 0}, "length: Input should be greater than 0"),
        ({"name": "exploration", "observations": "all"}, "observations are none, window, map"),
    ],
)
def test_bad_arguments(options, says):
    with pytest.raises(GameError, match=says):
        grid.make(**options)


# --- Batches -------------------------------------------------------------------------------------


def test_autoreset_in_the_next_step():
    env = grid.make_vec("contract-easy", 2, length=25)
    assert env.metadata["autoreset_mode"] == AutoresetMode.NEXT_STEP
    env.reset(seed=0)
    stay = np.full((2, 4), STAY)
    for step in range(1, 60):
        observed, rewards, terminated, truncated, _ = env.step(stay)
        assert truncated.tolist() == [step % 26 == 25] * 2
        assert not terminated.any()
        assert observed["step"].tolist() == [step % 26] * 2
        assert (rewards == 0).all()


def test_fog_and_shared_sight_on_the_whole_map():
    env = grid.make_vec(
        "exploration",
        1,
        observations="map",
        map=(12, 12),
        blocks=5,
        events={"HammerCraft": 5},
        piles={"wood": (3, 5), "stone": (3, 5)},
    )
    observed, _ = env.reset(seed=3)
    alone = observed["map"][0, 0].copy()
    seen = int(alone.any(-1).sum())
    assert 1 <= seen <= 25
    share = env.tables.actions.share
    acts = np.full((1, 8), STAY)
    acts[0, 1] = share + 0  # agent 1 shows agent 0 what it sees
    observed, *_ = env.step(acts)
    together = observed["map"][0, 0]
    assert (together == (alone | observed["map"][0, 1])).all()
    assert together.any(-1).sum() > seen
    assert (observed["map"][0, 2] != together).any()


def test_ten_thousand_agents():
    env = grid.make_vec("exploration", 1, agents={"explorer": 10_000}, map=(120, 120), social=())
    env.reset(seed=0)
    assert env.state.shares.size == 0  # no table of all pairs where nobody can share
    rng = np.random.default_rng(0)
    for _ in range(3):
        env.step(rng.integers(0, env.tables.actions.message, (1, 10_000)))
    places = env.state.position[0] @ (120, 1)
    assert len(set(places.tolist())) == 10_000


# --- The oracle ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "welfare"),
    [("contract-easy", 200), ("contract-hard", 940), ("exploration", 14_878)],
)
def test_the_oracle_has_the_published_totals(name, welfare):
    """Exploration: 14,878 where gem cutting keeps the cutter, as the paper has it."""
    assert optimum(RULES, RULES.games[name]).welfare == pytest.approx(welfare)


@pytest.mark.parametrize(
    ("wood", "stone", "coal", "iron"), [(2, 1, 1, 1), (3, 2, 3, 0), (1, 1, 2, 2)]
)
@pytest.mark.parametrize("jobs", [{"explorer": 1}, {"hard_carpenter": 1, "hard_miner": 1}])
def test_the_oracle_against_brute_force(wood, stone, coal, iron, jobs):
    piles = {"wood": (wood, 1), "stone": (stone, 1), "coal": (coal, 1)}
    piles |= {"iron": (iron, 1)} if iron else {}
    game = Game(map=(6, 6), piles=piles, events={"HammerCraft": 1, "TorchCraft": 1}, agents=jobs)
    worth = {
        r: max(RULES.score(job, {r: 1}) for job in jobs)
        for r in ("wood", "stone", "coal", "iron", "hammer", "torch")
    }
    best = 0.0
    for hammers, torches in itertools.product(
        range(min(wood, stone) + 1), range(min(wood, coal) + 1)
    ):
        if hammers + torches > wood or (torches and not hammers):
            continue
        held = {
            "wood": wood - hammers - torches,
            "stone": stone - hammers,
            "hammer": hammers,
            "torch": torches,
            "coal": (coal - torches) if hammers else 0,
            "iron": iron if torches else 0,
        }
        best = max(best, sum(count * worth[r] for r, count in held.items()))
    assert optimum(RULES, game).welfare == pytest.approx(best)


# --- Measures ------------------------------------------------------------------------------------


def test_measures():
    assert fairness([1, 1, 1]) == 1
    assert fairness([4, 0, 0, 0]) == pytest.approx(0.25)
    assert fairness([0, 0]) == 1
    assert completion_rates({"A": 3}, {"A": 4, "B": 2, "C": 0}) == {"A": 0.75, "B": 0, "C": None}
    jobs = ["hard_carpenter", "hard_carpenter", "hard_miner"]
    assert share_ratio([2, 4, 6], jobs) == pytest.approx(0.5)
    assert share_ratio([2, 4, 0], jobs) is None
    assert share_ratio([2, 4], jobs[:2]) is None
    assert split_ratio([0.4, 1, 0.6], jobs) == pytest.approx(1.4 / 0.6)
    assert split_ratio([0.4, 0.6, 0], jobs) is None
    assert split_ratio([1], jobs[2:]) is None


def test_the_social_graph():
    env = grid.make_vec("social-dynamic", 1)
    env.reset(seed=0)
    graph = social_graph(env)
    assert isinstance(graph, nx.DiGraph)
    assert graph.edges["group 0", "hard_carpenter_0"]["weight"] == 0.85
    assert sum(level == 1 for _, level in graph.nodes(data="level")) == 2
    assert degrees(graph)["group_out_max"] == 4
    for _ in range(60):
        env.step(np.full((1, 8), STAY))
    assert degrees(social_graph(env))["agent_in_max"] == 2  # overlapping groups
    env = grid.make_vec("social-connection", 1)
    env.reset(seed=0)
    assert degrees(social_graph(env))["agent_out_mean"] == 7


def test_the_public_code_s_edges_of_observations_as_an_option():
    circles = ((0, 1, 4, 5), (2, 3, 6, 7), (0, 1, 2, 3), (4, 5, 6, 7))
    edges = {"connection": circles, "independent": "all", "overlapping": circles}
    edges |= {"inequality": "groups", "isolation": "none"}
    found = {}
    for name, shares in edges.items():
        structure = [part.model_dump() for part in RULES.games[f"social-{name}"].structure]
        structure = [{**part, "shares": shares} for part in structure or [{}]]
        env = grid.make_vec(f"social-{name}", 1, structure=structure)
        env.reset(seed=0)
        found[name] = int(env.state.shares.sum())
    assert found == {
        "connection": 40,
        "independent": 56,
        "overlapping": 40,
        "inequality": 24,
        "isolation": 0,
    }
    with pytest.raises(GameError, match="there is no agent 9"):
        grid.make("social-isolation", structure=[{"shares": [[0, 9]]}])


def test_the_favoured_of_inequality_are_a_carpenter_and_a_miner():
    env = grid.make_vec("social-inequality", 1)
    env.reset(seed=0)
    assert np.flatnonzero(env.state.weight[0, :, 0] == 0.85).tolist() == [0, 6]


# --- Commands ------------------------------------------------------------------------------------


def test_show_and_list():
    listed = run_module("grid", "list")
    assert listed.returncode == 0, listed.stderr
    assert all(name in listed.stdout for name in RULES.games)
    shown = run_module("grid", "show", "contract-hard")
    assert shown.returncode == 0, shown.stderr
    assert "TorchCraft: 1 wood + 1 coal -> torch (needs coal), 98 stations" in shown.stdout
    assert "optimum 940" in shown.stdout
    told = json.loads(run_module("grid", "show", "contract-easy", "--json").stdout)
    assert (told["optimum"], told["optimal_executions"]) == (200, {"HammerCraft": 20})


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["show", "chess"], "there is no game 'chess'; there are: "),
        (["list", "--rules", "nowhere.yaml"], "cannot read nowhere.yaml"),
    ],
)
def test_wrong_commands(arguments, says):
    done = run_module("grid", *arguments)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"error: {says}")


def test_the_benchmark_prints_what_it_measured():
    short = ("--seconds", "0.05", "--agents", "4", "--cores", "1", "--num-envs", "300")
    done = run_module("grid.bench", *short, "--moving", "--cpu-time", "--json")
    measured = result_of(done)
    fields = {"game", "agents", "api", "observations", "masks", "cores"}
    rates = {"env_steps_per_s", "agent_steps_per_s"}
    assert all(set(one) == fields | rates for one in measured)
    assert {one["api"] for one in measured} == {"vector", "parallel"}
    assert {one["observations"] for one in measured} == {"none", "window", "map"}
    assert {one["masks"] for one in measured if one["api"] == "vector"} == {True, False}
    assert all(
        one["agent_steps_per_s"] == pytest.approx(one["agents"] * one["env_steps_per_s"])
        for one in measured
    )
    assert run_module("grid.bench", "--agents", "none").returncode == 2


def test_with_changes_leaves_the_rest():
    game = with_changes(RULES, RULES.games["contract-hard"], {"length": 50})
    assert (game.length, game.map) == (50, (15, 15))
