"""Start, stop and check Minecraft servers: Paper in Docker, or the embedded server."""

from voxpolis import as_room

as_room(__name__)

from voxpolis.server.ping import ping
from voxpolis.server.rcon import Rcon, RconError, RconPool
from voxpolis.server.state import ServerState, read_state

__all__ = ["Rcon", "RconError", "RconPool", "ServerState", "ping", "read_state"]
