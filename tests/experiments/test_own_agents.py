"""User-written agents and scenarios: mistakes end in one line."""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys

import pytest

from tests.bots.test_styles import made
from tests.conftest import ROOT
from voxpolis.bots.agents.registry import KINDS, AgentKind
from voxpolis.bots.models import AnswerError
from voxpolis.experiments.loops.contract import scenario as contract_experiment
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import main, prepare
from voxpolis.experiments.run.options import UsageError
from voxpolis.experiments.run.runner import play
from voxpolis.records import events, read_record


class Watcher:
    """Agent that observes forever and never acts."""

    is_ready = True

    def __init__(self, setup):
        self._body = setup.body
        self.looks = 0

    async def prepare(self, _observation):
        return ""

    async def live(self):
        while True:
            await self._body.observe()
            await self._body.inventory()
            self.looks += 1

    async def review(self, _review):
        return None


async def test_endless_observation_lets_time_pass_on_the_grid(monkeypatch, tmp_path):
    monkeypatch.setitem(KINDS, "watcher", AgentKind("watches", ("plans",), Watcher))
    monkeypatch.setitem(contract_experiment.KINDS, "grid", ("code_writer", "scripted", "watcher"))
    experiment = registry.scenario("double_vein")
    how = ["--world", "grid", "--agent", "watcher", "--runs", "1", "--out", str(tmp_path)]
    run = prepare(experiment, made(experiment, [*how, "--set", "time_limit_s=5"]))
    async with asyncio.timeout(60):
        await play(run)
    (ended,) = read_record(run.folder).of(events.EpisodeEnded)
    assert ended.reason == "time_limit"


class Blocking(Watcher):
    def live(self):
        return None


class Half:
    """A class that lacks the methods of an agent."""

    def __init__(self, _setup):
        pass


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Half, "the agent of Gizmo, Half, lacks is_ready: see voxpolis.bots.agents.protocol.Agent"),
        (Blocking, "the agent of Gizmo, Blocking: live() must be an async function"),
    ],
)
async def test_incomplete_agent_is_reported(kind, said, monkeypatch, tmp_path):
    monkeypatch.setitem(KINDS, "mine", AgentKind("mine", ("plans",), kind))
    monkeypatch.setitem(contract_experiment.KINDS, "grid", ("code_writer", "scripted", "mine"))
    experiment = registry.scenario("double_vein")
    how = ["--world", "grid", "--agent", "Gizmo=mine", "--out", str(tmp_path)]
    code, result = await play(prepare(experiment, made(experiment, how)))
    assert (code, said in result["error"]) == (1, True), result["error"]


STUCK = """
import os, signal, sys, time
from voxpolis.experiments.run import endings

endings.GRACE_S = {grace_s}

async def stuck():
    for _ in range({signals}):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.01)
    while True:
        time.sleep(0.01)

sys.exit(endings.run_to_end(stuck()))
"""


