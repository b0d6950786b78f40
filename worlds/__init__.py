"""The worlds in which scenarios are played. Every world implements the interface in
``worlds/protocol.py``.
"""

from voxpolis import as_room

as_room(__name__)
