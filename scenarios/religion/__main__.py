"""``python -m scenarios.religion``."""

from experiments.command import command
from scenarios.religion import EXPERIMENT

if __name__ == "__main__":
    command(EXPERIMENT)()
