"""What lives in worlds of Minecraft: taken, kept and written back; what is not taken stays."""

from __future__ import annotations

import json

import pytest
from nbt import nbt

from tests import anvil_worlds as made
from tests.anvil_worlds import LOAD, compound, digest, end, listed, text
from tests.conftest import ask, run_module, up

folder = made.folder


def mob(kind, x, y, z, **parts):
    """One that stands still, as Minecraft keeps it; parts that are None are left out."""
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


def column(x, z, *entities):
    place = nbt.TAG_Int_Array()
    place.value = [x, z]
    return made.written(
        compound(
            DataVersion=nbt.TAG_Int(made.DATA_VERSION),
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
    """All kinds: those that are taken, and those that are not."""
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
        mob("horse", 900.5, 66.0, 2.5),  # of another column
    ]


ODD = {"CustomName": nbt.TAG_Int(7), "Health": text("much"), "Tags": nbt.TAG_Byte(3)}


@pytest.fixture
def lived_in(folder):
    made.level(folder, difficulty=2)
    still = mob("chicken", 30.5, 66.0, 6.5)
    odd = mob("rabbit", 20.5, 66.0, 6.5, **ODD)
    made.region(
        folder / "entities" / "r.0.0.mca",
        {
            (0, 0): (column(0, 0, *inhabited()), made.ZLIB),
            (1, 0): (column(1, 0, still, odd), made.ZLIB),
            (2, 0): (b"no NBT", made.PLAIN),
            (3, 0): (column(3, 0, mob("wolf", 50.5, 66.0, 6.5)), made.GZIP),
        },
    )
    return folder


def entities_in(world, x, z):
    """By kind, as another library reads them."""
    region = made.kept_of(world, x, z, "entities")
    return {str(one["id"]).removeprefix("minecraft:"): one for one in region["Entities"]}


async def count(kind):
    (said,) = await ask(f"execute if entity @e[type={kind}]")
    return int(said.partition("count: ")[2] or 0)


async def test_what_lives_in_a_world_is_taken_kept_and_written_back(lived_in, tmp_path):
    before = digest(lived_in)
    assert up(lived_in).returncode == 0
    await ask(LOAD, "time set noon")
    taken = ["cow", "sheep", "pig", "villager", "zombie", "chicken", "rabbit"]
    assert [await count(kind) for kind in taken] == [1] * len(taken)
    left = ["item_frame", "armor_stand", "boat", "goat"]
    assert [await count(kind) for kind in left] == [0] * len(left)
    log = (lived_in.parent / "server" / "server.log").read_text()
    for kind in ("item_frame", "armor_stand", "boat with riders", "some_mod:golem"):
        assert log.count(f"the world has {kind}: it stays there, and is not here") == 1
    assert "what lives in column 2, 0 of the world cannot be read" in log
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
    # They are there again as they were, and come but once.
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
    assert made.bytes_of(there, 2, 0, "entities") == made.bytes_of(lived_in, 2, 0, "entities")




async def test_animals_of_a_seed_s_land_are_written_for_others(tmp_path, monkeypatch):
    monkeypatch.setenv("VOXPOLIS_SERVER", str(tmp_path / "server"))
    kept, there = tmp_path / "kept", tmp_path / "written"
    try:
        assert up(kept, "--seed", "7").returncode == 0
        name = json.dumps({"text": "Dolly"})
        await ask(
            LOAD,
            f"summon sheep 5.5 -60 5.5 {{NoAI:1b,Color:3b,CustomName:'{name}'}}",
            "summon pig 8.5 -60 5.5 {NoAI:1b,Age:-20000}",
            "save-all",
        )
    finally:
        run_module("server", "down")
    assert run_module("server", "export", str(kept), str(there)).returncode == 0
    told = entities_in(there, 0, 0)
    assert (told["sheep"]["Color"].value, str(told["sheep"]["CustomName"])) == (3, name)
    assert len(told["sheep"]["UUID"].value) == 4
    assert -20_000 <= told["pig"]["Age"].value < -19_000
