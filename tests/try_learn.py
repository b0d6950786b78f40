"""Tests of learners, for environments with torch: ``python -m pytest tests/try_learn.py -n 0``.

Not collected by default, because torch is not a test dependency: on Linux its wheel includes
gigabytes of device libraries.
"""

from __future__ import annotations

import json
import signal
from pathlib import Path

import pytest
import torch

from tests.conftest import result_of, run_module
from tests.endpoint import serving
from tests.typed_endpoint import STYLES, deciding
from voxpolis.grid.adasociety.game import read_game
from voxpolis.grid.adasociety.vector import VectorGame
from voxpolis.grid.commons.policy import read_policy
from voxpolis.grid.core.data import GameError
from voxpolis.grid.learn.commons import train as train_bot
from voxpolis.grid.learn.evaluation import evaluate
from voxpolis.grid.learn.games import Games, Observations, shape_of
from voxpolis.grid.learn.learner import Learner
from voxpolis.grid.learn.mappo import MAPPO, CentralCritic
from voxpolis.grid.learn.networks import ActorCritic, Memory, draw
from voxpolis.grid.learn.options import SIZES, Options
from voxpolis.grid.learn.policies import load_policy
from voxpolis.grid.learn.ppo import PPO, Rollout, advantages_of, clipped_loss
from voxpolis.grid.learn.rainbow import Rainbow, Replay, ReturnNetwork, of_actions, projected
from voxpolis.grid.learn.recppo import RecPPO
from voxpolis.grid.learn.training import CHECKPOINT, POLICY, Training, lock_folder
from voxpolis.grid.trained import TrainedPlayers
from voxpolis.records import events, read_record

torch.set_num_threads(1)
TINY = {"games": 4, "rollout": 20, "minibatches": 2, "epochs": 1, "sequence": 10, "replayed": 64}


@pytest.fixture(autouse=True)
def few_episodes(monkeypatch):
    """Shorten the evaluation at the end of a training run."""
    monkeypatch.setattr("grid.learn.training.EPISODES", 4)


def games_of(name: str, count: int = 4, **options: object) -> Games:
    return Games(name, count, 3, **options)


def network_of(games: Games, *, remembers: bool = False) -> ActorCritic:
    torch.manual_seed(1)
    return ActorCritic(shape_of(games.batch), SIZES["small"], remembers=remembers)


def seen_in_play(name: str, steps: int = 30) -> tuple[Games, Observations]:
    """Yield some games after random steps, in which groups have formed."""
    games, generator = games_of(name), torch.Generator().manual_seed(0)
    for _ in range(steps):
        games.step(draw(torch.log(games.observe().mask.float()), generator))
    return games, games.observe()


@pytest.mark.parametrize("algorithm", ["ppo", "rainbow"])
@pytest.mark.parametrize("name", ["contract-easy", "negotiation-hard", "exploration"])
def test_sampled_actions_are_legal(name, algorithm):
    """Item (f) of the specification: at least 10,000 samples per game; 100,000 in total."""
    games, generator = games_of(name, 48), torch.Generator().manual_seed(0)
    if algorithm == "ppo":
        network = network_of(games)
        network.policy.weight.data.normal_(0, 3)  # a policy that prefers illegal actions
    else:
        network = Rainbow(Options(**TINY), games).network
    memory, drawn = network.begin(games.observe()), 0
    with torch.no_grad():
        while drawn < 34_000:
            now = games.observe()
            actions, _ = network.act(now, memory, generator)
            assert now.mask.gather(-1, actions[..., None]).all()
            games.step(actions)
            drawn += actions.numel()


def test_memory_is_reset_after_an_episode():
    games = games_of("contract-easy")
    network, now = network_of(games, remembers=True), games.observe()
    fresh = network.begin(now)
    used = Memory(torch.randn_like(fresh.hidden), torch.randn_like(fresh.cell))
    ended = used.where_not(torch.tensor([1.0, 0, 1, 0]))
    for part, before in zip(ended, used, strict=True):
        assert not part[[0, 2]].any()
        assert torch.equal(part[[1, 3]], before[[1, 3]])
    after, anew = network(now, ended)[0], network(now, fresh)[0]
    assert torch.equal(after[[0, 2]], anew[[0, 2]])
    assert not torch.allclose(after[[1, 3]].exp(), anew[[1, 3]].exp())


