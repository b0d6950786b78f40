"""Items in natural land: real skills by the server's account, and reflexes from what hurts."""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter, deque
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from voxpolis.bots.agents.piano import Action, ActionSet, Decision, Forecast, Task
from voxpolis.bots.models.scripted import ScriptedModel
from voxpolis.bots.time import RealTime
from voxpolis.experiments.run.command import command
from voxpolis.records import RunWriter, events, read_record
from voxpolis.scenarios import items
from voxpolis.scenarios.items.scenario import LAND
from voxpolis.server.running import find_terrain
from voxpolis.worlds.minecraft.session import open_session
from voxpolis.worlds.minecraft.trades.doing import Doing
from voxpolis.worlds.minecraft.trades.nature import BLOCKS, offered_in_nature, skill_of
from voxpolis.worlds.minecraft.trades.skills import sources
from voxpolis.worlds.minecraft.trades.wild import MinecraftWild
from voxpolis.worlds.trades import Trades, read_trades, settle

SERVER_OPTIONS = ["--speed", "10", "--terrain", "natural"]
pytestmark = pytest.mark.timeout(600)  # it waits for conditions, however slow the machine is
NATURE = offered_in_nature(Trades(**read_trades(LAND)))


def test_nature_has_what_there_is_and_what_can_be_made_of_it():
    raw = yaml.safe_load(LAND.read_text(encoding="utf-8"))["actions"]
    for name, rule in NATURE.actions.items():
        written = raw[name]
        assert (rule.needs, rule.makes) == (written.get("needs", {}), written.get("makes", {}))
    left_out = set(raw) - set(NATURE.actions)
    assert {"SHEAR white_wool", "MINE emerald", "CRAFT white_bed"} <= left_out
    assert "CRAFT diamond_pickaxe" in NATURE.actions
    assert not any(set(raw[name].get("uses", ())) <= set(BLOCKS) for name in left_out
                   if raw[name].get("uses"))  # fmt: skip


@pytest.mark.parametrize("action", NATURE.rules)
def test_each_action_has_a_program_of_skills_that_there_are(action):
    program = skill_of(action, NATURE.rules[action]).program
    assert program.removeprefix("await ").partition("(")[0] in sources()


def test_who_lives_gathers_and_makes_by_the_servers_account(server, tmp_path):
    words = ["--world", "minecraft", "--condition", "full", "--runs", "1", "--agents", "1"]
    settings = ["--set", "length_s=150", "--json", "--out", str(tmp_path)]
    done = CliRunner().invoke(command(items.EXPERIMENT), [*words, *settings])
    assert done.exit_code == 0, done.output
    result = json.loads(done.stdout.strip().splitlines()[-1])
    record = read_record(Path(result["run_dir"]))
    had, spent = Counter(), Counter()
    for one in record.of(events.ActionDone):
        had.update(one.gained if one.action in ("CRAFT", "SMELT") else {})
        spent.update(one.spent)
    for picked_up in record.of(events.ItemCollected):  # also what a tunnel to the coal yields
        had[picked_up.item] += picked_up.count
    assert spent <= had, "nobody spends what was never had"
    assert spent
    kinds = {one.item for one in record.of(events.ItemObtained)}
    assert {"oak_log", "oak_planks"} <= kinds
    assert result["runs"][0]["items"] == len(kinds)


async def test_natural_land_is_known_from_the_world_alone(server):
    assert server.terrain == "natural"
    assert await find_terrain(server.model_copy(update={"terrain": None})) == "natural"


async def until(is_so, limit_s=60.0):
    """Wait until something is so."""
    async with asyncio.timeout(limit_s):
        while not await is_so():
            await asyncio.sleep(0.1)


