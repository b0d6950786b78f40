"""Distributes the environments of a batch among threads. Compiled kernels release Python's global
lock (GIL), so the threads run in parallel.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from voxpolis.grid.core.data import GameError, is_whole
from voxpolis.grid.core.jit import interpret, is_worthwhile, machine_code
from voxpolis.grid.core.packing import Packed, pack

# How rules are executed: compiled, interpreted, or interpreted until compiling saves time (which
# suits a single game). A game proceeds identically in all cases.
Execution = Literal["compiled", "interpreted", "auto"]


class Workers:
    """Runs a kernel on all environments, with each thread working on a part of them."""

    def __init__(
        self,
        num_envs: int,
        num_threads: int,
        scratch: tuple[Any, ...],
        execution: Execution = "compiled",
    ) -> None:
        """Start the threads, each with its own copy of the working memory ``scratch``."""
        for name, number in (("num_envs", num_envs), ("num_threads", num_threads)):
            if not is_whole(number, 1, 2**31):
                raise GameError(
                    f"{name} must be a whole number from 1 to 2**31 - 1, not {number!r}"
                )
        self._made_of = (num_envs, num_threads, scratch, execution)
        self._execution = execution
        self._kernels: dict[Any, Any] = {}
        self._parts = _parts(num_envs, num_threads)
        self._scratch = [pack(scratch) for _ in self._parts]
        others = len(self._parts) - 1
        self._pool = ThreadPoolExecutor(others) if others else None
        self._owner = os.getpid()

    def __reduce__(self) -> tuple[Any, ...]:
        """Let copies and unpickled objects start their own threads, with new working memory."""
        return Workers, self._made_of

    def run(self, kernel: Any, tables: Packed, state: Packed, *args: Any) -> None:
        """Call ``kernel(tables, state, scratch, low, high, *args)`` for each part of the
        environments. All tuples are packed.
        """
        function = self._kernels.get(kernel) or self._ready(
            kernel, tables, state, self._scratch[0], 0, 0, *args
        )
        if self._pool is None:
            function(tables, state, self._scratch[0], *self._parts[0], *args)
            return
        # after a fork, the child has none of the threads and would wait forever
        if os.getpid() != self._owner:
            self._pool, self._owner = ThreadPoolExecutor(len(self._parts) - 1), os.getpid()
        first, *others = zip(self._scratch, self._parts, strict=True)
        working = [
            self._pool.submit(function, tables, state, scratch, *part, *args)
            for scratch, part in others
        ]
        scratch, part = first  # this thread also does its share
        function(tables, state, scratch, *part, *args)
        for work in working:
            work.result()

    def _ready(self, kernel: Any, *args: Any) -> Any:
        """Return a function that runs a kernel. The kernel is interpreted at first, and compiled as
        soon as this saves time.
        """
        if self._execution == "interpreted":
            return interpret(kernel)
        if self._execution == "auto" and not is_worthwhile(kernel):
            return interpret(kernel)
        self._kernels[kernel] = machine_code(kernel, *args)
        return self._kernels[kernel]

    def close(self) -> None:
        if self._pool is not None:
            self._pool.shutdown()


def _parts(environments: int, threads: int) -> list[tuple[int, int]]:
    edges = np.linspace(0, environments, min(threads, environments) + 1).astype(int)
    return [(int(low), int(high)) for low, high in pairwise(edges)]
