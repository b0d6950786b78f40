"""A host as the bridge has it: calls that wait for replies, and the host's clock."""

from __future__ import annotations

import asyncio
import itertools
import json
import time
from collections import deque
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from voxpolis.bridge.hosts import Host, OnAnswer, OnDown
from voxpolis.bridge.protocol import Answer, Begin, CommandMessage, Reply, TellTime
from voxpolis.records import Clock

# How often the clock of a host on another machine is looked at, and of how many looks the best
# counts: that whose answer took least.
LOOK_S, LOOKS = 5.0, 6


class BridgeError(RuntimeError):
    """The Node side refused or failed; the message says what to do where that is known."""


class HostLostError(BridgeError):
    """The host that was asked is lost, and its bots join anew elsewhere."""


def well_formed(text: str) -> str:
    """The text without lone surrogates, which no encoder takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


class Connection:
    """One host: commands and their replies, by number.

    ``on_answer`` is called in the event loop with what a host says and with what hands over its
    replies, once its events are recorded; ``on_down`` is when it is lost.

    Attributes:
        bots: the names of the bots that live there.
    """

    def __init__(
        self,
        make: Callable[[OnAnswer, OnDown], Host],
        clock: Clock,
        on_answer: Callable[[Connection, Answer, Callable[[], None]], None],
        on_down: Callable[[Connection, str], None],
    ) -> None:
        self.bots: set[str] = set()
        self._clock = clock
        self._on_answer = on_answer
        self._on_down = on_down
        self._ids = itertools.count()
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._loop: asyncio.AbstractEventLoop | None = None
        self._lost: BridgeError | None = None
        self._begun = False
        self._looks: deque[tuple[float, float]] = deque(maxlen=LOOKS)
        self._looking: asyncio.Task[None] | None = None
        self.host = make(self._from_thread(self.receive), self._from_thread(self._down))

    @property
    def is_lost(self) -> bool:
        """Whether nothing can be asked of it any more."""
        return self._lost is not None

    @property
    def clock_file(self) -> str:
        """The server's clock as the host can read it: on other machines there is no such file."""
        return str(self._clock.file or "") if self.host.is_here else ""

    async def open(self) -> None:
        """Start the host.

        Raises:
            BridgeError: it does not start.
        """
        self._loop = asyncio.get_running_loop()
        try:
            await asyncio.to_thread(self.host.open)
        except Exception as error:
            raise BridgeError(f"cannot start Node: {error}") from error

    async def begin(self, threads: int, epoch: int) -> bool:
        """Tell it the game's clock, how many threads bodies have (0: one a core), and the epoch.

        Returns:
            whether it was to be told: it is once.
        """
        if self._begun:
            return False
        self._begun = True
        clock = self._clock
        times: dict[str, Any] = {"speed": clock.speed, "anchor_ms": clock.anchor * 1000}
        times |= {"clock_file": self.clock_file}
        await self.request(Begin, **times, threads=threads, epoch=epoch)
        if not self.host.is_here:
            await self._look()
            self._looking = asyncio.create_task(self._keep_looking())
        return True

    async def close(self) -> None:
        """End the host."""
        if self._looking is not None:
            self._looking.cancel()
        await asyncio.to_thread(self.host.close)

    def lose(self, error: BridgeError) -> None:
        """Fail all calls that wait, and all that come."""
        self._lost = error
        if self._looking is not None:
            self._looking.cancel()
        self.fail(error)

    def fail(self, error: BridgeError) -> None:
        """Fail all calls that wait."""
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(error)

    # --- Time ------------------------------------------------------------------------------------

    def time_of(self, ms: float) -> float:
        """The game's Unix time in seconds, of a time in milliseconds of the host's clock."""
        return ms / 1000 - min(self._looks)[1] if self._looks else ms / 1000

    async def _look(self) -> None:
        """Ask for its time, and take the middle of asking and answer for when that was."""
        asked, before = time.monotonic(), self._clock.now()
        there = await self.request(TellTime)
        middle = (before + self._clock.now()) / 2
        self._looks.append((time.monotonic() - asked, there / 1000 - middle))

    async def _keep_looking(self) -> None:
        for number in itertools.count():
            await asyncio.sleep(LOOK_S if number >= LOOKS else 0.1)
            await self._look()

    # --- Calls -----------------------------------------------------------------------------------

    def tell(self, kind: type[CommandMessage], fields: dict[str, Any]) -> None:
        """Send a command whose reply nobody waits for."""
        if self._lost is None:
            self.host.send(kind(id=next(self._ids), **fields).model_dump_json())

    async def request(self, kind: type[CommandMessage], **fields: Any) -> Any:
        """Send a command and wait for its reply's result.

        Raises:
            HostLostError: the host is lost, and its bots join anew.
            BridgeError: the Node side refused, failed, or is gone.
        """
        if self._lost is not None:
            raise self._lost
        command = kind(id=next(self._ids), **fields)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[command.id] = future
        self.host.send(command.model_dump_json())
        try:
            return await future
        finally:
            self._waiting.pop(command.id, None)

    def receive(self, text: str) -> None:
        """Take in an answer of the host's."""
        answer = Answer.model_validate_json(text)
        self._on_answer(self, answer, partial(self._read_replies, answer.replies))

    def _read_replies(self, replies: Sequence[str]) -> None:
        for reply in replies:
            self._read_reply(reply)

    def _read_reply(self, text: str) -> None:
        """Hand a reply to the call that waits for it; one that cannot be read fails that call."""
        try:
            fields = json.loads(well_formed(json.dumps(json.loads(text), ensure_ascii=False)))
            future = self._waiting.get(fields["id"])
        except (ValueError, TypeError, KeyError, RecursionError):
            return
        if future is None or future.done():
            return
        try:
            reply = Reply.model_validate(fields)
        except ValueError as error:
            future.set_exception(BridgeError(f"a reply that cannot be read: {error}"))
            return
        if reply.ok:
            future.set_result(reply.result)
        else:
            future.set_exception(BridgeError(reply.error))

    def _down(self, reason: str) -> None:
        if self._lost is None:
            self._on_down(self, reason)

    def _from_thread(self, method: Callable[[str], None]) -> Callable[[str], None]:
        """A function that has ``method`` called in the event loop, unless that has ended."""

        def call(text: str) -> None:
            if self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(method, text)

        return call
