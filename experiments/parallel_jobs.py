"""Conditions of an experiment in processes of their own, several at the same time."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from scenarios.command import DONE, Result
from server.state import ROOT

#: An interrupted run still writes how it ended.
STOP_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Job:
    """One condition: what it is called, and the arguments of ``python`` that play it."""

    name: str
    arguments: Sequence[str]


@dataclass
class Lanes:
    """Plays jobs, one at a time on each server; ``results`` are by the jobs' numbers."""

    jobs: Sequence[Job]
    servers: Sequence[Path]
    results: dict[int, Result] = field(default_factory=dict)

    async def play(self) -> int:
        """Play all; the first that fails ends the others. Returns the exit code."""
        waiting = iter(range(len(self.jobs)))
        lanes = [asyncio.ensure_future(self._lane(folder, waiting)) for folder in self.servers]
        try:
            for lane in asyncio.as_completed(lanes):
                code = await lane
                if code != DONE:
                    return code
            return DONE
        finally:
            for task in lanes:
                task.cancel()
            await asyncio.gather(*lanes, return_exceptions=True)

    async def _lane(self, server: Path, waiting: Iterator[int]) -> int:
        """Play on one server what no other lane has taken."""
        for number in waiting:
            told = f"condition {number + 1} of {len(self.jobs)}: {self.jobs[number].name}"
            print(told, file=sys.stderr)
            code = await self._job(number, server)
            if code != DONE:
                return code
        return DONE

    async def _job(self, number: int, server: Path) -> int:
        job, alone = self.jobs[number], len(self.servers) == 1
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            *job.arguments,
            env={**os.environ, "VOXPOLIS_SERVER": str(server)},
            stdout=asyncio.subprocess.PIPE,
            stderr=None if alone else asyncio.subprocess.PIPE,
            cwd=ROOT,
        )
        try:
            output, _ = await asyncio.gather(_read(process.stdout), _tell(job, process.stderr))
            code = await process.wait()
        finally:
            await _end(process)
        if output.strip():
            self.results[number] = json.loads(output)
        return code


async def _read(stream: asyncio.StreamReader | None) -> bytes:
    assert stream is not None
    return await stream.read()


async def _tell(job: Job, stream: asyncio.StreamReader | None) -> None:
    """Pass on what a job says, with its name before each line."""
    while stream is not None and (line := await stream.readline()):
        print(f"{job.name} · {line.decode(errors='replace').rstrip()}", file=sys.stderr)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Let a job that still runs end in order."""
    if process.returncode is not None:
        return
    with contextlib.suppress(ProcessLookupError):
        process.terminate()
    try:
        await asyncio.wait_for(process.wait(), STOP_TIMEOUT_S)
    except TimeoutError:
        process.kill()
        await process.wait()
