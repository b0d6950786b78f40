"""Commons Harvest and Clean Up with scripted persons: results that follow from their rules."""

from __future__ import annotations

import asyncio
import math
import threading
from collections import Counter
from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from tests.endpoint import serving
from tests.scenarios.commons_playing import (
    Silent,
    assert_gone_on_with,
    assert_replayed,
    assert_same,
    played,
    run_of,
)
from tests.typed_endpoint import deciding
from voxpolis.analysis.figures import FIGURES
from voxpolis.analysis.loading import load
from voxpolis.bots.agents.generative import Persona
from voxpolis.bots.agents.generative.agent import LongTermMemory, Memory
from voxpolis.bots.agents.voyager.retrieval import LexicalRetriever
from voxpolis.experiments.loops.commons.game import CommonsGame, CommonsRun
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.command import command, prepare
from voxpolis.experiments.run.runner import play
from voxpolis.grid.commons.game import read_commons
from voxpolis.grid.commons.policy import ACTIONS, INPUTS, Policy, read_policy, write_policy
from voxpolis.grid.commons.tables import FORWARD, STAY, TURN_LEFT, TURN_RIGHT, ZAP
from voxpolis.grid.core.data import GameError
from voxpolis.records import SimulatedClock, events
from voxpolis.records.measures import gini
from voxpolis.scenarios.commons import CommonsHarvest
from voxpolis.scenarios.commons.bots import greedy_bot, policy_of, trained_bot
from voxpolis.scenarios.commons.persons import Person
from voxpolis.worlds.commons.actions import GoTo, Stay
from voxpolis.worlds.commons.history import trees_of
from voxpolis.worlds.commons.sight import Watcher
from voxpolis.worlds.commons.stage import GridStage
from voxpolis.worlds.commons.table import CommonsTable

FEW = range(2)


@cache
def all_kind(kind, seeds, **settings):
    fields = {
        "rate": 0.0,
        "attacks": 0.0,
        "persons": dict.fromkeys(("Juan", "Laura", "Pedro"), kind),
    }
    return [played(seed, **fields, **dict(settings))[0] for seed in seeds]


# --- Ground truth --------------------------------------------------------------------------------


def test_sparing_persons_keep_all_trees_and_earn_more_than_greedy_ones():
    sparing, greedy = all_kind("sparing", FEW), all_kind("greedy", FEW)
    assert [(one["trees_alive"], one["rounds"]) for one in sparing] == [(6, 100)] * len(FEW)
    assert [(one["trees_alive"], one["apples_by_round"][-1]) for one in greedy] == [(0, 0)] * len(
        FEW
    )
    assert min(one["reward"] for one in sparing) > max(one["reward"] for one in greedy)
    assert {one["approach_seen"] for one in sparing} == {0.0}
    assert {one["approach_seen"] for one in greedy} == {1.0}


@pytest.mark.parametrize("rate", [0.1, 0.4])
def test_approach_to_last_apples_matches_the_deviation_rate(rate):
    """In a room where everything is visible; the persons report how often they deviated."""
    people = dict.fromkeys(("Juan", "Laura", "Pedro"), Person("sparing", rate=rate))
    nearer = tempted = 0.0
    gave_in = spared = 0
    for seed in range(20):
        found, persons, run = played(seed, "one_tree", people, attention_bandwidth=100, rounds=40)
        turns = [e for e in run.events if isinstance(e, events.TurnTaken) and e.last_apple]
        nearer += (found["approach"] or 0) * len(turns)
        tempted += len(turns)
        gave_in += sum(person.approaches[True] for person in persons.values())
        spared += sum(person.approaches[False] for person in persons.values())
    assert tempted == gave_in + spared
    assert nearer == pytest.approx(gave_in, abs=0.01)
    assert nearer / tempted == pytest.approx(rate, abs=3 * math.sqrt(rate * (1 - rate) / tempted))


# --- Measures against independently counted events ------------------------------------------------


