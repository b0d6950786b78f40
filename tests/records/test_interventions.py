"""Interventions in live runs, and how they are recorded."""

from __future__ import annotations

import asyncio
import json
from collections import deque

import pytest
from click.testing import CliRunner

from tests.pages import long_silent
from voxpolis.analysis.report.run_list import run_state
from voxpolis.bots.agents.form_model import timeout_completion
from voxpolis.bots.models import Completion
from voxpolis.experiments.__main__ import main
from voxpolis.experiments.people.interventions import Interventions, InterviewableModel, Pauses
from voxpolis.records import Clock, RunWriter, SimulatedClock, events, read_record
from voxpolis.records.interventions import (
    ACTIONS,
    FILE,
    PAUSE_FILE,
    ask_for_pause,
    intervene,
    read_intervention,
)
from voxpolis.records.questions import HumanInputQueue, OpenQuestions
from voxpolis.records.resuming import ResumedWriter
from voxpolis.worlds.recorded import ReplayWriter

AGENTS = ("Ada", "Ben")
GOOD = {"agent": "Ada", "action": "say", "by": "Visitor", "text": "Pay less."}


def live_run(
    folder,
    world="minecraft",
    server=None,
    is_over=False,
    takes=ACTIONS,
    clock=None,
    replay=None,
):
    """Write the record of a live run, such as a society's, and return its writer."""
    folder.mkdir()
    manifest = {
        "scenario": "taxation",
        "world": world,
        "server": {"kind": server},
        "replay": replay,
    }
    takes = {"takes": list(takes), "interviewed": ["Ada"], "changeable": ["tax_rate"]}
    writer = RunWriter(folder, {**manifest, **takes}, clock or Clock())
    writer.event(events.ConditionStarted, condition="full-anti", agents=list(AGENTS))
    if is_over:
        writer.event(events.RunEnded, reason="done")
    return writer


class Listener:
    """An agent that records what it hears."""

    def __init__(self):
        self.told = []

    def hear(self, speaker, text):
        self.told.append((speaker, text))

    def tell(self, text, *, urgent=False):
        assert urgent
        self.told.append((None, text))


def test_agents_perceive_interventions_and_the_record_contains_them(tmp_path):
    folder = tmp_path / "run"
    with live_run(folder) as writer:
        intervene(folder, "Ben", "say", "Visitor", "before it looked")
        agents = {name: Listener() for name in AGENTS}
        told = Interventions(folder, agents, writer, lambda _: None)
        command = ["tell", str(folder), "Ada", "Pay\nless.", "--by", "Zoe"]
        ran = CliRunner().invoke(main, command)
        assert ran.exit_code == 0, ran.output
        assert CliRunner().invoke(main, ["tell", str(folder), "Max", "Hello."]).exit_code == 2
        intervene(folder, "Ben", "whisper", "Zoe", "The chest is empty.")
        with (folder / FILE).open("a") as file:
            file.write("nonsense\n" + json.dumps({**GOOD, "agent": "Nobody"}) + "\n")
            file.write(json.dumps(GOOD))  # the line is incomplete
        told.take()
        told.take()
    assert {name: agent.told for name, agent in agents.items()} == {
        "Ada": [("Zoe", "Pay less.")],
        "Ben": [(None, "The chest is empty.")],
    }
    found = [(e.agent, e.action, e.by, e.text) for e in read_record(folder).of(events.Intervention)]
    assert found == [
        ("Ada", "say", "Zoe", "Pay less."),
        ("Ben", "whisper", "Zoe", "The chest is empty."),
    ]


def replayed(folder):
    """Replay the run in a folder, into a folder next to it."""
    again = folder.with_name("again")
    again.mkdir()
    return ReplayWriter(again, {}, SimulatedClock(), read_record(folder).events, strict=True)


def gone_on_with(folder):
    """Resume a run as if it had been killed after its last event."""
    return ResumedWriter.resume(folder, SimulatedClock())


