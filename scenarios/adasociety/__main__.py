"""``python -m scenarios.adasociety``."""

from experiments.command import command
from scenarios.adasociety import EXPERIMENT

if __name__ == "__main__":
    command(EXPERIMENT)()
