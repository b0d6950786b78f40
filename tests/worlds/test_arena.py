"""An arena is checked before agents play in it."""

from __future__ import annotations

import pytest

from voxpolis.scenarios.double_vein import DoubleVein
from voxpolis.worlds.minecraft.session import MinecraftSession
from voxpolis.worlds.protocol import FaultError


class Half:
    """A server that ignored some of the commands that build an arena."""

    def __init__(self, stands, held):
        self.stands, self.held = stands, held

    async def ask(self, line):
        *_, x, y, z, block = line.split()
        is_there = self.stands.get((int(x), int(y), int(z))) == block
        return "Test passed" if is_there else "Test failed"

    async def container(self, _place):
        return self.held


@pytest.mark.parametrize(
    ("lacks", "held", "says"),
    [
        (0, {"iron_pickaxe": 1, "stone_pickaxe": 1}, ""),
        (1, {"iron_pickaxe": 1, "stone_pickaxe": 1}, "iron_ore at"),
        (0, {"stone_pickaxe": 1}, "in the chest, which contains"),
    ],
)
async def test_arena_that_was_not_built_is_a_fault_before_play(lacks, held, says):
    layout = DoubleVein().layout(0)
    stands = {place: block for block, places in layout.blocks.items() for place in places}
    for place in list(stands)[:lacks]:
        del stands[place]
    noted = []
    session = MinecraftSession.__new__(MinecraftSession)
    session.world, session.note = Half(stands, held), lambda *told, **fields: noted.append(fields)
    if not says:
        await session._check_arena(layout)
        assert noted == []
        return
    with pytest.raises(FaultError, match=says):
        await session._check_arena(layout)
    assert says in noted[0]["message"]
