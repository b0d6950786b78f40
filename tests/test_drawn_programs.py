"""Programs that are drawn, beside neighbours: each ends, hurts nobody, and leaves nothing."""

from __future__ import annotations

import asyncio
import os
import statistics

from tests import drawn_programs
from tests.heard import Heard
from tests.test_attacks import SOUND
from voxpolis.records import events

LIMIT_S = 0.5
PROGRAMS = int(os.environ.get("DRAWN_PROGRAMS", "24"))
#: A program is ended within these seconds of its limit; one on a machine that is too busy to let it
#: stop has its second again, ten times at most (docs/security.md).
OVER_S, OVER_ON_A_BUSY_MACHINE_S = 2.0, 14.0

#: What Bert and Cleo do meanwhile: they count to ten together, by signals.
COUNTS = """
for (let i = 0; i < 10; i++) {
  await sendSignal(bot, 'Cleo', 'tick' + i)
  console.log(i, await waitSignal(bot, null, 'Cleo', 'tock' + i))
}"""
ANSWERS = """
for (let i = 0; i < 10; i++) {
  await waitSignal(bot, null, 'Bert', 'tick' + i)
  await bot.waitForTicks(1)
  await sendSignal(bot, 'Bert', 'tock' + i)
}
console.log('done')"""

#: What the next program must find: a bot at rest, that stays at rest, and a room that is new.
AT_REST = """
const controls = ['forward', 'back', 'left', 'right', 'jump', 'sprint', 'sneak']
const found = () => [
  ...controls.filter((one) => bot.getControlState(one)),
  bot.targetDigBlock && 'digs', bot.currentWindow && 'a window', bot.vehicle && 'a vehicle',
  bot.pathfinder.isMoving() && 'a way', globalThis.left, bot.left
].filter(Boolean)
console.log(JSON.stringify(found()))
while (!bot.entity.onGround) await bot.waitForTicks(1)
await bot.waitForTicks(6)
const { x, z } = bot.entity.position
await bot.waitForTicks(6)
const moved = Math.hypot(bot.entity.position.x - x, bot.entity.position.z - z)
console.log(JSON.stringify(found()), moved < 0.01 ? 'stands' : 'moves')
"""


async def play(world, seed: int) -> float:
    """Run a drawn program beside the neighbours; return by how many seconds it passed its limit."""
    anna, bert, cleo = (world.bodies[name] for name in ("Anna", "Bert", "Cleo"))
    code = drawn_programs.program(seed)
    async with Heard(world.bridge) as heard, asyncio.timeout(240):
        result, counted, answered = await asyncio.gather(
            anna.run(code, LIMIT_S), bert.run(COUNTS, 200), cleo.run(ANSWERS, 200)
        )
        ended = len(heard.events)
        after = await anna.run(AT_REST + SOUND, 120)
    assert result.status in ("done", "error", "timeout", "killed"), code
    assert counted.logs == [f"{i} Cleo" for i in range(10)], (code, counted)
    assert answered.logs == ["done"], (code, answered)
    assert after.logs == ["[]", "[] stands", "sound"], (code, after)
    late = [e for e in heard.events[ended:] if e.agent == "Anna" and e.kind not in QUIET]
    assert not late, (code, late)
    by_others = {e.kind for e in heard.events if e.agent in ("Bert", "Cleo")} - QUIET
    assert by_others == {"signal"}, (code, by_others)
    assert not heard.of(events.Fault), code
    assert len(heard.events) < 700, code
    return result.seconds - LIMIT_S


#: Events that say nothing of what somebody does.
QUIET = {"position", "log", "code_started", "code_finished", "blocks_changed"}


async def test_drawn_programs_end_hurt_nobody_and_leave_nothing(world):
    await world.edit("setblock 0 151 3 chest")
    over = []
    for seed in range(PROGRAMS):
        over.append(await play(world, seed))
    assert max(over) < OVER_ON_A_BUSY_MACHINE_S
    assert statistics.median(over) < OVER_S


def test_what_is_drawn_is_the_same_for_a_seed_and_differs_between_seeds():
    programs = [drawn_programs.program(seed) for seed in range(300)]
    assert programs == [drawn_programs.program(seed) for seed in range(300)]
    assert len(set(programs)) > 290
    drawn = "\n".join(programs)
    whole = [kind.format() for kind in drawn_programs.ENDS if kind and "{" not in kind]
    assert all(kind in drawn for kind in whole)
