"""``python -m scenarios.coherence``."""

from experiments.command import command
from scenarios.coherence import EXPERIMENT
from voxpolis import run_app

if __name__ == "__main__":
    run_app(command(EXPERIMENT))
