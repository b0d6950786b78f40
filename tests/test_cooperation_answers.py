"""What is said between agents that cooperate, and how they vote."""

from __future__ import annotations

import asyncio
import json

import pytest

from tests.cooperation_values import (
    ALIVE,
    LANGUAGE,
    MOMENT,
    PEACE,
    PEOPLE,
    amended,
    answered,
    ballot,
)
from voxpolis.bots.agents.cooperation.exchanges import ReplyRequest, SpeakRequest, Words
from voxpolis.bots.agents.cooperation.requests import InduceRequest, PredictRequest, RateRequest
from voxpolis.bots.agents.cooperation.wording import Claim, Terms
from voxpolis.bots.models import ScriptedModel
from voxpolis.bots.models.typed import AnswerError, wire_schema
from voxpolis.judge.law.assembly import BY_CONSENT, Proposal, ProposalRequest, Voter, hold_vote
from voxpolis.judge.law.constitution import NUMBERS_ALONE
from voxpolis.judge.law.penalties import first_constitution
from voxpolis.records import events
from voxpolis.worlds.commons.accounts import BY_TREES, peace
from voxpolis.worlds.commons.claims import TakesLast, TreeState

# --- Answers -------------------------------------------------------------------------------------


def speak(**act):
    whole = {"message": "?", "terms": [], "words": None, "test": None, **act}
    return json.dumps({"act": whole, "claims": []})


def test_what_is_said_must_be_said_to_somebody_who_hears_it():
    question = SpeakRequest(MOMENT, ("Bo",), LANGUAGE)
    words = answered(question, speak(do="ASK", to="Bo", message="x" * 300, test=ALIVE))
    assert (words.act, words.to, words.test) == ("ask", "Bo", TreeState(3, is_alive=True))
    assert len(words.text) == 240
    assert answered(question, speak(do="NOTHING")).act == "nothing"
    offer = {"do": "OFFER", "to": "Bo", "terms": [PEACE], "words": "and be\nnice"}
    words = answered(question, speak(**offer))
    assert words.terms.text == "Ada does not attack Bo until round 9; and be nice"
    assert words.terms.binding == ("Ada does not attack Bo until round 9",)
    assert words.terms.value.promises == (peace("Ada", "Bo", 9),)
    for wrong in (
        {"do": "ASK", "to": "Cy"},
        {**offer, "terms": [], "words": " "},
        {**offer, "terms": [{**PEACE, "other": "Cy"}]},
        {**offer, "terms": [{**PEACE, "until": 1}]},
        {"do": "DANCE"},
        {"do": "ASK", "to": "Bo", "test": {"form": "weather"}},
    ):
        with pytest.raises(AnswerError):
            answered(question, speak(**wrong))


def test_claims_are_valid_or_refused_each_by_itself():
    good = [{"statement": "It lives.", "test": ALIVE}, {"statement": "hm", "test": None}]
    bad = [{"statement": "?", "test": {"form": "tree", "tree": -1, "is_alive": True}}, 5, {}]
    asks = {"do": "ASK", "to": "Bo", "message": "?", "test": None}
    question = SpeakRequest(MOMENT, ("Bo",), LANGUAGE)
    said = json.dumps({"act": asks, "claims": [bad[0], good[0], bad[1], good[1], bad[2]]})
    claims = (Claim("It lives.", TreeState(3, is_alive=True)), Claim("hm"))
    assert answered(question, said).claims == claims
    with pytest.raises(AnswerError):
        answered(question, json.dumps({"act": asks, "claims": bad}))


def test_hypotheses_and_predictions_are_typed():
    supposed = [
        {"statement": "a", "about": "Bo", "test": {"form": "takes_last", "agent": "Bo"}},
        {"statement": "b", "about": "world", "test": None},
        {"statement": "c", "about": "Zed", "test": None},
    ]
    induce = InduceRequest(MOMENT, (), LANGUAGE)
    found = answered(induce, json.dumps({"hypotheses": supposed}))
    assert found == ((Claim("a", TakesLast("Bo")), "Bo"), (Claim("b"), "world"))
    assert answered(induce, '{"hypotheses": []}') == ()
    predict = PredictRequest(MOMENT, "", 5, LANGUAGE)
    said = [{"test": ALIVE, "percent": percent} for percent in (90, 10, 101)]
    found = answered(predict, json.dumps({"predictions": said}))
    assert found == ((TreeState(3, is_alive=True), 0.9),)


