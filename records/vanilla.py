"""Properties of Minecraft itself: the version of servers and bots, and its refusals of commands."""

from __future__ import annotations

MINECRAFT_VERSION = "1.20.4"
# Prefixes of the vanilla server's answers to refused commands (those that scenarios use).
REFUSALS = (
    "Unknown",
    "Incorrect argument",
    "Expected",
    "Invalid",
    "Integer must",
    "That position is not loaded",
    "Too many blocks",
    "No player was found",
    "Only players may",
    "Only one",
    "Incomplete (",
    "An entity is required",
    "An unexpected error",
    "The target",
    "Target position",
    "An objective already exists",
)


def is_refusal(answer: str) -> bool:
    """Return whether the answer to a command is a refusal."""
    return answer.startswith(REFUSALS)
