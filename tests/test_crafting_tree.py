"""The crafting tree as a user runs it: both trees, what its world forbids, and how it goes on."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest
import yaml
from pydantic import ValidationError

from bots.models import ScriptedModel
from bots.agents.voyager.retrieval import LexicalRetriever
from grid.adasociety.game import DATA, Rules, read_rules
from records import RunWriter, events, read_record
from scenarios.climbing import Climb
from scenarios.crafting_tree import CraftingTree
from scenarios.synthesis import ITEMS, lay_out, resources_in
from scenarios.world import open_stage
from tests.attacks import as_programs, hostile, read_attacks
from tests.conftest import ROOT, run_module
from tests.endpoint import completion, serving

SCENARIO = "scenarios.crafting_tree"
SERVER_OPTIONS = ["--speed", "6", "--terrain", "natural"]
RUN_TIMEOUT_S = 280


def climb(out, *options, **environment):
    return run_module(SCENARIO, "--out", str(out), *options, timeout=RUN_TIMEOUT_S, **environment)


def result_of(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


# --- The trees -----------------------------------------------------------------------------------


async def test_the_totem_in_the_synthesis_arena(server, tmp_path):
    result = result_of(climb(tmp_path, "--tree", "adasociety", "--seed", "2", "--json"))
    ada = result["agents"]["Ada"]
    assert list(ada["milestones"]) == sorted(
        ada["milestones"], key=lambda name: ada["milestones"][name]["seconds"]
    )
    assert "totem" in ada["milestones"]
    assert ada["tasks"]["failed"] == []
    assert (result["mind"], result["tree"], result["tokens"]) == ("scripted", "adasociety", 0)
    record = read_record(Path(result["run_dir"]))
    assert record.problems == []
    assert record.manifest["config"]["tree"] == "adasociety"
    held = resources_in(record.of(events.Inventory)[-1].items)
    assert held == balance(record.of(events.Produced))
    assert ada["score"] == read_rules().score("explorer", held) >= 1000
    learned = {path.stem for path in Path(result["run_dir"]).glob("agents/Ada/skills/*.js")}
    assert learned == set(ada["skills"])


def balance(produced):
    """What must be left of all that was picked and made, by the rules alone."""
    rules, left = read_rules(), Counter()
    for event in produced:
        left[event.resource] += 1
        if event.source != "pile":
            left.subtract(rules.events[event.source].inputs)
    return {name: count for name, count in left.items() if count}


async def test_two_jobs_share_through_the_chest(server, tmp_path):
    jobs = "jobs={Ada: carpenter, Bo: miner}"
    options = ["--tree", "adasociety", "--agents", "2", "--set", jobs, "--json"]
    result = result_of(climb(tmp_path, *options))
    ada, bo = result["agents"]["Ada"], result["agents"]["Bo"]
    assert "totem" in ada["milestones"]
    assert bo["tasks"]["completed"] == ["Take a hammer out of the chest", "Obtain 1 coal"]
    assert set(bo["item_iterations"]) == {ITEMS["hammer"], ITEMS["coal"]}
    record = read_record(Path(result["run_dir"]))
    moved = [(e.agent, e.item, e.count) for e in record.of(events.ContainerMoved)]
    assert ("Ada", ITEMS["hammer"], -1) in moved
    assert ("Bo", ITEMS["hammer"], 1) in moved


async def test_natural_land_is_climbed_and_a_killed_run_goes_on(server, tmp_path):
    options = ["--until", "stone", "--minutes", "15", "--seed", "4", "--out", str(tmp_path)]
    command = [sys.executable, "-m", SCENARIO, *options]
    process = subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)
    try:
        folder = await cut_off(process, tmp_path)
    finally:
        process.kill()
        process.wait()
    before = read_record(folder)
    progress = json.loads((folder / "agents/Ada/progress.json").read_text())
    assert progress["completed"][0] == "Mine 7 logs"
    result = result_of(climb(tmp_path, "--resume", str(folder), "--json"))
    ada = result["agents"]["Ada"]
    assert ada["tasks"]["completed"][: len(progress["completed"])] == progress["completed"]
    assert {"wooden", "stone"} <= set(ada["milestones"])
    assert {"stone_pickaxe", "cobblestone", "stick"} <= set(ada["item_iterations"])
    record = read_record(folder)
    assert record.problems == []
    assert len(record.of(events.RunResumed)) == 1
    times = [event.t for event in record.events]
    assert times[: len(before.events)] == [event.t for event in before.events]
    assert min(times[len(before.events) :]) >= max(times[: len(before.events)]) - 1


async def cut_off(process, out):
    """Kill a run at a random moment after its first task; return its folder."""
    deadline = time.monotonic() + RUN_TIMEOUT_S
    while time.monotonic() < deadline:
        assert process.poll() is None, "the run ended too early"
        for record in out.glob("crafting_tree/*/events.jsonl"):
            if '"task_ended"' in record.read_text():
                await asyncio.sleep(random.uniform(0, 2))
                process.kill()
                return record.parent
        await asyncio.sleep(0.1)
    raise AssertionError("no task was done")


# --- Rules that the world enforces ---------------------------------------------------------------


@contextlib.asynccontextmanager
async def playing(server, folder, model, **fields):
    """A climb on a stage, prepared, with its referee at work."""
    scenario = CraftingTree(tree="adasociety", **fields)
    folder.mkdir(exist_ok=True)
    with RunWriter(folder, {}, server.clock()) as writer:
        async with open_stage(server, writer, scenario.agent_names, refereed=True) as stage:
            play = Climb(scenario, stage, 0, folder, lambda _text: None)
            play.add_agents(model, LexicalRetriever())
            await play.prepare()
            yield play


async def test_what_the_rules_forbid(server, tmp_path):
    idle = ScriptedModel(lambda *_: "")
    async with playing(server, tmp_path / "run", idle, jobs={"Ada": "hard_carpenter"}) as play:
        referee = asyncio.create_task(play._referee.serve())
        world, ada = play.stage.world, play.stage.world.bodies["Ada"]

        async def use(block):
            result = await ada.run(f"console.log(await useBlock(bot, '{block}'))", 60)
            return result.logs[0] if result.status == "done" else result.error.message

        assert await use("coal_ore") == "coal takes who holds hammer"
        assert await use("chiseled_stone_bricks") == "HammerCraft needs 1 wood and 1 stone more"
        assert await use("oak_log") == "you get 1 wood; 5 left here"
        assert await use("cobblestone") == "you get 1 stone; 5 left here"
        assert await use("chiseled_stone_bricks") == "HammerCraft gives you 1 hammer"
        assert await world.inventory("Ada") == {ITEMS["hammer"]: 1}
        assert await use("coal_ore") == "a hard_carpenter can hold 0 coal, and no more"
        await use("oak_log")
        await use("cobblestone")
        assert (
            await use("chiseled_stone_bricks") == "a hard_carpenter can hold 1 hammer, and no more"
        )
        assert await use("smooth_stone") == "nothing happens"
        assert await use("chest") == "useBlock does not open a chest; there are primitives for that"
        for _ in range(4):
            await use("oak_log")
        before = await world.inventory("Ada")
        await ada.run("await bot.dig(bot.findBlock({ matching: (b) => b.name === 'oak_log' }))", 20)
        assert await world.inventory("Ada") == before
        await world.edit(f"give Ada {ITEMS['coal']} 2")
        await play._look_at("Ada")
        assert ITEMS["coal"] not in await world.inventory("Ada")
        referee.cancel()


# --- Hostile neighbours --------------------------------------------------------------------------


async def test_an_agent_that_only_attacks_does_not_disturb_its_neighbour(server, tmp_path):
    programs = as_programs([a for a in read_attacks() if a.group != "memory"][::4])
    mind = hostile("Bo", programs, CraftingTree(tree="adasociety", agents=2).script(0))
    fields = {"agents": 2, "iterations": len(programs), "program_limit_s": 30, "until": "totem"}
    fields["time_limit_s"] = 3600
    async with playing(server, tmp_path / "run", ScriptedModel(mind), **fields) as play:
        playing_on = asyncio.create_task(play.play())
        while not playing_on.done() and "totem" not in play.climbers["Ada"].milestones:
            await asyncio.sleep(0.1)
        if playing_on.done():
            await playing_on
        playing_on.cancel()
        await asyncio.gather(playing_on, return_exceptions=True)
        held = resources_in(await play.stage.world.inventory("Ada"))
    assert "totem" in play.climbers["Ada"].milestones
    record = read_record(tmp_path / "run")
    tried = [e for e in record.of(events.CodeStarted) if e.agent == "Bo"]
    assert len(tried) >= 5
    assert record.of(events.Fault) == []
    assert [e for e in record.of(events.TaskEnded) if e.agent == "Ada" and not e.success] == []
    assert held == balance([e for e in record.of(events.Produced) if e.agent == "Ada"])


# --- A language model ----------------------------------------------------------------------------


def test_a_language_model_climbs_through_the_same_parts(server, tmp_path):
    climber = CraftingTree(tree="adasociety").script(0)

    def reply(request):
        messages = request["messages"]
        text = messages[0]["content"] + messages[-1]["content"]
        roles = {
            "You choose what": "curriculum",
            "Ask what one must know": "questions",
            "You act by writing JavaScript": "action",
            "You check whether": "critic",
            "Say what this function does": "describe",
        }
        role = next(role for words, role in roles.items() if words in text)
        return 200, completion(climber(role, "Ada", messages))

    with serving(reply) as endpoint:
        options = ["--tree", "adasociety", "--until", "torch", "--base-url", endpoint.url, "--json"]
        done = climb(tmp_path, *options, "--model", "local-test", OPENAI_API_KEY="secret-key")
    result = result_of(done)
    assert result["mind"] == "openai"
    assert "torch" in result["agents"]["Ada"]["milestones"]
    record = read_record(Path(result["run_dir"]))
    assert {"curriculum", "questions", "action", "describe"} <= {c["role"] for c in record.calls}
    assert result["tokens"] == 7 * len(record.calls)
    written = "".join(p.read_text() for p in Path(result["run_dir"]).rglob("*") if p.is_file())
    assert "secret-key" not in written


# --- Bad input -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--until", "cheese"], "there is no milestone 'cheese': wooden, stone, iron, diamond"),
        (["--set", "jobs={Ada: king}"], "there is no job 'king'"),
        (["--set", "jobs={Zoe: miner}"], "there is no agent 'Zoe'"),
        (["--agents", "99"], "less than or equal to 10"),
        (["--tree", "oak"], "'minecraft' or 'adasociety'"),
        (["--skills", "nowhere"], "there is no folder nowhere"),
        (["--resume", "nowhere"], "there is no run folder nowhere"),
        (["--resume", "docs"], "docs cannot go on: its run.yaml lacks"),
    ],
)
def test_bad_input_is_one_clear_line(server, tmp_path, options, says):
    done = climb(tmp_path, *options)
    assert done.returncode == 2
    (line,) = done.stderr.strip().splitlines()
    assert line.startswith("error: ")
    assert says in line
    assert list(tmp_path.iterdir()) == []


def test_the_help_teaches(server):
    told = run_module(SCENARIO, "--help").stdout
    for part in ("--resume", "tree=minecraft", "iterations=160", "Examples:"):
        assert part in told


# --- The game as data ----------------------------------------------------------------------------


def test_the_shipped_rules_are_adasocietys():
    rules = read_rules()
    assert (len(rules.resources), len(rules.events)) == (15, 9)
    assert rules.score("miner", {"hammer": 2}) == 20
    assert rules.score("hard_miner", {"coal": 1, "torch": 1, "iron": 1}) == pytest.approx(60)


@pytest.mark.parametrize(
    ("path", "value", "says"),
    [
        (("resources", "wood", "colour"), "brown", "colour"),
        (("events", "HammerCraft", "inputs", "wool"), 1, "no resource 'wool'"),
        (("events", "HammerCraft", "inputs", "wood"), -1, "greater than 0"),
        (("games", "crafting_tree", "map"), [2, 2], "do not fit on 4 free cells"),
        (("games", "crafting_tree", "events", "Baking"), 1, "no event 'Baking'"),
    ],
)
def test_rules_that_make_no_game_are_refused(path, value, says):
    data = yaml.safe_load((DATA / "adasociety.yaml").read_text())
    place = data
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    with pytest.raises(ValidationError, match=says):
        Rules.model_validate(data)


def test_a_layout_follows_from_the_seed_and_nothing_overlaps():
    game = read_rules().games["crafting_tree"]
    one, same, other = (lay_out(game, ["Ada", "Bo"], seed) for seed in (3, 3, 4))
    assert one == same
    assert one.piles != other.piles
    starts = [(int(x), int(y), int(z)) for x, y, z in one.starts.values()]
    places = [*one.piles, *one.stations, one.chest, *starts]
    assert len(set(places)) == len(places)
