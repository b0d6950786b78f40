"""``python -m scenarios.sentiment``."""

from experiments.command import command
from scenarios.sentiment import EXPERIMENT
from voxpolis import run_app

if __name__ == "__main__":
    run_app(command(EXPERIMENT))
