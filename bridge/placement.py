"""The distribution of bots among hosts, and what happens when a host is lost."""

from __future__ import annotations

import asyncio
import contextlib
import os
import time
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass
from typing import Any

from voxpolis.bridge.connection import BridgeError, Connection, HostLostError
from voxpolis.bridge.hosts import ChildHost, Host, HostPlan, OnAnswer, OnDown
from voxpolis.bridge.link import Link, is_free
from voxpolis.bridge.protocol import (
    Answer,
    ClearSignals,
    CommandMessage,
    Neighbours,
    Observe,
    Prepare,
    Quit,
    Run,
    Spawn,
)
from voxpolis.bridge.signals import SignalRouter
from voxpolis.records import Clock
from voxpolis.records.programs import CodeError

# If this many hosts, or this many connections of one bot, are lost within this many seconds, the
# run fails, because the cause evidently continues.
MAX_LOSSES, LOST_WITHIN_S = 3, 60.0
# How often a bot tries to rejoin, and the pause between two attempts in seconds. The server may not
# have noticed yet that the bot left.
ATTEMPTS, RETRY_S = 10, 1.0
# These commands are sent again after a bot has rejoined. Other commands would no longer have a
# purpose.
REPEATED_CALLS = (Observe, Prepare)


@dataclass(frozen=True)
class PlacementCallbacks:
    """Functions that are called in the event loop when something happens to hosts and bots.

    Attributes:
        answered: a host has answered. The last argument is a function that delivers the replies in
            the answer to the commands that wait for them.
        lost: a host is lost. The arguments are the host, the names of its bots and the reason.
        back: a bot has rejoined. The second argument is how long this took, in real seconds.
        broken: the run cannot continue. The argument is the reason.
    """

    answered: Callable[[Connection, Answer, Callable[[], None]], None]
    lost: Callable[[Connection, Sequence[str], str], None]
    back: Callable[[str, float], None]
    broken: Callable[[str], None]


