"""Promises, fines, claims and votes on small records that a person has counted."""

from __future__ import annotations

import json

import pytest
from pydantic import TypeAdapter, ValidationError

from tests.cooperating import of, played
from tests.cooperation_values import PEOPLE, commitments, eats, pays
from voxpolis.bots.agents.cooperation.hypotheses import Count, Hypotheses
from voxpolis.bots.agents.cooperation.wording import one_form
from voxpolis.bots.models.typed import AnswerError
from voxpolis.judge.contracts.clauses import parse_clauses
from voxpolis.judge.contracts.contract import ContractError, Outcome
from voxpolis.judge.deeds.account import Deeds
from voxpolis.judge.deeds.claims import outcome_of
from voxpolis.judge.deeds.commitments import payable
from voxpolis.judge.deeds.promises import Agreements
from voxpolis.judge.deeds.reputation import exact_reputation, published_reputation
from voxpolis.judge.law.penalties import Penalties, first_constitution
from voxpolis.records import events
from voxpolis.scenarios.commons import CommonsHarvest
from voxpolis.scenarios.commons.persons import Person
from voxpolis.scenarios.commons.truth import judge_rule
from voxpolis.worlds.commons.accounts import BY_TREES, peace
from voxpolis.worlds.commons.claims import BY_TREES as TREES
from voxpolis.worlds.commons.claims import (
    AttacksUnfed,
    DeadTree,
    EatenRule,
    GrassRule,
    GrowthRule,
    Near,
    SiteGrowth,
    TakesLast,
    TreeState,
)
from voxpolis.worlds.commons.history import History

GROUND = {(row, column) for row in range(1, 7) for column in range(1, 11)}


def event(kind, t=0.0, agent=None, **fields):
    return kind(t=t, episode=0, agent=agent, **fields)


def eaten(agent, row, column, tree, t=0.0, *, last=False):
    at = (row, 0, column)
    return event(events.AppleEaten, t, agent, position=at, tree=tree, was_last=last)


def fired(agent, target, t=0.0):
    return event(events.ZapFired, t, agent, target=target)


def ended(number, t=0.0):
    fields = {"apples_left": 1, "trees_alive": 1, "rewards": {}}
    return event(events.RoundEnded, t, round=number, **fields)


# --- Fines, counted by hand ----------------------------------------------------------------------

#: Ten events of five rounds. Fines: last apple 6, attack 2, two rounds of ban.
TEN = (
    eaten("Ada", 1, 1, 1),  # 1
    eaten("Bo", 1, 2, 1, last=True),  # Bo breaks article 1: Bo -6, Ada +3, Cy +3
    fired("Cy", "Bo"),  # lawful: Bo took a last apple in this round
    ended(1),
    fired("Ada", "Cy"),  # round 2, unlawful: Ada -2, Bo +1, Cy +1; Ada is banned in 3 and 4
    ended(2),
    ended(3),
    fired("Cy", "Bo"),  # round 4: still within three rounds of round 1
    ended(4),
    fired("Cy", "Bo"),  # round 5: no more; Cy -2, Ada +1, Bo +1; banned in 6 and 7
)


def test_ten_events_cost_what_a_person_counts():
    law, deeds, penalties = (
        first_constitution(BY_TREES, 6, 2, 2),
        Deeds(BY_TREES),
        Penalties(PEOPLE, BY_TREES.offence),
    )
    found = []
    for one in TEN:
        before = len(deeds.all)
        deeds.take(one)
        found += [penalties.take(deed, law) for deed in deeds.all[before:]]
    broken = [(one.agent, one.article, one.fine, one.banned_until) for one in found if one]
    assert broken == [("Bo", 1, 6, 0), ("Ada", 3, 2, 4), ("Cy", 3, 2, 7)]
    assert penalties.transfers == {"Ada": 3 - 2 + 1, "Bo": -6 + 1 + 1, "Cy": 3 + 1 - 2}
    assert sum(penalties.transfers.values()) == 0
    assert [penalties.is_banned("Ada", r) for r in (3, 4, 5)] == [True, True, False]
    assert [penalties.is_banned("Cy", r) for r in (6, 7, 8)] == [True, True, False]
    assert not penalties.is_banned("Bo", 2)


