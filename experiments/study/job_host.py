"""Starts jobs quickly, as forks of a process that has already imported the modules that jobs need.

A short grid game takes a tenth of the time that its imports take. A :class:`Worker` of
:mod:`experiments.study.sweep_workers` therefore starts this process once.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import os
import runpy
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import IO, TYPE_CHECKING, Any

from voxpolis.server.state import ROOT

if TYPE_CHECKING:
    from voxpolis.experiments.run.scenario import Scenario

# Whether forking after imports is safe; on macOS, system libraries do not allow it.
CAN_FORK = sys.platform == "linux"
SIZE = 1 << 16
PROGRAM = "from voxpolis.experiments.study.job_host import main; main()"


def python_path() -> str:
    """Return a PYTHONPATH with which other processes find our packages from any folder."""
    return os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))


def needed_by(scenario: type[Scenario], world: str) -> tuple[str, ...]:
    """Return the modules that are slow to import and that all jobs of a scenario need in a world.

    Files of the user are not among them: each job loads these files itself.
    """
    own = () if scenario.called[:1] == ("run",) else (scenario.__module__,)
    return (*own, "voxpolis.worlds.grid") if world == "grid" else own


class ForkedProcess:
    """A process that a job host has forked, and that has its own session. The interface is like
    that of ``subprocess.Popen``.
    """

    def __init__(self, report: socket.socket, stdout: IO[str], stderr: IO[str]) -> None:
        """Wait until the process has started.

        ``report`` is the connection through which the host sends the process id and later the exit
        status.

        Raises:
            RuntimeError: the host has ended.
        """
        self.stdout, self.stderr = stdout, stderr
        self._report = report.makefile("r", encoding="ascii")
        report.close()
        self._waiting = threading.Lock()
        self._status: int | None = None
        told = self._report.readline()
        if not told:
            raise RuntimeError("the process that starts jobs has ended")
        self.pid = int(told)

    def wait(self) -> int:
        """Wait until the process ends. Return the exit status, which is negative after a signal."""
        with self._waiting:
            if self._status is None:
                told = self._report.readline()
                # the host died, and the job died with it
                self._status = int(told) if told else -signal.SIGKILL
            return self._status

    def poll(self) -> int | None:
        """Return the exit status, or None if :meth:`wait` has not returned yet."""
        return self._status

    def terminate(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)


class JobHost:
    """A process that starts jobs. The host and its jobs end when the host's creator ends."""

    def __init__(self, modules: Sequence[str]) -> None:
        """Start the host, which imports ``modules`` and then waits for requests."""
        self._asking, asked = socket.socketpair()
        self._turn = threading.Lock()
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(asked.fileno()), *modules],
            env=os.environ | {"PYTHONPATH": python_path()},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=[asked.fileno()],
            start_new_session=True,
        )
        asked.close()

    @property
    def pid(self) -> int:
        """The process id of the host, which is the parent of all jobs."""
        return self._process.pid

    def start(self, arguments: Sequence[str], variables: Mapping[str, str]) -> ForkedProcess:
        """Start ``python -m <arguments>`` with additional environment variables.

        Raises:
            RuntimeError: the host has ended.
        """
        (out, printed), (err, said) = os.pipe(), os.pipe()
        report, told = socket.socketpair()
        request = json.dumps({"arguments": list(arguments), "variables": dict(variables)})
        files = [printed, said, told.fileno()]
        with self._turn:  # send one request at a time
            try:
                line = request.encode() + b"\n"
                sent = socket.send_fds(self._asking, [line], files)
                self._asking.sendall(line[sent:])
            except OSError as error:
                raise RuntimeError("the process that starts jobs has ended") from error
            finally:
                os.close(printed)
                os.close(said)
                told.close()
            return ForkedProcess(report, os.fdopen(out), os.fdopen(err))

    def close(self) -> None:
        """End the host when its jobs have ended."""
        self._asking.close()
        self._process.wait()


def _next_job(asked: socket.socket) -> list[str]:
    """Fork for each requested job. The function returns only in the forked process, with the
    arguments of the job.

    The host exits when the process that sends requests closes the connection or ends.
    """
    reports: dict[int, socket.socket] = {}
    woken, waking = os.pipe()
    os.set_blocking(waking, False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(waking)
    asking = asked.fileno()
    while True:
        ready, _, _ = select.select([asking, woken], [], [])
        if woken in ready:
            os.read(woken, SIZE)
            _report_ended(reports)
        if asking not in ready:
            continue
        data, files, _, _ = socket.recv_fds(asked, SIZE, 3)
        while data and not data.endswith(b"\n"):
            data += asked.recv(SIZE)
        if not data:
            sys.exit()
        pid = os.fork()
        if not pid:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for used in (asked, *reports.values()):
                used.close()
            for number in (woken, waking):
                os.close(number)
            return _become(json.loads(data), files)
        reports[pid] = socket.socket(fileno=files[2])
        _tell(reports[pid], pid)
        for number in files[:2]:
            os.close(number)


def _report_ended(reports: dict[int, socket.socket]) -> None:
    while reports:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        _tell(reports[pid], os.waitstatus_to_exitcode(status))
        reports.pop(pid).close()


def _tell(report: socket.socket, number: int) -> None:
    with contextlib.suppress(OSError):  # the receiver is gone
        report.sendall(f"{number}\n".encode())


def _become(request: dict[str, Any], files: Sequence[int]) -> list[str]:
    """Turn the forked process into a job, with its own session, environment, arguments and
    outputs.
    """
    os.setsid()
    printed, said, report = files
    os.dup2(printed, 1)
    os.dup2(said, 2)
    for number in (printed, said, report):
        os.close(number)
    os.environ.update(request["variables"])
    arguments: list[str] = request["arguments"]
    sys.orig_argv = [sys.executable, "-m", *arguments]
    return arguments


def main() -> None:
    """Import modules, and then start the jobs that are requested."""
    asked, modules = socket.socket(fileno=int(sys.argv[1])), sys.argv[2:]
    for module in modules:
        importlib.import_module(module)
    gc.freeze()  # keeps jobs from scanning the imported objects
    sys.argv = _next_job(asked)
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