async def join_in_waves(names: Sequence[str], join: Callable[[str], Awaitable[object]]) -> None:
    """Let bots join in waves: a wave begins when all bots of the wave before it are ready.

    The first wave is one bot. Each wave is twice as large as the wave before it, unless the time
    per bot has grown. If it has grown, the machine is busy enough, and the next wave is half as
    large.

    Raises:
        BridgeError: a bot cannot join.
    """
    size, last_s, waiting = 1, float("inf"), list(names)
    while waiting:
        wave, waiting = waiting[:size], waiting[size:]
        began = time.monotonic()
        for outcome in await asyncio.gather(*map(join, wave), return_exceptions=True):
            if isinstance(outcome, BaseException):
                raise outcome
        each_s = (time.monotonic() - began) / len(wave)
        size, last_s = size * 2 if each_s <= last_s else max(1, size // 2), each_s


class Placement:
    """The hosts of a bridge, and which bot is on which host.

    Attributes:
        homes: the host of each bot; None while the bot is rejoining.
        post: delivers signals between hosts.
        fault: the reason why the run cannot continue; None if it can.
    """

    def __init__(
        self, clock: Clock, plan: HostPlan, rejoins: bool, hears: PlacementCallbacks
    ) -> None:
        self.homes: dict[str, Connection | None] = {}
        self.post = SignalRouter(self.homes, lambda host, kind, fields: host.tell(kind, fields))
        self.fault: str | None = None
        self._clock = clock
        self._plan = plan
        self._rejoins = rejoins
        self._hears = hears
        self._hosts: list[Connection] = []
        self._threads = 0
        self._has_cluster = False
        self._is_closing = False
        self._opening = asyncio.Lock()
        self._spawns: dict[str, dict[str, Any]] = {}
        self._returning: dict[str, asyncio.Event] = {}
        self._lost_at: deque[float] = deque(maxlen=MAX_LOSSES)
        self._bot_lost_at: dict[str, deque[float]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def hosts(self) -> list[Connection]:
        return self._hosts

    # --- Hosts ------------------------------------------------------------------------------------

    async def start(self) -> None:
        """Start the first host.

        Raises:
            BridgeError: the host does not start.
        """
        if self._plan.engine == "ray":
            from voxpolis.bridge import ray_host  # noqa: PLC0415 - an extra

            try:
                # This must run in the main thread.
                self._has_cluster = ray_host.connect(self._plan.address)
            except RuntimeError as error:
                raise BridgeError(str(error)) from error
        try:
            await self._open()
        except BridgeError:
            await self.close()
            raise

    async def ensure_hosts(self, bots: int) -> None:
        """Start as many hosts as this number of bots needs.

        Raises:
            BridgeError: a host does not start.
        """
        cores = os.cpu_count() or 1
        is_ray = self._plan.engine == "ray"
        if is_ray:
            from voxpolis.bridge import ray_host  # noqa: PLC0415 - an extra

            cores = ray_host.cores()
        wanted = self._plan.wanted(bots, cores)
        async with self._opening:
            missing = wanted - len(self._hosts)
            await asyncio.gather(*(self._open() for _ in range(missing)))
        self._threads = 1 if is_ray else 0 if wanted == 1 else max(1, cores // wanted)

    def reachable(self, server: str) -> str:
        """Return an address of the server that all hosts can use.

        Raises:
            BridgeError: a host cannot reach the server.
        """
        if self._plan.engine == "local":
            return "127.0.0.1" if server == "0.0.0.0" else server
        from voxpolis.bridge import ray_host  # noqa: PLC0415 - an extra

        try:
            return ray_host.reachable(server)
        except RuntimeError as error:
            raise BridgeError(str(error)) from error

    async def _open(self) -> None:
        host = Connection(self._make, self._clock, self._hears.answered, self._down)
        await host.open()
        self._hosts.append(host)

    def _make(self, on_answer: OnAnswer, on_down: OnDown) -> Host:
        if self._plan.engine == "ray":
            from voxpolis.bridge.ray_host import RayHost  # noqa: PLC0415 - an extra

            return RayHost(on_answer, on_down)
        # A Python process can have only one Node process, even after this has ended.
        if self._hosts or not is_free():
            return ChildHost(on_answer, on_down)
        return Link(on_answer, on_down)

    async def _least_loaded(self, name: str) -> Connection:
        while True:
            async with self._opening:
                if self.fault is not None:
                    raise BridgeError(self.fault)
                if not self._hosts:
                    await self._open()
                host = min(self._hosts, key=lambda host: len(host.bots))
                host.bots.add(name)  # now, because other bots of its wave choose a host too
            try:
                if await host.begin(self._threads, self.post.epoch):
                    self.post.opened(host)
            except HostLostError:
                continue
            return host

    async def close(self) -> None:
        """Take all bots out of the world and end all hosts."""
        self._is_closing = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        leaving = (host.request(Quit, bot=name) for host in self._hosts for name in host.bots)
        await asyncio.gather(*leaving, return_exceptions=True)
        await asyncio.gather(*(host.close() for host in self._hosts))
        if self._has_cluster:
            from voxpolis.bridge import ray_host  # noqa: PLC0415 - an extra

            await asyncio.to_thread(ray_host.disconnect)

    # --- Bots -------------------------------------------------------------------------------------

    async def join(self, name: str, fields: dict[str, Any]) -> None:
        """Let a bot join the server. ``fields`` are those of :class:`bridge.protocol.Spawn`.

        Raises:
            BridgeError: the bot cannot join.
        """
        home, is_new = self.homes.get(name), name not in self.homes
        while True:
            host = home or await self._least_loaded(name)
            try:
                await self._spawn(host, name, fields)
                break
            except HostLostError:
                home = None
            except BridgeError:
                if is_new:
                    host.bots.discard(name)
                raise
        self.homes[name] = host
        self._spawns[name] = fields
        self.post.joined(name, host, self._hosts)

    async def _spawn(self, host: Connection, name: str, fields: dict[str, Any]) -> None:
        host.bots.add(name)
        await host.request(Spawn, bot=name, clock_file=host.clock_file, **fields)

    async def leave(self, name: str) -> None:
        home = self.homes.pop(name, None)
        self._spawns.pop(name, None)
        if (returning := self._returning.pop(name, None)) is not None:
            returning.set()
        self.post.left(name, (host for host in self._hosts if host is not home))
        if home is not None:
            with contextlib.suppress(HostLostError):
                await home.request(Quit, bot=name)
            home.bots.discard(name)

    async def clear_signals(self) -> None:
        if self.fault is not None:
            raise BridgeError(self.fault)
        epoch = self.post.cleared()
        clearing = (host.request(ClearSignals, epoch=epoch) for host in self._hosts)
        for problem in await asyncio.gather(*clearing, return_exceptions=True):
            if isinstance(problem, BaseException) and not isinstance(problem, HostLostError):
                raise problem

    def is_away(self, name: str) -> bool:
        """Return whether a bot has lost its host or connection and has not rejoined yet."""
        return name in self._returning

    async def ask(self, kind: type[CommandMessage], name: str, fields: dict[str, Any]) -> Any:
        """Send a command to a bot's host.

        If the host is lost, send the command to the bot's next host.

        Raises:
            BridgeError: the host refused the command, or the run cannot continue.
        """
        while True:
            host = await self._home_of(name)
            try:
                return await host.request(kind, bot=name, **fields)
            except BridgeError as error:
                if not isinstance(error, HostLostError) and not self.is_away(name):
                    raise
                if kind is Run:
                    return killed_result(str(error))
                if kind not in REPEATED_CALLS:
                    return None

    async def _home_of(self, name: str) -> Connection:
        while (returning := self._returning.get(name)) is not None and self.fault is None:
            await returning.wait()
        home = self.homes.get(name)
        if self.fault is not None or (home is None and not self._hosts):
            raise BridgeError(self.fault or f"there is no bot named {name}")
        return home or self._hosts[0]

    # --- Losses -----------------------------------------------------------------------------------

    def _down(self, host: Connection, reason: str) -> None:
        if host in self._hosts:
            self._hosts.remove(host)
        self._lost_at.append(time.monotonic())
        first = self._lost_at[0] if len(self._lost_at) == MAX_LOSSES else float("-inf")
        if self._lost_at[-1] - first < LOST_WITHIN_S:
            reason = f"{reason}; {MAX_LOSSES} bot hosts were lost within a minute"
        elif self._rejoins and not self._is_closing and self.fault is None:
            self._lose(host, reason)
            return
        host.lose(BridgeError(reason))
        if not self._is_closing:
            self._begin(host.close())
            self._break(reason)

    def lose_bot(self, name: str) -> bool:
        """Let a bot that lost its connection rejoin on its host.

        Return False if this is not possible.
        """
        home = self.homes.get(name)
        if not self._rejoins or self._is_closing or self.fault is not None or home is None:
            return False
        lost_at = self._bot_lost_at.setdefault(name, deque(maxlen=MAX_LOSSES))
        lost_at.append(time.monotonic())
        if len(lost_at) == MAX_LOSSES and lost_at[-1] - lost_at[0] < LOST_WITHIN_S:
            return False
        self._returning.setdefault(name, asyncio.Event())
        self._begin(self._join_again(name, home))
        return True

    async def _join_again(self, name: str, home: Connection) -> None:
        began, problem = time.monotonic(), ""
        for _ in range(ATTEMPTS):
            if self.homes.get(name) is not home or self.fault is not None:
                return
            try:
                await self._spawn(home, name, self._spawns[name])
            except HostLostError:
                return  # the code that handles the lost host lets the bot rejoin
            except BridgeError as error:
                problem = str(error)
                await asyncio.sleep(RETRY_S)
                continue
            self._is_back(name, began)
            return
        self._break(f"{name} could not rejoin: {problem}")

    def _is_back(self, name: str, began: float) -> None:
        if (returning := self._returning.pop(name, None)) is not None:
            returning.set()
            self._hears.back(name, time.monotonic() - began)

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _lose(self, host: Connection, reason: str) -> None:
        names = [name for name, home in self.homes.items() if home is host]
        for name in names:
            self.homes[name] = None
            self._returning.setdefault(name, asyncio.Event())
        self.post.lost(names)
        self._hears.lost(host, names, reason)
        host.lose(HostLostError(reason))
        self._begin(host.close())
        self._begin(self._rejoin_all(names))

    async def _rejoin_all(self, names: Sequence[str]) -> None:
        """Let bots rejoin on a new host. If no host can be started, use the hosts that remain."""
        began = time.monotonic()
        try:
            async with self._opening:
                await self._open()
        except BridgeError as error:
            if not self._hosts:
                return self._break(str(error))
        return await join_in_waves(names, lambda name: self._rejoin(name, began))

    async def _rejoin(self, name: str, began: float) -> None:
        problem = ""
        for _ in range(ATTEMPTS):
            if name not in self._spawns or self.fault is not None:
                return
            try:
                host = await self._least_loaded(name)
                await self._spawn(host, name, self._spawns[name])
            except HostLostError:
                continue
            except BridgeError as error:
                problem = str(error)
                self._failed_to_join(name)
                await asyncio.sleep(RETRY_S)
                continue
            self.homes[name] = host
            self.post.back(name, host)
            self._is_back(name, began)
            return
        self._break(f"{name} could not rejoin: {problem}")

    def _failed_to_join(self, name: str) -> None:
        for host in self._hosts:
            if name in host.bots:
                host.bots.discard(name)
                host.tell(Neighbours, {"joined": [name], "left": []})

    def _break(self, reason: str) -> None:
        """Make all waiting and all later commands fail."""
        if self.fault is not None:
            return
        self.fault = reason
        for host in self._hosts:
            host.fail(BridgeError(reason))
        for returning in self._returning.values():
            returning.set()
        self._hears.broken(reason)


def killed_result(message: str) -> dict[str, Any]:
    """Return the ``RunResult`` of a program that ended because its host was lost."""
    error = CodeError(message=message, line=None, column=None, source=None, done=[])
    return {"status": "killed", "error": error.model_dump(), "logs": [], "seconds": 0.0}
