"""Run short programs of RL libraries on the grid, each in its own process.

``python -m tests.try_libraries [LIBRARY …]`` in an environment with the libraries; prints how each
ended and how long it took.
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


def examples() -> dict[str, str]:
    """Return the page's programs by the library in their first line."""
    page = (ROOT / "docs" / "grid.md").read_text(encoding="utf-8")
    return {found["name"]: found["program"] for found in EXAMPLE.finditer(page)}


def main() -> int:
    """Run the named ones, or all; return 1 if one fails."""
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