def test_apple_events_account_for_every_apple():
    found, _, run = played(3)
    built = next(one for one in run.events if isinstance(one, events.WorldBuilt))
    live = set(built.blocks["apple"])
    sites = trees_of([(int(r), int(c)) for r, _, c in sorted(live)], 2)
    eaten = dict.fromkeys(("Juan", "Laura", "Pedro"), 0)
    for event in run.events:
        if isinstance(event, events.AppleEaten):
            live.remove(event.position)
            eaten[event.agent] += 1
            row, _, column = event.position
            tree = sites[int(row), int(column)]
            rest = [1 for r, _, c in live if sites[int(r), int(c)] == tree]
            assert (event.tree, event.was_last) == (tree, not rest)
        elif isinstance(event, events.AppleGrown):
            assert event.position not in live
            live.add(event.position)
        elif isinstance(event, events.RoundEnded):
            assert (event.apples_left, event.rewards) == (len(live), eaten)
            trees = {sites[int(r), int(c)] for r, _, c in live}
            assert event.trees_alive == len(trees)
    assert found["reward"] == pytest.approx(sum(eaten.values()) / 3, abs=1e-5)


# --- Sentences ------------------------------------------------------------------------------------

MEADOW = """
#######
#@....#
#.A.a.#
#....@#
#######
"""


@pytest.fixture
def meadow():
    """Return a map of 5 by 7 cells with one apple, and an eaten apple within two cells of it."""
    game = read_commons(
        "commons_harvest_open",
        {"players": 2, "layout": MEADOW, "regrowth": [0, 0, 0, 0],
         "zap": {"cooldown": 0, "out_for": 5},
         "view": {"ahead": 9, "behind": 9, "sideways": 9}},
    )  # fmt: skip
    table = CommonsTable(game, ("Ada", "Bo"))
    seed = next(s for s in range(50) if not table.reset(s) and table.cells == [(1, 1), (3, 5)])
    table.reset(seed)
    return table


def look(table, player, heading):
    while table.headings[player] != heading:
        table.step({player: TURN_RIGHT})


def test_meadow_is_described_in_sentences(meadow):
    look(meadow, 0, 2)
    ada = Watcher(meadow, 0, 10)
    perceived = ada.perceive(0, "", "")
    assert perceived.observations == (
        "There is an apple at [2, 2], of tree 1.",
        "Tree 1 is at [2, 2], with 1 apple and 1 grass left on the part you see.",
        "There is grass at [2, 4], of tree 1.",
        "Bo is at [3, 5].",
    )
    assert {"immobilize player Bo at (3, 5)", "go to position (2, 2)", "stay put"} <= set(
        map(str, perceived.actions)
    )
    assert (perceived.cell, perceived.heading) == ((1, 1), "south")
    bo = Watcher(meadow, 1, 10)
    look(meadow, 0, 2)
    for step in (FORWARD, TURN_LEFT, FORWARD):
        happened = meadow.step({0: step})
        ada.watch(happened)
        bo.watch(happened)
    told = [text.rpartition(" (")[0] for text in bo.perceive(0, "", "").changes]
    assert told == [
        "Ada took an apple from [2, 2], of tree 1",
        "Tree 1 lost its last apple",
        "The grass at [2, 4] vanished",
    ]
    changes = ada.perceive(1, "go to position (2, 2)", "done").changes
    own = [text.rpartition(" (")[0] for text in changes]
    assert own == told[1:]


def test_beam_removes_only_players_in_its_way(meadow):
    for step in (FORWARD, FORWARD):
        look(meadow, 0, 2)
        meadow.step({0: step})
    look(meadow, 0, 1)
    meadow.step({0: FORWARD})
    assert meadow.targets(0, 1) == [1]
    assert meadow.targets(0, 3) == []
    ada, bo = Watcher(meadow, 0, 10), Watcher(meadow, 1, 10)
    happened = meadow.step({0: ZAP})
    ada.watch(happened)
    bo.watch(happened)
    assert meadow.out == [False, True]
    hurt = bo.perceive(0, "", "")
    assert (hurt.is_playing, hurt.observations) == (False, ("You are out of the game.",))
    assert any("You were hit by Ada" in text for text in hurt.changes)
    steps = 0
    while meadow.out[1]:
        meadow.step({})
        steps += 1
    assert steps == 6  # five full steps, and the step in which it returns


