"""Properties of Minecraft itself: the version, how it refuses commands, and what Paper lacks."""

from __future__ import annotations

MINECRAFT_VERSION = "1.20.4"
# What only the embedded server offers: options of `server up`, options of runs, and the rest. The
# commands refuse these with Paper, and docs/howto/servers.md shows this table.
EMBEDDED_ONLY = {
    "--speed": "a clock that runs up to 50 times as fast as real time",
    "--port 0": "a free port that the server chooses",
    "--rcon-port 0": "a free port for RCON that the server chooses",
    "--seed": "a seed for the world and for loot",
    "--world": "a folder in which the world is saved every two seconds",
    "--strict": "a check of each packet against the protocol, which is slow",
    "--allow-flight": "players who may fly without being kicked",
    "--monsters": "a choice whether monsters spawn (`--no-monsters`)",
    "--replays": "a ReplayMod recording of each client",
    "--owner": "a server that ends together with another process",
    "--temporary": "a server that removes its folder when it ends",
    "--wait-for-minds": "a clock that stops while minds think",
    "--parallel": "a separate server for each of several workers",
    "pause": "a clock that a person can stop during a run",
    "lateness": "checks for time that was lost because the machine was too slow",
}
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


def needs_embedded(feature: str) -> str:
    """Return the message that refuses a feature that only the embedded server offers."""
    return f"{feature} needs the embedded server: {EMBEDDED_ONLY[feature]}"


def is_refusal(answer: str) -> bool:
    """Return whether the server's answer to a command means that the command was refused."""
    return answer.startswith(REFUSALS)
