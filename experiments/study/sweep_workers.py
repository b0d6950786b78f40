"""The workers of a sweep: processes on this machine, or Ray workers on one or more machines."""

from __future__ import annotations

import importlib
import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from voxpolis.experiments.run.endings import VARIABLE
from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.study.job_host import CAN_FORK, ForkedProcess, JobHost, python_path
from voxpolis.server.server_pool import temporary_server
from voxpolis.server.state import ROOT

# Characters kept from a failed job's output.
MAX_SAID = 4000


@dataclass(frozen=True)
class Job:
    """One run of a sweep.

    Attributes:
        condition: name of the condition.
        seed: seed of the run.
        arguments: arguments of ``python``.
        imports: modules that the job needs. A job host imports them once for several jobs.
    """

    condition: str
    seed: int
    arguments: tuple[str, ...]
    imports: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name of the job, which is also used for its files."""
        return f"{self.condition}-{self.seed}"


@dataclass(frozen=True)
class Outcome:
    """The outcome of a job.

    Attributes:
        job: the job.
        result: the result object; None if the job failed.
        said: what a failed job printed as errors.
        unfinished: a result object with the runs that a failed job finished.
        usage: what the models of the job used, even if the job failed; None if it is unknown.
    """

    job: Job
    result: dict[str, Any] | None
    said: str
    unfinished: dict[str, Any] | None = None
    usage: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class ServerOptions:
    """The servers of the workers. ``running`` contains the state folders of servers that already
    run.

    The first workers use the servers in ``running``. The other workers start embedded servers. The
    state and the logs of embedded servers are written to ``folder``, or to temporary folders if
    ``folder`` is None.
    """

    folder: str | None
    speed: float
    terrain: str
    running: tuple[str, ...] = ()


# Receives a line of a job's standard error.
Tell = Callable[[Job, str], None]


def _silent(_job: Job, _line: str) -> None:
    """Ignore a job's progress."""


