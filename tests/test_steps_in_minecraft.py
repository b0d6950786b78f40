"""Agents that act step by step in an arena on a server: the grid decides, the server counts."""

from __future__ import annotations

import asyncio
import contextlib
import json
from pathlib import Path

import pytest

from tests.conftest import result_of, run_module
from tests.taking_part import answering
from tests.taking_part import play as person_plays
from voxpolis.bots.models import Account, AccountedModel, ScriptedModel
from voxpolis.experiments.loops.grid.game import GridGameRun
from voxpolis.grid.adasociety.game import read_rules
from voxpolis.records import RunWriter, events, read_record
from voxpolis.scenarios.crafting_tree import CraftingTree
from voxpolis.scenarios.crafting_tree.items import ITEMS, resources_in
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


def test_what_bots_do_on_a_server_is_what_the_grid_has(server, tmp_path):
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
    assert ("Ada", ITEMS["hammer"], -1) in moved  # into the chest, by the server
    assert ("Bo", ITEMS["hammer"], 1) in moved
    rules = read_rules()
    for name, job in JOBS.items():
        held = [event for event in record.of(events.Inventory) if event.agent == name][-1]
        score = there["runs"][0]["agents"][name]["score"]
        assert rules.score(job, resources_in(held.items)) == score > 0


class Walker:
    """A person who picks up what lies there, else goes on, turning at what is in the way."""

    def __init__(self):
        self.way = ["ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"]

    def __call__(self, question):
        by_text = {choice["text"]: choice["key"] for choice in question["choices"]}
        for text, key in by_text.items():
            if text.startswith("pick up"):
                return key
        while self.way[0] not in by_text.values():
            self.way.append(self.way.pop(0))
        return self.way[0]


def test_a_person_plays_by_keys_and_its_bot_does_it(server, tmp_path):
    """The same keys in both worlds come to the same; in Minecraft the server has the bot go."""
    values = {"condition": "adasociety", "human": ("Ada",), "settings": ["time_limit_s=20"]}
    results, records = [], []
    for world in ("grid", "minecraft"):
        with answering(tmp_path / world, Walker()) as asked:
            code, folder = person_plays("crafting_tree", tmp_path / world, world=world, **values)
        assert code == 0
        records.append(read_record(folder))
        results.append(records[-1].result)
        assert len(asked) > 10
    for result in results:
        assert (result["people"], result["agents_kinds"]) == (["Ada"], {"Ada": "human"})
    assert len({result["runs"][0]["agents"]["Ada"]["score"] for result in results}) == 1
    places = {tuple(event.position) for event in records[1].of(events.PositionSampled)}
    assert len(places) > 3


@contextlib.asynccontextmanager
async def staged(server, folder):
    """Yield a game of one agent that draws its actions, and the session in which it is played."""
    scenario = CraftingTree(tree="adasociety", time_limit_s=600)
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
async def test_what_the_server_has_otherwise_is_a_fault(server, tmp_path, command, told):
    async with staged(server, tmp_path / "run") as (run, session):
        playing = asyncio.create_task(run.play(0, 0))
        while not any(isinstance(event, events.Inventory) for event in session.seen):
            await asyncio.sleep(0.05)
            if playing.done():
                break
        if command.startswith("tp"):  # onto a block of barrier, from which no way leads back
            await session.world.edit("setblock 62 159 62 barrier")
        await session.world.edit(command)
        with pytest.raises(FaultError, match=told):
            await playing
        faults = [event for event in session.seen if isinstance(event, events.Fault)]
        assert [event.where for event in faults] == ["server"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--agents", "2", "--agent", "Ada=random"], "play with each other only"),
        (["--agent", "random", "--tree", "minecraft"], "have only --tree adasociety"),
        (["--agent", "planner", "--primitives", "voyager"], "for agents that write programs"),
        (["--agent", "trained:nowhere.pt"], "nowhere.pt|torch"),
    ],
)
def test_what_makes_no_sense_is_said_in_a_line(tmp_path, options, told):
    tree = [] if "--tree" in options else ["--tree", "adasociety"]
    where = ["--world", "minecraft", "--out", str(tmp_path)]
    done = run_module("scenarios.crafting_tree", *where, *tree, *options)
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()[-1:]
    assert any(part in line for part in told.split("|"))
