"""The worlds in which scenarios are played. All of them implement ``worlds/protocol.py``."""

from voxpolis import as_room

as_room(__name__)
