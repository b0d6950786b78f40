"""Jobs as forks of a process that has imported what they need.

A short game on the grid takes a tenth of what it takes to import all that it is played with. So
whoever plays many (:class:`experiments.study.sweep_workers.Worker`) starts this process once.
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

# Whether processes may be forked that have imported much: macOS's own libraries forbid it.
CAN_FORK = sys.platform == "linux"
SIZE = 1 << 16
PROGRAM = "from voxpolis.experiments.study.job_host import main; main()"


def python_path() -> str:
    """Return the PYTHONPATH of processes that find our packages wherever they are started."""
    return os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))


def needed_by(scenario: type[Scenario], world: str) -> tuple[str, ...]:
    """Return the modules that all jobs of a scenario need in a world, and take long to import.

    A user's own file is loaded by each job itself.
    """
    own = () if scenario.called[:1] == ("run",) else (scenario.__module__,)
    return (*own, "voxpolis.worlds.grid") if world == "grid" else own


class Forked:
    """A process that a host started, in a session of its own; used as ``subprocess.Popen`` is."""

    def __init__(self, report: socket.socket, stdout: IO[str], stderr: IO[str]) -> None:
        """``report``: where the host tells the process's number, and its exit status at the end.

        Raises:
            RuntimeError: the host is gone.
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
        """Wait for its end; return its exit status, negative where a signal ended it."""
        with self._waiting:
            if self._status is None:
                told = self._report.readline()
                self._status = int(told) if told else -signal.SIGKILL  # its host is gone, so is it
            return self._status

    def poll(self) -> int | None:
        """Return its exit status; None: nobody has waited for its end yet."""
        return self._status

    def terminate(self) -> None:
        """Ask it to end."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGTERM)


class JobHost:
    """The process that starts jobs; it ends, and they do, when this process does."""

    def __init__(self, modules: Sequence[str]) -> None:
        """Start it; it imports ``modules`` and then does what it is asked."""
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
        """The parent of all jobs."""
        return self._process.pid

    def start(self, arguments: Sequence[str], variables: Mapping[str, str]) -> Forked:
        """Start ``python -m <arguments>`` with some environment variables set.

        Raises:
            RuntimeError: the host is gone.
        """
        (out, printed), (err, said) = os.pipe(), os.pipe()
        report, told = socket.socketpair()
        request = json.dumps({"arguments": list(arguments), "variables": dict(variables)})
        files = [printed, said, told.fileno()]
        with self._turn:  # one is understood before the next is sent
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
            return Forked(report, os.fdopen(out), os.fdopen(err))

    def close(self) -> None:
        """End it, once its jobs have ended."""
        self._asking.close()
        self._process.wait()


def _next_job(asked: socket.socket) -> list[str]:
    """Fork for each job that is asked for; return its arguments in the fork.

    The host itself ends where nobody can ask any more, however that came about.
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
    """Tell the exit statuses of the jobs that have ended."""
    while reports:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            return
        _tell(reports[pid], os.waitstatus_to_exitcode(status))
        reports.pop(pid).close()


def _tell(report: socket.socket, number: int) -> None:
    with contextlib.suppress(OSError):  # nobody listens any more
        report.sendall(f"{number}\n".encode())


def _become(request: dict[str, Any], files: Sequence[int]) -> list[str]:
    """Take a job's place: its session, environment, arguments and outputs."""
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
    """Import what jobs need, and play those that are asked for."""
    asked, modules = socket.socket(fileno=int(sys.argv[1])), sys.argv[2:]
    for module in modules:
        importlib.import_module(module)
    gc.freeze()  # no job need look through all of that again
    sys.argv = _next_job(asked)
    runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
