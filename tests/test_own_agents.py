"""What people write themselves: agents and scenarios that are wrong end in a line."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from dataclasses import replace

import pytest
from pydantic import Field
from voxpolis.experiments.loops.contract.experiment import ContractExperiment
from voxpolis.experiments.loops.contract.settings import ContractOptions
from voxpolis.experiments.run.protocol_check import LackingError

from tests.conftest import ROOT
from tests.test_styles import made
from voxpolis.bots.agents.registry import KINDS, AgentKind
from voxpolis.experiments.loops.contract import experiment as contract_experiment
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import prepare
from voxpolis.experiments.run.earlier import from_config
from voxpolis.experiments.run.options import UsageError, option
from voxpolis.experiments.run.runner import play
from voxpolis.records import events, read_record
from voxpolis.scenarios.matrix import AGENTS, Matrix

FIRST, SECOND = AGENTS


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
    experiment = registry.experiment("double_vein")
    how = ["--world", "grid", "--agent", "watcher", "--runs", "1", "--out", str(tmp_path)]
    run = prepare(experiment, made(experiment, [*how, "--set", "time_limit_s=5"]))
    async with asyncio.timeout(60):
        await play(run)
    (ended,) = read_record(run.folder).of(events.EpisodeEnded)
    assert ended.reason == "time_limit"


class Blocking(Watcher):
    def live(self):
        return None


class Mute(Watcher):
    async def live(self):
        await self._body.act(None)


class Method(Watcher):
    def is_ready(self):
        return True


class Praising(Watcher):
    async def live(self):
        await self._body.act("WAIT")

    async def review(self, _review):
        return "great"


class Silent(Watcher):
    is_ready = False

    async def prepare(self, _observation):
        return None


class Half:
    """Has nothing that an agent has."""

    def __init__(self, _setup):
        pass


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (Half, "the agent of Gizmo, Half, lacks is_ready: see bots.agents.protocol.Agent"),
        (Blocking, "the agent of Gizmo, Blocking: live() must be an async function"),
        (Method, "the agent of Gizmo, Method: is_ready must be a property"),
        (Praising, "Praising: review() returns 'great', which is not a Lesson or None"),
        (Silent, "Silent: prepare() returns None, which is not a text"),
        (Mute, "the agent of Gizmo executes None, which is no text"),
    ],
)
async def test_what_an_agent_lacks_is_said_of_it(kind, said, monkeypatch, tmp_path):
    monkeypatch.setitem(KINDS, "mine", AgentKind("mine", ("plans",), kind))
    monkeypatch.setitem(contract_experiment.KINDS, "grid", ("code_writer", "scripted", "mine"))
    experiment = registry.experiment("double_vein")
    how = ["--world", "grid", "--agent", "Gizmo=mine", "--out", str(tmp_path)]
    code, result = await play(prepare(experiment, made(experiment, how)))
    assert (code, said in result["error"]) == (1, True), result["error"]


STUCK = """
import os, signal, sys, time
from voxpolis.experiments import endings

endings.GRACE_S = {grace_s}

async def stuck():
    for _ in range({signals}):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(0.01)
    while True:
        time.sleep(0.01)

sys.exit(endings.run_to_end(stuck()))
"""


@pytest.mark.parametrize(("grace_s", "signals"), [(0.5, 1), (600, 2)])
def test_code_that_never_waits_ends_with_a_second_signal_or_some_time_later(grace_s, signals):
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


class Nameless(Matrix):
    @property
    def agents(self):
        return FIRST


class Homeless(Matrix):
    def layout(self, seed):
        whole = super().layout(seed)
        return replace(whole, starts={FIRST: whole.starts[FIRST]})


class Worthless(Matrix):
    def value(self, account):
        return {FIRST: super().value(account)[FIRST]}


class Uncounted(Matrix):
    def count(self, account):
        counts = super().count(account)
        return {**counts, SECOND: {}}


@pytest.mark.parametrize(
    ("kind", "why"),
    [
        (Nameless, "agents of the scenario matrix must return tuple[str, …], not 'Ann' (str)"),
        (Homeless, f"layout(0) of the scenario matrix has no start for {SECOND}"),
        (Worthless, f"value() of the scenario matrix returns none of {SECOND}"),
        (Uncounted, f"count() of the scenario matrix returns no cooperate of {SECOND}"),
    ],
)
async def test_what_a_scenario_lacks_is_said_in_a_line(kind, why, tmp_path, capsys):
    options = registry.experiment("matrix").options
    experiment = ContractExperiment(kind, kind, "A game.", options)
    told = made(experiment, ["--world", "grid", "--runs", "1", "--out", str(tmp_path)])
    try:
        await play(prepare(experiment, told))
    except UsageError as error:
        said = str(error)
    else:
        said = capsys.readouterr().err.splitlines()[-1]
    assert why in said
    assert "\n" not in said


def test_a_setting_does_not_take_an_option_that_all_scenarios_have():
    class Greedy(Matrix):
        factor: int = Field(default=2, json_schema_extra=option("runs"))

    with pytest.raises(
        LackingError, match="an option runs already, so its setting factor needs another"
    ):
        ContractExperiment(Greedy, Greedy, "A game.")


@pytest.mark.parametrize("key", ["config", "replay", "resume"])
def test_a_file_of_settings_names_no_record(key):
    with pytest.raises(UsageError, match=f"{key} is no field of such a file: type --{key}"):
        from_config(ContractOptions, {"seed": 3, key: "runs/x"})
