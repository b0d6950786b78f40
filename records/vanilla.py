"""Properties of Minecraft itself: the version of servers and bots, and how it refuses commands."""

from __future__ import annotations

MINECRAFT_VERSION = "1.20.4"
# How the unmodified server's answers to refused commands begin, for the commands that scenarios
# use.
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
    """Return whether the server's answer to a command means that the command was refused."""
    return answer.startswith(REFUSALS)
