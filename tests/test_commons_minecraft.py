"""A commons in Minecraft: the same games as on the grid, by the server's own account."""

from __future__ import annotations

import contextlib
import json
import math
from collections import Counter
from pathlib import Path

import pytest

from analysis.__main__ import app
from grid.commons.tables import STAY, ZAP
from records import RunWriter, events, read_record
from scenarios.commons import CommonsHarvest
from tests.conftest import run_module
from tests.endpoint import deciding, serving
from tests.playing_styles import GAMES, MOST_FAILED, words
from worlds.commons.actions import aim, step_towards, way
from worlds.commons.stage import take_step
from worlds.commons.table import CommonsTable
from worlds.minecraft.commons import GROUND_Y, MUSHROOM, in_pen, open_stage
from worlds.protocol import FaultError
from worlds.standstill import Standstill

SERVER_OPTIONS = ["--speed", "10"]
pytestmark = pytest.mark.timeout(600)  # it waits for conditions, however slow the machine is
AGENTS = ("Juan", "Laura", "Pedro")
SPARING = [f"--set=persons.{name}=sparing" for name in AGENTS] + ["--set=rate=0"]
#: What of a run does not depend on where it was played.
ELSEWHERE = {"run_dir", "world"}


def play(out, *options):
    done = run_module("scenarios.commons", "--out", str(out), "--json", *options, timeout=400)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def without(result):
    return {name: value for name, value in result.items() if name not in ELSEWHERE}


@pytest.fixture(scope="module")
def spared(server, tmp_path_factory):
    """Twenty rounds of three who always spare the last apple, and attack now and then."""
    out = tmp_path_factory.mktemp("spared")
    options = ["--condition", "none", *SPARING, "--set", "attacks=0.1", "--set", "rounds=20"]
    return play(out, "--world", "minecraft", *options), play(out, "--world", "grid", *options)


def test_persons_who_spare_keep_six_trees(spared):
    result, _ = spared
    (run,) = result["runs"]
    assert (run["rounds"], run["trees_alive"], run["last_apples"]) == (
        20,
        6,
        dict.fromkeys(AGENTS, 0),
    )
    assert result["faults"] == []


def test_the_same_seed_is_the_same_game_as_on_the_grid(spared):
    in_minecraft, on_the_grid = spared
    assert without(in_minecraft) == without(on_the_grid)
    of = [read_record(Path(result["run_dir"])) for result in spared]
    for kind in (events.TurnTaken, events.AppleGrown, events.ZapHit, events.RoundEnded):
        here, there = (
            [one.model_dump(exclude={"id", "t"}) for one in record.of(kind)] for record in of
        )
        assert here == there


def test_what_counts_is_what_the_server_and_the_bodies_tell(spared):
    """Rewards against the ledger, bots' own events of digging, and where these were."""
    record = read_record(Path(spared[0]["run_dir"]))
    rewards = {one.agent: one.value for one in record.of(events.Reward)}
    ledger, dug = Counter(), Counter()
    for one in record.of(events.LedgerEntry):
        ledger[one.agent] += one.count
    for one in record.of(events.BlockDug):
        dug[one.agent] += one.block == MUSHROOM
    assert min(rewards.values()) > 5
    assert rewards == ledger == dug
    dug_at = [(one.agent, one.position[::2]) for one in record.of(events.BlockDug)]
    eaten_at = [(one.agent, one.position[::2]) for one in record.of(events.AppleEaten)]
    assert Counter(dug_at) == Counter(eaten_at)


def test_a_record_is_played_again_and_shown(spared, tmp_path):
    folder = Path(spared[0]["run_dir"])
    again = play(tmp_path, "--replay", str(folder))
    assert again["runs"] == spared[0]["runs"]
    recorded = (folder / "events.jsonl").read_bytes()
    assert (Path(again["run_dir"]) / "events.jsonl").read_bytes() == recorded
    for what in (["report", str(folder)], ["figures", str(folder), "--out", str(tmp_path)]):
        with pytest.raises(SystemExit) as ended:
            app(what)
        assert ended.value.code in (0, None)
    assert (folder / "report.html").stat().st_size > 100_000
    assert (tmp_path / "commons_apples_left.png").exists()


