"""From the options of a command to the models that answer, and what people and records are told."""

from __future__ import annotations

import asyncio
import json
import shutil
import threading
from pathlib import Path

import pytest
from rich.console import Console
from voxpolis.experiments.run.live_view import LiveView

from tests.endpoint import completion, current_openai, saying, serving
from voxpolis.analysis.report.source import columns_of
from voxpolis.bots.agents.planner.plans import program_answer
from voxpolis.bots.models import CallBoard, CallSettings, ChatRequest, ModelSettings
from voxpolis.experiments.run import command, registry
from voxpolis.experiments.run import progress as waiting
from voxpolis.experiments.run.model_choice import priced
from voxpolis.experiments.run.runner import play
from voxpolis.records import read_record
from voxpolis.records.calls import KILLED, CallIndex

PLANS = program_answer("GATHER 1 stone_pickaxe").text()
CRITIC = '{"success": true, "critique": "Fine."}'


def plays(request):
    return CRITIC if "You judge how well" in request["messages"][0]["content"] else PLANS


def options(tmp_path, **more):
    fields = {"mind": "openai", "world": "grid", "json_output": True, "out": tmp_path}
    return {**fields, "settings": ("time_limit_s=5", "max_attempts=1"), **more}


def models_file(tmp_path, **fields):
    path = tmp_path / "models.yaml"
    path.write_text(json.dumps(fields))
    return path


def test_two_models_play_together(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("OTHER_KEY", "secret-key")
    with serving(saying(plays)) as one, serving(current_openai(plays)) as other:
        path = models_file(
            tmp_path,
            default={"model": "gpt-4o", "base_url": one.url},
            agents={"Glitch": {"model": "o9", "base_url": other.url, "key": "OTHER_KEY"}},
        )
        values = options(tmp_path, models=path)
        assert command.main(registry.experiment("double_vein"), values) == 0
    assert {request["model"] for request in one.requests} == {"gpt-4o"}
    assert {request["model"] for request in other.requests} == {"o9"}
    assert {request["authorization"] for request in other.requests} == {"Bearer secret-key"}
    told = capsys.readouterr()
    result = json.loads(told.out)
    folder = tmp_path / "double_vein"
    record = read_record(next(folder.iterdir()))
    who = {(call["agent"], call["requested"]) for call in record.calls}
    assert who == {("Gizmo", "gpt-4o"), ("Glitch", "o9")}
    assert sum(len(call.get("notes", ())) for call in record.calls) == 2
    assert "model o9: max_tokens is sent as max_completion_tokens" in told.err
    assert result["usage"]["calls"] == len(record.calls)
    assert result["usage"]["cost"] is None  # nobody knows what o9 costs
    assert f"models: {len(record.calls)} calls" in told.err
    written = "".join(path.read_text() for path in folder.rglob("*") if path.is_file())
    assert "secret-key" not in written


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"agents": {"Gizmoo": {}}}, "there is no agent 'Gizmoo'; did you mean Gizmo?"),
        ({"agents": {"Gizmo": {"key": "NOT_SET"}}}, "agents.Gizmo: the environment variable"),
        ({"agents": {"Gizmo": {"key": "sk-1"}}}, "agents.Gizmo.key: it names the variable"),
        (
            {"roles": {"judge": {"temprature": 1}}},
            "roles.judge: there is no field 'temprature'; there are: model, base_url, key",
        ),
        ({"default": ["gpt-4o"]}, "default"),
        ({"default": {"model": ["a", "b"]}}, "default.model"),
        ({"default": {"model": 5}}, "default.model"),
        ({"default": {"model": ""}}, "default.model"),
        ({"default": ""}, "default.model"),
        ({"default": 0}, "default"),
        ({"model": ""}, "default.model"),
        ({"model": "a", "default": {"model": {"a": 1}}}, "default.model"),
        ({"roles": {"judge": ["gpt-4o"]}}, "roles.judge"),
        ({"roles": {"judge": ""}}, "roles.judge.model"),
        (
            {"agents": {"Gizmo": {"base_url": "https://a.example/v1?key=sk-1"}}},
            "agents.Gizmo.base_url: key in its query would stand in the record; use key",
        ),
        (
            {"default": {"base_url": "https://a.example/v1?v=1&access_token=sk-1"}},
            "default.base_url: access_token in its query would stand in the record; use key",
        ),
        ({"agents": ["Gizmo"]}, "agents"),
    ],
)
def test_wrong_settings_are_one_line(tmp_path, capsys, fields, says):
    values = options(tmp_path, models=models_file(tmp_path, **fields), base_url="http://[::1]:9/v1")
    assert command.main(registry.experiment("double_vein"), values) == 2
    told = capsys.readouterr().err
    assert says in told
    assert told.count("\n") == 1
    assert "sk-1" not in told


