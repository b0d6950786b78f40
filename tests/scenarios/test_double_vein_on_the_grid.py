"""Contract scenarios headless: the same minds, contracts and judge, with the grid as world."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import ROOT, result_of, run_module
from tests.endpoint import completion, serving
from voxpolis.bots.agents.code_writer import failed, program_end
from voxpolis.bots.agents.planner.plans import program_answer
from voxpolis.grid.adasociety.game import read_game
from voxpolis.grid.adasociety.oracle import optimum
from voxpolis.records import RunWriter, SimulatedClock, events, read_record
from voxpolis.scenarios.double_vein import DoubleVein
from voxpolis.scenarios.double_vein.as_grid_game import text
from voxpolis.worlds.grid import GridArena
from voxpolis.worlds.protocol import Episode


def play(out, *options, **environment):
    nowhere = {"VOXPOLIS_SERVER": str(out / "none")} | environment
    arguments = ["--world", "grid", "--out", str(out), *options]
    return run_module("scenarios.double_vein", *arguments, timeout=280, **nowhere)


def rewards(result):
    return [
        [run["agents"][agent]["reward"] for agent in ("Gizmo", "Glitch")] for run in result["runs"]
    ]


@pytest.mark.parametrize(("contract", "expected"), [("1", [37, 41]), ("2", [39, 39])])
def test_contracts_reach_the_optimum_as_in_minecraft(tmp_path, contract, expected):
    result = result_of(play(tmp_path, "--contract", contract, "--runs", "2", "--json"))
    assert rewards(result) == [expected] * 2
    assert (result["world"], result["mind"], result["mean"]["welfare"]) == ("grid", "scripted", 78)
    record = read_record(Path(result["run_dir"]))
    assert record.problems == []
    assert record.manifest["world"] == "grid"
    dug = record.of(events.LedgerEntry)
    assert sum(e.count for e in dug if e.item == "iron_ore") == 2 * 12
    assert {event.agent for event in record.of(events.Signal)} <= {"Gizmo"}


def test_each_step_is_recorded_at_its_end(tmp_path):
    record = read_record(Path(result_of(play(tmp_path, "--json"))["run_dir"]))
    moves = [event for event in record.of(events.PositionSampled) if event.agent == "Gizmo"]
    assert [event.t for event in moves[:3]] == [0, 1, 2]
    start = record.of(events.Perceived)[0].text.partition("\n")[0]
    assert start == f"You stand at ({moves[0].position[0]:g}, {moves[0].position[2]:g})."
    assert moves[1].position != moves[0].position
    changed = [e.t for e in record.of(events.Inventory) if e.agent == "Gizmo" and e.items]
    counted = [e.t for e in record.of(events.LedgerEntry) if e.agent == "Gizmo"]
    assert changed == sorted(set(counted))


def test_dilemma_exists_without_a_contract(tmp_path):
    result = result_of(play(tmp_path, "--runs", "10", "--json"))
    assert result["mean"]["welfare"] < 75
    assert 0.2 < result["mean"]["gini"] < 0.7
    winners = {
        max(run["agents"], key=lambda a, r=run: r["agents"][a]["reward"]) for run in result["runs"]
    }
    assert winners == {"Gizmo", "Glitch"}


def test_negotiation_works_and_run_replays(tmp_path):
    options = ["--contract", "negotiate", "--rounds", "6", "--episodes", "2", "--json"]
    result = result_of(play(tmp_path, *options))
    assert result["mean"]["welfare"] == 78
    assert [run["judged"] for run in result["runs"]] == ["exact", "exact"]
    done = run_module(
        "scenarios.double_vein", "--out", str(tmp_path), "--replay", result["run_dir"], "--json"
    )
    again = result_of(done)
    assert (again["world"], again["runs"]) == ("grid", result["runs"])
    folders = [Path(one["run_dir"], "events.jsonl") for one in (result, again)]
    assert folders[0].read_bytes() == folders[1].read_bytes()


def test_language_models_can_answer_with_plans(tmp_path):
    asked = []

    def reply(request):
        text = request["messages"][0]["content"]
        if "You judge how well" in text:
            return 200, completion('{"success": true, "critique": ""}')
        if "You are Judy" in text:
            found = {"term": 1, "reason": "Nothing moves.", "payments": []}
            judged = {"findings": [found], "critiques": []}
            return 200, completion(json.dumps(judged))
        asked.append(request["messages"])
        if "You are Glitch" in text:
            plans = "GATHER 1 stone_pickaxe\nGATHER 5 raw_iron"
            return 200, completion(program_answer(plans).text())
        tries = sum("You are Gizmo" in messages[0]["content"] for messages in asked)
        nonsense = '{"plans": [{"do": "FLY", "x": 1}]}'
        return 200, completion(nonsense if tries < 3 else program_answer("WAIT").text())

    contract = tmp_path / "contract.txt"
    contract.write_text("Nobody pays anybody.")
    with serving(reply) as endpoint:
        options = ["--model", "m", "--base-url", endpoint.url, "--contract", str(contract)]
        result = result_of(play(tmp_path, *options, "--json", OPENAI_API_KEY="key"))
    (run,) = result["runs"]
    assert run["agents"]["Glitch"]["iron"] == 5
    assert run["agents"]["Gizmo"]["value"] == 0
    again = [text for messages in asked if "# Error" in (text := messages[-1]["content"])]
    assert any("plans.0: must be one of: 'GATHER'" in text for text in again)


def test_run_gives_no_result_if_one_model_has_no_usable_answers(tmp_path):
    with serving(lambda _request: (200, completion("lorem ipsum"))) as endpoint:
        options = ["--agent", "Gizmo=scripted", "--model", "m", "--base-url", endpoint.url]
        done = play(tmp_path, *options, "--json", "--set", "max_attempts=1")
    assert done.returncode == 1
    assert "an agent never acted" in done.stderr
    result = json.loads(done.stdout)
    (run,) = result["runs"]
    # the critic is not asked
    assert (run["acted"], run["failed_answers"]) == (["Gizmo"], {"Glitch": 1})
    assert result["mean"] == {"welfare": None, "gini": None}
    assert any("Glitch never acted" in fault for fault in result["faults"])


def test_episode_lasts_until_its_time_limit(tmp_path):
    waiting = program_answer("WAIT\n" * 60).text()

    def reply(request):
        asks_critic = "You judge how well" in request["messages"][0]["content"]
        verdict = '{"success": true, "critique": ""}'
        return 200, completion(verdict if asks_critic else waiting)

    with serving(reply) as endpoint:
        options = ["--model", "m", "--base-url", endpoint.url, "--time-limit", "150.5"]
        result = result_of(play(tmp_path, *options, "--json", OPENAI_API_KEY="key"))
    assert [run["seconds"] for run in result["runs"]] == [151]
    (ended,) = read_record(Path(result["run_dir"])).of(events.EpisodeEnded)
    assert ended.reason == "time_limit"


@pytest.mark.parametrize(
    ("program", "status", "says"),
    [
        (
            "CRAFT 2 raw_iron\nDUMP 1 diamond",
            "error",
            "DUMP 1 diamond: there is no diamond to dump",
        ),
        ("CRAFT 2 raw_iron\nREPEAT", "error", "CRAFT 2 raw_iron: nothing makes raw_iron"),
        ("CRAFT 2 raw_iron\nWAIT", "done", ""),
        ("CRAFT 2 raw_iron\nSIGNAL Glitch", "done", ""),
        ("WAIT\nREPEAT", "stopped", ""),
        ("WAIT FOR Glitch\nCRAFT 2 raw_iron", "stopped", ""),
    ],
)
async def test_program_without_any_successful_plan_is_rewritten(tmp_path, program, status, says):
    scenario, clock = DoubleVein(), SimulatedClock()
    with RunWriter(tmp_path, {}, clock) as writer:
        arena = GridArena(writer, clock, scenario.layout(0), scenario.agent_names)
        await arena.build(scenario.layout(0), 0)
        lives = {"Gizmo": arena.body("Gizmo").act(program), "Glitch": idle()}
        await arena.run(Episode(lives, None, lambda _account: False, 30))
    result = arena.body("Gizmo").last
    assert (result.status, failed(result)) == (status, status == "error")
    assert says in program_end(result)
    (ended,) = (
        event
        for event in read_record(tmp_path).events
        if isinstance(event, events.CodeFailed | events.CodeFinished)
    )
    assert (ended.status, ended.logs) == (status, result.logs)


async def idle():
    """Do nothing."""


def test_grid_library_game_equals_the_scenario():
    """The grid library's game is derived from the scenario, with the same optimum."""
    file = ROOT / "grid" / "adasociety" / "data" / "double_vein.yaml"
    assert file.read_text() == text()
    rules, game = read_game("double_vein")
    assert optimum(rules, game).welfare == DoubleVein().optimum == 78


@pytest.mark.parametrize(("memory", "remembered"), [("none", []), ("last", [2])])
def test_players_remember_outcomes_of_episodes(tmp_path, memory, remembered):
    options = ["--contract", "1", "--episodes", "3", "--memory", memory, "--json"]
    result = result_of(play(tmp_path, *options))
    calls = read_record(Path(result["run_dir"])).calls
    asked = [c for c in calls if (c["role"], c["agent"]) == ("action", "Gizmo")]
    assert len(asked) == 3
    system = asked[-1]["messages"][0]["content"]
    assert [n for n in (1, 2, 3) if f"## Episode {n}" in system] == remembered
    for part in (
        "GATHER 12 raw_iron",
        "At the end Glitch holds: 6 diamond",
        "Gizmo got 37 emeralds: what it holds is worth 48 -11 by the contract.",
        "A critic says:",
        "The judge says:\n> settled by the contract's own rule",
    ):
        assert (part in system) == bool(remembered), part
    # After the last episode the critic is not asked.
    critics = [c for c in calls if c["role"] == "critic"]
    assert len(critics) == (0 if memory == "none" else 2 * 2)
