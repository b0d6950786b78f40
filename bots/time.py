"""The time that a society lives in: the game's own, or one that is computed.

Modules only ever wait through :class:`Time`. In :class:`RealTime` that is the clock of the server;
in :class:`SimulatedTime` the next moment comes when everybody who was awake sleeps again, so
a day passes as fast as the machine allows, and what happens does not depend on how fast that is.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from typing import Any, Protocol, TypeVar

from records import Clock, SimulatedClock

T = TypeVar("T")

#: Is added to the key of who waits for an answer from outside: larger than the key of any agent.
AFTER_ALL_WAKE = 2**32


class Time(Protocol):
    """Seconds since the society's beginning, and ways to let them pass."""

    def now(self) -> float:
        """Return the seconds since the beginning."""

    async def sleep(self, seconds: float, key: int = 0) -> None:
        """Let time pass; of those who wake at the same moment the lowest ``key`` is first."""

    async def call(self, answer: Coroutine[Any, Any, T], seconds: float, key: int = 0) -> T:
        """Return an answer from outside, a model's; simulated, it comes after ``seconds``."""

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task that lives in this time, and return it."""

    async def together(self, works: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
        """Do several things at once and return what came of each."""


class RealTime:
    """The time of a server's clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = clock.now()

    def now(self) -> float:
        """Return the seconds of game time since the beginning."""
        return self._clock.now() - self._began

    async def sleep(self, seconds: float, key: int = 0) -> None:
        """Let game time pass."""
        await self._clock.sleep(seconds)

    async def call(self, answer: Coroutine[Any, Any, T], seconds: float, key: int = 0) -> T:
        """Wait for an answer as long as it takes."""
        return await answer

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task."""
        return asyncio.create_task(work)

    async def together(self, works: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
        """Do several things at once and return what came of each."""
        return await asyncio.gather(*works)


class SimulatedTime:
    """Computed time: an event queue over asyncio tasks."""

    def __init__(
        self,
        clock: SimulatedClock,
        stand_still: Callable[[], Awaitable[None]] | None = None,
        *,
        outside: bool = False,
    ) -> None:
        """Begin.

        Args:
            clock: is set along, from where it stands, so that the record tells this time.
            stand_still: is waited for before each moment.
            outside: whether answers come from outside this process. Then those who wake at the
                same moment do so one after another, each when all before sleep again: else the
                order in which answers happen to arrive would show.
        """
        self._outside = outside
        self._stand_still = stand_still
        self._clock = clock
        self._began = clock.now()
        self._now = 0.0
        self._sleepers: list[tuple[float, int, int, asyncio.Future[None]]] = []
        self._order = itertools.count()
        self._awake = 0
        self._all_asleep: asyncio.Future[None] | None = None

    def now(self) -> float:
        """Return the seconds since the beginning."""
        return self._now

    async def sleep(self, seconds: float, key: int = 0) -> None:
        """Let simulated time pass."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        at = round(self._now + max(seconds, 0.0), 6)
        heapq.heappush(self._sleepers, (at, key, next(self._order), future))
        self._doze()
        await future

    async def call(self, answer: Coroutine[Any, Any, T], seconds: float, key: int = 0) -> T:
        """Wait for an answer; it takes ``seconds`` here, however long it takes outside.

        Where answers come from outside, all who wake at a moment ask before the first of the
        answers that are due then is waited for: they are on their way together.
        """
        if seconds <= 0 and not self._outside:
            return await answer
        task = asyncio.ensure_future(answer)
        try:
            await self.sleep(seconds, key + (AFTER_ALL_WAKE if self._outside else 0))
            return await task
        finally:
            if not task.done():  # who asked is ended meanwhile: nobody wants the answer
                task.cancel()
                await asyncio.wait([task])  # it has a record to write
            elif not task.cancelled():
                task.exception()  # an error that nobody waited for is no news

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task; the next moment waits for it, too."""
        self._awake += 1
        task = asyncio.create_task(work)
        task.add_done_callback(lambda _: self._doze())
        return task

    async def together(self, works: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
        """Do several things at once; who waits for them sleeps meanwhile."""
        if not works:
            return []
        results: dict[int, T] = {}
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        errors: list[BaseException] = []

        async def one(number: int, work: Coroutine[Any, Any, T]) -> None:
            try:
                results[number] = await work
            except BaseException as error:
                errors.append(error)
            if len(results) + len(errors) == len(works) and not done.done():
                self._awake += 1  # before this task ends, so that no time passes in between
                done.set_result(None)

        for number, work in enumerate(works):
            self.start(one(number, work))
        self._doze()
        await done
        if errors:
            raise errors[0]
        return [results[number] for number in range(len(works))]

    async def pass_until(self, end: float) -> None:
        """Let time pass up to ``end``."""
        await self._settle()
        while self._sleepers and self._sleepers[0][0] <= end:
            if self._stand_still is not None:
                await self._stand_still()
            self._now = self._sleepers[0][0]
            self._clock.set(self._began + self._now)
            while self._sleepers and self._sleepers[0][0] == self._now:
                future = heapq.heappop(self._sleepers)[-1]
                if not future.done():  # its task was cancelled
                    self._awake += 1
                    future.set_result(None)
                    if self._outside:
                        await self._settle()
            await self._settle()
        self._now = end
        self._clock.set(self._began + end)

    def _doze(self) -> None:
        self._awake -= 1
        if self._awake == 0 and self._all_asleep is not None and not self._all_asleep.done():
            self._all_asleep.set_result(None)

    async def _settle(self) -> None:
        """Wait until all tasks of this time sleep."""
        await asyncio.sleep(0)
        while self._awake > 0:
            self._all_asleep = asyncio.get_running_loop().create_future()
            await self._all_asleep
        self._all_asleep = None