def test_a_model_behind_an_endpoint_plays(server, tmp_path):
    with serving(deciding("bold")) as endpoint:
        model = ["--base-url", endpoint.url, "--model", "local"]
        result = play(tmp_path, *words("commons", "minecraft"), *model)
    decisions = result["decisions"]
    assert decisions["asked"] > 20
    assert decisions["failed"] <= MOST_FAILED * decisions["asked"]
    assert all(GAMES["commons"].acted(run) for run in result["runs"])


# --- Step by step --------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def staged(server, tmp_path):
    """Two in a room with one tree, on a server."""
    game = CommonsHarvest(trees=1).played("none").game.model_copy(update={"players": 2})
    table, noted = CommonsTable(game, AGENTS[:2]), []
    tmp_path.mkdir(exist_ok=True)
    with RunWriter(tmp_path, {}, server.clock()) as writer:
        async with open_stage(server, writer, table.names, Standstill()) as stage:
            table.reset(0)
            await stage.build(table, lambda kind, *_, **__: noted.append(kind))
            yield table, stage, stage._session.world


async def taken(table, stage, chosen):
    """Let the substrate and the stage take a step, and return what happened."""
    step = take_step(table, chosen)
    await stage.act(step)
    await stage.show(step)
    return [one.what for one in step.happened]


async def where(world, name):
    x, _, z = await world.position(name)
    return math.floor(x), math.floor(z)


async def test_who_is_hit_waits_in_the_pen(server, tmp_path):
    async with staged(server, tmp_path) as (table, stage, world):
        happened = []
        while "hit" not in happened:
            step = aim(table, 0, 1)
            assert step is not None
            happened = await taken(table, stage, {0: step})
            assert (step == ZAP) == ("hit" in happened)
        x, _, z = in_pen(1)
        assert await where(world, "Laura") == (math.floor(x), math.floor(z))
        steps = 0
        while table.out[1]:
            assert await where(world, "Laura") == (math.floor(x), math.floor(z))
            happened = await taken(table, stage, {0: STAY})
            steps += 1
        assert "back" in happened
        assert steps == table.game.zap.out_for + 1
        assert await where(world, "Laura") == table.cells[1]
        assert await stage.taken() == table.eaten


async def test_growth_on_the_server_follows_the_substrate_alone(server, tmp_path):
    async with staged(server, tmp_path) as (table, stage, world):
        assert "0" in (await world.ask("gamerule randomTickSpeed")).split()[-1]
        first = min(table.apples, key=lambda cell: len(way(table, 0, {cell})))
        while not table.eaten["Juan"]:
            await taken(table, stage, {0: step_towards(table, 0, way(table, 0, {first})[0])})
        row, column = first
        line = f"execute if block {row} {GROUND_Y} {column} {MUSHROOM}"
        assert (first in table.apples) == ("passed" in await world.ask(line))
        held = await world.inventory("Juan")
        assert held.get(MUSHROOM, 0) <= 1
        for _ in range(300):
            if first in table.apples:
                break
            await taken(table, stage, {})
        assert first in table.apples
        assert "passed" in await world.ask(line)
        await stage.close()
        assert (await world.ask("gamerule randomTickSpeed")).split()[-1] == "3"


async def played_on(table, stage):
    """Two steps on the way to an apple, and what the server has counted."""
    for _ in range(2):
        path = way(table, 0, {min(table.apples)})
        await taken(table, stage, {0: step_towards(table, 0, path[0])})
    return await stage.taken()


async def broken(server, tmp_path, breaks):
    async with staged(server, tmp_path) as (table, stage, world):
        await breaks(table, world)
        with pytest.raises(FaultError) as fault:
            await played_on(table, stage)
        told = [one.message for one in stage._session.seen if isinstance(one, events.Fault)]
        assert told == [str(fault.value)]
    return str(fault.value)


async def test_what_is_not_as_the_rules_have_it_is_a_fault(server, tmp_path):
    """Somebody on the server takes a mushroom away, or moves a player."""

    async def takes(table, world):
        row, column = max(table.apples)
        await world.edit(f"setblock {row} {GROUND_Y} {column} air")

    async def moves(table, world):
        await world.edit(f"tp Laura 5.5 {GROUND_Y} 2.5")

    assert "there is no mushroom at" in await broken(server, tmp_path / "taken", takes)
    assert "Laura is not at" in await broken(server, tmp_path / "moved", moves)
