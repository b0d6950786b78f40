"""The embedded server, by its own command line, RCON, and real Mineflayer bots."""

from __future__ import annotations

import asyncio
import json
import socket
import stat
import subprocess

import psutil
import pytest
import pytest_asyncio

from tests.conftest import ROOT, UP, run_module
from voxpolis import environment
from voxpolis.bridge import Bridge, MinecraftWorld, WorldError
from voxpolis.records import events
from voxpolis.server import Rcon, ping
from voxpolis.server.state import log_file, password_file, read_password

FLOOR = [
    "fill -10 150 -10 10 150 10 bedrock",
    "fill -10 151 -10 10 156 10 air",
    "gamerule keepInventory true",
]
CHEST = "0 151 0"


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def rcon(server):
    async with Rcon(server.host, server.rcon_port, read_password()) as rcon:
        yield rcon


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def world(server, rcon):
    async with Bridge() as bridge:
        world = MinecraftWorld(rcon, bridge, server.host, server.port)
        await world.enter(["Anna", "Bert"])
        yield world


@pytest_asyncio.fixture(loop_scope="module")
async def arena(world):
    """An empty platform with both bots on it, empty-handed."""
    await world.reset([*FLOOR, f"setblock {CHEST} chest[facing=south]", "kill @e[type=item]"])
    for name, place in (("Anna", (-3.5, 151, 0.5)), ("Bert", (3.5, 151, 0.5))):
        await world.edit(f"clear {name}")
        await world.edit(f"gamemode survival {name}")
        await world.edit(f"tp {name} {place[0]} {place[1]} {place[2]}")
        await until(lambda n=name, p=place: at(world, n, p))
    return world


async def until(condition, timeout_s=120):
    async with asyncio.timeout(timeout_s):
        while not await condition():
            await asyncio.sleep(0.05)


async def at(world, name, place):
    seen = await world.observe(name)
    return all(abs(a - b) < 0.2 for a, b in zip(seen.position, place, strict=True))


async def run(world, name, code, timeout_s=40):
    result = await world.bodies[name].run(code, timeout_s)
    assert result.status == "done", result
    return result


# --- The command line ----------------------------------------------------------------------------


async def test_it_answers_a_ping(server):
    status = await ping(server.host, server.port)
    assert status.version == "1.20.4"


def test_both_ports_listen_on_loopback_only(server):
    listening = [
        c for c in psutil.Process(server.pid).net_connections("tcp") if c.status == "LISTEN"
    ]
    assert {c.laddr.port for c in listening} == {server.port, server.rcon_port}
    assert {c.laddr.ip for c in listening} == {"127.0.0.1"}


def test_the_password_is_for_its_owner_only(server):
    assert stat.S_IMODE(password_file().stat().st_mode) == 0o600
    assert len(read_password()) >= 24
    assert read_password() not in " ".join(psutil.Process(server.pid).cmdline())


def test_starting_it_twice_is_harmless(server):
    again = run_module("server", *UP)
    assert again.returncode == 0
    assert "already running" in again.stderr


def test_status_names_it(server):
    status = json.loads(run_module("server", "status", "--json").stdout)
    assert status["running"] is True
    assert status["port"] == server.port


