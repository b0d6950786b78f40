"""Trains one policy for all agents of a game with PPO, on the CPU: a small example to start from.

``python -m grid.train --help``. Needs the extra ``rl``: ``pip install -e '.[rl]'``. The wrapper is
the part to keep: it hands a batch of games to stable-baselines3 as a vector of single agents, which
all learn the same policy from what each of them sees (parameter sharing).
"""

from __future__ import annotations

import csv
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer
import yaml
from gymnasium import spaces

from grid.adasociety.game import read_game, with_changes
from grid.adasociety.oracle import optimum
from grid.adasociety.vector import VectorGame
from grid.core.data import GameError

try:
    from stable_baselines3 import PPO
    from stable_baselines3.common.callbacks import BaseCallback
    from stable_baselines3.common.vec_env import VecEnv
except ImportError:
    sys.exit("error: training needs stable-baselines3; run: pip install -e '.[rl]'")

#: Four agents that can do everything on a small map with ten hammers in it.
SMALL = {
    "map": (7, 7),
    "blocks": 0,
    "agents": {"explorer": 4},
    "piles": {"wood": (4, 5), "stone": (4, 5)},
    "events": {"HammerCraft": 12},
    "length": 60,
    "social": (),
}
CURVE_POINTS = 40

app = typer.Typer(pretty_exceptions_enable=False, add_completion=False, rich_markup_mode=None)


class SharedPolicyEnv(VecEnv):  # type: ignore[misc]  # stable-baselines3 has no types here
    """A batch of games as a vector of single agents: B · N of them, agents of a game together.

    An observation is one row of floats: the window's bytes (units above 1 as their logarithm), what
    the agent holds, and how much time has passed. Autoreset is stable-baselines3's: the step that
    ends an episode returns the next one's first observation; its last one is in
    ``terminal_observation``.
    """

    def __init__(self, game: VectorGame) -> None:
        self.game = game
        self.render_mode = None
        self.agents = game.tables.agents
        width = int(np.prod(game.observation["window"].shape[2:])) + game.tables.resources + 1
        super().__init__(
            game.num_envs * self.agents,
            spaces.Box(0, np.inf, (width,), np.float32),
            spaces.Discrete(game.tables.actions.total),
        )
        self._actions: npt.NDArray[np.int32] = np.zeros(0, np.int32)
        self.returns: list[float] = []

    def reset(self) -> npt.NDArray[np.float32]:
        """Begin an episode in each game; returns rows (B · N, F) float32."""
        self.game.reset(seed=self._seeds[0] or 0)
        return self._rows()

    def step_async(self, actions: npt.NDArray[np.integer[Any]]) -> None:
        """Take the actions of all agents: (B · N,) whole numbers."""
        self._actions = actions.reshape(self.game.num_envs, self.agents).astype(np.int32)

    def step_wait(self) -> tuple[Any, Any, Any, list[dict[str, Any]]]:
        """One step; games that end with it begin anew (all at once: they are equally long).

        Returns:
            rows (B · N, F) and rewards (B · N,) float32, dones (B · N,) bool, an info for each.
        """
        _, rewards, _, truncated, _ = self.game.step(self._actions)
        rewards = rewards.ravel().astype(np.float32)
        done = np.repeat(truncated, self.agents)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if truncated.any():
            self.returns += self.game.state.score.sum(1).tolist()
            last = self._rows()
            self.game.step(self._actions)  # the step that begins anew ignores them
            for number, info in enumerate(infos):
                info["terminal_observation"] = last[number]
                info["TimeLimit.truncated"] = True
        return self._rows(), rewards, done, infos

    def _rows(self) -> npt.NDArray[np.float32]:
        seen = self.game.observation
        window = np.log1p(seen["window"].reshape(self.num_envs, -1).astype(np.float32))
        held = np.log1p(seen["inventory"].reshape(self.num_envs, -1).astype(np.float32))
        passed = np.repeat(seen["step"] / self.game.tables.length, self.agents)
        return np.concatenate([window, held, passed[:, None].astype(np.float32)], 1)

    def close(self) -> None:
        """End the game's threads."""
        self.game.close()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """The same attribute for all."""
        return [getattr(self, attr_name)] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Not possible: agents have no attributes of their own."""
        raise AttributeError("agents have no attributes of their own")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> Any:
        """Not possible: agents have no methods of their own."""
        raise AttributeError("agents have no methods of their own")

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Nothing is wrapped."""
        return [False] * self.num_envs


