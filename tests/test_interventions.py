"""What people tell agents while they live, and what the record says of it."""

from __future__ import annotations

import asyncio
import json
import os
import time

import pytest
from click.testing import CliRunner

from experiments.__main__ import main
from experiments.interventions import (
    FILE,
    SILENT_S,
    Interventions,
    ask_for_pause,
    intervene,
    read_intervention,
)
from experiments.usage import UsageError
from records import Clock, RunWriter, events, read_record
from worlds.minecraft.pauses import Pauses
from worlds.protocol import PAUSE_FILE
from worlds.standstill import Standstill

AGENTS = ("Ada", "Ben")
GOOD = {"agent": "Ada", "action": "say", "by": "Visitor", "text": "Pay less."}


def live_run(folder, world="minecraft", server=None, is_over=False):
    """Write the record of a run, say, of a society that lives, and return its writer."""
    folder.mkdir()
    writer = RunWriter(
        folder, {"scenario": "taxation", "world": world, "server": {"kind": server}}, Clock()
    )
    writer.event(events.ConditionStarted, condition="full-anti", agents=list(AGENTS))
    if is_over:
        writer.event(events.RunEnded, reason="done")
    return writer


class Listener:
    """An agent that takes note of what it is told."""

    def __init__(self):
        self.told = []

    def hear(self, speaker, text):
        self.told.append((speaker, text))

    def tell(self, text, *, urgent=False):
        assert urgent
        self.told.append((None, text))


def test_agents_hear_and_notice_what_they_are_told_and_the_record_says_so(tmp_path):
    folder = tmp_path / "run"
    with live_run(folder) as writer:
        intervene(folder, "Ben", "say", "Visitor", "before it looked")
        agents = {name: Listener() for name in AGENTS}
        told = Interventions(folder, agents, writer.event)
        command = ["tell", str(folder), "Ada", "Pay\nless.", "--by", "Zoe"]
        ran = CliRunner().invoke(main, command)
        assert ran.exit_code == 0, ran.output
        assert CliRunner().invoke(main, ["tell", str(folder), "Max", "Hello."]).exit_code == 2
        intervene(folder, "Ben", "whisper", "Zoe", "The chest is empty.")
        with (folder / FILE).open("a") as file:
            file.write("nonsense\n" + json.dumps({**GOOD, "agent": "Nobody"}) + "\n")
            file.write(json.dumps(GOOD))  # half a line
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


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"agent": "Max"}, "there is no agent 'Max'"),
        ({"action": "shout"}, "there is no 'shout'"),
        ({"by": "Ben"}, "Ben is an agent"),
        ({"by": ""}, "a name of 1 to 40 characters"),
        ({"by": " \n "}, "a name of 1 to 40 characters"),
        ({"by": "x" * 41}, "a name of 1 to 40 characters"),
        ({"text": " "}, "1 to 600 characters"),
        ({"text": "x" * 601}, "1 to 600 characters"),
        ({"more": 1}, "an intervention has"),
    ],
)
def test_what_is_no_intervention_is_refused(change, told):
    assert read_intervention(json.dumps(GOOD), AGENTS).text == "Pay less."
    with pytest.raises(ValueError, match=told):
        read_intervention(json.dumps({**GOOD, **change}), AGENTS)


async def test_a_game_pauses_while_the_file_is_there_and_its_end_ends_the_pause(tmp_path):
    folder, told = tmp_path / "run", []

    async def server(line):
        told.append(line)
        return ""

    with live_run(folder, server="embedded") as writer:
        (folder / PAUSE_FILE).touch()  # of a run before
        standstill = Standstill()
        await standstill.attach(server)
        pauses = Pauses(folder, standstill, writer.event)
        assert CliRunner().invoke(main, ["pause", str(folder)]).exit_code == 0
        watching = asyncio.create_task(pauses.watch())
        async with asyncio.timeout(30):
            while told[-1] != "tick freeze":
                await asyncio.sleep(0.01)
            assert CliRunner().invoke(main, ["go-on", str(folder)]).exit_code == 0
            while told[-1] != "tick unfreeze":
                await asyncio.sleep(0.01)
            assert CliRunner().invoke(main, ["pause", str(folder)]).exit_code == 0
            while told[-1] != "tick freeze":
                await asyncio.sleep(0.01)
        watching.cancel()
        await pauses.end()
    assert told == ["tick unfreeze", *["tick freeze", "tick unfreeze"] * 2]
    assert not (folder / PAUSE_FILE).exists()
    found = [event.action for event in read_record(folder).of(events.Intervention)]
    assert found == ["pause", "go_on"] * 2
    assert writer.counts["intervention"] == 4


async def test_a_game_stands_while_anybody_wants_it_to():
    """Calls overlap, one is given up while the server is slow, and the clock runs in the end."""
    told, answer = [], asyncio.Event()

    async def server(line):
        told.append(line)
        await answer.wait()
        return ""

    answer.set()
    standstill = Standstill()
    async with standstill:
        pass
    await standstill.attach(server)
    async with standstill, standstill:
        async with standstill:
            pass
        assert told == ["tick unfreeze", "tick freeze"]
    assert told[2:] == ["tick unfreeze"]
    answer.clear()

    async def wait():
        async with standstill:
            raise AssertionError("nobody gets here")

    given_up = asyncio.create_task(wait())
    while told[-1] != "tick freeze":
        await asyncio.sleep(0)
    given_up.cancel()
    await asyncio.sleep(0)
    answer.set()
    with pytest.raises(asyncio.CancelledError):
        await given_up
    assert told[3:] == ["tick freeze", "tick unfreeze"]


def test_runs_that_cannot_pause_say_why(tmp_path):
    cases = [("is over", {"is_over": True}), ("no clock", {"world": "grid"}), ("embedded", {})]
    for told, options in cases:
        folder = tmp_path / told
        live_run(folder, **options).close()
        with pytest.raises(UsageError, match=told):
            ask_for_pause(folder, pauses=True)
        assert not (folder / PAUSE_FILE).exists()
    ran = CliRunner().invoke(main, ["pause", str(tmp_path / "nowhere")])
    assert ran.exit_code == 2


def test_a_run_that_was_killed_can_be_told_nothing(tmp_path):
    folder = tmp_path / "run"
    with live_run(folder):
        long_ago = time.time() - 2 * SILENT_S
        os.utime(folder / "events.jsonl", (long_ago, long_ago))
        with pytest.raises(UsageError, match="was killed, or hangs"):
            intervene(folder, "Ada", "say", "Visitor", "Hello.")
    assert not (folder / FILE).exists()


def test_runs_that_cannot_hear_say_why(tmp_path):
    for told, options in (("is over", {"is_over": True}), ("seed", {"world": "grid"})):
        folder = tmp_path / told
        live_run(folder, **options).close()
        with pytest.raises(UsageError, match=told):
            intervene(folder, "Ada", "say", "Visitor", "Hello.")
    with pytest.raises(UsageError, match="cannot read"):
        intervene(tmp_path / "nowhere", "Ada", "say", "Visitor", "Hello.")
