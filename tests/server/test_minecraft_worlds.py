"""Minecraft worlds: read as other programs wrote them, saved separately, and exported.

The worlds are made without our code, from the description of their format:
https://minecraft.wiki/w/Chunk_format and https://minecraft.wiki/w/Region_file_format
"""

from __future__ import annotations

import gzip
import hashlib
import io
import itertools
import json
import struct
import zlib
from struct import Struct

import anvil
import psutil
import pytest
from nbt import nbt

from tests.conftest import ask, run_module, up
from voxpolis.bridge import Bridge
from voxpolis.server import read_state

DATA_VERSION = 3700
GZIP, ZLIB, PLAIN = 1, 2, 3
SECTOR = 4096
# Marks a column in a separate file.
OUTSIDE = 128


def compound(**parts):
    tag = nbt.TAG_Compound()
    for name, part in parts.items():
        part.name = name
        tag.tags.append(part)
    return tag


def listed(kind, parts):
    tag = nbt.TAG_List(type=kind)
    tag.tags.extend(parts)
    return tag


class Words(nbt.TAG_Long_Array):
    """Unsigned longs, independent of other libraries that patch the package."""

    def update_fmt(self, length):
        self.fmt = Struct(f">{length}Q")


def longs(values):
    tag = Words()
    tag.value = values
    return tag


def text(value):
    return nbt.TAG_String(value)


def packed(indices, bits):
    """Pack indices into longs: each long has as many whole indices as fit, the first in the lowest
    bits."""
    each = 64 // bits
    found = []
    for start in range(0, len(indices), each):
        word = sum(index << (bits * k) for k, index in enumerate(indices[start : start + each]))
        found.append(word)
    return found


def state(told):
    """Parse a block such as ``oak_stairs[facing=east]``."""
    name, _, rest = told.rstrip("]").partition("[")
    parts = {"Name": text(f"minecraft:{name}" if ":" not in name else name)}
    if rest:
        pairs = (pair.split("=") for pair in rest.split(","))
        parts["Properties"] = compound(**{key: text(value) for key, value in pairs})
    return compound(**parts)


WHOLE = object()


def section(y, blocks, biome="minecraft:plains", data=WHOLE):
    """Return a section of 16 by 16 by 16 blocks.

    ``blocks``: one block for all positions, or blocks by position. ``data``: replaces the longs
    with the indices.
    """
    cells = ["air"] * 4096
    if isinstance(blocks, str):
        cells = [blocks] * 4096
    else:
        for (x, up, z), told in blocks.items():
            cells[up * 256 + z * 16 + x] = told
    palette = sorted(set(cells))
    states = {"palette": listed(nbt.TAG_Compound, [state(told) for told in palette])}
    if len(palette) > 1:
        bits = max(4, (len(palette) - 1).bit_length())
        known = packed([palette.index(told) for told in cells], bits)
        if data is not None:
            states["data"] = longs(known if data is WHOLE else data)
    return compound(
        Y=nbt.TAG_Byte(y),
        block_states=compound(**states),
        biomes=compound(palette=listed(nbt.TAG_String, [text(biome)])),
    )


def column(
    x, z, sections, block_entities=(), version=DATA_VERSION, status="minecraft:full", **parts
):
    tag = compound(
        DataVersion=nbt.TAG_Int(version),
        xPos=nbt.TAG_Int(x),
        yPos=nbt.TAG_Int(-4),
        zPos=nbt.TAG_Int(z),
        Status=text(status),
        LastUpdate=nbt.TAG_Long(0),
        InhabitedTime=nbt.TAG_Long(0),
        sections=listed(nbt.TAG_Compound, sections),
        block_entities=listed(nbt.TAG_Compound, block_entities),
        **parts,
    )
    return written(tag)


def written(tag):
    file = nbt.NBTFile()
    file.tags = tag.tags
    buffer = io.BytesIO()
    file.write_file(buffer=buffer)
    return buffer.getvalue()


