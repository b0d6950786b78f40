"""The computed village as a society's habitat."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from grid.village import Village, Walker

from records.events import Position


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

    def scenery(self) -> dict[str, Any]:
        """What is known of the land, as fields of ``WorldBuilt``: it reaches as far as homes do."""
        starts = [resident.start for resident in self.village.residents.values()]
        xs, zs = zip(*starts, strict=True)
        places = {name: (x, 0.0, z) for name, (x, z) in self.village.places.items()}
        return {"ground": [("land", min(xs), min(zs), max(xs), max(zs))], "places": places}

    # --- Holdings, see scenarios.taxation ---------------------------------------------------------

    async def account(self, names: Sequence[str]) -> tuple[dict[str, Counter[str]], Counter[str]]:
        """What people hold by name, and what is in the community chest."""
        held = {name: Counter(self.village.residents[name].holds) for name in names}
        return held, Counter(self.village.chest)

    def close_workplaces(self, closed: bool) -> None:
        """Let nothing be made while a season lasts."""
        self.village.is_closed = closed
