"""Sweeps give the same table with any engine and after any interruption."""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
from pathlib import Path

import pytest
import yaml

from tests.conftest import run_module
from tests.cut_off import cut_off
from tests.endpoint import serving
from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.study.sweep import Sweep, SweepPlan, sweep
from voxpolis.front import run_app

SERVER_OPTIONS = ["--speed", "10"]

PLAN = {
    "scenario": "double_vein",
    "world": "grid",
    "seeds": 2,
    "conditions": {"none": {"contract": "none"}, "one": {"contract": "1"}},
}


@pytest.fixture
def plan(tmp_path):
    def write(**changes):
        path = tmp_path / "plan.yaml"
        path.write_text(yaml.safe_dump({**PLAN, **changes}))
        return str(path)

    return write


def play(*arguments, code=0, **environment):
    words = ("experiments", "sweep", *arguments, "--json")
    ran = run_module(*words, timeout=280, **environment)
    assert ran.returncode == code, ran.stderr
    return json.loads(ran.stdout)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("whole")


@pytest.fixture(scope="module")
def whole(folder):
    path = folder / "plan.yaml"
    path.write_text(yaml.safe_dump(PLAN))
    return play(str(path), "--out", str(folder / "out"))


@pytest.fixture
def refused(tmp_path, monkeypatch, capsys):
    """Return a function that runs an invalid sweep and returns its single error line."""

    def type_words(*words):
        monkeypatch.setattr("sys.argv", ["sweep", *words, "--out", str(tmp_path / "out")])
        with pytest.raises(SystemExit) as ended:
            run_app(sweep)
        (line,) = capsys.readouterr().err.splitlines()
        assert (ended.value.code, line[:7]) == (2, "error: ")
        return line

    before = signal.getsignal(signal.SIGTERM)
    yield type_words
    signal.signal(signal.SIGTERM, before)


def test_every_condition_is_played_with_every_seed(whole):
    none, one = (whole["conditions"][name]["mean.welfare"] for name in ("none", "one"))
    interval = {"low": 78, "high": 78}
    values = {"0": 78, "1": 78}
    assert one == {"mean": 78, "sd": 0, **interval, "n": 2, "played": 2, "values": values}
    compared = {(found["condition"], found["measure"]): found for found in whole["differences"]}
    welfare = compared["one", "mean.welfare"]
    assert welfare["baseline"] == "none"
    assert welfare["difference"]["value"] == pytest.approx(78 - none["mean"])
    assert welfare["difference"]["count"] == 2
    assert none["n"] == 2
    assert none["mean"] < 78
    assert whole["failed"] == {}
    assert whole["minds"] == ["scripted"]


def test_twice_interrupted_sweep_gives_the_same_result(whole, plan, tmp_path):
    path, out = plan(), tmp_path / "out"
    words, files = ["sweep", path, "--out", str(out)], out / "results" / "*.json"
    for target, how in ((1, signal.SIGKILL), (2, signal.SIGINT)):
        code = cut_off("experiments", *words, files=files, count=target, how=how)
        assert code in (-how, 130)
    before = {file.name: file.read_bytes() for file in out.glob("results/*.json")}
    assert play(path, "--out", str(out)) == whole
    for name, content in before.items():  # finished jobs were not played again
        assert (out / "results" / name).read_bytes() == content


def test_ray_gives_the_same_table_as_local_workers(whole, folder, plan, tmp_path):
    """Ray plays the jobs that another engine has left, on a new cluster.

    Without an address it would join any cluster on this machine, even one that is shutting down.
    """
    out = shutil.copytree(folder / "out", tmp_path / "out")
    (out / "results" / "one-1.json").unlink()
    words = (plan(), "--out", str(out), "--engine", "ray", "--workers", "1")
    with tempfile.TemporaryDirectory(dir="/tmp") as short:  # socket paths must be short
        running = Path(short) / "ray" / "ray_current_cluster"
        running.parent.mkdir()
        running.write_text("127.0.0.1:1")
        assert play(*words, RAY_TMPDIR=short) == whole


@pytest.fixture
def old(whole, folder, tmp_path):
    return shutil.copytree(folder / "out", tmp_path / "old")


@pytest.mark.parametrize(
    ("change", "why"),
    [(lambda text: "[" * 3_000_000, "nested more than"),
     (lambda text: text.replace('"welfare": 78.0', '"welfare": "x"'), "mean.welfare is not a num"),
     (lambda text: text.replace('"seed": 0', '"seed": 1'), "its seed is not 0"),
     (lambda text: text.replace("one-0", "none-0"), "not in runs/one-0"),
     (lambda text: '{"runs": 7}', "another job"), (lambda text: "null", "no object")],
)  # fmt: skip
def test_damaged_result_is_played_again(old, capsys, change, why):
    path = old / "results" / "one-0.json"
    path.write_text(change(path.read_text()))
    left = Sweep(SweepPlan(**PLAN), old).open()
    (line,) = capsys.readouterr().err.splitlines()
    assert [job.name for job in left] == ["one-0"]
    assert line.startswith(f"warning: {path} is unusable, so one-0 is played again: ")
    assert why in line


