"""Makes new runs for notebooks. Each run is a command that is executed in a separate process."""

from __future__ import annotations

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Number of final output lines shown when a command fails.
TAIL = 20


class CommandError(RuntimeError):
    """A command failed. The message is the end of its output."""


def new_folder() -> Path:
    """Create an empty folder for a notebook's runs."""
    return Path(tempfile.mkdtemp(prefix="voxpolis-"))


def run(command: str, out: Path | None = None) -> None:
    """Run ``python -m <command>``. If a folder is given, ``--out`` is added.

    Raises:
        CommandError: the command failed.
    """
    print(f"$ python -m {command}")
    arguments = shlex.split(command) + (["--out", str(out)] if out else [])
    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = (done.stdout + done.stderr).splitlines()[-TAIL:]
        raise CommandError("\n".join([f"exit code {done.returncode}", *last]))