# --- Memory --------------------------------------------------------------------------------------


def test_memory_retrieval_is_the_mean_of_three_scores():
    memory = LongTermMemory(LexicalRetriever(), recency_hours=24)
    for hour, text in ((0, "apples grow"), (48, "walls stand"), (40, "apples fall")):
        memory.add(Memory(hour, text, "observation"))
    # two of the three texts contain "apples"; each other word occurs in one text
    common, rare = math.log(1 + 3 / 3), math.log(1 + 3 / 2)
    cosine = common / math.hypot(common, rare)
    recency = {text: math.exp(-age / 24) for text, age in
               (("apples grow", 48), ("walls stand", 0), ("apples fall", 8))}  # fmt: skip
    scores = {t: recency[t] + (cosine if "apples" in t else 0) for t in recency}
    expected = sorted(scores, key=lambda text: -scores[text])
    assert [one.text for one in memory.recall("apples", 48, 3)] == expected
    memory.add(Memory(48, "apples grow", "observation"))
    assert memory.recall("apples", 48, 1)[0].text == "apples grow"
    assert len(memory.memories) == 3


# --- Clean Up ------------------------------------------------------------------------------------

SEEDS = range(2)
CLEANER, EATER, SHARER = Person("cleaner"), Person("eater"), Person("sharer")
MIXES = {
    "cleaners": (CLEANER, CLEANER, CLEANER),
    "two clean": (CLEANER, CLEANER, EATER),
    "one cleans": (CLEANER, EATER, EATER),
    "eaters": (EATER, EATER, EATER),
    "sharers": (SHARER, SHARER, SHARER),
}


@cache
def games(mix, *, simultaneous=False):
    """Return measures, persons and runs of several games with a mix of persons."""
    people = dict(zip(("Juan", "Laura", "Pedro"), MIXES[mix], strict=True))
    fields = {"game": "clean_up", "simultaneous": simultaneous}
    return [played(seed, "none", people, **fields) for seed in SEEDS]


def apples(found):
    return [own["apples"] for own in found["by_agent"].values()]


# --- Ground truth --------------------------------------------------------------------------------


@pytest.mark.parametrize("simultaneous", [False, True])
def test_no_apples_are_eaten_without_cleaners_or_with_cleaners_only(simultaneous):
    """The river starts too dirty for apples and gets dirtier; cleaners never leave it."""
    for found, _, run in games("eaters", simultaneous=simultaneous):
        assert (apples(found), found["cleaning"], found["cleaned"]) == ([0, 0, 0], 0, 0)
        assert not [one for one in run.events if isinstance(one, events.AppleGrown)]
        dirt = found["dirt_by_round"]
        assert dirt == sorted(dirt)
        assert dirt[-1] > dirt[0] > 0.4
    for found, _, run in games("cleaners", simultaneous=simultaneous):
        assert apples(found) == [0, 0, 0]
        assert found["dirt_by_round"][0] > 0.4
        assert found["dirt_by_round"][-1] < 0.1
        assert any(isinstance(one, events.AppleGrown) for one in run.events)


@pytest.mark.parametrize("simultaneous", [False, True])
def test_eaters_depend_on_the_work_of_cleaners(simultaneous):
    """More cleaners mean a cleaner river; only eaters get apples."""
    dirt = {
        mix: [found["dirt"] for found, _, _ in games(mix, simultaneous=simultaneous)]
        for mix in MIXES
    }
    order = ("cleaners", "two clean", "one cleans", "eaters")
    for more, fewer in pairwise(order):
        assert sum(dirt[more]) < sum(dirt[fewer])
    for mix, clean in (("two clean", 2), ("one cleans", 1)):
        for found, _, _ in games(mix, simultaneous=simultaneous):
            eaten = apples(found)
            assert eaten[:clean] == [0] * clean
            assert min(eaten[clean:]) > 0


