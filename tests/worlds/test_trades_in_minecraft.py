"""The village with trades in Minecraft: rules, bots' programs, and the server's account."""

from __future__ import annotations

import asyncio
import re
from collections import Counter, deque
from itertools import pairwise
from types import SimpleNamespace

import pytest
import yaml
from click.testing import CliRunner

from tests.conftest import ROOT
from voxpolis.bots.agents.piano.actions import ActionSet
from voxpolis.bots.agents.piano.task import Action, Decision, Task
from voxpolis.bots.time import RealTime
from voxpolis.experiments.run.command import command
from voxpolis.records import RunWriter
from voxpolis.records.programs import CodeError, RunResult
from voxpolis.records.yaml_text import load_yaml
from voxpolis.scenarios import specialisation
from voxpolis.worlds.minecraft.session import open_session
from voxpolis.worlds.minecraft.trades.site import GROUND_Y, lay_out
from voxpolis.worlds.minecraft.trades.skills import (
    LEFT_OUT,
    giving,
    minecraft_rules,
    skill_of,
    sources,
)
from voxpolis.worlds.minecraft.trades.village import MinecraftTradeVillage
from voxpolis.worlds.trades import Trades, read_trades, settle, verbs

SERVER_OPTIONS = ["--speed", "20"]
pytestmark = pytest.mark.timeout(600)  # waits for conditions, on slow machines too
NAMES = ("Ada", "Ben")
SHIPPED = Trades(**read_trades())
# The shipped file, read without our parser.
RAW = load_yaml((ROOT / "worlds" / "trades" / "village.yaml").read_text())
# Functions that programs may call: those in skills/, and the bot's primitives, named by their
# files.
PRIMITIVES = {"craftItem", "depositItemIntoChest", "getItemFromChest", "goTo", "killMob"}
PRIMITIVES |= {"mineBlock", "placeItem", "smeltItem", "exploreUntil", "givePlacedItemBack"}
_CALL = re.compile(r"(?<![.\w])(\w+)\(bot\b")


def plan(*people, seed=0, scale=0.4, **changes):
    trades = minecraft_rules(Trades(**{**read_trades(), **changes}), scale)
    return settle(trades, people or NAMES, 30, seed=seed, hearing_blocks=16.0)


# --- Skills ---------------------------------------------------------------------------------------


def test_minecraft_offers_the_same_actions_inputs_and_products():
    kept = minecraft_rules(SHIPPED)
    assert set(kept.actions) == set(RAW["actions"]) - LEFT_OUT
    for name, rule in kept.actions.items():
        written = RAW["actions"][name]
        assert (rule.needs, rule.makes) == (written.get("needs", {}), written.get("makes", {}))
        assert set(rule.tools) >= set(written.get("tools", []))
    assert kept.places() == SHIPPED.places()


@pytest.mark.parametrize("action", minecraft_rules(SHIPPED).rules)
def test_each_action_has_a_program_of_existing_skills(action):
    skill = skill_of(action, minecraft_rules(SHIPPED).rules[action])
    (called,) = _CALL.findall(skill.program)
    assert called in {*sources(), *PRIMITIVES}
    assert action.partition(" ")[2] in skill.program or action.startswith("SMELT")


@pytest.mark.parametrize("name", sources())
def test_each_skill_is_one_function_that_only_calls_existing_functions(name):
    source = sources()[name]
    assert re.findall(r"^(?:async )?function (\w+)\(", source, re.MULTILINE) == [name]
    assert source.startswith("/** ")
    called = set(_CALL.findall(source)) - {name, "function"}
    assert called <= {*sources(), *PRIMITIVES}
    assert not re.search(r"chat|\bgive\(\s*['\"`]/", source), "no skill gives a command"


# --- The land -------------------------------------------------------------------------------------


