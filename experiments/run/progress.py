"""Reports the progress of a run: a line on standard error whenever nothing was printed for five
seconds.
"""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from typing import Self

from voxpolis.bots.models import CallBoard
from voxpolis.records import Clock

LINE_EVERY_S = 5.0
# Durations above this number of seconds are shown in minutes.
MINUTES_FROM_S = 120.0
# Share of a run that must be over before the remaining time is estimated.
LEAST_SHARE = 0.02


class Progress:
    """Prints the progress of a run while its context is open. A separate thread prints, so that
    lines appear even if a simulated game keeps the event loop busy.

    Attributes:
        doing: what the run is doing instead of playing, such as building a world; empty otherwise.
    """

    doing = ""

    def __init__(
        self,
        clock: Clock,
        cases: int,
        every_s: float = LINE_EVERY_S,
        awaited: Counter[str] | None = None,
    ) -> None:
        """Prepare to print.

        Args:
            clock: the game clock.
            cases: number of cases, including cases that were played earlier.
            every_s: number of seconds without output after which a line is printed.
            awaited: number of open questions to each person.
        """
        self._awaited = Counter() if awaited is None else awaited
        self._clock, self._cases, self._every_s = clock, cases, every_s
        self._condition: str | None = None
        self._number = self._first = 0
        self._lasts_s: float | None = None
        self._case_began_s = 0.0
        self._began = self._told = time.monotonic()
        self._is_shown = False
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="progress", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._is_over.set()
        self._thread.join()

    def say(self, text: str) -> None:
        """Print a message on standard error."""
        self._told = time.monotonic()
        print(text, file=sys.stderr, flush=True)

    def begin(self, number: int, condition: str, lasts_s: float | None) -> None:
        """Start a case.

        Args:
            number: number of earlier cases.
            condition: condition of the case.
            lasts_s: duration of the case in game time; None if it is unknown.
        """
        if self._condition is None:
            self._first, self._began = number, time.monotonic()
        self._condition, self._number, self._lasts_s = condition, number, lasts_s
        self._case_began_s = self._clock.now()

    def starts(self) -> None:
        """Start to measure the time of the case. Until now, its world was being prepared."""
        self._case_began_s = self._clock.now()

    def hush(self) -> None:
        """Stop printing the progress, because a live view shows the progress instead."""
        self._is_shown = True

    def line(self) -> str:
        """Return a line with the progress and the estimated time that is left."""
        passed_s = max(0.0, self._clock.now() - self._case_began_s)
        share, of = 0.0, self.doing or f"{_time(passed_s)} of game time"
        if self._lasts_s:
            share = min(1.0, passed_s / self._lasts_s)
            of = self.doing or f"{share:.0%} of its time"
        took_s = time.monotonic() - self._began
        done = (self._number - self._first + share) / max(1, self._cases - self._first)
        left = f", about {_time(took_s * (1 - done) / done)} left" if done > LEAST_SHARE else ""
        name = f" ({self._condition})" if self._condition else ""
        which = f"run {self._number + 1} of {self._cases}{name}"
        people = ", ".join(sorted(+self._awaited))
        waits = f"; waiting for an answer of {people}" if people else ""
        return f"{which}: {of}; {_time(took_s)} so far{left}{waits}"

    def _watch(self) -> None:
        wait_s = self._every_s
        while not self._is_over.wait(wait_s):
            wait_s = self._told + self._every_s - time.monotonic()
            if wait_s > 0:
                continue
            wait_s = self._every_s
            if self._condition is not None and not self._is_shown:
                self.say(self.line())


def _time(seconds: float) -> str:
    return f"{seconds:.0f} s" if seconds < MINUTES_FROM_S else f"{seconds / 60:.0f} min"


# --- Messages while a language model is awaited, and its usage ------------------------------------

# Polling interval, and seconds of waiting before the first message; the interval between messages
# then doubles.
LOOK_S, FIRST_LINE_S = 0.5, 10.0


@contextlib.asynccontextmanager
async def report_waiting(board: CallBoard, say: Callable[[str], None]) -> AsyncIterator[None]:
    """Print for which models the run waits, and since when, while the context is open.

    At the end, print the usage of all calls.
    """
    task = asyncio.create_task(_tell(board, say))
    try:
        yield
    finally:
        task.cancel()
        _say_notes(board, say)
        if board.calls or board.cut_off:
            say(f"models: {board.total()}")


async def _tell(board: CallBoard, say: Callable[[str], None]) -> None:
    next_line_s = FIRST_LINE_S
    while True:
        await asyncio.sleep(LOOK_S)
        _say_notes(board, say)
        waited = board.longest_wait()
        if waited < FIRST_LINE_S:
            next_line_s = FIRST_LINE_S
        elif waited >= next_line_s:
            say(board.line())
            next_line_s = 2 * waited


def _say_notes(board: CallBoard, say: Callable[[str], None]) -> None:
    while board.notes:
        say(f"model {board.notes.pop(0)}")