def test_second_signal_interrupts_code_that_never_awaits():
    grace_s, signals = 600, 2
    done = subprocess.run(
        [sys.executable, "-c", STUCK.format(grace_s=grace_s, signals=signals)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    said = "interrupted; the record holds what happened so far\n"
    assert (done.returncode, done.stdout, done.stderr) == (130, "", said)


class Miser:
    """Gives one token in the first round, and later one token less than a model says."""

    formats = ("choices",)

    def __init__(self, setup):
        self._setup = setup
        self.rounds = 0

    async def choose(self, question):
        self.rounds += 1
        if self.rounds == 1:
            return question.answer(tokens=1)
        said = await question.ask(self._setup.model)
        return question.answer(tokens=max(0, said.tokens - 1))


class Liar(Miser):
    async def choose(self, question):
        return question.answer(tokens=1000)


class Sync(Miser):
    def choose(self, question):
        return question.answer(tokens=1)


async def test_custom_agent_plays_a_game_of_choices(monkeypatch, tmp_path):
    for kind in (Miser, Liar, Sync):
        own = AgentKind("mine", kind.formats, kind, kind)
        monkeypatch.setitem(KINDS, f"{__name__}:{kind.__name__}", own)
    experiment = registry.scenario("public_goods")
    how = ["--condition", "plain", "--out", str(tmp_path), "--set", "rounds=2"]

    async def played(kind, *more):
        words = [*how, "--agent", f"Ada={__name__}:{kind.__name__}", *more]
        return await play(prepare(experiment, made(experiment, words)))

    code, result = await played(Miser)
    (run,) = result["runs"]
    assert code == 0
    assert [row["given"]["Ada"] for row in run["rounds"]] == [1, 4]  # the mean was 5.25
    assert "Ada" in run["acted"]
    words = ["--replay", result["run_dir"], "--agent", f"Ada={__name__}:Miser"]
    _, again = await play(prepare(experiment, made(experiment, [*words, "--out", str(tmp_path)])))
    assert again["runs"] == result["runs"]
    for kind, said in (
        (Liar, "the agent of Ada, Liar, answers choose with Give(tokens=1000): tokens: Input"),
        (Sync, "the agent of Ada, Sync: choose() must be an async function"),
    ):
        code, result = await played(kind)
        assert (code, said in result["error"]) == (1, True), result["error"]
    experiment = registry.scenario("double_vein")
    asked = made(experiment, ["--agent", f"Gizmo={__name__}:Miser"])
    with pytest.raises(UsageError, match="needs a body that takes choices"):
        prepare(experiment, asked)


class Stubborn(Watcher):
    """Retries an impossible plan forever."""

    async def live(self):
        while True:
            await self._body.act("GATHER 1 diamond")


class Deaf(Watcher):
    """Retries an unreadable plan forever."""

    async def live(self):
        while True:
            with contextlib.suppress(AnswerError):
                await self._body.act("NONSENSE")


@pytest.mark.parametrize("kind", [Stubborn, Deaf])
async def test_endless_failing_programs_let_time_pass_on_the_grid(kind, monkeypatch, tmp_path):
    named = f"{__name__}:{kind.__name__}"
    monkeypatch.setitem(KINDS, named, AgentKind("mine", ("plans",), kind, kind))
    how = ["--world", "grid", "--agent", f"Gizmo={named}", "--out", str(tmp_path)]
    experiment = registry.scenario("double_vein")
    run = prepare(experiment, made(experiment, [*how, "--set", "time_limit_s=5"]))
    async with asyncio.timeout(60):
        await play(run)
    (ended,) = read_record(run.folder).of(events.EpisodeEnded)
    assert ended.reason == "time_limit"


def chosen(kind, monkeypatch, out, *more):
    """Return a scenario, and its options with Ada as an agent of this kind."""
    name, experiment = f"{__name__}:{kind.__name__}", registry.scenario("public_goods")
    monkeypatch.setitem(KINDS, name, AgentKind("mine", kind.formats, kind, kind))
    return experiment, made(experiment, ["--agent", f"Ada={name}", "--out", str(out), *more])


class Cancelling(Miser):
    """Awaits its own cancelled task."""

    async def choose(self, question):
        task = asyncio.ensure_future(asyncio.sleep(60))
        task.cancel()
        await task


class Misspelt(Miser):
    async def choose(self, question):
        return question.answer(zed=1)


async def test_error_names_the_line_in_the_agents_file(monkeypatch, tmp_path):
    _, result = await play(prepare(*chosen(Misspelt, monkeypatch, tmp_path)))
    assert "ValidationError in test_own_agents.py, line " in result["error"]
    assert "tokens: Field required" in result["error"]
    assert "pydantic" not in result["error"]


class Printing(Miser):
    async def choose(self, question):
        print("hello")
        return question.answer(tokens=1)


async def test_agent_that_cancels_its_own_task_is_a_fault(monkeypatch, tmp_path):
    code, result = await play(prepare(*chosen(Cancelling, monkeypatch, tmp_path)))
    assert (code, result["error"].startswith("CancelledError")) == (1, True)


def test_output_of_agents_is_not_mixed_with_the_result(monkeypatch, tmp_path, capsys):
    more = ("--json", "--condition", "plain")
    assert main(*chosen(Printing, monkeypatch, tmp_path, *more)) == 0
    told = capsys.readouterr()
    assert json.loads(told.out)["scenario"] == "public_goods"
    assert "hello" in told.err
