"""``python -m scenarios.taxation``."""

from experiments.command import command
from scenarios.taxation import EXPERIMENT
from voxpolis import run_app

if __name__ == "__main__":
    run_app(command(EXPERIMENT))
