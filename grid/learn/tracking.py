"""Where a training's curves go besides its record: TensorBoard, Weights & Biases, MLflow."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol

from voxpolis.grid.core.data import GameError


class Tracker(Protocol):
    """Takes the numbers of a training."""

    def note(self, values: Mapping[str, float], agent_steps: int) -> None:
        """Take some numbers, as they are after so many agent-steps."""

    def close(self) -> None:
        """End: the training is over, or was stopped."""


class _TensorBoard:
    def __init__(self, folder: Path, options: Mapping[str, Any], after: int | None) -> None:
        from torch.utils.tensorboard import SummaryWriter  # noqa: PLC0415  (optional)

        purged = None if after is None else after + 1  # those points are taken again
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


#: By name: what makes one, and what is installed for it.
TRACKERS: Mapping[str, tuple[Callable[[Path, Mapping[str, Any], int | None], Tracker], str]] = {
    "tensorboard": (_TensorBoard, "tensorboard"),
    "wandb": (_WandB, "wandb"),
    "mlflow": (_MLflow, "mlflow"),
}


def tracker(
    name: str, folder: Path, options: Mapping[str, Any], *, after: int | None = None
) -> Tracker:
    """Return a tracker of a training.

    Args:
        name: one of :data:`TRACKERS`. Where it sends what it takes, its own settings say.
        folder: the training's.
        options: what is learned, and how.
        after: the agent-steps of the checkpoint that is gone on with; None: it begins.

    Raises:
        GameError: there is none of that name, it is not installed, or does not start.
    """
    if name not in TRACKERS:
        raise GameError(f"there is no tracker {name!r}; there are: {', '.join(TRACKERS)}")
    make, package = TRACKERS[name]
    try:
        return make(folder, options, after)
    except ImportError as error:
        raise GameError(f"--track {name} needs a package: pip install {package}") from error
    except Exception as error:  # whatever it raises, it is what the user asked for
        raise GameError(f"--track {name} does not start: {error}") from error