def test_bots_are_no_party_to_the_law():
    law, penalties, deeds = (
        first_constitution(BY_TREES, 6, 2, 2),
        Penalties(("Ada", "Bo"), BY_TREES.offence),
        Deeds(BY_TREES),
    )
    for one in (eaten("Bot", 1, 1, 1, last=True), fired("Ada", "Bot"), fired("Bot", "Ada")):
        deeds.take(one)
    assert [penalties.take(deed, law) for deed in deeds.all] == [None] * 4
    assert penalties.transfers == {"Ada": 0, "Bo": 0}


# --- Promises ------------------------------------------------------------------------------------


def test_promises_are_read_and_settled_by_deeds_alone():
    deeds, agreements = Deeds(BY_TREES), Agreements()
    deeds.take(eaten("Ada", 1, 1, 2))  # before the agreement: does not count
    terms = [eats("Ada", 1, 2, 2), peace("Bo", "Ada", 1), pays("Bo", "Ada", "0.5*eaten(Bo)")]
    found = commitments(terms)
    assert found.forms == [
        "Ada eats at most 1 from tree 2 until round 2",
        "Bo does not attack Ada until round 1",
        "Bo pays Ada 0.5 * eaten(Bo)",
    ]
    _, numbers = agreements.make(("Ada", "Bo"), "", found, deeds)
    assert numbers == {"Ada": [1], "Bo": [2]}
    deeds.take(eaten("Ada", 1, 1, 2))
    deeds.take(eaten("Ada", 1, 1, 1))
    assert agreements.settle(deeds) == []
    deeds.take(ended(1))
    (kept,) = agreements.settle(deeds)
    assert (kept.promise.by, kept.kept) == ("Bo", True)
    deeds.take(eaten("Ada", 1, 1, 2))
    (broken,) = agreements.settle(deeds)
    assert (broken.promise.by, broken.kept) == ("Ada", False)
    for _ in range(3):
        deeds.take(eaten("Bo", 1, 1, 1))
    paid = {"Ada": 1.5, "Bo": -1.5, "Cy": 0}
    assert agreements.payments.transfers(PEOPLE, (1, 2), deeds) == paid
    again, _ = agreements.make(("Bo", "Ada"), "", found, deeds)
    assert again.commitments.payments is None
    assert agreements.payments.transfers(PEOPLE, (1, 2), deeds) == paid, "the same is paid once"
    assert (agreements.record_of("Ada"), agreements.record_of("Bo")) == ((0, 1), (1, 0))


@pytest.mark.parametrize(
    "term",
    [
        eats("Ada", 1, 9, 5),
        peace("Ada", "Ada", 5),
        peace("Ada", "Cy", 5),
        eats("Cy", 0, 1, 9),
        pays("Ada", "Bo", "3 * eaten(Zed)"),
        pays("Ada", "Cy", "3"),
    ],
)
def test_terms_about_others_and_about_what_does_not_exist_bind_nobody(term):
    with pytest.raises(AnswerError):
        commitments([peace("Ada", "Bo", 5), term], now=3)


def test_an_attack_that_misses_breaks_a_promise_and_one_after_its_end_does_not():
    promise = peace("Ada", "Bo", 2)
    deeds = Deeds(BY_TREES)
    for one in (ended(1), ended(2), fired("Ada", "Bo")):
        deeds.take(one)
    assert promise.state(deeds, 0) == "kept"
    early = Deeds(BY_TREES)
    for one in (ended(1), fired("Ada", "Cy"), fired("Ada", "Bo")):
        early.take(one)
    assert promise.state(early, 0) == "broken"


def test_reputations_are_the_mean_of_laplaces_rule_and_judgements():
    assert [exact_reputation(*own) for own in ((0, 0), (3, 1), (0, 8))] == [0.5, 4 / 6, 0.1]
    assert published_reputation(0.5, {"Ada": 9.0, "Bo": 6.0}) == (7.5, 6.25)
    assert published_reputation(0.5, {}) == (None, 5.0)


# --- Clauses over what a commons counts ----------------------------------------------------------


def test_clauses_name_what_agents_ate_from_each_tree():
    terms = payable(BY_TREES, ("Ada", "Bo"), (1, 3))
    text = "Ada pays Bo 2 * eaten(Ada, 3) + last(Ada) if rounds() > 4 and hits(Ada, Bo) == 0"
    contract = parse_clauses(text, terms)
    counted = {"eaten(Ada, 3)": 4, "last(Ada)": 1, "rounds()": 5, "hits(Ada, Bo)": 0}
    assert contract.transfers(Outcome(counted=counted)) == {"Ada": -9, "Bo": 9}
    counted["hits(Ada, Bo)"] = 1
    assert contract.transfers(Outcome(counted=counted)) == {"Ada": 0, "Bo": 0}
    for wrong, told in {
        "Ada pays Bo eaten(Ada, 2)": r"no eaten\(Ada, 2\); there are: .*eaten, last",
        "Ada pays Bo eaten(Cy)": r"no eaten\(Cy\)",
        "Ada pays Bo eaten(1.5)": "names of players",
    }.items():
        with pytest.raises(ContractError, match=told):
            parse_clauses(wrong, terms)


