"""Start and stop a Paper server through docker-compose.yml."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shlex
import shutil
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from voxpolis import environment
from voxpolis.server.state import (
    ServerState,
    StartError,
    log_file,
    password_file,
    server_folder,
    unique_name,
    write_password,
)

if TYPE_CHECKING:
    import docker

COMPOSE_FILE = Path(environment.PROJECT) / "docker-compose.yml"
ENGINE_TIMEOUT_S = 5
# Time limits in seconds: for queries, and for stopping the container.
COMMAND_TIMEOUT_S, DOWN_TIMEOUT_S = 20.0, 120.0
PROGRESS_S = 4.0
SERVICE = "minecraft"
ENV_FILE = COMPOSE_FILE.with_name(".env")
PASSWORD = "VOXPOLIS_RCON_PASSWORD"
# The variables of the Compose file that choose natural land. Its default is flat land.
NATURAL = {
    "VOXPOLIS_LEVEL_TYPE": "minecraft:normal",
    "VOXPOLIS_NATURE": "true",
    "VOXPOLIS_VOLUME": "natural",
}
# Patterns in the output of Compose or of the container, with what they mean. More specific patterns
# come first.
CAUSES = (
    (
        r"port is already allocated|address already in use|ports are not available",
        "a port is taken",
    ),
    (r"no space left on device", "the disk is full"),
    (r"permission denied.*docker", "this user may not use Docker"),
    (r"toomanyrequests|rate limit", "the registry refuses further downloads for now"),
    (r"manifest unknown|manifest for .* not found|no matching manifest", "there is no such image"),
    (
        r"no such host|dial tcp|i/o timeout|tls handshake|network is unreachable|proxyconnect"
        r"|connection refused|temporary failure in name resolution",
        "the image cannot be downloaded",
    ),
    (r"failed to download paper", "Paper cannot be downloaded"),
    (r"OutOfMemory|could not reserve enough space|exited \(137\)", "Java has too little memory"),
    (r"\bERROR\b", "Paper ended with an error"),
    (r"is unhealthy|exited \(\d+\)", "Paper did not become ready"),
)


def _engine() -> docker.DockerClient | None:
    """Connect to the Docker engine. Return None if no engine answers."""
    import docker  # noqa: PLC0415  (commands on other servers need not wait for it to load)
    import docker.errors  # noqa: PLC0415

    try:
        client = docker.from_env(timeout=ENGINE_TIMEOUT_S)
        client.ping()
    except (docker.errors.DockerException, OSError):
        return None
    return client


def describe_image() -> str | None:
    """Return the name and the digest of Paper's image; None if no Docker engine answers."""
    import docker.errors  # noqa: PLC0415

    client = _engine()
    if client is None:
        return None
    match = re.search(r"^    image: (\S+)$", COMPOSE_FILE.read_text(), re.MULTILINE)
    assert match is not None
    try:
        digests = client.images.get(match[1]).attrs.get("RepoDigests") or ["no digest: built here"]
    except docker.errors.ImageNotFound:
        return f"{match[1]} is not downloaded yet"
    except (docker.errors.DockerException, OSError) as error:
        return f"{match[1]}: the Docker engine gives no digest: {error}"
    return f"{match[1]} ({digests[0]})"


def why_unavailable() -> str | None:
    """Return why Paper cannot be started on this machine; None if it can be started."""
    if _engine() is None:
        return "no Docker engine answers"
    if shutil.which("docker") is None:
        return "a Docker engine answers, but there is no docker command"
    command = ["docker", "compose", "version"]
    try:
        subprocess.run(command, capture_output=True, check=True, timeout=COMMAND_TIMEOUT_S)
    except (OSError, subprocess.SubprocessError):
        return "a Docker engine answers, but docker has no compose plugin"
    return None


def start(
    host: str,
    port: int,
    rcon_port: int,
    terrain: str,
    limit_s: float,
    say: Callable[[str], None],
) -> ServerState:
    """Start Paper, and wait until it is healthy. If this fails, remove what was started.

    Args:
        host: the address to which both ports are bound.
        port: the Minecraft port.
        rcon_port: the RCON port.
        terrain: natural or superflat. Each terrain has its own world.
        limit_s: the time limit in seconds for the download and the start together.
        say: is called with a message about the progress every few seconds.

    Raises:
        StartError: Paper did not start. The message names the likely cause; the output of Compose
            is in the log.
    """
    environment.unpack()
    password = env_password()
    write_password(password)
    state = ServerState(
        kind="paper",
        host=host,
        port=port,
        rcon_port=rcon_port,
        pid=None,
        started=time.time(),
        terrain=terrain,
    )
    try:
        _up(_environment(state, password), limit_s, say)
    except BaseException:  # also after Ctrl-C
        take_down(state, say)
        raise
    return state


