"""Trains one policy for all agents of a game with PPO on the CPU. This program is a small example
to start from.

``python -m grid.train --help``. This command needs the extra ``rl``; docs/start/install.md
says how to install an extra. All agents learn the same policy, each from its own observations; see
:mod:`grid.stable_baselines`.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml

from voxpolis.environment import how_to_add
from voxpolis.grid.adasociety.game import read_game, with_changes
from voxpolis.grid.adasociety.oracle import optimum
from voxpolis.grid.adasociety.vector import VectorGame
from voxpolis.grid.agents import AgentVector
from voxpolis.grid.core.data import GameError
from voxpolis.records.command_line import CommandLine
from voxpolis.records.text import say_error

# A small map with ten hammers and four agents without restrictions.
SMALL = {
    "map": (7, 7),
    "blocks": 0,
    "agents": {"explorer": 4},
    "piles": {"wood": (4, 5), "stone": (4, 5)},
    "events": {"HammerCraft": 12},
    "length": 60,
    "social": (),
}

app = CommandLine()


@app.command()
def train(
    game: Annotated[str, typer.Option(help="Name of the game.")] = "exploration",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="KEY=VALUE",
            help="Change a field of the game. Can be repeated. Without --set, a small version of "
            "exploration is played.",
        ),
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Number of agent-steps.")] = 1_500_000,
    num_envs: Annotated[
        int, typer.Option(min=1, help="Number of games that are played at once.")
    ] = 64,
    seed: Annotated[int, typer.Option(help="Seed of the games and of the policy.")] = 0,
    out: Annotated[Path, typer.Option(help="Folder for the learning curve and the policy.")] = Path(
        "runs/train"
    ),
) -> None:
    """Train one policy for all agents with PPO, and draw the learning curve."""
    try:  # imported here, so that --help needs none of it
        from stable_baselines3 import PPO  # noqa: PLC0415

        from voxpolis.grid.stable_baselines import Curve, SharedPolicyEnv  # noqa: PLC0415
    except ImportError as error:
        say_error(f"training needs stable-baselines3; run: {how_to_add('rl')}")
        raise typer.Exit(2) from error
    try:
        rules, shipped = read_game(game)
        changes = SMALL if settings is None and game == "exploration" else _changes(settings or [])
        played = with_changes(rules, shipped, changes)
        out.mkdir(parents=True, exist_ok=True)
    except (GameError, OSError) as error:
        say_error(error)
        raise typer.Exit(2) from error
    best = optimum(rules, played).welfare
    games = VectorGame(rules, played, num_envs, observations="flat", autoreset="same_step")
    env = SharedPolicyEnv(AgentVector(games))
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
