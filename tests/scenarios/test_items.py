"""Items: the order of architectures is as published, item counts follow from rates, and the skills
work in a real world."""

from __future__ import annotations

import asyncio
import json
import math
from collections import Counter, deque
from pathlib import Path

import numpy as np
import pytest
import yaml
from click.testing import CliRunner
from scipy import stats

from tests.conftest import ROOT
from voxpolis import analysis
from voxpolis.analysis.figure_styles import Format
from voxpolis.analysis.figures import save_all
from voxpolis.analysis.figures.items import items_by_architecture
from voxpolis.bots.agents.piano.actions import ActionSet
from voxpolis.bots.agents.piano.expectations import Forecast
from voxpolis.bots.agents.piano.society import FULL
from voxpolis.bots.agents.piano.task import Action, Decision, Task
from voxpolis.bots.models.scripted import ScriptedModel
from voxpolis.bots.time import RealTime
from voxpolis.experiments.run.command import command
from voxpolis.records import RunWriter, events, read_record
from voxpolis.records.vanilla import MINECRAFT_VERSION
from voxpolis.scenarios import items
from voxpolis.scenarios.items import LAND
from voxpolis.worlds.minecraft.session import open_session
from voxpolis.worlds.minecraft.trades.doing import OwnPrograms
from voxpolis.worlds.minecraft.trades.skills import (
    NATURAL_BLOCKS,
    natural_rules,
    skill_in_nature,
    sources,
)
from voxpolis.worlds.minecraft.trades.wild import MinecraftWild
from voxpolis.worlds.trades import Trades, read_trades, settle


def played(out, *words):
    """Play the scenario by its command; return its result."""
    settings = ["--json", "--out", str(out), *words]
    done = CliRunner().invoke(command(items.Items), settings)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout.strip().splitlines()[-1])


def settings(**fields):
    return [word for name, value in fields.items() for word in ("--set", f"{name}={value}")]


# --- Architectures --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lonely(tmp_path_factory):
    """Return runs with one gatherer each, by condition, with twelve seeds each."""
    found = {}
    for condition in ("full", "no_action_awareness", "baseline"):
        out = tmp_path_factory.mktemp(condition)
        short = settings(agents=1, length_s=1200)
        result = played(out, "--condition", condition, "--runs", "12", *short)
        found[condition] = result["runs"]
    return found


@pytest.mark.parametrize(
    ("more", "less"), [("full", "no_action_awareness"), ("no_action_awareness", "baseline")]
)
def test_architectures_are_in_the_published_order(lonely, more, less):
    kinds = {name: [run["items"] for run in runs] for name, runs in lonely.items()}
    found = stats.ttest_rel(kinds[more], kinds[less], alternative="greater")
    assert found.pvalue < 0.01


def test_success_rate_of_actions_is_recovered(lonely):
    """With all modules nothing impossible is tried, so only ``success`` matters."""
    true, hits = 0.8, 0
    for run in lonely["full"]:
        tried = run["actions_done"] + run["actions_failed"]
        margin = 1.96 * (true * (1 - true) / tried) ** 0.5
        hits += abs(run["actions_done"] / tried - true) <= margin
    assert hits >= 10


# --- Comparison with a Markov chain ---------------------------------------------------------------


def path():
    """Return the actions of a gatherer that never fails, with the items after each action.

    Both are derived from the village's file alone.
    """
    rules = yaml.safe_load(LAND.read_text(encoding="utf-8"))["actions"]
    makers = {}
    for name, rule in rules.items():
        for item in rule.get("makes", {}):
            makers.setdefault(item, name)
    held, had, done = Counter(), set(), []

    def get(item):
        """Return the next action towards one more piece of an item."""
        rule = rules[makers[item]]
        tools = rule.get("tools", [])
        if tools and not any(held[tool] for tool in tools):
            return get(tools[0])
        short = [need for need, count in rule.get("needs", {}).items() if held[need] < count]
        return get(short[0]) if short else makers[item]

    for item in makers:
        while item not in had:
            name = get(item)
            held.subtract(rules[name].get("needs", {}))
            held.update(rules[name]["makes"])
            had.update(rules[name]["makes"])
            done.append((rules[name]["takes_s"], len(had)))
    return done