async def test_reflexes_notice_what_hurts_and_run_from_it(server, tmp_path):
    plan = settle(NATURE, ["Ada"], 1, seed=0, hearing_blocks=16.0)
    with RunWriter(tmp_path, {"scenario": "items"}, server.clock()) as writer:
        async with open_session(server, writer, ("Ada",), "free") as session:
            land = MinecraftWild(session, plan, seed=3)
            await land.build()
            body, world = land.body("Ada"), land.world
            assert await land._what_hurts("Ada") is None
            await world.edit("effect give Ada resistance 100000 4")  # to live however long it takes
            await world.edit("execute at Ada run setblock ~ ~ ~ lava")
            assert await land._what_hurts("Ada") == "lava"
            await world.edit("execute at Ada run setblock ~ ~ ~ air")
            for line in (  # a shaft, out of which no flow carries it
                "~-1 ~-1 ~-1 ~1 ~-1 ~1 glass",
                *("~-1 ~ ~-1 ~-1 ~3 ~1 glass", "~1 ~ ~-1 ~1 ~3 ~1 glass"),
                *("~ ~ ~-1 ~ ~3 ~-1 glass", "~ ~ ~1 ~ ~3 ~1 glass", "~ ~ ~ ~ ~2 ~ water"),
            ):
                await world.edit(f"execute at Ada run fill {line}")

            async def drowns():
                return await land._what_hurts("Ada") == "drowning"

            await until(drowns)
            await world.edit("execute at Ada run fill ~-1 ~ ~-1 ~1 ~3 ~1 air")

            async def breathes():
                return await land._what_hurts("Ada") is None

            await until(breathes)
            await world.edit("effect clear Ada resistance")
            await world.edit("effect give Ada instant_damage 1 0")

            async def is_hurt():
                return await world.health("Ada") < 20

            await until(is_hurt)
            land.health["Ada"] = 20.0
            assert await land._what_hurts("Ada") is not None
            land._danger = 1
            await world.edit("difficulty normal")
            await world.edit("time set midnight")  # by day it would burn
            await world.edit("execute at Ada run summon zombie ~3 ~ ~ {NoAI:1b}")
            assert await land._what_hurts("Ada") == "a zombie"
            await land.look()
            before = land.at["Ada"]
            land.hurts["Ada"] = "a zombie"
            assert body.threat() == "a zombie"
            body.flee()
            assert body.threat() is None
            assert land.carry_on("Ada", "GATHER oak_log") is None
            assert not land.doing("Ada"), "nobody works who runs away"

            async def is_away():
                await land.look()
                return math.dist(before, land.at["Ada"]) > 6

            await until(is_away)

            async def is_free():
                return not body.is_fleeing

            await until(is_free)
            await land.end()


DIG = """```javascript
async function digDirt(bot) {
  await mineBlock(bot, bot.findBlock({ matching: (b) => /^(dirt|grass_block)$/.test(b.name),
    maxDistance: 16 }).name, 2)
}
```"""
LIES = "```javascript\nasync function boast(bot) { console.log('I have it') }\n```"
LOOPS = "```javascript\nasync function wait(bot) { await bot.waitForTicks(20000) }\n```"


async def test_what_one_does_by_a_program_of_its_own_is_judged_by_the_inventory(server, tmp_path):
    plan = settle(NATURE, ["Ada"], 1, seed=0, hearing_blocks=16.0)
    asked = []

    def script(request):
        asked.append(request)
        task = request.about.task
        return LOOPS if "wait" in task.name else DIG if len(asked) > 1 else LIES

    with RunWriter(tmp_path, {"scenario": "items"}, server.clock()) as writer:
        async with open_session(server, writer, ("Ada",), "free") as session:
            land = MinecraftWild(session, plan, seed=4)
            await land.build()
            for line in ("~-4 ~ ~-4 ~4 ~3 ~4 air", "~-4 ~-1 ~-4 ~4 ~-1 ~4 dirt"):  # a clearing
                await land.world.edit(f"execute at Ada run fill {line}")
            doing = Doing(land, ScriptedModel(script), tmp_path / "agents")
            time = RealTime(writer.clock)
            outcomes = deque()
            task = Task(
                "Ada", land.body("Ada"), time, outcomes.append, lambda *_, **__: None, {}, outcomes
            )
            actions = ActionSet([doing.verb])

            async def done(words):
                """Do a task to its end; return what came of it."""
                action = Action("DO", task=words)
                expects = Forecast({"dirt": 2}, within_s=100)
                task.begin(Decision(time.now(), action, "", expects))
                while not task.is_done:
                    await actions.carry_out(task)
                    await asyncio.sleep(0.05)
                return outcomes.pop().holds.last

            lied = await done("dig two dirt")
            assert not lied.ok
            assert not (tmp_path / "agents").exists()
            dug = await done("dig two dirt")
            assert dug.ok
            assert dug.gained["dirt"] >= 2
            assert "boast" in asked[1].about.feedback
            assert asked[1].about.task.obtain == {"dirt": 2}
            (kept,) = (tmp_path / "agents" / "Ada" / "skills").glob("*.js")
            assert kept.stem == "digDirt"
            assert "dig two dirt" in kept.read_text()
            # anything else ends it
            task.begin(Decision(time.now(), Action("DO", task="wait for Ada"), ""))
            while not land.doing("Ada"):
                await actions.carry_out(task)
                await asyncio.sleep(0.05)
            body = land.body("Ada")
            body.stop()

            async def is_free():
                return not land.doing("Ada") and body._errand.done()

            await until(is_free)
            await doing.end()
            await land.end()