@pytest.mark.parametrize("people", [2, 30])
def test_blocks_and_starts_of_the_land_do_not_overlap(people):
    site = lay_out(plan(*(f"P{i}" for i in range(people))), 1)
    layout = site.layout
    standing = [*layout.chests, *(p for places in layout.blocks.values() for p in places)]
    rock = [box for block, box in layout.ground if block == "stone"]
    trunks = [box for block, box in layout.ground if block == "oak_log"]
    in_ground = [box for block, box in layout.ground if block in ("dirt", "water")]
    ores = {p for block, places in layout.blocks.items() if block.endswith("_ore") for p in places}
    assert len(set(standing)) == len(standing)
    for place in standing:
        assert any(within(place, box) for box in rock) == (place in ores)
        assert not any(within(place, box) for box in trunks)
    for x, y, z in layout.starts.values():
        feet = (int(x - 0.5), int(y), int(z - 0.5))
        assert feet not in standing
        assert not any(within(feet, box) for box in (*rock, *trunks))
    below = [(x, y - 1, z) for x, y, z in standing]
    assert not any(within(place, box) for place in below for box in in_ground)
    assert len(layout.chests) == -(-people // 4)
    for growth in site.growths:
        assert {command.split()[-1] for _, command in growth.parts} == {"keep"}


def within(place, box):
    low, high = box
    return all(a <= p <= b for p, a, b in zip(place, low, high, strict=True))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--agents", "31"], "Minecraft supports one village: set most_together to 31 or more"),
        (["--set", "minecraft_scale=.1"], "farmland and market would overlap"),
        (["--set", "trades={brew}"], "no bot program for BREW beer"),
    ],
)
def test_unsupported_village_is_refused_in_one_line_before_play(options, told, tmp_path):
    brew = {"at": "market", "takes_s": 5, "needs": {"wheat": 2}, "makes": {"beer": 1}}
    raw = {**RAW, "verbs": {**RAW["verbs"], "BREW": {"announced": "brew"}}}
    raw["actions"] = {**RAW["actions"], "BREW beer": brew}
    path = tmp_path / "brew.yaml"
    path.write_text(yaml.safe_dump(raw))
    given = [part.replace("{brew}", str(path)) for part in options]
    done = CliRunner().invoke(
        command(specialisation.Specialisation), ["--world", "minecraft", *given]
    )
    assert done.exit_code == 2
    assert told in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


# --- The server's account -------------------------------------------------------------------------


class Bot:
    """A body whose programs change the server's data as a test says."""

    def __init__(self, world, name):
        self.world, self.name, self.ran, self._run = world, name, [], None

    async def run(self, code, _limit_s, _seed=0, _skills=None):
        self.ran.append(code)
        self._run = asyncio.ensure_future(self.world.does(self.name, code))
        try:
            error = await self._run
        except asyncio.CancelledError:
            return RunResult(status="stopped", error=None, logs=[], seconds=0.0)
        problem = error and CodeError(message=error, line=None, column=None, source=None, done=[])
        return RunResult(
            status="error" if error else "done", error=problem, logs=["1 2 3"], seconds=0.0
        )

    async def stop(self, _reason):
        if self._run is not None:
            self._run.cancel()


class Server:
    """A server that stores inventories and counts of items picked up."""

    def __init__(self, does):
        self.does, self.held, self.picked = does, {n: Counter() for n in NAMES}, Counter()
        self.bodies = {name: Bot(self, name) for name in NAMES}

    async def inventory(self, name):
        return dict(self.held[name])

    async def score(self, name, objective):
        return self.picked[name, objective]

    async def ask(self, line):
        return "Test passed" if "farmland" in line else "Test failed"


def village(does):
    async def sleep(_seconds):
        await asyncio.sleep(0)

    server = Server(does)
    clock = SimpleNamespace(now=lambda: 0.0, sleep=sleep)
    session = SimpleNamespace(world=server, writer=SimpleNamespace(clock=clock))
    here = MinecraftTradeVillage(session, plan(), seed=0)
    here.held = {name: server.held[name] for name in NAMES}
    here.at = {name: (0.0, float(GROUND_Y), 0.0) for name in NAMES}
    return here, server


