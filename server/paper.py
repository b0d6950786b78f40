"""Starts and stops Paper through docker-compose.yml."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import environment
from server.embedded_server import StartError
from server.state import ServerState, log_file, server_folder, write_password

if TYPE_CHECKING:
    import docker

COMPOSE_FILE = Path(environment.PROJECT) / "docker-compose.yml"
ENGINE_TIMEOUT_S = 5
SERVICE = "minecraft"
ENV_FILE = COMPOSE_FILE.with_name(".env")
PASSWORD = "VOXPOLIS_RCON_PASSWORD"


def _engine() -> docker.DockerClient | None:
    """Connect to the Docker engine; return None if none answers."""
    import docker  # noqa: PLC0415  (commands on other servers need not wait for it to load)
    import docker.errors  # noqa: PLC0415

    try:
        client = docker.from_env(timeout=ENGINE_TIMEOUT_S)
        client.ping()
    except (docker.errors.DockerException, OSError):
        return None
    return client


def describe_image() -> str | None:
    """Return Paper's image with its digest, or None if no Docker engine answers."""
    import docker.errors  # noqa: PLC0415

    client = _engine()
    if client is None:
        return None
    match = re.search(r"^    image: (\S+)$", COMPOSE_FILE.read_text(), re.MULTILINE)
    assert match is not None
    try:
        digests = client.images.get(match[1]).attrs.get("RepoDigests") or ["no digest: built here"]
    except docker.errors.ImageNotFound:
        return f"{match[1]} is not pulled yet"
    except (docker.errors.DockerException, OSError) as error:
        return f"{match[1]}: the Docker engine does not say: {error}"
    return f"{match[1]} ({digests[0]})"


def why_unavailable() -> str | None:
    """Return why Paper cannot be started here, or None if it can."""
    if _engine() is None:
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
    environment.unpack()
    password = env_password()
    write_password(password)
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


def env_password() -> str:
    """The RCON password of Paper, from ``.env``, which is made where there is none.

    Compose reads the same file, so that ``docker compose up`` by itself works with it, on another
    machine too. It is readable by its owner only and never committed.

    Raises:
        StartError: the file is there and has no password.
    """
    if ENV_FILE.exists():
        match = re.search(rf"^{PASSWORD}=(\S+)$", ENV_FILE.read_text(), re.MULTILINE)
        if match is None:
            raise StartError(f"{ENV_FILE} has no line {PASSWORD}=…; add one, or remove the file")
        return match[1]
    password = secrets.token_urlsafe(24)
    ENV_FILE.touch(mode=0o600)
    ENV_FILE.write_text(f"{PASSWORD}={password}\nVOXPOLIS_MEMORY=2G\n")
    return password


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