# --- Claims, by hand -----------------------------------------------------------------------------


def history(*later):
    """Two sites of tree 1 beside each other and one of tree 2 far off, and what happened."""
    found = History(2)
    found.begin([(1, 1), (1, 2), (5, 9)], GROUND)
    for one in later:
        found.take(one, round(one.t))
    return found


def grass(t, appeared=(), vanished=()):
    fields = {"appeared": [(r, 0, c) for r, c in appeared]}
    return event(events.GrassChanged, t, **fields, vanished=[(r, 0, c) for r, c in vanished])


LONELY = (
    eaten("Ada", 1, 1, 1, 1),
    grass(1, [(1, 1)]),
    ended(1, 2),
    eaten("Bo", 1, 2, 1, 3, last=True),
    grass(3, [], [(1, 1)]),
    ended(2, 4),
    ended(3, 20),
)


@pytest.mark.parametrize(
    ("claim", "outcomes"),
    [
        # At the end of round 1 one apple is near [1, 1]; of rounds 2 and 3 none near both sites.
        (GrassRule(Near(1, False, 2), stays=True), [True]),
        (GrassRule(Near(1, True, 2), stays=False), [False]),
        (GrassRule(Near(0, False, 2), stays=False), [True] * 4),
        # Hours 2 to 12 at [1, 1]; hours 4 to 14 at [1, 2]; hour 20 is too late for ten more.
        (GrowthRule(Near(1, False, 2), grows=True, hours=10), [False]),
        (GrowthRule(Near(0, False, 2), grows=False, hours=10), [True, True]),
        (DeadTree(grows=False, hours=5), [True] * 3),
        (SiteGrowth((1, 1), hours=6), [False]),
        (EatenRule(apples=1, radius=2, cell=(1, 1), hours=9), [False, True]),
        (EatenRule(apples=2, radius=2, cell=(1, 1), hours=9), [True]),
        (TreeState(1, is_alive=False), [False, True, True]),
        (TreeState(2, is_alive=True), [True, True, True]),
    ],
)
def test_claims_are_tested_by_what_happened(claim, outcomes):
    assert list(claim.tests(history(*LONELY), 0)) == outcomes


def test_growth_is_seen_within_its_hours():
    grown = event(events.AppleGrown, 8, position=(1, 0, 1), tree=1)
    found = history(*LONELY[:3], grown, ended(2, 13))
    assert list(SiteGrowth((1, 1), hours=6).tests(found, 0)) == [True]
    assert list(SiteGrowth((1, 1), hours=5).tests(found, 0)) == [False]
    claim = SiteGrowth((1, 1), hours=12)
    assert outcome_of(claim, found, 0, is_due=True) == (False, None)  # it is waited for


def test_habits_are_tested_where_they_can_show():
    turn = {"round": 1, "action": "", "outcome": "", "moves": 1, "began": (0, 0, 0)}
    turn |= {"ended": (0, 0, 0), "saw_it": True}
    found = history(
        event(events.SightChanged, 0, "Ada", apples="none"),
        fired("Ada", None, 3),
        event(events.SightChanged, 20, "Ada", apples="some"),
        fired("Ada", None, 21),
        event(events.SightChanged, 22, "Ada", apples="none"),
        event(events.SightChanged, 25, "Ada", apples="out"),
        event(events.TurnTaken, 26, "Bo", **turn, last_apple=(5, 0, 9)),
        eaten("Bo", 5, 9, 2, 27, last=True),
        event(events.TurnTaken, 28, "Bo", **turn, last_apple=(5, 0, 9)),
        event(events.TurnTaken, 29, "Bo", **turn),
    )
    attacks = AttacksUnfed("Ada")
    # From 0 to its shot at 3; from 3 to 13 none; from 13 and from 22 on it was cut short.
    assert list(attacks.tests(found, 0)) == [True, False]
    assert list(TakesLast("Bo").tests(found, 0)) == [False, True]
    assert outcome_of(attacks, found, 23, is_due=True) == (True, None)  # nothing came of it


