"""What is Minecraft's own: the version that servers and bots speak, and how it refuses commands."""

from __future__ import annotations

MINECRAFT_VERSION = "1.20.4"
# How vanilla's answers to refused commands begin (those of the commands scenarios use).
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
    """Whether an answer to a command says that the server did not carry it out."""
    return answer.startswith(REFUSALS)
