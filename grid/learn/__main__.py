"""Trains AdaSociety's learners and compares them with published results: ``python -m
grid.learn``.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml
from pydantic import ValidationError

from voxpolis.environment import how_to_add
from voxpolis.front import run_app
from voxpolis.grid.core.data import GameError, error_text
from voxpolis.grid.learn.options import Options
from voxpolis.grid.learn.published import TABLES, results, table_9
from voxpolis.grid.learn.published import table as published_table
from voxpolis.records.command_line import CommandLine
from voxpolis.records.console import plain_console, print_whole
from voxpolis.records.text import say_error

RUNS = Path("runs/learn")
INTERRUPTED = 130

app = CommandLine(
    help="Train the learners of AdaSociety on the grid; see docs/howto/train.md.",
)


@app.callback(invoke_without_command=True)
def train(
    context: typer.Context,
    algo: Annotated[
        str, typer.Option(help="Algorithm: ppo, recppo, mappo, rainbow or cl (curriculum).")
    ] = "ppo",
    game: Annotated[str, typer.Option(help="Game of AdaSociety.")] = "contract-easy",
    settings: Annotated[
        list[str] | None,
        typer.Option(
            "--set", metavar="KEY=VALUE", help="Change a field of the game. Can be repeated."
        ),
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Number of agent-steps.")] = 2_000_000,
    seeds: Annotated[int, typer.Option(min=1, help="Number of runs, each with the next seed.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first run.")] = 0,
    learning: Annotated[
        list[str] | None,
        typer.Option(
            "--option",
            metavar="KEY=VALUE",
            help="Change a parameter of the algorithm, such as gamma=0.98, games=128 or "
            "size=large. Can be repeated.",
        ),
    ] = None,
    device: Annotated[str, typer.Option(help="Device: cpu or cuda.")] = "cpu",
    threads: Annotated[
        int,
        typer.Option(
            min=1, help="Number of threads of torch. With 1, runs with the same seed are identical."
        ),
    ] = 1,
    track: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="Also send the learning curves to this tool: tensorboard, wandb or mlflow. Can "
            "be repeated.",
        ),
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Continue interrupted runs.")] = False,
    out: Annotated[Path, typer.Option(help="Folder of the runs.")] = RUNS,
) -> None:
    """Train an algorithm on a game, once for each seed.

    Each run has a folder GAME-ALGO-seedN.
    """
    if context.invoked_subcommand:
        return
    _have_torch(threads)
    named = {"algorithm": algo, "game": game, "changes": _pairs(settings), "steps": steps}
    named |= {"device": device}
    asked = _pairs(learning)
    for name in asked.keys() & {*named, "seed"}:
        flag = {"algorithm": "algo", "changes": "set"}.get(name, name)
        raise _failure(GameError(f"{name} is not set with --option but with --{flag}"))
    for number in range(seed, seed + seeds):
        folder = out / f"{game}-{algo}-seed{number}"
        try:
            options = Options.model_validate({**named, **asked, "seed": number})
            result = _train(folder, options, resume=resume, track=track or ())
        except (GameError, OSError, ValidationError) as error:
            raise _failure(error) from error
        if result is None:
            print(f"stopped; the same command with --resume continues {folder}", file=sys.stderr)
            raise typer.Exit(INTERRUPTED)
        parts = ", ".join(f"{name} {part:.0%}" for name, part in result["parts"].items())
        print(
            f"{folder}: {result['mean']['normalised']:.4f} of the optimum after "
            f"{result['agent_steps']:,} agent-steps, {result['seconds']:.0f} s "
            f"({result['agent_steps_per_cpu_second']:,} agent-steps per CPU second; {parts})"
        )


def _train(
    folder: Path, options: Options, *, resume: bool, track: Sequence[str]
) -> dict[str, Any] | None:
    """Train with one seed. If the training is already finished, return its result."""
    from voxpolis.grid.learn.training import CHECKPOINT, Training, lock_folder  # noqa: PLC0415  (needs torch)

    if folder.exists():
        lock_folder(folder).close()  # read the result only while no process is writing it
    if resume and (folder / "result.json").exists():
        found = dict(json.loads((folder / "result.json").read_text()))
        if found["options"] != options.model_dump(mode="json"):
            raise GameError(
                f"{folder} contains a training with other options; choose another --out"
            )
        return found
    if (folder / "run.yaml").exists() and not (resume and (folder / CHECKPOINT).exists()):
        if (folder / CHECKPOINT).exists():
            what = "--resume continues it; or choose another --out"
        else:
            what = (
                "it was interrupted before its first checkpoint; delete it, or choose another --out"
            )
        raise GameError(f"{folder} already contains a training run: {what}")

    def say(text: str) -> None:
        print(f"{folder.name}: {text}", file=sys.stderr, flush=True)

    return Training(folder, options, say, track=track).run()


@app.command()
def table(
    number: Annotated[
        int,
        typer.Argument(
            metavar="NUMBER",
            help="Number of the table: 2 (contract, negotiation), 8 (exploration) or 9.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="Folder of the runs.")] = RUNS,
) -> None:
    """Print a table of the paper with our results beside its values."""
    if number not in (*TABLES, 9):
        raise _failure(GameError(f"there is no table {number}; available tables: 2, 8, 9"))
    console = plain_console(width=None if sys.stdout.isatty() else 160)
    try:
        found = results(out)
    except GameError as error:
        raise _failure(error) from error
    print_whole(console, table_9(found) if number == 9 else published_table(number, found))
    console.print("± is the standard deviation over seeds (the paper does not define its own).")
    console.print("One policy for all agents of a game; 100 episodes with sampled actions.")


@app.command()
def evaluate(
    policy: Annotated[Path, typer.Argument(metavar="POLICY", help="File policy.pt of a run.")],
    episodes: Annotated[int, typer.Option(min=1, help="Number of episodes.")] = 100,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the games.")] = 1_000_003,
) -> None:
    """Play with a trained policy, and print the results as JSON."""
    _have_torch()
    from voxpolis.grid.learn.evaluation import evaluate as evaluate_policy  # noqa: PLC0415
    from voxpolis.grid.learn.policies import load_policy  # noqa: PLC0415

    try:
        loaded = load_policy(policy)
    except GameError as error:
        raise _failure(error) from error
    game, changes = loaded.options.game, loaded.options.changes
    found = evaluate_policy(loaded.network, game, changes=changes, episodes=episodes, seed=seed)
    print(json.dumps(found, indent=2))


@app.command()
def commons(
    out: Annotated[
        Path, typer.Argument(metavar="FILE", help="File that is written; its name ends in .npz.")
    ],
    steps: Annotated[int, typer.Option(min=1, help="Number of agent-steps.")] = 3_000_000,
    seed: Annotated[
        int, typer.Option(min=0, help="Seed of the games, the weights and the sampled actions.")
    ] = 0,
) -> None:
    """Train a greedy bot on Commons Harvest, and write its policy.

    See docs/scenarios/commons.md.
    """
    if out.suffix != ".npz":
        raise _failure(GameError(f"a policy's file name must end in .npz, unlike {out.name}"))
    _have_torch()
    from voxpolis.grid.learn.commons import train as train_bot  # noqa: PLC0415

    began = time.perf_counter()
    try:
        policy = train_bot(steps, seed, out, lambda text: print(text, file=sys.stderr, flush=True))
    except OSError as error:
        raise _failure(error) from error
    apples, seconds = policy.trained["apples"], time.perf_counter() - began
    print(f"{out}: {apples:g} apples per player in the last episodes, {seconds:.0f} s")


@app.command()
def bench(
    game: Annotated[str, typer.Option(help="Game of AdaSociety.")] = "contract-easy",
    updates: Annotated[
        int,
        typer.Option(
            min=1, help="Number of updates per library that are measured, after a first update."
        ),
    ] = 10,
) -> None:
    """Compare the speed of PPO with that of stable-baselines3.

    Both use the same network and schedule, and one thread.
    """
    _have_torch()
    try:
        from voxpolis.grid.learn.bench import side_by_side  # noqa: PLC0415  (another library)
    except ImportError as error:
        text = f"the comparison needs stable-baselines3; run: {how_to_add('rl')}"
        raise _failure(GameError(text)) from error
    try:
        found = side_by_side(game, updates)
    except GameError as error:
        raise _failure(error) from error
    for name, speed in found.items():
        print(f"{name}: {speed:,.0f} agent-steps per CPU second")
    for name in ("ours", "with graph"):
        print(f"{name} / theirs: {found[name] / found['theirs']:.2f}")


def _have_torch(threads: int = 1) -> None:
    """Import torch and set its number of threads. The commands ``--help`` and ``table`` do not need
    torch.
    """
    try:
        import torch  # noqa: PLC0415
    except ImportError as error:
        raise _failure(GameError(f"learning needs torch; run: {how_to_add('rl')}")) from error
    torch.set_num_threads(threads)


def _pairs(texts: list[str] | None) -> dict[str, Any]:
    found = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        if not equals:
            raise _failure(GameError(f"expected KEY=VALUE, not {text!r}"))
        try:
            found[key] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise _failure(GameError(f"the value of {key} is not valid YAML: {value}")) from error
    return found


def _failure(error: Exception) -> typer.Exit:
    say_error(error_text(error) if isinstance(error, ValidationError) else str(error))
    return typer.Exit(2)


if __name__ == "__main__":
    run_app(app)
