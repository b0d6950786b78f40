"""Contract games on the grid, as a user runs them: contracts, judges, budgets, bad endpoints."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest
from pydantic import ValidationError

from tests.conftest import ROOT, result_of, run_module
from tests.endpoint import completion, serving
from voxpolis.experiments.loops.contract.tables import sheets
from voxpolis.experiments.run.scenario import TOO_SLOW
from voxpolis.judge import Outcome
from voxpolis.records import events, find_runs, read_record
from voxpolis.scenarios.cleanup import CAPS, MUSHROOMS, RIVER_X, RIVER_Z, SLIME_PLACES, Cleanup
from voxpolis.scenarios.double_vein import DoubleVein


def play(out, *options, scenario="double_vein", **environment):
    words = ("--world", "grid", "--out", str(out), *options)
    return run_module(f"scenarios.{scenario}", *words, timeout=280, **environment)


def result(out, *options, **more):
    return result_of(play(out, *options, "--json", **more))


def assert_one_clear_line(done):
    assert done.returncode == 2, done.stderr
    lines = [line for line in done.stderr.splitlines() if line.strip()]
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("error: ")
    assert done.stdout == ""


def assert_failed_with_record(code, error, out, where):
    assert code == 1, error
    assert len([line for line in error.splitlines() if line.startswith("error: ")]) == 1
    assert "Traceback" not in error
    (folder,) = out.glob("double_vein/*")
    record = read_record(folder)
    assert record.problems == []
    assert where in {fault.where for fault in record.of(events.Fault)}
    assert record.events[-1].reason == "fault"
    assert record.result["error"]


# --- Arenas --------------------------------------------------------------------------------------


def test_arenas_match_the_paper_and_seeds_fix_layouts():
    assert (len(SLIME_PLACES), len(CAPS), len(MUSHROOMS)) == (17, 27, 3)
    assert len({*SLIME_PLACES, *CAPS}) == 44
    for x, _, z in SLIME_PLACES:
        assert RIVER_X[0] <= x <= RIVER_X[1]
        assert RIVER_Z[0] <= z <= RIVER_Z[1]
    scenario = DoubleVein()
    assert scenario.layout(5) == scenario.layout(5) != scenario.layout(6)
    assert scenario.optimum == 78
    built = scenario.layout(0).scenery()
    counts = {block: len(places) for block, places in built["blocks"].items()}
    assert counts == {"chest": 1, "iron_ore": 12, "diamond_ore": 6}


def test_contracts_compute_transfers_from_the_outcome():
    held = Outcome({"Gizmo": {"mushrooms": 10}, "Glitch": {"mushrooms": 4}})
    one, two = (Cleanup().contracts()[name].rule(held) for name in ("1", "2"))
    assert one["Gizmo"] == pytest.approx(0.45 * 42 - 30)
    assert two == pytest.approx({"Gizmo": -9, "Glitch": 9})


# --- Contracts -----------------------------------------------------------------------------------


def test_negotiated_contract_is_kept_and_settled(tmp_path):
    found = result(tmp_path, "--contract", "negotiate", "--rounds", "6")
    (run,) = found["runs"]
    assert run["welfare"] >= 0.95 * 78
    assert (found["contract"], run["judged"]) == ("negotiate", "exact")
    record = read_record(Path(found["run_dir"]))
    assert record.problems == []
    said = record.of(events.NegotiationMessage)
    assert len(said) == run["messages"] <= 6
    assert said[-1].accepts
    (agreed,) = record.of(events.ContractAgreed)
    assert agreed.text == run["contract"] == said[-2].proposal
    (clause,) = agreed.clauses
    paid = float(clause.removeprefix("Gizmo pays Glitch "))
    assert run["agents"]["Glitch"]["transfer"] == paid
    assert len(record.of(events.HiddenThought)) == len(said)
    spoken = [call for call in record.calls if call["role"] == "negotiator"]
    assert len(spoken) == len(said)


def test_free_text_contract_without_a_judge_is_not_a_result(tmp_path):
    contract = tmp_path / "contract.txt"
    contract.write_text("Gizmo pays Glitch 7 emeralds at the end.")
    shown = play(tmp_path, "--contract", str(contract), "--time-limit", "3")
    assert shown.returncode == 1
    for word in ("Gizmo", "Glitch", "iron", "diamond", "transfer", "mind: scripted"):
        assert word in shown.stdout
    assert "the contract, which is in words, was not settled" in shown.stderr
    assert "no judge can settle it" in shown.stderr
    (folder,) = find_runs(tmp_path)
    (run,) = json.loads((folder / "result.json").read_text())["runs"]
    assert run["judged"] == "none"
    assert {a["transfer"] for a in run["agents"].values()} == {0}


def test_contract_keeps_the_commons_alive(tmp_path):
    options = ["--time-limit", "50", "--seed", "2", "--contract", "1"]
    found = result(tmp_path, *options, scenario="harvest")
    (run,) = found["runs"]
    assert run["gini"] == pytest.approx(0)
    assert run["welfare"] == sum(3 * agent["mushrooms"] for agent in run["agents"].values())
    late = [one for one in read_record(Path(found["run_dir"])).of(events.LedgerEntry) if one.t > 40]
    assert {entry.item for entry in late} == {"red_mushroom_block"}, "nothing was left to harvest"


def test_river_players_take_turns_by_signals(tmp_path):
    found = result(tmp_path, "--contract", "2", "--time-limit", "40", scenario="cleanup")
    (run,) = found["runs"]
    assert run["gini"] == pytest.approx(0)
    record = read_record(Path(found["run_dir"]))
    sent = [event.agent for event in record.of(events.Signal)]
    assert sent[:3] == ["Gizmo", "Glitch", "Gizmo"][: len(sent)]
    assert len(sent) >= 2


# --- Conditions in comparison --------------------------------------------------------------------


def test_contracts_are_compared_in_one_table(tmp_path):
    options = ["double_vein", "--contracts", "1,negotiate", "--runs", "1", "--parallel", "2"]
    options += ["--world", "grid", "--out", str(tmp_path)]
    done = run_module("experiments", "compare", *options, timeout=280)
    assert done.returncode == 0, done.stderr
    rows = [line.replace("│", " ").split() for line in done.stdout.splitlines() if "│" in line]
    assert [row[:3] for row in rows[:2]] == [["1", "1", "78"], ["negotiate", "1", "78"]]
    told = " ".join(rows[2])
    assert "0.05 ± 0.02 0.05 ± 0.00 0.05 ± 0.00" in told  # published, grid, Minecraft
    assert "negotiate - 1" in " ".join(done.stdout.split())
    assert len(list(tmp_path.glob("double_vein/*/result.json"))) == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["taxes"], "there is no scenario 'taxes'"),
        (["double_vein", "--contracts", "1,7"], "there is no contract '7'"),
    ],
)
def test_comparison_of_unknown_names_is_refused(tmp_path, options, says):
    done = run_module("experiments", "compare", *options, "--out", str(tmp_path))
    assert_one_clear_line(done)
    assert says in done.stderr
    assert list(tmp_path.iterdir()) == []


def compared(condition, *episodes, unsound=0):
    """Return a result with a repetition for each tuple of episodes: (welfare, Gini)."""
    runs = [
        {
            "episode": number,
            "welfare": welfare,
            "gini": gini,
            "excluded": [] if welfare else ["idle"],
        }
        for repetition in episodes
        for number, (welfare, gini) in enumerate(repetition, start=1)
    ]
    runs += [{"episode": 1, "welfare": 0.0, "gini": 0.0, "excluded": [TOO_SLOW]}] * unsound
    return {"condition": condition, "welfare_optimum": 80.0, "runs": runs}


def test_gains_are_computed_by_episode():
    alone = compared("none", [(60, 0.4), (70, 0.4)], [(60, 0.4), (70, 0.4)])
    agreed = compared("1", [(70, 0.1), (80, 0.1)], [(75, 0.1), (None, None)], unsound=2)
    once = compared("2", [(40, 0.1)])
    (found,) = sheets([alone, agreed, once])
    assert found.as_json() == {
        "1": {
            "all episodes": pytest.approx((75 - 65) / (80 - 65)),
            "episode 1": pytest.approx((72.5 - 60) / (80 - 60)),
            "episode 2": pytest.approx(1.0),
        },
        "2": {
            "all episodes": pytest.approx((40 - 65) / 15),
            "episode 1": pytest.approx((40 - 60) / 20),
            "episode 2": None,
        },
    }
    assert list(sheets([compared("1", [(80, 0.0)])])) == []
    (found,) = sheets([compared(None, [(80, 0.1)]), compared("1", [(None, None)])])
    assert found.rows == {"1": [None]}


def test_effects_of_roles_and_transfer_are_separated():
    by = {"none": (60, 0.4), "1-roles": (78, 0.3), "1-transfer": (62, 0.1), "1": (80, 0.0)}
    found = list(sheets([compared(condition, [pair]) for condition, pair in by.items()]))
    assert [sheet.name for sheet in found] == ["surplus", "factorial 1"]
    welfare, gini = found[1].rows["welfare"], found[1].rows["gini"]
    assert welfare == [60, 78, 62, 80, 18, 2, 0]
    assert gini == pytest.approx([0.4, 0.3, 0.1, 0.0, -0.1, -0.3, 0.0])


# --- Failures ------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [401, 500, 200], ids=["refuses", "fails", "nonsense"])
def test_failing_endpoint_ends_the_run_with_its_record(tmp_path, status):
    with serving(lambda _request: (status, b"<html>nonsense</html>")) as endpoint:
        done = play(tmp_path, "--model", "local", "--base-url", endpoint.url, OPENAI_API_KEY="key")
    assert_failed_with_record(done.returncode, done.stderr, tmp_path, where="model")


def test_slow_endpoint_ends_the_run_with_its_record(tmp_path):
    def reply(_request):
        time.sleep(3)
        return 200, completion("late")

    with serving(reply) as endpoint:
        options = ["--model", "local", "--base-url", endpoint.url, "--request-timeout", "0.2"]
        done = play(tmp_path, *options, OPENAI_API_KEY="key")
    assert "did not answer in time" in done.stderr
    assert_failed_with_record(done.returncode, done.stderr, tmp_path, where="model")


def test_full_disk_is_reported(tmp_path):
    def limit_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))

    command = [sys.executable, "-m", "scenarios.double_vein", "--world", "grid", "--runs", "9"]
    done = subprocess.run(
        [*command, "--out", str(tmp_path)],
        cwd=ROOT,
        env=dict(os.environ),
        capture_output=True,
        text=True,
        timeout=280,
        preexec_fn=limit_files,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "cannot write the record" in done.stderr
    assert "Traceback" not in done.stderr
    (folder,) = tmp_path.glob("double_vein/*")
    assert read_record(folder).of(events.EpisodeStarted)


def test_invalid_command_prints_one_line(tmp_path):
    words = ("--world", "minecraft", "--out", str(tmp_path))
    done = run_module("scenarios.double_vein", *words, VOXPOLIS_SERVER=str(tmp_path))
    assert_one_clear_line(done)
    assert "make server" in done.stderr
    (tmp_path / "file").write_text("")
    assert_one_clear_line(play(tmp_path / "file"))
    with pytest.raises(ValidationError, match="the players are Gizmo and Glitch"):
        Cleanup(policies={"Zoe": "greedy"})
