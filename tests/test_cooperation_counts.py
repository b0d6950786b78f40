"""What binds, what is law and what is counted of agents that cooperate, at its edges."""

from __future__ import annotations

import asyncio

import pytest

from tests.commons_playing import run_of
from tests.cooperating import Mixed, played
from tests.cooperation_values import PEOPLE, amended, ballot, commitments, eats, pays
from tests.test_commons_cooperation import all_of
from tests.test_cooperation_rules import eaten, ended, event
from voxpolis.analysis.conditions import condition_of
from voxpolis.analysis.report.shelf import Shelf
from voxpolis.analysis.report.source import summary_of
from voxpolis.bots.agents.cooperation.exchanges import Offer, OfferReply, Spoken
from voxpolis.bots.models import ScriptedModel
from voxpolis.bots.models.typed import AnswerError
from voxpolis.experiments.loops.cooperation.measures import cooperation_measures
from voxpolis.judge.deeds.account import MOST_PAID, Deeds
from voxpolis.judge.deeds.commitments import say
from voxpolis.judge.deeds.promises import Agreements, Promise
from voxpolis.judge.law.assembly import BY_CONSENT, Proposal, Voter, hold_vote
from voxpolis.judge.law.penalties import first_constitution
from voxpolis.records import RunReader, events
from voxpolis.scenarios.commons import CommonsHarvest
from voxpolis.scenarios.commons.persons import Person
from voxpolis.worlds.commons.accounts import BY_RIVER, BY_TREES, EATS, peace
from voxpolis.worlds.commons.claims import AttacksUnfed

#: How many apples trees have.
SIZES = {1: 11, 2: 9}


def forms_of(terms, now=3, account=BY_TREES):
    def most(form, thing):
        return min(form.most, SIZES.get(thing, form.most))

    return commitments(terms, now, account, (1, 2), most=most).forms


@pytest.mark.parametrize(
    ("promise", "account"),
    [
        (eats("Ada", 99_999, 1, 4), BY_TREES),
        (eats("Ada", 22, 1, 4), BY_TREES),  # 11 in each of two rounds
        (Promise(EATS, "Ada", 3, 40), BY_RIVER),  # as many as an agent has moves
    ],
)
def test_a_promise_that_allows_all_that_can_be_done_is_asked_for_again(promise, account):
    with pytest.raises(AnswerError, match="it asks nothing"):
        forms_of([promise], account=account)


@pytest.mark.parametrize(
    ("promise", "account"),
    [
        (eats("Ada", 21, 1, 4), BY_TREES),
        (eats("Ada", 0, 1, 3), BY_TREES),
        (Promise(EATS, "Ada", 3, 39), BY_RIVER),
    ],
)
def test_a_promise_that_allows_less_binds(promise, account):
    assert forms_of([promise], account=account) == [str(promise)]


def test_a_payment_has_a_limit():
    deeds, agreements = Deeds(BY_TREES), Agreements()
    terms = [pays("Ada", "Bo", 1_000_000), pays("Bo", "Ada", "3 * eaten(Bo)")]
    found = commitments(terms)
    agreements.make(("Ada", "Bo"), "", found, deeds)
    deeds.take(eaten("Bo", 1, 1, 1))
    paid = agreements.payments.transfers(PEOPLE, (1,), deeds)
    assert paid == {"Ada": 3 - MOST_PAID, "Bo": MOST_PAID - 3, "Cy": 0}


def test_a_payment_is_for_what_is_done_from_the_agreement_on():
    deeds, agreements = Deeds(BY_TREES), Agreements()
    for one in (eaten("Bo", 1, 1, 1), ended(1), eaten("Bo", 1, 1, 1)):
        deeds.take(one)
    terms = [pays("Bo", "Ada", "3 * eaten(Bo, 1) + rounds()")]
    found = commitments(terms, 2)
    agreements.make(("Ada", "Bo"), "", found, deeds)
    assert agreements.payments.transfers(PEOPLE, (1,), deeds) == dict.fromkeys(PEOPLE, 0)
    for one in (eaten("Bo", 1, 1, 1), ended(2)):
        deeds.take(one)
    assert agreements.payments.transfers(PEOPLE, (1,), deeds) == {"Ada": 4, "Bo": -4, "Cy": 0}