def test_replayed_sequences_equal_the_played_ones():
    """Learning reproduces the probabilities of a rollout that includes episode ends."""
    options = Options(algorithm="recppo", changes={"length": 27}, **TINY)
    learner = RecPPO(options, games_of("contract-easy", changes={"length": 27}))
    first, steps = learner.games.observe(), 40
    seen, begun = first.room(steps), torch.zeros(steps, 4)
    played, start = [], learner.memory
    memory = start
    with torch.no_grad():
        for step in range(steps):
            now = learner.games.observe()
            seen.put(step, now)
            chances, _, memory = learner.network(now, memory.where_not(begun[step]))
            played.append(chances)
            _, done = learner.games.step(draw(chances, learner.generator))
            if step + 1 < steps:
                begun[step + 1] = done
        assert begun.any()
        replayed, _ = learner.replay(seen, begun, start)
    assert torch.allclose(replayed.exp(), torch.stack(played).exp(), atol=1e-5)


def test_advantages_match_the_definition():
    """Computed directly from the definition's sum, forward in time instead of backward."""
    random = torch.Generator().manual_seed(0)
    rewards = torch.randn(9, 2, 3, generator=random)
    values = torch.randn(10, 2, 3, generator=random)
    done = torch.zeros(9, 2)
    done[4, 0] = done[8, 1] = 1
    found = advantages_of(rewards, values, done, 0.9, 0.7)
    for game in range(2):
        for step in range(9):
            total, factor = torch.zeros(3), 1.0
            for later in range(step, 9):
                is_end = bool(done[later, game])
                after = torch.zeros(3) if is_end else values[later + 1, game]
                error = rewards[later, game] + 0.9 * after - values[later, game]
                total, factor = total + factor * error, factor * 0.9 * 0.7
                if is_end:
                    break
            assert torch.allclose(found[step, game], total, atol=1e-5)


def curve(folder, **changed) -> list[dict[str, float]]:
    options = Options(**{"steps": 1_600, **TINY, **changed})
    training = Training(folder, options, lambda _: None)
    training.run()
    record = read_record(folder)
    return [event.values for event in record.events if event.kind == "train_metric"]


@pytest.mark.parametrize("algorithm", ["ppo", "recppo", "mappo", "rainbow", "cl"])
def test_the_same_seed_gives_the_same_curve_even_when_resumed(tmp_path, algorithm):
    whole = curve(tmp_path / "a", algorithm=algorithm)
    assert whole == curve(tmp_path / "b", algorithm=algorithm)
    assert whole != curve(tmp_path / "c", algorithm=algorithm, seed=1)

    options = Options(steps=1_600, algorithm=algorithm, **TINY)
    stopped = Training(tmp_path / "d", options, lambda _: None)
    update, asked = stopped.learner.update, []

    def interrupted(part_left: float) -> dict[str, float]:
        asked.append(part_left)
        if len(asked) == 2:
            signal.raise_signal(signal.SIGINT)
        return update(part_left)

    stopped.learner.update = interrupted
    assert stopped.run() is None
    assert curve(tmp_path / "d", algorithm=algorithm) == whole
    finished = json.loads((tmp_path / "d" / "result.json").read_text())
    assert (
        finished["evaluation"] == json.loads((tmp_path / "a/result.json").read_text())["evaluation"]
    )


class Evil:
    def __reduce__(self):
        return signal.raise_signal, (signal.SIGKILL,)


def test_a_strangers_checkpoint_cannot_run_code(tmp_path):
    curve(tmp_path, algorithm="ppo")
    (tmp_path / "result.json").unlink()
    torch.save({"options": Evil(), "learner": {}}, tmp_path / CHECKPOINT)
    options = Options(**{"steps": 1_600, **TINY, "algorithm": "ppo"})
    with pytest.raises(GameError, match=r"the checkpoint .* cannot be read"):
        Training(tmp_path, options, lambda _: None)