def test_a_name_alone_is_a_models(tmp_path):
    fields = {"default": "all", "roles": {"judge": "wise"}, "agents": {"Gizmo": "small"}}
    settings = ModelSettings.model_validate(fields)
    asked = [ChatRequest([], role, agent, 0.1, 9) for role, agent in ASKED]
    assert [settings.request(one).model for one in asked] == ["all", "wise", "small"]
    values = options(tmp_path, models=models_file(tmp_path, **fields))
    chosen = command.plan(registry.experiment("double_vein"), values, priced).choice
    assert chosen.settings == settings


#: A role and an agent of which only the other, the one or the other is set.
ASKED = (("action", "Glitch"), ("judge", None), ("action", "Gizmo"))


def test_an_address_may_have_a_query_that_holds_no_secret():
    url = "https://a.example/v1?api-version=2024-10-21&keyboard=1"
    assert CallSettings(base_url=url).base_url == url


def test_a_run_that_goes_on_counts_what_was_paid_before(tmp_path, capsys):
    """Usage and budget are the whole run's, however often it was cut off."""
    experiment = registry.experiment("double_vein")
    with serving(saying(plays)) as endpoint:
        values = options(tmp_path, base_url=endpoint.url, budget="1 calls")
        assert command.main(experiment, values) == 1
        told = capsys.readouterr().err
        assert "by the next call; 0 are spent, besides 1 call under way" in told
        folder = next((tmp_path / "double_vein").iterdir())
        again = {"resume": folder, "json_output": True, "base_url": endpoint.url}
        assert command.main(experiment, {**again, "budget": "1 calls"}) == 1
        assert "by the next call; 1 are spent" in capsys.readouterr().err
        assert len(endpoint.requests) == 1
        assert command.main(experiment, {**again, "budget": "3 calls"}) == 0
        result = json.loads(capsys.readouterr().out)
    assert len(endpoint.requests) == 2  # the answer from before is not asked for again
    usage = {"calls": 2, "prompt_tokens": 6, "completion_tokens": 8}
    assert {name: result["usage"][name] for name in usage} == usage


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"model": "other"}, "default.model was local-test when the run began, and is other now"),
        ({"models": {"action": {"max_tokens": 9}}}, "roles.action.max_tokens was None"),
        ({"mind": "scripted"}, "the run began with a language model, and goes on with no others"),
    ],
)
def test_a_run_goes_on_with_the_minds_that_it_began_with(tmp_path, capsys, changes, says):
    """Else nothing that was paid for could be found again, and no replay could say who answered."""
    experiment = registry.experiment("double_vein")
    with serving(saying(lambda _: PLANS)) as endpoint:
        begun = options(tmp_path, base_url=endpoint.url, model="local-test", budget="1 call")
        assert command.main(experiment, begun) == 1
        folder = Path(json.loads(capsys.readouterr().out)["run_dir"])
        before, asked = (folder / "run.yaml").read_bytes(), len(endpoint.requests)
        if "models" in changes:
            roles = changes["models"]
            changes = {"models": models_file(tmp_path, model="local-test", roles=roles)}
        typed = {"base_url": endpoint.url, "budget": "1 call"}
        assert command.main(experiment, {"resume": folder, **typed, **changes}) == 2
        assert len(endpoint.requests) == asked
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert (folder / "run.yaml").read_bytes() == before


