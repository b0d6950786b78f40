"""What ends a village in Minecraft: at once, and with nothing left that nobody looked at."""

from __future__ import annotations

import asyncio
from collections import Counter
from types import SimpleNamespace

import pytest

from voxpolis.bridge import BridgeError, MinecraftWorld
from voxpolis.records import Clock
from voxpolis.worlds.minecraft.village import MinecraftVillage
from voxpolis.worlds.protocol import FaultError
from voxpolis.worlds.society import Resident, VillagePlan


class Bot:
    """A body whose host is lost while it walks."""

    def __init__(self):
        self.lost = asyncio.Event()

    async def run(self, _code, _timeout_s):
        await self.lost.wait()
        raise BridgeError("the host is lost")

    async def stop(self, _reason):
        self.lost.set()


class Session:
    def __init__(self, bot):
        self.is_silent = False

        async def glances(names):
            if self.is_silent:
                await asyncio.Event().wait()  # nobody of them comes back
            return {name: ((0.0, 151.0, 0.0), Counter()) for name in names}

        async def command(line):
            self.given.append(line)
            return "Unknown selector type '@b'"

        world = MinecraftWorld(SimpleNamespace(command=command), SimpleNamespace(), "", 0)
        self.given = []
        self.world = SimpleNamespace(
            bodies={"Ada": bot}, glances=glances, ask=world.ask, edit=world.edit
        )
        self.writer = SimpleNamespace(clock=Clock(), now=lambda: 0.0)
        self.lost = asyncio.get_running_loop().create_future()

    async def fault(self):
        return await asyncio.shield(self.lost)


@pytest.fixture
async def village():
    ada = Resident(name="Ada", start=(0.0, 0.0), makes="wheat", holds={})
    return MinecraftVillage(Session(Bot()), VillagePlan(residents=(ada,), places={"well": (9, 9)}))


async def test_a_fault_of_the_session_ends_it_at_once(village):
    watching = asyncio.create_task(village.watch())
    village._session.is_silent = True
    await asyncio.sleep(0)
    village._session.lost.set_result("3 hosts were lost")
    async with asyncio.timeout(5):
        with pytest.raises(FaultError, match="3 hosts were lost"):
            await watching


async def test_an_errand_that_fails_ends_it_also_where_another_has_begun(village):
    unseen = []
    asyncio.get_running_loop().set_exception_handler(lambda _, told: unseen.append(told))
    await village.look()
    body = village.body("Ada")
    body.head_for("well")
    await asyncio.sleep(0)
    body.stop()
    async with asyncio.timeout(5):
        with pytest.raises(BridgeError, match="the host is lost"):
            await village.watch()
    await village.end()
    del body, village
    assert unseen == []


async def test_what_the_server_refuses_to_show_ends_nothing(village):
    await village.look()
    body = village.body("Ada")
    body.say("Write to me @bob!")
    while body._tasks:
        await asyncio.sleep(0)
    body.check()
    assert village._session.given == ["say Ada: Write to me @bob!"]