def test_a_folder_has_only_one_training_run_at_a_time(tmp_path):
    with (
        lock_folder(tmp_path / "a"),
        pytest.raises(GameError, match=r"^another process is training in "),
    ):
        Training(tmp_path / "a", Options(steps=1_600, **TINY), lambda _: None)


def test_a_diverging_training_run_ends_with_an_error(tmp_path):
    options = Options(steps=1_600, **{**TINY, "learning_rate": 1e30})
    with pytest.raises(GameError, match="is not finite"):
        Training(tmp_path / "a", options, lambda _: None).run()
    (end,) = read_record(tmp_path / "a").of(events.RunEnded)
    assert end.reason == "fault"


@pytest.mark.parametrize("algorithm", ["ppo", "cl"])
def test_a_killed_training_run_resumes_without_duplicate_points(tmp_path, monkeypatch, algorithm):
    """It is killed after writing data points and a stage's evaluation since the last checkpoint."""
    monkeypatch.setattr("grid.learn.training.SAVES", 2)  # of five updates, it saves after 2 and 4
    changed = {"algorithm": algorithm, "stages": (0.5, 0.25, 0.25)}
    whole = curve(tmp_path / "a", **changed)
    killed = Training(tmp_path / "b", Options(steps=1_600, **TINY, **changed), lambda _: None)
    update, asked = killed.learner.update, []

    def dies(part_left: float) -> dict[str, float]:
        asked.append(part_left)
        if len(asked) == 4:
            raise SystemExit(9)
        return update(part_left)

    killed.learner.update = dies
    with pytest.raises(SystemExit):
        killed.run()
    written = [event.kind for event in read_record(tmp_path / "b").events].count("train_metric")
    assert written == {"ppo": 3, "cl": 4}[algorithm]
    assert curve(tmp_path / "b", **changed) == whole


@pytest.mark.parametrize("algorithm", ["ppo", "rainbow"])
def test_a_saved_policy_plays_like_the_one_in_memory(tmp_path, algorithm):
    options = Options(steps=320, algorithm=algorithm, **TINY)
    training = Training(tmp_path, options, lambda _: None)
    training.run()
    loaded = load_policy(tmp_path / POLICY)
    assert loaded.options == options
    found = [
        evaluate(n, options.game, episodes=5) for n in (loaded.network, training.learner.network)
    ]
    assert found[0] == found[1]
    (tmp_path / "other.pt").write_text("no policy")
    with pytest.raises(GameError, match="not a trained policy"):
        load_policy(tmp_path / "other.pt")
    stored = torch.load(tmp_path / POLICY, weights_only=True)
    for damaged in ("options", "shape", "network", "agent_steps"):
        torch.save({**stored, damaged: "{"}, tmp_path / "damaged.pt")
        if damaged != "agent_steps":
            with pytest.raises(GameError, match="damaged"):
                load_policy(tmp_path / "damaged.pt")
        torch.save({k: v for k, v in stored.items() if k != damaged}, tmp_path / "damaged.pt")
        with pytest.raises(GameError, match="damaged"):
            load_policy(tmp_path / "damaged.pt")


@pytest.mark.parametrize("style", STYLES)
def test_a_trained_agent_plays_with_scripted_random_and_language_model_agents(tmp_path, style):
    """Four agents of four kinds play in one run, one of them over HTTP; the record replays."""
    Training(tmp_path, Options(steps=320, algorithm="recppo", **TINY), lambda _: None).run()
    kinds = {
        "carpenter_0": f"trained:{tmp_path / POLICY}",
        "carpenter_1": "planner",
        "miner_2": "scripted",
        "miner_3": "random",
    }
    agents = [f"--agent={name}={kind}" for name, kind in kinds.items()]
    where = ["--game", "contract-easy", "--set", "length=40", "--out", str(tmp_path), "--json"]
    with serving(deciding(style)) as endpoint:
        model = ["--base-url", endpoint.url, "--model", "local"]
        result = result_of(run_module("scenarios.adasociety", *where, *agents, *model))
        asked = len(endpoint.requests)
    (run,) = result["runs"]
    assert result["agents_kinds"] == kinds
    assert sorted(run["acted"]) == sorted(kinds)
    assert result["decisions"]["agents"]["carpenter_1"] == {"asked": asked, "failed": {}}
    assert asked > 10
    calls = read_record(Path(result["run_dir"])).calls
    assert {(c["agent"], c["model"]) for c in calls if c.get("model")} == {
        ("carpenter_1", "local-test"),
        ("miner_2", "scripted"),
    }
    again = run_module("scenarios.adasociety", *where[4:], "--replay", result["run_dir"])
    assert result_of(again)["runs"] == result["runs"]


