"""Games about a commons with modules of cooperation, by scripted persons without a record."""

from __future__ import annotations

import asyncio

from tests.commons_playing import Silent
from voxpolis.bots.models import ScriptedModel
from voxpolis.experiments.loops.commons.game import CommonsRun
from voxpolis.records import SimulatedClock
from voxpolis.scenarios.commons import CommonsHarvest
from voxpolis.scenarios.commons.persons import make_persons, script_of
from voxpolis.worlds.commons.sight import Sight
from voxpolis.worlds.commons.stage import GridStage


class Direct:
    """A scripted person that is asked for its action only, with what its modules tell it."""

    def __init__(self, person, known):
        self.person, self.known = person, known

    async def choose(self, perception):
        sight = perception.about
        assert isinstance(sight, Sight)
        self.person.companion.see(sight)
        action = self.person.act(sight, self.known()) if perception.is_playing else None
        assert action in (*perception.actions, None)
        return action


class Mixed:
    """Some roles' questions are answered alike by everybody, others by scripted persons."""

    def __init__(self, own, answers):
        self.own, self.answers = own, answers

    def _answer(self, request):
        said = self.answers[request.role]
        if request.role == "speak" and hasattr(said.act, "to"):
            act = said.act.model_copy(update={"to": request.about.hearing[0]})
            return said.model_copy(update={"act": act})
        return said

    async def complete(self, request):
        model = ScriptedModel(self._answer) if request.role in self.answers else self.own
        return await model.complete(request)


def played(people, seed=0, condition="none", *, model=None, prepare=None, **settings):
    """Return a game and the persons who played it.

    ``model`` makes another model of the persons' own, ``prepare`` gets run and persons before.
    """
    scenario = CommonsHarvest(**settings)
    game = scenario.played(condition)
    persons = make_persons(people, game.players, seed)
    clock, players = SimulatedClock(), {}
    answers = ScriptedModel(script_of(persons))
    run = CommonsRun(
        game,
        players,
        lambda table, player: scenario.bot(table, player, seed),
        Silent(clock),
        GridStage(clock),
        model(answers) if model else answers,
    )
    for name, person in persons.items():
        players[name] = Direct(person, lambda name=name: run.known(name))
    if prepare:
        prepare(run, persons)
    asyncio.run(run.play(0, seed, lambda: None))
    return run, persons


def of(run, kind):
    """Return the events of a kind."""
    return [event for event in run.events if isinstance(event, kind)]