def expected_kinds(q, overhead_s, times, step_s=0.5):
    """Return the expected number of items in the chain.

    Each action is retried until it succeeds, with probability q.
    """
    longest = round(max(times) / step_s)
    at = np.zeros(longest + 1)  # probability that the actions so far have ended by each time
    at[0] = 1.0
    mean, before = np.zeros(longest + 1), 0
    for takes, kinds_now in path():
        cycle = round((takes + overhead_s) / step_s)
        ended = np.zeros_like(at)
        for moment in range(cycle, longest + 1):
            ended[moment] = q * at[moment - cycle] + (1 - q) * ended[moment - cycle]
        mean += (kinds_now - before) * np.cumsum(ended)
        at, before = ended, kinds_now
        if not ended.any():
            break
    return [mean[round(t / step_s)] for t in times]


def test_items_over_time_match_a_markov_chain(tmp_path):
    times = (200, 400, 700, 1000)
    quick = ("perception", "action_awareness", "goals", "planning", "controller", "skill_execution")
    every = dict.fromkeys(FULL, 300) | dict.fromkeys(quick, 0.5)
    near = json.dumps(every).replace('"', "")
    chosen = settings(
        **{"agents": 10, "length_s": 1000, "thinking_s": 0, "success": 0.8, "modules": near},
        **{"trades.scale": 0.01},
    )
    result = played(tmp_path, "--condition", "full", "--runs", "2", *chosen)
    record = read_record(Path(result["run_dir"]))
    obtained = record.of(events.ItemObtained)
    starts = {one.episode: one.t for one in record.of(events.EpisodeStarted)}
    expected = expected_kinds(0.8, 0.5, times)
    for time, wanted in zip(times, expected, strict=True):
        got = sum(one.t - starts[one.episode] <= time for one in obtained) / (10 * 2)
        assert got == pytest.approx(wanted, rel=0.05)
    drawn = {path.stem for path in save_all(record.folder, tmp_path, formats=[Format.PNG])}
    assert drawn == {"items_by_architecture", "technology_tree"}
    (axes,) = items_by_architecture(analysis.load(record.folder)).axes
    line = next(one for one in axes.lines if one.get_label().startswith("full, n"))
    assert line.get_ydata()[-1] == pytest.approx(result["runs"][0]["items"], rel=0.1)
    assert any("published" in one.get_label() for one in axes.lines)


# --- The land ------------------------------------------------------------------------------------

DATA = ROOT / "node_modules" / "minecraft-data" / "minecraft-data" / "data"


def data_of(kind):
    """Return a file of Minecraft's own data."""
    paths = json.loads((DATA / "dataPaths.json").read_text(encoding="utf-8"))["pc"]
    file = DATA / paths[MINECRAFT_VERSION][kind] / f"{kind}.json"
    return json.loads(file.read_text(encoding="utf-8"))


def test_recipes_match_minecrafts_data():
    names = {one["id"]: one["name"] for one in data_of("items")}
    recipes = data_of("recipes")
    ids = {name: str(number) for number, name in names.items()}
    for name, rule in yaml.safe_load(LAND.read_text(encoding="utf-8"))["actions"].items():
        verb, _, item = name.partition(" ")
        if verb != "CRAFT":
            continue
        forms = []
        for recipe in recipes[ids[item]]:
            rows = recipe.get("inShape") or [recipe["ingredients"]]
            needs = Counter(names[cell] for row in rows for cell in row if cell is not None)
            is_big = len(rows) > 2 or max(map(len, rows)) > (2 if "inShape" in recipe else 4)
            forms.append((needs, {item: recipe["result"]["count"]}, is_big))
        needs_table = rule.get("tools") == ["crafting_table"]
        assert (Counter(rule["needs"]), rule["makes"], needs_table) in forms, name


SERVER_OPTIONS = ["--speed", "10", "--terrain", "natural"]
pytestmark = pytest.mark.timeout(600)  # waits for conditions, on slow machines too
NATURE = natural_rules(Trades(**read_trades(LAND)))