def test_two_eaters_per_cleaner_earn_most_and_sharing_is_fairest():
    welfare = {mix: [sum(apples(found)) for found, _, _ in games(mix)] for mix in MIXES}
    assert sum(welfare["one cleans"]) > sum(welfare["two clean"])
    assert min(welfare["two clean"] + welfare["sharers"]) > 0
    ginis = {mix: [gini(apples(one[0])) for one in games(mix)] for mix in MIXES}
    assert min(ginis["one cleans"]) > 1 / 2 - 1e-6  # one of three has nothing
    assert ginis["two clean"] == [1] * len(SEEDS)  # one of three has all
    assert max(ginis["sharers"]) < 1 / 2


def test_river_events_account_for_all_dirt():
    found, _, run = games("one cleans")[0]
    built = next(one for one in run.events if isinstance(one, events.WorldBuilt))
    dirt = {(int(r), int(c)) for r, _, c in built.blocks["dirt"]}
    assert (len(dirt), len(run.table.river)) == (79, 147)
    parts = []
    for event in run.events:
        if isinstance(event, events.PilesChanged):
            for name, r, c, is_there in event.piles:
                if name == "dirt":
                    assert ((r, c) in dirt) != bool(is_there)
                    (dirt.add if is_there else dirt.discard)((r, c))
        elif isinstance(event, events.RoundEnded):
            assert event.dirt == pytest.approx(len(dirt) / 147, abs=1e-6)
            assert event.trees_alive is None
            parts.append(event.dirt)
    assert found["dirt_by_round"] == parts
    assert found["dirt"] == pytest.approx(sum(parts) / len(parts), abs=1e-6)


# --- Whole runs, by the command ------------------------------------------------------------------

GAME = ("--game", "clean_up")


def test_river_run_matches_play_without_prompts_and_is_replayed_and_drawn(tmp_path):
    code, result, record = run_of(tmp_path, *GAME, "--set", "rounds=15", "--seed", "5")
    assert code == 0
    direct, _, _ = played(5, rounds=15, game="clean_up")
    (entry,) = result["runs"]
    assert_same(entry, direct)
    assert entry["acted"] == ["Juan", "Laura", "Pedro"]
    assert (entry["trees_alive"], entry["approach"], result["directions"]) == (None, None, None)
    assert_replayed(tmp_path, result, record)
    drawn = {name: draw(load([record.folder])) for name, draw in FIGURES.items()}
    found = {name: one for name, one in drawn.items() if one is not None}
    assert {"commons_reward", "commons_dirt", "commons_cleaning"} <= set(found)
    assert not {"commons_last_apples", "commons_cooperation"} & set(found)
    (axes,) = found["commons_dirt"].axes
    assert list(axes.lines[0].get_ydata()) == entry["dirt_by_round"]
    cleaning, eaten = found["commons_cleaning"].axes
    for axes, counted in ((cleaning, "cleaning"), (eaten, "apples")):
        heights = sorted(bar.get_height() for bar in axes.patches)
        assert heights == sorted(own[counted] for own in entry["agents"].values())


# --- Simultaneous choices -------------------------------------------------------------------------

ROUNDS = 3


class Noting:
    """Repeats one action and stores what it perceives."""

    def __init__(self, action):
        self.action, self.perceived = action, []

    async def choose(self, perception):
        self.perceived.append(perception)
        return self.action if self.action in perception.actions else None


def test_simultaneous_agents_choose_in_the_same_state():
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


# Two agents with an apple between them, which cannot regrow.
CORRIDOR = """
#####
#@A@#
#####
"""


def test_substrate_decides_who_gets_a_contested_apple():
    assert {duel(seed) for seed in range(6)} == {"Juan", "Laura"}


def duel(seed):
    """Let two agents go for one apple; return the winner."""
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


def test_round_lasts_as_long_as_the_longest_action():
    """Agents that finish earlier stand still."""
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


def test_simultaneous_attacks_are_counted_as_chosen():
    people = dict.fromkeys(("Juan", "Laura", "Pedro"), Person("sparing", attacks=0.5))
    for seed in range(4):
        found, persons, _ = played(
            seed, "one_tree", people, simultaneous=True, attention_bandwidth=100, rounds=12
        )
        assert found["attacks"] == sum(sum(one.attacks.values()) for one in persons.values())
        for attacker, victims in found["hits"].items():
            for victim, count in victims.items():
                assert count <= persons[attacker].attacks[victim]