def test_a_taken_port_is_named_with_its_owner(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        options = ["up", "--kind", "embedded", "--port", port, "--rcon-port", "0"]
        refused = run_module("server", *options, VOXPOLIS_SERVER=str(tmp_path))
    assert refused.returncode == 2
    assert f"port {port} is taken by python" in refused.stderr
    assert len([line for line in refused.stderr.splitlines() if "error" in line]) == 1


def test_a_stopped_server_is_gone_and_stopping_again_is_harmless(tmp_path):
    folder = {"VOXPOLIS_SERVER": str(tmp_path)}
    started = run_module("server", *UP, **folder)
    assert started.returncode == 0
    pid = json.loads((tmp_path / "server.json").read_text())["pid"]
    for _ in range(2):
        assert run_module("server", "down", **folder).returncode == 0
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    assert run_module("server", "status", **folder).returncode == 1
    assert not (tmp_path / "rcon.password").exists()


def test_a_killed_server_is_started_anew(tmp_path):
    folder = {"VOXPOLIS_SERVER": str(tmp_path)}
    run_module("server", *UP, **folder)
    psutil.Process(json.loads((tmp_path / "server.json").read_text())["pid"]).kill()
    assert run_module("server", "status", **folder).returncode == 1
    again = run_module("server", *UP, **folder)
    assert again.returncode == 0, again.stderr
    assert "ready" in again.stderr
    run_module("server", "down", **folder)


async def test_of_many_the_server_is_asked_by_one_command_and_says_the_same(arena, monkeypatch):
    await arena.edit("give Anna stone 3")
    names, given = ["Anna", "Bert"], []
    alone = await arena.inventories(names), {name: await arena.glance(name) for name in names}
    monkeypatch.setattr("bridge.world.MANY", 2)
    command = arena._commands.command

    async def counted(line):
        given.append(line)
        return await command(line)

    monkeypatch.setattr(arena._commands, "command", counted)
    assert (await arena.inventories(names), await arena.glances(names)) == alone
    assert len(given) == 3
    assert alone[0] == {"Anna": {"stone": 3}, "Bert": {}}


# --- RCON ----------------------------------------------------------------------------------------


#: One after another, with vanilla's answers.
DIALOGUE = [
    ("setblock 0 160 0 stone", "Changed the block at 0, 160, 0"),
    ("setblock 0 160 0 stone", "Could not set the block"),
    ("fill 0 160 0 3 160 3 stone", "Successfully filled 15 block(s)"),
    ("fill 0 160 0 3 160 3 glass replace stone", "Successfully filled 16 block(s)"),
    ("fill 0 160 0 3 162 3 stone keep", "Successfully filled 32 block(s)"),
    ("fill 0 160 0 3 162 3 air", "Successfully filled 48 block(s)"),
    ("fill 0 160 0 3 162 3 air", "No blocks were filled"),
    (
        "fill 0 100 0 100 200 100 stone",
        "Too many blocks in the specified area (maximum 32768, specified 1030301)",
    ),
    ("gamerule keepInventory", "Gamerule keepInventory is currently set to: true"),
    ("time set noon", "Set the time to 6000"),
    ("give nobody stone", "No player was found"),
    ("kill @e[type=zombie]", "No entity was found"),
    ("say hello", ""),
]


async def test_answers_are_vanillas(arena):
    for line, answer in DIALOGUE:
        assert await arena._commands.command(line) == answer, line


@pytest.mark.parametrize(
    "line",
    ["", "nonsense", "setblock 0 150", "setblock 0 150 0 no_such_block", "give Anna no_such_item"],
)
async def test_what_is_malformed_is_refused_and_changes_nothing(arena, line):
    with pytest.raises(WorldError):
        await arena.edit(line)
    assert await arena.inventory("Anna") == {}


async def test_give_and_clear(arena):
    assert await arena.edit("give Anna oak_log 70") == "Gave 70 [Oak Log] to Anna"
    assert await arena.inventory("Anna") == {"oak_log": 70}
    assert await arena.edit("clear Anna oak_log 10") == "Removed 10 item(s) from player Anna"
    assert await arena.edit("clear @a") == "Removed 60 item(s) from 2 players"
    assert await arena.inventory("Anna") == {}


async def test_a_player_is_no_operator(arena):
    """Not by the bridge, which refuses slash commands, but by the server itself."""
    commands = arena._commands
    assert await commands.command("op Anna") == "Made Anna a server operator"
    assert await commands.command("deop Anna") == "Made Anna no longer a server operator"
    assert "Nothing changed" in await commands.command("deop Anna")


# --- Survival, with real bots ------------------------------------------------------------------


async def test_a_chest_is_shared(arena):
    await arena.edit(f"item replace block {CHEST} container.0 with stone_pickaxe")
    await arena.edit(f"item replace block {CHEST} container.5 with cobblestone 20")
    await run(
        arena,
        "Anna",
        "await getItemFromChest(bot, new Vec3(0, 151, 0), {stone_pickaxe: 1, cobblestone: 7})",
    )
    seen = await run(
        arena,
        "Bert",
        "console.log(await checkItemInsideChest(bot, new Vec3(0, 151, 0)))",
    )
    assert json.loads(seen.logs[0]) == {"cobblestone": 13}
    assert await arena.inventory("Anna") == {"stone_pickaxe": 1, "cobblestone": 7}
    await run(
        arena, "Anna", "await depositItemIntoChest(bot, new Vec3(0, 151, 0), {cobblestone: 7})"
    )
    await run(arena, "Bert", "await getItemFromChest(bot, new Vec3(0, 151, 0), {cobblestone: 20})")
    assert await arena.inventory("Bert") == {"cobblestone": 20}


async def test_of_two_at_once_one_gets_the_only_item(arena):
    await arena.edit(f"item replace block {CHEST} container.0 with diamond")
    code = "await getItemFromChest(bot, new Vec3(0, 151, 0), {diamond: 1})"
    results = await asyncio.gather(*(arena.bodies[n].run(code, 40) for n in ("Anna", "Bert")))
    held = await arena.inventories(["Anna", "Bert"])
    assert sorted(inventory.get("diamond", 0) for inventory in held.values()) == [0, 1]
    assert sorted(result.status for result in results) == ["done", "error"]


async def test_two_who_fill_a_chest_at_once_lose_what_they_gave_and_nothing_else(arena):
    kinds = {"Anna": ("coal", "torch", "bread"), "Bert": ("iron_ingot", "cod", "string")}
    for name, items in kinds.items():
        for item in items:
            await arena.edit(f"give {name} {item} 16")
    code = (
        "for (let k = 0; k < 3; k++) await depositItemIntoChest(bot, new Vec3(0, 151, 0), {{{}}})"
    )
    codes = {n: code.format(", ".join(f"{i}: 3" for i in items)) for n, items in kinds.items()}
    await asyncio.gather(*(run(arena, name, code) for name, code in codes.items()))
    held = await arena.inventories(["Anna", "Bert"])
    assert held == {name: dict.fromkeys(items, 7) for name, items in kinds.items()}
    chest = await arena.container((0, 151, 0))
    assert chest == dict.fromkeys((*kinds["Anna"], *kinds["Bert"]), 9)


async def test_the_tool_decides_what_drops(arena):
    await arena.edit("give Anna stone_pickaxe")
    await arena.edit("give Bert iron_pickaxe")
    for x in (-5, 5):
        await arena.edit(f"setblock {x} 151 0 diamond_ore")
    refused = await arena.bodies["Anna"].run("await mineBlock(bot, 'diamond_ore')", 40)
    assert refused.status == "error"
    assert "iron_pickaxe" in refused.error.message
    dig = """
        await goTo(bot, new Vec3({x}, 151, 0), 2)
        const pickaxe = bot.inventory.items().find((item) => item.name.endsWith('pickaxe'))
        await bot.equip(pickaxe, 'hand')
        await bot.dig(bot.blockAt(new Vec3({x}, 151, 0)), true)
        await bot.waitForTicks(40)
        await goTo(bot, new Vec3({x}, 151, 0), 0)
        await bot.waitForTicks(10)
    """
    await run(arena, "Anna", dig.format(x=-5))
    await run(arena, "Bert", dig.format(x=5))
    held = await arena.inventories(["Anna", "Bert"])
    assert held == {"Anna": {"stone_pickaxe": 1}, "Bert": {"iron_pickaxe": 1, "diamond": 1}}


async def test_what_is_tossed_can_be_picked_up(arena):
    await arena.edit("give Anna cobblestone 5")
    await arena.edit("tp Bert -3.5 151 3.5")
    await run(
        arena,
        "Anna",
        "await bot.lookAt(new Vec3(-3.5, 152, 3.5), true)\n"
        "await bot.waitForTicks(5)\n"
        "await bot.tossStack(bot.inventory.items()[0])\n"
        "await goTo(bot, new Vec3(8, 151, 8), 1)",
    )
    await run(arena, "Bert", "await goTo(bot, new Vec3(-4, 151, 2), 0)")
    await until(lambda: holds(arena, "Bert", {"cobblestone": 5}))
    assert await arena.inventory("Anna") == {}


async def holds(world, name, items):
    return await world.inventory(name) == items


async def test_a_placed_block_is_taken_from_the_inventory(arena):
    await arena.edit("give Anna cobblestone 2")
    await run(arena, "Anna", "await placeItem(bot, 'cobblestone', new Vec3(-2, 151, 2))")
    await until(lambda: holds(arena, "Anna", {"cobblestone": 1}))
    answer = await arena._commands.command("setblock -2 151 2 cobblestone")
    assert answer == "Could not set the block"


async def test_who_comes_back_has_what_they_had(arena):
    await arena.edit("give Bert cobblestone 3")
    killed = await arena.bodies["Bert"].run("while (true) {}", 1)
    assert killed.status == "killed"
    assert await arena.inventory("Bert") == {"cobblestone": 3}
    assert (await arena.observe("Bert")).inventory == {"cobblestone": 3}


async def test_players_see_each_other_as_players(arena):
    seen = await arena.observe("Anna")
    assert "Bert" in [entity.name for entity in seen.nearby_entities]


async def test_nothing_malformed_was_sent(arena):
    """Clients that cannot read a packet print it; the bridge turns prints into log events."""
    await arena.edit("setblock -4 151 1 stone")
    printed = []

    async def listen():
        async for event in arena.bridge.events():
            if isinstance(event, events.Log):
                printed.append(event.text)

    listener = asyncio.create_task(listen())
    await run(
        arena,
        "Anna",
        "await bot.dig(bot.blockAt(new Vec3(-4, 151, 1)), true)\n"
        f"await checkItemInsideChest(bot, new Vec3({CHEST.replace(' ', ', ')}))",
    )
    listener.cancel()
    assert printed == []
    assert "Serialization error" not in log_file().read_text()


async def test_a_teleport_while_joining_is_not_undone(server, arena):
    """Upstream ends a login by sending the player back, when the client first looks around."""
    for place in ((7.5, 151, 7.5), (-7.5, 151, 7.5)):
        late = await arena.bridge.spawn("Late", server.host, server.port)
        await arena.edit(f"tp Late {place[0]} {place[1]} {place[2]}")
        await until(lambda p=place: at(arena, "Late", p))
        await run(arena, "Late", "await bot.look(1, 0, true); await bot.waitForTicks(20)")
        assert await at(arena, "Late", place)
        await late.quit()


RESTING_CLIENT = """
const protocol = require('minecraft-protocol')
const [host, port] = process.argv.slice(1)
const who = { username: 'Rest', version: '1.20.4' }
const client = protocol.createClient({ ...who, host, port: Number(port) })
client.on('login', () =>
  client.write('settings', {
    locale: 'en_us', viewDistance: 12, chatFlags: 0, chatColors: true, skinParts: 127,
    mainHand: 1, enableTextFiltering: false, enableServerListing: true
  })
)
let chunks = 0
client.on('position', ({ teleportId }) => client.write('teleport_confirm', { teleportId }))
client.on('map_chunk', () => {
  chunks += 1
  if (chunks === 144) process.exit(0)
})
setTimeout(() => { console.log(chunks, 'chunks'); process.exit(1) }, 40000)
"""


def test_a_client_at_rest_gets_all_chunks_in_view(server):
    """Mineflayer takes x = -0.5 for chunk 0 and then waits for more than the server's first 36
    chunks; the others must come although the client neither moves nor looks around."""
    command = [environment.node_executable(), "-e", RESTING_CLIENT, server.host, str(server.port)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
