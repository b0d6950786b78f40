"""Hosts: their interface, a host in a child process, and the number of hosts that a run needs.

A host consists of a Node process, which controls bots, and of the connection between Python and
this Node process. Each bot belongs to one host. Signals between agents on different hosts go
through the bridge
(:mod:`bridge.signals`).
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import IO, Literal, Protocol

from voxpolis import environment

OnAnswer = Callable[[str], None]
OnDown = Callable[[str], None]

# The number of busy bots per host. This many filled two cores (docs/reference/benchmarks.md).
BOTS_PER_HOST = 100
# A host that sends nothing for this many seconds counts as lost. Normally a host answers 50 times a
# second.
SILENCE_S = 30.0
# Time in seconds that a child process has to end.
LEAVE_S = 10.0
# The beginning of the line in which a child process says why it ends.
DOWN = '{"down":'


class Host(Protocol):
    """A Node process with bots. ``on_down`` is called once if the host is lost; see
    :class:`Link`.
    """

    @property
    def where(self) -> str:
        """A description of the host for messages."""

    @property
    def node(self) -> int:
        """The id of the Node process on its machine."""

    @property
    def is_here(self) -> bool:
        """True if the host runs on this machine, with the same clocks and files."""

    def open(self) -> None:
        """Start the host.

        Raises:
            RuntimeError: the host does not start.
        """

    def send(self, command: str) -> None:
        """Send a command, which is a JSON object. The call does not wait."""

    def close(self) -> None:
        """End the host after all commands have been delivered.

        If the host is lost, end it immediately.
        """


@dataclass(frozen=True)
class HostPlan:
    """The number and the kind of the hosts of a run.

    Attributes:
        engine: ``local`` hosts are processes on this machine; ``ray`` hosts are actors in a Ray
            cluster.
        count: the number of hosts. None: the number follows from the numbers of bots and cores.
        address: the address of the Ray cluster. None: the address in the environment variable
            RAY_ADDRESS if it is set, otherwise a new cluster on this machine.
    """

    engine: Literal["local", "ray"] = "local"
    count: int | None = None
    address: str | None = None

    def wanted(self, bots: int, cores: int) -> int:
        """Return the number of hosts for a number of bots.

        If the plan states no number, there is at most one host per core.
        """
        if self.count is not None:
            return max(1, min(self.count, bots))
        return max(1, min(cores, math.ceil(bots / BOTS_PER_HOST)))


class ChildHost:
    """A host in a child process: ``python -m bridge.host``, which reads and writes JSON lines.

    The child ends when its standard input is closed. Therefore the child never outlives this
    process.
    """

    is_here = True

    def __init__(self, on_answer: OnAnswer, on_down: OnDown) -> None:
        self._on_answer = on_answer
        self._on_down = on_down
        self._outgoing: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._heard = time.monotonic()
        self._why = ""
        self.node = 0

    @property
    def where(self) -> str:
        return f"the bot host of process {self._process.pid}"

    def open(self) -> None:
        """Start the process, and wait until its Node process has started.

        Raises:
            RuntimeError: the host does not start.
        """
        self._process = subprocess.Popen(
            [sys.executable, "-m", "voxpolis.bridge.host"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            encoding="utf-8",
            cwd=environment.ROOT,
            env=os.environ.copy(),
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._in: IO[str] = self._process.stdin
        self._out: IO[str] = self._process.stdout
        first = self._out.readline()
        if not first or first.startswith(DOWN):
            self._end()
            raise RuntimeError(f"a bot host did not start: {first.strip() or 'its process ended'}")
        self.node = int(json.loads(first)["node"])
        self._heard = time.monotonic()
        for work in (self._read, self._write, self._watch):
            threading.Thread(target=work, name="bridge-host", daemon=True).start()

    def send(self, command: str) -> None:
        self._outgoing.put(command)

    def close(self) -> None:
        """Deliver all commands, and then end the process."""
        self._closing.set()
        self._outgoing.put(None)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(LEAVE_S)
        self._end()

    def _end(self) -> None:
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(OSError):
            self._in.close()

    def _write(self) -> None:
        """Deliver commands until the connection is closed."""
        with contextlib.suppress(OSError, ValueError):
            while (command := self._outgoing.get()) is not None:
                self._in.write(command + "\n")
                self._in.flush()
            self._in.close()

    def _watch(self) -> None:
        """End the host if it sends nothing for too long.

        A host that hangs may block the thread that writes to it, so another thread runs this
        method.
        """
        while not self._closing.wait(1.0) and self._process.poll() is None:
            if time.monotonic() - self._heard > SILENCE_S:
                self._why = f"it was silent for {SILENCE_S:g} s"
                self._process.kill()

    def _read(self) -> None:
        for line in self._out:
            self._heard = time.monotonic()
            if line.startswith(DOWN):
                self._why = line.removeprefix(DOWN).strip().strip('"}')
                break
            self._on_answer(line)
        self._out.close()
        self._outgoing.put(None)
        if not self._closing.is_set():
            self._process.kill()
            code = self._process.wait()
            self._on_down(f"{self.where} ended ({self._why or f'exit code {code}'})")
