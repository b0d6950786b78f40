"""Contracts that players make, judges, budgets and replays, as a user runs them."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest

from records import events, read_record
from tests.conftest import result_of, run_module
from tests.endpoint import completion, serving

SCENARIO = "scenarios.double_vein"
SERVER_OPTIONS = ["--speed", "5"]


def play(out, *options, **environment):
    return run_module(SCENARIO, "--out", str(out), *options, timeout=280, **environment)


def judgement(amount):
    """A judge's answer by which Gizmo pays Glitch."""
    payments = [{"from": "Gizmo", "to": "Glitch", "amount": amount}]
    first = {"term": 1, "reason": "It was kept.", "payments": []}
    second = {"term": 2, "reason": "It was kept.", "payments": payments}
    return json.dumps({"findings": [first, second], "critiques": []})


def test_a_negotiated_contract_is_kept_and_settled(server, tmp_path):
    result = result_of(play(tmp_path, "--contract", "negotiate", "--rounds", "6", "--json"))
    (run,) = result["runs"]
    assert result["contract"] == "negotiate"
    assert run["welfare"] >= 0.95 * 78
    assert run["judged"] == "exact"
    record = read_record(Path(result["run_dir"]))
    assert record.problems == []
    said = record.of(events.NegotiationMessage)
    assert len(said) == run["messages"] <= 6
    assert said[-1].accepts
    (agreed,) = record.of(events.ContractAgreed)
    assert agreed.text == run["contract"] == said[-2].proposal
    (clause,) = agreed.clauses
    paid = float(clause.removeprefix("Gizmo pays Glitch "))
    assert run["agents"]["Glitch"]["transfer"] == paid
    thoughts = {event.text for event in record.of(events.HiddenThought)}
    assert len(record.of(events.HiddenThought)) == len(said)
    spoken = [call for call in record.calls if call["role"] == "negotiator"]
    assert len(spoken) == len(said)
    assert thoughts


def test_the_judge_model_is_measured_against_the_exact_settlement(server, tmp_path):
    def reply(request):
        text = request["messages"][0]["content"]
        if "You are Judy" in text:
            return 200, completion(judgement(4))
        if "You judge how well" in text:
            return 200, completion('{"success": true, "critique": ""}')
        return 200, completion("```javascript\nawait bot.waitForTicks(1)\n```")

    with serving(reply) as endpoint:
        options = ["--contract", "1", "--judge", "both", "--base-url", endpoint.url, "--json"]
        result = result_of(play(tmp_path, *options, OPENAI_API_KEY="secret-key"))
    (run,) = result["runs"]
    assert (run["judged"], run["judge_error"]) == ("exact", 7)
    assert run["agents"]["Glitch"]["transfer"] == 11
    folder = Path(result["run_dir"])
    record = read_record(folder)
    assert record.of(events.Judgement)[0].error == 7
    assert "secret-key" not in "".join(path.read_text() for path in folder.iterdir())

    again = replayed(folder, tmp_path)
    assert again["mind"] == "replay"
    assert again["runs"] == result["runs"]


def replayed(folder, tmp_path):
    """The result of a replay with neither server, network nor key; its events are the same."""
    nowhere = {"VOXPOLIS_SERVER": str(tmp_path / "none"), "OPENAI_API_KEY": ""}
    again = result_of(play(tmp_path, "--replay", str(folder), "--json", **nowhere))
    events_again = Path(again["run_dir"], "events.jsonl").read_bytes()
    assert events_again == (folder / "events.jsonl").read_bytes()
    return again


TERMS = ["Gizmo pays Glitch five.", "All else is free."]


def spoken(move):
    """A negotiator's answer."""
    note = "My secret is the number 4711."
    return json.dumps({"note": note, "message": None, "move": move})