def test_natural_terrain_offers_only_available_things_and_their_products():
    raw = yaml.safe_load(LAND.read_text(encoding="utf-8"))["actions"]
    for name, rule in NATURE.actions.items():
        written = raw[name]
        assert (rule.needs, rule.makes) == (written.get("needs", {}), written.get("makes", {}))
    left_out = set(raw) - set(NATURE.actions)
    assert {"SHEAR white_wool", "MINE emerald", "CRAFT white_bed"} <= left_out
    assert "CRAFT diamond_pickaxe" in NATURE.actions
    assert not any(set(raw[name].get("uses", ())) <= set(NATURAL_BLOCKS) for name in left_out
                   if raw[name].get("uses"))  # fmt: skip


def test_each_action_has_a_program_of_existing_skills():
    for action, rule in NATURE.rules.items():
        program = skill_in_nature(action, rule).program
        assert program.removeprefix("await ").partition("(")[0] in sources()


def test_agents_gather_and_craft_according_to_the_server(server, tmp_path):
    words = ["--world", "minecraft", "--condition", "full", "--runs", "1", "--agents", "1"]
    result = played(tmp_path, *words, *settings(length_s=100))
    record = read_record(Path(result["run_dir"]))
    had, spent = Counter(), Counter()
    for one in record.of(events.ActionDone):
        had.update(one.gained if one.action in ("CRAFT", "SMELT") else {})
        spent.update(one.spent)
    # includes what agents dig on the way to the coal
    for picked_up in record.of(events.ItemCollected):
        had[picked_up.item] += picked_up.count
    assert spent <= had, "nobody spends what was never had"
    assert spent
    kinds = {one.item for one in record.of(events.ItemObtained)}
    assert {"oak_log", "oak_planks"} <= kinds
    assert result["runs"][0]["items"] == len(kinds)


async def until(is_so, limit_s=60.0):
    """Wait until a condition holds."""
    async with asyncio.timeout(limit_s):
        while not await is_so():
            await asyncio.sleep(0.1)


async def test_reflexes_notice_dangers_and_flee(server, tmp_path):
    plan = settle(NATURE, ["Ada"], 1, seed=0, hearing_blocks=16.0)
    with RunWriter(tmp_path, {"scenario": "items"}, server.clock()) as writer:
        async with open_session(server, writer, ("Ada",), "free") as session:
            land = MinecraftWild(session, plan, seed=3)
            await land.build()
            body, world = land.body("Ada"), land.world
            assert await land._what_hurts("Ada") is None
            # so that Ada survives on slow machines
            await world.edit("effect give Ada resistance 100000 4")
            await world.edit("execute at Ada run setblock ~ ~ ~ lava")
            assert await land._what_hurts("Ada") == "lava"
            await world.edit("execute at Ada run setblock ~ ~ ~ air")
            for line in (  # a shaft, so that flowing water or lava does not carry Ada away
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
            await world.edit("time set midnight")  # zombies burn by day
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


async def test_inventory_decides_whether_an_own_program_succeeded(server, tmp_path):
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
            doing = OwnPrograms(land, ScriptedModel(script), tmp_path / "agents")
            time = RealTime(writer.clock)
            outcomes = deque()
            task = Task(
                "Ada", land.body("Ada"), time, outcomes.append, lambda *_, **__: None, {}, outcomes
            )
            actions = ActionSet([doing.verb])

            async def done(words):
                """Do a task to its end; return its result."""
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
            # any other decision ends it
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


def test_agent_without_reflexes_loses_items_to_wolves_while_thinking(tmp_path):
    own = dict(items.Items().modules)
    numb = {name: period for name, period in own.items() if name != "reflexes"}
    lost = []
    for modules in (own, numb):
        told = str(modules).replace("'", "")
        chosen = settings(agents=4, length_s=300, danger=8, thinking_s=5, modules=told)
        result = played(tmp_path, "--condition", "together", "--runs", "1", *chosen)
        lost.append(result["runs"][0]["items_lost"])
    assert lost[1] > max(10, 2 * lost[0])
