"""``python -m scenarios.taxation``."""

from experiments.command import command
from scenarios.taxation import EXPERIMENT

if __name__ == "__main__":
    command(EXPERIMENT)()
