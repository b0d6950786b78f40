"""``python -m scenarios.commons``."""

from experiments.command import command
from scenarios.commons import EXPERIMENT
from voxpolis import run_app

if __name__ == "__main__":
    run_app(command(EXPERIMENT))