def test_a_trained_agent_acts_legally_and_depends_only_on_its_seed(tmp_path):
    Training(tmp_path, Options(steps=320, algorithm="recppo", **TINY), lambda _: None).run()
    table = VectorGame(*read_game("contract-easy"), 1, action_masks=True)
    players = TrainedPlayers(dict.fromkeys((0, 3), str(tmp_path / POLICY)), table, 200.0)
    played = []
    for seed in (1, 1, 2):
        observed, info = table.reset(seed=9)
        players.begin(seed)
        played.append([])
        for _ in range(40):
            mask = info["action_mask"][0]
            chosen = players.act(observed, mask)
            assert set(chosen) == {0, 3}
            assert all(mask[i, action] for i, action in chosen.items())
            played[-1].append(chosen)
            actions = mask.argmax(1)
            actions[list(chosen)] = list(chosen.values())
            observed, _, _, _, info = table.step(actions[None])
    assert played[0] == played[1] != played[2]
    other = VectorGame(*read_game("contract-hard"), 1)
    with pytest.raises(GameError, match="trained on contract-easy, with other agents"):
        TrainedPlayers({0: str(tmp_path / POLICY)}, other, 940.0)


@pytest.mark.parametrize("learns", [PPO, MAPPO, Rainbow])
def test_an_update_makes_rewarded_actions_more_probable(learns):
    """The game rewards staying alone; after some updates the policy stays alone."""
    games = games_of("social-isolation", 8)
    step = games.step

    def paid(actions: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        _, done = step(actions)
        return (actions == 4).float(), done

    games.step = paid
    changed = {"games": 8, "epochs": 4, "replayed": 128, "copy_every": 500}
    learner = learns(Options(**{**TINY, **changed}), games)
    before = chance_to_stay(learner)
    for _ in range(10):
        learner.update(1.0)
    assert chance_to_stay(learner) > before + 0.3


def chance_to_stay(learner: Learner) -> float:
    now, generator = learner.games.observe(), torch.Generator().manual_seed(0)
    with torch.no_grad():
        memory = learner.network.begin(now)
        drawn = [learner.network.act(now, memory, generator)[0] for _ in range(50)]
    return float((torch.stack(drawn) == 4).float().mean())


def test_a_central_value_depends_on_everything_except_the_agents_own_action():
    """It depends on the others' actions and on the map without observations.

    It does not depend on the agent's own action, which is compared with it.
    """
    games, now = seen_in_play("negotiation-hard")
    world, agents = games.whole_map(), now.earned.shape[1]
    assert world.shape == (4, games.tables.height, games.tables.width, games.tables.channels)
    torch.manual_seed(0)
    critic = CentralCritic(shape_of(games.batch), SIZES["small"], tuple(world.shape[1:]))
    actions = torch.zeros(4, agents, dtype=torch.int64)
    before = critic(now, world, actions)
    other = actions.clone()
    other[:, 2] = 5
    is_other = critic(now, world, other) != before
    assert is_other.sum(1).tolist() == [agents - 1] * 4
    assert not is_other[:, 2].any()
    assert (critic(now, world + 1, actions) != before).all()


def test_projection_conserves_probability_and_expectation():
    """Item (e) of the specification, by hand for values between and beyond the atoms."""
    random, atoms = torch.Generator().manual_seed(0), torch.linspace(-10, 210, 51)
    chances = torch.rand(40, 3, 51, generator=random).softmax(-1)
    returns = torch.rand(40, 3, generator=random) * 20
    factor = torch.full((40, 3), 0.9)
    moved = projected(chances, returns, factor, atoms)
    assert torch.allclose(moved.sum(-1), torch.ones(40, 3), atol=1e-5)
    expected = (chances * (returns[..., None] + 0.9 * atoms).clamp(-10, 210)).sum(-1)
    assert torch.allclose((moved * atoms).sum(-1), expected, atol=1e-3)

    few = torch.tensor([0.0, 1.0, 2.0])
    by_hand = projected(torch.tensor([0.2, 0.3, 0.5]), torch.tensor(0.5), torch.tensor(1.0), few)
    assert torch.allclose(by_hand, torch.tensor([0.1, 0.25, 0.65]))


def test_multi_step_returns_respect_episode_ends_and_buffer_size():
    """All possible samples are compared with the input, across an episode end and a full buffer."""
    like = games_of("contract-easy", 2).observe()
    replay, horizon, gamma = Replay(like, 8, 3, 0.5), 3, 0.5
    played = 11  # the buffer has room for 8
    for step in range(played):
        seen = like._replace(earned=torch.full_like(like.earned, step))
        ends = torch.tensor([float(step == 6), 0.0])
        replay.add(seen, torch.full((2, 4), step), torch.full((2, 4), float(step)), ends)
    drawn = replay.draw(400, 1.0, torch.Generator().manual_seed(0))
    kept = {(int(a), int(i) % 2) for a, i in zip(drawn.actions[:, 0], drawn.index, strict=True)}
    assert kept == {(step, game) for step in range(3, 8) for game in (0, 1)}
    rows = zip(drawn.actions[:, 0].tolist(), (drawn.index % 2).tolist(), strict=True)
    for row, (step, game) in enumerate(rows):
        last = 6 if game == 0 and step <= 6 else played
        steps = [s for s in range(step, step + horizon) if s <= last]
        goes_on = game == 1 or not step <= 6 < step + horizon
        expected = sum(gamma ** (s - step) * s for s in steps)
        assert drawn.returns[row].tolist() == [expected] * 4
        assert drawn.factor[row] == (gamma**horizon if goes_on else 0)
        assert drawn.seen.earned[row, 0] == step
        assert not goes_on or drawn.after.earned[row, 0] == step + horizon
    assert torch.equal(drawn.seen.window, like.window[drawn.index % 2])


def test_networks_and_losses_work_on_any_device():
    """Uses the meta device, which refuses CPU tensors, because the test machine has no GPU."""
    games, device = games_of("negotiation-hard"), "meta"
    now = Observations(*(part.to(device) for part in games.observe()))
    world, options = games.whole_map().to(device), Options(**TINY)
    actions = torch.zeros_like(now.earned, dtype=torch.int64)
    shape, sizes = shape_of(games.batch), SIZES["small"]
    for remembers in (False, True):
        network = ActorCritic(shape, sizes, remembers=remembers).to(device)
        chances, values, memory = network(now, network.begin(now))
        network(now, memory.where_not(torch.ones(4, device=device)))
        drawn = Rollout(actions, values, values, values)
        loss, _ = clipped_loss(chances, values, drawn, options, 0.5)
        assert loss.device.type == device
    critic = CentralCritic(shape, sizes, tuple(world.shape[1:])).to(device)
    assert critic(now, world, actions).device.type == device
    returns = ReturnNetwork(shape, sizes, (-10.0, 210.0, 51), 0.5).to(device)
    found = returns(now)
    assert returns.best(found, now.mask).device.type == device
    goal = projected(of_actions(found, actions), now.earned, now.earned, returns.atoms)
    assert goal.shape == (4, 8, 51)
    replay = Replay(now, 8, 3, 0.99)
    replay.add(now, actions, now.earned, now.earned[:, 0])
    assert replay.seen.window.device.type == device


def test_a_greedy_bot_learns_to_take_apples_reproducibly(tmp_path):
    """After ten updates, players take far more than in the first episodes, which are random."""
    told: list[str] = []
    steps = 10 * 32 * 64 * 7
    files = [tmp_path / name for name in ("one.npz", "two.npz", "three.npz")]
    for file, seed in zip(files, (0, 0, 1), strict=True):
        train_bot(steps, seed, file, told.append)
    one, two, three = (file.read_bytes() for file in files)
    assert one == two != three
    trained = read_policy(files[0]).trained
    assert (trained["steps"], trained["seed"]) == (steps, 0)
    first = float(told[3].split()[2])
    assert trained["apples"] > 2 * first
