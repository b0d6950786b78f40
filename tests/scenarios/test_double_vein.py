"""Double-Vein as a user runs it: on a real server, with real bots."""

from __future__ import annotations

import json
from pathlib import Path

from records import events, find_runs, read_record
from scenarios.double_vein import DoubleVein
from scenarios.double_vein.scripted import POLICIES
from tests.conftest import entered, result_of, run_module
from tests.endpoint import completion, serving
from worlds.protocol import Account, ActionLog

SCENARIO = "scenarios.double_vein"
SERVER_OPTIONS = ["--speed", "4"]
RUN_TIMEOUT_S = 280  # generous
#: Game seconds that a client of a test's own may take; as generous at the server's speed.
LONG_S = 4 * RUN_TIMEOUT_S


def play(out, *options, **environment):
    return run_module(SCENARIO, "--out", str(out), *options, timeout=RUN_TIMEOUT_S, **environment)


# --- The result ----------------------------------------------------------------------------------


async def test_contract_1(server, tmp_path):
    result = result_of(play(tmp_path, "--contract", "1", "--seed", "3", "--json"))
    (run,) = result["runs"]
    assert run["agents"] == {
        "Gizmo": {"iron": 12, "diamond": 0, "value": 48, "transfer": -11, "reward": 37},
        "Glitch": {"iron": 0, "diamond": 6, "value": 30, "transfer": 11, "reward": 41},
    }
    assert (run["welfare"], round(run["gini"], 2), run["seed"]) == (78, 0.05, 3)
    assert [fault for fault in run["faults"] if "too fast for this machine" not in fault] == []
    outer = {"scenario", "world", "mind", "contract", "seed", "run_dir", "welfare_optimum"}
    assert outer | {"runs", "mean", "sd", "condition", "faults"} <= set(result)
    assert (result["world"], result["mind"]) == ("minecraft", "scripted")
    assert result["welfare_optimum"] == 78

    record = read_record(Path(result["run_dir"]))
    assert record.problems == []
    assert record.result == result
    assert record.manifest["mind"] == "scripted"
    assert {call["model"] for call in record.calls} == {"scripted"}
    dug = [(event.agent, event.block) for event in record.of(events.BlockDug)]
    assert dug.count(("Gizmo", "iron_ore")) == 12
    assert dug.count(("Glitch", "diamond_ore")) == 6
    assert sum(event.amount for event in record.of(events.Transfer)) == 0
    assert record.events[-1].reason == "done"

    # The players left; whoever comes back has what they had, and the server says what that is.
    async with entered(server, "Gizmo", "Glitch") as world:
        held = await world.inventories(["Gizmo", "Glitch"])
    counted = DoubleVein().count(Account(held, {}, ActionLog()))
    for agent, outcome in run["agents"].items():
        assert counted[agent] == {"iron": outcome["iron"], "diamond": outcome["diamond"]}


def test_contract_2_passes_the_pickaxe_on(server, tmp_path):
    result = result_of(play(tmp_path, "--contract", "2", "--json"))
    rewards = {name: agent["reward"] for name, agent in result["runs"][0]["agents"].items()}
    assert rewards == {"Gizmo": 39, "Glitch": 39}
    assert result["mean"]["gini"] == 0
    record = read_record(Path(result["run_dir"]))
    (handed_over,) = record.of(events.Signal)
    (last_iron,) = [e for e in record.of(events.BlockDug) if e.block == "iron_ore"][-1:]
    first_diamond = next(e for e in record.of(events.BlockDug) if e.block == "diamond_ore")
    assert (handed_over.agent, handed_over.to) == ("Gizmo", "Glitch")
    assert last_iron.t < handed_over.t < first_diamond.t


def test_without_a_contract_the_first_at_the_chest_wins(server, tmp_path):
    result = result_of(play(tmp_path, "--runs", "2", "--seed", "2", "--json"))
    record = read_record(Path(result["run_dir"]))
    for number, run in enumerate(result["runs"]):
        assert run["welfare"] < 78
        took = [
            event.agent
            for event in record.of(events.ContainerMoved)
            if event.episode == number and event.item == "iron_pickaxe"
        ]
        rewards = {name: agent["reward"] for name, agent in run["agents"].items()}
        assert max(rewards, key=rewards.__getitem__) == took[0]
    assert result["mean"]["gini"] > 0.1
    assert len(result["runs"]) == 2


