"""The embedded server against clients that mean no good, by raw sockets."""

from __future__ import annotations

import contextlib
import socket
import struct
import time
import uuid

import pytest
import pytest_asyncio

from tests.conftest import run_module
from voxpolis.server import Rcon, ping
from voxpolis.server.running import command
from voxpolis.server.state import log_file, read_password

VERSION = 765
#: Packets by number: of the login, and of play.
LOGIN_START, LOGIN_ACKNOWLEDGED, CONFIGURED = 0x00, 0x03, 0x02
CONFIRM, CHAT, POSITION, DIG = 0x00, 0x05, 0x17, 0x21
START, CANCEL, FINISH = 0, 1, 2
#: More teleports than there are: confirms all.
ALL = 1000
HOME = (0.5, 151.0, 0.5)
SOON_S = 60
#: A change is told to all within so many ticks.
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
    """The packets of a client that joins."""
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
    """Whether the server closes the connection, whatever it says before."""
    with contextlib.suppress(ConnectionError):
        while connection.recv(1 << 20):
            pass
    return True


@contextlib.contextmanager
def playing(server, name):
    """A raw client in the world, which confirms where it is put and then says what it likes."""
    with connected(server) as connection:
        connection.sendall(hello(server, name))
        connection.recv(1)
        connection.sendall(framed(LOGIN_ACKNOWLEDGED))
        connection.sendall(framed(CONFIGURED) + framed(CONFIRM, varint(ALL)))
        connection.setblocking(False)
        yield connection


async def settled(rcon, connection, name, condition):
    """Wait until a condition holds of where the server says that a player is."""
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


async def test_a_frame_that_is_announced_too_long_is_not_waited_for(server):
    for announced in (b"\x80\x80\x80\x80\x08", b"\xff\xff\xff\xff\x0f", b"\xff\xff\x7f", b"\x00"):
        with connected(server) as connection:
            connection.sendall(announced)
            assert is_closed(connection)
    assert (await ping(server.host, server.port)).version == "1.20.4"


async def test_a_flood_of_bytes_holds_up_nobody(server):
    with connected(server) as connection:
        with contextlib.suppress(ConnectionError):
            connection.sendall(b"\xff\xff\xff\x7f" + bytes(50_000_000))
        began = time.monotonic()
        await ping(server.host, server.port)
        assert time.monotonic() - began < SOON_S / 2


@pytest.mark.parametrize(
    "name",
    ["", "a" * 17, "a" * 500, "Anna\n", "../../etc", "An na", "Änna", "§4Anna", "a\ud800b"],
)
async def test_a_name_that_breaks_the_rule_is_refused(server, rcon, name):
    with connected(server) as connection:
        connection.sendall(hello(server, name))
        assert is_closed(connection)
    assert "There are 0 of" in await rcon.command("list")


async def test_silent_connections_are_bounded_and_keep_nobody_out(server, rcon):
    with contextlib.ExitStack() as stack:
        held = [stack.enter_context(connected(server)) for _ in range(400)]
        assert is_closed(held[0])  # the longest silent one goes
        assert (await ping(server.host, server.port)).version == "1.20.4"
        with playing(server, "Late"):
            until = time.monotonic() + SOON_S
            while "Late" not in await rcon.command("list"):
                assert time.monotonic() < until


async def test_nobody_moves_further_than_it_can(server, rcon):
    await rcon.command("fill 0 150 -2 400 150 2 stone")
    with playing(server, "Speedy") as client:
        await settled(rcon, client, "Speedy", lambda at: abs(at[1] - 151) < 1)
        x, y, z = await settled(rcon, client, "Speedy", lambda _: True)
        for step in (5000, 9, 2.5):
            client.sendall(place(x + step, y, z) + framed(CONFIRM, varint(ALL)))
        client.sendall(place(x + 1, y, z))
        await settled(rcon, client, "Speedy", lambda at: at[0] == pytest.approx(x + 1))
        for step in range(
            1, 200
        ):  # one that is held up makes up for a hundred blocks, not for more
            client.sendall(place(x + 1 + 1.9 * step, y, z) + framed(CONFIRM, varint(ALL)))
        await settled(rcon, client, "Speedy", lambda at: at[0] > x + 50)
        for _ in range(20):
            at = await settled(rcon, client, "Speedy", lambda _: True)
        assert at[0] < x + 200


