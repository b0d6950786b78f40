"""A commons in Minecraft: the same games as on the grid, according to the server."""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from pathlib import Path

import pytest

from tests.conftest import result_of, run_module
from voxpolis.analysis.__main__ import app
from voxpolis.grid.commons.game import read_commons
from voxpolis.grid.commons.tables import CLEAN, STAY, TURN_RIGHT, ZAP
from voxpolis.records import RunWriter, events, read_record
from voxpolis.scenarios.commons import CommonsHarvest
from voxpolis.worlds.commons.actions import aim, step_towards, way
from voxpolis.worlds.commons.stage import FRUIT as MUSHROOM
from voxpolis.worlds.commons.stage import take_step
from voxpolis.worlds.commons.table import CommonsTable
from voxpolis.worlds.minecraft.commons import BUSH, GROUND_Y, in_pen, open_stage
from voxpolis.worlds.protocol import FaultError
from voxpolis.worlds.server_pauses import Standstill

SERVER_OPTIONS = ["--speed", "10"]
pytestmark = pytest.mark.timeout(600)  # waits for conditions, on slow machines too
AGENTS = ("Juan", "Laura", "Pedro")
SPARING = [f"--set=persons.{name}=sparing" for name in AGENTS] + ["--set=rate=0"]
ROUNDS = 5
# Results that do not depend on the world.
ELSEWHERE = {"run_dir", "world"}


def play(out, *options):
    return result_of(
        run_module("scenarios.commons", "--out", str(out), "--json", *options, timeout=400)
    )


def without(result):
    return {name: value for name, value in result.items() if name not in ELSEWHERE}


@pytest.fixture(scope="module")
def spared(server, tmp_path_factory):
    """Return rounds of three players who always spare the last apple and sometimes attack."""
    out = tmp_path_factory.mktemp("spared")
    options = ["--condition", "none", *SPARING, "--set", "attacks=0.1", f"--set=rounds={ROUNDS}"]
    return play(out, "--world", "minecraft", *options), play(out, "--world", "grid", *options)


@pytest.fixture(scope="module")
def cleaned(server, tmp_path_factory):
    """Return a game with two cleaners and one eater by a river, who act simultaneously."""
    out = tmp_path_factory.mktemp("cleaned")
    people = ("Juan=cleaner", "Laura=cleaner", "Pedro=eater")
    options = ["--game", "clean_up", "--simultaneous", "--seed", "6"]
    options += [f"--set=persons.{one}" for one in people]
    options += ["--set=rate=0", "--set=attacks=0.1", "--set=rounds=12"]
    return play(out, "--world", "minecraft", *options), play(out, "--world", "grid", *options)


@pytest.fixture(params=["spared", "cleaned"])
def both(request):
    """Return a game in Minecraft and the same game on the grid."""
    return request.getfixturevalue(request.param)


def test_sparing_keeps_six_trees_alive_and_cleaning_feeds_the_eater(spared, cleaned):
    (run,) = spared[0]["runs"]
    assert (run["rounds"], run["trees_alive"]) == (ROUNDS, 6)
    assert run["last_apples"] == dict.fromkeys(AGENTS, 0)
    (run,) = cleaned[0]["runs"]
    agents = run["agents"]
    assert [agents[name]["apples"] for name in AGENTS[:2]] == [0, 0]
    assert (agents["Pedro"]["apples"], agents["Pedro"]["cleaned"]) == (5, 0)
    assert run["cleaned"] > 30
    assert run["dirt_by_round"][0] > 0.4 > run["dirt_by_round"][-1]


def test_same_seed_gives_the_same_game_as_on_the_grid(both):
    in_minecraft, on_the_grid = both
    assert in_minecraft["faults"] == []
    assert without(in_minecraft) == without(on_the_grid)
    of = [read_record(Path(result["run_dir"])) for result in both]
    for kind in (
        *(events.TurnTaken, events.AppleGrown, events.ZapHit, events.RoundEnded),
        events.RiverCleaned,
    ):
        here, there = (
            [one.model_dump(exclude={"id", "t"}) for one in record.of(kind)] for record in of
        )
        assert here == there


def test_results_match_server_and_bots(both):
    """Compare rewards and cleaning with the server's log, bots' dig events, and their positions."""
    record = read_record(Path(both[0]["run_dir"]))
    by = {MUSHROOM: Counter(), BUSH: Counter()}
    for one in record.of(events.Reward):
        by[MUSHROOM][one.agent] += int(one.value)
    for one in record.of(events.RiverCleaned):
        by[BUSH][one.agent] += one.cells
    ledger, dug = ({item: Counter() for item in by} for _ in range(2))
    for one in record.of(events.LedgerEntry):
        ledger[one.item][one.agent] += one.count
    for one in record.of(events.BlockDug):
        dug[one.block][one.agent] += 1
    assert sum(map(Counter.total, by.values())) > 5
    assert by == ledger == dug  # compared as counters, in which zero equals missing
    dug_at = [
        (one.agent, one.position[::2])
        for one in record.of(events.BlockDug)
        if one.block == MUSHROOM
    ]
    eaten_at = [(one.agent, one.position[::2]) for one in record.of(events.AppleEaten)]
    assert Counter(dug_at) == Counter(eaten_at)


