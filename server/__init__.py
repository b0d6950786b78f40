"""Starting, stopping and checking Minecraft servers: Paper in Docker, or the embedded one."""

import environment

environment.ensure(__name__)

from server.ping import ping  # noqa: E402
from server.rcon import Rcon, RconError, RconPool  # noqa: E402
from server.state import ServerState, read_state  # noqa: E402

__all__ = ["Rcon", "RconError", "RconPool", "ServerState", "ping", "read_state"]
