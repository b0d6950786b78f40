"""Ports of the embedded server: other programs, RCON, hostile clients, many connections."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import select
import socket
import struct
import subprocess
import time
import uuid

import pytest
import pytest_asyncio
from mcrcon import MCRcon
from mcstatus import JavaServer

from tests.conftest import ROOT, run_module
from voxpolis.bridge import Bridge, MinecraftWorld
from voxpolis.environment import node_executable
from voxpolis.server import Rcon, RconError, RconPool, ping
from voxpolis.server.running import command
from voxpolis.server.state import log_file, read_password

# Examples in tests/plugins.mjs, and the package that each needs.
EXAMPLES = {
    "comes": "pathfinder",
    "collects": "collectblock",
    "fights": "pvp",
}
MOTD = "voxpolis embedded server"


@pytest.fixture(scope="module")
def played(server):
    """Return each example's result: an error, or nothing."""
    done = subprocess.run(
        [
            node_executable(),
            str(ROOT / "tests" / "plugins.mjs"),
            *[server.host, str(server.port), str(server.rcon_port)],
        ],
        env={**os.environ, "VOXPOLIS_RCON_PASSWORD": read_password()},
        capture_output=True,
        text=True,
        timeout=200,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, done.stdout + done.stderr
    return {line["name"]: line["error"] for line in lines}


@pytest.mark.parametrize("example", EXAMPLES, ids=EXAMPLES.values())
def test_a_plugin_example_runs(played, example):
    assert played[example] == ""


def test_mcstatus_can_read_the_status(server):
    java = JavaServer.lookup(f"{server.host}:{server.port}")
    status = java.status()
    assert (status.version.name, status.version.protocol) == ("1.20.4", 765)
    assert (status.players.online, status.players.max) == (0, 2000)
    assert status.motd.to_plain() == MOTD
    assert java.ping() > 0
    query = java.query()
    assert (query.software.version, query.map_name, query.players.list) == ("1.20.4", "world", [])


def test_mcrcon_can_run_commands(server):
    with MCRcon(server.host, read_password(), port=server.rcon_port) as client:
        assert client.command("time set 6000") == "Set the time to 6000"
        assert client.command("seed") == "Seed: [1]"
        assert client.command("nonsense").startswith("Unknown or incomplete command")


VERSION = 765
# Packet numbers of login and play.
LOGIN_START, LOGIN_ACKNOWLEDGED, CONFIGURED = 0x00, 0x03, 0x02
CONFIRM, CHAT, POSITION, DIG = 0x00, 0x05, 0x17, 0x21
START, CANCEL, FINISH = 0, 1, 2
# A teleport number greater than all others: confirms all teleports.
ALL = 1000
HOME = (0.5, 151.0, 0.5)
SOON_S = 60
# Ticks within which a change is sent to all players.
TOLD_TICKS = 3


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def rcon(server):
    async with Rcon(server.host, server.rcon_port, read_password()) as rcon:
        await rcon.command("gamerule keepInventory true")
        await rcon.command("fill -30 149 -30 30 150 30 stone")
        await rcon.command("fill -30 151 -30 30 156 30 air")
        await rcon.command("setworldspawn 0 151 0")
        yield rcon


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def text(value):
    data = value.encode("utf-8", "surrogatepass")
    return varint(len(data)) + data


def framed(number, body=b""):
    packet = varint(number) + body
    return varint(len(packet)) + packet


def hello(server, name):
    """Return the packets that a joining client sends."""
    shake = framed(0, varint(VERSION) + text("localhost") + struct.pack(">H", server.port) + b"\2")
    return shake + framed(LOGIN_START, text(name) + uuid.uuid4().bytes)


def place(x, y, z, on_ground=True):
    return framed(POSITION, struct.pack(">ddd?", x, y, z, on_ground))


def said(line):
    return framed(CHAT, text(line) + struct.pack(">qq?b", 0, 0, False, 0) + b"\0\0\0")


def dig(status, x, y, z):
    packed = (x & 0x3FFFFFF) << 38 | (z & 0x3FFFFFF) << 12 | y & 0xFFF
    return framed(DIG, varint(status) + struct.pack(">QB", packed, 1) + varint(0))


@contextlib.contextmanager
def connected(server):
    with socket.create_connection((server.host, server.port), timeout=SOON_S) as connection:
        yield connection


def is_closed(connection):
    """Return True if the server closes the connection, possibly after other packets."""
    with contextlib.suppress(ConnectionError):
        while connection.recv(1 << 20):
            pass
    return True


@contextlib.contextmanager
def playing(server, name):
    """Yield a raw client that is in the world and has confirmed its position."""
    with connected(server) as connection:
        connection.sendall(hello(server, name))
        connection.recv(1)
        connection.sendall(framed(LOGIN_ACKNOWLEDGED))
        connection.sendall(framed(CONFIGURED) + framed(CONFIRM, varint(ALL)))
        connection.setblocking(False)
        yield connection


async def settled(rcon, connection, name, condition):
    """Wait until a condition holds for the server's position of a player."""
    until = time.monotonic() + SOON_S
    while time.monotonic() < until:
        with contextlib.suppress(BlockingIOError):
            connection.recv(1 << 20)
        said = await rcon.command(f"data get entity {name} Pos")
        if "[" in said:
            numbers = said[said.index("[") + 1 : said.index("]")].split(",")
            at = tuple(float(number.strip().rstrip("d")) for number in numbers)
            if condition(at):
                return at
    raise AssertionError(f"{name}: {said}")


async def test_the_server_does_not_wait_for_an_overlong_frame(server):
    for announced in (b"\x80\x80\x80\x80\x08", b"\xff\xff\xff\xff\x0f", b"\xff\xff\x7f", b"\x00"):
        with connected(server) as connection:
            connection.sendall(announced)
            assert is_closed(connection)
    assert (await ping(server.host, server.port)).version == "1.20.4"


async def test_a_flood_of_bytes_does_not_delay_other_clients(server):
    with connected(server) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(b"\xff\xff\xff\x7f" + bytes(50_000_000))
        began = time.monotonic()
        await ping(server.host, server.port)
        assert time.monotonic() - began < SOON_S / 2


@pytest.mark.parametrize(
    "name",
    ["", "a" * 500, "../../etc", "a\ud800b"],
)
async def test_an_invalid_name_is_refused(server, rcon, name):
    with connected(server) as connection:
        connection.sendall(hello(server, name))
        assert is_closed(connection)
    assert "There are 0 of" in await rcon.command("list")


@pytest.mark.parametrize(("version", "intention"), [(340, 2), (767, 2), (VERSION, 3)])
async def test_a_refused_login_is_closed_at_once(server, version, intention):
    port = struct.pack(">H", server.port)
    shake = framed(0, varint(version) + text(server.host) + port + varint(intention))
    with socket.create_connection((server.host, server.port), timeout=10) as connection:
        connection.sendall(shake + framed(0, text("Some") + uuid.uuid4().bytes))
        received = b""
        while part := connection.recv(4096):
            received += part
    assert (b"multiplayer.disconnect" in received) == (intention == 2)


async def test_silent_connections_are_limited_and_do_not_block_others(server, rcon):
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(connected(server)) for _ in range(400)]
        assert is_closed(held[0])  # the connection that was silent longest is dropped
        assert (await ping(server.host, server.port)).version == "1.20.4"
        with playing(server, "Late"):
            until = time.monotonic() + SOON_S
            while "Late" not in await rcon.command("list"):
                assert time.monotonic() < until