def test_run_can_be_replayed_and_shown(both, tmp_path):
    folder = Path(both[0]["run_dir"])
    again = play(tmp_path, "--replay", str(folder))
    assert again["runs"] == both[0]["runs"]
    recorded = (folder / "events.jsonl").read_bytes()
    assert (Path(again["run_dir"]) / "events.jsonl").read_bytes() == recorded
    for what in (["report", str(folder)], ["figures", str(folder), "--out", str(tmp_path)]):
        with pytest.raises(SystemExit) as ended:
            app(what)
        assert ended.value.code in (0, None)
    assert (folder / "report.html").stat().st_size > 100_000
    is_river = bool(both[0]["runs"][0]["dirt_by_round"])
    assert (tmp_path / "commons_dirt.png").exists() == is_river
    assert (tmp_path / "commons_apples_left.png").exists()


# --- Step by step --------------------------------------------------------------------------------


@contextlib.asynccontextmanager
async def staged(server, tmp_path, game=None):
    """Yield a game on a server: two players in a room with one tree, unless given another."""
    one_tree = CommonsHarvest(trees=1).played("none").game
    game = (game or one_tree).model_copy(update={"players": 2})
    table, noted = CommonsTable(game, AGENTS[:2]), []
    tmp_path.mkdir(exist_ok=True)
    with RunWriter(tmp_path, {}, server.clock()) as writer:
        async with open_stage(server, writer, table.names, Standstill()) as stage:
            table.reset(0)
            await stage.build(table, lambda kind, *_, **__: noted.append(kind))
            yield table, stage, stage._session.world


async def taken(table, stage, chosen):
    """Let the substrate and the stage take a step; return the events."""
    step = take_step(table, chosen)
    await stage.act(step)
    await stage.show(step)
    return [one.what for one in step.happened]


async def where(world, name):
    x, _, z = await world.position(name)
    return math.floor(x), math.floor(z)


async def test_player_that_is_hit_waits_in_the_pen(server, tmp_path):
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


async def test_growth_on_the_server_only_follows_the_substrate(server, tmp_path):
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


BROOK = """
########
#@..rd.#
#a..drr#
#a@.rdr#
########
"""


def brook(**river):
    """Return a map with a small river, and with apples next to the players' starts."""
    fields = {"growth": 1, "threshold": 1, "dirt": 1, "quiet_steps": 0, "cooldown": 0, **river}
    return read_commons("clean_up", {"players": 2, "layout": BROOK, "river": fields})


async def test_things_that_appear_and_vanish_within_a_step_are_dug(server, tmp_path):
    """Apples and dirt appear before players move and fire, so both can vanish in the same step."""
    async with staged(server, tmp_path, brook()) as (table, stage, _):
        came = set()
        for _ in range(400):
            soiled = bool(table.beam(table.cells[0], table.headings[0])[1])
            aims = {0: CLEAN if table.headings[0] == 1 and soiled else TURN_RIGHT}
            goals = {(2, 1), (3, 1)} - {table.cells[1]}
            path = way(table, 1, goals)
            aims |= {1: step_towards(table, 1, path[0])} if path else {}
            step = take_step(table, aims)
            came |= {what for what, _, _ in step.fleeting}
            await stage.act(step)
            await stage.show(step)
            if came == {"apple", "dirt"}:
                break
        assert came == {"apple", "dirt"}
        assert await stage.taken() == table.eaten
        assert table.cleaned["Juan"] > 0


async def played_on(table, stage):
    """Take two steps towards an apple, if there is one; return the server's counts."""
    for _ in range(2):
        path = way(table, 0, sorted(table.apples)[:1])
        await taken(table, stage, {0: step_towards(table, 0, path[0])} if path else {})
    return await stage.taken()


async def broken(server, tmp_path, breaks, game=None):
    async with staged(server, tmp_path, game) as (table, stage, world):
        await breaks(table, world)
        with pytest.raises(FaultError) as fault:
            await played_on(table, stage)
        told = [one.message for one in stage._session.seen if isinstance(one, events.Fault)]
        assert told == [str(fault.value)]
    return str(fault.value)


async def test_state_that_contradicts_the_rules_is_a_fault(server, tmp_path):
    """For example, a command removes a mushroom or moves a player."""

    async def takes(table, world):
        row, column = max(table.apples)
        await world.edit(f"setblock {row} {GROUND_Y} {column} air")

    async def moves(table, world):
        await world.edit(f"tp Laura 5.5 {GROUND_Y} 2.5")

    assert "there is no mushroom at" in await broken(server, tmp_path / "taken", takes)
    assert "Laura is not at" in await broken(server, tmp_path / "moved", moves)
