"""More embedded servers beside the running one, to play several experiments at the same time."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from server.embedded_server import StartError
from server.state import ROOT, ServerState, server_folder


@contextmanager
def servers_beside(running: ServerState, count: int) -> Iterator[list[Path]]:
    """The folders (``VOXPOLIS_SERVER``) of the running server and of ``count`` more.

    Those are embedded ones with the same speed and terrain; they end with the block.

    Raises:
        StartError: one did not come up.
    """
    with ExitStack() as stack:
        more = [stack.enter_context(_server(running)) for _ in range(count)]
        yield [server_folder(), *more]


@contextmanager
def _server(like: ServerState) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="voxpolis-server-") as name:
        folder = Path(name)
        options = ["--kind", "embedded", "--port", "0", "--rcon-port", "0"]
        options += ["--speed", str(like.speed), "--terrain", like.terrain or "superflat"]
        try:
            started = _server_command(folder, "up", *options)
            if started.returncode != 0:
                raise StartError(f"another server did not come up: {started.stderr.strip()}")
            yield folder
        finally:
            _server_command(folder, "down")


def _server_command(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "server", *arguments],
        cwd=ROOT,
        env={**os.environ, "VOXPOLIS_SERVER": str(folder)},
        capture_output=True,
        text=True,
        check=False,
        start_new_session=True,  # an interrupt of ours is not theirs
    )