@pytest.mark.parametrize("record_again", [replayed, gone_on_with])
def test_simultaneous_interventions_are_repeated_in_order(tmp_path, record_again):
    """A changed setting has a separate event, between two interventions."""

    def live(folder, writer, deeds=()):
        """Run a society until second 2; return what its agents were told."""

        def decree(setting):
            rate = {"tax_rate": float(setting.partition("=")[2])}
            return lambda: writer.event(events.LawChanged, version=2, parameters=rate, text="")

        agents = {name: Listener() for name in AGENTS}
        told = Interventions(folder, agents, writer, decree)
        for deed in deeds:
            intervene(folder, *deed)
        told.take()
        writer.clock.set(2.0)
        writer.event(events.ConditionStarted, condition="full", agents=list(AGENTS))
        return [agents[name].told for name in AGENTS]

    folder = tmp_path / "run"
    deeds = [
        ("", "set", "Zoe", "tax_rate=0.05"),
        ("Ben", "whisper", "Zoe", "You see smoke."),
        ("", "set", "Zoe", "tax_rate=0.1"),
        ("Ada", "say", "Zoe", "The tax is a scandal."),
    ]
    with live_run(folder, clock=SimulatedClock()) as writer:
        told = live(folder, writer, deeds)
    assert told == [[("Zoe", "The tax is a scandal.")], [(None, "You see smoke.")]]
    before = (folder / "events.jsonl").read_bytes()
    with record_again(folder) as writer:
        writer.event(events.ConditionStarted, condition="full-anti", agents=list(AGENTS))
        assert live(folder, writer) == told
    assert (writer.folder / "events.jsonl").read_bytes() == before


def test_interventions_during_a_replay_wait_for_the_end_of_the_record(tmp_path):
    """Otherwise the record would list them before earlier events."""
    folder, clock = tmp_path / "run", SimulatedClock()
    with live_run(folder, clock=clock) as writer:
        for second in (1.0, 2.0, 3.0):
            clock.set(second)
            writer.event(events.LawChanged, version=int(second), parameters={}, text="")
    with gone_on_with(folder) as writer:
        agents = {name: Listener() for name in AGENTS}
        told = Interventions(folder, agents, writer)
        intervene(folder, "Ben", "say", "Zoe", "Hello.")
        told.take()
        assert agents["Ben"].told == []
        writer.event(events.ConditionStarted, condition="full-anti", agents=list(AGENTS))
        for second in (1.0, 2.0):
            writer.clock.set(second)
            told.take()
            assert agents["Ben"].told == []
            writer.event(events.LawChanged, version=int(second), parameters={}, text="")
        told.take()
        assert agents["Ben"].told == [("Zoe", "Hello.")]
    assert [e.kind for e in read_record(folder).events][-2:] == [*("law_changed", "intervention")]


def test_interventions_in_the_second_of_a_kill_are_repeated(tmp_path):
    """All other events of that second are discarded."""
    folder, clock = tmp_path / "run", SimulatedClock()
    with live_run(folder, clock=clock) as writer:
        told = Interventions(folder, {name: Listener() for name in AGENTS}, writer)
        clock.set(4.0)
        writer.event(events.Intervention, "Ada", action="ask", by="Zoe", text="Why?")
        intervene(folder, "Ben", "say", "Zoe", "Hello.")
        intervene(folder, "Ada", "whisper", "Zoe", "You see smoke.")
        told.take()
    before = read_record(folder).events
    with gone_on_with(folder) as writer:
        agents = {name: Listener() for name in AGENTS}
        told = Interventions(folder, agents, writer)
        writer.event(events.ConditionStarted, condition="full-anti", agents=list(AGENTS))
        for second in (3.0, 4.0, 4.0, 5.0):
            writer.clock.set(second)
            told.take()
    assert [agents[name].told for name in AGENTS] == [
        [(None, "You see smoke.")],
        [("Zoe", "Hello.")],
    ]
    told = [(e.t, e.agent, e.action, e.text) for e in before if e.kind == "intervention"]
    again = read_record(folder).of(events.Intervention)
    assert [(e.t, e.agent, e.action, e.text) for e in again] == told[1:]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"agent": "Max"}, "there is no agent 'Max'"),
        ({"action": "shout"}, "unknown action 'shout'"),
        ({"by": "Ben"}, "Ben is an agent"),
        ({"by": "x" * 41}, "name must have 1 to 40 characters"),
        ({"text": "x" * 601}, "1 to 600 characters"),
        ({"more": 1}, "must have the fields"),
    ],
)
def test_invalid_interventions_are_refused(change, told):
    assert read_intervention(json.dumps(GOOD), AGENTS).text == "Pay less."
    with pytest.raises(ValueError, match=told):
        read_intervention(json.dumps({**GOOD, **change}), AGENTS)