def test_an_offer_is_accepted_or_refused_and_each_claim_is_believed_so_far():
    claims = (Claim("a"), Claim("b"))
    question = ReplyRequest(
        MOMENT, "Bo", Words("offer", "Ada", "?", terms=Terms("t"), claims=claims), LANGUAGE
    )
    said = answered(question, '{"trust": [80, 10], "accept": true, "claims": []}')
    assert (said.accepts, said.trust, said.text) == (True, (0.8, 0.1), "ACCEPT")
    assert not answered(question, '{"trust": [100, 0], "accept": false, "claims": []}').accepts
    for wrong in (
        {"trust": [100], "accept": True},
        {"trust": [100, 101], "accept": True},
        {"trust": [100, 0], "accept": "perhaps"},
        {"trust": [100, 0]},
    ):
        with pytest.raises(AnswerError):
            answered(question, json.dumps({"claims": [], **wrong}))


def test_who_is_rated_is_one_of_the_others():
    question = RateRequest("Ada", {"Bo": (), "Cy": ()}, {})
    scores = [{"name": "Bo", "score": 7}, {"name": "Zed", "score": 5}, {"name": "Bo", "score": 1}]
    assert answered(question, json.dumps({"scores": scores})) == {"Bo": 7}
    with pytest.raises(AnswerError):
        answered(question, '{"scores": [{"name": "Cy", "score": 11}]}')


@pytest.mark.parametrize(
    "question",
    [
        SpeakRequest(MOMENT, ("Bo", "Cy"), LANGUAGE),
        InduceRequest(MOMENT, (), LANGUAGE),
        ReplyRequest(MOMENT, "Bo", Words("ask", "Ada", "?", claims=(Claim("a"),)), LANGUAGE),
    ],
)
def test_schemas_are_inside_what_strict_modes_accept_and_built_once(question):
    schema = json.dumps(wire_schema(question.narrow()))
    assert question.narrow() is question.narrow()
    assert '"$ref"' not in schema
    assert "prefixItems" not in schema
    assert '"enum": ["tree"]' in schema


# --- Votes ---------------------------------------------------------------------------------------


LAW = first_constitution(BY_TREES, 3, 1, 3)


@pytest.mark.parametrize(
    ("change", "text", "sets"),
    [
        (amended("Nobody eats from tree 3."), f"Nobody eats from tree 3. {BY_CONSENT}", {}),
        (amended("Free.", attack_fine=0), f"Free. {BY_CONSENT}", {"attack_fine": 0}),
        (amended(None, last_apple_fine=8), NUMBERS_ALONE, {"last_apple_fine": 8}),
    ],
)
def test_words_of_an_amendment_bind_by_consent_and_numbers_are_carried_out(change, text, sets):
    question = ProposalRequest(Voter("Ada", "", "", ""), LAW)
    (one,) = answered(question, Proposal(amendment=change).text())
    assert (one.text, one.sets) == (text, sets)
    assert answered(question, '{"amendment": null}') == []
    with pytest.raises(AnswerError, match="less than or equal to 20"):
        answered(question, Proposal(amendment=amended("All.", attack_fine=21)).text())


def test_an_assembly_changes_the_numbers_that_hold():
    proposals = {
        "Ada": amended("Dearer.", last_apple_fine=9),
        "Bo": None,
        "Cy": amended("Free.", attack_fine=0),
    }
    ballots = {"Ada": ballot("yes", "no"), "Bo": ballot("yes", "no"), "Cy": ballot("yes")}

    def script(request):
        if request.role == "amendments":
            return Proposal(amendment=proposals[request.agent])
        return ballots[request.agent]

    noted = []

    def note(kind, agent=None, **fields):
        noted.append((kind, agent))

    voters = [Voter(name, "", "", "") for name in PEOPLE]
    after = asyncio.run(hold_vote(ScriptedModel(script), LAW, voters, note))
    assert after.parameters == {"last_apple_fine": 9, "attack_fine": 1, "ban_rounds": 3}
    assert (after.version, after.articles[-1]) == (2, f"Dearer. {BY_CONSENT}")
    kinds = [kind for kind, _ in noted]
    assert kinds.count(events.AmendmentProposed) == kinds.count(events.AmendmentTallied) == 2
    assert [agent for kind, agent in noted if kind is events.BallotCast] == ["Ada", "Bo"]
