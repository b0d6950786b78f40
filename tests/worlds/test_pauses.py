"""Pauses: a game stops while a file is in its folder, and continues unchanged."""

from __future__ import annotations

import asyncio

import pytest
from click.testing import CliRunner

from voxpolis.bots.time import SimulatedTime
from voxpolis.experiments.__main__ import main
from voxpolis.experiments.people import interventions
from voxpolis.experiments.people.interventions import WALL_LOOK_S
from voxpolis.experiments.people.interventions import Pauses as ComputedPauses
from voxpolis.records import Clock, RunWriter, SimulatedClock, events, read_record
from voxpolis.records.interventions import PAUSE_FILE
from voxpolis.worlds.minecraft.session import Pauses
from voxpolis.worlds.server_pauses import Standstill


async def test_game_pauses_while_the_file_exists_and_the_pause_ends_with_the_game(tmp_path):
    folder, told = tmp_path / "run", []

    async def server(line):
        told.append(line)
        return ""

    folder.mkdir()
    manifest = {"scenario": "taxation", "world": "minecraft", "mind": "scripted"}
    takes = {"takes": ["pause", "continue"], "interviewed": ["Ada"], "changeable": []}
    served = {"server": {"kind": "embedded"}}
    with RunWriter(folder, {**manifest, **takes, **served}, Clock()) as writer:
        writer.event(events.ConditionStarted, condition="full-anti", agents=["Ada"])
        (folder / PAUSE_FILE).touch()  # the file of an earlier run
        standstill = Standstill()
        await standstill.attach(server)
        pauses = Pauses(folder, standstill, writer.event)
        words = ["pause", str(folder), "--by", "Ann"]
        assert CliRunner().invoke(main, words).exit_code == 0
        watching = asyncio.create_task(pauses.watch())
        async with asyncio.timeout(30):
            while told[-1] != "tick freeze":
                await asyncio.sleep(0.01)
            assert CliRunner().invoke(main, ["continue", str(folder), "--by", "Bo"]).exit_code == 0
            while told[-1] != "tick unfreeze":
                await asyncio.sleep(0.01)
            assert CliRunner().invoke(main, ["pause", str(folder)]).exit_code == 0
            while told[-1] != "tick freeze":
                await asyncio.sleep(0.01)
        watching.cancel()
        await pauses.end()
    assert told == ["tick unfreeze", *["tick freeze", "tick unfreeze"] * 2]
    assert not (folder / PAUSE_FILE).exists()
    found = [(event.action, event.by) for event in read_record(folder).of(events.Intervention)]
    named = [("pause", "Ann"), ("continue", "Bo"), ("pause", "Visitor"), ("continue", "Visitor")]
    assert found == named
    assert writer.counts["intervention"] == 4


async def test_game_pauses_while_any_request_is_open():
    """Requests overlap, one is cancelled while the server is slow; the clock runs at the end."""
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


async def test_pause_preserves_the_order_of_waiting_agents(tmp_path, monkeypatch):
    """The agent that asks first is last by its key, with or without a pause in between."""
    monkeypatch.setattr(interventions, "OFTEN_S", 0.0)  # look at every moment

    async def lives(folder, *, with_pause):
        folder.mkdir()
        clock = SimulatedClock()
        writer = RunWriter(folder, {}, clock)
        pauses = ComputedPauses(folder, writer)
        here, went_on = SimulatedTime(clock, pauses.between_moments()), []

        async def answer():
            await pauses.before_call()
            return True

        async def thinker(name, begins, thinks, key):
            await here.sleep(begins, key)
            assert await here.call(answer(), thinks, key)
            went_on.append((here.now(), name))

        async def pauser():
            await here.sleep(1.5)
            if with_pause:
                (folder / PAUSE_FILE).touch()
                asyncio.get_running_loop().call_later(2 * WALL_LOOK_S, (folder / PAUSE_FILE).unlink)

        here.start(thinker("first", 1.0, 1.0, 5))
        here.start(thinker("second", 1.5, 0.5, 3))
        here.start(pauser())
        await here.pass_until(3.0)
        return went_on, [(event.action, event.t) for event in read_record(folder).events]

    without = await lives(tmp_path / "without", with_pause=False)
    assert without == ([(2.0, "second"), (2.0, "first")], [])
    with_pause = await lives(tmp_path / "with", with_pause=True)
    assert with_pause == (without[0], [("pause", 1.5), ("continue", 1.5)])
