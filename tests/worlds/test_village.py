"""Villages: walks, neighbours, payments into the chest, hunger, and how they end."""

from __future__ import annotations

import asyncio
import itertools
import math
from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voxpolis.bridge import BridgeError, MinecraftWorld
from voxpolis.records import Clock
from voxpolis.worlds.layout import MOST_FILLED, Layout
from voxpolis.worlds.minecraft.trades.skills import TICKS_PER_SECOND
from voxpolis.worlds.minecraft.trades.village import (
    TIRED_A_FOOD,
    TIRED_A_TICK,
    Hunger,
    hunger_level,
)
from voxpolis.worlds.minecraft.village import MinecraftVillage, around_the_middle
from voxpolis.worlds.protocol import FaultError
from voxpolis.worlds.society import WALKING_SPEED, Resident, VillagePlan, whole_share
from voxpolis.worlds.trades import Trades, read_trades
from voxpolis.worlds.village import Village


class Hand:
    """A clock that is set by hand."""

    time = 0.0

    def now(self):
        return self.time


def village(starts, hand, **options):
    people = [Resident(f"P{i}", at) for i, at in enumerate(starts)]
    plan = VillagePlan(people, {"chest": (0.0, 0.0)}, **options)
    return Village(plan, hand.now, seed=0)


@pytest.mark.parametrize("chests", [1, 13, 126])
def test_chests_are_two_blocks_apart_and_near_the_middle(chests):
    places = around_the_middle(chests)
    assert len(places) == chests
    gaps = [max(abs(a - b) for a, b in zip(one, other, strict=True))
            for one, other in itertools.combinations(places, 2)]  # fmt: skip
    assert min(gaps, default=2) >= 2
    assert max(math.hypot(x, z) for x, _, z in places) <= 2 * math.sqrt(chests) + 2


def test_travel_time_is_proportional_to_distance():
    hand = Hand()
    here = village([(0.0, 0.0), (30.0, 40.0)], hand)
    body = here.body("P0")
    assert body.head_for("P1") == pytest.approx(50 / WALKING_SPEED)
    hand.time = 5.0
    assert math.hypot(*here.at(0)) == pytest.approx(5 * WALKING_SPEED)
    assert not body.is_at("P1")
    body.stop()
    hand.time = 100.0
    assert math.hypot(*here.at(0)) == pytest.approx(5 * WALKING_SPEED)
    body.head_for("P1")
    hand.time = 200.0
    assert body.is_at("P1")
    with pytest.raises(LookupError, match="moon"):
        body.head_for("moon")


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 10**6))
def test_hearers_are_the_people_within_reach_at_any_time(seed):
    chance, hand = np.random.default_rng(seed), Hand()
    starts = [tuple(map(float, at)) for at in chance.uniform(-60, 60, (40, 2))]
    here = village(starts, hand, hearing_blocks=12.0)
    for _ in range(40):
        hand.time += float(chance.exponential(0.7))
        walker = int(chance.integers(40))
        here.set_out(walker, tuple(map(float, chance.uniform(-60, 60, 2))))
        if chance.random() < 0.2:
            here.body(f"P{chance.integers(40)}").stop()
        at = [here.at(i) for i in range(40)]
        for speaker in range(40):
            near = [i for i in range(40) if math.dist(at[i], at[speaker]) <= 12 and i != speaker]
            assert here.near(speaker) == [f"P{i}" for i in near]
        assert np.allclose(here.all_at(), at)


def test_perfect_mixing_reaches_anyone_but_the_speaker():
    here = village([(1000.0 * i, 0.0) for i in range(20)], Hand(), mixing=3)
    heard = Counter(name for _ in range(2000) for name in here.near(4))
    assert "P4" not in heard
    assert len(heard) == 19
    assert all(count == pytest.approx(2000 * 3 / 19, rel=0.25) for count in heard.values())


@given(
    st.dictionaries(st.sampled_from("abcde"), st.integers(0, 500)),
    st.floats(0, 1, allow_nan=False),
)
def test_share_is_rounded_to_whole_pieces(held, share):
    paid = whole_share(held, share)
    assert paid.total() == round(sum(held.values()) * share)
    assert all(0 < count <= held[item] for item, count in paid.items())
    assert all(abs(paid[item] - count * share) <= 1 for item, count in held.items())


async def test_payment_moves_items_into_the_chest():
    here = village([(0.0, 0.0)], Hand())
    here.residents["P0"].holds.update(wheat=30, coal=20)
    assert await here.deposit("P0", 0.2) == {"wheat": 6, "coal": 4}
    assert here.chest == {"wheat": 6, "coal": 4}
    assert here.residents["P0"].holds == {"wheat": 24, "coal": 16}


