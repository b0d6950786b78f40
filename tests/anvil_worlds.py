"""A world of Minecraft as its format is described, made without code of ours.

Source: https://minecraft.wiki/w/Chunk_format and https://minecraft.wiki/w/Region_file_format
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

import psutil
import pytest
from nbt import nbt

from tests.conftest import ask
from voxpolis.server import read_state

DATA_VERSION = 3700
GZIP, ZLIB, PLAIN = 1, 2, 3
SECTOR = 4096
#: A column that has a file of its own.
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
    """Longs without a sign, whichever other library has changed how the package writes them."""

    def update_fmt(self, length):
        self.fmt = Struct(f">{length}Q")


def longs(values):
    tag = Words()
    tag.value = values
    return tag


def text(value):
    return nbt.TAG_String(value)


def packed(indices, bits):
    """Indices as longs: as many whole ones in each as have room, the first in the lowest bits."""
    each = 64 // bits
    found = []
    for start in range(0, len(indices), each):
        word = sum(index << (bits * k) for k, index in enumerate(indices[start : start + each]))
        found.append(word)
    return found


def state(told):
    """A block such as ``oak_stairs[facing=east]``."""
    name, _, rest = told.rstrip("]").partition("[")
    parts = {"Name": text(f"minecraft:{name}" if ":" not in name else name)}
    if rest:
        pairs = (pair.split("=") for pair in rest.split(","))
        parts["Properties"] = compound(**{key: text(value) for key, value in pairs})
    return compound(**parts)


WHOLE = object()


def section(y, blocks, biome="minecraft:plains", data=WHOLE):
    """16 by 16 by 16 blocks: ``blocks`` are all of them, or places within and what is there.

    ``data``: what stands there instead of the longs that tell which block is where, if anything.
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
    """``columns``: by x and z within the region, the bytes of each and how they are compressed."""
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
    """A column in its region file: its bytes as they are, and how they are compressed."""
    data = (world / kind / f"r.{x >> 5}.{z >> 5}.mca").read_bytes()
    (entry,) = struct.unpack_from(">I", data, 4 * (x % 32 + z % 32 * 32))
    if not entry:
        return b"", PLAIN
    start = (entry >> 8) * SECTOR
    length, kind = struct.unpack_from(">IB", data, start)
    return data[start + 5 : start + 4 + length], kind


def kept_of(world, x, z, of="region"):
    """What a column says."""
    data, kind = bytes_of(world, x, z, of)
    if kind & OUTSIDE:
        data = (world / of / f"c.{x}.{z}.mcc").read_bytes()
    unpack = {GZIP: gzip.decompress, ZLIB: zlib.decompress, PLAIN: bytes}
    return nbt.NBTFile(buffer=io.BytesIO(unpack[kind % OUTSIDE](data)))


def entities_of(tag):
    """A column's block entities, by where they stand."""
    return {tuple(one[axis].value for axis in "xyz"): one for one in tag["block_entities"]}


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
    """As of 1.19 and before."""
    place = {"x": nbt.TAG_Int(x), "y": nbt.TAG_Int(y), "z": nbt.TAG_Int(z)}
    lines = {f"Text{n}": text(line if n == 1 else '{"text":""}') for n in range(1, 5)}
    return compound(id=text("minecraft:sign"), **place, **lines)


def sign(x, y, z, *lines):
    place = {"x": nbt.TAG_Int(x), "y": nbt.TAG_Int(y), "z": nbt.TAG_Int(z)}
    told = [line if line.startswith(("{", "[")) else json_text({"text": line}) for line in lines]
    messages = listed(nbt.TAG_String, [text(line) for line in told])
    return compound(id=text("minecraft:sign"), **place, front_text=compound(messages=messages))


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


def old_column():
    """Of an earlier version, with texts in all of their forms."""
    forms = [{"text": "", "extra": ["a", {"text": "b"}]}, ["c", "d"]]
    forms += [{"translate": "block.minecraft.dirt"}, SMILE_HERE]
    told = [
        old_sign(20, 65, 1, '{"text":"once"}'),
        sign(21, 65, 1, *map(json_text, forms)),
        chest(22, 65, 1, (0, "dirt", 1)),
    ]
    return column(1, 0, [section(4, OLD)], told, version=3337)


#: Six letters, in the place of which Java's six bytes of a smile come.
SMILE_HERE, SMILE_OF_JAVA = "@SMILE", b"\xed\xa0\xbd\xed\xb8\x80"


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
