"""``python -m scenarios.crafting_tree``."""

from experiments.command import command
from scenarios.crafting_tree import EXPERIMENT

if __name__ == "__main__":
    command(EXPERIMENT)()