async def asked_of(folder, *words, at_once):
    """Run against an endpoint that answers only when this many calls are open."""
    good, together = deciding("strict"), threading.Barrier(at_once)

    def reply(request):
        together.wait(100)
        return good(request)

    experiment = registry.scenario("commons")
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


async def test_calls_of_a_round_are_concurrent(tmp_path):
    """A round takes as long as one agent's calls: no call is answered before three are open."""
    endpoint, folder = await asked_of(tmp_path / "at once", "--simultaneous", at_once=3)
    assert endpoint.most_under_way == 3
    again = await asyncio.to_thread(run_of, tmp_path / "again", "--replay", str(folder))
    assert again[0] == 0
    endpoint, _ = await asked_of(tmp_path / "in turn", at_once=1)
    assert endpoint.most_under_way == 1


# --- Trained bots ---------------------------------------------------------------------------------

LANE = """
##########
#........#
#.@..A...#
#.@......#
##########
"""


def linear(*rewarded: tuple[int, int, float], biases: dict[int, float] | None = None) -> Policy:
    """Return a one-layer policy: inputs that raise actions, each (input, action, amount)."""
    weights, bias = np.zeros((INPUTS, len(ACTIONS))), np.zeros(len(ACTIONS))
    for number, action, value in rewarded:
        weights[number, action] = value
    for action, value in (biases or {}).items():
        bias[action] = value
    return Policy([(weights, bias)], {"game": "commons_harvest_open", "steps": 1, "seed": 0})


@pytest.fixture
def lane():
    game = read_commons("commons_harvest_open", {"players": 2, "layout": LANE})
    table = CommonsTable(game, ("Ana", "Bo"))
    seed = next(s for s in range(99) if not table.reset(s) and table.cells[0] == (2, 2))
    table.reset(seed)
    return table


def test_bot_follows_the_policy_in_its_file(lane, tmp_path):
    """The bot turns until the apple is straight ahead, and then goes there."""
    ahead = [(row * 11 + 5) * 3 + 1 for row in range(9)]  # channels wall, apple, player
    goes = linear(*((cell, FORWARD, 99.0) for cell in ahead), biases={TURN_RIGHT: 50.0})
    write_policy(tmp_path / "goes.npz", goes)
    act = trained_bot(lane, 0, 0, tmp_path / "goes.npz")
    for _ in range(8):
        if lane.eaten["Ana"]:
            break
        lane.step({0: act()})
    assert lane.eaten["Ana"] == 1
    assert lane.steps <= 6  # at most three turns, and three steps


def test_actions_are_drawn_with_their_legal_probabilities():
    policy = linear(biases={STAY: 0.0, FORWARD: float(np.log(3)), TURN_RIGHT: 40.0})
    legal = np.zeros(len(ACTIONS), bool)
    legal[[STAY, FORWARD]] = True
    drawn = [policy.act(np.zeros(INPUTS), legal, lambda n=n: (n + 0.5) / 100) for n in range(100)]
    assert drawn == [STAY] * 25 + [FORWARD] * 75
    assert policy.act(np.zeros(INPUTS), legal, lambda: 1 - 2**-53) == FORWARD


def test_trained_bots_eat_more_than_random_players():
    """Compare their apples in 150 steps with those of players that draw any legal action."""
    policy_of.cache_clear()
    game = CommonsHarvest().played("bots").game

    def taken(make, seed):
        table = CommonsTable(game, ("Ana", "Bo", "Cy", "Di"))
        table.reset(seed)
        bots = [make(table, i, seed) for i in range(4)]
        for _ in range(150):
            table.step({i: bot() for i, bot in enumerate(bots) if not table.out[i]})
        return sum(table.eaten.values())

    def by_chance(table, player, seed):
        draws = np.random.default_rng([seed, player])
        return lambda: int(draws.integers(len(ACTIONS)))

    trained = [taken(trained_bot, seed) for seed in range(3)]
    chance = [taken(by_chance, seed) for seed in range(3)]
    scripted = [taken(greedy_bot, seed) for seed in range(3)]
    assert min(trained) > 2 * max(chance)
    assert sum(trained) > 0.7 * sum(scripted)