async def test_players_cannot_move_too_far(server, rcon):
    await rcon.command("fill 0 150 -12 400 150 12 stone")
    await rcon.command("fill 0 151 -12 400 153 12 air")
    with playing(server, "Speedy") as client:
        await settled(rcon, client, "Speedy", lambda at: abs(at[1] - 151) < 1)
        x, y, z = await settled(rcon, client, "Speedy", lambda _: True)
        for step in (5000, 9, 2.5):
            client.sendall(place(x + step, y, z) + framed(CONFIRM, varint(ALL)))
        client.sendall(place(x + 1, y, z))
        await settled(rcon, client, "Speedy", lambda at: at[0] == pytest.approx(x + 1))
        for step in range(1, 200):  # a stalled client may make up for a hundred blocks, not more
            client.sendall(place(x + 1 + 1.9 * step, y, z) + framed(CONFIRM, varint(ALL)))
        await settled(rcon, client, "Speedy", lambda at: at[0] > x + 50)
        for _ in range(20):
            at = await settled(rcon, client, "Speedy", lambda _: True)
        assert at[0] < x + 200


WALLS = ["stone", "glass_pane[north=true,south=true]", "iron_door[facing=west]"]


@pytest.mark.parametrize("wall", WALLS)
async def test_players_cannot_walk_through_walls(server, rcon, wall):
    await rcon.command(f"fill 2 151 -30 2 156 30 {wall}")
    built = await game_time(rcon)
    while await game_time(rcon) < built + TOLD_TICKS:
        pass
    with playing(server, "Ghost") as client:
        await settled(rcon, client, "Ghost", lambda _: True)
        await rcon.command("tp Ghost {} {} {}".format(*HOME))
        x, y, z = await settled(rcon, client, "Ghost", lambda at: at == HOME)
        client.sendall(framed(CONFIRM, varint(ALL)))
        for step in range(1, 20):  # steps shorter and longer than the wall's thickness
            client.sendall(place(x + 0.4 * step, y, z) + framed(CONFIRM, varint(ALL)))
        client.sendall(place(x + 3, y, z) + framed(CONFIRM, varint(ALL)))
        at = await settled(rcon, client, "Ghost", lambda at: at[0] > x)
        client.sendall(place(at[0], y, z - 1))
        at = await settled(rcon, client, "Ghost", lambda at: at[2] == pytest.approx(z - 1))
        assert at[0] < 2.6
    await rcon.command("fill 2 151 -30 2 156 30 air")


