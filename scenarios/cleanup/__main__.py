"""``python -m scenarios.cleanup``."""

from experiments.cli import run
from experiments.command import command
from scenarios.cleanup import EXPERIMENT

if __name__ == "__main__":
    run(command(EXPERIMENT))
