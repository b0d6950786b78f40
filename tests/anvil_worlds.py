"""A world of Minecraft as its format is described, made without code of ours.

Source: https://minecraft.wiki/w/Chunk_format and https://minecraft.wiki/w/Region_file_format
"""

from __future__ import annotations

import gzip
import io
import json
import struct
import zlib

from nbt import nbt

DATA_VERSION = 3700
GZIP, ZLIB, PLAIN = 1, 2, 3
SECTOR = 4096


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


def longs(values):
    tag = nbt.TAG_Long_Array()
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


def column(x, z, sections, block_entities=(), version=DATA_VERSION, status="minecraft:full"):
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
    for (x, z), (data, kind) in columns.items():
        told = pack[kind](data)
        told = struct.pack(">IB", len(told) + 1, kind) + told
        count = -(-len(told) // SECTOR)
        offsets[x + 32 * z] = sector << 8 | count
        body += told.ljust(count * SECTOR, b"\0")
        sector += count
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(struct.pack(">1024I", *offsets) + bytes(SECTOR) + body)


def level(path, version=DATA_VERSION, name="1.20.4", difficulty=0):
    data = compound(
        DataVersion=nbt.TAG_Int(version),
        Version=compound(Id=nbt.TAG_Int(version), Name=text(name)),
        LevelName=text("Elsewhere"),
        SpawnX=nbt.TAG_Int(5),
        SpawnY=nbt.TAG_Int(65),
        SpawnZ=nbt.TAG_Int(5),
        DayTime=nbt.TAG_Long(7777),
        Time=nbt.TAG_Long(7777),
        Difficulty=nbt.TAG_Byte(difficulty),
        GameRules=compound(
            keepInventory=text("true"), randomTickSpeed=text("0"), doDaylightCycle=text("false")
        ),
    )
    path.mkdir(parents=True, exist_ok=True)
    (path / "level.dat").write_bytes(gzip.compress(written(compound(Data=data))))


def item(slot, name, count):
    return compound(
        Slot=nbt.TAG_Byte(slot), id=text(f"minecraft:{name}"), Count=nbt.TAG_Byte(count)
    )


def chest(x, y, z, *items):
    place = {"x": nbt.TAG_Int(x), "y": nbt.TAG_Int(y), "z": nbt.TAG_Int(z)}
    held = listed(nbt.TAG_Compound, [item(*one) for one in items])
    return compound(id=text("minecraft:chest"), **place, Items=held)


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
