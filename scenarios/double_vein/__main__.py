"""``python -m scenarios.double_vein``."""

from experiments.command import command
from scenarios.double_vein import EXPERIMENT
from voxpolis import run_app

if __name__ == "__main__":
    run_app(command(EXPERIMENT))
