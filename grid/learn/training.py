"""A training run: its folder, record and checkpoints, and messages about its progress."""

from __future__ import annotations

import math
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from pickle import UnpicklingError
from types import FrameType
from typing import Any, Protocol, TextIO

import numpy as np
import torch

from voxpolis.grid.core.data import GameError
from voxpolis.grid.learn.curriculum import Curriculum
from voxpolis.grid.learn.evaluation import EPISODES, evaluate
from voxpolis.grid.learn.games import Games, shape_of
from voxpolis.grid.learn.learner import Learner
from voxpolis.grid.learn.mappo import MAPPO
from voxpolis.grid.learn.options import Algorithm, Options
from voxpolis.grid.learn.policies import Policy, save, save_policy
from voxpolis.grid.learn.ppo import PPO
from voxpolis.grid.learn.published import published, published_agent_steps
from voxpolis.grid.learn.rainbow import Rainbow
from voxpolis.grid.learn.recppo import RecPPO
from voxpolis.records import RunWriter, events, read_record

# --- Trackers of training curves: TensorBoard, Weights & Biases, MLflow ---------------------------


class Tracker(Protocol):
    """Receives the measurements of a training and passes them to another tool."""

    def note(self, values: Mapping[str, float], agent_steps: int) -> None:
        """Store measurements that were made after ``agent_steps`` agent-steps."""

    def close(self) -> None:
        """End the tracking, because the training has finished or was stopped."""


class _TensorBoard:
    def __init__(self, folder: Path, options: Mapping[str, Any], after: int | None) -> None:
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415  (optional)

        purged = None if after is None else after + 1  # points after this one are measured again
        self._writer: Any = SummaryWriter(str(folder / "tensorboard"), purge_step=purged)

    def note(self, values: Mapping[str, float], agent_steps: int) -> None:
        for name, value in values.items():
            self._writer.add_scalar(name, value, agent_steps)

    def close(self) -> None:
        self._writer.close()


class _WandB:
    def __init__(self, folder: Path, options: Mapping[str, Any], _after: int | None) -> None:
        import wandb  # noqa: PLC0415  (optional)

        named = {"project": "voxpolis", "name": folder.name, "dir": str(folder)}
        self._run: Any = wandb.init(config=dict(options), **named)

    def note(self, values: Mapping[str, float], agent_steps: int) -> None:
        self._run.log(dict(values), step=agent_steps)

    def close(self) -> None:
        self._run.finish()


class _MLflow:
    def __init__(self, folder: Path, options: Mapping[str, Any], _after: int | None) -> None:
        import mlflow  # noqa: PLC0415  (optional)

        self._mlflow: Any = mlflow
        mlflow.set_experiment("voxpolis")
        mlflow.start_run(run_name=folder.name)
        mlflow.log_params(dict(options))

    def note(self, values: Mapping[str, float], agent_steps: int) -> None:
        self._mlflow.log_metrics(dict(values), step=agent_steps)

    def close(self) -> None:
        self._mlflow.end_run()


# By name: its factory, and the package to install.
TRACKERS: Mapping[str, tuple[Callable[[Path, Mapping[str, Any], int | None], Tracker], str]] = {
    "tensorboard": (_TensorBoard, "tensorboard"),
    "wandb": (_WandB, "wandb"),
    "mlflow": (_MLflow, "mlflow"),
}


def tracker(
    name: str, folder: Path, options: Mapping[str, Any], *, after: int | None = None
) -> Tracker:
    """Return a tracker for a training.

    Args:
        name: a name in :data:`TRACKERS`. The tracker's own settings determine where it sends data.
        folder: folder of the training.
        options: options of the training.
        after: number of agent-steps of the checkpoint from which the training is resumed; None for
            a new training.

    Raises:
        GameError: there is no such tracker, its package is not installed, or it does not start.
    """
    if name not in TRACKERS:
        raise GameError(f"there is no tracker {name!r}; there are: {', '.join(TRACKERS)}")
    make, package = TRACKERS[name]
    try:
        return make(folder, options, after)
    except ImportError as error:
        raise GameError(f"--track {name} needs a package: pip install {package}") from error
    except Exception as error:  # the user asked for the tracker, so any failure is an error
        raise GameError(f"--track {name} does not start: {error}") from error


if sys.platform != "win32":
    import fcntl

LEARNERS: Mapping[Algorithm, Callable[[Options, Games], Learner]] = {
    "ppo": PPO,
    "recppo": RecPPO,
    "mappo": MAPPO,
    "rainbow": Rainbow,
    "cl": Curriculum,
}
POLICY, CHECKPOINT = "policy.pt", "checkpoint.pt"
# Number of points on a learning curve, and of checkpoints, per training.
POINTS, SAVES = 200, 20
# Prints a progress message.
Say = Callable[[str], None]


