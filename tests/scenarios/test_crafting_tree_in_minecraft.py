"""The crafting tree on a server: both trees, enforced rules, and resumption."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import random
import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from tests.attacks import as_programs, hostile, read_attacks
from tests.conftest import ROOT, result_of, run_module
from tests.crafting import synthesis
from tests.endpoint import completion, serving
from voxpolis.bots.agents.protocol import Briefing
from voxpolis.bots.agents.voyager.progress import Task
from voxpolis.bots.agents.voyager.prompts import (
    CurriculumRequest,
    DescribeRequest,
    TaskCriticRequest,
    TaskRequest,
)
from voxpolis.bots.agents.voyager.retrieval import LexicalRetriever
from voxpolis.bots.models import ChatRequest, ScriptedModel
from voxpolis.experiments.loops.curriculum.curriculum import CurriculumRun
from voxpolis.grid.adasociety.game import read_rules
from voxpolis.records import RunWriter, events, read_record
from voxpolis.scenarios.crafting_tree.placement import ITEMS, resources_in
from voxpolis.worlds.minecraft.land import MinecraftLand
from voxpolis.worlds.minecraft.session import open_session

SCENARIO = "scenarios.crafting_tree"
SERVER_OPTIONS = ["--speed", "6", "--terrain", "natural"]
RUN_TIMEOUT_S = 280


def climb(out, *options, **environment):
    return run_module(SCENARIO, "--out", str(out), *options, timeout=RUN_TIMEOUT_S, **environment)


def agents_of(result):
    (run,) = result["runs"]
    return run["agents"]


# --- The trees -----------------------------------------------------------------------------------


def balance(produced):
    """Return what must remain of everything picked up and made, according to the rules alone."""
    rules, left = read_rules(), Counter()
    for event in produced:
        left[event.resource] += 1
        if event.source != "pile":
            left.subtract(rules.events[event.source].inputs)
    return {name: count for name, count in left.items() if count}


async def test_agents_with_two_jobs_exchange_items_through_the_chest(server, tmp_path):
    jobs = "jobs={Ada: carpenter, Bo: miner}"
    options = ["--tree", "adasociety", "--agents", "2", "--set", jobs, "--minutes", "2", "--json"]
    result = result_of(climb(tmp_path, *options))
    ada, bo = agents_of(result)["Ada"], agents_of(result)["Bo"]
    assert {"stone_axe", ITEMS["coal"]} <= set(ada["item_iterations"])
    assert ada["tasks"]["failed"] == bo["tasks"]["failed"] == []
    assert bo["tasks"]["completed"] == ["Take a hammer out of the chest", "Obtain 1 coal"]
    assert set(bo["item_iterations"]) == {ITEMS["hammer"], ITEMS["coal"]}
    record = read_record(Path(result["run_dir"]))
    moved = [(e.agent, e.item, e.count) for e in record.of(events.ContainerMoved)]
    assert ("Ada", ITEMS["hammer"], -1) in moved
    assert ("Bo", ITEMS["hammer"], 1) in moved


async def test_scripted_minds_finish_in_natural_terrain_and_killed_run_resumes(server, tmp_path):
    options = ["--until", "wooden", "--minutes", "15", "--seed", "4", "--out", str(tmp_path)]
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
    ada = agents_of(result)["Ada"]
    assert ada["tasks"]["completed"][: len(progress["completed"])] == progress["completed"]
    assert "wooden" in ada["milestones"]
    assert {"wooden_pickaxe", "stick"} <= set(ada["item_iterations"])
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
            kept = record.parent / "agents" / "Ada" / "progress.json"
            if kept.exists() and json.loads(kept.read_text())["completed"]:
                await asyncio.sleep(random.uniform(0, 2))
                process.kill()
                return record.parent
        await asyncio.sleep(0.1)
    raise AssertionError("no task was done")


# --- Kinds of agents -----------------------------------------------------------------------------


def test_repetitions_have_separate_seeds_and_code_writer_needs_one_program(server, tmp_path):
    options = ["--tree", "adasociety", "--until", "hammer", "--runs", "2", "--json"]
    result = result_of(climb(tmp_path, *options, "--agent", "code_writer"))
    assert [run["seed"] for run in result["runs"]] == [0, 1]
    assert result["mean"]["milestones"] == 1
    assert result["agents_kinds"] == {"Ada": "code_writer"}
    for number, run in enumerate(result["runs"]):
        ada = run["agents"]["Ada"]
        assert "hammer" in ada["milestones"]
        assert (ada["iterations"], ada["skills"]) == (1, [])
        folder = Path(result["run_dir"], f"run_{number}", "agents", "Ada")
        assert json.loads((folder / "progress.json").read_text())["iterations"] == 1
    record = read_record(Path(result["run_dir"]))
    assert [event.agent for event in record.of(events.CodeStarted)] == ["Ada"] * 2
    assert {event.episode for event in record.of(events.Milestone)} == {0, 1}


# --- Rules that the world enforces ---------------------------------------------------------------


@contextlib.asynccontextmanager
async def playing(server, folder, model, **fields):
    """Yield a prepared run in a session."""
    scenario = synthesis(**fields)
    folder.mkdir(exist_ok=True)
    with RunWriter(folder, {}, server.clock()) as writer:
        agents = scenario.agent_names
        async with open_session(server, writer, agents, refereed=True) as session:
            land = MinecraftLand(session, agents, scenario.program_limit_s, 0)
            play = CurriculumRun(scenario, land, 0, lambda _text: None)
            kinds = dict.fromkeys(agents, "voyager")
            play.add_agents(model, kinds, folder / "agents", LexicalRetriever())
            await play.prepare()
            yield play


async def test_rules_forbid_invalid_actions(server, tmp_path):
    idle = ScriptedModel(lambda _: "")
    async with playing(server, tmp_path / "run", idle, jobs={"Ada": "hard_carpenter"}) as play:
        referee = asyncio.create_task(play._referee.serve())
        world = play.world.session.world
        ada = world.bodies["Ada"]

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
        await play.look_at("Ada")
        assert ITEMS["coal"] not in await world.inventory("Ada")
        referee.cancel()


# --- Hostile neighbours --------------------------------------------------------------------------


async def test_attacking_agent_does_not_disturb_its_neighbour(server, tmp_path):
    programs = as_programs([a for a in read_attacks() if a.group != "memory"][::4])
    mind = hostile("Bo", programs, synthesis(agents=2).minds(0))
    fields = {"agents": 2, "iterations": len(programs), "program_limit_s": 30, "until": "pickaxe"}
    fields["time_limit_s"] = 3600
    async with playing(server, tmp_path / "run", ScriptedModel(mind), **fields) as play:
        playing_on = asyncio.create_task(play.play())
        while not playing_on.done() and "pickaxe" not in play.agents["Ada"].milestones:
            await asyncio.sleep(0.1)
        if playing_on.done():
            await playing_on
        playing_on.cancel()
        await asyncio.gather(playing_on, return_exceptions=True)
        held = resources_in(await play.world.inventory("Ada"))
    assert "pickaxe" in play.agents["Ada"].milestones
    record = read_record(tmp_path / "run")
    tried = [e for e in record.of(events.CodeStarted) if e.agent == "Bo"]
    assert len(tried) >= 5
    assert record.of(events.Fault) == []
    assert [e for e in record.of(events.TaskEnded) if e.agent == "Ada" and not e.success] == []
    assert held == balance([e for e in record.of(events.Produced) if e.agent == "Ada"])


# --- A language model ----------------------------------------------------------------------------


def read_back(role, prompt):
    """Return the value from which a prompt was rendered, as a language model would read it."""
    briefing, task = Briefing("Ada", "", ""), Task(name=first(r"Task: (.*)", prompt))
    if role == "curriculum":
        done = re.findall(r"^- (.*)$", prompt.split("# Completed tasks")[1], re.MULTILINE)
        return CurriculumRequest(briefing, "", tuple(done), ())
    if role == "action":
        return TaskRequest(briefing, task, "", (), "")
    if role == "describe":
        return DescribeRequest(first(r"The function is called (\w+)", prompt), "")
    return TaskCriticRequest(task, "", "", "ran without an error" in prompt)


def first(pattern, text):
    found = re.search(pattern, text)
    return found[1] if found else ""


THOUGHT_S = 0.25


def test_language_model_completes_the_tree_in_the_same_steps(server, tmp_path):
    """The model's answers take time, during which the game pauses."""
    climber = synthesis().minds(0)

    def reply(request):
        messages = request["messages"]
        text = messages[0]["content"] + messages[-1]["content"]
        roles = {
            "You choose what": "curriculum",
            "Ask what the player must know": "questions",
            "You act by writing JavaScript": "action",
            "You check whether": "critic",
            "Describe what a function does": "describe",
        }
        role = next(role for words, role in roles.items() if words in text)
        about = read_back(role, messages[-1]["content"])
        time.sleep(THOUGHT_S)
        said = climber(ChatRequest(messages, role, "Ada", 0, 0, about))
        return 200, completion(said if isinstance(said, str) else said.text())

    with serving(reply) as endpoint:
        options = ["--tree", "adasociety", "--until", "torch", "--base-url", endpoint.url, "--json"]
        options.append("--wait-for-minds")
        done = climb(tmp_path, *options, "--model", "local-test", OPENAI_API_KEY="secret-key")
    result = result_of(done)
    assert (result["mind"], result["tree"]) == ("openai", "adasociety")
    ada = agents_of(result)["Ada"]
    assert "torch" in ada["milestones"]
    assert list(ada["milestones"]) == sorted(
        ada["milestones"], key=lambda name: ada["milestones"][name]["seconds"]
    )
    assert ada["tasks"]["failed"] == []
    record = read_record(Path(result["run_dir"]))
    assert record.problems == []
    held = resources_in(record.of(events.Inventory)[-1].items)
    assert held == balance(record.of(events.Produced))
    assert ada["score"] == read_rules().score("explorer", held)
    learned = {path.stem for path in Path(result["run_dir"]).glob("agents/Ada/skills/*.js")}
    assert learned == set(ada["skills"])
    assert {"curriculum", "questions", "action", "describe"} <= {c["role"] for c in record.calls}
    assert result["runs"][0]["tokens"] == 7 * sum("answer" in call for call in record.calls)
    times = [call["t"] for call in record.calls]
    between = [later - earlier for earlier, later in itertools.pairwise(times)]
    # game time, including the time for a thought
    assert min(between) < 1 < server.speed * THOUGHT_S
    written = "".join(p.read_text() for p in Path(result["run_dir"]).rglob("*") if p.is_file())
    assert "secret-key" not in written
