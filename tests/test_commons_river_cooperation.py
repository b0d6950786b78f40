"""The modules of cooperation by a river: claims, promises and a law, and what must come out."""

from __future__ import annotations

import pytest

from tests.commons_playing import run_of
from tests.cooperating import of, played
from tests.cooperation_values import PEOPLE, commitments, pays
from tests.test_cooperation_rules import event, fired
from voxpolis.experiments.loops.cooperation.measures import cooperation_measures
from voxpolis.judge.deeds.account import Deeds
from voxpolis.judge.deeds.claims import outcome_of
from voxpolis.judge.deeds.promises import Agreements, Promise
from voxpolis.judge.deeds.reputation import deeds_in_words
from voxpolis.judge.law.penalties import Penalties, first_constitution
from voxpolis.records import events
from voxpolis.scenarios.commons import CommonsHarvest
from voxpolis.scenarios.commons.companions import Manners
from voxpolis.scenarios.commons.persons import Person
from voxpolis.scenarios.commons.truth import judge_rule
from voxpolis.worlds.commons.accounts import BY_RIVER, DUTY_ROUNDS, EATS, peace, work
from voxpolis.worlds.commons.claims import AttacksUnfed, SiteGrowth
from voxpolis.worlds.commons.history import History
from voxpolis.worlds.commons.river_claims import CleansWithin, Dirt, RiverGrowth, RiverState

AGENTS = ("Juan", "Laura", "Pedro")
QUIET = Manners(observes="nothing", talks="nothing")
RIVER = {"game": "clean_up"}


def ended(number, t=0.0, dirt=0.5):
    fields = {"apples_left": 0, "trees_alive": None, "rewards": dict.fromkeys(PEOPLE, 0)}
    return event(events.RoundEnded, t, round=number, dirt=dirt, **fields)


def cleaned(agent, cells, t=0.0):
    return event(events.RiverCleaned, t, agent, cells=cells)


def eaten(agent, t=0.0):
    return event(events.AppleEaten, t, agent, position=(1, 0, 1), tree=0, was_last=False)


def grown(t):
    return event(events.AppleGrown, t, position=(1, 0, 1), tree=0)


def three(kind, **manners):
    return {name: Person(kind, manners=Manners(**manners)) for name in AGENTS}


# --- Law and promises, counted by hand -----------------------------------------------------------


def test_who_cleans_too_little_is_fined_and_may_be_stopped():
    """Ada cleans five cells in ten rounds, Bo four, Cy none; then nobody for as many."""
    law, deeds = first_constitution(BY_RIVER, 2, 1, 3), Deeds(BY_RIVER)
    penalties, found = Penalties(PEOPLE, BY_RIVER.offence), []
    told = [cleaned("Ada", 3), cleaned("Ada", 2), cleaned("Bo", 3), cleaned("Bo", 1)]
    told += [ended(number) for number in range(1, DUTY_ROUNDS + 1)]
    told += [fired("Ada", "Cy"), fired("Cy", "Ada")]  # Cy may be stopped, and Ada may not
    told += [cleaned("Ada", 5), cleaned("Bo", 5), cleaned("Cy", 5)]
    told += [ended(number) for number in range(DUTY_ROUNDS + 1, 2 * DUTY_ROUNDS + 1)]
    for one in told:
        before = len(deeds.all)
        deeds.take(one)
        found += filter(None, (penalties.take(deed, law) for deed in deeds.all[before:]))
    broken = [(one.agent, one.article, one.fine) for one in found]
    assert broken == [("Bo", 1, 2), ("Cy", 1, 2), ("Cy", 3, 1)]
    assert penalties.transfers == {"Ada": 2.5, "Bo": -0.5, "Cy": -2}
    assert "at least 5 cells" in str(law)
    words = deeds_in_words("Cy", Agreements(), penalties, deeds)
    assert words == (
        "broke article 1: cleaned too little in 10 rounds",
        "broke article 3: attacked Ada",
        "took 0 apples",
        "cleaned 5 cells of the river",
        "attacked others 1 times",
    )