async def over(go_on):
    """Continue until there is a report."""
    for _ in range(100):
        report = go_on()
        if report is not None:
            return report
        await asyncio.sleep(0)
    raise AssertionError("it never ends")


async def test_result_of_work_comes_from_the_server_instead_of_the_program():
    told = {"says": None}

    async def does(name, _code):
        here.world.held[name].update(told.get("gets", {}))
        return told["says"]

    here, _ = village(does)
    work = lambda: here.carry_on("Ada", "GATHER oak_log")  # noqa: E731
    report = await over(work)
    assert (report.ok, report.reason) == (False, "nothing came of it this time")
    told |= {"says": "no oak_log near (in the skill dig, line 3: …)"}
    assert (await over(work)).reason == "no oak_log near"
    told |= {"says": "it broke off", "gets": {"oak_log": 1, "apple": 2}}
    report = await over(work)
    assert (report.ok, report.gained) == (True, {"oak_log": 1})
    assert here.log["Ada", "GATHER oak_log"] == 3


async def test_items_in_transit_when_a_program_ends_count():
    """The last click and the query of the inventory take different routes to the server."""
    asked = []

    async def does(_name, _code):
        return None

    async def inventory(name):
        asked.append(name)
        return {"oak_log": 1} if len(asked) > 2 else {}

    here, server = village(does)
    server.inventory = inventory
    report = await over(lambda: here.carry_on("Ada", "GATHER oak_log"))
    assert (report.ok, report.gained) == (True, {"oak_log": 1})
    assert len(server.bodies["Ada"].ran) == 1


async def test_program_without_inputs_never_starts_and_tilling_is_verified():
    async def does(_name, _code):
        return None

    here, server = village(does)
    report = await over(lambda: here.carry_on("Ada", "TILL"))
    assert report.reason == "it takes wooden_hoe or stone_hoe"
    assert server.bodies["Ada"].ran == []
    server.held["Ada"]["wooden_hoe"] = 1
    assert (await over(lambda: here.carry_on("Ada", "TILL"))).ok


async def test_gift_receiver_stops_resumes_work_and_does_not_count_the_gift():
    at_work = asyncio.Event()

    async def does(name, code):
        held, got = server.held[name], len(server.bodies[name].ran)
        if "give(" in code:
            held.subtract(oak_log=1)
            server.held["Ben"].update(oak_log=1)
            server.picked["Ben", "picked.oak_log"] += 1
        elif got == 1:
            at_work.set()
            await asyncio.Event().wait()
        else:
            held.update(oak_log=2)

    here, server = village(does)
    server.held["Ada"]["oak_log"] = 1
    assert here.carry_on("Ben", "GATHER oak_log") is None
    await at_work.wait()
    gift = await over(lambda: here.give("Ada", 3, "oak_log", "Ben"))
    assert (gift.ok, gift.spent, gift.to) == (True, {"oak_log": 1}, "Ben")
    report = await over(lambda: here.carry_on("Ben", "GATHER oak_log"))
    assert report.gained == {"oak_log": 2}
    assert server.held["Ben"]["oak_log"] == 3
    assert len(server.bodies["Ben"].ran) == 2


async def test_abandoned_errand_ends_and_gift_that_was_not_taken_does_not_count():
    async def does(_name, code):
        if "dig(" in code:
            await asyncio.Event().wait()

    here, server = village(does)
    assert here.carry_on("Ada", "GATHER oak_log") is None
    while not server.bodies["Ada"].ran:
        await asyncio.sleep(0)
    here.body("Ada").stop()
    assert here.doing("Ada") == ""
    server.held["Ada"]["bread"] = 1
    report = await over(lambda: here.give("Ada", 1, "bread", "Ben"))
    assert (report.ok, report.reason) == (False, "Ben did not take it")
    report = await over(lambda: here.give("Ada", 1, "bread", "Zoe"))
    assert report.reason == "there is no Zoe to give to"


# --- On a server ----------------------------------------------------------------------------------


