"""Rules of the grid: comparison with a plain reference, conservation, seeds, masks."""

from __future__ import annotations

import copy

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.grid_playing import GAMES, RULES, choose, compare, played, small
from voxpolis.grid.adasociety.game import RULES_FILE, Game, read_rules, shipped_files
from voxpolis.grid.adasociety.state import MOVES_NEXT, OFFER, PARTNER, REQUESTED
from voxpolis.grid.adasociety.step import MUCH
from voxpolis.grid.adasociety.tables import STAY
from voxpolis.grid.adasociety.vector import VectorGame, social_graph

# --- Against the reference -----------------------------------------------------------------------


@pytest.mark.parametrize("name", GAMES)
def test_the_kernel_matches_the_reference(name):
    compare(small(name), seed=GAMES.index(name))


def test_games_from_other_files_match_the_reference():
    others = [path for path in shipped_files() if path != RULES_FILE]
    assert others
    for rules in map(read_rules, others):
        for seed, game in enumerate(rules.games.values()):
            compare(game, seed, rules, episodes=1)


def test_deals_in_the_same_step_are_processed_in_ascending_order():
    """At step 20, a group that has just grown by one deal grows by another deal in the same
    step."""
    compare(small("negotiation-hard", length=42), 11, episodes=1)


@settings(max_examples=15, deadline=None)
@given(st.data())
def test_random_games_match_the_reference(data):
    """The maps are small, so that agents block each other."""
    number = st.integers(1, 6)
    names = ["explorer", "hard_carpenter", "hard_miner", "miner"]
    piles = {"wood": (data.draw(number), 9), "stone": (1, 3), "coal": (data.draw(number), 2)}
    stage = data.draw(st.sampled_from([{}, {"contract": 2}, {"negotiation": 12}]))
    game = Game(
        map=(data.draw(st.integers(4, 6)), data.draw(st.integers(4, 6))),
        blocks=data.draw(st.integers(0, 3)),
        piles=piles,
        events={"HammerCraft": 4, "TorchCraft": 3},
        agents={name: data.draw(st.integers(1, 3)) for name in names},
        length=40,
        stage=stage,
        social=("message", "share", "join"),
    )
    compare(game, data.draw(st.integers(0, 2**40)))


def test_unions_pool_their_groups_earnings():
    structure = [
        {"step": 0, "groups": [[0, 1], [2, 3], [4, 5]], "unions": [{0: 3, 1: 1}]},
        {
            "step": 20,
            "groups": [[0, 1], [2, 3, 4], [5, 6]],
            "unions": [[0, 2], [1]],
            "shares": "groups",
        },
    ]
    game = small("social-isolation", structure=structure)
    compare(game, 11)
    env = played(game, num_envs=3)
    chance = np.random.default_rng(2)
    env.reset(seed=5)
    assert social_graph(env).edges["union 0", "group 0"]["weight"] == 3
    for _ in range(50):
        before = env.state.inventory.copy()
        _, rewards, *_ = env.step(choose(env, chance))
        earned = ((env.state.inventory - before) * env.tables.value).sum((1, 2))
        assert rewards.sum(1) == pytest.approx(earned, abs=1e-6)
        if env.state.step[0] <= 20:
            assert rewards[:, 0] == pytest.approx(3 * rewards[:, 2])
            assert rewards[:, 1] == pytest.approx(3 * rewards[:, 3])


def test_a_crowded_map_with_the_whole_tree_matches_the_reference():
    game = small(
        "exploration",
        agents={"explorer": 3},
        map=(8, 8),
        blocks=2,
        length=600,
        piles={
            "wood": (9, 20),
            "stone": (6, 20),
            "coal": (8, 20),
            "iron": (8, 20),
            "gem_mine": (3, 9),
            "clay": (4, 9),
        },
        events=dict.fromkeys(RULES.events, 4),
    )
    compare(game, 5)


# --- Invariants ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["exploration", "contract-easy", "negotiation-easy"])
def test_an_environment_does_not_depend_on_its_batch_or_threads(name):
    game = small(name)
    rng = np.random.default_rng(4)
    one = played(game, observations="map")
    many = played(game, num_envs=7, num_threads=2, observations="map")
    one.reset(seed=14)
    many.reset(seed=10)
    for _ in range(2 * game.length):
        actions = rng.integers(0, one.tables.actions.total, (7, one.tables.agents))
        alone, rewards, *_ = one.step(actions[4:5])
        together, all_rewards, *_ = many.step(actions)
        assert (rewards[0] == all_rewards[4]).all()
        for key in ("position", "inventory", "map", "weight"):
            assert (alone[key][0] == together[key][4]).all(), key
    many.close()


def test_a_batch_larger_than_the_caches_matches_single_environments():
    """Its maps are prefetched one game ahead."""
    game = small("exploration")
    one = played(game, action_masks=True)
    number = MUCH // one.state.plane.nbytes + 2
    many = played(game, num_envs=number, action_masks=True)
    assert many.state.plane.nbytes > MUCH
    one.reset(seed=number - 1)
    many.reset(seed=0)
    rng = np.random.default_rng(4)
    for _ in range(game.length + 2):
        actions = rng.integers(0, one.tables.actions.total, many.rewards.shape)
        alone, rewards, *_, info = one.step(actions[-1:])
        together, all_rewards, *_, all_info = many.step(actions)
        assert (rewards[0] == all_rewards[-1]).all()
        assert (info["action_mask"][0] == all_info["action_mask"][-1]).all()
        for key in ("position", "inventory", "window", "weight"):
            assert (alone[key][0] == together[key][-1]).all(), key


