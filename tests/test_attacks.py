"""Hostile programs, each run by a real bot: refused, contained or killed, and the world goes on."""

from __future__ import annotations

import re

import pytest

from tests import mutants
from tests.attacks import read_attacks
from tests.heard import Heard
from voxpolis.records import events

ATTACKS = read_attacks()

#: What the next program of the same bot must still find.
SOUND = """
const asBefore = Object.keys(Object.prototype).length === 0 && [1].map((x) => x + 1)[0] === 2
  && new Vec3(1, 2, 3).offset(1, 0, 0).x === 2 && Date.now() > 1e12
  && mcData.blocksByName.dirt.hardness > 0
console.log(asBefore ? 'sound' : 'damaged')
"""
#: Time for what was left behind to show up.
LINGER = "await bot.waitForTicks(8)\n"


def test_there_are_enough_of_them():
    assert len(ATTACKS) >= 160
    assert len({str(attack) for attack in ATTACKS}) == len(ATTACKS)


@pytest.mark.parametrize("attack", ATTACKS, ids=str)
async def test_an_attack_comes_to_nothing(world, anna, attack):
    async with Heard(world.bridge) as heard:
        result = await anna.run(attack.program, attack.limit_s)
        after = await anna.run(LINGER + SOUND if "left" in str(attack) else SOUND, 120)
    # What is told to stop and does not answer in time is killed, and a busy machine may be why.
    ends = [*attack.ends, "killed"] if "timeout" in attack.ends else attack.ends
    assert result.status in ends, result
    assert not [line for line in result.logs if "ESCAPED" in line], result.logs
    if result.status != "done":
        assert result.error is not None
        assert result.error.message.strip()
    if result.status == "error":
        assert re.search(attack.says, result.error.message), result.error
    assert after.logs == ["sound"], after
    assert not [said for said in heard.of(events.Chat, "Anna") if "ESCAPED" in said.text]
    assert {said.agent for said in heard.of(events.Chat)} <= {"Anna"}
    assert not [said for said in heard.of(events.Log) if "was not recorded" in said.text]
    assert len(heard.events) < 500, "the attack floods the record"
    assert not [event for event in heard.events if event.kind in ("fault", *attack.never)]


@pytest.mark.parametrize("seed", range(2))
async def test_mutated_arguments_come_to_nothing(world, anna, seed):
    """A sample; ten thousand calls are ``python -m tests.measure_attacks --calls 10000``."""
    async with Heard(world.bridge) as heard:
        result = await anna.run(mutants.program(150), 120, seed)
        after = await anna.run(SOUND, 120)
    assert result.logs[-1] == "made 150", result
    assert after.logs == ["sound"]
    assert not heard.of(events.Fault)
    assert len(heard.events) < 500


async def test_the_others_notice_nothing(world):
    """After all attacks: the other bots are whole, and nobody's signals or items were touched."""
    bert = await world.bodies["Bert"].run(SOUND, 120)
    assert bert.logs == ["sound"]
    assert await world.inventories(["Anna", "Bert", "Cleo"]) == {"Anna": {}, "Bert": {}, "Cleo": {}}