def region(path, columns):
    """Write a region file with each column's bytes and compression by x and z."""
    pack = {GZIP: gzip.compress, ZLIB: zlib.compress, PLAIN: bytes}
    offsets, body, sector = [0] * 1024, b"", 2
    path.parent.mkdir(parents=True, exist_ok=True)
    _, west, north, _ = path.name.split(".")
    for (x, z), (data, kind) in columns.items():
        told = pack[kind](data)
        if len(told) > 255 * SECTOR - 5:
            outside = path.parent / f"c.{32 * int(west) + x}.{32 * int(north) + z}.mcc"
            outside.write_bytes(told)
            told = struct.pack(">IB", 1, kind | OUTSIDE)
        else:
            told = struct.pack(">IB", len(told) + 1, kind) + told
        count = -(-len(told) // SECTOR)
        offsets[x + 32 * z] = sector << 8 | count
        body += told.ljust(count * SECTOR, b"\0")
        sector += count
    path.write_bytes(struct.pack(">1024I", *offsets) + bytes(SECTOR) + body)


def bytes_of(world, x, z, kind="region"):
    """Return a column's raw bytes in its region file, and their compression."""
    data = (world / kind / f"r.{x >> 5}.{z >> 5}.mca").read_bytes()
    (entry,) = struct.unpack_from(">I", data, 4 * (x % 32 + z % 32 * 32))
    if not entry:
        return b"", PLAIN
    start = (entry >> 8) * SECTOR
    length, kind = struct.unpack_from(">IB", data, start)
    return data[start + 5 : start + 4 + length], kind


def kept_of(world, x, z, of="region"):
    """Return the content of a column."""
    data, kind = bytes_of(world, x, z, of)
    if kind & OUTSIDE:
        data = (world / of / f"c.{x}.{z}.mcc").read_bytes()
    unpack = {GZIP: gzip.decompress, ZLIB: zlib.decompress, PLAIN: bytes}
    return nbt.NBTFile(buffer=io.BytesIO(unpack[kind % OUTSIDE](data)))


def level(path, version=DATA_VERSION, name="1.20.4", difficulty=0):
    data = compound(
        DataVersion=nbt.TAG_Int(version),
        Version=compound(Id=nbt.TAG_Int(version), Name=text(name)),
        LevelName=text("Elsewhere"),
        SpawnX=nbt.TAG_Int(5),
        SpawnY=nbt.TAG_Int(65),
        SpawnZ=nbt.TAG_Int(5),
        DayTime=nbt.TAG_Long(7777),
        Time=nbt.TAG_Long(99_999),
        Difficulty=nbt.TAG_Byte(difficulty),
        GameRules=compound(
            keepInventory=text("true"),
            randomTickSpeed=text("0"),
            doDaylightCycle=text("false"),
            modRule=text("7"),
        ),
    )
    path.mkdir(parents=True, exist_ok=True)
    (path / "level.dat").write_bytes(gzip.compress(written(compound(Data=data))))


def item(slot, name, count):
    return compound(
        Slot=nbt.TAG_Byte(slot),
        id=text(name if ":" in name else f"minecraft:{name}"),
        Count=nbt.TAG_Byte(count),
    )


def entity(kind, x, y, z, **parts):
    place = {"x": nbt.TAG_Int(x), "y": nbt.TAG_Int(y), "z": nbt.TAG_Int(z)}
    return compound(id=text(kind if ":" in kind else f"minecraft:{kind}"), **place, **parts)


def chest(x, y, z, *items, **parts):
    held = listed(nbt.TAG_Compound, [item(*one) for one in items])
    return entity("chest", x, y, z, Items=held, **parts)


def json_text(value):
    return json.dumps(value)


def old_sign(x, y, z, line):
    """Return a sign as in version 1.19 and earlier."""
    place = {"x": nbt.TAG_Int(x), "y": nbt.TAG_Int(y), "z": nbt.TAG_Int(z)}
    lines = {f"Text{n}": text(line if n == 1 else '{"text":""}') for n in range(1, 5)}
    return compound(id=text("minecraft:sign"), **place, **lines)


def sign(x, y, z, *lines):
    place = {"x": nbt.TAG_Int(x), "y": nbt.TAG_Int(y), "z": nbt.TAG_Int(z)}
    told = [line if line.startswith(("{", "[")) else json_text({"text": line}) for line in lines]
    messages = listed(nbt.TAG_String, [text(line) for line in told])
    return compound(id=text("minecraft:sign"), **place, front_text=compound(messages=messages))


# More states in a section than an eight-bit palette can index: a different one at each position.
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
    (1, 1, 1): "some_mod:box[lit=true]",
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


def old_column():
    """Return a column of an earlier version, with texts in all their forms."""
    forms = [{"text": "", "extra": ["a", {"text": "b"}]}, ["c", "d"]]
    forms += [{"translate": "block.minecraft.dirt"}, ""]
    told = [
        old_sign(20, 65, 1, '{"text":"once"}'),
        sign(21, 65, 1, *map(json_text, forms)),
        chest(22, 65, 1, (0, "dirt", 1)),
    ]
    return column(1, 0, [section(4, OLD)], told, version=3337)


@pytest.fixture
def folder(world_folder):
    world = world_folder
    level(world)
    skull = compound(
        id=text("minecraft:skull"),
        x=nbt.TAG_Int(9),
        y=nbt.TAG_Int(65),
        z=nbt.TAG_Int(9),
        note_block_sound=text("minecraft:boo"),
    )
    held = chest(2, 65, 2, (0, "diamond", 7), (26, "bread", 64))
    entities = [held, sign(3, 65, 2, "Take", "what you", "need", ""), skull]
    entities.append(entity("some_mod:box", 1, 65, 1, energy=nbt.TAG_Long(5)))
    sections = [section(-4, "bedrock"), section(1, MANY), section(4, THINGS)]
    floor = [section(4, FLOOR)]
    region(
        world / "region" / "r.0.0.mca",
        {
            (0, 0): (column(0, 0, sections, entities), ZLIB),
            (1, 0): (old_column(), GZIP),
            (2, 0): (column(2, 0, floor, status="minecraft:noise"), ZLIB),
        },
    )
    region(world / "region" / "r.-1.0.mca", {(31, 0): (column(-1, 0, floor), PLAIN)})
    return world


def end():
    process = psutil.Process(read_state().pid)
    process.kill()
    process.wait(20)


def digest(folder):
    """Return a digest of all original files."""
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


# Scoreboards: https://minecraft.wiki/w/Scoreboard#NBT_format
BOARD = [
    "scoreboard objectives add hp health",
    "scoreboard objectives setdisplay list hp",
    "scoreboard objectives add kept dummy",
    "scoreboard players set Ann kept 3",
    "team add reds",
    "team join reds Ann",
    "team modify reds friendlyFire false",
    'bossbar add town:trial "Trial"',
    "bossbar set town:trial value 30",
    "data merge storage town:laws {fine:[I;1,2]}",
]
AFTERWARDS = {
    "scoreboard players get Ann kept": "Ann has 3 [kept]",
    "team list reds": "Team [reds] has 1 member(s): Ann",
    "bossbar get town:trial value": "Custom bossbar [Trial] has a value of 30",
    "data get storage town:laws fine[1]": "Storage town:laws has the following contents: 2",
}


def check_board(world, level):
    """Check `BOARD` as another library reads it; `level` is the content of `level.dat`."""
    board = nbt.NBTFile(str(world / "data" / "scoreboard.dat"))["data"]
    told = [(str(one["Name"]), str(one["CriteriaName"])) for one in board["Objectives"]]
    assert told == [("hp", "health"), ("kept", "dummy")]
    (score,) = board["PlayerScores"]
    assert (str(score["Name"]), score["Score"].value) == ("Ann", 3)
    assert {slot: str(name) for slot, name in board["DisplaySlots"].items()} == {"list": "hp"}
    (team,) = board["Teams"]
    assert team["AllowFriendlyFire"].value == 0
    assert [str(one) for one in team["Players"]] == ["Ann"]
    bar = level["CustomBossEvents"]["town:trial"]
    assert (bar["Value"].value, bar["Max"].value, str(bar["Overlay"])) == (30, 100, "progress")
    storage = nbt.NBTFile(str(world / "data" / "command_storage_town.dat"))["data"]
    assert list(storage["contents"]["laws"]["fine"].value) == [1, 2]


async def test_a_foreign_world_is_loaded_and_not_changed(folder):
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
    assert log.count("some_mod:machine, which is unknown here") == 1
    # Players see the actual blocks, even in sections with many states.
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
    # Changes are saved in a separate folder.
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
    level(world, 4189, "1.21.4")


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
        (without_level, "contains a part of a Minecraft world (region)"),
    ],
)
def test_an_unreadable_world_gives_one_line_and_nothing_is_written(folder, spoil, says):
    spoil(folder)
    before = digest(folder)
    done = up(folder)
    assert (done.returncode, says in done.stderr) == (2, True), done.stderr
    assert "Traceback" not in done.stderr
    assert digest(folder) == before
    assert not (folder / "voxpolis").exists()


