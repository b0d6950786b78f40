"""``python -m bots.models``: check models before a paid run, and serve a small local model.

The command ``check`` needs the prompts of all packages, and is therefore implemented in a package
of a higher layer, in ``experiments/study/check_models.py``. This module only lists the name of the
command.
"""

from __future__ import annotations

import importlib
import sys

import click

from voxpolis.bots.models import local
from voxpolis.front import as_typed, run_app
from voxpolis.records.text import say_error

CHECK, MODULE = "check", "voxpolis.experiments.study.check_models"


@click.group(
    name="bots.models",
    help="Check models, or serve a small model on this machine.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
def models() -> None:
    """Group the commands."""


@models.command(
    name=CHECK, add_help_option=False, context_settings={"ignore_unknown_options": True}
)
def check() -> None:
    """Ask a model in each role, and report which roles work."""


@models.command()
def install() -> None:
    """Download the weights of a small real model (98 MB)."""
    print(local.install())


@models.command()
@click.option(
    "--port",
    default=8080,
    show_default=True,
    type=click.IntRange(0, 65535),
    help="Port of the endpoint. 0: a free port.",
)
@click.option(
    "--at-once",
    default=2,
    show_default=True,
    type=click.IntRange(1, 64),
    help="Number of concurrent calls.",
)
@click.option(
    "--threads",
    default=2,
    show_default=True,
    type=click.IntRange(1, 256),
    help="Number of threads.",
)
def serve(port: int, at_once: int, threads: int) -> None:
    """Serve the small model at an OpenAI-compatible endpoint.

    Print the address, and serve until Ctrl-C.
    """
    local.run_server(port, at_once, threads)


def main(**options: object) -> object:
    """Run the command that was typed. The command ``check`` is implemented in ``experiments``."""
    name = as_typed("bots.models")
    if sys.argv[1:2] == [CHECK]:
        command = importlib.import_module(MODULE).check_models
        return command(sys.argv[2:], **{**options, "prog_name": f"{name} {CHECK}"})
    try:
        return models(sys.argv[1:], **{**options, "prog_name": name})
    except local.LocalModelError as error:
        say_error(error)
        sys.exit(2)


if __name__ == "__main__":
    run_app(main)
