"""Agents that act step by step in an arena on a server: the grid decides, the server counts."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path

import pytest

from tests.conftest import result_of, run_module
from tests.crafting import synthesis
from voxpolis.bots.models import Account, AccountedModel, ScriptedModel
from voxpolis.experiments.loops.grid.game import GridGameRun
from voxpolis.grid.adasociety.game import read_rules
from voxpolis.records import RunWriter, events, read_record
from voxpolis.scenarios.crafting_tree.placement import ITEMS, resources_in
from voxpolis.worlds.minecraft.grid_stage import ArenaStage
from voxpolis.worlds.minecraft.land import MinecraftLand
from voxpolis.worlds.minecraft.session import open_session
from voxpolis.worlds.protocol import FaultError

SERVER_OPTIONS = ["--speed", "20"]
JOBS = {"Ada": "carpenter", "Bo": "miner"}
PLAYED = (
    *("--tree", "adasociety", "--agent", "planner", "--seed", "3", "--json"),
    *("--agents", "2", "--set", "time_limit_s=110", "--set", f"jobs={json.dumps(JOBS)}"),
)


def play(out, *options):
    return result_of(
        run_module("scenarios.crafting_tree", "--out", str(out), *options, timeout=280)
    )


def test_bots_on_a_server_match_the_grid(server, tmp_path):
    there = play(tmp_path, *PLAYED, "--world", "minecraft")
    grid = play(tmp_path, *PLAYED, "--world", "grid")
    assert there["faults"] == []
    for name in JOBS:
        bot, row = (result["runs"][0]["agents"][name] for result in (there, grid))
        assert bot["tasks"] == row["tasks"]
        assert list(bot["milestones"]) == list(row["milestones"])
        assert bot["score"] == row["score"]
    record = read_record(Path(there["run_dir"]))
    assert record.problems == []
    moved = {(event.agent, event.item, event.count) for event in record.of(events.ContainerMoved)}
    assert ("Ada", ITEMS["hammer"], -1) in moved  # into the chest, according to the server
    assert ("Bo", ITEMS["hammer"], 1) in moved
    rules = read_rules()
    for name, job in JOBS.items():
        held = [event for event in record.of(events.Inventory) if event.agent == name][-1]
        score = there["runs"][0]["agents"][name]["score"]
        assert rules.score(job, resources_in(held.items)) == score > 0


@contextlib.asynccontextmanager
async def staged(server, folder):
    """Yield a game with one random agent, and its session."""
    scenario = synthesis(time_limit_s=600)
    (agent,) = scenario.agent_names
    folder.mkdir(exist_ok=True)
    with RunWriter(folder, {}, server.clock()) as writer:
        async with open_session(server, writer, (agent,), refereed=True) as session:
            land = MinecraftLand(session, (agent,), scenario.program_limit_s, 0)
            stage = ArenaStage(land, scenario.block_map(0), scenario.house_rules())
            nobody = AccountedModel(ScriptedModel(lambda _: ""), Account())
            game = scenario.grid_game(0)
            yield GridGameRun(game, {agent: "random"}, nobody, writer, stage), session


@pytest.mark.parametrize(
    ("command", "told"),
    [
        ("give Ada oak_log 1", "Ada holds .* by the server's account"),
        ("tp Ada 62.5 160 62.5", "Ada is not at|Ada did not get to|Ada could not do"),
    ],
)
async def test_difference_from_the_server_is_a_fault(server, tmp_path, command, told):
    async with staged(server, tmp_path / "run") as (run, session):
        playing = asyncio.create_task(run.play(0, 0))
        while not any(isinstance(event, events.Inventory) for event in session.seen):
            await asyncio.sleep(0.05)
            if playing.done():
                break
        if command.startswith("tp"):  # onto a barrier block without a way back
            await session.world.edit("setblock 62 159 62 barrier")
        await session.world.edit(command)
        with pytest.raises(FaultError, match=told):
            await playing
        faults = [event for event in session.seen if isinstance(event, events.Fault)]
        assert [event.where for event in faults] == ["server"]
