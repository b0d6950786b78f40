"""``python -m scenarios.crafting_tree``."""

from voxpolis.experiments.run.command import command
from voxpolis.front import run_app
from voxpolis.scenarios.crafting_tree import EXPERIMENT

if __name__ == "__main__":
    run_app(command(EXPERIMENT))