# One for each kind of stage, structure and map.
MASKED = ["exploration", "contract-easy", "negotiation-easy", "social-overlapping", "crafting_tree"]


@pytest.mark.parametrize("name", MASKED)
def test_masks_contain_exactly_the_actions_that_have_an_effect(name):
    """Try each action of an agent alone, in randomly reached states of each stage."""
    game, chance = small(name), np.random.default_rng(6)
    stay = np.full((1, len(game.jobs)), STAY)
    walked = played(game)
    walked.reset(seed=5)
    for step in range(game.stage_steps + 12):
        masks = walked.action_masks()[0]
        agent = step % len(game.jobs)
        # an agent that stays joins a random group
        if game.stage.contract and step < game.stage_steps:
            agent = int(walked.state.order[0, step % len(game.jobs)])
        still = copy.deepcopy(walked)
        still.step(stay)
        for action in range(masks.shape[1]):
            tried, acts = copy.deepcopy(walked), stay.copy()
            acts[0, agent] = action
            tried.step(acts)
            has_effect = differ(tried, still) or requested(tried, agent)
            if not masks[agent, action]:
                assert not has_effect, walked.names.actions[action]
            elif action > STAY and action != offered(walked, agent) and not lapses(game, step):
                assert has_effect, walked.names.actions[action]
        walked.step(choose(walked, chance))


def differ(one: VectorGame, other: VectorGame) -> bool:
    """Return True if two games differ in anything except data about masks."""
    pairs = zip(one.state._replace(stale=0), other.state._replace(stale=0), strict=True)
    return not all(np.array_equal(a, b) for a, b in pairs)


def requested(game: VectorGame, agent: int) -> bool:
    """Return True for a request, which has no effect until the other agent makes one too."""
    return bool(game.state.bargain[0, agent, REQUESTED] >= 0)


def lapses(game: Game, step: int) -> bool:
    """Return True if an action at this step may have no effect.

    Examples are choosing a group that is drawn anyway, or bargains at the end of a negotiation.
    """
    return step < game.stage_steps and (bool(game.stage.contract) or step == game.stage_steps - 1)


def offered(game: VectorGame, agent: int) -> int | None:
    """Return the proposal of an agent that its partner can accept, if any."""
    partner = game.state.bargain[0, agent, PARTNER]
    standing = int(game.state.bargain[0, partner, OFFER]) if partner >= 0 else 0
    return game.tables.actions.propose + standing - 1 if standing else None


class Negotiation:
    """Negotiation between eight agents; the test names some actions, and all other agents stay."""

    def __init__(self) -> None:
        self.game = played(small("negotiation-hard"))
        self.game.reset(seed=0)

    def do(self, **words: str) -> None:
        actions = np.full((1, 8), STAY)
        for agent, word in words.items():
            actions[0, int(agent[1])] = self.game.names.actions.index(word.replace("_", " "))
        self.game.step(actions)

    def begin(self, *pairs: tuple[int, int]) -> list[tuple[int, int]]:
        """Let agents request each other; return each pair, with the agent that moves first."""
        asks = {f"a{i}": f"request {j}" for pair in pairs for i, j in (pair, pair[::-1])}
        self.do(**asks)
        turn = self.game.state.bargain[0, :, MOVES_NEXT]
        return [(i, j) if turn[i] else (j, i) for i, j in pairs]

    def deal(self, *pairs: tuple[int, int], besides: dict[str, str] | None = None) -> None:
        begun = self.begin(*pairs)
        self.do(**{f"a{mover}": "propose 0.5" for mover, _ in begun})
        self.do(**{f"a{other}": "accept" for _, other in begun}, **(besides or {}))

    @property
    def groups(self) -> list[int]:
        return self.game.state.group[0, :, 0].tolist()


def test_requests_stay_valid_when_groups_merge_in_the_same_step():
    table = Negotiation()
    table.deal((0, 1))
    table.deal((1, 2), besides={"a0": "request 3", "a3": "request 0"})
    assert len(set(table.groups[:3])) == 1
    assert table.game.state.bargain[0, [0, 3], PARTNER].tolist() == [3, 0]


def test_the_deal_with_the_lower_number_wins_if_two_join_the_same_groups():
    table = Negotiation()
    table.deal((0, 1), (2, 3))
    first, second = table.begin((0, 2), (1, 3))
    table.do(**{f"a{first[0]}": "propose 0.8", f"a{second[0]}": "propose 0.5"})
    table.do(**{f"a{first[1]}": "accept", f"a{second[1]}": "accept"})
    assert len(set(table.groups[:4])) == 1
    kept, left = (0.8, 0.2) if first[0] == 0 else (0.2, 0.8)
    weights = table.game.state.weight[0, :4, 0]
    assert weights == pytest.approx([kept / 2, kept / 2, left / 2, left / 2])
    assert (table.game.state.bargain[0, :, PARTNER] == -1).all()


def test_agents_that_compete_for_a_cell_are_equally_likely_to_get_it():
    game = Game(map=(3, 9), piles={"wood": (1, 1)}, events={}, agents={"explorer": 2}, length=5)
    env = played(game, num_envs=4000)
    env.reset(seed=0)
    s = env.state
    # Both are next to the same free cell, one on its left and one on its right.
    s.plane[:], s.occupant[:] = 0, 0
    s.position[:, 0], s.position[:, 1] = (1, 3), (1, 5)
    s.occupant[:, 1, 3], s.occupant[:, 1, 5] = 1, 2
    env.step(np.tile([3, 2], (4000, 1)))
    first = (s.position[:, 0] == (1, 4)).all(1)
    second = (s.position[:, 1] == (1, 4)).all(1)
    assert (first ^ second).all()
    assert 0.45 < first.mean() < 0.55
