"""What is done again and again: how often, and what ends it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Generator
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

#: What happens again and again does so after so many seconds at least: a tick of the game. Ours.
LEAST_S = 0.05


@dataclass(frozen=True, slots=True)
class Rhythm:
    """What is done again and again, and when.

    Attributes:
        run: does it once; returns what has to be waited for, if anything has.
        firsts: seconds before the first time, and from then to the next, and so on.
        period: seconds from each later time's end to the next.
        key: see :meth:`Time.sleep`.
        failed: is called with the error that ends it, if one does.
    """

    run: Callable[[], Coroutine[Any, Any, None] | None]
    firsts: tuple[float, ...]
    period: float
    key: int
    failed: Callable[[Exception], None]


class Repeating(Protocol):
    """Something that is done again and again."""

    def end(self) -> asyncio.Task[None] | None:
        """Let it be done no more; return what is under way, which is cut off; None: nothing."""


class Begun:
    """The rest of a coroutine that has run up to where it waits for something."""

    def __init__(self, work: Coroutine[Any, Any, None], awaited: Any) -> None:
        """``awaited``: what the coroutine waits for."""
        self._work = work
        self._awaited = awaited

    def __await__(self) -> Generator[Any, Any, None]:
        awaited = self._awaited
        while True:
            try:
                value = yield awaited
            except BaseException as error:
                step = partial(self._work.throw, error)
            else:
                step = partial(self._work.send, value)
            try:
                awaited = step()
            except StopIteration:
                return
