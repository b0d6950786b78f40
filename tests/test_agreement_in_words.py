"""Who may mean to accept without the tag is asked, once; and who only talks is not."""

from __future__ import annotations

import contextlib
import time

import pytest

from bots.models import ScriptedModel
from bots.structured import AnswerError
from judge import negotiate
from judge.message_questions import EndsThoughtError, SaysSoError
from judge.negotiation import read_move
from tests.test_acceptances import FIVE, STANDING, TERMS, contract


async def negotiated(*answers):
    """What comes of Ann's proposal and Bob's answers, each the one to a further question."""
    model = ScriptedModel(
        lambda request: answers[request.attempt] if request.agent == "Bob" else contract(FIVE)
    )
    briefings = dict.fromkeys(TERMS.players, "A game.")
    return await negotiate(model, briefings, TERMS, 2, lambda _move: None)


MEANT = [
    "I accept your proposal: I will mine only the diamonds, and you mine only the iron.",
    "I accept the deal, we should both win.",
    "I accept, not because I must, but because it is fair.",
    "I'm happy with this contract and accept it.",
    "I agree that this is fair and accept the contract as written.",
    "I have decided to accept your terms.",
    "I choose to accept.",
    "I would like to accept your contract.",
    "I'd be happy to accept this offer.",
    "Okay, I am accepting this contract.",
    "I approve this contract.",
    "I concur.",
    "I accept 5 emeralds.",
    "I accept, and I signal when I am done.",
    "Great, I accept! If anything goes wrong, signal me.",
    "You could have asked for less, but I accept.",
    "Your proposal is accepted.",
    "Consider it agreed.",
    "That's a deal.",
    "You have yourself a deal.",
    "We are in agreement.",
    "Count me in.",
    "I'll take it.",
    "Decision: accept",
    "My move: accept",
    "Sounds good, let's do it!",
    "Einverstanden.",
]
TALK = [
    "I would accept if you paid 9.",
    "I'd accept your offer for 12.",
    "I'd be happy to accept 9.",
    "If you agree, I signal first.",
    "If you pay 12 I accept.",
    "Only if you pay 15 do I accept.",
    "I accept as long as you pay 9.",
    "I want 15 before I agree.",
    "When we agree, we both gain.",
    "Unless the price is raised, it is not accepted.",
    "Do you accept?",
    "Can we agree on 9?",
    "I hope we agree soon.",
    "I propose that we agree on 9.",
    "I think you should accept.",
    "Ann, I expect you to accept.",
    "We need to agree on a price.",
    "I cannot accept this.",
    "I can't agree.",
    "I won't accept 11.",
    "I refuse to accept.",
    "I'd rather not accept.",
    "I'm not sure I agree.",
    "Nothing is agreed yet.",
    "It isn't a deal.",
    "We do not have a deal.",
    "Deal breaker: you get too much.",
    "I am in need of iron.",
]


@pytest.mark.parametrize("words", MEANT)
async def test_who_may_accept_in_a_sentence_is_asked_and_bound_by_the_tag_alone(words):
    found = await negotiated(f"[message] {words}", "[accept]")
    assert (found.agreed.text, found.moves[1].message) == (FIVE, words)


@pytest.mark.parametrize("words", TALK)
def test_talk_about_conditions_and_questions_is_no_acceptance_to_ask_about(words):
    assert read_move("Bob", f"[message] {words}", TERMS, STANDING).message == words


async def test_what_is_said_again_and_is_more_than_agreement_is_talk():
    words = "I accept the price, but the work is too much for me."
    found = await negotiated(f"[message] {words}", f"[message] {words}")
    assert (found.agreed, found.moves[1].message) == (None, words)


async def test_who_agrees_in_words_each_time_is_told_to_the_others_and_not_bound():
    found = await negotiated(*["[message] I accept."] * 3)
    assert (found.agreed, found.moves[1].message) == (None, "I accept.")


@pytest.mark.parametrize("part", ["i accept ", "if i accept ", "we would to agree "])
def test_a_flood_of_agreements_is_soon_read(part):
    said = "\n".join(["[message] If", *[part * (4_500 // len(part))] * 10])
    began = time.process_time()
    with contextlib.suppress(AnswerError):
        read_move("Bob", said, TERMS, STANDING)
    assert time.process_time() - began < 2


ENDS = "[thinking] It is a fair price.\n[accept]"


async def test_an_acceptance_that_ends_a_thought_is_asked_about_once():
    with pytest.raises(EndsThoughtError, match="thinking end"):
        read_move("Bob", ENDS, TERMS, STANDING)
    found = await negotiated(ENDS, f"{ENDS}\n")
    assert found.agreed.text == FIVE
    assert found.moves[1].thought == "It is a fair price."
    assert (await negotiated(ENDS, "[message] I want 9.")).agreed is None


@pytest.mark.parametrize(
    "said",
    [
        "[message] I refuse.\n[thinking] hm\n[accept]",
        "[thinking] I could write\n- [accept]",
        "[thinking] I could write\n    [accept]",
        "[thinking] I could write\n> [accept]",
        "[thinking] I could write\n```\n[accept]\n```",
        "[thinking] I could write\n[accept]\n[message] No.",
        "[thinking] I could write\n[accept]\nbut no.",
    ],
)
async def test_what_else_stands_within_a_thought_is_none_however_often_it_is_said(said):
    assert (await negotiated(ENDS, said, said)).agreed is None


async def test_each_question_is_asked_by_itself():
    """Who was asked about its words has not been asked about its thought."""
    with pytest.raises(EndsThoughtError):
        read_move("Bob", ENDS, TERMS, STANDING, {SaysSoError})
    assert (await negotiated("[message] I accept, I will dig.", ENDS, ENDS)).agreed is not None