@pytest.mark.parametrize("name", ["results/one-0.json", "plan.json"])
def test_missing_file_is_named_before_anything_is_played(old, plan, capsys, monkeypatch, name):
    (old / name).unlink()
    (old / name).mkdir()
    monkeypatch.setattr("sys.argv", ["sweep", plan(), "--out", str(old)])
    before = signal.getsignal(signal.SIGTERM)
    with pytest.raises(SystemExit) as ended:
        run_app(sweep)
    signal.signal(signal.SIGTERM, before)
    (line,) = capsys.readouterr().err.splitlines()
    assert ended.value.code == 2
    assert line.startswith("error: cannot use ")
    assert "Is a directory" in line


def test_damaged_plan_is_named(old, plan, capsys):
    for text in ("null", "{}", "[" * 3_000_000, '{"conditions": 7}'):
        (old / "plan.json").write_text(text)
        with pytest.raises(UsageError, match=r"cannot use .*plan\.json: "):
            Sweep(SweepPlan(**PLAN), old).open()


def test_sweep_can_be_extended_but_not_changed(plan, tmp_path):
    out, one = str(tmp_path / "out"), {"one": {"contract": "1"}}
    play(plan(seeds=1, conditions=one), "--out", out)
    grown = play(plan(seeds=2, conditions=one), "--out", out)
    assert grown["conditions"]["one"]["mean.welfare"]["n"] == 2
    changed = plan(conditions={"one": {"contract": "2"}})
    ran = run_module("experiments", "sweep", changed, "--out", out)
    assert ran.returncode == 2
    assert "belongs to another plan" in ran.stderr


def test_failed_jobs_are_listed(plan, tmp_path):
    refusal = {"error": {"message": "who are you?"}}
    with serving(lambda _: (401, refusal)) as endpoint:
        nobody = {"contract": "1", "model": "m", "base_url": endpoint.url}
        path = plan(seeds=1, conditions={"one": {"contract": "1"}, "lost": nobody})
        words = ("--out", str(tmp_path / "out"), "--base-url", endpoint.url)
        found = play(path, *words, code=1)
    assert list(found["failed"]) == ["lost-0"]
    assert "who are you?" in found["failed"]["lost-0"]
    assert found["conditions"]["one"]["mean.welfare"]["n"] == 1
    assert found["conditions"]["lost"]["mean.welfare"]["n"] == 0


def test_each_worker_has_its_own_minecraft_server(plan, tmp_path):
    path = plan(
        world="minecraft",
        seeds=2,
        conditions={"one": {"contract": "1"}},
        server={"speed": 10, "terrain": "superflat"},
    )
    found = play(path, "--out", str(tmp_path / "out"), "--workers", "2")
    assert found["conditions"]["one"]["mean.welfare"]["values"] == {"0": 78, "1": 78}
    for folder in (tmp_path / "out" / "servers").iterdir():
        status = run_module("server", "status", VOXPOLIS_SERVER=str(folder))
        assert "no server" in (status.stdout + status.stderr).lower()


def test_workers_use_running_servers(server, plan, tmp_path):
    running = {"running": [os.environ["VOXPOLIS_SERVER"]]}
    path = plan(world="minecraft", seeds=1, conditions={"one": {"contract": "1"}}, server=running)
    out = ("--out", str(tmp_path / "out"))
    refused = run_module("experiments", "sweep", path, *out, "--workers", "2")
    assert refused.returncode == 2
    assert "2 workers need a server each; the plan names 1" in refused.stderr
    found = play(path, *out, "--workers", "1")
    assert found["conditions"]["one"]["mean.welfare"]["values"] == {"0": 78}
    assert not (tmp_path / "out" / "servers").exists()
    assert run_module("server", "status").returncode == 0, "the server was ended"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"scenario": "chess"}, "there is no 'chess'"),
        ({"world": "moon"}, "world"),
        ({"conditions": {}}, "conditions"),
        ({"seeds": -2}, "seeds"),
        (
            {"conditions": {"odd": {"contract": "zzz"}}},
            "conditions.odd: there is no contract 'zzz'",
        ),
        ({"options": {"colour": "red"}}, "--colour"),
    ],
)
def test_invalid_plan_prints_one_line(plan, refused, changes, told):
    assert told in refused(plan(**changes))
