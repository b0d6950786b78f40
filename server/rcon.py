"""A client for RCON, the protocol for remote commands that Minecraft shares with Valve's Source."""

from __future__ import annotations

import asyncio
import contextlib
import struct
from collections.abc import AsyncIterator
from typing import Self

LOGIN, COMMAND, ANSWER, END_MARK = 3, 2, 0, 200
TIMEOUT_S = 10.0
# The server splits longer answers into parts of this many characters, so a full part has at least
# as many bytes.
PART_BYTES = 4096
MAX_PACKET_BYTES = 1 << 20


class RconError(RuntimeError):
    """The server does not answer, or rejects the password."""


class Rcon:
    """A connection to the RCON port of a server. Use it as ``async with Rcon(…) as rcon``.

    Commands that are given at the same time are sent one after another. The next command is sent
    after the answer to the previous command has arrived.
    """

    def __init__(self, host: str, port: int, password: str, timeout_s: float = TIMEOUT_S) -> None:
        self.host = host
        self.port = port
        self._password = password
        self._timeout_s = timeout_s
        self._lock = asyncio.Lock()
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self._next_id = 1
        self._exchanges: set[asyncio.Task[str]] = set()

    async def __aenter__(self) -> Self:
        """Connect and log in.

        Raises:
            RconError: the server does not answer, or the password is wrong.
        """
        async with self._failing(f"RCON at {self.host}:{self.port}"):
            self._streams = await asyncio.open_connection(self.host, self.port)
            await self._send(LOGIN, self._password)
            number, _, _ = await self._receive()
        if number == -1:
            await self.close()
            raise RconError(f"RCON at {self.host}:{self.port} refuses the password")
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Close the connection. Closing it repeatedly is allowed."""
        for exchange in self._exchanges:
            exchange.cancel()
        await asyncio.gather(*self._exchanges, return_exceptions=True)
        if self._streams is not None:
            self._streams[1].close()
            self._streams = None

    async def command(self, line: str) -> str:
        """Send a command (without a slash), and return the server's answer.

        If the caller is cancelled, the answer is nevertheless read before the next command is sent.
        Otherwise the next command would receive this answer.

        Raises:
            RconError: the connection is gone, or no answer came in time.
        """
        exchange = asyncio.create_task(self._exchange(line))
        self._exchanges.add(exchange)
        exchange.add_done_callback(self._exchanged)
        return await asyncio.shield(exchange)

    def _exchanged(self, exchange: asyncio.Task[str]) -> None:
        self._exchanges.discard(exchange)
        if not exchange.cancelled():
            # Read the exception, so that asyncio does not warn if the caller was cancelled.
            exchange.exception()

    async def _exchange(self, line: str) -> str:
        async with self._lock, self._failing(f"RCON command {line.split(' ', 1)[0]!r}"):
            number, answered, answer = await self._send(COMMAND, line), None, b""
            while answered != number:  # late answers to earlier commands are skipped
                answered, _, answer = await self._receive()
            if len(answer) >= PART_BYTES:
                answer += await self._further_parts()
            return answer.decode("utf-8", "replace")

    async def _further_parts(self) -> bytes:
        """Return the remaining parts of an answer whose first part has full size.

        To find the last part, send a second packet, the mark, and read until the answer to the mark
        arrives. The mark is not sent together with the command, because the vanilla server closes
        the connection if two packets arrive together.
        """
        mark = await self._send(END_MARK, "")
        parts = b""
        while True:
            answered, _, body = await self._receive()
            if answered == mark:
                return parts
            parts += body

    async def _send(self, kind: int, body: str) -> int:
        number, self._next_id = self._next_id, self._next_id + 1
        data = body.encode()
        _, writer = self._connection()
        writer.write(struct.pack("<iii", len(data) + 10, number, kind) + data + b"\0\0")
        await writer.drain()
        return number

    async def _receive(self) -> tuple[int, int, bytes]:
        reader, _ = self._connection()
        (length,) = struct.unpack("<i", await reader.readexactly(4))
        if not 10 <= length <= MAX_PACKET_BYTES:
            raise OSError(f"a packet of {length} bytes")
        packet = await reader.readexactly(length)
        number, kind = struct.unpack("<ii", packet[:8])
        return number, kind, packet[8:-2]

    def _connection(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        if self._streams is None:
            raise OSError("not connected")
        return self._streams

    @contextlib.asynccontextmanager
    async def _failing(self, what: str) -> AsyncIterator[None]:
        """Convert timeouts and broken connections to :class:`RconError`."""
        timeout = asyncio.timeout(self._timeout_s)
        try:
            async with timeout:
                yield
        except (OSError, asyncio.IncompleteReadError) as error:
            reason = "the server closed the connection"
            if timeout.expired():
                reason = f"no answer in {self._timeout_s:g} s"
            elif isinstance(error, OSError) and not isinstance(error, ConnectionResetError):
                reason = error.strerror or str(error)
            raise RconError(f"{what}: {reason}") from error


class RconPool:
    """Several connections to the same RCON port, for more commands than one connection can handle.

    Use it as ``async with RconPool(…) as rcon``. Commands that are given at the same time run in
    any order. If the caller awaits each command, they run in sequence.
    """

    def __init__(
        self, host: str, port: int, password: str, connections: int, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._all = [Rcon(host, port, password, timeout_s) for _ in range(connections)]
        self._free: asyncio.LifoQueue[Rcon] = asyncio.LifoQueue()
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> Self:
        """Connect and log in.

        Raises:
            RconError: the server does not answer, or the password is wrong.
        """
        async with contextlib.AsyncExitStack() as stack:
            for rcon in self._all:
                self._free.put_nowait(await stack.enter_async_context(rcon))
            self._stack = stack.pop_all()
        return self

    async def __aexit__(self, *error: object) -> None:
        await self._stack.aclose()

    async def command(self, line: str) -> str:
        """Send a command, and return the server's answer; see :meth:`Rcon.command`.

        Raises:
            RconError: a connection is gone, or no answer came in time.
        """
        rcon = await self._free.get()
        try:
            return await rcon.command(line)
        finally:
            self._free.put_nowait(rcon)
