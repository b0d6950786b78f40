"""Worlds of Minecraft: read as others wrote them, and kept beside them."""

from __future__ import annotations

import json

import pytest

from bridge import Bridge
from server import read_state
from tests import anvil_worlds as made
from tests.anvil_worlds import CHEST, MANY, SIGN, STANDS, ask, check, digest, end, up

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


def of_earlier(world):
    made.level(world, 2586, "1.16.5")


def without_level(world):
    (world / "level.dat").unlink()


@pytest.mark.parametrize(
    ("spoil", "says"),
    [
        (damaged, "its level.dat cannot be read"),
        (of_later, "a world of Minecraft 1.21.4; this server reads those of 1.20.4"),
        (of_earlier, "1.16.5; this server reads those of 1.20.4: open it once with"),
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


async def test_a_damaged_column_is_empty_and_told(folder):
    path = folder / "region" / "r.0.0.mca"
    data = bytearray(path.read_bytes())
    start = int.from_bytes(data[0:3], "big") * 4096
    data[start + 5 : start + 60] = b"\xff" * 55
    path.write_bytes(data)
    assert up(folder).returncode == 0
    await check({(7, 64, 7): "air", (17, 64, 1): "grass_block", (-16, 64, 3): "grass_block"})
    log = (folder.parent / "server" / "server.log").read_text()
    assert log.count("column 0, 0 of the world cannot be read") == 1
