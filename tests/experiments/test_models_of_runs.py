"""From options to models: settings, money, keys, checks, and what records contain."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import shutil
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
import yaml

from tests.conftest import ROOT, run_module
from tests.endpoint import (
    completion,
    current_openai,
    saying,
    schema_of,
    serving,
)
from tests.typed_endpoint import sampled
from voxpolis.analysis.report.build import columns_of
from voxpolis.bots.agents.planner.plans import program_answer
from voxpolis.bots.models import endpoint as endpoint_of_models
from voxpolis.bots.models.settings import MAX_RETRIES, ROLES, is_local
from voxpolis.experiments.run import command, model_choice, registry
from voxpolis.experiments.run.runner import play
from voxpolis.experiments.study import check_models
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


def test_agents_with_two_models_play_together(tmp_path, capsys, monkeypatch):
    monkeypatch.setenv("OTHER_KEY", "secret-key")
    with serving(saying(plays)) as one, serving(current_openai(plays)) as other:
        path = models_file(
            tmp_path,
            default={"model": "gpt-4o", "base_url": one.url},
            agents={"Glitch": {"model": "o9", "base_url": other.url, "key": "OTHER_KEY"}},
        )
        values = options(tmp_path, models=path)
        assert command.main(registry.scenario("double_vein"), values) == 0
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
    assert result["usage"]["cost"] is None  # the price of o9 is unknown
    assert f"models: {len(record.calls)} calls" in told.err
    written = "".join(path.read_text() for path in folder.rglob("*") if path.is_file())
    assert "secret-key" not in written


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"agents": {"Gizmoo": {}}}, "there is no agent 'Gizmoo'; did you mean Gizmo?"),
        ({"agents": {"Gizmo": {"key": "NOT_SET"}}}, "agents.Gizmo: the environment variable"),
        ({"agents": {"Gizmo": {"key": "sk-1"}}}, "agents.Gizmo.key: must be the name"),
        ({"roles": {"judge": {"temprature": 1}}}, "roles.judge: there is no field 'temprature'"),
        ({"default": {"model": ["a", "b"]}}, "default.model"),
        ({"default": ""}, "default.model"),
        (
            {"agents": {"Gizmo": {"base_url": "https://a.example/v1?key=sk-1"}}},
            "agents.Gizmo.base_url: key in the query would be recorded",
        ),
    ],
)
def test_invalid_model_settings_print_one_line(tmp_path, capsys, fields, says):
    values = options(
        tmp_path, models=models_file(tmp_path, **fields), base_url="http://[::1]:9/v1", model="m"
    )
    assert command.main(registry.scenario("double_vein"), values) == 2
    told = capsys.readouterr().err
    assert says in told
    assert told.count("\n") == 1
    assert "sk-1" not in told


def test_model_of_another_endpoint_has_to_be_named(tmp_path, capsys):
    """A local model must not be recorded as gpt-4o, or get its price."""
    values = options(tmp_path, base_url="http://127.0.0.1:9/v1")
    assert command.main(registry.scenario("double_vein"), values) == 2
    assert capsys.readouterr().err == "error: name a model of http://127.0.0.1:9/v1 with --model\n"


def test_resumed_run_counts_earlier_payments(tmp_path, capsys):
    """Usage and budget cover the whole run, including the part before an interruption."""
    experiment = registry.scenario("double_vein")
    with serving(saying(plays)) as endpoint:
        values = options(tmp_path, base_url=endpoint.url, model="m", budget="1 calls")
        assert command.main(experiment, values) == 1
        told = capsys.readouterr().err
        assert "; 0 are spent, plus 1 call under way" in told
        folder = next((tmp_path / "double_vein").iterdir())
        again = {"resume": folder, "json_output": True, "base_url": endpoint.url}
        assert command.main(experiment, {**again, "budget": "1 calls"}) == 1
        assert "; 1 are spent" in capsys.readouterr().err
        assert len(endpoint.requests) == 1
        assert command.main(experiment, {**again, "budget": "3 calls"}) == 0
        result = json.loads(capsys.readouterr().out)
    assert len(endpoint.requests) == 2  # the earlier answer is not requested again
    usage = {"calls": 2, "prompt_tokens": 6, "completion_tokens": 8}
    assert {name: result["usage"][name] for name in usage} == usage


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"model": "other"}, "default.model was local-test when the run began and is other now"),
        (
            {"mind": "scripted"},
            "the run began with a language model, and can only be resumed with the same",
        ),
    ],
)
def test_resumed_run_must_keep_its_minds(tmp_path, capsys, changes, says):
    """Otherwise paid answers could not be reused, and replays would not know who answered."""
    experiment = registry.scenario("double_vein")
    with serving(saying(lambda _: PLANS)) as endpoint:
        begun = options(tmp_path, base_url=endpoint.url, model="local-test", budget="1 call")
        assert command.main(experiment, begun) == 1
        folder = Path(json.loads(capsys.readouterr().out)["run_dir"])
        before, asked = (folder / "run.yaml").read_bytes(), len(endpoint.requests)
        typed = {"base_url": endpoint.url, "budget": "1 call"}
        assert command.main(experiment, {"resume": folder, **typed, **changes}) == 2
        assert len(endpoint.requests) == asked
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
    assert (folder / "run.yaml").read_bytes() == before


async def begun(tmp_path, endpoint):
    """Start a run with two open calls; return it and its task."""
    experiment = registry.scenario("double_vein")
    run = command.prepare(experiment, options(tmp_path, base_url=endpoint.url, model="m"))
    playing = asyncio.create_task(play(run))
    while len(endpoint.requests) < 2:
        await asyncio.sleep(0.01)
    return run, playing


async def test_record_of_killed_run_contains_open_calls(tmp_path):
    """The run's folder then equals that of a killed run, which can be resumed."""
    answer, left = threading.Event(), tmp_path / "killed"

    def reply(request):
        answer.wait(20)
        return 200, completion(plays(request))

    with serving(reply) as endpoint:
        run, playing = await begun(tmp_path, endpoint)
        shutil.copytree(run.folder, left)
        answer.set()
        await playing
        assert len(read_record(run.folder).calls) == 2  # finished calls appear once
        killed = read_record(left).calls
        assert [(call["cut_off"], call["error"]) for call in killed] == [(True, KILLED)] * 2
        assert {call["agent"] for call in killed} == {"Gizmo", "Glitch"}
        assert all("- GATHER: " in call["messages"][0]["content"] for call in killed)
        shown = columns_of(CallIndex(left), is_over=True)
        assert shown["failed"] == [True, True]
        assert columns_of(CallIndex(left))["failed"] == []  # a resumed run may answer them
        again = {"resume": left, "base_url": endpoint.url}
        code, result = await play(command.prepare(run.experiment, again))
    assert (code, len(endpoint.requests), result["usage"]["calls"]) == (0, 4, 2)
    assert ["error" in call for call in read_record(left).calls] == [False, False, True, True]