@pytest.mark.parametrize(
    ("setting", "condition", "message"),
    [
        ("wild", "bots", "bots must be scripted, trained or trained:FILE"),
        ("trained:there/is/none.npz", "bots", "none.npz cannot be read: No such file"),
        (f"trained:{__file__}", "bots", "is not a trained policy"),
        ("trained", "none", "setting bots: none has no bots"),
    ],
)
def test_invalid_bots_are_refused_in_one_line(setting, condition, message):
    with pytest.raises(ValueError, match=message):
        CommonsHarvest(bots=setting).played(condition)


@pytest.mark.parametrize("change", ["version", "inputs", "infinite", "cut"])
def test_files_without_a_policy_are_refused(tmp_path, change):
    (weights, biases), about = linear().layers[0], {"game": "x"}
    match change:
        case "version":
            about = {"version": 99}
        case "inputs":
            weights = weights[1:]
        case "infinite":
            weights[0, 0] = np.inf
        case _:
            pass
    path = tmp_path / "bad.npz"
    write_policy(path, Policy([(weights, biases)], about))
    if change == "cut":
        path.write_bytes(path.read_bytes()[:-80])
    with pytest.raises(GameError, match="is not a trained policy"):
        read_policy(path)


# --- Whole runs, by the command -------------------------------------------------------------------


def test_run_can_be_replayed_and_resumed(tmp_path):
    words = ("--set", "rounds=3", "--condition", "bots", "--set", "bots=trained", "--runs", "2")
    _, result, record = run_of(tmp_path, *words)
    assert result["bots"] == {"Ana": "trained bot", "Luis": "trained bot"}
    assert "agent-steps of commons_harvest_open, seed 0, sha256 " in record.manifest["bots_by"]
    assert_replayed(tmp_path, result, record)
    assert_gone_on_with(tmp_path, result, record)


def test_prompts_contain_knowledge_but_no_invisible_cells():
    scenario = CommonsHarvest()
    game: CommonsGame = scenario.played("none")
    table = CommonsTable(game.game, game.players)
    table.reset(0)
    for player, persona in enumerate(game.personas):
        assert isinstance(persona, Persona)
        perceived = Watcher(table, player, 100).perceive(0, "", "")
        sight = perceived.about
        assert {one.cell for one in (*sight.objects, *sight.trees)} <= perceived.view
        assert set(perceived.landmarks) == {f"tree {tree}" for tree in table.trees
                                            if any(s in perceived.view for s in table.sites
                                                   if table.tree_of[s] == tree)}  # fmt: skip
    assert len(table.trees) == 6
    assert len(table.sites) == 64


def test_prompt_texts_do_not_affect_scripted_persons_and_figures_are_drawn(tmp_path):
    words = ["--condition", "bots", "--set", "rounds=30", "--set", "attacks=0.5", "--seed", "5"]
    code, result, record = run_of(tmp_path, *words)
    assert code == 0
    direct, _, _ = played(5, "bots", rounds=30, attacks=0.5)
    (entry,) = result["runs"]
    assert_same(entry, direct)
    assert entry["acted"] == ["Juan", "Laura"]
    assert result["decisions"]["failed"] == 0
    turns = record.of(events.TurnTaken)
    assert [turn.agent for turn in turns[:4]] == ["Juan", "Laura"] * 2
    drawn = {name: draw(load([record.folder])) for name, draw in FIGURES.items()}
    found = {name: one for name, one in drawn.items() if one is not None}
    kinds = ("reward", "apples_left", "attacks", "last_apples", "hits")
    assert set(found) == {f"commons_{kind}" for kind in kinds}
    (axes,) = found["commons_reward"].axes
    agents, bots = axes.lines
    assert list(agents.get_ydata()) == entry["reward_by_round"]
    assert list(bots.get_ydata()) == entry["bots_by_round"]