WALLS = ["stone", "glass_pane[north=true,south=true]", "oak_fence[north=true,south=true]"]
WALLS += ["oak_fence_gate[facing=east]", "iron_door[facing=west]"]


@pytest.mark.parametrize("wall", WALLS)
async def test_nobody_walks_through_walls(server, rcon, wall):
    await rcon.command(f"fill 2 151 -30 2 156 30 {wall}")
    built = await game_time(rcon)
    while await game_time(rcon) < built + TOLD_TICKS:
        pass
    with playing(server, "Ghost") as client:
        await settled(rcon, client, "Ghost", lambda _: True)
        await rcon.command("tp Ghost {} {} {}".format(*HOME))
        x, y, z = await settled(rcon, client, "Ghost", lambda at: at == HOME)
        client.sendall(framed(CONFIRM, varint(ALL)))
        for step in range(1, 20):  # the wall is thinner than a step, or not
            client.sendall(place(x + 0.4 * step, y, z) + framed(CONFIRM, varint(ALL)))
        client.sendall(place(x + 3, y, z) + framed(CONFIRM, varint(ALL)))
        at = await settled(rcon, client, "Ghost", lambda at: at[0] > x)
        client.sendall(place(at[0], y, z - 1))
        at = await settled(rcon, client, "Ghost", lambda at: at[2] == pytest.approx(z - 1))
        assert at[0] < 2.6
    await rcon.command("fill 2 151 -30 2 156 30 air")


async def game_time(rcon):
    return int((await rcon.command("time query gametime")).split()[-1])


@pytest.mark.parametrize("rise", [0.3, 0.0])
async def test_nobody_hangs_in_the_air(server, rcon, rise):
    name = f"Kite{rise:.0%}".rstrip("%")
    with playing(server, name) as client:
        x, y, z = await settled(rcon, client, name, lambda at: abs(at[1] - 151) < 1)
        ups = [place(x, y + step * 0.4, z, on_ground=False) for step in range(1, 5)]
        hangs = [place(x, y + 1.6 + step * rise, z, on_ground=step % 3 == 0) for step in range(90)]
        client.setblocking(True)
        client.sendall(b"".join([*ups, *hangs]))
        assert is_closed(client)
    assert f"{name} was kicked for floating too long" in log_file().read_text()


async def test_who_floods_the_chat_is_kicked_and_holds_up_nobody(server, rcon):
    with playing(server, "Flood") as client:
        await settled(rcon, client, "Flood", lambda _: True)
        client.setblocking(True)
        with contextlib.suppress(ConnectionError):
            client.sendall(b"".join(map(said, map(str, range(20_000)))))
        assert is_closed(client)
    until = time.monotonic() + SOON_S
    while "Flood" in await rcon.command("list"):
        assert time.monotonic() < until
    assert 0 < log_file().read_text().count("<Flood>") < 2000  # of 20,000


@pytest.mark.parametrize("line", ["a\nb", "\x1b[2J", "§4red", "\x7f"])
async def test_who_says_what_no_client_types_is_kicked(server, rcon, line):
    with playing(server, "Forger") as client:
        await settled(rcon, client, "Forger", lambda _: True)
        client.setblocking(True)
        client.sendall(said(line) + said("still here"))
        assert is_closed(client)
    assert "<Forger>" not in log_file().read_text()


async def test_who_sends_packets_that_cannot_be_read_is_kicked_and_does_not_fill_the_log(
    server, rcon
):
    before = log_file().stat().st_size
    with playing(server, "Garbler") as client:
        await settled(rcon, client, "Garbler", lambda at: abs(at[1] - 151) < 1)
        client.setblocking(True)
        with contextlib.suppress(ConnectionError):
            client.sendall(framed(POSITION, b"\xff" * 5000) * 200 + framed(CHAT, b"\x7f") * 200)
        assert is_closed(client)
    assert log_file().read_text().count("Garbler was kicked for a place that is none") == 1
    assert log_file().stat().st_size - before < 100_000


async def test_digging_takes_reach_and_time(server, rcon):
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


async def test_the_server_is_well_after_all_that(server):
    assert "There are 0 of" in await command(server, "list")
    assert run_module("server", "status").returncode == 0
