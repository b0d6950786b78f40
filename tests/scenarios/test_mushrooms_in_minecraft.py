"""Cleanup and Harvest on a server: the rules of their worlds, and whole games of Cleanup."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import pytest

from tests.conftest import result_of, run_module
from voxpolis.bridge.bridge import Bot
from voxpolis.records import RunWriter, events, read_record
from voxpolis.scenarios.cleanup import CAPS, SLIME, SLIME_PLACES, Cleanup
from voxpolis.scenarios.harvest import MUSHROOMS as HARVESTED
from voxpolis.scenarios.harvest import Harvest
from voxpolis.scenarios.mushrooms import CAP, caps_of
from voxpolis.worlds.minecraft.arena import MinecraftArena
from voxpolis.worlds.minecraft.session import open_session
from voxpolis.worlds.protocol import Episode

AGENTS = ("Gizmo", "Glitch")

SERVER_OPTIONS = ["--speed", "5"]


def play(out, *options):
    words = ("--out", str(out), "--json", *options)
    return result_of(run_module("scenarios.cleanup", *words, timeout=280))


async def test_river_and_mushrooms_follow_their_rules(server, tmp_path):
    with RunWriter(tmp_path, {}, server.clock()) as writer:
        async with open_session(server, writer, AGENTS) as session:
            arena, world = MinecraftArena(session, AGENTS), session.world
            scenario = Cleanup(slime_chance=1, cap_chance=1)
            await arena.build(scenario.layout(0), 0)
            assert await arena.standing(SLIME, SLIME_PLACES) == 17
            for x, y, z in SLIME_PLACES[:9]:
                await world.edit(f"setblock {x} {y} {z} air")
            assert await arena.standing(SLIME, SLIME_PLACES) == 8
            await recorded(session, SLIME, 8)
            x, y, z = CAPS[0]
            await world.edit(f"setblock {x} {y} {z} air")
            dry = Cleanup(slime_chance=0, cap_chance=1)
            await lives(dry, arena)
            assert await is_missing(world, CAPS[0]), "caps grew over a dirty river"
            x, y, z = SLIME_PLACES[9]
            await world.edit(f"setblock {x} {y} {z} air")
            async with living(dry, arena):
                while await is_missing(world, CAPS[0]):
                    await asyncio.sleep(0.1)
            assert await arena.standing(SLIME, SLIME_PLACES) == 7
            async with living(scenario, arena):
                while await arena.standing(SLIME, SLIME_PLACES) < 17:
                    await asyncio.sleep(0.1)
            await recorded(session, SLIME, 17)
            places = {tuple(p) for e in session.seen if isinstance(e, events.BlocksChanged)
                      for _, *p in e.blocks}  # fmt: skip
            assert places <= {*SLIME_PLACES, *CAPS}, "of what is copied to be counted"


async def test_episode_starts_when_all_engines_are_ready(server, tmp_path, monkeypatch):
    """Start-up time of engines, which depends on the machine, is not part of an episode."""
    ready, found = [], {}
    prepare = Bot.prepare

    async def told(bot):
        await prepare(bot)
        ready.append(bot.name)

    async def life(agent):
        found[agent] = sorted(ready)

    monkeypatch.setattr(Bot, "prepare", told)
    with RunWriter(tmp_path, {}, server.clock()) as writer:
        async with open_session(server, writer, AGENTS) as session:
            arena, scenario = MinecraftArena(session, AGENTS), Cleanup()
            await arena.build(scenario.layout(0), 0)
            episode = Episode(
                {name: life(name) for name in AGENTS}, scenario.dynamics(0), lambda _: False, 120
            )
            assert (await arena.run(episode)).reason == "policies_ended"
    assert found == dict.fromkeys(AGENTS, sorted(AGENTS))


async def recorded(session, block, count):
    """Wait until the record contains this many blocks of a kind."""
    while True:
        (built,) = [event for event in session.seen if isinstance(event, events.WorldBuilt)]
        stands = {place: name for name, places in built.blocks.items() for place in places}
        for event in session.seen:
            if isinstance(event, events.BlocksChanged):
                stands |= {(x, y, z): name for name, x, y, z in event.blocks}
        if list(stands.values()).count(block) == count:
            return
        await asyncio.sleep(0.1)


@contextlib.asynccontextmanager
async def living(scenario, arena):
    """Run the scenario's rules; awaited conditions must hold soon."""
    rules = asyncio.create_task(arena.let_happen(scenario.dynamics(0)))
    try:
        async with asyncio.timeout(200):
            yield
    except TimeoutError:
        if rules.done():
            rules.result()  # raises the error with which they ended
        raise
    finally:
        rules.cancel()
        await asyncio.gather(rules, return_exceptions=True)


