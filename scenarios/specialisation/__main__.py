"""``python -m scenarios.specialisation``."""

from experiments.command import command
from scenarios.specialisation import EXPERIMENT
from voxpolis import run_app

if __name__ == "__main__":
    run_app(command(EXPERIMENT))
