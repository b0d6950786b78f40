"""Nothing is paid by accident, and no key goes where the user did not send it."""

from __future__ import annotations

import json
import os
import pty
import socket
import subprocess
import sys

import pytest
import yaml

from tests.conftest import ROOT, run_module
from tests.endpoint import completion, saying, serving
from voxpolis.bots.agents.planner.plans import program_answer
from voxpolis.bots.models.settings import is_local
from voxpolis.experiments.run import command, model_choice, registry
from voxpolis.records import read_record

PLANS = program_answer("GATHER 1 stone_pickaxe").text()
SHORT = ("time_limit_s=5", "max_attempts=1")
KEY = {"OPENAI_API_KEY": "sk-secret"}


def play(*options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return run_module("scenarios.double_vein", "--world", "grid", *options, **environment)


NAMES = {"gpu-node": "192.168.1.20", "api.openai.com": "162.159.140.245", "vllm.lab": "10.1.2.3"}


@pytest.mark.parametrize(
    ("address", "local"),
    [
        ("http://localhost:8000/v1", True),
        ("http://127.0.0.1/v1", True),
        ("http://2130706433/v1", True),
        ("http://[::1]:11434/v1", True),
        ("http://192.168.1.20:8000/v1", True),
        ("http://gpu-node:8000/v1", True),
        ("http://vllm.lab/v1", True),
        ("https://api.openai.com/v1", False),
        ("http://8.8.8.8/v1", False),
        ("http://134744072/v1", False),
        ("http://0x08080808/v1", False),
        ("http://8\u30028\u30028\u30028/v1", False),
        ("http://[::ffff:8.8.8.8]/v1", False),
        ("http://[2001::808:808]/v1", False),
        ("http://198.18.0.1/v1", False),
        ("http://127.0.0.1.evil.com/v1", False),
        ("not an address", False),
    ],
)
def test_which_endpoints_are_local(address: str, local: bool, monkeypatch) -> None:
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
        ("scenarios.double_vein",),
        ("experiments", "compare", "double_vein", "--world", "grid", "--conditions", "none,1"),
        ("experiments", "compare", "double_vein", "--world", "grid", "--model", "gpt-4o"),
    ],
)
def test_without_a_terminal_a_key_alone_pays_nothing(words: tuple[str, ...], tmp_path) -> None:
    done = run_module(*words, "--out", str(tmp_path), **KEY)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert "gpt-4o at https://api.openai.com" in done.stderr
    assert "--yes" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_sweep_of_a_paid_model_needs_consent(tmp_path) -> None:
    plan = tmp_path / "plan.yaml"
    fields = {"scenario": "double_vein", "seeds": 3, "conditions": {"none": {"model": "gpt-4o"}}}
    plan.write_text(yaml.safe_dump(fields))
    done = run_module("experiments", "sweep", str(plan), "--out", str(tmp_path / "s"), **KEY)
    assert done.returncode == 2
    assert "--yes" in done.stderr
    plan.write_text(yaml.safe_dump({**fields, "options": {"yes": True}}))
    done = run_module("experiments", "sweep", str(plan), "--out", str(tmp_path / "s"), **KEY)
    assert (done.returncode, "type --yes" in done.stderr) == (2, True)


def test_a_plan_of_a_sweep_names_no_endpoint_that_was_not_typed(tmp_path) -> None:
    with serving(saying(lambda _: PLANS)) as endpoint:
        models = tmp_path / "models.yaml"
        headers = {"X-Steal": "$OPENAI_API_KEY"}
        models.write_text(yaml.safe_dump({"default": {"model": "m", "headers": headers}}))
        for named in (
            {"base_url": endpoint.url},
            {"base-url": endpoint.url},
            {f"base-url={endpoint.url}": True},
            {"debug": f"--base-url={endpoint.url}"},
            {"models": str(models)},
            {f"models={models}": True},
            {"debug": "--budget=$999"},
        ):
            plan = tmp_path / "plan.yaml"
            fields = {"scenario": "double_vein", "seeds": 1, "conditions": {"none": {}}}
            plan.write_text(yaml.safe_dump({**fields, "options": {"model": "m", **named}}))
            words = ("sweep", str(plan), "--out", str(tmp_path / "s"), "--yes")
            done = run_module("experiments", *words, **KEY)
            assert (done.returncode, endpoint.requests) == (2, [])
            assert "only taken from the command line" in done.stderr


def test_what_is_typed_for_a_sweep_counts_for_its_jobs(tmp_path) -> None:
    with serving(saying(lambda _: PLANS)) as endpoint:
        plan = tmp_path / "plan.yaml"
        sets = {"set": list(SHORT), "model": "m"}
        fields = {"scenario": "double_vein", "seeds": 1, "retries": 0, "options": sets}
        plan.write_text(yaml.safe_dump({**fields, "conditions": {"none": {}}}))
        typed = ["--base-url", endpoint.url, "--budget", "1 call"]
        words = ("sweep", str(plan), "--out", str(tmp_path / "s"), *typed)
        done = run_module("experiments", *words, **KEY)
        assert done.returncode == 1, done.stderr
        assert "the budget of 1 calls could be passed" in done.stdout
        assert 0 < len(endpoint.requests) <= 2
        plan.write_text(yaml.safe_dump({**fields, "conditions": {"../../escaped": {}}}))
        done = run_module("experiments", *words, **KEY)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "is no name" in done.stderr


def test_a_check_of_models_asks_before_it_pays() -> None:
    done = run_module("bots.models", "check", **KEY)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "gpt-4o at https://api.openai.com" in done.stderr


