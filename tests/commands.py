"""``python -m …`` for tests, in a forked process with preloaded imports.

A short command spends most of its time on imports. A launcher imports everything once for all test
processes, and forks itself for each command. Other tests start commands without the launcher, which
shows that commands also work without preloaded modules.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import pkgutil
import runpy
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = "click gymnasium matplotlib.figure networkx numpy openai pandas pettingzoo"
PACKAGES += " pydantic rich._emoji_codes rich.live rich.progress rich.table typer yaml"
# Modules that commands need in addition to the scenarios, and that import most of the other
# modules.
OURS = "analysis.__main__ analysis.figures experiments.__main__ server.__main__ worlds.grid"


class Launcher:
    """Starts commands, each as a fork of a process with preloaded packages."""

    def __init__(self, path: str = "") -> None:
        """Use the launcher listening at this path; without one, start it on demand."""
        self._path = path
        self._lock = threading.Lock()

    @property
    def path(self) -> str:
        """Return the path where the launcher listens, for use by other processes."""
        with self._lock:
            if not self._path:
                self._start()
        return self._path

    @path.setter
    def path(self, path: str) -> None:
        self._path = path

    def run(
        self, arguments: list[str], variables: dict[str, str], timeout_s: float
    ) -> subprocess.CompletedProcess[str]:
        """Run ``python -m <arguments>`` in the checkout and return its exit status and outputs.

        Raises:
            subprocess.TimeoutExpired: the command took longer, and was killed.
        """
        command = [sys.executable, "-m", *arguments]
        with (
            tempfile.TemporaryFile("w+") as out,
            tempfile.TemporaryFile("w+") as err,
            self._connection() as connection,
        ):
            request = json.dumps({"arguments": arguments, "variables": variables}).encode()
            socket.send_fds(connection, [request], [out.fileno(), err.fileno()])
            connection.shutdown(socket.SHUT_WR)
            answers = connection.makefile("r")
            child = int(answers.readline())
            connection.settimeout(timeout_s)
            try:
                status = int(answers.readline())
            except TimeoutError:
                os.kill(child, signal.SIGKILL)
                raise subprocess.TimeoutExpired(command, timeout_s) from None
            out.seek(0)
            err.seek(0)
            return subprocess.CompletedProcess(command, status, out.read(), err.read())

    def _connection(self) -> socket.socket:
        connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        connection.connect(self.path)
        return connection

    def _start(self) -> None:
        folder = Path(tempfile.mkdtemp(prefix="voxpolis-commands-"))
        self._path = str(folder / "socket")
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.bind(self._path)
        listener.listen()
        command = [sys.executable, "-m", "tests.commands", str(listener.fileno())]
        process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.PIPE, pass_fds=[listener.fileno()]
        )
        listener.close()
        atexit.register(shutil.rmtree, folder, ignore_errors=True)
        atexit.register(_end, process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()


def _reap(*_signal: object) -> None:
    """Wait for finished child processes, so that their CPU time counts toward the tests'."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _child_of(listener: socket.socket) -> list[str]:
    """Fork for each connection; in the child process, return the arguments of its command.

    The launcher exits when its standard input closes, which happens when the test process ends for
    any reason.
    """
    signal.signal(signal.SIGCHLD, _reap)
    while True:
        ready, _, _ = select.select([listener, sys.stdin], [], [])
        if sys.stdin in ready:
            sys.exit()
        connection, _ = listener.accept()
        if os.fork():  # the launcher continues
            connection.close()
            continue
        listener.close()
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        size = 1 << 20
        data, files, _, _ = socket.recv_fds(connection, size, 2)
        while part := connection.recv(size):
            data += part
        child = os.fork()
        if child:  # the parent waits for the command and reports its exit status
            connection.sendall(f"{child}\n".encode())
            _, status = os.waitpid(child, 0)
            connection.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())
            os._exit(0)
        connection.close()
        return _become(json.loads(data), files)


def _become(request: dict[str, Any], files: list[int]) -> list[str]:
    """Take over a command's environment, arguments and outputs."""
    null = os.open(os.devnull, os.O_RDONLY)
    for number, file in enumerate((null, *files)):
        os.dup2(file, number)
        os.close(file)
    os.environ.clear()
    os.environ.update(request["variables"])
    arguments: list[str] = request["arguments"]
    sys.orig_argv = [sys.executable, "-m", *arguments]
    return arguments


def _prepare() -> None:
    for package in PACKAGES.split():
        importlib.import_module(package)
    folder = str(ROOT / "scenarios")
    scenarios = [f"voxpolis.scenarios.{found.name}" for found in pkgutil.iter_modules([folder])]
    for module in (*OURS.split(), *scenarios):
        importlib.import_module(module)
    for module in [name for name in sys.modules if name.endswith(".__main__")]:
        del sys.modules[module]  # so that the command runs it afresh
    gc.freeze()  # so that commands need not scan these objects again


def _run(module: str) -> None:
    """Run a command, and store its exit status if it ends without an exception."""
    try:
        runpy.run_module(module, run_name="__main__", alter_sys=True)
    except SystemExit as end:
        if not isinstance(end.code, int | None):
            raise
        _ended.append(end.code or 0)
    else:
        _ended.append(0)


def _leave() -> None:
    """End a command without tearing down the modules shared with the launcher."""
    if _ended:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_ended[0])


# Exit status of this process, once its command has ended.
_ended: list[int] = []


if __name__ == "__main__":
    atexit.register(_leave)  # the first registered function runs last
    _prepare()
    sys.argv = _child_of(socket.socket(fileno=int(sys.argv[1])))
    del sys.modules["tests"], sys.modules["__main__"]
    _run(sys.argv[0])
