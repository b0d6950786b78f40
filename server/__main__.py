"""``python -m server``: start, stop and inspect the Minecraft server."""

from __future__ import annotations

from voxpolis.front import run_app
from voxpolis.server.commands import app

if __name__ == "__main__":
    run_app(app)
