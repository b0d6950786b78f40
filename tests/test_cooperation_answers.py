"""What is said between agents that cooperate, and how they vote."""

from __future__ import annotations

import asyncio
import json

import pytest

from bots.agents.cooperation.exchanges import ReplyRequest, SpeakRequest, Words
from bots.agents.cooperation.wording import Claim
from bots.models import ScriptedModel
from bots.structured import AnswerError
from judge.assembly import Voter, hold_vote
from judge.penalties import first_constitution
from records import events
from tests.cooperation_readers import LANGUAGE, MOMENT, PEOPLE
from worlds.commons.accounts import BY_TREES

# --- Answers -------------------------------------------------------------------------------------


def test_what_is_said_must_be_said_to_somebody_who_hears_it():
    question = SpeakRequest(MOMENT, ("Bo",), LANGUAGE)
    ask = {"act": "ask", "to": "BO", "message": "x" * 300, "test": "Tree 3 has no apples."}
    words = question.read(json.dumps(ask))
    assert (words.act, words.to, words.test) == ("ask", "Bo", "tree 3 has no apple")
    assert len(words.text) == 240
    assert question.read('{"Act": "NOTHING"}') == Words("nothing")
    claims = [{"text": "hm", "test": "free"}]
    offer = {"Act": "OFFER", "To": "Bo", "Message": "?", "Terms": ["one", "two"], "Claims": claims}
    words = question.read(json.dumps(offer))
    assert (words.terms, words.claims) == ("one; two", (Claim("hm", "free"),))
    unsaid, unchecked = {**offer, "Claims": ["hm"]}, {**offer, "Claims": [{"text": "hm"}]}
    formless = {**ask, "test": "Tree 3 is fine."}
    other = {**ask, "to": "Cy"}
    for wrong in (other, {**offer, "Terms": ""}, {"Act": "DANCE"}, unsaid, unchecked, formless, {}):
        with pytest.raises(AnswerError):
            question.read(json.dumps(wrong))


def test_an_offer_is_accepted_or_refused_and_each_claim_is_believed_so_far():
    claims = (Claim("a", "free"), Claim("b", "free"))
    question = ReplyRequest(
        MOMENT, "Bo", Words("offer", "Ada", "?", "terms", claims=claims), LANGUAGE
    )
    said = question.read('{"Trust": ["80 %", 0.1], "Answer": "Accept, of course."}')
    assert (said.accepts, said.trust) == (True, (0.8, 0.1))
    said = question.read('{"Trust": [1, 0], "Answer": "I refuse, because Bo lies."}')
    assert not said.accepts
    for wrong in (
        '{"Trust": [1], "Answer": "ACCEPT"}',
        '{"Trust": [1, 2], "Answer": "ACCEPT"}',
        '{"Trust": [1, 0], "Answer": "Perhaps"}',
        '{"Trust": [1, 0], "Answer": "ACCEPT / REFUSE"}',
        '{"Trust": [1, 0], "Answer": "Accept only if Bo leaves"}',
        '{"Trust": [1, 0], "Answer": "accept nothing"}',
        '{"Trust": [1, 0], "Answer": "Accept, but only for today"}',
        '{"Trust": [1, 0], "Answer": "ACCEPT, wenn du zahlst"}',
    ):
        with pytest.raises(AnswerError):
            question.read(wrong)


# --- Votes ---------------------------------------------------------------------------------------


def test_an_assembly_changes_the_numbers_that_hold():
    proposals = {"Ada": "***Amendment1***\nDearer.\nSET last_apple_fine = 9", "Bo": "NONE",
                 "Cy": "***Amendment1***\nFree.\nSET attack_fine = 0"}  # fmt: skip
    ballots = {"Ada": "yes, no", "Bo": "yes, no", "Cy": "hm"}

    def script(request):
        return (proposals if request.role == "amendments" else ballots)[request.agent]

    noted = []

    def note(kind, agent=None, **fields):
        noted.append((kind, agent))

    voters = [Voter(name, "", "", "") for name in PEOPLE]
    law = first_constitution(BY_TREES, 3, 1, 3)
    after = asyncio.run(hold_vote(ScriptedModel(script), law, voters, note))
    assert after.parameters == {"last_apple_fine": 9, "attack_fine": 1, "ban_rounds": 3}
    assert (after.version, after.articles[-1]) == (2, "Dearer.")
    kinds = [kind for kind, _ in noted]
    assert kinds.count(events.AmendmentProposed) == kinds.count(events.AmendmentTallied) == 2
    assert [agent for kind, agent in noted if kind is events.BallotCast] == ["Ada", "Bo"]
