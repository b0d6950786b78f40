"""Python ↔ Mineflayer: bots in Minecraft, primitives, signals, and the sandbox for agents' code."""

import environment

environment.ensure(__name__)

from bridge.bridge import Bot, Bridge  # noqa: E402
from bridge.connection import BridgeError  # noqa: E402
from bridge.hosts import HostPlan  # noqa: E402
from bridge.protocol import CodeError, Observation, RunResult  # noqa: E402
from bridge.world import MinecraftWorld, WorldError  # noqa: E402

__all__ = [
    "Bot",
    "Bridge",
    "BridgeError",
    "CodeError",
    "HostPlan",
    "MinecraftWorld",
    "Observation",
    "RunResult",
    "WorldError",
]
