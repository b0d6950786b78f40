"""The status of a server, as a Minecraft client shows it in its list of servers."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass

TIMEOUT_S = 5.0
ANY_PROTOCOL = -1
STATUS = 1


@dataclass(frozen=True)
class Status:
    """The answer of a server."""

    version: str
    players: int
    max_players: int


async def ping(host: str, port: int, timeout_s: float = TIMEOUT_S) -> Status:
    """Ask a server for its status.

    Raises:
        OSError: no Minecraft server answers at this address.
        TimeoutError: no answer came in time.
    """
    async with asyncio.timeout(timeout_s):
        reader, writer = await asyncio.open_connection(host, port)
        try:
            name = host.encode()
            handshake = b"\0" + _varint(ANY_PROTOCOL) + _varint(len(name)) + name
            handshake += port.to_bytes(2, "big") + _varint(STATUS)
            writer.write(_packet(handshake) + _packet(b"\0"))
            await writer.drain()
            await _read_varint(reader)  # the length of the packet
            await _read_varint(reader)  # the id of the packet
            answer = json.loads(await reader.readexactly(await _read_varint(reader)))
            players = answer["players"]
            return Status(answer["version"]["name"], players["online"], players["max"])
        except (asyncio.IncompleteReadError, ValueError, KeyError, TypeError) as error:
            raise OSError(f"{host}:{port} is not a Minecraft server") from error
        finally:
            writer.close()


def _varint(value: int) -> bytes:
    value &= 0xFFFFFFFF
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def _packet(body: bytes) -> bytes:
    return _varint(len(body)) + body


async def _read_varint(reader: asyncio.StreamReader) -> int:
    value = 0
    for shift in range(0, 35, 7):
        (byte,) = await reader.readexactly(1)
        value |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return value
    raise ValueError("a number is too long")
