"""What others wrote for Minecraft servers: plugins of Mineflayer, and libraries that ask for the
status or speak RCON. Each is used as its README has it."""

from __future__ import annotations

import json
import os
import subprocess

import pytest
from mcrcon import MCRcon
from mcstatus import JavaServer
from mctools import PINGClient, QUERYClient, RCONClient

from tests.conftest import ROOT
from voxpolis.environment import node_executable
from voxpolis.server.state import read_password

#: tests/plugins/examples.mjs, and the packages that each needs.
EXAMPLES = {
    "comes": "pathfinder",
    "follows": "pathfinder",
    "collects": "collectblock",
    "equips": "tool",
    "fights": "pvp",
    "eats": "auto-eat",
    "arms": "armor-manager",
    "states": "statemachine",
}
MOTD = "voxpolis embedded server"


@pytest.fixture(scope="module")
def played(server):
    """What came of each example: an error, or nothing."""
    done = subprocess.run(
        [
            node_executable(),
            str(ROOT / "tests" / "plugins" / "main.mjs"),
            *[server.host, str(server.port), str(server.rcon_port)],
        ],
        env={**os.environ, "VOXPOLIS_RCON_PASSWORD": read_password()},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stdout + done.stderr
    return {line["name"]: line["error"] for line in lines}


@pytest.mark.parametrize("example", EXAMPLES, ids=EXAMPLES.values())
def test_an_example_of_a_plugin_runs(played, example):
    assert played[example] == ""


def test_each_example_is_looked_at(played):
    assert played.keys() == EXAMPLES.keys()


def test_mcstatus(server):
    java = JavaServer.lookup(f"{server.host}:{server.port}")
    status = java.status()
    assert (status.version.name, status.version.protocol) == ("1.20.4", 765)
    assert (status.players.online, status.players.max) == (0, 2000)
    assert status.motd.to_plain() == MOTD
    assert java.ping() > 0
    query = java.query()
    assert (query.software.version, query.map_name, query.players.list) == ("1.20.4", "world", [])


def test_mcrcon(server):
    with MCRcon(server.host, read_password(), port=server.rcon_port) as client:
        assert client.command("time set 6000") == "Set the time to 6000"
        assert client.command("seed") == "Seed: [1]"
        assert client.command("nonsense").startswith("Unknown or incomplete command")


def test_mctools(server):
    ping = PINGClient(server.host, port=server.port)
    assert ping.ping() > 0
    assert ping.get_stats()["version"] == {"name": "1.20.4", "protocol": 765}
    ping.stop()
    query = QUERYClient(server.host, port=server.port)
    assert query.get_full_stats()["numplayers"] == query.get_basic_stats()["numplayers"] == "0"
    query.stop()
    rcon = RCONClient(server.host, port=server.rcon_port)
    assert not rcon.login("wrong")
    rcon.stop()
    rcon = RCONClient(server.host, port=server.rcon_port)
    assert rcon.login(read_password())
    assert "Set the time to 7000" in rcon.command("time set 7000")
    rcon.stop()
