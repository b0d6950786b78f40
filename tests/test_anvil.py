"""Worlds of Minecraft: read as others wrote them, and kept beside them."""

from __future__ import annotations

import json
import os

import psutil
import pytest
from nbt import nbt

from bridge import Bridge
from server import read_state
from tests import anvil_worlds as made
from tests.anvil_worlds import (
    CHEST,
    FLOOR,
    LOAD,
    MANY,
    SIGN,
    SMILE_HERE,
    SMILE_OF_JAVA,
    STANDS,
    check,
    digest,
    end,
    old_column,
)
from tests.conftest import ask, up

folder = made.folder


async def test_a_world_of_others_is_as_they_made_it_and_stays_so(folder):
    before = digest(folder)
    done = up(folder)
    assert done.returncode == 0, done.stderr
    await check(STANDS)
    (items, sign, time, rule) = await ask(
        CHEST, SIGN, "time query daytime", "gamerule keepInventory"
    )
    assert 'id: "minecraft:diamond", Count: 7b' in items
    assert 'Slot: 26b, id: "minecraft:bread", Count: 64b' in items
    assert "what you" in sign
    assert (time, rule.rpartition(" ")[2]) == ("The time is 7777", "true")
    old, signed = await ask("data get block 20 65 1", "data get block 21 65 1")
    assert '{"text":"once"}' in old
    for line in ('{"text":"ab"}', '{"text":"cd"}', '{"text":"Dirt"}'):
        assert line in signed
    log = (folder.parent / "server" / "server.log").read_text()
    assert log.count("some_mod:machine, which there is not here") == 1
    # What players see is what stands, in sections of many states, too.
    state = read_state()
    places = dict(list(MANY.items())[:: len(MANY) // 20])
    names = {f"{x},{16 + y},{z}": told.partition("[")[0] for (x, y, z), told in places.items()}
    look = f"const all = {json.dumps(names)}\n" + (
        "await bot.waitForTicks(5)\n"
        "const seen = ([at]) => bot.blockAt(new Vec3(...at.split(',').map(Number)))?.name\n"
        "console.log(bot.entity.position.y, "
        "Object.entries(all).filter((one) => seen(one) !== one[1]).length)"
    )
    async with Bridge(state.clock()) as bridge:
        bot = await bridge.spawn("Ann", state.host, state.port)
        result = await bot.run(look, 30)
    assert result.logs == ["65 0"], result
    # What is changed is kept in a folder of ours.
    await ask(
        "setblock 7 65 7 gold_block",
        "setblock 33 64 1 stone",
        "item replace block 2 65 2 container.0 with emerald 3",
        "save-all",
    )
    end()
    assert digest(folder) == before
    assert up(folder).returncode == 0
    await check(STANDS | {(7, 65, 7): "gold_block", (33, 64, 1): "stone"})
    (items,) = await ask(CHEST)
    assert 'id: "minecraft:emerald", Count: 3b' in items
    assert "diamond" not in items
    assert digest(folder) == before


def damaged(world):
    (world / "level.dat").write_bytes(b"no level")


def of_later(world):
    made.level(world, 4189, "1.21.4")










def whose_state_is_cut_off(world):
    (world / "level.dat").unlink()
    (world / "region").rename(world / "columns")
    manifest = {
        "format": 1,
        "terrain": "natural",
        "columns": {},
        "state": "state.1.json",
        "seed": 1,
    }
    (world / "world.json").write_text(json.dumps(manifest))
    (world / "state.1.json").write_text('{"time": ')


def without_level(world):
    (world / "level.dat").unlink()


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (damaged, "its level.dat cannot be read"),
        (of_later, "a world of Minecraft 1.21.4; this server reads those of 1.20.4"),
        
        
        
        
        (whose_state_is_cut_off, "is damaged"),
        (without_level, "holds a part of a world of Minecraft (region)"),
    ],
)
def test_what_cannot_be_read_is_one_line_and_nothing_is_written(folder, spoil, says):
    spoil(folder)
    before = digest(folder)
    done = up(folder)
    assert (done.returncode, says in done.stderr) == (2, True), done.stderr
    assert "Traceback" not in done.stderr
    assert digest(folder) == before
    assert not (folder / "voxpolis").exists()




async def test_a_region_that_is_no_regular_file_is_told_and_not_waited_for(folder):
    os.mkfifo(folder / "region" / "r.0.-1.mca")
    assert up(folder).returncode == 0
    await check({(17, 64, 1): "grass_block"})
    log = (folder.parent / "server" / "server.log").read_text()
    assert log.count("r.0.-1.mca is no regular file") == 1


async def test_texts_are_read_as_java_writes_them(folder):
    column = old_column().replace(SMILE_HERE.encode(), SMILE_OF_JAVA)
    made.region(folder / "region" / "r.0.0.mca", {(1, 0): (column, made.ZLIB)})
    assert up(folder).returncode == 0
    (_, told) = await ask(LOAD, "data get block 21 65 1")
    assert "\U0001f600" in told


def bomb_of_nothing():
    """A list of sixteen million items that take no bytes."""
    nothing = made.compound(a=nbt.TAG_List(type=nbt.TAG_Byte))
    return made.written(nothing).replace(b"a\x01\x00\x00\x00\x00", b"a\x00\x00\xf4\x24\x00")






def beyond_its_palette():
    return made.column(0, 0, [made.section(4, FLOOR, data=[2**64 - 1] * 256)])


@pytest.mark.parametrize(
    "column", [bomb_of_nothing,   beyond_its_palette, None]
)
async def test_a_damaged_column_is_empty_and_told(folder, column):
    path = folder / "region" / "r.0.0.mca"
    others = {(1, 0): (old_column(), made.ZLIB)}
    if column is None:
        data = bytearray(path.read_bytes())
        start = int.from_bytes(data[0:3], "big") * 4096
        data[start + 5 : start + 60] = b"\xff" * 55
        path.write_bytes(data)
    else:
        made.region(path, {(0, 0): (column(), made.ZLIB), **others})
    (folder / "region" / "r.-1.-1.mca").write_bytes(b"")  # as Minecraft leaves some
    (folder / "region" / "r.0.-1.mca").write_bytes(b"cut off")
    assert up(folder).returncode == 0
    await check({(7, 64, 7): "air", (17, 64, 1): "grass_block", (-16, 64, 3): "grass_block"})
    log = (folder.parent / "server" / "server.log").read_text()
    assert log.count("column 0, 0 of the world cannot be read") == 1
    assert log.count("the file is cut off") == 1
    assert psutil.Process(read_state().pid).num_fds() < 60
