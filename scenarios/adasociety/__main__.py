"""``python -m scenarios.adasociety``."""

from experiments.command import command
from scenarios.adasociety import EXPERIMENT
from voxpolis import run_app

if __name__ == "__main__":
    run_app(command(EXPERIMENT))
