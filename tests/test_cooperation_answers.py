"""What is said between agents that cooperate, and how they vote."""

from __future__ import annotations

import asyncio
import json

import pytest

from bots.agents.cooperation.exchanges import ReplyRequest, SpeakRequest, Words
from bots.agents.cooperation.wording import Claim
from bots.models import ScriptedModel
from bots.structured import AnswerError
from judge.assembly import ProposalRequest, Voter, hold_vote
from judge.assembly_words import BY_CONSENT
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
    said = question.read('{"Trust": [1, 0], "Answer": "I refuse."}')
    assert not said.accepts
    for wrong in (
        '{"Trust": [1], "Answer": "ACCEPT"}',
        '{"Trust": [1, 2], "Answer": "ACCEPT"}',
        '{"Trust": [1, 0], "Answer": "Perhaps"}',
        '{"Trust": [1, 0], "Answer": "ACCEPT, given that Bo pays"}',
        '{"Trust": [1, 0], "Answer": "ACCEPT because Bo pays me 5"}',
        '{"Trust": [1, 0], "Answer": "ACCEPT as I want peace until round 10"}',
        '{"Trust": [1, 0], "Answer": "ACCEPT", "Why": "only if Bo pays"}',
        '{"Trust": [1, 0], "Answer": "ACCEPT / REFUSE"}',
        '{"Trust": [1, 0], "Answer": "Accept only if Bo leaves"}',
        '{"Trust": [1, 0], "Answer": "accept nothing"}',
        '{"Trust": [1, 0], "Answer": "Accept, but only for today"}',
        '{"Trust": [1, 0], "Answer": "ACCEPT, wenn du zahlst"}',
    ):
        with pytest.raises(AnswerError):
            question.read(wrong)


# --- Votes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "told"),
    [
        # what code carries out is changed by SET, and by nothing else
        ("Article 3 is repealed: attacks are free.", "SET attack_fine = 0"),
        ("El art\u00edculo 3 queda derogado.", "SET attack_fine = 0"),
        ("Article 2 is repealed.", "leave article 2 out"),
        ("Fines are abolished.", "SET last_apple_fine = 0"),
        ("last_apple_fine is 12.", "leave last_apple_fine out"),
        # words that say other numbers than SET, or another thing
        ("The fine for attacks is lowered to 2.\nSET last_apple_fine = 2", "SET attack_fine"),
        ("The fine stays as it is.\nSET attack_fine = 9", "write 9"),
        ("The fine is 3.\nSET attack_fine = 8", "write 8"),
        ("Lower the fine.\nSET attack_fine = 8", "write 8"),
        ("The fine is 7 from round 20 on.\nSET last_apple_fine = 7", "say 20"),
        ("Article 1 is repealed.\nSET last_apple_fine = 4", "write 4"),
    ],
)
def test_words_that_would_change_what_is_carried_out_are_asked_for_again(said, told):
    law = first_constitution(BY_TREES, 3, 1, 3)
    with pytest.raises(AnswerError, match=told):
        ProposalRequest(Voter("Ada", "", "", ""), law).read(f"***Amendment1***\n{said}")


@pytest.mark.parametrize(
    "said",
    [
        "Nobody eats from tree 3 until round 20.",
        "Everybody tells the others which trees are dead.",
        "Raise the fine for last apples, so that trees live.\nSET last_apple_fine = 8",
        "The penalty for the last apple goes from 3 to 8.\nSET last_apple_fine = 8",
        "Article 1: who takes the last apple pays eight.\nSET last_apple_fine = 8",
        "Attacks are free.\nSET attack_fine = 0",
    ],
)
def test_other_words_stand_in_the_law_as_words(said):
    law = first_constitution(BY_TREES, 3, 1, 3)
    question = ProposalRequest(Voter("Ada", "", "", ""), law)
    (one,) = question.read(f"***Amendment1***\n{said}")
    assert one.text == f"{said.partition(chr(10))[0]} {BY_CONSENT}"


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
    assert (after.version, after.articles[-1]) == (2, f"Dearer. {BY_CONSENT}")
    kinds = [kind for kind, _ in noted]
    assert kinds.count(events.AmendmentProposed) == kinds.count(events.AmendmentTallied) == 2
    assert [agent for kind, agent in noted if kind is events.BallotCast] == ["Ada", "Bo"]
