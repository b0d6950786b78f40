"""Runs a command so that whatever was typed wrong is one line and exit code 2."""

from __future__ import annotations

import sys
from typing import NoReturn

import click

from experiments.runner import DONE, INTERRUPTED, USAGE


def run(command: click.Command) -> NoReturn:
    """Run a command with the arguments of the process, and end the process."""
    try:
        command.main(standalone_mode=False)
    except click.exceptions.Exit as end:
        sys.exit(end.exit_code)
    except click.Abort:
        sys.exit(INTERRUPTED)
    except click.ClickException as error:
        text = " ".join(error.format_message().split())
        print(f"error: {text} (--help says what there is)", file=sys.stderr)
        sys.exit(USAGE)
    sys.exit(DONE)
