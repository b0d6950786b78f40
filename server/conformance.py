"""Run the conformance checks.

An unmodified Mineflayer bot tests whether a server does everything that scenarios need.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from voxpolis import environment
from voxpolis.records import Clock
from voxpolis.records.writer import versions
from voxpolis.server import paper
from voxpolis.server.ping import ping

REAL_TIME = Clock()


class ConformanceError(RuntimeError):
    """The checks could not run."""


@dataclass(frozen=True)
class Address:
    """The addresses of a server and of its RCON port, the RCON password, and the server's clock."""

    host: str
    port: int
    rcon_host: str
    rcon_port: int
    password: str
    clock: Clock = REAL_TIME


@dataclass(frozen=True)
class Check:
    """The result of a check. ``error`` says what is wrong if the check failed."""

    group: str
    name: str
    ok: bool
    error: str
    seconds: float


def probe(address: Address) -> list[Check]:
    """Check that bots can join a server and chat, and that the server carries out a command.

    The checks do not change the world.

    Raises:
        ConformanceError: the server cannot be reached or joined, or Node is not installed.
    """
    return list(_run(address, "--probe"))


def run(address: Address, only: str = "") -> Iterator[Check]:
    """Run the checks in order, and yield each result when it is known.

    Two bots, ConformA and ConformB, join. The checks build an arena of 25 by 25 blocks at (0, 150,
    0) and set rules of the game, so do not run them on a server that is in use.

    Args:
        address: the server.
        only: run only the checks whose ``group: name`` contains this text.

    Raises:
        ConformanceError: the server cannot be reached or joined, or Node is not installed.
    """
    return _run(address, "--only", only)


def report(address: Address, kind: str, checks: Sequence[Check]) -> dict[str, Any]:
    """Return a report to send to others: the results, the versions, and the kind of the server."""
    try:
        answer = asyncio.run(ping(address.host, address.port)).version
    except (OSError, TimeoutError) as error:
        answer = str(error)
    return {
        **versions(),
        "server": {"kind": kind, "version": answer, "speed": address.clock.speed},
        "paper_image": paper.describe_image() if kind == "paper" else None,
        "passed": sum(check.ok for check in checks),
        "checks": [asdict(check) for check in checks],
    }


def _run(address: Address, *options: str) -> Iterator[Check]:
    try:
        command = environment.node_command("server/conformance/main.js")
    except RuntimeError as error:
        raise ConformanceError(str(error)) from error
    command += [*options, "--host", address.host, "--port", str(address.port)]
    clock = address.clock
    command += ["--speed", str(clock.speed), "--anchor", str(clock.anchor * 1000)]
    command += ["--clock", str(clock.file)] if clock.file else []
    command += ["--rcon-host", address.rcon_host, "--rcon-port", str(address.rcon_port)]
    variables = {**os.environ, "VOXPOLIS_RCON_PASSWORD": address.password}
    with subprocess.Popen(
        command,
        cwd=environment.PROJECT,
        env=variables,
        # The checks end when this is closed, which happens even if this process crashes.
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as process:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                yield from _parse(line)
        finally:
            process.terminate()
    if process.returncode > 0:
        raise ConformanceError("the checks ended early")


def _parse(line: str) -> Iterator[Check]:
    try:
        fields = json.loads(line)
    except json.JSONDecodeError:
        return  # Mineflayer also prints lines
    if "fatal" in fields:
        raise ConformanceError(fields["fatal"])
    yield Check(**fields)
