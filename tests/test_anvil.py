"""Worlds of Minecraft: read as others wrote them, kept beside them, and written for others."""

from __future__ import annotations

import hashlib
import itertools
import json
import os

import anvil
import psutil
import pytest
from nbt import nbt

from bridge import Bridge
from server import Rcon, read_state
from server.state import read_password
from tests import anvil_worlds as made
from tests.conftest import UP, run_module

#: More states of a section than a palette of eight bits tells: each place has its own.
WOODS = ("oak", "spruce", "birch", "jungle", "acacia", "cherry")
FACINGS = ("north", "south", "west", "east")
STAIRS = [
    f"{wood}_stairs[facing={facing},half={half},shape={shape},waterlogged=false]"
    for wood, facing, half, shape in itertools.product(
        WOODS,
        FACINGS,
        ("top", "bottom"),
        ("straight", "inner_left", "inner_right", "outer_left", "outer_right"),
    )
] + [f"{wood}_wall_sign[facing={f},waterlogged=false]" for wood in WOODS for f in FACINGS]
MANY = {(k % 16, k // 256, k // 16 % 16): told for k, told in enumerate(STAIRS)}
FLOOR = {(x, 0, z): "grass_block[snowy=false]" for x in range(16) for z in range(16)}
THINGS = FLOOR | {
    (2, 1, 2): "chest[facing=east,type=single,waterlogged=false]",
    (3, 1, 2): "oak_sign[rotation=4,waterlogged=false]",
    (9, 1, 9): "skeleton_skull[rotation=3]",
}
OLD = FLOOR | {
    (1, 1, 1): "grass",
    (2, 1, 1): "some_mod:machine",
    (3, 1, 1): "oak_stairs[facing=up,half=top]",
    (4, 1, 1): "oak_sign[rotation=0]",
    (5, 1, 1): "oak_sign",
    (6, 1, 1): "oak_sign",
}
STANDS = {
    (0, -64, 0): "bedrock",
    (7, 64, 7): "grass_block[snowy=false]",
    (2, 65, 2): "chest[facing=east]",
    (3, 65, 2): "oak_sign[rotation=4]",
    (17, 65, 1): "short_grass",
    (18, 65, 1): "air",
    (19, 65, 1): "oak_stairs[facing=north,half=top,waterlogged=false]",
    (-16, 64, 3): "grass_block",
    (40, 64, 40): "air",
    (33, 64, 1): "air",
    **{(x, 16 + y, z): told for (x, y, z), told in MANY.items()},
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("VOXPOLIS_SERVER", str(tmp_path / "server"))
    world = tmp_path / "world"
    made.level(world)
    skull = made.compound(
        id=made.text("minecraft:skull"),
        x=nbt.TAG_Int(9),
        y=nbt.TAG_Int(65),
        z=nbt.TAG_Int(9),
        note_block_sound=made.text("minecraft:boo"),
    )
    held = made.chest(2, 65, 2, (0, "diamond", 7), (26, "bread", 64))
    told = [held, made.sign(3, 65, 2, "Take", "what you", "need", ""), skull]
    sections = [made.section(-4, "bedrock"), made.section(1, MANY), made.section(4, THINGS)]
    floor = [made.section(4, FLOOR)]
    made.region(
        world / "region" / "r.0.0.mca",
        {
            (0, 0): (made.column(0, 0, sections, told), made.ZLIB),
            (1, 0): (old_column(), made.GZIP),
            (2, 0): (made.column(2, 0, floor, status="minecraft:noise"), made.ZLIB),
        },
    )
    made.region(world / "region" / "r.-1.0.mca", {(31, 0): (made.column(-1, 0, floor), made.PLAIN)})
    yield world
    run_module("server", "down")


def old_column():
    """Of an earlier version, with texts in all of their forms."""
    forms = [{"text": "", "extra": ["a", {"text": "b"}]}, ["c", "d"]]
    forms += [{"translate": "block.minecraft.dirt"}, SMILE_HERE]
    told = [
        made.old_sign(20, 65, 1, '{"text":"once"}'),
        made.sign(21, 65, 1, *map(made.json_text, forms)),
        made.chest(22, 65, 1, (0, "dirt", 1)),
    ]
    return made.column(1, 0, [made.section(4, OLD)], told, version=3337)


#: Six letters, in the place of which Java's six bytes of a smile come.
SMILE_HERE, SMILE_OF_JAVA = "@SMILE", b"\xed\xa0\xbd\xed\xb8\x80"


def up(folder, *options):
    return run_module("server", *UP, "--world", str(folder), *options)


async def ask(*lines):
    state = read_state()
    async with Rcon(state.host, state.rcon_port, read_password()) as rcon:
        return [await rcon.command(line) for line in lines]


def end():
    process = psutil.Process(read_state().pid)
    process.kill()
    process.wait(20)


def digest(folder):
    """Of all files that were there before us."""
    found = sorted(p for p in folder.rglob("*") if p.is_file() and "voxpolis" not in p.parts)
    return {str(p.relative_to(folder)): hashlib.sha256(p.read_bytes()).digest() for p in found}


async def check(stands):
    lines = [f"execute if block {x} {y} {z} {told}" for (x, y, z), told in stands.items()]
    _, *answers = await ask(LOAD, *lines)
    assert not [one for one in zip(lines, answers, strict=True) if one[1] != PASSED]


PASSED = "Test passed"
LOAD = "forceload add -64 -64 64 64"
CHEST = "data get block 2 65 2 Items"
SIGN = "data get block 3 65 2"


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


def block_of(world, x, y, z):
    region = anvil.Region.from_file(str(world / "region" / f"r.{x >> 9}.{z >> 9}.mca"))
    column = anvil.Chunk.from_region(region, x >> 4 & 31, z >> 4 & 31)
    return column, column.get_block(x & 15, y, z & 15)


async def test_what_was_played_in_is_written_for_others(folder, tmp_path):
    assert up(folder).returncode == 0
    await check(STANDS)
    await ask(
        "setblock 7 65 7 oak_stairs[facing=west,half=top]",
        "setblock 9 65 9 air",
        "item replace block 2 65 2 container.0 with air",
        "setblock 6 65 6 barrel",
        "item replace block 6 65 6 container.5 with apple 9",
        "time set 1234",
        "save-all",
    )
    busy = run_module("server", "export", str(folder), str(tmp_path / "busy"))
    assert (busy.returncode, "in use by process" in busy.stderr) == (2, True)
    run_module("server", "down")
    before = digest(folder)
    there = tmp_path / "written"
    done = run_module("server", "export", str(folder), str(there))
    assert done.returncode == 0, done.stderr
    assert digest(folder) == before
    again = run_module("server", "export", str(folder), str(there))
    assert (again.returncode, "is not empty" in again.stderr) == (2, True)
    # Another library reads it.
    column, stairs = block_of(there, 7, 65, 7)
    assert (stairs.id, stairs.properties["facing"].value, stairs.properties["half"].value) == (
        "oak_stairs",
        "west",
        "top",
    )
    for (x, y, z), told in list(MANY.items())[::11]:
        assert block_of(there, x, 16 + y, z)[1].id == told.partition("[")[0]
    entities = {str(one["id"]): one for one in column.tile_entities}
    assert set(entities) >= {"minecraft:chest", "minecraft:sign", "minecraft:barrel"}
    assert "minecraft:skull" not in entities
    held = {
        kind: [(one["Slot"].value, str(one["id"]), one["Count"].value) for one in told["Items"]]
        for kind, told in entities.items()
        if kind in ("minecraft:chest", "minecraft:barrel")
    }
    assert held == {
        "minecraft:chest": [(26, "minecraft:bread", 64)],
        "minecraft:barrel": [(5, "minecraft:apple", 9)],
    }
    level = nbt.NBTFile(str(there / "level.dat"))["Data"]
    assert (str(level["LevelName"]), level["DayTime"].value) == ("Elsewhere", 1234)
    assert block_of(there, 17, 65, 1)[1].id in ("grass", "short_grass")
    # And so do we.
    assert up(there).returncode == 0
    await check({place: told for place, told in STANDS.items() if place != (9, 65, 9)})
    assert "bread" in (await ask(CHEST))[0]


async def test_a_world_of_a_seed_is_written_for_others(tmp_path, monkeypatch):
    monkeypatch.setenv("VOXPOLIS_SERVER", str(tmp_path / "server"))
    kept, there = tmp_path / "kept", tmp_path / "written"
    try:
        assert up(kept, "--terrain", "natural", "--seed", "7").returncode == 0
        await ask(LOAD, "setblock 40 120 -40 gold_block", "save-all")
        surface = {}
        for x, z in ((40, -40), (60, -60), (-20, 20)):
            said = await ask(*(f"execute if block {x} {y} {z} air" for y in range(40, 130)))
            surface[x, z] = [line == PASSED for line in said]
    finally:
        run_module("server", "down")
    done = run_module("server", "export", str(kept), str(there), "--around", "4")
    assert done.returncode == 0, done.stderr
    assert "of which 1 had changed" in done.stderr
    assert block_of(there, 40, 120, -40)[1].id == "gold_block"
    for (x, z), air in surface.items():
        names = [block_of(there, x, y, z)[1].id for y in range(40, 130)]
        assert [name == "air" for name in names] == air
    level = nbt.NBTFile(str(there / "level.dat"))["Data"]
    assert (level["DataVersion"].value, str(level["Version"]["Name"])) == (3700, "1.20.4")


def damaged(world):
    (world / "level.dat").write_bytes(b"no level")


def of_later(world):
    made.level(world, 4189, "1.21.4")


def of_earlier(world):
    made.level(world, 2586, "1.16.5")


def of_no_version(world):
    made.level(world, 0)


def of_no_difficulty(world):
    made.level(world, difficulty=77)


def within_ours(world):
    (world / "level.dat").unlink()
    (world / "region").rename(world / "columns")
    manifest = {"format": 1, "terrain": "anvil", "columns": {}, "state": "state.1.json", "seed": 1}
    (world / "world.json").write_text(json.dumps(manifest))


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
        (of_earlier, "1.16.5; this server reads those of 1.20.4: open it once with"),
        (of_no_version, "its level.dat says no version"),
        (of_no_difficulty, "the Difficulty of its level.dat makes no sense"),
        (within_ours, "give the folder around it"),
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


def test_a_level_that_is_no_regular_file_is_not_waited_for(folder):
    (folder / "level.dat").unlink()
    os.mkfifo(folder / "level.dat")  # who waits for it does not hear of its owner's end
    done = up(folder)
    assert done.returncode == 2
    assert "its level.dat cannot be read: it is no regular file" in done.stderr


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


def bomb_of_values():
    inner = nbt.TAG_List(type=nbt.TAG_Compound)
    inner.tags = [made.compound()] * 3_000_000
    return made.written(made.compound(a=inner))


def without_data():
    return made.column(0, 0, [made.section(4, FLOOR, data=None)])


def beyond_its_palette():
    return made.column(0, 0, [made.section(4, FLOOR, data=[2**64 - 1] * 256)])


@pytest.mark.parametrize(
    "column", [bomb_of_nothing, bomb_of_values, without_data, beyond_its_palette, None]
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