def lock_folder(folder: Path) -> TextIO:
    """Lock the folder of a training for this process, until the returned file is closed.

    Raises:
        GameError: another process is training in this folder.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file = (folder / "lock").open("a")
    try:
        if sys.platform != "win32":
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        file.close()
        raise GameError(f"another process is training in {folder}") from error
    return file


class Training:
    """A run of one algorithm with one seed.

    Attributes:
        folder: contains the record (``run.yaml``, ``events.jsonl`` with ``train_metric`` events,
            and ``result.json``), the policy ``policy.pt``, and ``checkpoint.pt`` to resume from.
        options: options of the training.
    """

    def __init__(
        self, folder: Path, options: Options, say: Say, *, track: Sequence[str] = ()
    ) -> None:
        """Start a training in a new folder, or resume it from the checkpoint in its folder.

        ``track`` contains the names of trackers that also receive the curves.

        Raises:
            GameError: the game or an option is invalid, the device is missing, or the folder
                contains another training.
        """
        check_device(options.device)
        self.folder = folder
        self.options = options
        self._say = say
        self._stages: dict[str, float] = {}
        self._updates, self._seconds, self._cpu_seconds = 0, 0.0, 0.0
        # Points in the record that come after the checkpoint: agent-steps, and whether the point is
        # an evaluation.
        self._recorded: Counter[tuple[int, bool]] = Counter()
        games = Games(
            options.game,
            options.games,
            options.seed,
            changes=options.changes,
            device=options.device,
        )
        try:
            self.learner = LEARNERS[options.algorithm](options, games)
        except ValueError as error:
            raise GameError(str(error)) from error
        self._lock = lock_folder(folder)
        learned = options.model_dump(mode="json")
        is_resumed = (folder / CHECKPOINT).exists()
        if is_resumed:
            self._restore()
        after = self.learner.games.steps if is_resumed else None
        self._trackers = [tracker(name, folder, learned, after=after) for name in track]
        if is_resumed:
            self.writer = RunWriter.reopen(folder)
            self.writer.event(events.RunResumed)
        else:
            folder.mkdir(parents=True, exist_ok=True)
            mind = f"{options.algorithm} in training"
            named = {"scenario": "learn", "world": "grid", "mind": mind, "game": options.game}
            self.writer = RunWriter(folder, {**named, "seed": options.seed, "learning": learned})
            self.writer.event(events.RunStarted, scenario="learn", mind=mind)

    def run(self) -> dict[str, Any] | None:
        """Train to the end.

        Returns:
            The content of ``result.json``. None if Ctrl-C stopped the training; a checkpoint has
            then been written.
        """
        options = self.options
        per_update = options.games * options.rollout * self.learner.games.tables.agents
        updates = -(-options.steps // per_update)
        began, began_cpu = time.perf_counter(), time.process_time()
        before = self._seconds, self._cpu_seconds
        with (
            self._lock,
            self.writer,
            ExitStack() as trackers,
            stop_on_interrupt(self._say) as is_stopped,
        ):
            for one in self._trackers:
                trackers.callback(one.close)
            while self._updates < updates and not is_stopped():
                self._end_stage(self._updates / updates)
                losses = self.learner.update(1 - self._updates / updates)
                self._updates += 1
                self._check(losses)
                self._seconds = before[0] + time.perf_counter() - began
                self._cpu_seconds = before[1] + time.process_time() - began_cpu
                self._note(losses, updates)
                if self._updates % max(1, updates // SAVES) == 0:
                    self._save()
            self._save()
            if self._updates < updates:
                self.writer.event(events.RunEnded, reason="interrupted")
                return None
            result = self._finish()
            self.writer.event(events.RunEnded, reason="done")
            self.writer.write_result(result)
        return result

    def _check(self, losses: dict[str, float]) -> None:
        """Raise an error if a loss is infinite or not a number, because the policy is then useless
        as well. Earlier checkpoints are kept.
        """
        wrong = [name for name, value in losses.items() if not math.isfinite(value)]
        if wrong:
            self.writer.event(events.RunEnded, reason="fault")
            raise GameError(
                f"after {self.learner.games.steps:,} agent-steps {wrong[0]} is not finite: "
                "options such as learning_rate are too large; earlier checkpoints are kept"
            )

    def _end_stage(self, part: float) -> None:
        """If the next stage of a curriculum is due, evaluate the policy at the end of the current
        stage.
        """
        learner = self.learner
        if not isinstance(learner, Curriculum) or learner.due(part)[0] == learner.stage:
            return
        self._note_stage(learner)

    def _note_stage(self, learner: Curriculum) -> None:
        found = self._evaluate(EPISODES, learner)
        self._stages[str(learner.stage)] = found["normalised"]
        self._say(f"stage {learner.stage} ends at {found['normalised']:.4f} of the optimum")

    def _finish(self) -> dict[str, Any]:
        if isinstance(self.learner, Curriculum):
            self._note_stage(self.learner)
        found = self._evaluate(EPISODES, None)
        steps, options = self.learner.games.steps, self.options
        total = sum(self.learner.seconds.values())
        return {
            "game": options.game,
            "algorithm": options.algorithm,
            "seed": options.seed,
            "options": options.model_dump(mode="json"),
            "mind": f"{options.algorithm}, {steps:,} agent-steps",
            "language_model": False,
            "agent_steps": steps,
            "published": published(options.game, options.algorithm),
            "published_agent_steps": published_agent_steps(options.game, options.algorithm),
            "mean": {"normalised": found["normalised"], "fairness": found["fairness"]},
            "evaluation": found,
            "stages": self._stages,
            "seconds": round(self._seconds, 1),
            "cpu_seconds": round(self._cpu_seconds, 1),
            "agent_steps_per_cpu_second": round(steps / self._cpu_seconds),
            "parts": {name: round(s / total, 3) for name, s in self.learner.seconds.items()},
        }

    def _evaluate(self, episodes: int, stage: Curriculum | None) -> dict[str, Any]:
        options = self.options
        found = evaluate(
            self.learner.network,
            options.game,
            changes=options.changes,
            episodes=episodes,
            device=options.device,
            given=stage.games.given if stage else None,
        )
        values = {name: value for name, value in found.items() if isinstance(value, float)}
        values |= {f"completion {e}": r for e, r in found["completion"].items() if r is not None}
        if isinstance(self.learner, Curriculum):
            values["stage"] = float(self.learner.stage)
        self._record(values, is_evaluation=True)
        return found

    def _record(self, values: dict[str, float], *, is_evaluation: bool) -> None:
        """Write a point of the curve, unless the interrupted run that is being resumed has already
        written it.
        """
        steps = self.learner.games.steps
        if self._recorded[steps, is_evaluation]:
            self._recorded[steps, is_evaluation] -= 1
            return
        self.writer.event(
            events.TrainMetric, agent_steps=steps, values=values, is_evaluation=is_evaluation
        )

    def _note(self, losses: dict[str, float], updates: int) -> None:
        if self._updates % max(1, updates // POINTS):
            return
        totals, degrees = self.learner.games.take_ended()
        values = dict(losses)
        if totals:
            values["normalised"] = float(np.mean(totals))
        if degrees:
            mean, most = np.mean(degrees, 0).tolist()
            values |= {"group_degree_mean": mean, "group_degree_max": most}
        steps = self.learner.games.steps
        self._record(values, is_evaluation=False)
        for one in self._trackers:
            one.note(values, steps)
        if totals and self._updates % max(1, updates // SAVES) == 0:
            left = self._seconds / self._updates * (updates - self._updates)
            self._say(
                f"{steps:>12,} agent-steps, {values['normalised']:.4f} of the optimum, "
                f"{steps / self._seconds:,.0f} agent-steps/s, {left / 60:.1f} min left"
            )

    # --- Checkpoints ------------------------------------------------------------------------------

    def _save(self) -> None:
        games = self.learner.games
        shape, network = shape_of(games.batch), self.learner.network
        save_policy(self.folder / POLICY, Policy(self.options, shape, network, games.steps))
        numbers = {"updates": self._updates, "stages": self._stages}
        numbers |= {"seconds": self._seconds, "cpu_seconds": self._cpu_seconds}
        stored = {"options": self.options.model_dump_json(), "learner": self.learner.state()}
        save(self.folder / CHECKPOINT, {**stored, **numbers})

    def _restore(self) -> None:
        path = self.folder / CHECKPOINT
        try:
            stored = torch.load(path, map_location=self.options.device, weights_only=True)
        except (OSError, RuntimeError, EOFError, UnpicklingError) as error:
            reason = str(error).partition("\n")[0]
            raise GameError(f"the checkpoint {path} cannot be read: {reason}") from error
        if stored["options"] != self.options.model_dump_json():
            raise GameError(
                f"{self.folder} contains a training with other options; choose another --out"
            )
        self.learner.restore(stored["learner"])
        self._updates, self._stages = stored["updates"], stored["stages"]
        self._seconds, self._cpu_seconds = stored["seconds"], stored["cpu_seconds"]
        now = (self.learner.games.steps, False)
        points = (e for e in read_record(self.folder).events if isinstance(e, events.TrainMetric))
        later = [(point.agent_steps, point.is_evaluation) for point in points]
        self._recorded = Counter(point for point in later if point > now)


def check_device(device: str) -> None:
    """Check that tensors can be created on a device and read back.

    Raises:
        GameError: the device cannot be used.
    """
    try:
        torch.zeros(1, device=device).cpu()
    except Exception as error:  # torch raises different exceptions, depending on the installation
        reason = str(error).partition("\n")[0]
        raise GameError(f"--device {device} cannot be used here: {reason}") from error


@contextmanager
def stop_on_interrupt(say: Say) -> Iterator[Callable[[], bool]]:
    """Handle Ctrl-C while the context is open. After the first Ctrl-C, the yielded function returns
    True. The second Ctrl-C raises KeyboardInterrupt.
    """
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        if came:
            raise KeyboardInterrupt
        came.append(number)
        say("stopping after this update; Ctrl-C again stops at once")

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(came)
    finally:
        signal.signal(signal.SIGINT, before)
