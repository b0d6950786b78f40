"""``python -m scenarios.harvest``."""

from experiments.cli import run
from experiments.command import command
from scenarios.harvest import EXPERIMENT

if __name__ == "__main__":
    run(command(EXPERIMENT))