def bomb_of_nothing():
    """Return a list that claims sixteen million items but has no bytes."""
    nothing = compound(a=nbt.TAG_List(type=nbt.TAG_Byte))
    return written(nothing).replace(b"a\x01\x00\x00\x00\x00", b"a\x00\x00\xf4\x24\x00")


def beyond_its_palette():
    return column(0, 0, [section(4, FLOOR, data=[2**64 - 1] * 256)])


@pytest.mark.parametrize("column", [bomb_of_nothing, beyond_its_palette, None])
async def test_a_damaged_column_is_reported_and_treated_as_empty(folder, column):
    path = folder / "region" / "r.0.0.mca"
    others = {(1, 0): (old_column(), ZLIB)}
    if column is None:
        data = bytearray(path.read_bytes())
        start = int.from_bytes(data[0:3], "big") * 4096
        data[start + 5 : start + 60] = b"\xff" * 55
        path.write_bytes(data)
    else:
        region(path, {(0, 0): (column(), ZLIB), **others})
    (folder / "region" / "r.-1.-1.mca").write_bytes(b"")  # Minecraft may leave such files
    (folder / "region" / "r.0.-1.mca").write_bytes(b"cut off")
    assert up(folder).returncode == 0
    await check({(7, 64, 7): "air", (17, 64, 1): "grass_block", (-16, 64, 3): "grass_block"})
    log = (folder.parent / "server" / "server.log").read_text()
    assert log.count("column 0, 0 of the world cannot be read") == 1
    assert log.count("the file is cut off") == 1
    assert psutil.Process(read_state().pid).num_fds() < 60