class Curve(BaseCallback):  # type: ignore[misc]
    """Notes the mean share of the optimum that was reached, and tells it."""

    def __init__(self, env: SharedPolicyEnv, best: float, steps: int) -> None:
        super().__init__()
        self.points: list[tuple[int, float, float]] = []
        self._env = env
        self._best = best
        self._every = max(1, steps // CURVE_POINTS)
        self._started = time.monotonic()

    def _on_step(self) -> bool:
        due = self.num_timesteps >= (len(self.points) + 1) * self._every
        if due and self._env.returns:
            share = float(np.mean(self._env.returns)) / self._best
            self._env.returns.clear()
            seconds = time.monotonic() - self._started
            self.points.append((self.num_timesteps, share, round(seconds, 1)))
            print(f"{self.num_timesteps:>10,} agent-steps  {share:.3f} of the optimum", flush=True)
        return True


@app.command()
def train(
    game: Annotated[str, typer.Option(help="A game's name.")] = "exploration",
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a field; as given: a small game."),
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Agent-steps to train for.")] = 1_500_000,
    num_envs: Annotated[int, typer.Option(min=1, help="Games at once.")] = 64,
    seed: Annotated[int, typer.Option(help="Seed of games and policy.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for curve and policy.")] = Path("runs/train"),
) -> None:
    """Train a shared policy with PPO and draw its learning curve."""
    try:
        rules, shipped = read_game(game)
        changes = SMALL if settings is None and game == "exploration" else _changes(settings or [])
        played = with_changes(rules, shipped, changes)
        out.mkdir(parents=True, exist_ok=True)
    except (GameError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        raise typer.Exit(2) from error
    best = optimum(rules, played).welfare
    env = SharedPolicyEnv(VectorGame(rules, played, num_envs))
    env.seed(seed)
    model = PPO(
        "MlpPolicy",
        env,
        n_steps=played.length,
        batch_size=played.length * env.num_envs // 4,
        n_epochs=4,
        learning_rate=1e-3,
        gamma=0.98,
        ent_coef=0.01,
        seed=seed,
        device="cpu",
    )
    curve = Curve(env, best, steps)
    model.learn(steps, callback=curve)
    model.save(out / "policy.zip")
    _write(out, curve.points)
    print(f"curve and policy: {out}")


def _changes(settings: Sequence[str]) -> dict[str, Any]:
    pairs = (setting.partition("=") for setting in settings)
    return {key: yaml.safe_load(value) for key, _, value in pairs}


def _write(out: Path, points: list[tuple[int, float, float]]) -> None:
    """The learning curve as a table and a picture."""
    import matplotlib  # noqa: PLC0415  (of the same extra; slow to load)

    matplotlib.use("Agg")
    from matplotlib import pyplot  # noqa: PLC0415

    with (out / "curve.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["agent_steps", "share_of_optimum", "seconds"])
        rows.writerows(points)
    figure, axes = pyplot.subplots(figsize=(6, 3.5))
    axes.plot([point[0] for point in points], [point[1] for point in points], color="#0072b2")
    axes.set(xlabel="agent-steps", ylabel="reward / optimum", ylim=(0, 1))
    axes.spines[["top", "right"]].set_visible(False)
    figure.tight_layout()
    figure.savefig(out / "curve.png", dpi=120)


if __name__ == "__main__":
    app()
