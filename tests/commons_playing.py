"""Commons Harvest played by persons without prompts, and by the command."""

from __future__ import annotations

import asyncio

from bots.agents.turns import Perception
from experiments import registry
from experiments.command import command, prepare
from experiments.commons_game import CommonsRun
from experiments.commons_measures import measures_of
from experiments.runner import play
from records import RunWriter, SimulatedClock, read_record
from scenarios.commons import CommonsHarvest
from scenarios.commons.persons import make_persons
from worlds.commons.sight import Sight
from worlds.commons.stage import GridStage


class Direct:
    """A scripted person that is asked for its action only, without prompts."""

    def __init__(self, person):
        self.person = person

    async def choose(self, perception: Perception) -> str:
        sight = perception.about
        assert isinstance(sight, Sight)
        return self.person.act(sight) if perception.is_playing else "stay put"


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
    return measures_of(run.events, game.agents, game.bots), persons, run


def run_of(tmp_path, *words):
    """The exit code, the result and the record of a command line."""
    experiment = registry.experiment("commons")
    values = command(experiment).make_context("commons", [*words, "--out", str(tmp_path)]).params
    run = prepare(experiment, values)
    code, result = asyncio.run(play(run))
    return code, result, read_record(run.folder)
