"""Hosts that are actors in a Ray cluster, so that bots can run on several machines.

Ray is an optional package, and only this module of ``bridge`` imports it. Every machine needs the
checkout at the same path, with everything that ``make server`` installs.
"""

from __future__ import annotations

import importlib
import os
import queue
import socket
import threading
import time
from pathlib import Path
from typing import Any

from voxpolis import environment
from voxpolis.bridge.hosts import SILENCE_S, OnAnswer, OnDown
from voxpolis.bridge.link import Link, node_pid

# The number of cores that a host reserves. Its engines also use other cores that are idle.
HOST_CPUS = 1
# Time in seconds within which a host must have been placed and started.
START_S = 60.0
# Time in seconds within which the cluster must answer.
ANSWER_S = 10.0
# Time in seconds within which a core must become free.
ROOM_S = 5.0
NO_ROOM = f"the Ray cluster has no room for another bot host ({HOST_CPUS} core each)"
GONE = "the Ray cluster is gone: no machine is left"
# How long an actor waits for messages before it returns an empty list, in seconds.
IDLE_S = 1.0
# Memory for the object store of a cluster that is started here. Bots store nothing in it.
STORE_BYTES = 100 * 2**20
LOOPBACK = ("127.0.0.1", "localhost", "::1")
ANY = "0.0.0.0"
_BOOT = Path("/proc/sys/kernel/random/boot_id")