SHORT = ("time_limit_s=5", "max_attempts=1")
KEY = {"OPENAI_API_KEY": "sk-secret"}


def typed(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_module("scenarios.double_vein", "--world", "grid", *options, **environment)


NAMES = {"gpu-node": "192.168.1.20", "api.openai.com": "162.159.140.245"}


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://localhost:8000/v1", True),
        ("http://2130706433/v1", True),
        ("http://gpu-node:8000/v1", True),
        ("https://api.openai.com/v1", False),
        ("http://134744072/v1", False),
        ("http://[::ffff:8.8.8.8]/v1", False),
        ("http://127.0.0.1.evil.com/v1", False),
        ("not an address", False),
    ],
)
def test_local_endpoints_are_recognised(address: str, local: bool, monkeypatch) -> None:
    look_up = socket.getaddrinfo

    def resolve(host, port):
        return look_up(NAMES.get(host, host), port, flags=socket.AI_NUMERICHOST)

    if "localhost" not in address:
        monkeypatch.setattr(socket, "getaddrinfo", resolve)
    is_local.cache_clear()
    assert is_local(address) is local


@pytest.mark.parametrize(
    "words",
    [
        ("scenarios.double_vein", "--world", "grid"),
        ("experiments", "compare", "double_vein", "--world", "grid", "--model", "gpt-4o"),
    ],
)
def test_key_in_environment_pays_nothing_without_a_terminal(
    words: tuple[str, ...], tmp_path
) -> None:
    done = run_module(*words, "--out", str(tmp_path), **KEY)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "gpt-4o at https://api.openai.com" in done.stderr
    assert "--yes" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_sweep_of_paid_model_needs_consent(tmp_path) -> None:
    plan = tmp_path / "plan.yaml"
    fields = {"scenario": "double_vein", "seeds": 3, "conditions": {"none": {"model": "gpt-4o"}}}
    plan.write_text(yaml.safe_dump(fields))
    done = run_module("experiments", "sweep", str(plan), "--out", str(tmp_path / "s"), **KEY)
    assert done.returncode == 2
    assert "--yes" in done.stderr
    plan.write_text(yaml.safe_dump({**fields, "options": {"yes": True}}))
    done = run_module("experiments", "sweep", str(plan), "--out", str(tmp_path / "s"), **KEY)
    assert (done.returncode, "type --yes" in done.stderr) == (2, True)