class Worker:
    """Plays jobs one after another, each in a separate process. In Minecraft, the worker has a
    server that no other worker uses.
    """

    def __init__(
        self,
        number: int,
        server: ServerOptions | None,
        tell: Tell = _silent,
        host: JobHost | None = None,
    ) -> None:
        """Prepare the worker.

        Args:
            number: index of the worker.
            server: the servers; None if jobs need no server.
            tell: called with a job and each line that the job prints.
            host: starts those jobs that have ``imports``. Without a host, all jobs are started
                directly.
        """
        self._environment = {**os.environ, "PYTHONPATH": python_path()}
        self._process: subprocess.Popen[str] | ForkedProcess | None = None
        self._host = host
        self._server = ExitStack()
        self._tell = tell
        if server is not None and number < len(server.running):
            self._environment["VOXPOLIS_SERVER"] = server.running[number]
        elif server is not None and server.folder is None:
            temporary = temporary_server(server.speed, server.terrain)
            self._environment["VOXPOLIS_SERVER"] = str(self._server.enter_context(temporary))
        elif server is not None:
            self._start(server, Path(str(server.folder)) / f"worker-{number}")

    def _start(self, server: ServerOptions, folder: Path) -> None:
        self._environment["VOXPOLIS_SERVER"] = str(folder)
        if folder.exists():
            self._command("server", "down")  # stop a server left by a killed sweep
        up = ["server", "up", "--kind", "embedded", "--port", "0", "--rcon-port", "0"]
        # so the server ends with this process, even if it is killed
        up += ["--owner", str(os.getpid())]
        started = self._command(*up, "--speed", str(server.speed), "--terrain", server.terrain)
        if started.returncode:
            raise RuntimeError(f"a worker's server did not start: {started.stderr.strip()}")
        self._server.callback(self._command, "server", "down")

    def _command(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", *arguments],
            cwd=ROOT,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,
        )

    def play(self, job: Job) -> Outcome:
        self._process = self._started(job)
        said: list[str] = []
        listener = threading.Thread(target=self._listen, args=(job, said), daemon=True)
        listener.start()
        assert self._process.stdout is not None
        printed = self._process.stdout.read()
        code = self._process.wait()
        listener.join()
        result = json.loads(printed) if printed.strip() else None
        if code == 0 and result is not None:
            return Outcome(job, result, "", usage=result.get("usage", {}))
        has_runs = result is not None and bool(result.get("runs"))
        usage = None if result is None else result.get("usage", {})
        text = "".join(said)[-MAX_SAID:]
        return Outcome(job, None, text, result if has_runs else None, usage)

    def _started(self, job: Job) -> subprocess.Popen[str] | ForkedProcess:
        if self._host is not None and job.imports:
            changed = {
                name: value
                for name, value in self._environment.items()
                if os.environ.get(name) != value
            }
            owned = {**changed, VARIABLE: str(self._host.pid)}
            return self._host.start(job.arguments[1:], owned)
        return subprocess.Popen(
            [sys.executable, *job.arguments],
            env={**self._environment, VARIABLE: str(os.getpid())},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def _listen(self, job: Job, output: list[str]) -> None:
        assert self._process is not None
        assert self._process.stderr is not None
        for line in self._process.stderr:
            output.append(line)
            self._tell(job, line.rstrip())

    def stop(self) -> None:
        """Stop the current job, and the server that this worker has started."""
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait()
        self._server.close()


# Plays jobs and passes on each outcome as it arrives; if the receiver returns True, the job is
# retried.
Engine = Callable[[Sequence[Job], Callable[[Outcome], bool]], None]


@contextmanager
def local(workers: int, server: ServerOptions | None, tell: Tell = _silent) -> Iterator[Engine]:
    """Play jobs with worker processes on this machine."""
    made: list[Worker] = []
    hosts = ExitStack()

    def play(jobs: Sequence[Job], take: Callable[[Outcome], bool]) -> None:
        imports = sorted({module for job in jobs for module in job.imports})
        host = None
        if CAN_FORK and imports and len(jobs) > 1:
            host = JobHost(imports)
            hosts.callback(host.close)
        waiting: queue.SimpleQueue[Job | None] = queue.SimpleQueue()
        done: queue.SimpleQueue[Outcome | BaseException] = queue.SimpleQueue()
        for job in jobs:
            waiting.put(job)
        threads = [
            threading.Thread(
                target=_work, args=(made, (number, server, tell, host), waiting, done), daemon=True
            )
            for number in range(min(workers, len(jobs)))
        ]
        for thread in threads:
            thread.start()
        left = len(jobs)
        while left:
            found = done.get()
            if isinstance(found, BaseException):
                raise found
            if take(found):
                waiting.put(found.job)
            else:
                left -= 1
        for _ in threads:
            waiting.put(None)

    try:
        yield play
    finally:
        for worker in made:
            worker.stop()
        hosts.close()


def _work(
    made: list[Worker],
    setup: tuple[int, ServerOptions | None, Tell, JobHost | None],
    waiting: queue.SimpleQueue[Job | None],
    done: queue.SimpleQueue[Outcome | BaseException],
) -> None:
    try:
        worker = Worker(*setup)
        made.append(worker)
        while (job := waiting.get()) is not None:
            done.put(worker.play(job))
    except Exception as error:
        done.put(error)


@contextmanager
def on_ray(workers: int, server: ServerOptions | None, address: str | None) -> Iterator[Engine]:
    """Play jobs with Ray workers on this machine, or on the cluster at ``address``.

    Every machine needs the checkout at the same path, and everything that ``make server`` installs.

    Raises:
        UsageError: Ray is not installed, or there is no cluster at the address.
    """
    from voxpolis.bridge import ray_host  # noqa: PLC0415 - an extra

    try:
        ray_host.connect(address, workers)
    except RuntimeError as error:
        raise UsageError(str(error)) from error
    ray: Any = importlib.import_module("ray")
    actor = ray.remote(num_cpus=1)(Worker)
    hands = [actor.remote(number, server) for number in range(workers)]

    def play(jobs: Sequence[Job], take: Callable[[Outcome], bool]) -> None:
        waiting, idle = list(reversed(jobs)), list(hands)
        busy: dict[Any, Any] = {}
        while waiting or busy:
            while waiting and idle:
                hand = idle.pop()
                busy[hand.play.remote(waiting.pop())] = hand
            (ready,), _ = ray.wait(list(busy))
            idle.append(busy.pop(ready))
            outcome = ray.get(ready)
            if take(outcome):
                waiting.append(outcome.job)

    try:
        yield play
    finally:
        ray.get([hand.stop.remote() for hand in hands])
        ray_host.disconnect()