async def game_time(rcon):
    return int((await rcon.command("time query gametime")).split()[-1])


async def test_players_cannot_float_in_the_air(server, rcon):
    name, rise = "Kite", 0.3
    with playing(server, name) as client:
        x, y, z = await settled(rcon, client, name, lambda at: abs(at[1] - 151) < 1)
        ups = [place(x, y + step * 0.4, z, on_ground=False) for step in range(1, 5)]
        hangs = [place(x, y + 1.6 + step * rise, z, on_ground=step % 3 == 0) for step in range(90)]
        client.setblocking(True)
        client.sendall(b"".join([*ups, *hangs]))
        assert is_closed(client)
    assert f"{name} was kicked for floating too long" in log_file().read_text()


async def test_a_player_who_floods_the_chat_is_kicked_and_delays_no_one(server, rcon):
    with playing(server, "Flood") as client:
        await settled(rcon, client, "Flood", lambda _: True)
        client.setblocking(True)
        with contextlib.suppress(ConnectionError):
            client.sendall(b"".join(map(said, map(str, range(20_000)))))
        assert is_closed(client)
    until = time.monotonic() + SOON_S
    while "Flood" in await rcon.command("list"):
        assert time.monotonic() < until
    assert 0 < log_file().read_text().count("<Flood>") < 2000  # out of 20,000


@pytest.mark.parametrize("line", ["a\nb", "§4red"])
async def test_a_player_who_sends_untypable_characters_is_kicked(server, rcon, line):
    with playing(server, "Forger") as client:
        await settled(rcon, client, "Forger", lambda _: True)
        client.setblocking(True)
        client.sendall(said(line) + said("still here"))
        assert is_closed(client)
    assert "<Forger>" not in log_file().read_text()


async def test_a_player_who_sends_unreadable_packets_is_kicked_with_few_log_lines(server, rcon):
    before = log_file().stat().st_size
    with playing(server, "Garbler") as client:
        await settled(rcon, client, "Garbler", lambda at: abs(at[1] - 151) < 1)
        client.setblocking(True)
        with contextlib.suppress(ConnectionError):
            client.sendall(framed(POSITION, b"\xff" * 5000) * 200 + framed(CHAT, b"\x7f") * 200)
        assert is_closed(client)
    assert log_file().read_text().count("Garbler was kicked for an invalid position") == 1
    assert log_file().stat().st_size - before < 100_000


