"""Worlds in which scenarios are played, behind one protocol (``worlds/protocol.py``)."""

from voxpolis import as_room

as_room(__name__)
