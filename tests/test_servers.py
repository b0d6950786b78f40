"""Servers that are not ours to start: one that runs elsewhere, Paper's secret, the doctor."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import time

import psutil
import pytest

from tests.conftest import ROOT, UP, run_module
from voxpolis.server import paper
from voxpolis.server.embedded_server import WorldOptions
from voxpolis.server.state import StartError, read_password, read_state


@pytest.fixture
def elsewhere(tmp_path):
    """Another server folder, as on another machine."""
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


def test_a_server_that_runs_elsewhere_can_be_used_and_is_left_running(server, elsewhere):
    used = use(server, elsewhere, read_password())
    assert used.returncode == 0, used.stderr
    status = json.loads(run_module("server", "status", "--json", **elsewhere).stdout)
    assert (status["kind"], status["port"]) == ("remote", server.port)
    assert status["terrain"] == "superflat"  # the world shows it
    assert "There are 0" in run_module("server", "command", "list", **elsewhere).stdout
    forgotten = run_module("server", "down", **elsewhere)
    assert "it runs on" in forgotten.stderr
    assert run_module("server", "status", **elsewhere).returncode == 1
    assert run_module("server", "status").returncode == 0


NEEDS_LAND = ["crafting_tree", "items --world minecraft --runs 1"]


@pytest.mark.parametrize("kind", ["embedded", "remote"])
@pytest.mark.parametrize("line", NEEDS_LAND)
def test_what_needs_land_is_refused_where_it_is_flat(server, elsewhere, tmp_path, line, kind):
    there = {}
    if kind == "remote":
        there = elsewhere
        assert use(server, elsewhere, read_password()).returncode == 0
    out = ["--out", str(tmp_path / "runs")]
    refused = run_module(*f"scenarios.{line}".split(), *out, **there)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "needs natural land, and the server's land is flat" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1
    assert not (tmp_path / "runs").exists()


def checkout_at(folder):
    """A checkout that shares its files with this one, and has a state of its own."""
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


def test_a_copied_checkout_leaves_the_originals_servers_alone(server, tmp_path):
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


def test_a_process_that_got_the_servers_number_is_not_the_server(tmp_path):
    folder = {"VOXPOLIS_SERVER": str(tmp_path)}
    assert run_module("server", *UP, **folder).returncode == 0
    file = tmp_path / "server.json"
    state = json.loads(file.read_text())
    psutil.Process(state["pid"]).terminate()
    file.write_text(json.dumps({**state, "pid": os.getpid()}))
    assert not read_state(tmp_path).is_process_alive()
    assert run_module("server", "down", **folder).stderr == "no server is running\n"


def test_one_can_say_what_land_a_remote_server_has(server, elsewhere):
    assert use(server, elsewhere, read_password(), "--terrain", "natural").returncode == 0
    status = json.loads(run_module("server", "status", "--json", **elsewhere).stdout)
    assert status["terrain"] == "natural"


@pytest.mark.parametrize("scenario", ["crafting_tree", "items"])
def test_a_sweep_of_what_needs_land_names_the_setting(tmp_path, scenario):
    plan = tmp_path / "plan.yaml"
    text = f"{{scenario: {scenario}, world: minecraft, seeds: [0], conditions: {{one: {{}}}}}}"
    plan.write_text(text)
    refused = run_module("experiments", "sweep", str(plan), "--out", str(tmp_path / "out"))
    assert refused.returncode == 2
    assert "conditions.one: it needs natural land" in refused.stderr


def test_a_wrong_or_missing_password_is_refused_in_one_line(server, elsewhere):
    wrong = use(server, elsewhere, "wrong")
    assert wrong.returncode == 2
    assert "RCON" in wrong.stderr
    missing = use(server, elsewhere, "")
    assert missing.returncode == 2
    assert "set VOXPOLIS_RCON_PASSWORD" in missing.stderr
    assert run_module("server", "status", **elsewhere).returncode == 1


def test_the_doctor_tries_the_running_server(server):
    found = run_module("server", "doctor")
    assert found.returncode == 0, found.stdout
    names = ("server", "RCON", "join", "chat", "commands", "Node packages")
    assert all(f"ok  {name}" in found.stdout for name in names)
    assert found.stdout.count("ok  join") == 2


#: Gives the embedded server a limit of Bukkit's or vanilla's: on joins, on lines of chat.
LIMITS = {
    "join": """
        const protocol = createRequire(base)('minecraft-protocol')
        const { createServer } = protocol
        let last = 0
        protocol.createServer = (options) => createServer(options).on('connection', (client) => {
            const logIn = client.listeners('login_start')
            client.removeAllListeners('login_start')
            client.once('login_start', (packet) => {
                const isTooSoon = Date.now() - last < 4000 && packet.username === 'ConformD'
                last = Date.now()
                if (isTooSoon) return client.end('Connection throttled!')
                for (const listener of logIn) listener.call(client, packet)
            })
        })""",
    "chat": """
        const { Spam } = await import(new URL('server/embedded/players/chat.js', base))
        Spam.prototype.isTooMuch = function () { return ++this.said > 10 }""",
}


@pytest.mark.parametrize(
    ("limit", "said"), [("join", "Connection throttled"), ("chat", "disconnect.spam")]
)
def test_a_server_that_throttles_is_told_by_doctor_and_conformance(
    tmp_path, monkeypatch, limit, said
):
    hook = tmp_path / "limit.mjs"
    base = f"const base = {json.dumps((ROOT / 'x').as_uri())}"
    hook.write_text(f"import {{ createRequire }} from 'node:module'\n{base}\n{LIMITS[limit]}\n")
    monkeypatch.setenv("VOXPOLIS_SERVER", str(tmp_path / "server"))
    started = run_module("server", *UP, NODE_OPTIONS=f"--import={hook.as_uri()}")
    assert started.returncode == 0, started.stderr
    try:
        doctor = run_module("server", "doctor")
        conformance = run_module("server", "conformance", "--only", f"{limit}: tw")
    finally:
        run_module("server", "down")
    assert doctor.returncode == 1
    (wrong,) = [line for line in doctor.stdout.splitlines() if line.startswith("NO")]
    assert wrong.split()[1] == limit
    assert said in wrong
    assert conformance.returncode == 1
    assert said in conformance.stdout
    assert "0 of 1 checks passed" in conformance.stdout


def test_the_doctor_says_what_to_do(tmp_path):
    nowhere = {"VOXPOLIS_SERVER": str(tmp_path), "DOCKER_HOST": "unix:///nonexistent.sock"}
    found = run_module("server", "doctor", **nowhere)
    assert "--  Docker" in found.stdout
    assert "→ start one with: make server" in found.stdout


def test_up_with_other_options_than_the_running_servers_is_refused_in_one_line(server):
    for same in ([], ["--kind", "embedded", "--seed", "1", "--port", "0", "--speed", "1.0"]):
        again = run_module("server", "up", *same)
        assert again.returncode == 0
        assert again.stderr.startswith("already running: embedded server")
    others = ("--speed 7", "--terrain natural", "--port 1", "--seed 2", "--no-monsters")
    for typed in others:
        other = run_module("server", "up", *typed.split())
        assert (other.returncode, other.stdout) == (2, "")
        assert other.stderr.startswith(f"error: already running, without {typed}: ")
        assert len(other.stderr.splitlines()) == 1
    assert run_module("server", "status").returncode == 0


def test_monsters_come_unless_the_server_is_started_without():
    assert "--no-monsters" not in WorldOptions().flags()
    assert "--no-monsters" in WorldOptions(monsters=False).flags()


def test_what_the_server_refuses_is_printed_and_is_an_exit_code(server):
    refused = run_module("server", "command", "nonsense")
    assert (refused.returncode, refused.stderr) == (1, "")
    assert refused.stdout.startswith("Unknown or incomplete command")


@pytest.mark.parametrize(
    "arguments",
    [
        ["up", "--port", "70000"],
        ["up", "--rcon-port", "-1"],
        ["up", "--kind", "fast"],
        ["up", "--spede", "2"],
        ["up", "--speed", "1000"],
        ["up", "--kind", "embedded", "--port", "25999", "--rcon-port", "25999"],
        ["command"],
        ["nonsense"],
        ["logs", "--lines", "some"],
    ],
    ids=" ".join,
)
def test_what_is_typed_wrong_is_told_in_one_line(tmp_path, arguments):
    wrong = run_module("server", *arguments, VOXPOLIS_SERVER=str(tmp_path / "none"))
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert wrong.stderr.startswith("error: ")
    assert len(wrong.stderr.splitlines()) == 1


#: What holds up each start of Node: whoever is slow to press Ctrl-C still comes in time.
HOLD = "Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100_000)"


@pytest.mark.parametrize("wait_s", [0, 0.2])
def test_ctrl_c_while_a_server_starts_leaves_none_behind(tmp_path, wait_s):
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
    time.sleep(wait_s)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert (process.returncode, said) == (130, "")
    lines = [" ".join(p.info["cmdline"] or ()) for p in psutil.process_iter(["cmdline"])]
    assert not [line for line in lines if str(tmp_path) in line]


def test_a_port_that_is_taken_is_told_with_what_to_type(server, tmp_path):
    nowhere = {"VOXPOLIS_SERVER": str(tmp_path / "none")}
    options = ["--kind", "embedded", "--port", "0", "--rcon-port", str(server.port)]
    taken = run_module("server", "up", *options, **nowhere)
    assert taken.returncode == 2
    advised = re.search(r"choose another: --rcon-port (\d+) \(make server (\S+)\)", taken.stderr)
    assert advised is not None, taken.stderr
    assert advised[2] == f"RCON_PORT={advised[1]}"
    command = ["make", "--dry-run", "server", advised[2], "SPEED=3"]
    make = subprocess.check_output(command, cwd=ROOT, text=True, env={**os.environ, "PORT": "1"})
    (started,) = [line for line in make.splitlines() if " -m server up" in line]
    assert started.split(" up ")[1].split() == ["--rcon-port", advised[1], "--speed", "3"]


def test_papers_password_is_made_once_and_for_its_owner_only(tmp_path, monkeypatch):
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