async def test_digging_requires_reach_and_time(server, rcon):
    with playing(server, "Digger") as client:
        x, _, z = await settled(rcon, client, "Digger", lambda at: abs(at[1] - 151) < 1)
        await rcon.command("gamemode survival Digger")
        near, far = (int(x) + 1, 150, int(z)), (int(x) + 20, 150, int(z))
        for block in (near, far):
            client.sendall(dig(START, *block) + dig(FINISH, *block) + dig(CANCEL, *block))
        client.sendall(place(x, 151, z + 0.25))
        await settled(rcon, client, "Digger", lambda at: at[2] == pytest.approx(z + 0.25))
        for block in (near, far):
            assert "Could not set" in await rcon.command("setblock {} {} {} stone".format(*block))


async def test_the_server_still_works_after_all_attacks(server):
    assert "There are 0 of" in await command(server, "list")
    assert run_module("server", "status").returncode == 0


# Maximum number of joining connections per address.
MOST_JOINING = 250
# New connections before each packet of the honest client.
NEW_A_STEP = 20
STYLES = ("slow",)


class Crowd:
    """An attacker's connections: kept open, and renewed as often as the test requires."""

    def __init__(self, server, style: str) -> None:
        self.server, self.style = server, style
        self.open: dict[socket.socket, bytes] = {}
        self.closed = 0
        self.made = 0

    def grow(self, count: int) -> None:
        """Open more connections, and wait until the excess ones are closed."""
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
        """Wait until a number of connections are closed; slow connections send a byte meanwhile."""
        if self.style == "slow":
            for one, rest in self.open.items():
                with contextlib.suppress(ConnectionError):
                    one.sendall(rest[:1])
                self.open[one] = rest[1:]
        while self.closed < closed:
            poll = select.poll()  # more than select supports
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
    """Yield a port that forwards to the server, with a call before each client packet."""

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
async def test_a_real_client_joins_despite_hundreds_of_new_connections(server, rcon, style):
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
        # the client sent several packets, with new connections before each
        assert attacker.closed >= 3 * NEW_A_STEP


async def test_each_of_several_connections_receives_its_own_answers(server):
    pool = RconPool(server.host, server.rcon_port, read_password(), 3)
    async with pool as rcon:
        answers = await asyncio.gather(*(rcon.command(f"nothing{n}x") for n in range(30)))
    assert all(f"nothing{n}x" in answer for n, answer in enumerate(answers))
    with pytest.raises(RconError, match="refuses the password"):
        async with RconPool(server.host, server.rcon_port, "wrong", 2):
            pass


async def test_commands_without_a_login_are_refused(server):
    reader, writer = await asyncio.open_connection(server.host, server.rcon_port)
    writer.write(b"\x0e\0\0\0\x01\0\0\0\x02\0\0\0list\0\0")
    answer = await asyncio.wait_for(reader.readexactly(14), 60)
    writer.close()
    assert answer[4:8] == b"\xff\xff\xff\xff"


async def test_concurrent_commands_receive_their_own_answers(rcon):
    answers = await asyncio.gather(*(rcon.command(f"tp nobody{i} 0 0 0") for i in range(20)))
    assert answers == ["No entity was found"] * 20


async def test_each_part_of_a_long_answer_consists_of_whole_characters(server):
    """A vanilla server cuts after 4096 characters; libraries decode each part."""
    reader, writer = await asyncio.open_connection(server.host, server.rcon_port)

    async def exchange(kind, body):
        data = body.encode()
        writer.write(struct.pack("<iii", len(data) + 10, 1, kind) + data + b"\0\0")

    async def part():
        (length,) = struct.unpack("<i", await asyncio.wait_for(reader.readexactly(4), 60))
        return (await reader.readexactly(length))[8:-2].decode()

    await exchange(3, read_password())
    await part()
    nonsense = "é雪😀" * 2000
    for first in ("", "x", "xx", "xxx"):
        await exchange(2, first + nonsense)
        parts = [await part()]
        while len(parts[-1].encode("utf-16-le")) >= 2 * 4096:
            parts.append(await part())
        assert "".join(parts).splitlines()[1] == f"{first}{nonsense}<--[HERE]"
        assert len(parts) == 2
    writer.close()


@pytest.mark.parametrize("length", [4096 - 68, 20_000])
async def test_answers_longer_than_a_packet_are_complete(rcon, length):
    nonsense = "é" + "x" * length
    assert await rcon.command(nonsense) == (
        f"Unknown or incomplete command, see below for error\n{nonsense}<--[HERE]"
    )
    assert await rcon.command("gamerule pvp") == "Gamerule pvp is currently set to: true"
