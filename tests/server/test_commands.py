"""Commands over RCON: they give vanilla's answers, and malformed ones have no effect."""

from __future__ import annotations

import asyncio
import random
import re

import pytest
import pytest_asyncio

from voxpolis.server import Rcon
from voxpolis.server.state import log_file, read_password

# Valid commands with arguments, from which malformed ones are made.
WELL_FORMED = [
    "setblock 3 160 3 stone",
    "fill 0 160 0 3 160 3 stone replace air",
    "clone 0 160 0 1 161 1 10 160 10 masked force",
    "give Nobody stone 3",
    "clear Nobody stone 1",
    "item replace block 0 162 0 container.0 with diamond 3",
    "item replace entity Nobody hotbar.0 with diamond",
    "tp Nobody 0 160 0 90 0",
    "spreadplayers 0 0 1 10 false Nobody",
    "kill @e[type=zombie,distance=..5]",
    "summon item 0 160 0 {Item:{id:stone,Count:1b}}",
    "gamerule keepInventory true",
    "gamemode creative Nobody",
    "difficulty hard",
    "time set 100",
    "weather rain 100",
    "effect give Nobody speed 10 1 true",
    "effect clear Nobody",
    "tell Nobody hello",
    'tellraw Nobody {"text":"hello"}',
    'title Nobody title {"text":"hello"}',
    "op Nobody",
    "spawnpoint Nobody 0 160 0",
    "setworldspawn 0 160 0",
    "data get entity Nobody Health",
    "data get block 0 162 0 Items",
    "forceload add 0 0 16 16",
    "save-all flush",
    "tick query",
    "random reset minecraft:blocks/gravel 3",
    "scoreboard players get Nobody none",
    "scoreboard objectives remove none",
]
# State that malformed commands must not change.
WITNESSES = [
    "data get block 0 162 0 Items",
    "gamerule keepInventory",
    "difficulty",
    "time query daytime",
    "list",
    "fill 0 160 0 7 161 7 gold_block keep",
    "fill 0 160 0 7 161 7 air replace gold_block",
    "data get entity @e[limit=1] Pos",
]
ONLY_PLAYERS = (
    "Only players may be affected by this command, but the provided selector includes entities"
)
JUNK = ["~x", "1e9", "-", "@e[", "@z", "{", "}", "99999999999", "é", '"', "minecraft:", "null"]
MALFORMED = 300


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def rcon(server):
    async with Rcon(server.host, server.rcon_port, read_password()) as rcon:
        for line in (
            "gamerule doDaylightCycle false",
            "gamerule keepInventory false",
            "difficulty easy",
            "time set 5000",
            "fill 0 160 0 7 163 7 air",
            "setblock 0 162 0 chest",
            "item replace block 0 162 0 container.5 with emerald 9",
        ):
            await rcon.command(line)
        yield rcon


def malformed(rng):
    words = rng.choice(WELL_FORMED).split(" ")
    place = rng.randrange(1, len(words)) if len(words) > 1 else 0
    kind = rng.randrange(3)
    if kind == 0:
        words[place] = rng.choice(JUNK)
    elif kind == 1:
        del words[place:]
    else:
        words.insert(place, rng.choice(JUNK))
    return " ".join(words)


async def test_malformed_commands_are_answered_and_have_no_effect(rcon):
    """Some commands are valid by chance: they name no player, or the check undoes their effect."""
    rng = random.Random(3)
    before = [await rcon.command(line) for line in WITNESSES]
    tried = 0
    while tried < MALFORMED:
        line = malformed(rng)
        if is_harmful(line):
            continue
        tried += 1
        answer = await rcon.command(line)
        assert isinstance(answer, str)
        assert "unexpected error" not in answer, line
    assert [await rcon.command(line) for line in WITNESSES] == before
    assert "ERROR" not in log_file().read_text()


