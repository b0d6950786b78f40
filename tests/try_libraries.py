"""Run short programs that use RL libraries on the grid, each in a separate process.

``python -m tests.try_libraries [LIBRARY …]`` needs an environment that has the libraries. It prints
how each program ended and how long it took.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

EXAMPLES = {
    "stable-baselines3": """
from stable_baselines3 import PPO

from voxpolis import grid
from voxpolis.grid.stable_baselines import SharedPolicyEnv

env = SharedPolicyEnv(grid.make_agents("contract-easy", 16, autoreset="same_step"))
PPO("MlpPolicy", env, n_steps=120, batch_size=1_920).learn(15_360)
""",
    "supersuit": """
import supersuit
from stable_baselines3 import PPO

from voxpolis import grid

env = supersuit.pettingzoo_env_to_vec_env_v1(grid.make("contract-easy", observations="flat"))
env = supersuit.concat_vec_envs_v1(env, 4, base_class="stable_baselines3")
PPO("MlpPolicy", env, n_steps=120, batch_size=480).learn(3_840)
""",
    "sb3-contrib": """
from sb3_contrib import MaskablePPO

from voxpolis import grid
from voxpolis.grid.stable_baselines import SharedPolicyEnv

env = SharedPolicyEnv(grid.make_agents("clean_up", 16, autoreset="same_step"))
MaskablePPO("MlpPolicy", env, n_steps=32, batch_size=896).learn(3_584)
""",
    "rllib": """
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from ray.tune.registry import register_env

from voxpolis import grid

register_env(
    "grid", lambda _: ParallelPettingZooEnv(grid.make("contract-easy", observations="flat"))
)
config = PPOConfig().environment("grid").env_runners(num_env_runners=0)
config = config.multi_agent(policies={"all"}, policy_mapping_fn=lambda *_, **__: "all")
config.training(train_batch_size=480, minibatch_size=120, num_epochs=1)
print(config.build_algo().train()["env_runners"]["num_env_steps_sampled"])
""",
    "tianshou": """
from pettingzoo.utils.conversions import parallel_to_aec
from tianshou.algorithm import DQN, MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from voxpolis import grid

envs = DummyVectorEnv(
    [lambda: PettingZooEnv(parallel_to_aec(grid.make("contract-easy", observations="flat")))] * 4
)
one = envs.workers[0].env


def learner():
    net = Net(state_shape=one.observation_space.shape, action_shape=one.action_space.n)
    policy = DiscreteQLearningPolicy(model=net, action_space=one.action_space, eps_training=0.1)
    return DQN(policy=policy, optim=AdamOptimizerFactory())


team = MultiAgentOffPolicyAlgorithm(algorithms=[learner() for _ in one.agents], env=one)
collector = Collector(team, envs, VectorReplayBuffer(8_000, 4), exploration_noise=True)
collector.reset()
settings = OffPolicyTrainerParams(
    training_collector=collector,
    max_epochs=1,
    epoch_num_steps=1_920,
    collection_step_num_env_steps=480,
    update_step_num_gradient_steps_per_sample=0.1,
)
team.run_training(settings)
""",
    "torchrl": """
from tensordict.nn import TensorDictModule
from torch.optim import Adam
from torchrl.collectors import Collector
from torchrl.envs import MarlGroupMapType, PettingZooWrapper
from torchrl.modules import MaskedCategorical, MultiAgentMLP, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss

from voxpolis import grid

env = PettingZooWrapper(
    grid.make("contract-easy", observations="flat"), group_map=MarlGroupMapType.ALL_IN_ONE_GROUP
)
keys = ("agents", "observation")
agents, size = env.observation_spec[keys].shape
actions = env.full_action_spec["agents", "action"].space.n


def network(outputs):
    return MultiAgentMLP(size, outputs, agents, centralized=False, share_params=True)


scores = TensorDictModule(network(actions), [keys], [("agents", "logits")])
masked = {"logits": ("agents", "logits"), "mask": ("agents", "action_mask")}
actor = ProbabilisticActor(
    scores,
    masked,
    [("agents", "action")],
    distribution_class=MaskedCategorical,
    return_log_prob=True,
)
loss = ClipPPOLoss(actor, ValueOperator(network(1), [keys], [("agents", "state_value")]))
loss.set_keys(
    action=("agents", "action"),
    value=("agents", "state_value"),
    reward=("agents", "reward"),
    done=("agents", "done"),
    terminated=("agents", "terminated"),
    sample_log_prob=("agents", "action_log_prob"),
)
loss.make_value_estimator()
optimizer = Adam(loss.parameters())
for steps in Collector(env, actor, frames_per_batch=120, total_frames=480):
    loss.value_estimator(steps)
    losses = loss(steps)
    optimizer.zero_grad()
    sum(losses[name] for name in ("loss_objective", "loss_critic", "loss_entropy")).backward()
    optimizer.step()
""",
}


def main() -> int:
    """Run the named programs, or all; return 1 if one fails."""
    failed = 0
    for name, program in EXAMPLES.items():
        if sys.argv[1:] and name not in sys.argv[1:]:
            continue
        started = time.monotonic()
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
        failed |= done.returncode != 0
        told = "trains" if done.returncode == 0 else done.stderr.strip()[-2000:]
        print(f"{name}: {told} ({time.monotonic() - started:.0f} s)", flush=True)
    return failed


if __name__ == "__main__":
    sys.exit(main())