async def test_work_takes_time_and_stops_while_workplaces_are_closed():
    hand = Hand()
    people = [Resident("Ada", (0.0, 0.0), makes="wheat"), Resident("Ben", (0.0, 0.0))]
    here = Village(VillagePlan(people, {}, work_s=6.0), hand.now, seed=0)
    assert await here.work("Ada")
    assert not await here.work("Ada")
    assert not await here.work("Ben")  # Ben has no job
    hand.time = 6.0
    here.close_workplaces(True)
    assert not await here.work("Ada")
    here.close_workplaces(False)
    assert await here.work("Ada")
    held, chest = await here.account(["Ada", "Ben"])
    assert held == {"Ada": {"wheat": 2}, "Ben": {}}
    assert not chest


def test_large_platform_is_filled_in_parts_within_server_limits():
    reach = 70
    layout = Layout((-reach, reach), (-reach, reach), 151, 3, "oak_planks", starts={})
    filled = {"air": 0, "oak_planks": 0}
    for command in layout.commands():
        name, *numbers, block = command.split()
        if name != "fill":
            continue
        x0, y0, z0, x1, y1, z1 = map(int, numbers)
        blocks = (x1 - x0 + 1) * (y1 - y0 + 1) * (z1 - z0 + 1)
        assert 0 < blocks <= MOST_FILLED
        if block in filled:
            filled[block] += blocks
    assert filled == {"air": 4 * 141**2, "oak_planks": 141**2}


class Effects:
    """Stores the level of each person's hunger effect; the stronger one wins, as in Minecraft."""

    def __init__(self):
        self.hunger, self.slow = {}, []

    async def edit(self, line):
        words = line.split()
        if words[3] == "hunger":
            self.hunger[words[2]] = max(int(words[5]), self.hunger.get(words[2], 0))
        elif words[3] == "slowness":
            self.slow.append(words[2])

    async def ask(self, line):
        assert line.startswith("effect clear")
        self.hunger.pop(line.split()[2], None)


@pytest.mark.parametrize(("feeds", "lasts_s"), [(11.0, 120), (2.4, 60)])
def test_hunger_level_makes_food_last_as_requested(feeds, lasts_s):
    tired_a_s = (hunger_level(feeds, lasts_s) + 1) * TIRED_A_TICK * TICKS_PER_SECOND
    assert feeds * TIRED_A_FOOD / tired_a_s == pytest.approx(lasts_s, rel=0.25)


async def test_food_lasts_as_the_rules_say_after_the_first_hunger():
    server = Effects()
    hunger = Hunger(server, Trades(**read_trades()))
    await hunger.drain(["Ada", "Ben"])
    first = dict(server.hunger)
    for food in (20, 7, 6, 5, 8):
        await hunger.note("Ada", food, 4.0)
    assert server.hunger["Ada"] < server.hunger["Ben"] == first["Ada"]
    assert server.slow == ["Ada", "Ada"]


async def test_people_who_were_only_fed_keep_minecrafts_own_hunger():
    server = Effects()
    hunger = Hunger(server, Trades(**read_trades()))
    await hunger.feed(["Ada"])
    await hunger.note("Ada", 3, 4.0)
    assert server.hunger == {}


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
                await asyncio.Event().wait()  # it never returns
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
async def troubled():
    ada = Resident(name="Ada", start=(0.0, 0.0), makes="wheat", holds={})
    return MinecraftVillage(Session(Bot()), VillagePlan(residents=(ada,), places={"well": (9, 9)}))


async def test_session_fault_stops_the_watcher_immediately(troubled):
    watching = asyncio.create_task(troubled.watch())
    troubled._session.is_silent = True
    await asyncio.sleep(0)
    troubled._session.lost.set_result("3 hosts were lost")
    async with asyncio.timeout(5):
        with pytest.raises(FaultError, match="3 hosts were lost"):
            await watching


async def test_failed_errand_stops_the_watcher_even_after_a_new_errand_began(troubled):
    unseen = []
    asyncio.get_running_loop().set_exception_handler(lambda _, told: unseen.append(told))
    await troubled.look()
    body = troubled.body("Ada")
    body.head_for("well")
    await asyncio.sleep(0)
    body.stop()
    async with asyncio.timeout(5):
        with pytest.raises(BridgeError, match="the host is lost"):
            await troubled.watch()
    await troubled.end()
    del body, troubled
    assert unseen == []


async def test_chat_line_that_the_server_refuses_is_ignored(troubled):
    await troubled.look()
    body = troubled.body("Ada")
    body.say("Write to me @bob!")
    while body._tasks:
        await asyncio.sleep(0)
    body.check()
    assert troubled._session.given == ["say Ada: Write to me @bob!"]
