"""Periodic work in simulated time behaves the same with and without tasks."""

import asyncio

import pytest
from click.testing import CliRunner

from voxpolis.bots import time as times
from voxpolis.bots.time import Schedule, SimulatedTime
from voxpolis.experiments.run.command import command
from voxpolis.records import SimulatedClock
from voxpolis.scenarios.religion import Religion


def with_tasks(here, rhythm):
    return times._PeriodicTask(here, rhythm)


def recorded(experiment, folder, *options):
    found = CliRunner().invoke(command(experiment), [*options, "--out", str(folder)])
    assert found.exit_code == 0, found.output
    (events,) = folder.glob("*/*/events.jsonl")
    return events.read_bytes()


def test_a_society_writes_the_same_record_with_and_without_tasks(monkeypatch, tmp_path):
    options = ("--agents", "30", "--set", "length_s=300", "--set", "thinking_s=5")
    without = recorded(Religion, tmp_path / "without", *options)
    started = []
    monkeypatch.setattr(
        SimulatedTime, "repeat", lambda here, what: started.append(what) or with_tasks(here, what)
    )
    assert recorded(Religion, tmp_path / "with", *options) == without
    assert len(started) > 100


@pytest.mark.parametrize("outside", [False, True])
async def test_periodic_work_keeps_its_pauses_and_order(outside):
    here, done = SimulatedTime(SimulatedClock(), outside=outside), []

    def rhythm(name, key, firsts, pause=0.0):
        async def run():
            begun = here.now()
            if pause:
                await here.sleep(pause, key)
            done.append((begun, here.now(), name))

        return Schedule(run, firsts, 10.0, key, pytest.fail)

    here.repeat(rhythm("late", 2, (5.0,)))
    here.repeat(rhythm("early", 1, (0.0, 5.0)))
    here.repeat(rhythm("waits", 0, (5.0,), pause=3.0))
    await here.pass_until(20.0)
    assert done == [
        (0.0, 0.0, "early"),
        (5.0, 5.0, "early"),
        (5.0, 5.0, "late"),
        (5.0, 8.0, "waits"),
        (15.0, 15.0, "early"),
        (15.0, 15.0, "late"),
    ]


@pytest.mark.parametrize("waits", [False, True])
async def test_failing_work_is_stopped(waits):
    here, failed, runs = SimulatedTime(SimulatedClock()), [], []

    async def run():
        runs.append(here.now())
        if waits:
            await here.sleep(0.5)
        raise KeyError("lost")

    here.repeat(Schedule(run, (1.0,), 1.0, 0, failed.append))
    await here.pass_until(5.0)
    assert runs == [1.0]
    assert [str(error) for error in failed] == ["'lost'"]


async def test_stopped_work_is_cancelled_while_it_waits():
    here, left = SimulatedTime(SimulatedClock()), []

    async def run():
        try:
            await here.sleep(60.0)
        finally:
            left.append(here.now())

    life = here.repeat(Schedule(run, (1.0,), 1.0, 0, pytest.fail))
    idle = here.repeat(Schedule(run, (100.0,), 1.0, 1, pytest.fail))
    await here.pass_until(5.0)
    await asyncio.gather(life.end(), return_exceptions=True)
    assert left == [5.0]
    assert idle.end() is None
    await here.pass_until(200.0)
    assert left == [5.0]