@pytest.mark.parametrize(
    "said",
    [
        {"form": "weather"},
        {"form": "takes_last", "agent": "Zed"},
        {"form": "apple_at", "cell": [1, 1], "hours": 0},
        {"form": "apple_at", "cell": [1], "hours": 3},
        {"form": "tree", "tree": 99_999_999, "is_alive": True},
        {"form": "tree", "tree": int("9" * 4000), "is_alive": True},
        {"form": "tree", "tree": 3},
    ],
)
def test_what_is_in_no_form_is_refused(said):
    with pytest.raises(ValidationError):
        TypeAdapter(one_form(TREES.types(PEOPLE))).validate_python(said)


@pytest.mark.parametrize(
    "claim",
    [
        GrassRule(Near(1, True, 2), stays=False),
        EatenRule(apples=2, radius=2, cell=(1, 1), hours=9),
        SiteGrowth((1, 1), hours=6),
        TreeState(1, is_alive=False),
        TakesLast("Bo"),
    ],
)
def test_a_claim_comes_back_from_its_json(claim):
    said = json.dumps(TREES.say(claim))
    read = TypeAdapter(one_form(TREES.types(PEOPLE))).validate_json(said)
    assert TREES.read(read.model_dump()) == claim


def test_a_history_of_events_is_the_world_as_it_is():
    run, _ = played(dict.fromkeys(("Juan", "Laura"), Person("greedy")), 2, "bots",
                    modules="understanding", rounds=15)  # fmt: skip
    seen, table = run.cooperation.history, run.table
    assert (seen.apples, seen.grass) == (set(table.apples), set(table.grass))
    assert seen.tree_of == table.tree_of
    assert seen.hour == table.steps
    assert {tree for tree in table.trees if not seen.is_alive(tree)} == set(seen.died)
    for name in table.names:
        state = seen.sights[name][-1][1]
        i = table.names.index(name)
        view = table.view(i) & table.apples
        assert state == ("out" if table.out[i] else "some" if view else "none")
    assert len(of(run, events.GrassChanged)) > 5


@pytest.mark.parametrize(
    ("test", "said"),
    [
        (GrassRule(Near(0, False, 2), stays=False), ("radius", True)),
        (GrassRule(Near(0, False, 1), stays=False), ("", False)),
        (GrassRule(Near(0, False, 3), stays=False), ("", True)),
        (GrassRule(Near(1, True, 3), stays=True), ("", False)),
        (GrassRule(Near(0, True, 2), stays=False), ("radius", False)),
        # 1 - .975 ** 64 = .802; 1 - .975 ** 63 = .797; 1 - .9975 ** 89 = .2, of 90 more
        (GrowthRule(Near(3, True, 2), grows=True, hours=64), ("sooner", True)),
        (GrowthRule(Near(3, True, 2), grows=True, hours=63), ("sooner", False)),
        (GrowthRule(Near(1, False, 2), grows=False, hours=89), ("sooner", True)),
        (GrowthRule(Near(1, False, 2), grows=False, hours=90), ("sooner", False)),
        (GrowthRule(Near(0, False, 2), grows=False, hours=9), ("none alone", True)),
        (DeadTree(grows=True, hours=9), ("death", False)),
        (AttacksUnfed("Ana"), ("bots", True)),
        (AttacksUnfed("Juan"), None),
        (TakesLast("Juan"), None),
    ],
)
def test_rules_are_true_or_not_by_the_rules_of_the_game(test, said):
    game = CommonsHarvest().played("bots")
    assert judge_rule(test, game.game, game.bots) == said


# --- Hypotheses ----------------------------------------------------------------------------------


def test_hypotheses_become_rules_and_fall_again():
    known = Hypotheses(confirm=5)
    one = known.add("a", "A", "world", 0)
    told = known.add("b", "B", "world", 0, "Bo", 0.5)
    assert known.add("a, too", "A", "world", 3) is None

    def settle(a, b):
        counts = {"A": Count(*a), "B": Count(*b)}
        list(known.settle(lambda hypothesis: counts[hypothesis.test]))
        return one.status, told.status

    assert settle((5, 4), (3, 3)) == ("open", "open")
    assert settle((6, 5), (4, 4)) == ("rule", "open")  # 4.5 hits of B
    assert settle((7, 5), (5, 5)) == ("open", "rule")  # 5 / 7 < .8; 5.5 of 6 >= .8
    assert settle((13, 5), (9, 5)) == ("dropped", "open")
    assert settle((99, 99), (9, 5)) == ("dropped", "open")