def _ray() -> Any:
    """Import Ray.

    Raises:
        RuntimeError: Ray is not installed.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # send no usage statistics
    os.environ.setdefault("RAY_worker_niceness", "0")  # let bots run with normal priority
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        how = environment.how_to_add("ray")
        raise RuntimeError(f"--engine ray needs the package ray; run: {how}") from error


def connect(address: str | None = None, cpus: int = 0) -> bool:
    """Connect to a cluster. If there is no address, start a cluster on this machine.

    Args:
        address: the address of the cluster. None: the address in RAY_ADDRESS or, if it is not set,
            a new cluster.
        cpus: the minimum number of cores of a new cluster, even if the machine has fewer cores.

    Returns:
        True if this call made the connection; False if there already was a connection.

    Raises:
        RuntimeError: Ray is not installed, or there is no cluster at the address.
    """
    ray = _ray()
    if ray.is_initialized():
        return False
    where = address or os.environ.get("RAY_ADDRESS") or None
    if where is not None:
        _check_answers(where)
    options: dict[str, Any] = {"address": where}
    if where is None:
        options = {"address": "local", "num_cpus": max(cpus, os.cpu_count() or 1)}
        options |= {"object_store_memory": STORE_BYTES, "include_dashboard": False}
    _silence_warnings()
    try:
        ray.init(log_to_driver=False, configure_logging=False, **options)
    except Exception as error:  # Ray has no class of its own for these errors
        why = (str(error).strip() or type(error).__name__).splitlines()[0]
        told = f"there is no Ray cluster at {where}" if where else "Ray does not start"
        raise RuntimeError(f"{told}: {why}") from error
    return True


def _silence_warnings() -> None:
    """Keep warnings of the cluster out of the standard output.

    The warnings are not needed: if a host is lost, the record contains an event about the loss.
    """
    worker: Any = importlib.import_module("ray._private.worker")
    worker.print_to_stdstream = lambda *_, **__: None


def _check_answers(address: str) -> None:
    """Check that a cluster answers, because Ray itself would keep trying for minutes.

    Raises:
        RuntimeError: no cluster answers.
    """
    host, _, port = address.rpartition(":")
    if not port.isdigit():
        return
    try:
        socket.create_connection((host.rpartition("/")[2], int(port)), ANSWER_S).close()
    except OSError as error:
        raise RuntimeError(f"there is no Ray cluster at {address}: {error.strerror}") from error


def disconnect() -> None:
    """Disconnect from the cluster. If this process started the cluster, the cluster ends."""
    _ray().shutdown()


def cores() -> int:
    """Return for how many hosts the cluster has enough cores."""
    return max(1, int(_ray().cluster_resources().get("CPU", 1) // HOST_CPUS))


def reachable(server: str) -> str:
    """Return an address of the server that all machines of the cluster can use.

    Raises:
        RuntimeError: a machine cannot reach the server.
    """
    ray = _ray()
    here = ray.util.get_node_ip_address()
    others = {node["NodeManagerAddress"] for node in ray.nodes() if node["Alive"]} - {here}
    if server == ANY:
        return str(here) if others else "127.0.0.1"
    if server in LOOPBACK and others:
        raise RuntimeError(
            f"the server is at {server}, where the Ray node {min(others)} cannot reach it; "
            f"start it with: {environment.typed('server up --host 0.0.0.0')}"
        )
    return server


def why_no_room(ray: Any) -> str:
    """Explain why no core is free: all cores are reserved, or no machine is left."""
    try:
        cores = ray.cluster_resources().get("CPU", 0)
    except Exception:
        cores = 0
    return NO_ROOM if cores else GONE


class _Actor:
    """An actor in the cluster, which has the same link to Node as a host in this process."""

    def __init__(self) -> None:
        self._said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._down = ""
        self._link = Link(self._said.put, self._give_up)
        self._link.open()

    def _give_up(self, reason: str) -> None:
        self._down = reason
        self._said.put("")

    def where(self) -> dict[str, Any]:
        """Return a description of this machine, with the ids of the processes."""
        place = {"host": socket.gethostname(), "boot": _boot_id(), "node": node_pid()}
        return {**place, "process": os.getpid()}

    def send(self, commands: list[str]) -> None:
        for command in commands:
            self._link.send(command)

    def answers(self) -> list[str]:
        """Wait a moment for answers of Node, and return them.

        Raises:
            RuntimeError: Node is gone.
        """
        found: list[str] = []
        try:
            found.append(self._said.get(timeout=IDLE_S))
            while True:
                found.append(self._said.get_nowait())
        except queue.Empty:
            pass
        if self._down:
            raise RuntimeError(self._down)
        return found


class RayHost:
    """A host that is a Ray actor; see :class:`bridge.hosts.Host`."""

    def __init__(self, on_answer: OnAnswer, on_down: OnDown) -> None:
        self._on_answer = on_answer
        self._on_down = on_down
        self._ray = _ray()
        self._place: dict[str, Any] = {}
        self._outgoing: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._closing = threading.Event()

    @property
    def where(self) -> str:
        return f"the bot host of process {self._place['process']} on {self._place['host']}"

    @property
    def node(self) -> int:
        return int(self._place["node"])

    @property
    def is_here(self) -> bool:
        return bool(self._place["boot"]) and self._place["boot"] == _boot_id()

    def open(self) -> None:
        """Start the actor.

        Raises:
            RuntimeError: the cluster has no free core for the actor, or the actor does not start.
        """
        self._await_room()
        actor = self._ray.remote(
            num_cpus=HOST_CPUS,
            max_restarts=0,
            scheduling_strategy="SPREAD",
            concurrency_groups={"in": 1, "out": 1},
        )
        self._actor = actor(_Actor).remote()
        try:
            self._place = self._ray.get(self._actor.where.remote(), timeout=START_S)
        except self._ray.exceptions.GetTimeoutError as error:
            self._ray.kill(self._actor)
            raise RuntimeError(why_no_room(self._ray)) from error
        for work in (self._read, self._write):
            threading.Thread(target=work, name="bridge-ray", daemon=True).start()

    def _await_room(self) -> None:
        """Wait a moment for a free core. A host that was lost frees its core soon.

        Raises:
            RuntimeError: no core becomes free.
        """
        deadline = time.monotonic() + ROOM_S
        while self._ray.available_resources().get("CPU", 0) < HOST_CPUS:
            if time.monotonic() > deadline:
                raise RuntimeError(why_no_room(self._ray))
            time.sleep(0.2)

    def send(self, command: str) -> None:
        self._outgoing.put(command)

    def close(self) -> None:
        """End the actor together with its Node process."""
        self._closing.set()
        self._outgoing.put(None)
        self._ray.kill(self._actor)

    def _write(self) -> None:
        while (command := self._outgoing.get()) is not None:
            sending = self._actor.send.options(concurrency_group="in")
            sending.remote([command])

    def _read(self) -> None:
        hearing = self._actor.answers.options(concurrency_group="out")
        try:
            while not self._closing.is_set():
                for answer in self._ray.get(hearing.remote(), timeout=SILENCE_S):
                    self._on_answer(answer)
        except Exception as error:
            if not self._closing.is_set():
                why = (str(error).strip() or type(error).__name__).splitlines()[-1]
                self._on_down(f"{self.where} is lost ({why.split('. ')[0]})")


def _boot_id() -> str:
    """Return an identifier that changes when the machine is restarted; empty if there is none."""
    try:
        return _BOOT.read_text().strip()
    except OSError:
        return ""