async def carried_out(actions, world, time, name, verb, *needs):
    """Repeat a decision until it works, as an agent's modules would."""
    outcomes = deque()
    task = Task(name, world.body(name), time, lambda _: None, lambda *_, **__: None, {}, outcomes)
    while not any(outcome.holds.last.ok for outcome in outcomes):
        outcomes.clear()
        task.begin(Decision(time.now(), Action(verb, *needs), ""))
        while not task.is_done:
            await actions.carry_out(task)
            if task.take_due_expectation() is not None:
                break
            await time.sleep(0.5)


MAKE_A_HOE = (("GATHER", 0, "oak_log"), ("CRAFT", 0, "oak_planks"), ("CRAFT", 0, "stick"))
MAKE_A_HOE += (("CRAFT", 0, "wooden_hoe"),)
FARMER = (*MAKE_A_HOE, ("TILL",), ("GATHER", 0, "wheat_seeds"), ("PLANT",), ("HARVEST",))
FARMER += (("GIVE", 1, "wheat", "Ben"),)


async def test_farmer_without_items_makes_a_tool_grows_wheat_and_gives_it_away(server, tmp_path):
    ripe = {**RAW["actions"], "PLANT": {**RAW["actions"]["PLANT"], "after_s": 5}}
    with RunWriter(tmp_path, {}, server.clock()) as writer:
        async with open_session(server, writer, NAMES) as session:
            here = MinecraftTradeVillage(session, plan(actions=ripe), seed=0)
            await here.build()
            time, actions = RealTime(server.clock()), ActionSet(verbs(here))
            reports = []
            here.listeners.append(reports.append)
            watching = asyncio.create_task(here.watch())
            try:
                assert not any((await session.world.inventories(NAMES)).values())
                await living(watching, *(
                    [carried_out(actions, here, time, "Ada", *step) for step in FARMER]
                ))  # fmt: skip
                held = await session.world.inventories(NAMES)
                await living(watching, carried_out(actions, here, time, "Ben", "PUT", 1, "wheat"))
                in_chests = [await session.world.container(place) for place in here.chests]
            finally:
                watching.cancel()
                await here.end()
    assert held["Ben"] == {"wheat": 1}
    assert held["Ada"]["wooden_hoe"] == 1
    assert sum((Counter(chest) for chest in in_chests), Counter()) == {"wheat": 1}
    done = [report for report in reports if report.ok]
    assert [r.verb for r in done if r.agent == "Ada"] == [verb for verb, *_ in FARMER]
    assert all(a.t <= b.t for a, b in pairwise(reports))
    assert (done[-2].to, done[-2].spent) == ("Ben", {"wheat": 1})


async def living(watching, *steps):
    """Take steps while the world is watched; raise errors of either."""
    for step in steps:
        doing = asyncio.ensure_future(step)
        await asyncio.wait((doing, watching), return_when=asyncio.FIRST_COMPLETED)
        if not doing.done():
            doing.cancel()
            watching.result()
        await doing


async def test_gift_from_a_giver_nearby_is_taken_immediately(server, tmp_path):
    with RunWriter(tmp_path, {}, server.clock()) as writer:
        async with open_session(server, writer, NAMES) as session:
            here, world = MinecraftTradeVillage(session, plan(), seed=0), session.world
            await here.build()
            try:
                for distance in (0.3, 0.9, 1.5, 2.1, 4.0):
                    await world.ask("clear Ben")
                    await world.ask("give Ada bread 2")
                    await world.ask(f"tp Ben 6.5 {GROUND_Y} 4.5")
                    await world.ask(f"tp Ada {6.5 + distance} {GROUND_Y} 4.5")
                    gift = giving("bread", 2, "Ben")
                    result = await world.bodies["Ada"].run(gift, 45.0, 1, sources())
                    assert result.status == "done"
                    held = await world.inventories(NAMES)
                    assert held == {"Ada": {}, "Ben": {"bread": 2}}, distance
            finally:
                await here.end()