def block_of(world, x, y, z):
    region = anvil.Region.from_file(str(world / "region" / f"r.{x >> 9}.{z >> 9}.mca"))
    column = anvil.Chunk.from_region(region, x >> 4 & 31, z >> 4 & 31)
    return column, column.get_block(x & 15, y, z & 15)


async def test_a_world_with_changes_is_exported(folder, tmp_path):
    assert up(folder).returncode == 0
    await check(STANDS)
    await ask(
        "setblock 7 65 7 oak_stairs[facing=west,half=top]",
        "setblock 9 65 9 air",
        "item replace block 2 65 2 container.0 with air",
        "setblock 6 65 6 barrel",
        "item replace block 6 65 6 container.5 with apple 9",
        'setblock 4 65 6 lectern[has_book=true]{Book:{id:"minecraft:writable_book",Count:1b}}',
        "time set 1234",
        *BOARD,
        "save-all",
    )
    run_module("server", "down")
    before = digest(folder)
    there = tmp_path / "written"
    done = run_module("server", "export", str(folder), str(there))
    assert done.returncode == 0, done.stderr
    assert digest(folder) == before
    # Another library reads the exported world.
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
    # Blocks that this server does not know stay where nothing else was built.
    assert (block_of(there, 1, 65, 1)[1].id, entities["some_mod:box"]["energy"].value) == ("box", 5)
    lectern = entities["minecraft:lectern"]
    assert (str(lectern["Book"]["id"]), "Items" in lectern) == ("minecraft:writable_book", False)
    level = nbt.NBTFile(str(there / "level.dat"))["Data"]
    assert (str(level["LevelName"]), level["DayTime"].value) == ("Elsewhere", 1234)
    assert (level["Time"].value, str(level["GameRules"]["modRule"])) == (99_999, "7")
    check_board(there, level)
    assert "a copy in which 1 columns have changed" in done.stderr
    for x, z in ((1, 0), (2, 0), (-1, 0)):
        assert bytes_of(there, x, z) == bytes_of(folder, x, z)
    # Our own code also reads it.
    assert up(there).returncode == 0
    await check({place: told for place, told in STANDS.items() if place != (9, 65, 9)})
    assert "bread" in (await ask(CHEST))[0]
    assert await ask(*AFTERWARDS) == list(AFTERWARDS.values())


