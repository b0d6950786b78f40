"""A batch split among threads: a kernel lets go of Python's lock, so they run side by side."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from voxpolis.grid.core.data import GameError, is_whole
from voxpolis.grid.core.jit import interpret, is_worthwhile, machine_code

# How rules are carried out: as machine code, as plain Python, or as plain Python until machine
# code is worthwhile, which suits a single game. What happens in a game is the same.
Execution = Literal["compiled", "interpreted", "auto"]


class Workers:
    """Runs a kernel on all environments, each thread on its part of them."""

    def __init__(
        self,
        num_envs: int,
        num_threads: int,
        make_scratch: Callable[[], object],
        execution: Execution = "compiled",
    ) -> None:
        """Start the threads, each with room of its own to work in."""
        for name, number in (("num_envs", num_envs), ("num_threads", num_threads)):
            if not is_whole(number, 1, 2**31):
                raise GameError(f"{name} is a whole number from 1 to below 2**31, not {number!r}")
        self._made_of = (num_envs, num_threads, make_scratch, execution)
        self._execution = execution
        self._kernels: dict[Any, Any] = {}
        self._parts = _parts(num_envs, num_threads)
        self._scratch = [make_scratch() for _ in self._parts]
        others = len(self._parts) - 1
        self._pool = ThreadPoolExecutor(others) if others else None
        self._owner = os.getpid()

    def __reduce__(self) -> tuple[Any, ...]:
        """Copies and pickles have threads and room of their own."""
        return Workers, self._made_of

    def run(self, kernel: Any, tables: object, state: object, *args: Any) -> None:
        """Call ``kernel(tables, state, scratch, low, high, *args)`` for every part."""
        function = self._kernels.get(kernel) or self._ready(
            kernel, tables, state, self._scratch[0], 0, 0, *args
        )
        if self._pool is None:
            function(tables, state, self._scratch[0], *self._parts[0], *args)
            return
        if os.getpid() != self._owner:  # a fork has none of the threads, and would wait for ever
            self._pool, self._owner = ThreadPoolExecutor(len(self._parts) - 1), os.getpid()
        first, *others = zip(self._scratch, self._parts, strict=True)
        working = [
            self._pool.submit(function, tables, state, scratch, *part, *args)
            for scratch, part in others
        ]
        scratch, part = first  # this thread does its part, too
        function(tables, state, scratch, *part, *args)
        for work in working:
            work.result()

    def _ready(self, kernel: Any, *args: Any) -> Any:
        """Return what carries out a kernel; machine code is used from then on."""
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