@pytest.mark.parametrize("again", ["eaten(Bo) / 2", "0.50 * eaten(Bo)"])
def test_a_payment_that_is_agreed_on_again_in_other_words_is_paid_once_and_told(again):
    deeds, agreements = Deeds(BY_TREES), Agreements()
    for amount in ("0.5 * eaten(Bo)", again, ""):
        terms = [pays("Bo", "Ada", amount)] if amount else []
        found = commitments(terms)
        agreements.make(("Ada", "Bo"), "", found, deeds)
    for one in (eaten("Bo", 1, 1, 1), eaten("Bo", 1, 1, 1)):
        deeds.take(one)
    assert agreements.payments.transfers(PEOPLE, (1,), deeds) == {"Ada": 1, "Bo": -1, "Cy": 0}
    lines = "Bo pays Ada 0.5 * eaten(Bo)"
    assert agreements.payments.lines_of("Ada") == [lines]
    assert [one.commitments.forms for one in agreements.made] == [[lines], [], []]


def paid_for(*offers, eats=3):
    """Return what Ada gets from Bo for some offers, one after another, and lines of what holds."""
    deeds, agreements = Deeds(BY_TREES), Agreements()
    for terms in offers:
        found = commitments(terms)
        agreements.make(("Ada", "Bo"), "", found, deeds)
        for _ in range(eats):
            deeds.take(eaten("Bo", 1, 1, 1))
    paid = agreements.payments.transfers(PEOPLE, (1,), deeds)
    assert sum(paid.values()) == 0
    return paid["Ada"], agreements.payments.lines_of("Bo")


@pytest.mark.parametrize(
    ("offers", "paid", "holds"),
    [
        # another amount for the same takes the older one's place, from where that one counted
        ([[pays("Bo", "Ada", "eaten(Bo)")], [pays("Bo", "Ada", "min(2, eaten(Bo))")]], 2, 1),
        ([[pays("Bo", "Ada", "0.5 * eaten(Bo)")], [pays("Bo", "Ada", "2 * eaten(Bo)")]], 12, 1),
        ([[pays("Bo", "Ada", 5)], [pays("Bo", "Ada", 4)]], 4, 1),
        ([[pays("Bo", "Ada", 5)], [pays("Ada", "Bo", -5)]], 5, 1),
        ([[pays("Bo", "Ada", 5)], [pays("Bo", "Ada", 4)], [pays("Bo", "Ada", 5)]], 5, 1),
        # what is for something else is paid besides
        ([[pays("Bo", "Ada", 5)], [pays("Bo", "Ada", "eaten(Bo)")]], 8, 2),
        ([[pays("Bo", "Ada", 5)], [pays("Ada", "Bo", 4)]], 1, 2),
        ([[pays("Bo", "Ada", 5, "eaten(Bo) > 1"), pays("Bo", "Ada", 9, "eaten(Bo) > 2")]], 14, 2),
        # all that one pays another is at most a hundred
        ([[pays("Bo", "Ada", 90)], [pays("Bo", "Ada", "9 * eaten(Bo)")]], 100, 2),
    ],
)
def test_another_amount_for_the_same_is_a_revision(offers, paid, holds):
    told, lines = paid_for(*offers)
    assert (told, len(lines)) == (paid, holds)


def test_two_amounts_for_the_same_in_one_offer_are_asked_for_again():
    with pytest.raises(AnswerError, match="say once how much is paid"):
        forms_of([pays("Ada", "Bo", 100), pays("Ada", "Bo", 99)])


def test_who_is_offered_a_revision_is_told_what_it_takes_the_place_of():
    deeds, agreements = Deeds(BY_TREES), Agreements()
    for terms in ([pays("Bo", "Ada", 5)], [pays("Bo", "Ada", 4)]):
        found = commitments(terms)
        told = agreements.told(("Ada", "Bo"), found, deeds)
        agreements.make(("Ada", "Bo"), "", found, deeds)
    assert told == ["Bo pays Ada 4 (in place of: Bo pays Ada 5)"]


# --- The law -------------------------------------------------------------------------------------


def test_an_article_stands_in_the_law_once():
    fine, noted = 2, []

    def script(request):
        change = amended("Nobody is cruel.", attack_fine=fine)
        return Proposal(amendment=change) if request.role == "amendments" else ballot("yes")

    model = ScriptedModel(script)

    def note(kind, agent=None, **fields):
        noted.append(kind)

    law = first_constitution(BY_TREES, 3, 1, 3)
    voters = [Voter(name, "", "", "") for name in PEOPLE]
    for _ in range(2):
        law = asyncio.run(hold_vote(model, law, voters, note))
        assert law.articles.count(f"Nobody is cruel. {BY_CONSENT}") == 1
        assert (law.version, law.parameters["attack_fine"]) == (2, 2)
    assert noted.count(events.AmendmentProposed) == 1
    fine = 1
    law = asyncio.run(hold_vote(model, law, voters, note))
    assert law.articles.count(f"Nobody is cruel. {BY_CONSENT}") == 1
    assert (law.version, law.parameters["attack_fine"]) == (3, 1)


