"""Commons Harvest played by persons without prompts, and by the command."""

from __future__ import annotations

import asyncio

from voxpolis.bots.agents.turns import Perception
from voxpolis.experiments.loops.commons.game import CommonsRun
from voxpolis.experiments.loops.commons.measures import measures_of
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import command, prepare
from voxpolis.experiments.run.runner import play
from voxpolis.records import RunWriter, SimulatedClock, read_record
from voxpolis.scenarios.commons import CommonsHarvest
from voxpolis.scenarios.commons.persons import make_persons
from voxpolis.worlds.commons.sight import Sight
from voxpolis.worlds.commons.stage import GridStage


class Direct:
    """A scripted person that is asked for its action only, without prompts."""

    def __init__(self, person):
        self.person = person

    async def choose(self, perception: Perception):
        sight = perception.about
        assert isinstance(sight, Sight)
        return self.person.act(sight) if perception.is_playing else None


class Silent(RunWriter):
    """Makes events and writes none of them."""

    def __init__(self, clock):
        self.clock, self.started, self.episode, self._newest = clock, 0.0, 0, {}

    def write(self, event):
        return event


async def nothing_fails():
    """No model is asked."""


def played(seed, condition="none", people=None, **settings):
    """The measures and the persons of an episode, without prompts and without a record."""
    scenario = CommonsHarvest(**settings)
    game = scenario.played(condition)
    people = people or scenario.people(condition)
    persons = make_persons(people, game.players, seed)
    clock = SimulatedClock()
    run = CommonsRun(
        game,
        {name: Direct(person) for name, person in persons.items()},
        lambda table, player: scenario.bot(table, player, seed),
        Silent(clock),
        GridStage(clock),
    )
    asyncio.run(run.play(0, seed, lambda: None))
    return measures_of(run.events, run.actions, game.agents, game.bots), persons, run


def run_of(tmp_path, *words):
    """The exit code, the result and the record of a command line."""
    experiment = registry.experiment("commons")
    values = command(experiment).make_context("commons", [*words, "--out", str(tmp_path)]).params
    run = prepare(experiment, values)
    code, result = asyncio.run(play(run))
    return code, result, read_record(run.folder)


def assert_same(entry, direct):
    """What agents with prompts did is what persons without any do."""
    assert {name: entry[name] for name in direct if name != "by_agent"} == {
        name: value for name, value in direct.items() if name != "by_agent"
    }


def assert_replayed(tmp_path, result, record):
    """A replay has the same result and writes the same events."""
    code, again, replayed = run_of(tmp_path, "--replay", str(record.folder))
    assert (code, again["runs"]) == (0, result["runs"])
    written = [(one.folder / "events.jsonl").read_bytes() for one in (record, replayed)]
    assert written[0] == written[1]


def assert_gone_on_with(tmp_path, result, record):
    """A run of which half was written ends as the whole one did."""
    path = record.folder / "events.jsonl"
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 2]))
    code, again, _ = run_of(tmp_path, "--resume", str(record.folder))
    assert (code, again["runs"]) == (0, result["runs"])
    assert path.read_bytes() == whole
