"""``python -m scenarios.double_vein``."""

from experiments.cli import run
from experiments.command import command
from scenarios.double_vein import EXPERIMENT

if __name__ == "__main__":
    run(command(EXPERIMENT))