def test_sweep_plan_endpoint_must_be_typed(tmp_path) -> None:
    with serving(saying(lambda _: PLANS)) as endpoint:
        models = tmp_path / "models.yaml"
        headers = {"X-Steal": "$OPENAI_API_KEY"}
        models.write_text(yaml.safe_dump({"default": {"model": "m", "headers": headers}}))
        for named in (
            {"base_url": endpoint.url},
            {"debug": f"--base-url={endpoint.url}"},
            {"models": str(models)},
            {"debug": "--budget=$999"},
        ):
            plan = tmp_path / "plan.yaml"
            fields = {"scenario": "double_vein", "seeds": 1, "conditions": {"none": {}}}
            plan.write_text(yaml.safe_dump({**fields, "options": {"model": "m", **named}}))
            words = ("sweep", str(plan), "--out", str(tmp_path / "s"), "--yes")
            done = run_module("experiments", *words, **KEY)
            assert (done.returncode, endpoint.requests) == (2, [])
            assert "must be given on the command line" in done.stderr


def test_endpoints_receive_no_secrets_from_environment(tmp_path) -> None:
    """The client library would send these to every endpoint."""
    environment = {
        "OPENAI_CUSTOM_HEADERS": "X-Gateway: token\nAuthorization: Bearer gateway",
        "OPENAI_ORG_ID": "org",
        "OPENAI_PROJECT_ID": "project",
        **KEY,
    }
    with serving(saying(lambda _: PLANS)) as mine, serving(saying(lambda _: PLANS)) as other:
        models = tmp_path / "models.yaml"
        agents = {"Glitch": {"base_url": other.url}}
        default = {"model": "m", "base_url": mine.url, "key": "MY_KEY"}
        models.write_text(yaml.safe_dump({"default": default, "agents": agents}))
        environment["MY_KEY"] = "mine"
        sets = [word for one in SHORT for word in ("--set", one)]
        typed("--models", str(models), *sets, "--out", str(tmp_path), **environment)
    for endpoint, key in ((mine, "mine"), (other, "none")):
        assert len(endpoint.requests) >= 1
        for request in endpoint.requests:
            assert request["authorization"] == f"Bearer {key}"
            sent = request["headers"].keys()
            assert not {"x-gateway", "openai-organization", "openai-project"} & sent


def test_price_is_shown_and_confirmed_on_a_terminal(tmp_path) -> None:
    words = ["-m", "scenarios.double_vein", "--world", "grid", "--out", str(tmp_path)]
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, *words], cwd=ROOT, stdin=theirs, stdout=theirs, stderr=theirs,
        env={**os.environ, **KEY},
    )  # fmt: skip
    os.close(theirs)
    said = ""
    while "[y/N]" not in said:
        said += os.read(ours, 4096).decode()
    os.write(ours, b"\n")
    assert process.wait(60) == 2
    os.close(ours)
    for told in ("gpt-4o at https://api.openai.com", "chosen by the environment", "about $", "$1"):
        assert told in said
    assert list(tmp_path.iterdir()) == []


def test_paid_run_names_its_model_and_can_be_resumed_after_stopping_at_one_dollar(
    tmp_path, capsys, monkeypatch
) -> None:
    monkeypatch.setattr(model_choice, "is_local", lambda _: False)
    experiment = registry.scenario("double_vein")

    def costly(_request):
        body = completion(PLANS)
        body["usage"] = {"prompt_tokens": 0, "completion_tokens": 99_000, "total_tokens": 99_000}
        return 200, body

    with serving(costly) as endpoint:
        typed = {"base_url": endpoint.url, "model": "gpt-4o", "json_output": True}
        values = {**typed, "world": "grid", "runs": 3, "settings": SHORT, "out": tmp_path}
        assert command.main(experiment, values) == 1
        assert "exceed the budget of $1" in capsys.readouterr().err
        (folder,) = (tmp_path / "double_vein").iterdir()
        record = read_record(folder)
        assert record.events[-1].reason == "budget"
        assert record.result["unfinished"]
        assert len(endpoint.requests) < 4
    with serving(saying(lambda _: PLANS)) as endpoint:
        again = {**typed, "base_url": endpoint.url, "resume": folder}
        assert command.main(experiment, {**again, "budget": "$9"}) == 0
    assert len(json.loads(capsys.readouterr().out.splitlines()[-1])["runs"]) == 3


@pytest.fixture(scope="module")
def ended_by_budget(tmp_path_factory):
    """Return a run with a local language model that was ended by its budget."""
    out = tmp_path_factory.mktemp("cut_off")
    with serving(saying(lambda _: PLANS)) as endpoint:
        sets = [word for one in SHORT for word in ("--set", one)]
        options = ["--base-url", endpoint.url, "--model", "mine", "--budget", "1 call", *sets]
        assert typed(*options, "--out", str(out), **KEY).returncode == 1
    (folder,) = out.glob("double_vein/*")
    return folder


