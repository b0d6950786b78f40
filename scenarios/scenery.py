"""What a world is made of, for the record: the fields of :class:`records.events.WorldBuilt`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from grid.vector import VectorGame
from records.events import Position

#: Commands of layouts clear with air, and put bedrock below.
UNSEEN = ("air", "bedrock")


def of_layout(commands: Sequence[str]) -> dict[str, Any]:
    """What vanilla commands leave, from above."""
    ground: list[tuple[str, float, float, float, float]] = []
    blocks: dict[str, list[Position]] = {}
    for command in commands:
        match command.split():
            case ["fill", x, _, z, last_x, _, last_z, block, *_] if not block.startswith(UNSEEN):
                ground.append((_name(block), float(x), float(z), float(last_x), float(last_z)))
            case ["setblock", x, y, z, block, *_] if not block.startswith(UNSEEN):
                blocks.setdefault(_name(block), []).append((float(x), float(y), float(z)))
    return {"ground": ground, "blocks": blocks}


def _name(block: str) -> str:
    """``minecraft:chest[facing=south]`` is a chest."""
    return block.partition("[")[0].removeprefix("minecraft:")


def of_grid(table: VectorGame) -> dict[str, Any]:
    """What lies and stands on the map of a batch's first environment; a row is an x."""
    t, names = table.tables, table.names
    cells = table.state.plane[0].reshape(t.height + 2 * t.pad, t.width + 2 * t.pad, t.channels)
    cells = cells[t.pad : t.pad + t.height, t.pad : t.pad + t.width]
    layers = {"wall": cells[..., 0] == 1, "chest": cells[..., 0] == 2}
    layers |= {name: cells[..., 1 + i] > 0 for i, name in enumerate(names.resources)}
    layers |= {name: cells[..., 1 + t.resources + i] > 0 for i, name in enumerate(names.events)}
    blocks = {
        name: [(float(x), 0.0, float(z)) for x, z in np.argwhere(there)]
        for name, there in layers.items()
        if there.any()
    }
    return {"ground": [("floor", 0.0, 0.0, t.height - 1.0, t.width - 1.0)], "blocks": blocks}