@pytest.mark.parametrize(
    ("setting", "told"),
    [
        ("tax_rate=nan", "tax_rate"),
        ("tax_rate", "not KEY=VALUE"),
        ("seasons=2", "changeable setting: tax_rate"),
    ],
)
def test_an_invalid_value_is_refused_in_one_line(tmp_path, setting, told):
    folder = tmp_path / "run"
    _writer = live_run(folder)
    done = CliRunner().invoke(main, ["change", str(folder), setting])
    assert (done.exit_code, done.stdout) == (2, "")
    (line,) = done.stderr.splitlines()
    assert told in line
    assert not (folder / FILE).exists()
    done = CliRunner().invoke(main, ["change", str(folder), "tax_rate=0.05"])
    assert (done.exit_code, done.stderr) == (0, "")
    assert json.loads((folder / FILE).read_text())["text"] == "tax_rate=0.05"


def test_a_run_that_cannot_pause_says_why(tmp_path):
    for told, options in (("is over", {"is_over": True}), ("embedded", {})):
        folder = tmp_path / told
        _writer = live_run(folder, **options)
        with pytest.raises(ValueError, match=told):
            ask_for_pause(folder, pauses=True)
        assert not (folder / PAUSE_FILE).exists()
    _writer = live_run(tmp_path / "run", "grid")
    ran = CliRunner().invoke(main, ["pause", str(tmp_path / "run"), "--by", "Ada"])
    assert "Ada is an agent" in ran.stderr


@pytest.mark.parametrize("world", ["grid", "minecraft"])
def test_only_a_paused_game_can_continue(tmp_path, world):
    with live_run(tmp_path / "run", world, "embedded"):
        commands = [
            CliRunner().invoke(main, [command, str(tmp_path / "run")])
            for command in ("continue", "pause", "continue", "continue")
        ]
    assert [ran.exit_code for ran in commands] == [2, 0, 0, 2]
    assert "not paused" in commands[0].stderr


def test_a_killed_run_accepts_no_interventions(tmp_path):
    folder = tmp_path / "run"
    with live_run(folder), pytest.raises(OSError, match="another process writes this run"):
        RunWriter.reopen(folder)
    with pytest.raises(ValueError, match="its process is gone"):
        intervene(folder, "Ada", "say", "Visitor", "Hello.")
    long_silent(folder)
    with pytest.raises(ValueError, match="was killed, or hangs"):
        intervene(folder, "Ada", "say", "Visitor", "Hello.")
    assert not (folder / FILE).exists()


async def test_a_run_that_waits_for_a_person_counts_as_live(tmp_path):
    """The run writes nothing while it waits."""
    folder = tmp_path / "run"
    with live_run(folder, "grid"):
        asking = asyncio.create_task(
            HumanInputQueue(folder).ask("Ada", "ballot", "Yes?", within_s=900)
        )
        async with asyncio.timeout(30):
            while not OpenQuestions(folder).now():
                await asyncio.sleep(0.01)
        long_silent(folder)
        assert run_state(folder) == "live"
        ask_for_pause(folder, pauses=True)
        asking.cancel()
        await asyncio.wait([asking])
        long_silent(folder)
        assert run_state(folder) == "silent"


def test_a_run_whose_agents_cannot_hear_says_why(tmp_path):
    cases = (
        ("say", "is over", {"is_over": True}),
        ("ask", "have no words", {"takes": ["say"]}),
        ("set", "no setting", {"takes": ["say"]}),
        ("say", "a replay cannot be changed", {"takes": [], "replay": "runs/1"}),
        ("ask", "there is no agent 'Ben'; there are: Ada", {}),
    )
    for number, (action, told, options) in enumerate(cases):
        folder = tmp_path / str(number)
        _writer = live_run(folder, **options)
        with pytest.raises(ValueError, match=told):
            intervene(folder, "Ben", action, "Visitor", "length_s=3")
    with pytest.raises(ValueError, match="is not the folder of a run"):
        intervene(tmp_path / "nowhere", "Ada", "say", "Visitor", "Hello.")
    ran = CliRunner().invoke(main, ["tell", str(folder), "Ada", "What?", "--remember"])
    assert (ran.exit_code, "--ask" in ran.stderr) == (2, True)


async def test_a_persons_timeout_is_reported(tmp_path):
    answers = deque([timeout_completion(), Completion('{"answer": "Hm."}', "human")])

    class Person:
        async def complete(self, request):
            return answers.popleft()

    folder = tmp_path / "run"
    with live_run(folder) as writer:
        outside = InterviewableModel(Person(), folder, ["Ada"], writer, Pauses(None, writer))
        async with outside.open(), asyncio.timeout(60):
            for _ in range(2):
                intervene(folder, "Ada", "ask", "Zoe", "Why?")
            while writer.counts["interviewed"] < 2:
                await asyncio.sleep(0.01)
    assert [one.text for one in read_record(folder).of(events.Interviewed)] == [
        "(no answer in time)",
        "Hm.",
    ]
