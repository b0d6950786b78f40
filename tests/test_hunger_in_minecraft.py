"""Hunger in a village of Minecraft: strong until somebody is hungry, then as foods last."""

from __future__ import annotations

import pytest

from voxpolis.worlds.minecraft.trades.hunger import TIRED_A_FOOD, TIRED_A_TICK, Hunger, hunger_level
from voxpolis.worlds.minecraft.trades.skills import TICKS_PER_SECOND
from voxpolis.worlds.trades import Trades, read_trades


class Server:
    """Keeps the level of the effect of hunger by name, as Minecraft does: the stronger one."""

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


@pytest.mark.parametrize(("feeds", "lasts_s"), [(11.0, 120), (2.4, 120), (11.0, 60)])
def test_a_level_lets_food_last_as_long_as_is_asked(feeds, lasts_s):
    tired_a_s = (hunger_level(feeds, lasts_s) + 1) * TIRED_A_TICK * TICKS_PER_SECOND
    assert feeds * TIRED_A_FOOD / tired_a_s == pytest.approx(lasts_s, rel=0.25)


async def test_who_was_hungry_once_is_hungry_as_often_as_foods_last():
    server = Server()
    hunger = Hunger(server, Trades(**read_trades()))
    await hunger.drain(["Ada", "Ben"])
    first = dict(server.hunger)
    for food in (20, 7, 6, 5, 8):
        await hunger.note("Ada", food, 4.0)
    assert server.hunger["Ada"] < server.hunger["Ben"] == first["Ada"]
    assert server.slow == ["Ada", "Ada"]


async def test_who_is_only_fed_keeps_minecrafts_own_hunger():
    server = Server()
    hunger = Hunger(server, Trades(**read_trades()))
    await hunger.feed(["Ada"])
    await hunger.note("Ada", 3, 4.0)
    assert server.hunger == {}