async def test_a_generated_world_is_exported(tmp_path, monkeypatch):
    monkeypatch.setenv("VOXPOLIS_SERVER", str(tmp_path / "server"))
    kept, there = tmp_path / "kept", tmp_path / "written"
    try:
        assert up(kept, "--terrain", "natural", "--seed", "7").returncode == 0
        name = json.dumps({"text": "Dolly"})
        sheep = f"summon sheep 40.5 121 -39.5 {{NoAI:1b,Color:3b,CustomName:'{name}'}}"
        await ask(LOAD, "setblock 40 120 -40 gold_block", sheep, "save-all")
        surface = {}
        for x, z in ((40, -40), (60, -60), (-20, 20)):
            said = await ask(*(f"execute if block {x} {y} {z} air" for y in range(40, 130)))
            surface[x, z] = [line == PASSED for line in said]
    finally:
        run_module("server", "down")
    done = run_module("server", "export", str(kept), str(there), "--around", "4")
    assert done.returncode == 0, done.stderr
    assert "1 of them changed" in done.stderr
    assert block_of(there, 40, 120, -40)[1].id == "gold_block"
    sheep = entities_in(there, 2, -3)["sheep"]
    assert (sheep["Color"].value, str(sheep["CustomName"])) == (3, name)
    assert len(sheep["UUID"].value) == 4
    for (x, z), air in surface.items():
        names = [block_of(there, x, y, z)[1].id for y in range(40, 130)]
        assert [name == "air" for name in names] == air
    level = nbt.NBTFile(str(there / "level.dat"))["Data"]
    assert (level["DataVersion"].value, str(level["Version"]["Name"])) == (3700, "1.20.4")


def within(world, tmp_path):
    return world, world / "sub"


def around(world, tmp_path):
    return world, tmp_path


def never_played(world, tmp_path):
    return world, tmp_path / "written"


def damaged_ours(world, tmp_path):
    """Return a damaged world: the export notices a missing column while copying the others."""
    state = {"time": 0, "day": 0, "difficulty": 1, "gamerules": {}, "worldSpawn": [0, 65, 0]}
    manifest = {"format": 1, "seed": 1, "terrain": "superflat", "generation": 1}
    manifest |= {"state": "state.1.json", "columns": {"0,0": "columns/0_0.1.gz"}}
    (world / "voxpolis" / "columns").mkdir(parents=True)
    (world / "voxpolis" / "world.json").write_text(json.dumps(manifest))
    (world / "voxpolis" / "state.1.json").write_text(json.dumps(state | {"containers": []}))
    return world, tmp_path / "new" / "written"


