"""``python -m scenarios.items``."""

from experiments.command import command
from scenarios.items import EXPERIMENT
from voxpolis import run_app

if __name__ == "__main__":
    run_app(command(EXPERIMENT))
