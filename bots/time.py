"""The time of a society: the time of the game, or simulated time.

Modules wait only through :class:`Time`. :class:`RealTime` follows the clock of the server. In
:class:`SimulatedTime`, time jumps to the next moment as soon as all tasks are asleep. A simulated
day therefore passes as fast as the machine allows, and the result does not depend on the machine's
speed.
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

# --- Periodic work --------------------------------------------------------------------------------

# The shortest period in seconds, which is one tick of the game; our value.
LEAST_S = 0.05


@dataclass(slots=True)
class Delay:
    """A wait of known length in periodic work. The work needs no task in order to wait.

    Attributes:
        seconds: the length of the wait.
        key: see :meth:`Time.sleep`.
        then: continues the work.
    """

    seconds: float
    key: int
    then: Callable[[], None]


# Work that has to wait.
Wait = Coroutine[Any, Any, None] | Delay


@dataclass(frozen=True, slots=True)
class Schedule:
    """Periodic work, and the times at which it is done.

    Attributes:
        run: does the work once. If the work has to wait, ``run`` returns a coroutine or, if
            :attr:`Time.has_delays` is true, possibly a :class:`Delay`.
        firsts: the pauses in seconds before the first run, before the second run, and so on.
        period: the pause in seconds between the end of a later run and the next run.
        key: see :meth:`Time.sleep`.
        failed: is called with the error if an error ends the work.
    """

    run: Callable[[], Wait | None]
    firsts: tuple[float, ...]
    period: float
    key: int
    failed: Callable[[Exception], None]


class StartedCoroutine:
    """A coroutine that has already run up to its first await.

    Awaiting this object runs the remainder.
    """

    def __init__(self, work: Coroutine[Any, Any, None], awaited: Any) -> None:
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

# The number that is added to the key of a task that waits for an answer from outside the process.
# The number is larger than the key of any agent.
AFTER_ALL_WAKE = 2**32


class _PeriodicTask:
    """Periodic work that runs in its own task."""

    def __init__(self, time: Time, rhythm: Schedule) -> None:
        self._task = time.start(self._live(time, rhythm))

    async def _live(self, time: Time, rhythm: Schedule) -> None:
        try:
            for pause in itertools.chain(rhythm.firsts, itertools.repeat(rhythm.period)):
                await time.sleep(pause, rhythm.key)
                work = rhythm.run()
                if work is not None:
                    await time.finish(work)
        except Exception as error:
            rhythm.failed(error)

    def end(self) -> asyncio.Task[None] | None:
        """Stop the work. Cancel and return its task, if there is one."""
        self._task.cancel()
        return self._task


class Time(ABC):
    """The clock of a society, in seconds since the start, with methods that wait.

    Attributes:
        has_delays: whether periodic work may return a :class:`Delay`.
    """

    has_delays = False

    @abstractmethod
    def now(self) -> float:
        """Return the seconds since the start."""

    @abstractmethod
    async def sleep(self, seconds: float, key: int = 0) -> None:
        """Wait.

        If several tasks wake at the same moment, the task with the lowest ``key`` runs first.
        """

    async def call(self, answer: Coroutine[Any, Any, T], seconds: float, key: int = 0) -> T:
        """Wait for an answer from outside, such as a model's.

        In simulated time this takes ``seconds``.
        """
        return await answer

    def waits_for(self, seconds: float) -> bool:
        """Return whether :meth:`call` is needed to wait for an answer that takes ``seconds``."""
        return True

    async def finish(self, work: Wait) -> None:
        """Wait until periodic work has ended."""
        if isinstance(work, Delay):
            await self.sleep(work.seconds, work.key)
            work.then()
        else:
            await work

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        return asyncio.create_task(work)

    def repeat(self, rhythm: Schedule) -> _PeriodicTask | _PeriodicSteps:
        """Start periodic work, and return an object that can end the work."""
        return _PeriodicTask(self, rhythm)

    async def gather(self, works: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
        tasks = [asyncio.create_task(work) for work in works]
        try:
            return await asyncio.gather(*tasks)
        finally:  # if one fails, the others still have to write their records
            await _cut_off(tasks, works)


class RealTime(Time):
    """Time that follows the clock of a server."""

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
    """Cancel tasks and wait until they have written their records.

    Close coroutines that never began.
    """
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for work in works:
        work.close()  # avoids Python's warning that a coroutine was never awaited


class _PeriodicSteps:
    """Periodic work that needs no task of its own unless it has to wait.

    With 100,000 such objects, each wake-up is a cache miss. The code therefore accesses few other
    objects.
    """

    __slots__ = ("_pauses", "_rhythm", "_run", "_task", "_time", "pause", "then")

    def __init__(self, time: SimulatedTime, rhythm: Schedule) -> None:
        self._time = time
        self._rhythm: Schedule | None = rhythm
        self._run = rhythm.run
        self._task: asyncio.Task[None] | None = None
        # The remainder of work during a delay.
        self.then: Callable[[], None] | None = None
        # The pauses before the first runs; None when all of them have passed.
        self._pauses: Iterator[float] | None = iter(rhythm.firsts)
        # The pause before the next run, in seconds.
        self.pause = rhythm.period
        self._sleep(rhythm)

    def step(self) -> bool:
        """Run the work once, and return whether the caller must put the work to sleep now.

        Work that has to wait continues after its delay, or in a task. Such work later goes to sleep
        by itself, not through the caller.
        """
        rhythm = self._rhythm
        if rhythm is None:
            return False
        try:
            if self.then is not None:
                then, self.then = self.then, None
                then()
                self._sleep(rhythm)
                return False
            work = self._run()
            if work is not None and self._waits(rhythm, work):
                return False
        except Exception as error:
            rhythm.failed(error)
            return False
        if self._pauses is not None:
            self._choose_pause(rhythm)
        return True

    def _waits(self, rhythm: Schedule, work: Wait) -> bool:
        """Begin to wait for the end of the work. Return False if the work has already ended."""
        if isinstance(work, Delay):
            self.then = work.then
            self._time.due_in(work.seconds).append((work.key, 0, self))
            return True
        try:
            awaited = work.send(None)
        except StopIteration:
            return False
        self._task = self._time.start(self._go_on(rhythm, StartedCoroutine(work, awaited)))
        return True

    def _choose_pause(self, rhythm: Schedule) -> None:
        pause = None if self._pauses is None else next(self._pauses, None)
        if pause is None:
            self._pauses, self.pause = None, rhythm.period
        else:
            self.pause = pause

    def _sleep(self, rhythm: Schedule) -> None:
        self._choose_pause(rhythm)
        self._time.due_in(self.pause).append((rhythm.key, 0, self))

    async def _go_on(self, rhythm: Schedule, begun: Awaitable[None]) -> None:
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


# Something that sleeps: its key; if the order matters, a number that says when it went to sleep;
# and a future or periodic work.
_Sleeper = tuple[int, int, asyncio.Future[None] | _PeriodicSteps]
_KEY = itemgetter(0)


class _Ahead(dict[float, list[_Sleeper]]):
    """For each number of seconds, the list of sleepers that wake then; created on first use."""

    def __init__(self, make: Callable[[float], list[_Sleeper]]) -> None:
        self._make = make

    def __missing__(self, seconds: float) -> list[_Sleeper]:
        made = self[seconds] = self._make(seconds)
        return made


class SimulatedTime(Time):
    """Simulated time: a queue of the moments at which asyncio tasks wake."""

    def __init__(
        self,
        clock: SimulatedClock,
        stand_still: Callable[[], Awaitable[None]] | None = None,
        *,
        outside: bool = False,
    ) -> None:
        """Create the time.

        Args:
            clock: a clock that is set to the simulated time, so that the record shows the simulated
                time.
            stand_still: a function that is called and awaited before time goes on to the next
                moment.
            outside: whether answers come from outside this process. If so, tasks that wake at the
                same moment run one after another: each starts when all earlier tasks are asleep
                again. Otherwise the order in which the answers arrive would change the result.
        """
        self._outside = outside
        self.has_delays = not outside
        self._stand_still = stand_still
        self._clock = clock
        self._began = clock.now()
        self._now = 0.0
        # A heap of the moments at which something wakes, and what wakes at each moment.
        self._moments: list[float] = []
        self._due: dict[float, list[_Sleeper]] = {}
        # What went to sleep at the current moment, by the number of seconds.
        self._ahead = _Ahead(self._due_at)
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
        """Return the list of all sleepers that wake in ``seconds``.

        To add a sleeper, append it to this list.
        """
        return self._ahead[seconds]

    def _due_at(self, seconds: float) -> list[_Sleeper]:
        at = round(self._now + (seconds if seconds > 0 else 0.0), 6)
        if at not in self._due:
            self._due[at] = []
            heapq.heappush(self._moments, at)
        return self._due[at]

    def repeat(self, rhythm: Schedule) -> _PeriodicTask | _PeriodicSteps:
        """Start periodic work.

        Unless answers come from outside, the work needs no task, because it rarely waits.
        """
        return _PeriodicTask(self, rhythm) if self._outside else _PeriodicSteps(self, rhythm)

    async def call(self, answer: Coroutine[Any, Any, T], seconds: float, key: int = 0) -> T:
        """Wait for an answer.

        The answer takes ``seconds`` of simulated time, however long it really takes.

        If answers come from outside, all tasks that wake at the same moment send their questions
        before any answer is awaited. The model can therefore answer several questions at once.
        """
        if not self.waits_for(seconds):
            return await answer
        task = asyncio.ensure_future(answer)
        try:
            await self.sleep(seconds, key + (AFTER_ALL_WAKE if self._outside else 0))
            return await task
        finally:
            if not task.done():  # the task that asked was cancelled and needs no answer
                task.cancel()
                await asyncio.wait([task])  # the answer's task has to write its record
            elif not task.cancelled():
                task.exception()  # suppresses the warning about an error that was never retrieved

    def waits_for(self, seconds: float) -> bool:
        return seconds > 0 or self._outside

    def start(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        """Start a task. Time does not advance until the task sleeps or ends."""
        self._awake += 1
        task = asyncio.create_task(work)
        task.add_done_callback(lambda _: self._doze())
        return task

    async def gather(self, works: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
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
                self._awake += 1  # before this task ends, so that time does not advance in between
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
        """Wake the tasks that are due now, one after another.

        The next task is woken when all tasks that were woken before are asleep again.
        """
        due = self._due[self._now]
        while due:
            sleeper = heapq.heappop(due)[-1]
            if self._rouse(sleeper):
                await self._settle()
        del self._due[heapq.heappop(self._moments)]
        self._ahead.clear()

    async def _wake_together(self) -> None:
        """Wake all tasks that are due now, in the order of their keys.

        A task that goes to sleep for 0 s during the call is woken by the next call.
        """
        is_waking = False
        due = self._due.pop(heapq.heappop(self._moments))
        ahead = self._ahead
        ahead.clear()
        due.sort(key=_KEY)  # a stable sort: among equal keys, the first to go to sleep wakes first
        for entry in due:
            sleeper = entry[-1]
            if type(sleeper) is _PeriodicSteps:
                if sleeper.then is not None and self._awake:  # after the tasks woken before
                    asyncio.get_running_loop().call_soon(sleeper.step)
                    is_waking = True
                    continue
                if is_waking:
                    await asyncio.sleep(0)  # lets the woken tasks run first
                    is_waking = False
                if sleeper.step():
                    ahead[sleeper.pause].append(entry)
            else:
                is_waking = self._rouse(sleeper) or is_waking

    def _rouse(self, sleeper: asyncio.Future[None] | _PeriodicSteps) -> bool:
        """Resume a sleeping task. Return False if no task sleeps here, or if it was cancelled."""
        if isinstance(sleeper, _PeriodicSteps) or sleeper.done():
            return False
        self._awake += 1
        sleeper.set_result(None)
        return True

    def _doze(self) -> None:
        self._awake -= 1
        if self._awake == 0 and self._all_asleep is not None and not self._all_asleep.done():
            self._all_asleep.set_result(None)

    async def _settle(self) -> None:
        """Wait until no task is awake."""
        await asyncio.sleep(0)
        while self._awake > 0:
            self._all_asleep = asyncio.get_running_loop().create_future()
            await self._all_asleep
        self._all_asleep = None
