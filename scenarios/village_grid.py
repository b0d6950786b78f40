"""The computed village as a society's habitat."""

from __future__ import annotations

from grid.village import Village, Walker
from records.event import Position


class GridHabitat:
    """A village on the plane; heights are 0."""

    def __init__(self, village: Village) -> None:
        self.village = village

    def body(self, name: str) -> Walker:
        """An agent's body."""
        return self.village.body(name)

    def position(self, name: str) -> Position:
        """Where an agent is."""
        x, z = self.village.position(self.village.number[name])
        return (round(x, 1), 0.0, round(z, 1))
