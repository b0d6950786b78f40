"""Runs that tests damage, and a time limit for reading them."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from tests.conftest import run_module
from voxpolis.records import find_runs

# CPU time limit for reading a damaged record, with a margin for busy machines.
PATIENCE_S = 3.0


def play_all(out: Path, commands: Iterable[Sequence[str]]) -> None:
    """Play runs into a folder; a command is a scenario's name and its options."""
    for name, *options in commands:
        ran = run_module(f"scenarios.{name}", *options, "--out", str(out), "--json")
        assert ran.returncode == 0, ran.stderr


def negotiated_run(out: Path) -> Path:
    """Play a run with two negotiating agents: most event kinds, and calls in several roles."""
    play_all(out, [("double_vein", "--world", "grid", "--contract", "negotiate", "--runs", "1")])
    (folder,) = find_runs(out)
    return folder


@contextlib.contextmanager
def soon() -> Iterator[None]:
    """Check that the block takes only seconds of CPU time."""
    began = time.process_time()
    yield
    assert time.process_time() - began < PATIENCE_S
