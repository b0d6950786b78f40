"""``python -m bots.models check``: whether models can play, asked before anything is paid.

The canned situations are made of the prompts of all rooms, so the command itself stands above them,
in ``experiments/check_models.py``; here is only its name among the models.
"""

from __future__ import annotations

import importlib
import sys

from voxpolis import as_typed, run_app

COMMAND = "check"
MODULE = "experiments.check_models"


def main(**options: object) -> object:
    """Hand over to ``python -m experiments check-models``, under the name that was typed."""
    name = f"{as_typed('bots.models')} {COMMAND}"
    if len(sys.argv) < 2 or sys.argv[1] != COMMAND:
        print(f"usage: {name} [--models FILE] …", file=sys.stderr)
        sys.exit(0 if sys.argv[1:] in (["--help"], ["-h"]) else 2)
    command = importlib.import_module(MODULE).check_models
    return command(sys.argv[2:], **{**options, "prog_name": name})


if __name__ == "__main__":
    run_app(main)
