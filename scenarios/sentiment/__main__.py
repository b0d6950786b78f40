"""``python -m scenarios.sentiment``."""

from voxpolis.experiments.run.command import command
from voxpolis.front import run_app
from voxpolis.scenarios.sentiment import EXPERIMENT

if __name__ == "__main__":
    run_app(command(EXPERIMENT))