@pytest.mark.parametrize(
    ("case", "says"),
    [
        (within, "must not lie within each other"),
        (never_played, "there is no saved world in"),
        (damaged_ours, "0_0.1.gz"),
    ],
)
def test_a_failed_export_gives_one_line_and_leaves_no_files(folder, tmp_path, case, says):
    world, there = case(folder, tmp_path)
    before = sorted(tmp_path.rglob("*"))
    done = run_module("server", "export", str(world), str(there))
    assert (done.returncode, says in done.stderr) == (2, True), done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert sorted(tmp_path.rglob("*")) == before


def mob(kind, x, y, z, **parts):
    """Return a motionless mob in Minecraft's form; fields that are None are left out."""
    place = [nbt.TAG_Double(way) for way in (x, y, z)]
    uuid = nbt.TAG_Int_Array()
    uuid.value = [int(x), int(y), int(z), len(kind)]
    told = {
        "Pos": listed(nbt.TAG_Double, place),
        "Motion": listed(nbt.TAG_Double, [nbt.TAG_Double(0) for _ in range(3)]),
        "Rotation": listed(nbt.TAG_Float, [nbt.TAG_Float(90), nbt.TAG_Float(0)]),
        "UUID": uuid,
        "NoAI": nbt.TAG_Byte(1),
        "Health": nbt.TAG_Float(6),
        **parts,
    }
    told = {name: part for name, part in told.items() if part is not None}
    return compound(id=text(kind if ":" in kind else f"minecraft:{kind}"), **told)


def living(x, z, *entities):
    place = nbt.TAG_Int_Array()
    place.value = [x, z]
    return written(
        compound(
            DataVersion=nbt.TAG_Int(DATA_VERSION),
            Position=place,
            Entities=listed(nbt.TAG_Compound, entities),
        )
    )


def trade():
    goods = {
        "buy": compound(id=text("minecraft:wheat"), Count=nbt.TAG_Byte(20)),
        "sell": compound(id=text("minecraft:emerald"), Count=nbt.TAG_Byte(1)),
    }
    offer = compound(**goods, uses=nbt.TAG_Int(0), maxUses=nbt.TAG_Int(16))
    return compound(Recipes=listed(nbt.TAG_Compound, [offer]))


def inhabited():
    """Return entities of all kinds, supported and unsupported."""
    bessie = {
        "CustomName": text('{"text":"Bessie"}'),
        "Tags": listed(nbt.TAG_String, [text("old")]),
    }
    return [
        mob("cow", 2.5, 66.0, 6.5, **bessie, mark=text("of a mod")),
        mob("sheep", 4.5, 66.0, 6.5, Color=nbt.TAG_Byte(14), Sheared=nbt.TAG_Byte(1)),
        mob("pig", 6.5, 66.0, 6.5, Age=nbt.TAG_Int(-24_000)),
        mob("villager", 8.5, 66.0, 6.5, Offers=trade()),
        mob("zombie", 10.5, 66.0, 6.5, PersistenceRequired=nbt.TAG_Byte(1)),
        mob("item_frame", 3.0, 66.0, 2.0, Health=None, Facing=nbt.TAG_Byte(2)),
        mob("armor_stand", 5.5, 66.0, 2.5),
        mob("boat", 7.5, 66.0, 2.5, Passengers=listed(nbt.TAG_Compound, [mob("goat", 7, 66, 2)])),
        mob("some_mod:golem", 9.5, 66.0, 2.5),
        mob("horse", 900.5, 66.0, 2.5),  # belongs to another column
    ]


ODD = {"CustomName": nbt.TAG_Int(7), "Health": text("much"), "Tags": nbt.TAG_Byte(3)}


