"""Shows progress: as a bar in a terminal, and otherwise as a line every ten seconds."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

import rich.progress
from rich.console import Console
from rich.markup import escape

LINE_EVERY_S = 10.0
SLOW_S = 1.0


@contextmanager
def notice_if_slow(text: str) -> Iterator[None]:
    """Print ``text`` on standard error if the ``with`` block takes over :data:`SLOW_S` seconds."""
    timer = threading.Timer(SLOW_S, lambda: print(text, file=sys.stderr, flush=True))
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


class Progress:
    """A context manager that shows the progress of a task whose size is known."""

    def __init__(
        self,
        name: str,
        total: int,
        console: Console,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._name, self._total, self._console, self._now = name, total, console, now
        self._began = self._told = now()
        self._bar = rich.progress.Progress(
            console=console, transient=True, disable=not console.is_terminal
        )
        self._task = self._bar.add_task(escape(name), total=total)

    def __enter__(self) -> Self:
        self._bar.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def at(self, done: int) -> None:
        self._bar.update(self._task, completed=done)
        now = self._now()
        if self._console.is_terminal or now - self._told < LINE_EVERY_S:
            return
        self._told = now
        left = (now - self._began) * (self._total - done) / done if done else 0.0
        estimate = f", about {left:.0f} s left" if done else ""
        line = f"{self._name}: {done / self._total:.0%}{estimate}"
        self._console.print(line, soft_wrap=True)
