"""What people write themselves: agents and scenarios that are wrong end in a line."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest

from tests.bots.test_styles import made
from tests.conftest import ROOT
from voxpolis.bots.agents.registry import KINDS, AgentKind
from voxpolis.experiments.loops.contract import scenario as contract_experiment
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import prepare
from voxpolis.experiments.run.runner import play
from voxpolis.records import events, read_record


class Watcher:
    """Looks at the world for ever, and does nothing."""

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


async def test_who_looks_for_ever_lets_time_pass_on_the_grid(monkeypatch, tmp_path):
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
    """Has nothing that an agent has."""

    def __init__(self, _setup):
        pass


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Half, "the agent of Gizmo, Half, lacks is_ready: see voxpolis.bots.agents.protocol.Agent"),
        (Blocking, "the agent of Gizmo, Blocking: live() must be an async function"),
    ],
)
async def test_what_an_agent_lacks_is_said_of_it(kind, said, monkeypatch, tmp_path):
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


def test_code_that_never_waits_ends_with_a_second_signal():
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
