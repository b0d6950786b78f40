"""A model plays every scenario, in five styles in which chat models answer."""

from __future__ import annotations

import asyncio
import importlib
import json
import os

import pytest
from click.testing import CliRunner

from tests.endpoint import answering, completion, serving
from tests.playing_styles import (
    GAMES,
    LEARNING,
    READINGS,
    faults_of,
    most_again,
    reading_of,
    reread,
    scenario_of,
    words,
)
from tests.saying import said_to
from tests.typed_endpoint import STYLES, deciding
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import command, prepare
from voxpolis.experiments.run.endings import notes_of
from voxpolis.experiments.run.runner import play
from voxpolis.experiments.study import record_reading
from voxpolis.records import events, read_record

# ``STYLES=all`` in the environment plays every game in all styles; otherwise each game is played in
# one of the styles, in turn.
IN_ALL = ("double_vein, negotiate", "taxation") if not os.environ.get("STYLES") else tuple(GAMES)
CELLS = [
    (name, style)
    for number, name in enumerate(GAMES)
    for place, style in enumerate(STYLES)
    if name in IN_ALL or number % len(STYLES) == place
]


@pytest.mark.parametrize(("name", "style"), CELLS)
async def test_a_model_of_any_style_plays(name, style, tmp_path):
    reached = serving if style == "strict" else answering
    code, result, run = await played(name, deciding(style), tmp_path, reached=reached)
    assert code == 0, result.get("error")
    assert faults_of(name, style, result, run.folder) == []
    if name in READINGS:
        await assert_read(name, style, run.folder, reached)


async def assert_read(name, style, folder, reached):
    """Check that a model of a style reads the record, and that its answers are in the results."""
    reading = importlib.import_module(reading_of(name)).READING
    with reached(deciding(style)) as endpoint:
        told = [str(folder), "--json", "--base-url", endpoint.url, "--model", "local"]
        done = await asyncio.to_thread(CliRunner().invoke, record_reading.command(reading), told)
    assert done.exit_code == 0, done.output
    asked, again = reread((folder / record_reading.CALLS).read_text().splitlines())
    assert asked > 0
    assert again <= most_again(style) * asked + LEARNING
    found = json.loads((folder / record_reading.FILE).read_text())
    assert READINGS[name](found), found


def test_every_scenario_is_played():
    assert {scenario_of(name) for name in GAMES} == {one.name for one in registry.scenarios()}


def made(experiment, words):
    """Return the values of a command line."""
    return command(experiment).make_context(experiment.name, list(words)).params


async def played(name, reply, out, *more, reached=serving):
    """Return the exit code and the result of a scenario played with a given endpoint."""
    experiment = registry.scenario(scenario_of(name))
    with reached(reply) as endpoint:
        told = [*words(name, "grid"), "--out", str(out), *more]
        told += ["--base-url", endpoint.url, "--model", "local"]
        run = await asyncio.to_thread(prepare, experiment, made(experiment, told))
        code, result = await play(run)
    return code, result, run


def nonsense_for(*signs):
    """Return a model that answers nonsense to prompts that contain one of these words."""
    good = deciding("strict")

    def reply(request):
        asked = said_to(request["messages"])
        return (200, completion("Hm?")) if any(sign in asked for sign in signs) else good(request)

    return reply


async def test_a_contract_without_a_judgement_is_not_a_result(tmp_path):
    contract = tmp_path / "contract.txt"
    contract.write_text("Who has more gives the other half of what it has more.")
    reply = nonsense_for("You are Judy")
    code, result, _ = await played(
        "double_vein", reply, tmp_path, "--contract", str(contract), reached=answering
    )
    assert code == 1
    assert result["error"] == (
        "1 of 1 run is excluded from means: no answer in the role judge was usable"
    )
    assert result["runs"][0]["acted"] == ["Gizmo", "Glitch"]


async def test_a_missing_program_does_not_count_as_zero(tmp_path, capsys):
    reply = nonsense_for("You are Glitch.")
    code, result, run = await played("double_vein", reply, tmp_path, reached=answering)
    (entry,) = result["runs"]
    assert (entry["welfare"], entry["gini"], result["mean"]["welfare"]) == (None, None, None)
    assert code == 1
    assert "an agent never acted" in result["error"]
    failed = result["decisions"]["agents"]
    assert failed["Glitch"]["failed"] == {"action: no JSON object": entry["attempts"]}
    assert not failed["Gizmo"]["failed"]
    noted = read_record(run.folder).of(events.MindFailed)
    assert [event.agent for event in noted] == ["Glitch"] * entry["attempts"]
    experiment = registry.scenario("double_vein")
    again = prepare(
        experiment, made(experiment, ["--replay", str(run.folder), "--out", str(tmp_path)])
    )
    await play(again)
    assert (again.folder / "events.jsonl").read_bytes() == (
        run.folder / "events.jsonl"
    ).read_bytes()
    run.prepared.show(result)
    assert "missing" in capsys.readouterr().out
    assert "decisions failed" in notes_of(result)[0]
    assert f"Glitch (action: no JSON object {entry['attempts']})" in notes_of(result)[0]
    assert ". The first: Glitch, action: no JSON object: " in notes_of(result)[0]
    assert "action (no JSON object" in notes_of(result)[1]
    assert notes_of(result)[2] == (
        "1 of 1 run is excluded from means: an agent never acted; "
        "no answer of Glitch in the role action was usable"
    )


ENDED = [("double_vein", 1), ("adasociety", 3), ("taxation", 60)]


@pytest.mark.parametrize(("name", "count"), ENDED)
async def test_a_run_ended_by_a_fault_replays_up_to_the_fault(name, count, tmp_path):
    """The replay ends at the question that was pending at the fault, and names it."""
    good, asked = deciding("strict"), []

    def reply(request):
        asked.append(request)
        return good(request) if len(asked) <= count else (401, {"error": "no credit"})

    code, result, run = await played(name, reply, tmp_path)
    assert (code, "no credit" in result["error"]) == (1, True)
    experiment = registry.scenario(scenario_of(name))
    told = made(experiment, ["--replay", str(run.folder), "--out", str(tmp_path)])
    code, replayed = await play(await asyncio.to_thread(prepare, experiment, told))
    assert (code, replayed["error"].endswith(result["error"])) == (1, True), replayed["error"]
