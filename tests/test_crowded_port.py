"""The embedded server's port beside hundreds of connections of one address: who is honest joins."""

from __future__ import annotations

import asyncio
import contextlib
import select
import socket

import pytest
import pytest_asyncio

from tests.test_hostile_clients import SOON_S, connected, hello, is_closed
from voxpolis.bridge import Bridge, MinecraftWorld
from voxpolis.server import Rcon, ping
from voxpolis.server.state import read_password

#: As many of one address may be joining, and the first of them may have to go for a new one.
MOST_JOINING, FIRST_TO_GO = 250, 50
#: New connections before each thing that the honest client says.
NEW_A_STEP = 20
STYLES = ("silent", "shaken hands", "logging in", "slow")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def rcon(server):
    async with Rcon(server.host, server.rcon_port, read_password()) as rcon:
        yield rcon


class Crowd:
    """Connections of one attacker: held, and made anew as often as the test says."""

    def __init__(self, server, style: str) -> None:
        self.server, self.style = server, style
        self.open: dict[socket.socket, bytes] = {}
        self.closed = 0
        self.made = 0

    def grow(self, count: int) -> None:
        """Make so many more, and wait until as many as are too many were closed."""
        for _ in range(count):
            one = socket.create_connection((self.server.host, self.server.port), timeout=SOON_S)
            self.made += 1
            said = hello(self.server, f"Crowd{self.made}")
            shake = 1 + said[0]
            now = {"shaken hands": shake, "logging in": len(said)}.get(self.style, 0)
            one.sendall(said[:now])
            self.open[one] = said[now:]
        self.wait_for(self.made - MOST_JOINING)

    def wait_for(self, closed: int) -> None:
        """Until the server has closed so many; each slow one meanwhile says a byte."""
        if self.style == "slow":
            for one, rest in self.open.items():
                with contextlib.suppress(ConnectionError):
                    one.sendall(rest[:1])
                self.open[one] = rest[1:]
        while self.closed < closed:
            poll = select.poll()  # more than select takes
            known = {one.fileno(): one for one in self.open}
            for number in known:
                poll.register(number, select.POLLIN)
            ready = poll.poll(SOON_S * 1000)
            assert ready, f"the server closed {self.closed} and not {closed} of {self.made}"
            for number, _ in ready:
                self.look(known[number])

    def look(self, one: socket.socket) -> None:
        with contextlib.suppress(ConnectionError):
            if one.recv(1 << 16):
                return
        one.close()
        del self.open[one]
        self.closed += 1

    def end(self) -> None:
        for one in self.open:
            one.close()


@contextlib.contextmanager
def crowd(server, style):
    crowd = Crowd(server, style)
    try:
        crowd.grow(MOST_JOINING)
        yield crowd
    finally:
        crowd.end()


@contextlib.asynccontextmanager
async def way_through(server, before_each):
    """A port that hands on to the server's, and does something before what a client says."""

    async def hand_on(reader, writer, first):
        with contextlib.suppress(ConnectionError):
            while data := await reader.read(1 << 16):
                first()
                writer.write(data)
                await writer.drain()
        writer.close()

    async def serve(reader, writer):
        theirs = await asyncio.open_connection(server.host, server.port)
        before_each()
        await asyncio.gather(
            hand_on(reader, theirs[1], before_each), hand_on(theirs[0], writer, lambda: None)
        )

    way = await asyncio.start_server(serve, server.host, 0)
    try:
        yield way.sockets[0].getsockname()[1]
    finally:
        way.close()


@pytest.mark.parametrize("style", STYLES)
async def test_a_real_client_joins_beside_hundreds_that_come_all_the_time(server, rcon, style):
    with crowd(server, style) as attacker:
        joined = False

        def grow():
            if not joined:
                attacker.grow(NEW_A_STEP)

        async with way_through(server, grow) as port, Bridge(server.clock()) as bridge:
            world = MinecraftWorld(rcon, bridge, server.host, port)
            await world.enter(["Anna"])
            joined = True
            assert "Anna" in await rcon.command("list")
            run = await world.bodies["Anna"].run("console.log(1 + 1)", timeout_s=SOON_S)
            assert (run.status, run.logs) == ("done", ["2"])
        # it said several things, and for each there were new ones
        assert attacker.closed >= 3 * NEW_A_STEP


@pytest.mark.parametrize("style", ["silent", "shaken hands", "logging in"])
async def test_who_is_slow_and_not_silent_joins_beside_more_than_there_may_be(server, style):
    with crowd(server, style) as attacker, connected(server) as slow:
        before = attacker.made
        for byte in hello(server, "Snail"):
            slow.sendall(bytes([byte]))
            attacker.grow(NEW_A_STEP // 2)
        assert attacker.made - before > MOST_JOINING
        assert slow.recv(1)  # the server answers to its login


async def test_those_that_came_last_stay_however_much_the_first_ones_say(server):
    with crowd(server, "slow") as attacker, connected(server) as honest:
        attacker.wait_for(1)  # all say something after it
        for _ in range((MOST_JOINING - FIRST_TO_GO) // NEW_A_STEP - 1):
            attacker.grow(NEW_A_STEP)
        honest.sendall(hello(server, "Calm"))
        assert honest.recv(1)


async def test_one_that_stays_silent_goes(server):
    with connected(server) as silent, crowd(server, "silent"):
        assert is_closed(silent)
        assert (await ping(server.host, server.port)).version == "1.20.4"