async def begun(tmp_path, endpoint):
    """A run, and the task that plays it: two calls are under way."""
    experiment = registry.experiment("double_vein")
    run = command.prepare(experiment, options(tmp_path, base_url=endpoint.url))
    playing = asyncio.create_task(play(run))
    while len(endpoint.requests) < 2:
        await asyncio.sleep(0.01)
    return run, playing


async def test_calls_under_way_are_in_the_record_of_a_run_that_is_cut_off(tmp_path):
    answer = threading.Event()

    def reply(_request):
        answer.wait(20)
        return 200, completion(PLANS)

    with serving(reply) as endpoint:
        run, playing = await begun(tmp_path, endpoint)
        playing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await playing
        answer.set()
    record = read_record(run.folder)
    assert [call["cut_off"] for call in record.calls] == [True, True]
    assert {call["agent"] for call in record.calls} == {"Gizmo", "Glitch"}
    assert record.events[-1].reason == "interrupted"
    usage = record.result["usage"]
    assert (usage["calls"], usage["cut_off"]) == (0, 2)  # what their endpoint charges is unknown
    assert "2 more cut off unanswered" in run.choice.board.total()


async def test_calls_under_way_are_in_the_record_of_a_run_that_is_killed(tmp_path):
    """What a folder holds at that moment is what a killed run leaves; it can be gone on with."""
    answer, left = threading.Event(), tmp_path / "killed"

    def reply(request):
        answer.wait(20)
        return 200, completion(plays(request))

    with serving(reply) as endpoint:
        run, playing = await begun(tmp_path, endpoint)
        shutil.copytree(run.folder, left)
        answer.set()
        await playing
        assert len(read_record(run.folder).calls) == 2  # those that ended stand there once
        killed = read_record(left).calls
        assert [(call["cut_off"], call["error"]) for call in killed] == [(True, KILLED)] * 2
        assert {call["agent"] for call in killed} == {"Gizmo", "Glitch"}
        assert all("- GATHER: " in call["messages"][0]["content"] for call in killed)
        shown = columns_of(CallIndex(left), is_over=True)
        assert shown["failed"] == [True, True]
        assert columns_of(CallIndex(left))["failed"] == []  # a run that goes on may answer them
        again = {"resume": left, "base_url": endpoint.url}
        code, result = await play(command.prepare(run.experiment, again))
    assert (code, len(endpoint.requests), result["usage"]["calls"]) == (0, 4, 2)
    assert ["error" in call for call in read_record(left).calls] == [False, False, True, True]


def test_the_live_view_moves_while_a_model_is_waited_for(capsys):
    board = CallBoard({})
    view = LiveView("double_vein", "run 1 of 1", ["Gizmo"], world=None, board=board)
    console = Console(width=120)
    with board.waiting(ChatRequest([], "judge", None, 0.1, 10), "m"):
        console.print(view.draw())
    console.print(view.draw())
    assert capsys.readouterr().out.count("waiting for m (judge)") == 1


async def test_people_are_told_who_is_waited_for(monkeypatch):
    monkeypatch.setattr(waiting, "LOOK_S", 0.01)
    monkeypatch.setattr(waiting, "FIRST_LINE_S", 0.05)
    board, said = CallBoard({}), []
    async with waiting.telling(board, said.append):
        board.notes.append("m: temperature is not sent")
        request = ChatRequest([], "judge", None, 0.1, 10)
        with board.waiting(request, "m"):
            while len(said) < 3:
                await asyncio.sleep(0.01)
    assert said[0] == "model m: temperature is not sent"
    assert all("waiting for m (judge): 0 s" in line for line in said[1:])
