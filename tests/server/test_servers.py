"""Servers: starting, ending and using them, the doctor, and real bots on the embedded one."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys

import psutil
import pytest
import pytest_asyncio

from tests.conftest import ROOT, UP, run_module
from voxpolis import environment
from voxpolis.bridge import Bridge, MinecraftWorld
from voxpolis.server import Rcon, paper
from voxpolis.server.state import StartError, password_file, read_password


@pytest.fixture
def elsewhere(tmp_path):
    """Use a different server folder, as on another machine."""
    return {"VOXPOLIS_SERVER": str(tmp_path / "elsewhere")}


def use(server, elsewhere, password, *options):
    return run_module(
        "server",
        "use",
        server.host,
        *["--port", str(server.port), "--rcon-port", str(server.rcon_port), *options],
        **elsewhere,
        VOXPOLIS_RCON_PASSWORD=password,
    )


def test_a_remote_server_can_be_used_and_is_left_running(server, elsewhere):
    used = use(server, elsewhere, read_password())
    assert used.returncode == 0, used.stderr
    status = json.loads(run_module("server", "status", "--json", **elsewhere).stdout)
    assert (status["kind"], status["port"]) == ("remote", server.port)
    assert status["terrain"] == "superflat"  # detected from the world
    assert "There are 0" in run_module("server", "command", "list", **elsewhere).stdout
    forgotten = run_module("server", "down", **elsewhere)
    assert "still running" in forgotten.stderr
    assert run_module("server", "status", **elsewhere).returncode == 1
    assert run_module("server", "status").returncode == 0


@pytest.mark.parametrize(
    ("line", "kind"),
    [("crafting_tree", "embedded"), ("items --world minecraft --runs 1", "remote")],
)
def test_a_scenario_that_needs_natural_land_is_refused_on_flat_land(
    server, elsewhere, tmp_path, line, kind
):
    there = {}
    if kind == "remote":
        there = elsewhere
        assert use(server, elsewhere, read_password()).returncode == 0
    out = ["--out", str(tmp_path / "runs")]
    refused = run_module(*f"scenarios.{line}".split(), *out, **there)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "needs natural terrain, and the server's is flat" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert not (tmp_path / "runs").exists()


def checkout_at(folder):
    """Return a checkout that shares its files with this one but has separate state."""
    folder.mkdir()
    for path in ROOT.iterdir():
        if path.name not in (".voxpolis", ".env", ".git", "runs"):
            (folder / path.name).symlink_to(path)

    def server(*arguments: str) -> subprocess.CompletedProcess[str]:
        own = {**os.environ, "DOCKER_HOST": "unix:///nonexistent.sock"}
        del own["VOXPOLIS_SERVER"]
        command = [sys.executable, "-m", "server", *arguments]
        return subprocess.run(
            command, cwd=folder, env=own, capture_output=True, text=True, check=False
        )

    return server


def test_a_copied_checkout_does_not_affect_the_originals_servers(server, tmp_path):
    original, copy = checkout_at(tmp_path / "original"), checkout_at(tmp_path / "copy")
    assert original(*UP).returncode == 0
    try:
        shutil.copytree(tmp_path / "original" / ".voxpolis", tmp_path / "copy" / ".voxpolis")
        status = copy("status")
        assert (status.returncode, len(status.stdout.splitlines())) == (1, 1)
        assert status.stdout.startswith("no server is running")
        assert json.loads(copy("status", "--json").stdout) == {"running": False, "others": []}
        assert "server         none is running" in copy("doctor").stdout
        assert copy("down").stderr == "no server is running\n"
        assert original("status").returncode == 0
    finally:
        assert "stopped" in original("down").stderr


def test_a_wrong_or_missing_password_gives_one_line(server, elsewhere):
    wrong = use(server, elsewhere, "wrong")
    assert wrong.returncode == 2
    assert "RCON" in wrong.stderr
    missing = use(server, elsewhere, "")
    assert missing.returncode == 2
    assert "set VOXPOLIS_RCON_PASSWORD" in missing.stderr
    assert run_module("server", "status", **elsewhere).returncode == 1


def test_the_doctor_also_checks_the_running_server(server):
    found = run_module("server", "doctor")
    assert found.returncode == 0, found.stdout
    names = ("server", "RCON", "join", "chat", "commands", "Node packages")
    assert all(f"ok  {name}" in found.stdout for name in names)
    assert found.stdout.count("ok  join") == 2


@pytest.mark.parametrize(
    "arguments",
    [
        ["up", "--port", "70000"],
        ["up", "--spede", "2"],
        ["up", "--kind", "embedded", "--port", "25999", "--rcon-port", "25999"],
        ["nonsense"],
    ],
    ids=" ".join,
)
def test_invalid_options_give_one_line(tmp_path, arguments):
    wrong = run_module("server", *arguments, VOXPOLIS_SERVER=str(tmp_path / "none"))
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("error: ")
    assert len(wrong.stderr.splitlines()) == 1


# Delays each start of Node, so that even a late Ctrl-C arrives in time.
HOLD = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100_000)"


def test_ctrl_c_during_a_start_leaves_no_server_behind(tmp_path):
    hold = tmp_path / "hold.cjs"
    hold.write_text(HOLD)
    command = [sys.executable, "-m", "server", "up", "--kind", "embedded"]
    process = subprocess.Popen(
        [*command, "--port", "0", "--rcon-port", "0"],
        cwd=ROOT,
        env={**os.environ, "VOXPOLIS_SERVER": str(tmp_path), "NODE_OPTIONS": f"--require={hold}"},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr.readline() == "starting the embedded server (as asked)\n"
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert (process.returncode, said) == (130, "")
    lines = [" ".join(p.info["cmdline"] or ()) for p in psutil.process_iter(["cmdline"])]
    assert not [line for line in lines if str(tmp_path) in line]


def test_papers_password_is_created_once_and_readable_only_by_its_owner(tmp_path, monkeypatch):
    monkeypatch.setattr(paper, "ENV_FILE", tmp_path / ".env")
    password = paper.env_password()
    assert len(password) >= 24
    assert paper.env_password() == password
    assert stat.S_IMODE(os.stat(tmp_path / ".env").st_mode) == 0o600
    (tmp_path / ".env").write_text("VOXPOLIS_MEMORY=2G\n")
    with pytest.raises(StartError, match="has no line VOXPOLIS_RCON_PASSWORD"):
        paper.env_password()


def test_paper_without_docker_says_what_to_do(tmp_path):
    nowhere = {"DOCKER_HOST": "unix:///nonexistent.sock", "VOXPOLIS_SERVER": str(tmp_path)}
    refused = run_module("server", "up", "--kind", "paper", **nowhere)
    assert refused.returncode == 2
    assert "no Docker engine answers; use --kind embedded" in refused.stderr


# --- Real bots on the embedded server ------------------------------------------------------------

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
    """Restore an empty platform with both bots on it, empty-handed."""
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


def test_both_ports_listen_only_on_loopback(server):
    """The password is also readable only by its owner."""
    assert stat.S_IMODE(password_file().stat().st_mode) == 0o600
    assert read_password() not in " ".join(psutil.Process(server.pid).cmdline())
    listening = [
        c for c in psutil.Process(server.pid).net_connections("tcp") if c.status == "LISTEN"
    ]
    assert {c.laddr.port for c in listening} == {server.port, server.rcon_port}
    assert {c.laddr.ip for c in listening} == {"127.0.0.1"}


def test_the_error_for_a_taken_port_names_the_process_that_uses_it(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        options = ["up", "--kind", "embedded", "--port", port, "--rcon-port", "0"]
        refused = run_module("server", *options, VOXPOLIS_SERVER=str(tmp_path))
    assert refused.returncode == 2
    assert f"port {port} is taken by python" in refused.stderr
    assert len([line for line in refused.stderr.splitlines() if "error" in line]) == 1


def test_a_killed_server_can_be_restarted_and_a_stopped_one_leaves_nothing(tmp_path):
    folder = {"VOXPOLIS_SERVER": str(tmp_path)}
    run_module("server", *UP, **folder)
    psutil.Process(json.loads((tmp_path / "server.json").read_text())["pid"]).kill()
    assert run_module("server", "status", **folder).returncode == 1
    again = run_module("server", *UP, **folder)
    assert (again.returncode, "ready" in again.stderr) == (0, True), again.stderr
    pid = json.loads((tmp_path / "server.json").read_text())["pid"]
    for _ in range(2):
        assert run_module("server", "down", **folder).returncode == 0
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    assert run_module("server", "status", **folder).returncode == 1
    assert not (tmp_path / "rcon.password").exists()


async def test_only_one_of_two_concurrent_bots_gets_an_item(arena):
    await arena.edit(f"item replace block {CHEST} container.0 with diamond")
    code = "await getItemFromChest(bot, new Vec3(0, 151, 0), {diamond: 1})"
    results = await asyncio.gather(*(arena.bodies[n].run(code, 40) for n in ("Anna", "Bert")))
    held = await arena.inventories(["Anna", "Bert"])
    assert sorted(inventory.get("diamond", 0) for inventory in held.values()) == [0, 1]
    assert sorted(result.status for result in results) == ["done", "error"]


async def test_two_bots_that_fill_a_chest_together_conserve_items(arena):
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


async def test_a_teleport_while_joining_is_not_undone(server, arena):
    """Upstream moves the player back when the client first looks around after joining."""
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


def test_an_idle_client_receives_all_chunks_in_view(server):
    """Mineflayer takes x = -0.5 for chunk 0 and then waits for more than the server's first 36
    chunks, so the other chunks must come although the client neither moves nor looks around.
    """
    command = [environment.node_executable(), "-e", RESTING_CLIENT, server.host, str(server.port)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
