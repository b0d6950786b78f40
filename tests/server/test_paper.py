"""Paper in Docker, with stand-ins for the Docker engine and the `docker` command."""

from __future__ import annotations

import ast
import json
import os
import re
import socket
import stat
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psutil
import pytest
from typer.main import get_command

from tests.conftest import ROOT, run_module
from voxpolis.server import commands, paper, starting

DIGEST = "itzg/minecraft-server@sha256:" + "ab" * 32


@contextmanager
def docker_engine(digests: list[str] | None) -> Iterator[str]:
    """Run a Docker engine that answers a ping and knows one image or none; yield its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            status, answer = 200, {}
            if self.path.endswith("/version"):
                answer = {"ApiVersion": "1.43", "MinAPIVersion": "1.24"}
            elif "/images/" in self.path:
                status = 404 if digests is None else 200
                answer = {"Id": "sha256:1", "message": "No such image", "RepoDigests": digests}
            body = b"OK" if self.path.endswith("/_ping") else json.dumps(answer).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_HEAD(self):
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args):
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as engine:
        threading.Thread(target=engine.serve_forever, daemon=True).start()
        yield f"tcp://127.0.0.1:{engine.server_port}"
        engine.shutdown()


@pytest.mark.parametrize(
    ("digests", "said"),
    [([DIGEST], f"-java21 ({DIGEST})"), (None, "-java21 is not downloaded yet")],
)
def test_the_image_name_includes_its_digest(monkeypatch, digests, said):
    with docker_engine(digests) as address:
        monkeypatch.setenv("DOCKER_HOST", address)
        assert paper.describe_image().endswith(said)
    assert paper.describe_image() is None


# A `docker` command that logs its arguments; `compose up` does what the test requires.
DOCKER = """#!{python}
import os, sys, time
arguments = sys.argv[1:]
with open({calls!r}, "a") as calls:
    print(os.getpid(), *arguments, file=calls)
    if "up" in arguments:
        print("variables", {{k: v for k, v in os.environ.items() if "VOXPOLIS" in k}}, file=calls)
if "up" in arguments:
    print({said!r}, file=sys.stderr, flush=True)
    time.sleep({sleep_s})
    sys.exit(1)
if "logs" in arguments:
    print({logged!r})
