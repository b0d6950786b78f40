"""The connection to Node: one thread exchanges messages with ``js/host.js`` through `javascript`.

The Python package `javascript` starts Node and calls its functions. The package loses messages if
several threads call at the same time, and after a call that times out, no other call works.
Therefore a single thread makes short calls one after another, to functions that cannot hang.
"""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import os
import queue
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from voxpolis import environment

PROJECT = Path(environment.PROJECT)
EXCHANGE_TIMEOUT_S = 30

OnAnswer = Callable[[str], None]
OnDown = Callable[[str], None]


class Link:
    """Sends JSON texts to Node, and passes Node's answers to ``on_answer``.

    A thread of the link does this work.

    ``on_down`` is called once if Node dies or does not answer. A Python process has only one Node
    process, which ends when the Python process ends.
    """

    is_here = True

    def __init__(self, on_answer: OnAnswer, on_down: OnDown) -> None:
        self._on_answer = on_answer
        self._on_down = on_down
        self._outgoing: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._pump_thread = threading.Thread(target=self._pump, name="bridge-link", daemon=True)
        self._watch_thread = threading.Thread(target=self._watch, name="bridge-watch", daemon=True)

    @property
    def where(self) -> str:
        return f"the bot host of Node process {self.node}"

    @property
    def node(self) -> int:
        return node_pid() or 0

    def open(self) -> None:
        """Start the thread, and Node if this Python process has not started it yet.

        Raises:
            RuntimeError: Node does not start, or this Python process already has an open link.
        """
        _host()
        if _Node.link is not None:
            raise RuntimeError("this Python process already has an open bridge; use that one")
        _Node.link = self
        self._pump_thread.start()
        self._watch_thread.start()

    def send(self, command: str) -> None:
        self._outgoing.put(command)

    def close(self) -> None:
        """Stop the thread after all commands have been sent.

        If Node is gone, stop the thread immediately.
        """
        self._closing.set()
        while self._pump_thread.is_alive() and _Node.process.poll() is None:
            self._pump_thread.join(timeout=0.1)
        if _Node.link is self:
            _Node.link = None

    def _watch(self) -> None:
        """Report at once when Node ends, because a waiting call would only notice it later."""
        code = _Node.process.wait()
        if not self._closing.is_set():
            self._on_down(f"the Node process ended (exit code {code})")

    def _pump(self) -> None:
        try:
            while not (self._closing.is_set() and self._outgoing.empty()):
                answer = _exchange(f"[{','.join(self._drain())}]")
                self._on_answer(answer)
        except Exception as error:
            if not self._closing.is_set():
                # Node would never get another call, and its bots would remain in the world.
                _Node.process.kill()
                self._on_down(str(error) or type(error).__name__)

    def _drain(self) -> list[str]:
        commands = []
        with contextlib.suppress(queue.Empty):
            while True:
                commands.append(self._outgoing.get_nowait())
        return commands


class _Node:
    """The Node process of this Python process. The first call of :func:`_host` starts it."""

    exchange: Any = None
    process: Any = None
    # The link that is open. Two links would take each other's answers.
    link: Link | None = None


def is_free() -> bool:
    """Return whether a link can be opened: no link is open, and Node has not ended."""
    return _Node.link is None and (_Node.process is None or _Node.process.poll() is None)


def node_pid() -> int | None:
    """Return the id of the Node process; None if it was not started."""
    return _Node.process.pid if _Node.process else None


def _host() -> None:
    if _Node.exchange is None:
        host_file = environment.node_file("bridge/js/host.js")
        with _node_environment(), _hidden_package("IPython"):
            import javascript  # noqa: PLC0415 - importing it starts Node
            from javascript import connection  # noqa: PLC0415

            # Node's other output must not be mixed with the output of this process.
            connection.print = functools.partial(print, file=sys.stderr)
            host = javascript.require(f"./{_relative_path(host_file)}")
        _Node.exchange = host.exchange
        _Node.process = connection.proc
    if _Node.process.poll() is not None:
        raise RuntimeError("the Node process of this Python process has ended; restart Python")


def _relative_path(path: str) -> str:
    """Return a path relative to the folder of this file, as `javascript` expects."""
    return Path(os.path.relpath(path, Path(__file__).parent)).as_posix()


def _exchange(commands: str) -> str:
    try:
        answer = _Node.exchange(commands, timeout=EXCHANGE_TIMEOUT_S)
    except Exception as error:
        # The message of the library continues with advice about options that users of voxpolis
        # cannot set.
        why = str(error).partition(" Increase the timeout")[0]
        raise RuntimeError(f"the Node process does not answer: {why}") from error
    return str(answer)


@contextlib.contextmanager
def _hidden_package(package: str) -> Iterator[None]:
    """Prevent, while the context is open, the import of a package that is not imported yet.

    `javascript` would import all of IPython, which takes half a second, to find out whether it runs
    in a notebook.
    """
    if package in sys.modules:
        yield
        return
    sys.modules[package] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        del sys.modules[package]


@contextlib.contextmanager
def _node_environment() -> Iterator[None]:
    """Set the environment variables with which Node is started.

    Node may only read its own code.
    """
    package = importlib.util.find_spec("javascript")
    if package is None or package.origin is None:
        raise RuntimeError(
            f"the javascript package is not installed; run: {environment.how_to_install()}"
        )
    ours = [PROJECT / "bridge" / "js", PROJECT / "server" / "clock", PROJECT / "node_modules"]
    folders = [Path(package.origin).parent, *ours, environment.CLOCKS]
    readable = [f"{folder}{os.sep}*" for folder in folders]
    options = ["--permission", "--allow-worker"]
    options += [f'"--allow-fs-read={path}"' for path in readable]
    before = dict(os.environ)
    os.environ["NODE_BIN"] = str(environment.node_executable())
    os.environ["NODE_OPTIONS"] = " ".join(options)
    os.environ["NODE_NO_WARNINGS"] = "1"
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)