def is_harmful(line):
    """Return True if a truncated command is still valid and changes the checked state."""
    return any(
        re.fullmatch(pattern, line)
        for pattern in (
            r"setblock (-?\d+ ){3}stone",
            r"fill (-?\d+ ){6}stone( replace( air)?)?",
            r"clone (-?\d+ ){8}-?\d+( masked)?( force)?",
            r"item replace block (-?\d+ ){3}container\.0 with diamond( 3)?",
            r"gamerule keepInventory true",
            r"difficulty hard",
            r"time set \d+",
            r"summon item.*",
        )
    )


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("seed", "Seed: [1]"),
        ("difficulty", "The difficulty is Easy"),
        ("difficulty easy", "The difficulty did not change; it is already set to easy"),
        ("gamemode creative Nobody", "No player was found"),
        ("kill @e[type=zombie]", "No entity was found"),
        ("summon item 100 160 100 {Item:{id:stone,Count:2b}}", "Summoned new Stone"),
        ("data get entity @e[type=item,limit=1] Item", None),
        ("kill @e[type=item]", "Killed Stone"),
        ("summon player", "Can't summon entity of type minecraft:player"),
        ("setworldspawn 8 5 8", "Set the world spawn point to 8, 5, 8 [0.0]"),
        ("time query day", "The time is 0"),
        ("list", "There are 0 of a max of 2000 players online: "),
        ("save-all", "The world is not saved: start the server with --world DIR"),
        ("setblock 20 160 20 oak_log[axis=x]", "Changed the block at 20, 160, 20"),
        ("setblock 20 160 20 oak_log[axis=y] keep", "Could not set the block"),
        ("setblock 20 160 20 air destroy", "Changed the block at 20, 160, 20"),
        ("kill @e[type=item]", "Killed Oak Log"),
        ("random reset * 7", None),
        ("random reset blocks/gravel 7", "Reset random sequence minecraft:blocks/gravel"),
        ("scoreboard objectives add n dummy", "Created new objective [n]"),
        ("scoreboard objectives add n dummy", "An objective already exists by that name"),
        ("scoreboard players get Ann n", "Can't get value of n for Ann; none is set"),
        ("scoreboard players set Ann n 2147483647", "Set [n] for Ann to 2147483647"),
        ("scoreboard players add Ann n 2147483647", "Added 2147483647 to [n] for Ann (now -2)"),
        ("scoreboard players operation Ann n /= Bob n", "Cannot divide by zero"),
        ("scoreboard players get Ann m", "Unknown scoreboard objective 'm'"),
        ("scoreboard objectives remove n", "Removed objective [n]"),
        (
            "kill @e[type=zombi]",
            "Invalid or unknown entity type 'minecraft:zombi'\nkill @e[type=zombi]<--[HERE]",
        ),
        ("give @e stone", f"{ONLY_PLAYERS}\ngive @e stone<--[HERE]"),
        ("kill", "An entity is required to run this command here"),
        ("tp 1 2", "Incomplete (expected 3 coordinates)\ntp 1 2<--[HERE]"),
        (
            "setblock 3 160 3 oak_slab[type=top",
            "Expected closing ] for block state properties\n"
            "...k 3 160 3 oak_slab[type=top<--[HERE]",
        ),
        ("clear Nobody diamond_pickaxe{Damage:5} 0", "No player was found"),
        (
            "forceload query 9000 9000",
            "Chunk at [562, 562] in minecraft:overworld is not marked for force loading",
        ),
        ("summon cow 9 6 9 {Tags:[a,b]}", "Summoned new Cow"),
        ("execute if entity @e[type=cow,nbt={Tags:[b]}]", "Test passed, count: 1"),
        ("execute if entity @e[type=cow,nbt={Tags:[c]}]", "Test failed"),
        ("execute store result storage a:b n.x double 0.5 run seed", "Seed: [1]"),
        ("execute if data storage a:b n.x", "Test passed, count: 1"),
        ("data merge storage a:b 5", "Expected '{'\n...orage a:b 5<--[HERE]"),
        (
            'data merge storage a:b {l:[1,"x"]}',
            'Can\'t insert TAG_String into list of TAG_Int\n...{l:[1,"x"]}<--[HERE]',
        ),
        ("kill @e[type=cow,tag=a]", "Killed Cow"),
        ("setblock 0 999999 0 stone", "That position is out of this world!"),
        (
            "forceload add -30000000 -30000000 29999999 29999999",
            "Too many chunks in the specified area (maximum 256, specified 14062500000000)",
        ),
    ],
)
async def test_answers_match_vanilla(rcon, line, answer):
    found = await rcon.command(line)
    if line.startswith("random reset *"):
        assert re.fullmatch(r"Reset \d+ random sequence\(s\)", found)
        return
    if answer is None:
        answer = 'Stone has the following entity data: {id: "minecraft:stone", Count: 2b}'
    assert found == answer


async def test_a_cancelled_commands_answer_is_not_given_to_the_next_command(rcon):
    for turns in range(40):
        asked = asyncio.create_task(rcon.command("list"))
        for _ in range(turns % 8):
            await asyncio.sleep(0)
        if turns % 2:
            await asyncio.sleep(0.002)
        asked.cancel()
        assert (await rcon.command("time query day")).startswith("The time is ")
        assert (await rcon.command("list")).startswith("There are ")


async def test_the_number_of_forks_of_one_command_is_limited(rcon):
    for _ in range(41):  # 41³ is more than 65,536
        await rcon.command("summon armor_stand 0 160 0")
    line = "execute as @e[type=armor_stand] run execute as @e as @e as @e run seed"
    assert await rcon.command(line) == "Maximum number of contexts (65536) reached"
    assert await rcon.command("kill @e[type=armor_stand]") == "Killed 41 entities"


async def test_adjacent_items_merge_into_one_stack(rcon):
    await rcon.command("kill @e[type=item]")
    await rcon.command("setblock 40 160 40 stone")
    for count in (2, 3):
        await rcon.command(f"summon item 40.4 161 40.4 {{Item:{{id:dirt,Count:{count}b}}}}")
    await eventually(rcon, "data get entity @e[type=item,limit=1] Item", "Count: 5b")
    assert await rcon.command("kill @e[type=item]") == "Killed Dirt"


async def test_dropped_items_vanish_after_five_minutes(rcon):
    await rcon.command("setblock 40 160 40 stone")
    await rcon.command("summon item 40.4 161 40.4 {Item:{id:dirt,Count:1b},Age:5990s}")
    await eventually(rcon, "data get entity @e[type=item,limit=1] Age", "No entity was found")


async def test_unsupported_sand_falls_and_torches_break(rcon):
    await rcon.command("kill @e[type=item]")
    for line in ("fill 40 158 40 41 158 40 stone", "setblock 40 160 40 stone"):
        await rcon.command(line)
    await rcon.command("setblock 40 170 40 sand")
    await rcon.command("setblock 40 171 40 stone")  # a change next to it triggers its update
    await eventually(rcon, "execute if block 40 161 40 sand", "Test passed")
    await rcon.command("setblock 41 160 40 wall_torch[facing=east]")
    await rcon.command("setblock 40 160 40 air")
    await eventually(rcon, "data get entity @e[type=item,limit=1] Item", "minecraft:torch")
    await eventually(rcon, "execute if block 40 159 40 sand", "Test passed")


async def eventually(rcon, line, part):
    async with asyncio.timeout(120):
        while part not in await rcon.command(line):
            await asyncio.sleep(0.05)
