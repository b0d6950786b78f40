"""Scenarios: what is played, a package each (``python -m scenarios.double_vein``)."""

from voxpolis import as_room

as_room(__name__)
