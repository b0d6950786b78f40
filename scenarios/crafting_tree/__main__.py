"""``python -m scenarios.crafting_tree``."""

from experiments.command import command
from scenarios.crafting_tree import EXPERIMENT
from voxpolis import run_app

if __name__ == "__main__":
    run_app(command(EXPERIMENT))
