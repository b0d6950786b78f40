"""``python -m server``: start, stop and look at the Minecraft server."""

from __future__ import annotations

from server.commands import app
from voxpolis import run_app

if __name__ == "__main__":
    run_app(app)
