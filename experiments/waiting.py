"""What people are told while a language model is waited for, and what was learnt of it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable

from voxpolis.bots.models import CallBoard

#: How often it is looked, and after how many seconds of waiting something is said: then after
#: twice as long, and so on.
LOOK_S, FIRST_LINE_S = 0.5, 10.0


@contextlib.asynccontextmanager
async def telling(board: CallBoard, say: Callable[[str], None]) -> AsyncIterator[None]:
    """Say who is waited for, and since when, as long as this is open.

    In the end it is said what all calls took.
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