async def lives(scenario, arena):
    """Return agents that live for at least three seconds of game time."""
    async with living(scenario, arena):
        await asyncio.sleep(arena.session.world.bridge.clock.wall_seconds(3.5) + 0.5)


async def is_missing(world, place):
    """Return whether a place is empty, by putting the cap back and taking it away."""
    x, y, z = place
    answer = await world.ask(f"fill {x} {y} {z} {x} {y} {z} red_mushroom_block keep")
    if "Successfully" in answer:
        await world.ask(f"setblock {x} {y} {z} air")
    return "Successfully" in answer


def test_one_player_cleans_and_one_harvests(server, tmp_path):
    result = play(tmp_path, "--contract", "1", "--time-limit", "25")
    (run,) = result["runs"]
    assert result["welfare_optimum"] is None
    gizmo, glitch = run["agents"]["Gizmo"], run["agents"]["Glitch"]
    assert gizmo["mushrooms"] > 0
    assert glitch["mushrooms"] == 0
    assert run["welfare"] == 3 * gizmo["mushrooms"]
    assert gizmo["reward"] == pytest.approx(0.45 * run["welfare"])
    assert run["gini"] == pytest.approx(0.10)
    record = read_record(Path(result["run_dir"]))
    dug = {(event.agent, event.block) for event in record.of(events.BlockDug)}
    assert dug == {("Gizmo", "red_mushroom_block"), ("Glitch", "slime_block")}


async def test_mushrooms_in_harvest_follow_their_rules(server, tmp_path):
    with RunWriter(tmp_path, {}, server.clock()) as writer:
        async with open_session(server, writer, AGENTS) as session:
            arena, world = MinecraftArena(session, AGENTS), session.world
            scenario = Harvest(cap_chance=1)
            await arena.build(scenario.layout(0), 0)
            (dead, alive, _), y = HARVESTED, caps_of(HARVESTED[0])[0][1]
            for x, z in (dead, alive):
                await world.edit(f"fill {x - 1} {y} {z - 1} {x + 1} {y} {z + 1} air")
            x, _, z = caps_of(alive)[0]
            await world.edit(f"setblock {x} {y} {z} red_mushroom_block")
            counted = await asyncio.gather(
                *(arena.standing(CAP, caps_of(alive)) for _ in range(20))
            )
            assert counted == [1] * 20
            async with living(scenario, arena):
                while await arena.standing(CAP, caps_of(alive)) < 9:
                    await asyncio.sleep(0.1)
            assert await arena.standing(CAP, caps_of(dead)) == 0


# Gizmo only harvests and Glitch only cleans, regardless of the contract.
UNBOUND = ["--time-limit", "12", "--set", "policies={Gizmo: harvest_only, Glitch: clean_only}"]
UNBOUND += ["--seed", "5"]


def test_same_seed_gives_the_same_loot_and_empty_loot_gives_nothing(server, tmp_path):
    """The n-th cap drops the same in every run with a seed, whoever digs it."""
    found = [play(tmp_path, *UNBOUND) for _ in range(2)]
    dug = [read_record(Path(result["run_dir"])).of(events.LedgerEntry) for result in found]
    held = [result["runs"][0]["agents"]["Gizmo"]["mushrooms"] for result in found]
    counts = [sum(e.count for e in one if e.item == "red_mushroom_block") for one in dug]
    # some items may still be on the ground
    assert abs(held[0] - held[1]) <= 2 * abs(counts[0] - counts[1]) + 2
    for result in found:
        (run,) = result["runs"]
        assert run["agents"]["Glitch"]["reward"] == 0
        assert run["welfare"] == run["agents"]["Gizmo"]["reward"]
