"""Starts and stops Paper through docker-compose.yml."""

from __future__ import annotations

import os
import shutil
import subprocess
import time

import docker
import docker.errors

from server.embedded_server import StartError
from server.state import ROOT, ServerState, log_file, new_password, server_folder

COMPOSE_FILE = ROOT / "docker-compose.yml"
ENGINE_TIMEOUT_S = 5
SERVICE = "minecraft"


def why_unavailable() -> str | None:
    """Why Paper cannot be started here, in words, or None where it can."""
    try:
        client = docker.from_env(timeout=ENGINE_TIMEOUT_S)
        client.ping()
    except (docker.errors.DockerException, OSError):
        return "no Docker engine answers"
    if shutil.which("docker") is None:
        return "a Docker engine answers, but there is no docker command"
    compose = subprocess.run(["docker", "compose", "version"], capture_output=True, check=False)
    if compose.returncode != 0:
        return "a Docker engine answers, but docker has no compose plugin"
    return None


def start(host: str, port: int, rcon_port: int) -> ServerState:
    """Start Paper and wait until it is healthy.

    Raises:
        StartError: Compose failed; its output is in the log.
    """
    password = new_password()
    with log_file().open("ab") as log:
        done = subprocess.run(
            [*_compose(), "up", "--detach", "--wait"],
            env=_environment(host, port, rcon_port, password),
            stdout=log,
            stderr=subprocess.STDOUT,
            check=False,
        )
    if done.returncode != 0:
        raise StartError(f"docker compose failed; its output: {log_file()}")
    return ServerState(
        kind="paper", host=host, port=port, rcon_port=rcon_port, pid=None, started=time.time()
    )


def stop(state: ServerState) -> None:
    """Stop Paper; its world stays in the Docker volume."""
    subprocess.run(
        [*_compose(), "down"],
        env=_environment(state.host, state.port, state.rcon_port, ""),
        check=False,
        capture_output=True,
    )


def logs(follow: bool) -> list[str]:
    """The command that shows Paper's log."""
    return [*_compose(), "logs", *(["--follow"] if follow else []), SERVICE]


def _compose() -> list[str]:
    return ["docker", "compose", "--file", str(COMPOSE_FILE), "--project-name", _project()]


def _project() -> str:
    """One Compose project a server folder, so that several servers do not mix."""
    return "voxpolis" if server_folder().name == "server" else f"voxpolis-{server_folder().name}"


def _environment(host: str, port: int, rcon_port: int, password: str) -> dict[str, str]:
    return {
        **os.environ,
        "VOXPOLIS_BIND": host,
        "VOXPOLIS_PORT": str(port),
        "VOXPOLIS_RCON_PORT": str(rcon_port),
        "VOXPOLIS_RCON_PASSWORD": password,
    }
