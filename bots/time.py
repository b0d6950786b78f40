"""The time that a society lives in: the game's own, or one that is computed.

Modules only ever wait through :class:`Time`. In :class:`RealTime` that is the clock of the server;
in :class:`SimulatedTime` the next moment comes when everybody who was awake sleeps again, so
a day passes as fast as the machine allows, and what happens does not depend on how fast that is.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Coroutine, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from operator import itemgetter
from typing import Any, TypeVar

from voxpolis.records import Clock, SimulatedClock

# --- What is done again and again: how often, and what ends it ------------------------------------

# What happens again and again does so after so many seconds at least: a tick of the game. Ours.
LEAST_S = 0.05


@dataclass(frozen=True, slots=True)
class Rhythm:
    """Repeated work, and its times.

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


# --------------------------------------------------------------------------------------------------

T = TypeVar("T")

# Is added to the key of who waits for an answer from outside: larger than the key of any agent.
AFTER_ALL_WAKE = 2**32


class _Looping:
    """A task that does something again and again."""

    def __init__(self, time: Time, rhythm: Rhythm) -> None:
        self._task = time.start(self._live(time, rhythm))

    async def _live(self, time: Time, rhythm: Rhythm) -> None:
        try:
            for pause in itertools.chain(rhythm.firsts, itertools.repeat(rhythm.period)):
                await time.sleep(pause, rhythm.key)
                work = rhythm.run()
                if work is not None:
                    await work
        except Exception as error:
            rhythm.failed(error)

    def end(self) -> asyncio.Task[None] | None:
        """Let it be done no more; return what is under way, which is cut off; None: nothing."""
        self._task.cancel()
        return self._task


class Time(ABC):
    """Seconds since the society's beginning, and ways to let them pass."""

    @abstractmethod
    def now(self) -> float:
        """Return the seconds since the beginning."""

    @abstractmethod
    async def sleep(self, seconds: float, key: int = 0) -> None:
        """Let time pass; of those who wake at the same moment the lowest ``key`` is first."""

    async def call(self, answer: Coroutine[Any, Any, T], seconds: float, key: int = 0) -> T:
        """Return an answer from outside, a model's; simulated, it comes after ``seconds``."""
        return await answer

    def waits_for(self, seconds: float) -> bool:
        """Return whether an answer that takes so long has to be waited for by :meth:`call`."""
        return True

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task that lives in this time, and return it."""
        return asyncio.create_task(work)

    def repeat(self, rhythm: Rhythm) -> _Looping | _Stepping:
        """Let something be done again and again, and return what ends that."""
        return _Looping(self, rhythm)

    async def together(self, works: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
        """Do several things at once and return what came of each."""
        tasks = [asyncio.create_task(work) for work in works]
        try:
            return await asyncio.gather(*tasks)
        finally:  # where one fails the others have a record to write, too
            await _cut_off(tasks, works)


class RealTime(Time):
    """The time of a server's clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._began = clock.now()

    def now(self) -> float:
        return self._clock.now() - self._began

    async def sleep(self, seconds: float, key: int = 0) -> None:
        await self._clock.sleep(seconds)