def test_the_table_and_a_contract_in_free_words_that_nobody_judges_offline(server, tmp_path):
    contract = tmp_path / "contract.txt"
    contract.write_text("Gizmo pays Glitch 7 emeralds at the end.")
    shown = play(tmp_path, "--contract", str(contract), "--time-limit", "3")
    assert shown.returncode == 0, shown.stderr
    for word in ("Gizmo", "Glitch", "iron", "diamond", "transfer", "welfare", "mind: scripted"):
        assert word in shown.stdout
    for words in ("no language model is asked", "nobody can judge it"):
        assert words in shown.stderr
    (folder,) = find_runs(tmp_path)
    (run,) = json.loads((folder / "result.json").read_text())["runs"]
    assert run["judged"] == "none"
    assert {a["transfer"] for a in run["agents"].values()} == {0}


def test_the_seed_fixes_the_layout():
    scenario = DoubleVein()
    assert scenario.layout(5) == scenario.layout(5) != scenario.layout(6)
    assert scenario.optimum == 78


def test_the_arena_as_it_is_seen_from_above():
    built = DoubleVein().layout(0).scenery()
    counts = {block: len(places) for block, places in built["blocks"].items()}
    assert counts == {"chest": 1, "iron_ore": 12, "diamond_ore": 6}
    assert {block for block, *_ in built["ground"]} == {"grass_block", "barrier"}


# --- With a language model -----------------------------------------------------------------------


def test_a_program_with_an_error_is_written_again(server, tmp_path):
    programs = iter(["async function main(bot) {\n  await mineBlock(bot, 'unobtainium')\n}"] * 2)
    asked = []

    def reply(request):
        prompt = request["messages"][0]["content"]
        if prompt.startswith("You judge how well"):
            return 200, completion('{"success": false, "critique": "Try ore that exists."}')
        asked.append(request["messages"][-1]["content"])
        code = next(programs, None) or (POLICIES / "contract_1.js").read_text()
        return 200, completion(f"My plan.\n```javascript\n{code}\n```")

    with serving(reply) as endpoint:
        options = ["--contract", "1", "--base-url", endpoint.url, "--model", "local-test"]
        done = play(tmp_path, *options, "--json", OPENAI_API_KEY="never-recorded")
    result = result_of(done)
    assert result["mind"] == "openai"
    assert result["runs"][0]["attempts"] == 2
    assert result["mean"]["welfare"] == 78
    again = [text for text in asked if "no block named unobtainium" in text]
    assert len(again) == 2
    assert "line 2, column" in again[0]
    assert "Try ore that exists." in again[0]
    record = read_record(Path(result["run_dir"]))
    assert len(record.of(events.CodeFailed)) == 2
    written = b"".join(path.read_bytes() for path in record.folder.iterdir())
    assert b"never-recorded" not in written


def test_a_run_in_which_nobody_acted_is_no_result(server, tmp_path):
    with serving(lambda _request: (200, completion("I refuse."))) as endpoint:
        options = ["--base-url", endpoint.url, "--set", "max_attempts=1", "--json"]
        done = play(tmp_path, *options, OPENAI_API_KEY="key")
    assert (done.returncode, "no agent ever acted" in done.stderr) == (1, True), done.stderr
    result = json.loads(done.stdout)
    assert (result["mean"]["welfare"], result["failed_answers"]) == (None, 2)  # no critic is asked
    assert result["decisions"]["failed"] == 2
    failed = read_record(Path(result["run_dir"])).of(events.CodeFailed)
    assert len(failed) == 2


def test_help_teaches(server):
    shown = run_module(SCENARIO, "--help").stdout
    for text in ("1-roles: 1. Gizmo mines", "values.Gizmo.iron=4.0", "--condition 1", "--contract"):
        assert text in shown


# --- Bad input -----------------------------------------------------------------------------------


def assert_one_clear_line(done):
    assert done.returncode == 2, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("error: ")
    assert done.stdout == ""


def test_no_server(tmp_path):
    done = play(tmp_path, VOXPOLIS_SERVER=str(tmp_path))
    assert_one_clear_line(done)
    assert "make server" in done.stderr


def test_a_place_that_cannot_be_written(server, tmp_path):
    (tmp_path / "file").write_text("")
    assert_one_clear_line(play(tmp_path / "file"))


def test_settings_from_a_file_and_the_command_line(server, tmp_path):
    config = tmp_path / "config.yaml"
    config.write_text(
        "time_limit_s: 50\nvalues:\n  Gizmo: {iron: 10, diamond: 1}\n"
        "  Glitch: {iron: 1, diamond: 10}\n"
    )
    options = ["--config", str(config), "--set", "max_attempts=1", "--time-limit", "1", "--json"]
    result = result_of(play(tmp_path, *options))
    assert result["welfare_optimum"] == 180
    recorded = read_record(Path(result["run_dir"])).manifest["config"]
    assert (recorded["time_limit_s"], recorded["max_attempts"]) == (1, 1)
