"""``python -m scenarios.specialisation``."""

from voxpolis.experiments.run.command import command
from voxpolis.front import run_app
from voxpolis.scenarios.specialisation import EXPERIMENT

if __name__ == "__main__":
    run_app(command(EXPERIMENT))
