"""``python -m bots.models check``: whether models can play, asked before anything is paid.

The canned situations are made of the prompts of all rooms, so the command itself stands above them,
in ``experiments/check_models.py``; here is only its name among the models.
"""

from __future__ import annotations

import runpy
import sys

from voxpolis import run_app

COMMAND = "check"
MODULE = "experiments"


def main(**_options: object) -> None:
    """Hand over to ``python -m experiments check-models``."""
    if len(sys.argv) < 2 or sys.argv[1] != COMMAND:
        print(f"usage: python -m bots.models {COMMAND} [--models FILE] …", file=sys.stderr)
        sys.exit(0 if sys.argv[1:] in (["--help"], ["-h"]) else 2)
    sys.argv[1] = "check-models"
    runpy.run_module(MODULE, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    run_app(main)