def test_promises_to_do_something_are_kept_as_soon_as_it_is_done():
    deeds, agreements = Deeds(BY_RIVER), Agreements()
    deeds.take(cleaned("Ada", 9))  # before the agreement: does not count
    terms = [
        work("Ada", 3, 2),
        work("Bo", 2, 1),
        Promise(EATS, "Ada", 2, 0),
        peace("Ada", "Bo", 2),
        pays("Bo", "Ada", "0.5 * cleaned(Ada)"),
    ]
    found = commitments(terms, account=BY_RIVER, things=())
    assert found.forms == [
        "Ada cleans at least 3 cells until round 2",
        "Bo cleans at least 2 cells until round 1",
        "Ada eats at most 0 until round 2",
        "Ada does not attack Bo until round 2",
        "Bo pays Ada 0.5 * cleaned(Ada)",
    ]
    agreements.make(("Ada", "Bo"), "", found, deeds)

    def settled(*told):
        for one in told:
            deeds.take(one)
        return [(str(one.promise).split()[:2], one.kept) for one in agreements.settle(deeds)]

    assert settled(cleaned("Ada", 2), cleaned("Bo", 1)) == []
    assert settled(ended(1)) == [(["Bo", "cleans"], False)]
    assert settled(cleaned("Ada", 1)) == [(["Ada", "cleans"], True)]
    assert settled(eaten("Ada")) == [(["Ada", "eats"], False)]
    assert settled(ended(2)) == [(["Ada", "does"], True)]
    assert agreements.payments.transfers(PEOPLE, (), deeds) == {"Ada": 1.5, "Bo": -1.5, "Cy": 0}


# --- Claims, by hand -----------------------------------------------------------------------------


def history(*later):
    found = History(2)
    found.begin([], {(1, 1)}, 0.6)
    for one in later:
        found.take(one, round(one.t))
    return found


BROOK = (
    ended(1, 10, 0.5),
    cleaned("Ada", 3, 12),
    ended(2, 20, 0.45),
    ended(3, 30, 0.15),
    grown(33),
    ended(4, 40, 0.1),
    ended(5, 55, 0.1),
)


@pytest.mark.parametrize(
    ("claim", "outcomes"),
    [
        # Opened at 10 and, when that is over, at 20; from 30 on the river is cleaner.
        (RiverGrowth(Dirt(40, or_more=True), grows=False, hours=10), [True, True]),
        (RiverGrowth(Dirt(40, or_more=True), grows=False, hours=25), [False]),
        # Opened at 30 and 40; hour 55 is too late for ten more.
        (RiverGrowth(Dirt(20, or_more=False), grows=True, hours=10), [True, False]),
        (RiverGrowth(Dirt(5, or_more=False), grows=True, hours=10), []),
        (CleansWithin("Ada", 1), [True, False, False, False]),
        (CleansWithin("Ada", 2), [True, False]),
        (RiverState(Dirt(45, or_more=True)), [True, True, False, False, False]),
        (RiverState(Dirt(15, or_more=False)), [False, False, False, True, True]),
        (
            SiteGrowth((1, 1), hours=6),
            [False, False, True],
        ),  # and stands there from then on,
    ],
)
def test_claims_are_tested_by_what_happened(claim, outcomes):
    assert list(claim.tests(history(*BROOK), 0)) == outcomes


def test_how_the_river_is_is_how_it_was_at_the_end_of_the_last_round():
    claim = RiverState(Dirt(40, or_more=True))
    assert claim.holds(history())
    assert not claim.holds(history(*BROOK))
    assert outcome_of(claim, history(*BROOK), 30, is_due=False) == (False, None)
    assert outcome_of(claim, history(*BROOK), 30, is_due=True) == (True, False)


@pytest.mark.parametrize(
    ("test", "said"),
    [
        (RiverGrowth(Dirt(40, or_more=True), grows=False, hours=999), (True, True)),
        # .05 / 7 of growth, a fortieth of it at 39 %, 122 sites: 1 - (1 - .000179) ** 122 = .0215
        (RiverGrowth(Dirt(39, or_more=True), grows=False, hours=10), (True, True)),
        (RiverGrowth(Dirt(39, or_more=True), grows=False, hours=11), (True, False)),
        (RiverGrowth(Dirt(40, or_more=True), grows=True, hours=20), (True, False)),
        # half of it at 20 %: 1 - (1 - .00357) ** (122 * 4) = .825; with 3 hours .73
        (RiverGrowth(Dirt(20, or_more=False), grows=True, hours=4), (False, True)),
        (RiverGrowth(Dirt(20, or_more=False), grows=True, hours=3), (False, False)),
        (RiverGrowth(Dirt(90, or_more=False), grows=True, hours=99), (False, False)),
        (AttacksUnfed("Ana"), None),
    ],
)
def test_rules_are_true_or_not_by_the_rules_of_the_game(test, said):
    game = CommonsHarvest(game="clean_up").played("none")
    found = judge_rule(test, game.game, game.bots)
    topics = {True: "none by a dirty river", False: "some by a clean river"}
    assert found == (said and (topics[said[0]], said[1]))


