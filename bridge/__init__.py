"""The bridge from Python to Mineflayer: bots in Minecraft, and a sandbox for programs."""

from voxpolis import as_room

as_room(__name__)

from voxpolis.bridge.bridge import Bot, Bridge
from voxpolis.bridge.connection import BridgeError
from voxpolis.bridge.hosts import HostPlan
from voxpolis.bridge.protocol import Observation
from voxpolis.bridge.world import MinecraftWorld, WorldError

__all__ = [
    "Bot",
    "Bridge",
    "BridgeError",
    "HostPlan",
    "MinecraftWorld",
    "Observation",
    "WorldError",
]
