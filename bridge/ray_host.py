"""Hosts as actors in a Ray cluster: bots can run on any of its machines.

No other module in ``bridge`` imports Ray, which is an extra. Every machine needs the checkout at
the same path, with everything that ``make server`` installs.
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

# Number of cores that a host reserves; its engines also use idle cores.
HOST_CPUS = 1
# Time limit for placing and starting a host.
START_S = 60.0
# Time limit for the cluster to answer.
ANSWER_S = 10.0
# Time limit for a core to become free.
ROOM_S = 5.0
NO_ROOM = f"the Ray cluster has no room for another bot host ({HOST_CPUS} core each)"
GONE = "the Ray cluster is gone: no machine is left"
# How long an actor waits for messages before it returns none.
IDLE_S = 1.0
# Memory for the object store of a Ray cluster that is started here; bots store nothing in it.
STORE_BYTES = 100 * 2**20
LOOPBACK = ("127.0.0.1", "localhost", "::1")
ANY = "0.0.0.0"
_BOOT = Path("/proc/sys/kernel/random/boot_id")


def _ray() -> Any:
    """Return Ray's module.

    Raises:
        RuntimeError: Ray is not installed.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # send no usage statistics
    os.environ.setdefault("RAY_worker_niceness", "0")  # bots run at normal priority
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        how = environment.how_to_add("ray")
        raise RuntimeError(f"--engine ray needs the package ray; run: {how}") from error


def connect(address: str | None = None, cpus: int = 0) -> bool:
    """Connect to a cluster, or start one on this machine if no address is given.

    Args:
        address: the cluster's address; None: RAY_ADDRESS, else a new cluster.
        cpus: minimum number of cores of a new cluster, even if the machine has fewer.

    Returns:
        True if this call connected; False if it was connected before.

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
    except Exception as error:  # Ray has no exception class for these failures
        why = (str(error).strip() or type(error).__name__).splitlines()[0]
        told = f"there is no Ray cluster at {where}" if where else "Ray does not start"
        raise RuntimeError(f"{told}: {why}") from error
    return True


def _silence_warnings() -> None:
    """Keep the cluster's warnings out of standard output; the loss of a host is recorded as an
    event.
    """
    worker: Any = importlib.import_module("ray._private.worker")
    worker.print_to_stdstream = lambda *_, **__: None


def _check_answers(address: str) -> None:
    """Check quickly whether a cluster answers; Ray itself would retry for minutes.

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
    """Leave the cluster; a cluster that was started here ends."""
    _ray().shutdown()


def cores() -> int:
    """Return the number of hosts that the cluster has room for."""
    return max(1, int(_ray().cluster_resources().get("CPU", 1) // HOST_CPUS))


def reachable(server: str) -> str:
    """Return a server address that works for all machines of the cluster.

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
    """Explain why no core is available: all are taken, or no machine is left."""
    try:
        cores = ray.cluster_resources().get("CPU", 0)
    except Exception:
        cores = 0
    return NO_ROOM if cores else GONE


class _Actor:
    """Actor in the cluster, with the same link to Node as a host in this process."""

    def __init__(self) -> None:
        self._said: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._down = ""
        self._link = Link(self._said.put, self._give_up)
        self._link.open()

    def _give_up(self, reason: str) -> None:
        self._down = reason
        self._said.put("")

    def where(self) -> dict[str, Any]:
        """Return a description of this machine and the ids of its processes."""
        place = {"host": socket.gethostname(), "boot": _boot_id(), "node": node_pid()}
        return {**place, "process": os.getpid()}

    def send(self, commands: list[str]) -> None:
        """Queue commands."""
        for command in commands:
            self._link.send(command)

    def answers(self) -> list[str]:
        """Wait a moment for Node's answers and return them.

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
    """Host that is a Ray actor; see :class:`bridge.hosts.Host`."""

    def __init__(self, on_answer: OnAnswer, on_down: OnDown) -> None:
        self._on_answer = on_answer
        self._on_down = on_down
        self._ray = _ray()
        self._place: dict[str, Any] = {}
        self._outgoing: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._closing = threading.Event()

    @property
    def where(self) -> str:
        """Describe the host, for messages."""
        return f"the bot host of process {self._place['process']} on {self._place['host']}"

    @property
    def node(self) -> int:
        """Return the process id of Node on its machine."""
        return int(self._place["node"])

    @property
    def is_here(self) -> bool:
        return bool(self._place["boot"]) and self._place["boot"] == _boot_id()

    def open(self) -> None:
        """Start the actor.

        Raises:
            RuntimeError: the cluster has no room for it, or it does not start.
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
        """Wait a moment for a free core; a lost host frees its core soon.

        Raises:
            RuntimeError: no core becomes free.
        """
        deadline = time.monotonic() + ROOM_S
        while self._ray.available_resources().get("CPU", 0) < HOST_CPUS:
            if time.monotonic() > deadline:
                raise RuntimeError(why_no_room(self._ray))
            time.sleep(0.2)

    def send(self, command: str) -> None:
        """Queue one command, a JSON object."""
        self._outgoing.put(command)

    def close(self) -> None:
        """End the actor, and Node with it."""
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
    """Return an id for this boot of the machine; empty if the system has none."""
    try:
        return _BOOT.read_text().strip()
    except OSError:
        return ""