def _up(variables: dict[str, str], limit_s: float, say: Callable[[str], None]) -> None:
    began, told = time.monotonic(), 0.0
    with log_file().open("ab") as log:
        log_from = log.tell()
        command = [*_compose(), "up", "--detach", "--wait"]
        process = subprocess.Popen(
            command, env=variables, stdout=log, stderr=log, start_new_session=True
        )
        try:
            while process.poll() is None:
                waited = time.monotonic() - began
                if waited > limit_s:
                    last = _last_line(log_from)
                    raise StartError(f"it was not ready after {limit_s:g} s; last output: {last}")
                if waited > told + PROGRESS_S:
                    told = waited
                    say(f"waiting for Paper, {waited:.0f} s so far; {_last_line(log_from)}")
                time.sleep(0.2)
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
    if process.returncode != 0:
        _log_container(variables)
        raise StartError(_likely_cause(_output(log_from)))


def _log_container(variables: dict[str, str]) -> None:
    """Append the output of the container to the log, if there is a container."""
    with contextlib.suppress(subprocess.SubprocessError), log_file().open("ab") as log:
        command = [*_compose(), "logs", "--no-log-prefix", "--tail", "100", SERVICE]
        subprocess.run(
            command, env=variables, stdout=log, stderr=log, check=True, timeout=COMMAND_TIMEOUT_S
        )


def _output(log_from: int) -> list[str]:
    with log_file().open("rb") as log:
        log.seek(log_from)
        lines = log.read().decode(errors="replace").splitlines()
    return [line.strip() for line in lines if line.strip()]


def _last_line(log_from: int) -> str:
    return (_output(log_from) or ["docker compose has printed nothing"])[-1]


def _likely_cause(lines: list[str]) -> str:
    """Explain in one line why Compose failed.

    ``lines`` is the output of Compose and of the container.
    """
    for pattern, cause in CAUSES:
        for line in reversed(lines):
            if re.search(pattern, line, re.IGNORECASE):
                return f"{cause} ({line})"
    return f"docker compose failed ({lines[-1] if lines else 'it printed nothing'})"


def env_password() -> str:
    """Return Paper's RCON password from the file ``.env``. Create the file if it is missing.

    Compose reads the password from the same file. Users can therefore also type ``docker compose
    up`` themselves, even on another machine. Only the file's owner can read the file, and it is
    never committed.

    Raises:
        StartError: the file exists but contains no password.
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
    """Stop Paper. Its world remains in the Docker volume.

    Raises:
        StartError: Docker failed.
    """
    command, variables = [*_compose(), "down"], _environment(state, "")
    try:
        subprocess.run(
            command,
            env=variables,
            capture_output=True,
            check=True,
            timeout=DOWN_TIMEOUT_S,
            text=True,
        )
    except subprocess.TimeoutExpired as error:
        raise StartError(f"docker compose down took longer than {DOWN_TIMEOUT_S:g} s") from error
    except subprocess.CalledProcessError as error:
        last = (error.stderr.strip().splitlines() or ["it printed nothing"])[-1]
        raise StartError(f"docker compose down failed: {last}") from error


def take_down(state: ServerState, say: Callable[[str], None]) -> None:
    """Remove what a failed start has left."""
    password_file().unlink(missing_ok=True)
    try:
        stop(state)
    except StartError as error:
        say(f"warning: {error}; remove it: {shlex.join([*_compose(), 'down'])}")


def logs(follow: bool) -> list[str]:
    """Return the command that shows the log of Paper."""
    return [*_compose(), "logs", *(["--follow"] if follow else []), SERVICE]


def _compose() -> list[str]:
    return ["docker", "compose", "--file", str(COMPOSE_FILE), "--project-name", _project()]


def _project() -> str:
    """Return a name for the Compose project that is unique to this server folder."""
    return f"voxpolis-{unique_name(server_folder())}"


def _environment(state: ServerState, password: str) -> dict[str, str]:
    return {
        **os.environ,
        "VOXPOLIS_BIND": state.host,
        "VOXPOLIS_PORT": str(state.port),
        "VOXPOLIS_RCON_PORT": str(state.rcon_port),
        "VOXPOLIS_RCON_PASSWORD": password,
        **(NATURAL if state.terrain == "natural" else {}),
    }
