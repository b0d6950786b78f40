"""Commons games with scripted persons, played directly without prompts, or by the command."""

from __future__ import annotations

import asyncio

from voxpolis.bots.models import ScriptedModel
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

AGENTS = ("Juan", "Laura", "Pedro")


def all_of(person):
    return dict.fromkeys(AGENTS, person)


class Direct:
    """A scripted person that is only asked for its action, given its modules' knowledge."""

    def __init__(self, person, known):
        self.person, self.known = person, known

    async def choose(self, perception):
        sight = perception.about
        assert isinstance(sight, Sight)
        self.person.companion.see(sight)
        action = self.person.act(sight, self.known()) if perception.is_playing else None
        assert action in (*perception.actions, None)
        return action


class Silent(RunWriter):
    """Creates events without writing them."""

    def __init__(self, clock):
        self.clock, self.started, self.episode, self._newest = clock, 0.0, 0, {}

    def write(self, event):
        return event


class Mixed:
    """Answers the questions in some roles in one way for all agents; scripted persons answer the
    others."""

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


def cooperated(people, seed=0, condition="none", *, model=None, prepare=None, **settings):
    """Return a game and its players.

    ``model`` wraps the persons' model; ``prepare`` is called with run and persons before the game.
    """
    scenario = CommonsHarvest(**settings)
    game = scenario.played(condition)
    persons = make_persons(people or scenario.people(condition), game.players, seed)
    clock, players = SimulatedClock(), {}
    answers = ScriptedModel(lambda request: persons[request.agent].answer(request))
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


def played(seed, condition="none", people=None, **settings):
    """Return the measures of a game, its players, and its run."""
    run, persons = cooperated(people, seed, condition, **settings)
    game = run.played
    return measures_of(run.events, run.actions, game.agents, game.bots), persons, run


def of(run, kind):
    """Return the events of a kind."""
    return [event for event in run.events if isinstance(event, kind)]


def run_of(tmp_path, *words):
    """Return the exit code, the result and the record of a command line."""
    experiment = registry.scenario("commons")
    values = command(experiment).make_context("commons", [*words, "--out", str(tmp_path)]).params
    run = prepare(experiment, values)
    code, result = asyncio.run(play(run))
    return code, result, read_record(run.folder)


def assert_same(entry, direct):
    """Assert that agents with prompts act like persons that are asked without prompts."""
    assert {name: entry[name] for name in direct if name != "by_agent"} == {
        name: value for name, value in direct.items() if name != "by_agent"
    }


def assert_replayed(tmp_path, result, record):
    """Assert that a replay gives the same result and events."""
    code, again, replayed = run_of(tmp_path, "--replay", str(record.folder))
    assert (code, again["runs"]) == (0, result["runs"])
    written = [(one.folder / "events.jsonl").read_bytes() for one in (record, replayed)]
    assert written[0] == written[1]


def assert_gone_on_with(tmp_path, result, record):
    """Assert that a half-written run, when resumed, ends like the complete run."""
    path = record.folder / "events.jsonl"
    whole = path.read_bytes()
    lines = whole.splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: len(lines) // 2]))
    code, again, _ = run_of(tmp_path, "--resume", str(record.folder))
    assert (code, again["runs"]) == (0, result["runs"])
    assert path.read_bytes() == whole