"""


@pytest.fixture
def docker(tmp_path, monkeypatch):
    """Put a stand-in for `docker` on the path; return a function that lists its calls."""
    monkeypatch.setenv("VOXPOLIS_SERVER", str(tmp_path / "server"))
    calls = tmp_path / "calls"

    def install(said: str, sleep_s: float = 0, logged: str = "") -> None:
        folder = tmp_path / "bin"
        folder.mkdir()
        script = folder / "docker"
        given = {"calls": str(calls), "said": said, "sleep_s": sleep_s, "logged": logged}
        script.write_text(DOCKER.format(python=sys.executable, **given))
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    had_password = paper.ENV_FILE.exists()
    install.calls = lambda: [line.split(" ", 1) for line in calls.read_text().splitlines()]
    with docker_engine(None) as address:
        monkeypatch.setenv("DOCKER_HOST", address)
        yield install
    run_module("server", "down")
    if not had_password:
        paper.ENV_FILE.unlink(missing_ok=True)


def up(*options: str) -> tuple[int, list[str]]:
    """Run `server up` on free ports; return its exit code and its output lines."""
    with socket.socket() as one, socket.socket() as two:
        one.bind(("127.0.0.1", 0))
        two.bind(("127.0.0.1", 0))
        ports = [str(one.getsockname()[1]), str(two.getsockname()[1])]
    typed = ["--port", ports[0], "--rcon-port", ports[1], *options]
    done = run_module("server", "up", *typed)
    return done.returncode, done.stderr.splitlines()


NO_HOST = 'Error response from daemon: Get "https://registry/v2/": dial tcp: no such host'


@pytest.mark.parametrize(
    ("said", "logged", "cause"),
    [
        (NO_HOST, "", "the image cannot be downloaded"),
        ("Bind for 127.0.0.1:25565 failed: port is already allocated", "", "a port is taken"),
        ("container exited (1)", "[init] [ERROR] Failed to download paper", "Paper cannot be down"),
        ("something else", "", r"docker compose failed \(something else\)"),
    ],
)
def test_a_failed_start_of_paper_gives_one_line_with_the_likely_cause(docker, said, logged, cause):
    docker(said, logged=logged)
    code, lines = up("--kind", "paper")
    assert code == 2
    assert lines[0] == "starting the paper server (as asked)"
    assert re.match(f"error: Paper did not start: {cause}", lines[1])
    assert len(lines) == 2


def test_auto_starts_the_embedded_server_if_paper_fails(docker):
    docker(NO_HOST)
    code, lines = up("--terrain", "superflat")
    assert code == 0
    assert re.search("cannot be downloaded .*; starting the embedded server instead", lines[1])
    assert lines[2].startswith("ready: embedded server")
    # The failed start of Paper is taken down, and only that Compose project.
    asked = [call.split(" ") for _, call in docker.calls() if "--project-name" in call]
    assert [call[-1] for call in asked if "up" in call or "down" in call] == ["--wait", "down"]
    assert len({call[call.index("--project-name") + 1] for call in asked}) == 1


def test_a_start_of_paper_that_hangs_prints_progress_and_ends_at_the_time_limit(docker):
    docker("minecraft Pulling", sleep_s=600)
    code, lines = up("--kind", "paper", "--paper-timeout", "6")
    assert code == 2
    assert re.fullmatch(r"waiting for Paper, \d s so far; minecraft Pulling", lines[1])
    assert "it was not ready after 6 s; last output: minecraft Pulling" in lines[-1]
    calls = docker.calls()
    assert calls[-1][1].endswith(" down")
    (pid,) = [int(pid) for pid, call in calls if " up " in call]
    assert not psutil.pid_exists(pid)


@pytest.mark.parametrize("terrain", ["natural", "superflat"])
def test_paper_keeps_natural_land_in_a_separate_world(docker, terrain):
    docker(NO_HOST)
    assert up("--kind", "paper", "--terrain", terrain)[0] == 2
    (line,) = [call for word, call in docker.calls() if word == "variables"]
    given = ast.literal_eval(line)
    service = (ROOT / "docker-compose.yml").read_text()
    named = dict(re.findall(r"\$\{(VOXPOLIS_\w+):-([^}]*)\}", service))
    land = [
        given.get(f"VOXPOLIS_{name}", named[f"VOXPOLIS_{name}"])
        for name in ("LEVEL_TYPE", "NATURE", "VOLUME")
    ]
    natural, flat = ["minecraft:normal", "true", "natural"], ["minecraft:flat", "false", "world"]
    assert land == (natural if terrain == "natural" else flat)


def test_auto_chooses_the_embedded_server_for_features_that_paper_lacks(docker):
    docker(NO_HOST)
    code, lines = up("--speed", "2", "--terrain", "superflat")
    assert code == 0
    assert lines[0].startswith("starting the embedded server (--speed needs")


def test_paper_refuses_the_options_that_say_that_they_are_only_for_the_embedded_server():
    options = {one.opts[0]: one for one in get_command(commands.app).commands["up"].params}
    embedded = {flag for flag, one in options.items() if "(embedded)" in (one.help or "")}
    for flag, one in options.items():
        value = "0" if "port" in flag else "2"
        default = starting.StartRequest("paper", "127.0.0.1", 1, 2, "1", 1, "natural", None, False)
        why = starting._unsupported_by_paper(replace(default, typed={one.name: value}))
        assert (why is not None) == (flag in embedded), flag
        assert why is None or why.startswith(flag)


def test_each_server_folder_has_a_separate_compose_project(tmp_path, monkeypatch):
    names = set()
    for folder in ("one/server", "two/server"):
        monkeypatch.setenv("VOXPOLIS_SERVER", str(tmp_path / folder))
        names.add(" ".join(paper.logs(False)))
    assert len(names) == 2
