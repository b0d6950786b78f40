"""``python -m scenarios.double_vein``."""

from voxpolis.experiments.run.command import command
from voxpolis.front import run_app
from voxpolis.scenarios.double_vein import EXPERIMENT

if __name__ == "__main__":
    run_app(command(EXPERIMENT))