def test_record_of_another_user_receives_no_key(ended_by_budget, tmp_path) -> None:
    """The record's endpoint is only used if the user types it and so agrees to send the key."""
    with serving(saying(lambda _: PLANS)) as endpoint:
        folder = shutil.copytree(ended_by_budget, tmp_path / "run")
        manifest = yaml.safe_load((folder / "run.yaml").read_text())
        manifest["options"]["base_url"] = endpoint.url
        (folder / "run.yaml").write_text(yaml.safe_dump(manifest))
        words = ["--resume", str(folder), "--out", str(tmp_path / "out")]
        done = run_module("scenarios.double_vein", *words, **KEY)
        assert (done.returncode, endpoint.requests) == (2, [])
        assert f"--base-url {endpoint.url}" in done.stderr


def test_record_cannot_name_variables_whose_values_are_sent(ended_by_budget, tmp_path) -> None:
    with serving(saying(lambda _: PLANS)) as endpoint:
        folder = shutil.copytree(ended_by_budget, tmp_path / "run")
        manifest = yaml.safe_load((folder / "run.yaml").read_text())
        manifest["models"] = {
            "default": {"model": "mine", "headers": {"X-Leak": "$GITHUB_TOKEN"}},
            "agents": {"Glitch": {"base_url": endpoint.url, "key": "AWS_SECRET_ACCESS_KEY"}},
        }
        (folder / "run.yaml").write_text(yaml.safe_dump(manifest))
        secrets = {"GITHUB_TOKEN": "ghp", "AWS_SECRET_ACCESS_KEY": "aws", **KEY}
        typed = ["--base-url", endpoint.url, "--budget", "9 calls"]
        done = run_module("scenarios.double_vein", "--resume", str(folder), *typed, **secrets)
        assert (done.returncode, endpoint.requests) == (2, [])
        assert "--models" in done.stderr


def well(request):
    """Return a valid answer: a value for each field in the schema, or a program."""
    schema = schema_of(request)
    program = "```javascript\nasync function mine(bot) {}\n```"
    return program if schema is None else json.dumps(sampled(schema))


def checked(capsys, url, *options):
    """Return exit code and result of the command."""
    names = ["--base-url", url, "--model", "local-test", "--json", *options]
    with pytest.raises(SystemExit) as ended:
        check_models.check_models(names, standalone_mode=False)
    return ended.value.code, json.loads(capsys.readouterr().out)


def test_model_with_valid_answers_passes_every_role(capsys):
    with serving(current_openai(well)) as endpoint:
        code, found = checked(capsys, endpoint.url, "--samples", "1")
    assert {one["role"]: one["verdict"] for one in found["roles"]} == dict.fromkeys(ROLES, "works")
    assert (code, found["works"]) == (0, True)
    asked = {one["role"]: one["questions"] for one in found["roles"]}
    assert (asked["action"], asked["planner"], asked["critic"]) == (2, 2, 1)  # Minecraft, the grid
    assert all(one["at_once"] == one["questions"] for one in found["roles"])
    assert any("max_tokens is sent as max_completion_tokens" in note for note in found["notes"])


def test_model_with_invalid_answers_fails_structured_roles(capsys):
    with serving(saying(lambda _: "Certainly! I would be happy to help.")) as endpoint:
        code, found = checked(capsys, endpoint.url, "--samples", "2")
    verdicts = {one["role"]: one["verdict"] for one in found["roles"]}
    # any text is a valid answer in the other roles
    free = {"talk", "goal", "plan", "reflect", "feedback", "describe", "answer"}
    formal = set(verdicts) - free
    assert {verdicts[role] for role in formal} == {"would not work"}
    assert {"judge", "action", "decide", "ballot", "negotiator"} <= formal
    assert code == 1
    judge = next(one for one in found["roles"] if one["role"] == "judge")
    assert "happy to help" in judge["problem"]


@pytest.mark.parametrize("status", [401])
def test_dead_endpoint_is_asked_for_one_role_only(capsys, monkeypatch, status):
    monkeypatch.setattr(endpoint_of_models, "FIRST_PAUSE_S", 0.001)
    with serving(lambda _: (status, {"error": {"message": "no such key"}})) as endpoint:
        code, found = checked(capsys, endpoint.url)
    assert len(endpoint.requests) == (1 if status else 1 + MAX_RETRIES)
    only, *others = found["roles"]
    assert only["problem"] is not None
    assert (only["questions"], only["verdict"], code) == (1, "would not work", 1)
    assert {(one["questions"], one["verdict"]) for one in others} == {(0, "not asked")}
    assert {one["role"] for one in found["roles"]} == set(ROLES)
    assert "no other role was asked" in found["notes"][-1]