async def _cut_off(
    tasks: Sequence[asyncio.Task[Any]], works: Sequence[Coroutine[Any, Any, Any]]
) -> None:
    """End tasks, wait for what they still have to write, and close works that never began."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for work in works:
        work.close()  # of one that never began, Python would warn


class _Stepping:
    """Something that is done again and again without a task, as long as it waits for nothing.

    When one of 100,000 wakes, nothing of it is in the caches: it looks at few objects.
    """

    __slots__ = ("_pauses", "_rhythm", "_run", "_task", "_time", "pause")

    def __init__(self, time: SimulatedTime, rhythm: Rhythm) -> None:
        self._time = time
        self._rhythm: Rhythm | None = rhythm
        self._run = rhythm.run
        self._task: asyncio.Task[None] | None = None
        # The pauses before the usual ones; None: there are no more.
        self._pauses: Iterator[float] | None = iter(rhythm.firsts)
        # For how long it sleeps next.
        self.pause = rhythm.period
        self._sleep(rhythm)

    def step(self) -> bool:
        """Do it once; return whether it is to sleep now. What waits for something goes on as a
        task, and sleeps by itself.
        """
        rhythm = self._rhythm
        if rhythm is None:
            return False
        try:
            work = self._run()
            awaited = None if work is None else work.send(None)
        except StopIteration:
            work = None
        except Exception as error:
            rhythm.failed(error)
            return False
        if work is not None:
            self._task = self._time.start(self._go_on(rhythm, Begun(work, awaited)))
            return False
        if self._pauses is not None:
            self._choose_pause(rhythm)
        return True

    def _choose_pause(self, rhythm: Rhythm) -> None:
        pause = None if self._pauses is None else next(self._pauses, None)
        if pause is None:
            self._pauses, self.pause = None, rhythm.period
        else:
            self.pause = pause

    def _sleep(self, rhythm: Rhythm) -> None:
        self._choose_pause(rhythm)
        self._time.due_in(self.pause).append((rhythm.key, 0, self))

    async def _go_on(self, rhythm: Rhythm, begun: Awaitable[None]) -> None:
        try:
            await begun
            self._sleep(rhythm)
        except Exception as error:
            rhythm.failed(error)

    def end(self) -> asyncio.Task[None] | None:
        self._rhythm = None
        if self._task is not None:
            self._task.cancel()
        return self._task


# Somebody who sleeps: its key, in which order it went to sleep where that is looked at, and what.
_Sleeper = tuple[int, int, asyncio.Future[None] | _Stepping]
_KEY = itemgetter(0)


class SimulatedTime(Time):
    """Computed time: what is due at each moment, over asyncio tasks."""

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
        # Moments at which somebody wakes, as a heap; by moment who does: key, order, and what.
        self._moments: list[float] = []
        self._due: dict[float, list[_Sleeper]] = {}
        # Those of these that were asked for at this moment, by how many seconds ahead.
        self._ahead: dict[float, list[_Sleeper]] = {}
        self._order = itertools.count()
        self._awake = 0
        self._all_asleep: asyncio.Future[None] | None = None

    def now(self) -> float:
        return self._now

    async def sleep(self, seconds: float, key: int = 0) -> None:
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._wake(future, seconds, key)
        self._doze()
        await future

    def _wake(self, sleeper: asyncio.Future[None], seconds: float, key: int) -> None:
        due = self.due_in(seconds)
        if self._outside:
            heapq.heappush(due, (key, next(self._order), sleeper))
        else:
            due.append((key, 0, sleeper))

    def due_in(self, seconds: float) -> list[_Sleeper]:
        """Return who wakes after some time; whoever is added does, too."""
        due = self._ahead.get(seconds)
        if due is None:
            at = round(self._now + (seconds if seconds > 0 else 0.0), 6)
            if at not in self._due:
                self._due[at] = []
                heapq.heappush(self._moments, at)
            due = self._ahead[seconds] = self._due[at]
        return due

    def repeat(self, rhythm: Rhythm) -> _Looping | _Stepping:
        """Let something be done again and again.

        Where nothing comes from outside, that needs no task: most of it waits for nothing.
        """
        return _Looping(self, rhythm) if self._outside else _Stepping(self, rhythm)

    async def call(self, answer: Coroutine[Any, Any, T], seconds: float, key: int = 0) -> T:
        """Wait for an answer; it takes ``seconds`` here, however long it takes outside.

        Where answers come from outside, all who wake at a moment ask before the first of the
        answers that are due then is waited for: they are on their way together.
        """
        if not self.waits_for(seconds):
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

    def waits_for(self, seconds: float) -> bool:
        return seconds > 0 or self._outside

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task; the next moment waits for it, too."""
        self._awake += 1
        task = asyncio.create_task(work)
        task.add_done_callback(lambda _: self._doze())
        return task

    async def together(self, works: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
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

        tasks = [self.start(one(number, work)) for number, work in enumerate(works)]
        self._doze()
        try:
            await done
        except asyncio.CancelledError:
            await _cut_off(tasks, works)
            raise
        if errors:
            raise errors[0]
        return [results[number] for number in range(len(works))]

    async def pass_until(self, end: float) -> None:
        await self._settle()
        while self._moments and self._moments[0] <= end:
            if self._stand_still is not None:
                await self._stand_still()
            self._go_to(self._moments[0])
            await (self._wake_in_turn() if self._outside else self._wake_together())
            await self._settle()
        self._go_to(end)

    def _go_to(self, moment: float) -> None:
        self._now = moment
        self._ahead.clear()
        self._clock.set(self._began + moment)

    async def _wake_in_turn(self) -> None:
        """Wake those whose time has come, each when all before sleep again."""
        due = self._due[self._now]
        while due:
            sleeper = heapq.heappop(due)[-1]
            if self._rouse(sleeper):
                await self._settle()
        del self._due[heapq.heappop(self._moments)]
        self._ahead.clear()

    async def _wake_together(self) -> None:
        """Wake those whose time has come, by their keys; who sleeps for no time waits for them."""
        is_waking = False
        due = self._due.pop(heapq.heappop(self._moments))
        self._ahead.clear()
        due.sort(key=_KEY)  # of one key in the order in which they went to sleep
        for entry in due:
            sleeper = entry[-1]
            if type(sleeper) is _Stepping:
                if is_waking:
                    await asyncio.sleep(0)  # they come first
                    is_waking = False
                if sleeper.step():
                    self.due_in(sleeper.pause).append(entry)
            else:
                is_waking = self._rouse(sleeper) or is_waking

    def _rouse(self, sleeper: asyncio.Future[None] | _Stepping) -> bool:
        """Let a task go on, and return whether it does: it may have been cancelled."""
        if isinstance(sleeper, _Stepping) or sleeper.done():
            return False
        self._awake += 1
        sleeper.set_result(None)
        return True

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
