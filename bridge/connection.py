"""The connection to a host: commands that wait for replies, and the host's clock."""

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

# The clock of a host on another machine is read every LOOK_S seconds. Of the last LOOKS readings,
# the one with the shortest round trip counts.
LOOK_S, LOOKS = 5.0, 6


class BridgeError(RuntimeError):
    """Node refused a command or failed. The message says what can be done, if this is known."""


class HostLostError(BridgeError):
    """The host was lost while it carried out a command. Its bots rejoin on another host."""


def well_formed(text: str) -> str:
    """Replace unpaired surrogates, which cannot be encoded."""
    return text.encode("utf-8", "replace").decode("utf-8")


class Connection:
    """The connection to one host. Each reply contains the number of the command to which it
    belongs.

    ``on_answer`` is called in the event loop with each answer of the host, which contains events
    and replies. The last argument of ``on_answer`` is a function that delivers the replies to the
    commands that wait for them. Call this function after the events have been recorded.
    ``on_down`` is called when the host is lost.

    Attributes:
        bots: the names of the bots on the host.
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
        """True if the host is lost and no longer answers."""
        return self._lost is not None

    @property
    def clock_file(self) -> str:
        """The path of the server's clock file; empty for a host on another machine."""
        return str(self._clock.file or "") if self.host.is_here else ""

    async def open(self) -> None:
        """Start the host.

        Raises:
            BridgeError: the host does not start.
        """
        self._loop = asyncio.get_running_loop()
        try:
            await asyncio.to_thread(self.host.open)
        except Exception as error:
            raise BridgeError(f"cannot start Node: {error}") from error

    async def begin(self, threads: int, epoch: int) -> bool:
        """Send the host its first command, with the clock of the game.

        Args:
            threads: the number of threads of the host; 0 means one per core.
            epoch: the number of times that all signals have been discarded.

        Returns:
            True if this was the first call; later calls send nothing.
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
        if self._looking is not None:
            self._looking.cancel()
        await asyncio.to_thread(self.host.close)

    def lose(self, error: BridgeError) -> None:
        """Make all waiting and all later commands fail."""
        self._lost = error
        if self._looking is not None:
            self._looking.cancel()
        self.fail(error)

    def fail(self, error: BridgeError) -> None:
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(error)

    # --- Time -------------------------------------------------------------------------------------

    def time_of(self, ms: float) -> float:
        """Convert milliseconds of the host's clock to the Unix time of the game in seconds."""
        return ms / 1000 - min(self._looks)[1] if self._looks else ms / 1000

    async def _look(self) -> None:
        """Ask for the time of the host, and store the difference from this machine's clock.

        The host is assumed to have read its clock halfway between the question and the answer.
        """
        asked, before = time.monotonic(), self._clock.now()
        there = await self.request(TellTime)
        middle = (before + self._clock.now()) / 2
        self._looks.append((time.monotonic() - asked, there / 1000 - middle))

    async def _keep_looking(self) -> None:
        for number in itertools.count():
            await asyncio.sleep(LOOK_S if number >= LOOKS else 0.1)
            await self._look()

    # --- Calls ------------------------------------------------------------------------------------

    def tell(self, kind: type[CommandMessage], fields: dict[str, Any]) -> None:
        """Send a command without waiting for the reply."""
        if self._lost is None:
            self.host.send(kind(id=next(self._ids), **fields).model_dump_json())

    async def request(self, kind: type[CommandMessage], **fields: Any) -> Any:
        """Send a command, and return the result of the reply.

        Raises:
            HostLostError: the host is lost, and its bots will rejoin.
            BridgeError: Node refused the command, failed, or is gone.
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
        answer = Answer.model_validate_json(text)
        self._on_answer(self, answer, partial(self._read_replies, answer.replies))

    def _read_replies(self, replies: Sequence[str]) -> None:
        for reply in replies:
            self._read_reply(reply)

    def _read_reply(self, text: str) -> None:
        """Pass a reply to the command that is waiting for it.

        An unreadable reply makes the command fail.
        """
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
            future.set_exception(BridgeError(f"the reply cannot be read: {error}"))
            return
        if reply.ok:
            future.set_result(reply.result)
        else:
            future.set_exception(BridgeError(reply.error))

    def _down(self, reason: str) -> None:
        if self._lost is None:
            self._on_down(self, reason)

    def _from_thread(self, method: Callable[[str], None]) -> Callable[[str], None]:
        """Return a function that calls ``method`` in the event loop, for other threads.

        The returned function does nothing if the event loop is closed.
        """

        def call(text: str) -> None:
            if self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(method, text)

        return call