# --- What is counted -----------------------------------------------------------------------------


def measured(*found):
    told = [event(kind, **fields) for kind, fields in found]
    return cooperation_measures(told, ("Ada", "Bo"), lambda test: ("", test == "grass"), ())


def test_a_rule_in_no_form_is_told_by_its_words_and_is_in_no_precision():
    made = {"agent": "Ada", "about": "world"}
    judged = {"agent": "Ada", "status": "rule", "tries": 5, "hits": 5}
    found = measured(
        (events.HypothesisMade, {**made, "number": 1, "text": "All are kind", "test": "free"}),
        (events.HypothesisMade, {**made, "number": 2, "text": "It dies", "test": "grass"}),
        (events.HypothesisJudged, {**judged, "number": 1}),
        (events.HypothesisJudged, {**judged, "number": 2}),
    )
    assert found["rules"] == {"Ada": ["All are kind", "grass"]}
    assert found["rules_precision"] == 1


def test_promises_whose_last_round_never_came_are_open():
    made = {"parties": ["Ada", "Bo"], "terms": "", "forms": []}
    settled = {"agent": "Ada", "form": "", "number": 1}
    found = measured(
        (events.AgreementMade, {**made, "number": 1, "promises": {"Ada": [1], "Bo": [2]}}),
        (events.AgreementMade, {**made, "number": 2, "promises": {"Ada": [3, 4]}}),
        (events.PromiseSettled, {**settled, "agreement": 1, "kept": True}),
        (events.PromiseSettled, {**settled, "agreement": 2, "kept": True}),
    )
    names = ("promises_kept", "promises_broken", "promises_open")
    assert [found[name] for name in names] == [1, 0, 2]


def test_what_trained_bots_do_is_no_rule_to_find():
    claim = AttacksUnfed("Ana")
    scripted, trained = CommonsHarvest(), CommonsHarvest(bots="trained")
    assert scripted.judge_rule("bots", claim) == ("bots", True)
    assert trained.judge_rule("bots", claim) is None
    assert set(scripted.topics("bots")) - set(trained.topics("bots")) == {"bots"}


# --- What agents and people are told -------------------------------------------------------------


@pytest.mark.parametrize("is_checked", [True, False])
def test_agents_are_told_where_nothing_of_an_offer_is_checked(is_checked):
    heard = []

    class Offering(Mixed):
        async def complete(self, request):
            heard.append((request.role, "\n".join(one["content"] for one in request.messages)))
            if request.role == "speak":
                you, other = request.agent, request.about.hearing[0]
                terms = [say(peace(you, other, 9))] if is_checked else []
                words = None if is_checked else "peace"
                offer = Offer(to=other, message="?", terms=terms, words=words)
                self.answers["speak"] = Spoken(act=offer)
            return await super().complete(request)

    answers = {"speak": None, "reply": OfferReply(trust=[], accept=False)}
    people = all_of(Person("pacifist"))
    modules = {"modules": "communication", "rounds": 2, "hearing": 100}
    played(people, model=lambda own: Offering(own, answers), **modules)
    offered = [text for role, text in heard if role == "reply"]
    assert offered
    assert all(("by word only:\n- nothing\n" in text) != is_checked for text in offered)
    spoken = [text for role, text in heard if role == "speak"][-1]
    assert ("(in no form that is checked)" in spoken) != is_checked


def test_people_are_told_which_game_it_was_and_under_which_condition(tmp_path):
    words = ("--game", "clean_up", "--condition", "coop", "--set", "rounds=2")
    _, result, record = run_of(tmp_path, *words)
    assert (result["game"], result["condition"]) == ("clean_up", "coop")
    assert (record.manifest["game"], record.manifest["condition"]) == ("clean_up", "coop")
    (folder,) = (path.parent for path in tmp_path.rglob("run.yaml"))
    summary = summary_of(RunReader(folder))
    assert {("game", "clean_up"), ("condition", "coop")} <= set(summary["facts"])
    assert summary["outcome"].startswith("1 episode of commons (clean up) under coop")
    assert "<td>clean_up, coop</td>" in Shelf(tmp_path).page()


def test_an_older_record_calls_the_condition_of_a_commons_its_game():
    facts = {"contract": None, "game": "full", "condition": None}
    assert condition_of(facts) == "full"
    assert condition_of({**facts, "contract": "1"}) == "1"
