"""RCON with the embedded server: logins, long answers, and commands that are given at once."""

from __future__ import annotations

import asyncio

import pytest
import pytest_asyncio

from voxpolis.server import Rcon, RconError, RconPool
from voxpolis.server.state import read_password


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def rcon(server):
    async with Rcon(server.host, server.rcon_port, read_password()) as rcon:
        yield rcon


async def test_several_connections_answer_each_its_own(server):
    pool = RconPool(server.host, server.rcon_port, read_password(), 3)
    async with pool as rcon:
        answers = await asyncio.gather(*(rcon.command(f"nothing{n}x") for n in range(30)))
    assert all(f"nothing{n}x" in answer for n, answer in enumerate(answers))
    with pytest.raises(RconError, match="refuses the password"):
        async with RconPool(server.host, server.rcon_port, "wrong", 2):
            pass


async def test_a_wrong_password_is_refused(server):
    with pytest.raises(RconError, match="refuses the password"):
        async with Rcon(server.host, server.rcon_port, "wrong"):
            pass


async def test_commands_without_a_login_are_refused(server):
    reader, writer = await asyncio.open_connection(server.host, server.rcon_port)
    writer.write(b"\x0e\0\0\0\x01\0\0\0\x02\0\0\0list\0\0")
    answer = await asyncio.wait_for(reader.readexactly(14), 60)
    writer.close()
    assert answer[4:8] == b"\xff\xff\xff\xff"


async def test_commands_given_at_once_get_their_own_answers(rcon):
    answers = await asyncio.gather(*(rcon.command(f"tp nobody{i} 0 0 0") for i in range(20)))
    assert answers == ["No entity was found"] * 20


@pytest.mark.parametrize("length", [4000, 4096 - 68, 5000, 20_000])
async def test_answers_longer_than_a_packet_are_whole(rcon, length):
    nonsense = "é" + "x" * length
    assert await rcon.command(nonsense) == (
        f"Unknown or incomplete command, see below for error\n{nonsense}<--[HERE]"
    )
    assert await rcon.command("gamerule pvp") == "Gamerule pvp is currently set to: true"
