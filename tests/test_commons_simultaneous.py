"""Agents of a commons that choose at once: on the same state, and with model calls at once."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter

from tests.commons_playing import Silent, played, run_of
from tests.endpoint import serving
from tests.typed_endpoint import deciding
from voxpolis.experiments.loops.commons.game import CommonsGame, CommonsRun
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import command, prepare
from voxpolis.experiments.run.runner import play
from voxpolis.grid.commons.game import read_commons
from voxpolis.records import SimulatedClock, events
from voxpolis.scenarios.commons import CommonsHarvest
from voxpolis.scenarios.commons.persons import Person
from voxpolis.worlds.commons.actions import GoTo, Stay
from voxpolis.worlds.commons.stage import GridStage

ROUNDS = 3


class Noting:
    """Does the same thing each turn, and notes what it perceived."""

    def __init__(self, action):
        self.action, self.perceived = action, []

    async def choose(self, perception):
        self.perceived.append(perception)
        return self.action if self.action in perception.actions else None


def test_all_choose_on_the_same_state():
    scenario = CommonsHarvest()
    for simultaneous in (True, False):
        game = CommonsHarvest(simultaneous=simultaneous, rounds=4).played("none")
        players = {name: Noting(Stay()) for name in game.agents}
        clock = SimulatedClock()
        bots = lambda table, player: scenario.bot(table, player, 0)  # noqa: E731
        run = CommonsRun(game, players, bots, Silent(clock), GridStage(clock))
        asyncio.run(run.play(0, 0, lambda: None))
        hours = [[one.hour for one in player.perceived] for player in players.values()]
        steps = [0, 1, 2, 3]
        if simultaneous:
            assert (hours, run.table.steps) == ([steps] * 3, 4)
        else:
            assert (hours, run.table.steps) == ([[3 * n + i for n in steps] for i in range(3)], 12)


#: Two agents with an apple between them, which can grow nowhere again.
CORRIDOR = """
#####
#@A@#
#####
"""


def test_of_two_that_go_for_one_apple_the_substrate_says_who_gets_it():
    assert {duel(seed) for seed in range(6)} == {"Juan", "Laura"}


def duel(seed):
    """Let two go for one apple, and return who got it."""
    game = read_commons(
        "commons_harvest_open",
        {"players": 2, "layout": CORRIDOR, "regrowth": [0, 0, 0, 0],
         "view": {"ahead": 9, "behind": 9, "sideways": 9}},
    )  # fmt: skip
    whole = CommonsHarvest().played("none")
    two = CommonsGame(game, whole.personas[:2], (), 5, 10, whole.habits, simultaneous=True)
    players = {name: Noting(GoTo((1, 2))) for name in two.agents}
    clock = SimulatedClock()
    run = CommonsRun(two, players, lambda *_: lambda: 0, Silent(clock), GridStage(clock))
    asyncio.run(run.play(0, seed, lambda: None))
    meals = [one for one in run.events if isinstance(one, events.AppleEaten)]
    turns = [one for one in run.events if isinstance(one, events.TurnTaken)]
    assert len(meals) == 1
    assert [one.agent for one in turns] == ["Juan", "Laura"]
    assert turns[0].ended != turns[1].ended
    winner = next(turn for turn in turns if turn.agent == meals[0].agent)
    loser = next(turn for turn in turns if turn.agent != meals[0].agent)
    assert (winner.outcome, winner.ended) == ("done", (1, 0, 2))
    assert (loser.outcome, loser.ended) == ("there is no way", loser.began)
    return winner.agent


def test_a_round_takes_as_long_as_the_longest_action():
    """Whoever is done before stands still; nobody moves after its action."""
    found, _, run = played(2, "none", simultaneous=True, rounds=30)
    turns = [one for one in run.events if isinstance(one, events.TurnTaken)]
    rounds = [one for one in run.events if isinstance(one, events.RoundEnded)]
    longest = [max(t.moves for t in turns if t.round == one.round) for one in rounds]
    assert sum(longest) == run.table.steps < sum(turn.moves for turn in turns)
    by_agent = {name: [t for t in turns if t.agent == name] for name in ("Juan", "Laura", "Pedro")}
    hits = {one.victim for one in run.events if isinstance(one, events.ZapHit)}
    for name, own in by_agent.items():
        if name not in hits:
            assert [t.ended for t in own[:-1]] == [t.began for t in own[1:]]
    assert found["rounds"] == len(rounds)


def test_attacks_at_once_are_counted_as_they_were_chosen():
    people = dict.fromkeys(("Juan", "Laura", "Pedro"), Person("sparing", attacks=0.5))
    for seed in range(6):
        found, persons, _ = played(
            seed, "one_tree", people, simultaneous=True, attention_bandwidth=100, rounds=12
        )
        assert found["attacks"] == sum(sum(one.attacks.values()) for one in persons.values())
        for attacker, victims in found["hits"].items():
            for victim, count in victims.items():
                assert count <= persons[attacker].attacks[victim]


def test_a_run_is_replayed_and_says_what_agents_are_told(tmp_path):
    words = ["--simultaneous", "--modules", "all", "--set", "rounds=6", "--set", "trees=1"]
    code, result, record = run_of(tmp_path, *words)
    assert code == 0
    assert result["runs"][0]["acted"] == ["Juan", "Laura", "Pedro"]
    whole = (record.folder / "events.jsonl").read_bytes()
    code, again, replayed = run_of(tmp_path, "--replay", str(record.folder))
    assert (code, again["runs"]) == (0, result["runs"])
    assert (replayed.folder / "events.jsonl").read_bytes() == whole
    worlds = [CommonsHarvest(simultaneous=is_so).played("none").personas[0].world
              for is_so in (True, False)]  # fmt: skip
    assert ["choose at the same time" in world for world in worlds] == [True, False]


# --- Time ----------------------------------------------------------------------------------------


async def asked_of(folder, *words, at_once):
    """Have a run ask an endpoint that answers so many calls together, none before all are there."""
    good, together = deciding("strict"), threading.Barrier(at_once)

    def reply(request):
        together.wait(100)
        return good(request)

    experiment = registry.experiment("commons")
    with serving(reply) as endpoint:
        told = ["--set", f"rounds={ROUNDS}", "--out", str(folder), *words]
        told += ["--base-url", endpoint.url, "--model", "local"]
        values = command(experiment).make_context("commons", told).params
        run = await asyncio.to_thread(prepare, experiment, values)
        code, result = await play(run)
    assert code == 0, result.get("error")
    calls = Counter(asked["messages"][0]["content"].split()[2] for asked in endpoint.requests)
    assert set(calls) == {"Juan.", "Laura.", "Pedro."}
    assert len(set(calls.values())) == 1
    return endpoint, run.folder


async def test_the_calls_of_a_round_run_at_once(tmp_path):
    """A round takes as long as one agent's calls, since none is answered before three are asked."""
    endpoint, folder = await asked_of(tmp_path / "at once", "--simultaneous", at_once=3)
    assert endpoint.most_under_way == 3
    again = await asyncio.to_thread(run_of, tmp_path / "again", "--replay", str(folder))
    assert again[0] == 0
    endpoint, _ = await asked_of(tmp_path / "in turn", at_once=1)
    assert endpoint.most_under_way == 1
