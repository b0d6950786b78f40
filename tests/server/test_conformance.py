"""Survival on the embedded server: the conformance checks, and conservation of items."""

from __future__ import annotations

import asyncio
import json
import platform
import re
import socket
from collections import Counter

import pytest
import pytest_asyncio

from tests.conftest import ROOT, run_module
from voxpolis import environment
from voxpolis.bridge.snbt import parse_snbt
from voxpolis.records.vanilla import MINECRAFT_VERSION
from voxpolis.server import Rcon
from voxpolis.server.state import log_file, read_password

# Faster than real time, but slow enough for a busy machine.
SERVER_OPTIONS = ["--speed", "6"]
NAMES = ["Clara", "Claus", "Clive"]
CELL = [
    "kill @e[type=!player]",  # entities of earlier tests must not drop or collect anything
    "fill 98 150 98 102 154 102 glass",
    "fill 99 151 99 101 153 101 air",
    "setblock 100 151 99 chest[facing=south]",
    "setworldspawn 100 151 101",
    "gamerule spawnRadius 0",
]
STOCK = {"dirt": 64, "cobblestone": 60, "stick": 64, "iron_pickaxe": 1, "egg": 16, "apple": 33}
CHEST = "100 151 99"
CLICKS = 1000  # for each of three clients
PREDICTED_CLICKS = 300
TAGGED = [
    "dirt 40",
    "stick 5",
    "iron_pickaxe",
    'potion{Potion:"minecraft:swiftness"}',
    "stick{display:{Name:'\"Rod\"'}} 20",
    'diamond_sword{Damage:3,Enchantments:[{id:"minecraft:sharpness",lvl:2s}]}',
]


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def rcon(server):
    async with Rcon(server.host, server.rcon_port, read_password()) as rcon:
        yield rcon


def test_the_embedded_server_passes_the_conformance_checks(server, tmp_path):
    file = tmp_path / "report.json"
    done = run_module("server", "conformance", "--json", "--report", str(file), timeout=280)
    found = json.loads(done.stdout)
    assert json.loads(file.read_text()) == found
    assert found["server"]["kind"] == "embedded"
    assert MINECRAFT_VERSION in found["server"]["version"]
    assert found["python"] == platform.python_version()
    assert [(c["name"], c["error"]) for c in found["checks"] if not c["ok"]] == []
    assert found["passed"] >= 120
    assert done.returncode == 0


def test_a_report_says_why_the_checks_could_not_run(tmp_path):
    file = tmp_path / "report.json"
    variables = {"VOXPOLIS_RCON_PASSWORD": "any", "VOXPOLIS_SERVER": str(tmp_path)}
    with socket.socket() as silent:  # bound, but not listening
        silent.bind(("127.0.0.1", 0))
        port = str(silent.getsockname()[1])
        where = ["--host", "127.0.0.1", "--port", port, "--rcon-port", port]
        done = run_module("server", "conformance", *where, "--report", str(file), **variables)
    found = json.loads(file.read_text())
    assert (done.returncode, found["passed"], found["server"]["kind"]) == (2, 0, "other")
    assert "ECONNREFUSED" in found["checks"][-1]["error"]


async def test_random_clicks_by_three_clients_conserve_items(server, rcon):
    for line in CELL:
        await rcon.command(line)
    for slot, (item, count) in enumerate(STOCK.items()):
        line = f"item replace block {CHEST} container.{slot} with {item} {count}"
        assert (await rcon.command(line)).startswith("Replaced"), line
    clients = await asyncio.create_subprocess_exec(
        environment.node_executable(),
        str(ROOT / "tests" / "random_clicks.mjs"),
        *[server.host, str(server.port), *CHEST.split(), str(CLICKS), "1", *NAMES],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert await asyncio.wait_for(clients.stdout.readline(), 150) == b"done\n"
        await pick_everything_up(rcon)
        assert await everything(rcon) == STOCK
    finally:
        await rcon.command("clear @a")  # players who leave keep their items
        clients.stdin.close()
        await clients.wait()


@pytest.mark.parametrize("seed", [1, 2])
async def test_clicks_that_a_client_predicts_are_not_corrected(server, rcon, seed):
    clicker = await asyncio.create_subprocess_exec(
        environment.node_executable(),
        str(ROOT / "tests" / "predicted_clicks.mjs"),
        *[server.host, str(server.port), "Clea"],
        *[str(len(TAGGED)), str(PREDICTED_CLICKS), str(seed)],
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    try:
        assert await asyncio.wait_for(clicker.stdout.readline(), 60) == b"joined\n"
        for item in TAGGED:
            answer = await rcon.command(f"give Clea {item}")
            assert answer.startswith("Gave"), answer
        before = await stacks_of(rcon, "Clea")
        assert json.loads(await asyncio.wait_for(clicker.stdout.readline(), 150)) == []
        assert await stacks_of(rcon, "Clea") == before
    finally:
        await rcon.command("clear Clea")
        clicker.stdin.close()
        await clicker.wait()


async def stacks_of(rcon, name):
    """Count a player's items by name and tag."""
    answer = await rcon.command(f"data get entity {name} Inventory")
    counts = Counter()
    for item in parse_snbt(answer.split("data: ", 1)[1]):
        counts[json.dumps([item["id"], item.get("tag")], sort_keys=True)] += item["Count"]
    return counts


async def pick_everything_up(rcon):
    async with asyncio.timeout(120):
        while "has the following" in await rcon.command(
            "data get entity @e[type=item,limit=1] Pos"
        ):
            await rcon.command(f"tp @e[type=item] {NAMES[0]}")
            await asyncio.sleep(0.2)


async def everything(rcon):
    """Count all items in the chest and on the players."""
    targets = [f"block {CHEST} Items", *(f"entity {name} Inventory" for name in NAMES)]
    counts = Counter()
    for target in targets:
        answer = await rcon.command(f"data get {target}")
        for item in parse_snbt(answer.split("data: ", 1)[1]):
            counts[item["id"].removeprefix("minecraft:")] += item["Count"]
    return dict(counts)


def test_every_sent_packet_conforms_to_the_protocol(server):
    log = log_file().read_text()
    assert re.findall(r"strict: .*|cannot be written.*", log) == []