@pytest.fixture
def lived_in(folder):
    level(folder, difficulty=2)
    still = mob("chicken", 30.5, 66.0, 6.5)
    odd = mob("rabbit", 20.5, 66.0, 6.5, **ODD)
    region(
        folder / "entities" / "r.0.0.mca",
        {
            (0, 0): (living(0, 0, *inhabited()), ZLIB),
            (1, 0): (living(1, 0, still, odd), ZLIB),
            (2, 0): (b"no NBT", PLAIN),
            (3, 0): (living(3, 0, mob("wolf", 50.5, 66.0, 6.5)), GZIP),
        },
    )
    return folder


def entities_in(world, x, z):
    """Return entities by kind, as another library reads them."""
    region = kept_of(world, x, z, "entities")
    return {str(one["id"]).removeprefix("minecraft:"): one for one in region["Entities"]}


async def count(kind):
    (said,) = await ask(f"execute if entity @e[type={kind}]")
    return int(said.partition("count: ")[2] or 0)


async def test_mobs_in_a_minecraft_world_are_loaded_saved_and_exported(lived_in, tmp_path):
    before = digest(lived_in)
    assert up(lived_in).returncode == 0
    await ask(LOAD, "time set noon")
    taken = ["cow", "sheep", "pig", "villager", "zombie", "chicken", "rabbit"]
    assert [await count(kind) for kind in taken] == [1] * len(taken)
    left = ["item_frame", "armor_stand", "boat", "goat"]
    assert [await count(kind) for kind in left] == [0] * len(left)
    log = (lived_in.parent / "server" / "server.log").read_text()
    for kind in ("item_frame", "armor_stand", "boat with riders", "some_mod:golem"):
        assert (
            log.count(f"the world contains {kind}: it stays in the files, but does not appear here")
            == 1
        )
    assert "the mobs in column 2, 0 of the world cannot be read" in log
    bessie = "@e[type=cow,name=Bessie,tag=old,limit=1]"
    health, place = await ask(f"data get entity {bessie} Health", f"data get entity {bessie} Pos")
    assert health.endswith("data: 6.0f")
    assert place.endswith("[2.5d, 66.0d, 6.5d]")
    await ask(
        "kill @e[type=pig]",
        "tp @e[type=zombie] 18.5 66 8.5",
        "tag @e[type=zombie] add moved",
        "save-all",
    )
    end()
    assert digest(lived_in) == before
    # After a restart, the mobs are unchanged and not duplicated.
    assert up(lived_in).returncode == 0
    await ask(LOAD)
    assert [await count(kind) for kind in taken] == [1, 1, 0, 1, 1, 1, 1]
    assert await count("zombie,tag=moved") == 1
    assert (await ask(f"data get entity {bessie} Health"))[0].endswith("data: 6.0f")
    run_module("server", "down")
    there = tmp_path / "written"
    done = run_module("server", "export", str(lived_in), str(there))
    assert done.returncode == 0, done.stderr
    told = entities_in(there, 0, 0)
    kinds = {
        "cow",
        "sheep",
        "villager",
        "item_frame",
        "armor_stand",
        "boat",
        "some_mod:golem",
        "horse",
    }
    assert told.keys() == kinds
    for kind, was in entities_in(lived_in, 0, 0).items():
        if kind not in ("pig", "zombie"):
            assert told[kind].pretty_tree() == was.pretty_tree(), kind
    moved = entities_in(there, 1, 0)
    assert moved.keys() == {"chicken", "rabbit", "zombie"}
    assert [way.value for way in moved["zombie"]["Pos"]] == [18.5, 66, 8.5]
    assert [str(tag) for tag in moved["zombie"]["Tags"]] == ["moved"]
    assert moved["zombie"]["PersistenceRequired"].value == 1
    assert bytes_of(there, 2, 0, "entities") == bytes_of(lived_in, 2, 0, "entities")
