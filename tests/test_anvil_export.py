"""Kept worlds, written for Minecraft and others."""

from __future__ import annotations

import json
import sys
from random import Random

import anvil
import pytest
from nbt import nbt
from typer.testing import CliRunner

import environment
from server.commands import app
from tests import anvil_boards as boards
from tests import anvil_worlds as made
from tests.anvil_worlds import CHEST, LOAD, MANY, PASSED, STANDS, check, digest
from tests.conftest import ask, run_module, up

folder = made.folder


def block_of(world, x, y, z):
    region = anvil.Region.from_file(str(world / "region" / f"r.{x >> 9}.{z >> 9}.mca"))
    column = anvil.Chunk.from_region(region, x >> 4 & 31, z >> 4 & 31)
    return column, column.get_block(x & 15, y, z & 15)


async def test_what_was_played_in_is_written_for_others(folder, tmp_path):
    boards.write_board(folder)
    assert up(folder).returncode == 0
    await check(STANDS)
    assert await ask(*boards.TOLD) == list(boards.TOLD.values())
    await ask(
        "setblock 7 65 7 oak_stairs[facing=west,half=top]",
        "setblock 9 65 9 air",
        "item replace block 2 65 2 container.0 with air",
        "setblock 6 65 6 barrel",
        "item replace block 6 65 6 container.5 with apple 9",
        'setblock 4 65 6 lectern[has_book=true]{Book:{id:"minecraft:writable_book",Count:1b}}',
        "time set 1234",
        *boards.CHANGES,
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
    lectern = entities["minecraft:lectern"]
    assert (str(lectern["Book"]["id"]), "Items" in lectern) == ("minecraft:writable_book", False)
    level = nbt.NBTFile(str(there / "level.dat"))["Data"]
    assert (str(level["LevelName"]), level["DayTime"].value) == ("Elsewhere", 1234)
    assert (level["Time"].value, str(level["GameRules"]["modRule"])) == (99_999, "7")
    boards.check_board(there, level)
    assert "a copy, in which 1 columns had changed" in done.stderr
    for x, z in ((1, 0), (2, 0), (-1, 0)):
        assert made.bytes_of(there, x, z) == made.bytes_of(folder, x, z)
    # And so do we.
    assert up(there).returncode == 0
    await check({place: told for place, told in STANDS.items() if place != (9, 65, 9)})
    assert "bread" in (await ask(CHEST))[0]
    assert await ask(*boards.AFTERWARDS) == list(boards.AFTERWARDS.values())


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


#: Since this version signs have two sides, and what one of before says.
SIDES_SINCE = 3463
EARLIER = {
    "Text1": made.text('{"text":"Keep"}'),
    **{f"Text{line}": made.text('{"text":""}') for line in (2, 3, 4)},
    "Color": made.text("red"),
    "GlowingText": nbt.TAG_Byte(1),
}


def rich(x, version=made.DATA_VERSION, **parts):
    """A column with much that this server knows nothing of, at z = 0."""
    west = 16 * x
    front = made.compound(
        messages=made.listed(
            nbt.TAG_String, [made.text(json.dumps({"text": one})) for one in ("Keep", "", "", "")]
        ),
        color=made.text("red"),
        has_glowing_text=nbt.TAG_Byte(1),
    )
    now = {"front_text": front, "is_waxed": nbt.TAG_Byte(1)}
    held = [(0, "diamond", 3), (4, "some_mod:gem", 2)]
    entities = [
        made.entity("some_mod:machine", west + 1, 64, 0, energy=nbt.TAG_Long(5)),
        made.chest(west + 2, 64, 0, *held, CustomName=made.text('{"text":"Named"}')),
        made.entity("sign", west + 3, 64, 0, **(EARLIER if version < SIDES_SINCE else now)),
        made.entity("mob_spawner", west + 4, 64, 0, SpawnCount=nbt.TAG_Short(9)),
        made.entity("chest", west + 5, 64, 0, LootTable=made.text("minecraft:chests/igloo_chest")),
        made.entity("chiseled_bookshelf", west + 6, 64, 0, last_interacted_slot=nbt.TAG_Int(2)),
        made.entity("command_block", west + 7, 64, 0, Command=made.text("say hi")),
    ]
    blocks = {
        (1, 0, 0): "some_mod:machine[lit=true]",
        (2, 0, 0): "chest[facing=east,type=single,waterlogged=false]",
        (3, 0, 0): "oak_sign[rotation=4,waterlogged=false]",
        (4, 0, 0): "spawner",
        (5, 0, 0): "chest[facing=east,type=single,waterlogged=false]",
        (6, 0, 0): "chiseled_bookshelf[facing=north]",
        (7, 0, 0): "command_block[conditional=false,facing=up]",
        (8, 0, 0): "ender_chest[facing=east,waterlogged=false]",
        (9, 0, 0): "grass" if version < made.DATA_VERSION else "short_grass",
    }
    sections = [
        made.section(3, "dirt"),
        made.section(4, blocks),
        made.section(5, "some_mod:rock"),
        made.section(25, "stone"),
    ]
    return made.column(x, 0, sections, entities, version, **parts)


@pytest.fixture
def rich_world(folder):
    random = nbt.TAG_Byte_Array()
    random.value = bytearray(Random(0).randbytes(1_100_000))
    kept = {(x, 0): (rich(x), made.ZLIB) for x in (0, 1, 2)}
    kept[3, 0] = (rich(3, version=3337), made.GZIP)
    kept[4, 0] = (rich(4, status="minecraft:noise"), made.ZLIB)
    kept[5, 0] = (b"no column", made.PLAIN)
    kept[6, 0] = (rich(6, some_mod=random), made.ZLIB)
    made.region(folder / "region" / "r.0.0.mca", kept)
    return folder


def names_in(world, x):
    return {
        y: [str(one["Name"]) for one in section["block_states"]["palette"]]
        for section in made.kept_of(world, x, 0)["sections"]
        for y in [section["Y"].value]
    }


CHANGES = [
    "setblock 0 64 1 gold_block",
    "setblock 4 64 0 air",  # a spawner like it is put there: it spawns nothing
    "setblock 4 64 0 spawner",
    "setblock 3 64 0 air",
    "setblock 3 64 0 oak_sign[rotation=4]",
    "setblock 10 64 0 furnace{BurnTime:9000s}",
    'setblock 11 64 0 command_block{Command:"say ours",auto:0b}',
    "item replace block 18 64 0 container.1 with emerald 5",
    "setblock 48 64 1 gold_block",
    "setblock 64 64 1 gold_block",
    "setblock 96 64 1 gold_block",
    "setblock 97 64 0 stone",
]


async def test_only_what_changed_is_written_and_all_else_stays(rich_world, tmp_path):
    assert up(rich_world).returncode == 0
    await ask("forceload add -64 -64 160 64", *CHANGES, "save-all")
    run_module("server", "down")
    there = tmp_path / "written"
    done = run_module("server", "export", str(rich_world), str(there))
    assert done.returncode == 0, done.stderr
    assert sorted(one.name for one in tmp_path.iterdir()) == ["server", "world", "written"]
    # Columns that were only seen, damaged ones among them; none where there was none.
    for x in (2, 5):
        assert made.bytes_of(there, x, 0) == made.bytes_of(rich_world, x, 0) != (b"", made.PLAIN)
    assert made.bytes_of(there, 7, 0) == (b"", made.PLAIN)
    regions = {one.name for one in (there / "region").iterdir()}
    assert regions == {"r.0.0.mca", "r.-1.0.mca", "c.6.0.mcc"}
    check_columns(rich_world, there)
    check_entities(made.entities_of(made.kept_of(there, 0, 0)))


def check_columns(world, there):
    """Of blocks, and of a column in which only a chest changed."""
    for x in (0, 3, 6):
        tag = made.kept_of(there, x, 0)
        names = names_in(there, x)
        assert tag["DataVersion"].value == made.DATA_VERSION
        assert "minecraft:gold_block" in names[4]
        assert ("some_mod:machine" in names[4]) == (x != 6)  # something was built there
        assert "minecraft:short_grass" in names[4]
        assert "minecraft:grass" not in names[4]
        assert (names[5], names[25]) == (["some_mod:rock"], ["minecraft:stone"])
        assert ((16 * x + 1, 64, 0) in made.entities_of(tag)) == (x != 6)
    assert len(made.kept_of(there, 6, 0)["some_mod"].value) == 1_100_000
    front = made.entities_of(made.kept_of(there, 3, 0))[51, 64, 0]["front_text"]
    assert (str(front["messages"][0]), str(front["color"])) == ('{"text":"Keep"}', "red")
    # Only a chest changed here.
    tag = made.kept_of(there, 1, 0)
    assert names_in(there, 1) == names_in(world, 1)
    entities = made.entities_of(tag)
    held = {one["Slot"].value: str(one["id"]) for one in entities[18, 64, 0]["Items"]}
    assert held == {0: "minecraft:diamond", 1: "minecraft:emerald", 4: "some_mod:gem"}
    assert str(entities[19, 64, 0]["front_text"]["color"]) == "red"
    assert "LootTable" in entities[21, 64, 0]
    # What was built where Minecraft had not made all: here there was nothing else.
    assert str(made.kept_of(there, 4, 0)["Status"]) == "minecraft:full"
    assert names_in(there, 4)[4] == ["minecraft:air", "minecraft:gold_block"]


def check_entities(entities):
    """Of the column in which most changed."""
    assert entities[1, 64, 0]["energy"].value == 5
    assert str(entities[2, 64, 0]["CustomName"]) == '{"text":"Named"}'
    held = {one["Slot"].value: str(one["id"]) for one in entities[2, 64, 0]["Items"]}
    assert held == {0: "minecraft:diamond", 4: "some_mod:gem"}
    assert "front_text" not in entities[3, 64, 0]
    assert "SpawnCount" not in entities[4, 64, 0]
    assert "LootTable" not in entities[5, 64, 0]
    assert entities[6, 64, 0]["last_interacted_slot"].value == 2
    assert str(entities[7, 64, 0]["Command"]) == "say hi"
    assert str(entities[8, 64, 0]["id"]) == "minecraft:ender_chest"
    assert str(entities[10, 64, 0]["id"]) == "minecraft:furnace"
    assert 0 < int(str(entities[10, 64, 0]["BurnTime"])) < 9000
    assert str(entities[11, 64, 0]["Command"]) == "say ours"


def within(world, tmp_path):
    return world, world / "sub"


def around(world, tmp_path):
    return world, tmp_path




def never_played(world, tmp_path):
    return world, tmp_path / "written"








def damaged_ours(world, tmp_path):
    """Of which a column is gone: that is found when the rest is copied."""
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
        
        
        (never_played, "nothing was kept in"),
        
        
        
        (damaged_ours, "0_0.1.gz"),
    ],
)
def test_what_cannot_be_written_is_one_line_and_leaves_nothing(folder, tmp_path, case, says):
    world, there = case(folder, tmp_path)
    before = sorted(tmp_path.rglob("*"))
    done = run_module("server", "export", str(world), str(there))
    assert (done.returncode, says in done.stderr) == (2, True), done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert sorted(tmp_path.rglob("*")) == before