# --- What must come out --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "true", "false"),
    [
        (
            "eater",
            RiverGrowth(Dirt(40, or_more=True), grows=False, hours=20),
            RiverGrowth(Dirt(40, or_more=True), grows=True, hours=20),
        ),
        (
            "cleaner",
            RiverGrowth(Dirt(20, or_more=False), grows=True, hours=20),
            RiverGrowth(Dirt(20, or_more=False), grows=False, hours=20),
        ),
    ],
)
def test_what_an_observer_sees_enough_of_is_a_rule_and_its_contrary_is_dropped(kind, true, false):
    for seed in range(4):
        run, _ = played(three(kind), seed, modules="understanding", rounds=60, **RIVER)
        for name in AGENTS:
            known = run.cooperation.companions[name].hypotheses
            rules, dropped = ({h.test for h in known.of(w)} for w in ("rule", "dropped"))
            assert true in rules
            assert false in dropped
        game = run.played

        def judge(test, game=game, claims=run.cooperation.claims):
            return judge_rule(claims[test], game.game, game.bots)

        assert cooperation_measures(run.events, AGENTS, judge, ())["rules_precision"] == 1


def test_a_law_that_all_heed_brings_apples_where_nobody_has_any_without_it():
    """Three who would only eat; by the law each cleans a little, which is enough for all."""
    for seed in range(2):
        people = three("eater", heeds=1.0, observes="nothing", talks="nothing")
        without, _ = played(people, seed, **RIVER)
        assert sum(without.table.eaten.values()) == 0
        run, _ = played(people, seed, modules="constitution", **RIVER)
        assert min(run.table.eaten.values()) > 0
        assert sum(run.table.eaten.values()) > 15
        rewards = of(run, events.Reward)
        assert sum(one.transfer for one in rewards) == pytest.approx(0)
        cells = {name: sum(e.cells for e in of(run, events.RiverCleaned) if e.agent == name)
                 for name in AGENTS}  # fmt: skip
        assert cells == {name: run.table.cleaned[name] for name in AGENTS}


def test_who_does_not_heed_it_pays_each_time():
    people = three("eater", heeds=0.0, observes="nothing", talks="nothing")
    run, _ = played(people, 1, modules="constitution", rounds=30, idle_fine=3, **RIVER)
    fines = of(run, events.ArticleBroken)
    assert [(one.agent, one.fine, one.article) for one in fines] == [
        (name, 3, 1) for _ in range(3) for name in AGENTS
    ]
    assert [one.transfer for one in of(run, events.Reward)] == [0, 0, 0]  # all pay, all get


RATES = {"Juan": 1.0, "Laura": 0.7, "Pedro": 0.2}


def test_promises_to_clean_are_kept_as_often_as_they_are_meant():
    kept = {name: [] for name in RATES}
    for seed in range(3):
        people = {
            name: Person("eater", manners=Manners(talks="offers", keeps=rate, wary=0))
            for name, rate in RATES.items()
        }
        options = {"modules": "communication", "rounds": 140, "hearing": 100}
        run, _ = played(people, seed, **options, **RIVER)
        for one in of(run, events.PromiseSettled):
            if "cleans" in one.form:
                kept[str(one.agent)].append(one.kept)
    for name, rate in RATES.items():
        assert len(kept[name]) > 20
        assert sum(kept[name]) / len(kept[name]) == pytest.approx(rate, abs=0.12)


def test_who_lies_about_the_river_is_trusted_less():
    people = {
        "Juan": Person("sharer", manners=Manners(observes="nothing", talks="asks")),
        "Laura": Person("sharer", manners=QUIET),
        "Pedro": Person("sharer", manners=Manners(observes="nothing", talks="nothing", lies=0.9)),
    }
    gaps = []
    for seed in range(4):
        run, _ = played(people, seed, modules="communication", hearing=100, **RIVER)
        trust = run.cooperation.companions["Juan"].hypotheses.trust
        gaps.append(trust["Laura"] - trust["Pedro"])
        checked = [e for e in of(run, events.ClaimChecked) if e.in_answer]
        assert len(checked) > 30
    assert sum(gaps) / len(gaps) > 0.3
    assert min(gaps) > 0


# --- By the command ------------------------------------------------------------------------------


def test_a_run_with_all_modules_is_replayed_and_shows_its_prompts(tmp_path):
    words = ["--game", "clean_up", "--condition", "full", "--set", "rounds=12"]
    code, result, record = run_of(tmp_path, *words, "--set", "hearing=100")
    assert code == 0
    assert result["modules"] == ["understanding", "communication", "constitution", "reputation"]
    (entry,) = result["runs"]
    assert entry["messages"] > 10
    assert entry["agreements"] > 0
    code, again, _ = run_of(tmp_path, "--replay", str(record.folder))
    assert (code, again["runs"]) == (0, result["runs"])
