"""``python -m scenarios.matrix``."""

from experiments.command import command
from scenarios.matrix import EXPERIMENT
from voxpolis import run_app

if __name__ == "__main__":
    run_app(command(EXPERIMENT))