def test_other_endpoints_get_nothing_of_the_environments(tmp_path) -> None:
    """The client library sends these to every endpoint."""
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
        play("--models", str(models), *sets, "--out", str(tmp_path), **environment)
    for endpoint, key in ((mine, "mine"), (other, "none")):
        assert len(endpoint.requests) >= 1
        for request in endpoint.requests:
            assert request["authorization"] == f"Bearer {key}"
            sent = request["headers"].keys()
            assert not {"x-gateway", "openai-organization", "openai-project"} & sent


@pytest.mark.parametrize("answer", ["n", ""])
def test_on_a_terminal_the_price_is_told_and_asked_for(answer: str, tmp_path) -> None:
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
    os.write(ours, f"{answer}\n".encode())
    assert process.wait(60) == 2
    os.close(ours)
    for told in ("gpt-4o at https://api.openai.com", "named by no option", "about $", "$1"):
        assert told in said
    assert list(tmp_path.iterdir()) == []


def test_a_paid_run_names_its_model_and_stops_resumably_at_a_dollar(
    tmp_path, capsys, monkeypatch
) -> None:
    monkeypatch.setattr(model_choice, "is_local", lambda _: False)
    experiment = registry.experiment("double_vein")

    def costly(_request):
        body = completion(PLANS)
        body["usage"] = {"prompt_tokens": 0, "completion_tokens": 99_000, "total_tokens": 99_000}
        return 200, body

    with serving(costly) as endpoint:
        typed = {"base_url": endpoint.url, "model": "gpt-4o", "json_output": True}
        values = {**typed, "world": "grid", "runs": 3, "settings": SHORT, "out": tmp_path}
        assert command.main(experiment, values) == 1
        assert "the budget of $1 could be passed" in capsys.readouterr().err
        (folder,) = (tmp_path / "double_vein").iterdir()
        record = read_record(folder)
        assert record.events[-1].reason == "budget"
        assert record.result["unfinished"]
        assert len(endpoint.requests) < 4
    with serving(saying(lambda _: PLANS)) as endpoint:
        again = {**typed, "base_url": endpoint.url, "resume": folder}
        assert command.main(experiment, {**again, "budget": "$9"}) == 0
    assert len(json.loads(capsys.readouterr().out.splitlines()[-1])["runs"]) == 3


def test_the_first_line_names_model_and_endpoint(tmp_path) -> None:
    with serving(saying(lambda _: PLANS)) as endpoint:
        options = ["--base-url", endpoint.url, "--model", "mine", "--out", str(tmp_path)]
        done = play(*options, *(word for one in SHORT for word in ("--set", one)), **KEY)
    assert f"openai (mine at {endpoint.url})" in done.stderr.splitlines()[0]
    assert "budget" not in done.stderr  # an endpoint on this machine costs nothing


UNTYPED = {
    "base_url": "http://stranger.example/v1",
    "models": "models.yaml",
    "prices": "prices.yaml",
    "budget": "$1000",
    "engine": "ray",
    "address": "ray://stranger.example:10001",
}


@pytest.mark.parametrize("name", UNTYPED)
def test_a_file_of_settings_decides_neither_endpoint_nor_budget(name: str, tmp_path) -> None:
    path = tmp_path / "run.yaml"
    path.write_text(yaml.safe_dump({name: UNTYPED[name]}))
    done = play("--config", str(path), **KEY)
    assert done.returncode == 2
    assert f"--{name.replace('_', '-')} {UNTYPED[name]}".rstrip("0") in done.stderr.replace("'", "")


def test_consent_is_no_setting_of_a_file(tmp_path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text('"yes": true\n')
    done = play("--config", str(path), **KEY)
    assert (done.returncode, "type --yes" in done.stderr) == (2, True)


@pytest.fixture(scope="module")
def cut_off(tmp_path_factory):
    """A run of a language model on this machine that its budget ended."""
    out = tmp_path_factory.mktemp("cut_off")
    with serving(saying(lambda _: PLANS)) as endpoint:
        sets = [word for one in SHORT for word in ("--set", one)]
        options = ["--base-url", endpoint.url, "--model", "mine", "--budget", "1 call", *sets]
        assert play(*options, "--out", str(out), **KEY).returncode == 1
    (folder,) = out.glob("double_vein/*")
    return folder


@pytest.mark.parametrize("action", ["--config", "--resume"])
def test_a_strangers_record_gets_no_key(cut_off, action: str, tmp_path) -> None:
    """Its endpoint is only asked if it is typed; then it is the user who sends the key there."""
    with serving(saying(lambda _: PLANS)) as endpoint:
        folder = tmp_path / "run"
        folder.mkdir()
        for path in cut_off.iterdir():
            (folder / path.name).write_bytes(path.read_bytes())
        manifest = yaml.safe_load((folder / "run.yaml").read_text())
        manifest["options"]["base_url"] = endpoint.url
        (folder / "run.yaml").write_text(yaml.safe_dump(manifest))
        named = folder / "run.yaml" if action == "--config" else folder
        words = [action, str(named), "--out", str(tmp_path / "out")]
        done = run_module("scenarios.double_vein", *words, **KEY)
        assert (done.returncode, endpoint.requests) == (2, [])
        assert f"--base-url {endpoint.url}" in done.stderr


def test_a_record_names_no_variable_whose_value_is_sent(cut_off, tmp_path) -> None:
    with serving(saying(lambda _: PLANS)) as endpoint:
        folder = tmp_path / "run"
        folder.mkdir()
        for path in cut_off.iterdir():
            (folder / path.name).write_bytes(path.read_bytes())
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
