"""``--world DIR``: everything that was built, stored or carried is restored, however the server
ended."""

from __future__ import annotations

import asyncio
import json

import psutil

from tests.conftest import UP, ask, run_module, up
from voxpolis.bridge import Bridge
from voxpolis.server import read_state

BUILT = [
    "setblock 5 120 5 chest[facing=south]",
    "item replace block 5 120 5 container.3 with diamond 7",
    "setblock 5 118 5 furnace",
    "item replace block 5 118 5 container.0 with raw_iron 3",
    "setblock 9 119 9 gold_block",
    'summon item 9.5 120 9.5 {Item:{id:"minecraft:dirt",Count:3b}}',
    "gamerule keepInventory true",
    "gamerule doDaylightCycle false",
    "scoreboard objectives add kept dummy",
    "scoreboard players set Ann kept 7",
    "team add reds",
    "team join reds Ann",
    'bossbar add k:k "K"',
    "data merge storage town:laws {tax:3}",
    "time set 7777",
]
FOUND = {
    "data get block 5 120 5 Items": '[{Slot: 3b, id: "minecraft:diamond", Count: 7b}]',
    "data get block 5 118 5 Items": '[{Slot: 0b, id: "minecraft:raw_iron", Count: 3b}]',
    "data get entity @e[type=item,limit=1] Item": '{id: "minecraft:dirt", Count: 3b}',
    "setblock 9 119 9 gold_block": "Could not set the block",
    "gamerule keepInventory": "Gamerule keepInventory is currently set to: true",
    "time query daytime": "The time is 7777",
    "seed": "Seed: [42]",
    "scoreboard players get Ann kept": "Ann has 7 [kept]",
    "team list reds": "Team [reds] has 1 member(s): Ann",
    "bossbar get k:k max": "Custom bossbar [K] has a maximum of 100",
    "data get storage town:laws tax": ": 3",
}


def kill():
    process = psutil.Process(read_state().pid)
    process.kill()
    process.wait(20)


async def carry(name, item):
    """Let a bot join, give it an item, and let it leave."""
    state = read_state()
    async with Bridge() as bridge:
        bot = await bridge.spawn(name, state.host, state.port)
        if item:
            await ask(f"give {name} {item}")
        (answer,) = await ask(f"data get entity {name} Inventory")
        await bot.quit()
    return answer


async def test_a_killed_server_restarts_with_the_same_world(world_folder):
    assert up(world_folder, "--seed", "42", "--terrain", "natural").returncode == 0
    await carry("Keeper", "emerald 5")
    await ask(*BUILT)
    await until_saved(world_folder)
    kill()
    again = up(world_folder, "--seed", "1")  # the saved world keeps its seed and terrain
    assert again.returncode == 0, again.stderr
    for line, expected in FOUND.items():
        (answer,) = await ask(line)
        assert answer.endswith(expected), (line, answer)
    assert '"minecraft:emerald", Count: 5b' in await carry("Keeper", None)


async def until_saved(folder):
    """Wait until a save contains the last edits."""

    def is_saved():
        if not (folder / "world.json").exists():
            return False
        manifest = json.loads((folder / "world.json").read_text())
        return json.loads((folder / manifest["state"]).read_text())["time"] == 7777

    async with asyncio.timeout(120):
        while not is_saved():
            await asyncio.sleep(0.1)


async def test_files_left_by_an_interrupted_save_do_no_harm(world_folder):
    assert up(world_folder).returncode == 0
    assert (await ask(*BUILT, "save-all"))[-1] == "Saved the game"
    kill()
    (world_folder / "world.json.part").write_text("{half a mani")
    (world_folder / "columns" / "0_0.999.gz").write_bytes(b"half a column")
    (world_folder / "state.999.json").write_text('{"time": ')
    assert up(world_folder).returncode == 0
    assert (await ask("data get block 5 120 5 Items"))[0].endswith("Count: 7b}]")
    await ask("setblock 1 120 1 stone", "save-all")
    assert not (world_folder / "state.999.json").exists()


def test_a_folder_is_locked_by_only_one_server(world_folder, tmp_path):
    assert up(world_folder).returncode == 0
    second = run_module(
        "server", *UP, "--world", str(world_folder), VOXPOLIS_SERVER=str(tmp_path / "second")
    )
    assert second.returncode == 2
    assert f"is in use by process {read_state().pid}" in second.stderr


def test_a_folder_with_other_files_is_not_changed(world_folder):
    world_folder.mkdir()
    (world_folder / "world.json").write_text("not a manifest")
    refused = up(world_folder)
    assert refused.returncode == 2
    assert f"cannot use the world in {world_folder}" in refused.stderr
    assert (world_folder / "world.json").read_text() == "not a manifest"


# A cave floor of seed 1, and the block there without caves.
CAVE = "30 30 66"


def start(folder, *options):
    done = up(folder, *options)
    assert done.returncode == 0, done.stderr


def is_hollow():
    asked = f"execute if block {CAVE} air"
    _, answer = asyncio.run(ask("forceload add 30 66", asked))
    assert answer in ("Test passed", "Test failed")
    return answer == "Test passed"


def test_a_saved_world_keeps_the_cave_version_it_was_created_with(world_folder):
    start(world_folder, "--terrain", "natural", "--seed", "1")
    assert is_hollow()
    assert run_module("server", "down").returncode == 0
    manifest = json.loads((world_folder / "world.json").read_text())
    assert manifest.pop("caves") is True
    # as written by servers without caves
    (world_folder / "world.json").write_text(json.dumps(manifest))
    start(world_folder)
    assert not is_hollow()