def test_a_whole_run_of_models_is_replayed_byte_for_byte(server, tmp_path):
    """Negotiation, compiled clauses, a failed program, a second attempt, two episodes, a judge."""
    programs = []

    def reply(request):
        text = "\n".join(message["content"] for message in request["messages"])
        if "You negotiate for" in text:
            standing = re.findall(r"(?m)^You may accept proposal (\d+)\.$", text)
            if standing:
                move = {"do": "accept", "proposal": int(standing[0])}
            else:
                move = {"do": "propose", "terms": TERMS, "clauses": []}
            return 200, completion(spoken(move))
        if "You turn a contract" in text:
            amount = "5 * min(1, dug(Gizmo, iron))"
            clause = {"payer": "Gizmo", "receiver": "Glitch", "amount": amount, "condition": None}
            return 200, completion(json.dumps({"clauses": [clause]}))
        if "You are Judy" in text:
            return 200, completion(judgement(0))
        if "You judge how well" in text:
            return 200, completion('{"success": false, "critique": "Try again."}')
        programs.append(text)
        broken = "await bot.noSuchThing()" if len(programs) == 1 else "bot.chat('Here I am.')"
        return 200, completion(f"```javascript\n{broken}\nawait bot.waitForTicks(25)\n```")

    with serving(reply) as endpoint:
        options = ["--contract", "negotiate", "--compile", "--episodes", "2", "--renegotiate"]
        options += ["--judge", "both", "--base-url", endpoint.url, "--json"]
        result = result_of(play(tmp_path, *options, OPENAI_API_KEY="secret-key"))
    assert [run["episode"] for run in result["runs"]] == [1, 2]
    assert [run["attempts"] for run in result["runs"]] == [2, 1]
    assert all("As clauses:\n1. Gizmo pays Glitch 5 *" in run["contract"] for run in result["runs"])
    folder = Path(result["run_dir"])
    record = read_record(folder)
    asked = [c["messages"][-1]["content"] for c in record.calls if c["role"] == "negotiator"]
    assert sum("Episode 1. The contract" in text for text in asked) == 2
    assert not any("4711" in text for text in asked), "a hidden note was shown"
    assert replayed(folder, tmp_path)["runs"] == result["runs"]

    # A record that was cut off replays as far as it goes, and one that was changed says where.
    lines = (folder / "events.jsonl").read_text().splitlines(keepends=True)
    (folder / "events.jsonl").write_text("".join(lines[: len(lines) // 2]))
    done = play(tmp_path, "--replay", str(folder))
    assert (done.returncode, "the record ends here" in done.stderr) == (1, True), done.stderr
    changed = [line.replace('"value":0.0', '"value":9.0') for line in lines]
    (folder / "events.jsonl").write_text("".join(changed))
    done = play(tmp_path, "--replay", str(folder))
    assert (done.returncode, "the replay differs at event" in done.stderr) == (1, True), done.stderr


def test_the_servers_ledger_tells_who_did_what(server, tmp_path):
    folder = Path(result_of(play(tmp_path, "--contract", "2", "--json"))["run_dir"])
    record = read_record(folder)
    entries = record.of(events.LedgerEntry)
    moved = [(e.agent, e.action, e.item) for e in entries if e.action in ("took", "put")]
    assert moved == [
        ("Gizmo", "took", "iron_pickaxe"),
        ("Gizmo", "put", "iron_pickaxe"),
        ("Glitch", "took", "iron_pickaxe"),
    ]
    dug = Counter()
    for entry in entries:
        dug[entry.agent, entry.item] += entry.count * (entry.action == "dug")
    assert (dug["Gizmo", "iron_ore"], dug["Glitch", "diamond_ore"]) == (12, 6)
    replayed(folder, tmp_path)


def test_contracts_are_compared_in_one_table(server, tmp_path):
    options = ["double_vein", "--contracts", "1,negotiate", "--runs", "1", "--parallel", "2"]
    options += ["--out", str(tmp_path)]
    done = run_module("experiments", "compare", *options, timeout=280)
    assert done.returncode == 0, done.stderr
    rows = [line.replace("│", " ").split() for line in done.stdout.splitlines() if "│" in line]
    assert [row[0] for row in rows] == ["1", "negotiate"]
    assert [row[1] for row in rows] == ["78", "78"]
    told = " ".join(rows[0])
    assert "0.05 ± 0.02 0.05 ± 0.00 0.05 in 20 of 20" in told  # published, grid, Minecraft
    assert len(list(tmp_path.glob("double_vein/*/result.json"))) == 2


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["taxes"], "there is no scenario 'taxes'; there are:"),
        (["double_vein", "--contracts", "1,7"], "there is no contract '7'"),
    ],
)
def test_a_comparison_of_what_there_is_not(server, tmp_path, options, says):
    done = run_module("experiments", "compare", *options, "--out", str(tmp_path))
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("budget", ["1 calls", "1000 tokens", "$0.01"])
def test_a_budget_ends_a_run_with_its_record(tmp_path, budget):
    with serving(lambda _request: (200, completion("```js\nbot\n```"))) as endpoint:
        options = ["--world", "grid", "--budget", budget, "--base-url", endpoint.url]
        done = play(tmp_path, *options, OPENAI_API_KEY="key")
    assert done.returncode == 1
    assert f"error: the run failed: the budget of {budget} could be passed" in done.stderr
    (folder,) = tmp_path.glob("double_vein/*")
    record = read_record(folder)
    assert record.problems == []
    assert record.events[-1].reason == "budget"
    assert record.of(events.Fault) == []


def test_prompts_are_shown_without_a_server(tmp_path):
    options = ["--contract", "negotiate", "--show-prompts"]
    shown = play(tmp_path, *options, VOXPOLIS_SERVER=str(tmp_path / "none"))
    assert shown.returncode == 0, shown.stderr
    for title in ("negotiator, Gizmo", "action, Glitch", "critic, Gizmo", "judge"):
        assert f" {title} " in shown.stdout
    assert "{{" not in shown.stdout
