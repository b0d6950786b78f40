"""Who agrees in words, what repeats a contract, and how soon a negotiator's message is read."""

from __future__ import annotations

import contextlib
import time

import pytest

from bots.models import ScriptedModel
from bots.structured import AnswerError
from judge import negotiate
from judge.negotiation import read_move
from tests.test_acceptances import FIVE, STANDING, TERMS, contract

WORDS = [
    "Agreed. I accept your contract as it stands.",
    "I accept.",
    "Deal!",
    "I agree to your terms.",
    "Great, agreed!",
    "I will gladly accept your offer.",
    "Thank you, Ann. I am happy to accept this proposal.",
    "Yes, it's a deal.",
]


@pytest.mark.parametrize("words", WORDS)
async def test_who_accepts_in_words_is_asked_for_the_tag(words):
    """Without it the negotiation would go by all its messages, and nobody would know why."""
    asked = []

    def answer(request):
        asked.append(request.messages)
        if request.agent == "Ann":
            return contract(FIVE)
        return f"[message] {words}" + ("\n[accept]" if request.attempt else "")

    model, briefings = ScriptedModel(answer), dict.fromkeys(TERMS.players, "A game.")
    found = await negotiate(model, briefings, TERMS, 8, lambda _move: None)
    assert found.agreed.text == FIVE
    assert len(found.moves) == 2
    complaint = asked[-1][-1]["content"]
    assert "write [accept] on a line of its own after your message" in complaint
    assert "[contract end]" in complaint  # the forms of this very question


@pytest.mark.parametrize(
    "words",
    [
        "I would accept 9.",
        "I accept if you pay 9.",
        "I accept nothing below 9.",
        "I will accept 9 emeralds.",
        "I do not accept this.",
        "I agree that iron is worth more.",
        "Agreed on the iron, but not on the price.",
        "Would you accept 7?",
        "What would a fair deal be?",
    ],
)
def test_who_does_not_accept_in_words_only_talks(words):
    move = read_move("Bob", f"[message] {words}", TERMS, STANDING)
    assert (move.message, move.accepts) == (words, False)
    assert read_move("Ann", "[message] I accept.", TERMS, None).message == "I accept."


@pytest.mark.parametrize(
    "text",
    [
        FIVE.removesuffix("."),
        FIVE.replace(".\n", "\n"),
        FIVE.upper(),
        f"  {FIVE}  \n",
        f"**{FIVE}**",
        FIVE.replace("signal.", "signal!"),
        FIVE.replace("emeralds.\n", "emeralds;\n"),
    ],
)
def test_the_same_words_are_the_same_contract(text):
    move = read_move("Bob", contract(text), TERMS, STANDING)
    assert (move.accepts, move.proposal) == (True, None)


@pytest.mark.parametrize(
    "text",
    [FIVE.replace("5", "6"), FIVE.replace("5", "0.5"), FIVE.replace("5", "-5"), FIVE + " Twice."],
)
def test_other_words_are_another_contract(text):
    move = read_move("Bob", contract(text), TERMS, STANDING)
    assert not move.accepts
    assert move.proposal is not None


@pytest.mark.parametrize(
    "part",
    ["<message>", "<accept/>", "```\n", "~~~~\n", "[accept]\n", "- ", "    ", "I accept ", "<!--"],
)
def test_a_flood_is_soon_read(part):
    began = time.process_time()
    with contextlib.suppress(AnswerError):
        read_move("Bob", f"[message] x\n{part * (150_000 // len(part))}", TERMS, STANDING)
    assert time.process_time() - began < 2


LONG = 200_000
FILLS = (
    " ",
    "\t",
    ":",
    ", ",
    "*",
    "`",
    "> ",
    "[ ",
    "< ",
    "1. ",
    "- ",
    "\r",
    "\u2028",
    "a, ",
    "a. ",
    "1",
    "(1) ",
    "1e9\n",
)
PLACES = (
    "{}",
    "[{}accept",
    "<{}accept",
    "[message] a{}x\n[accept]",
    "[message] a\n[contract]\n{}\n[contract end]",
    "[message] a\n[contract]\nx\n[clauses]\n{}\n[clauses end]\n[contract end]",
    "[message] Fine.\n[accept]\n\nThanks{}",
)


@pytest.mark.parametrize("length", [10_000, 45_000, LONG])  # the second is read, just so
@pytest.mark.parametrize("fill", FILLS)
def test_a_flood_of_one_sign_is_read_at_once_wherever_it_stands(fill, length):
    """It is a negotiator's message among others': whoever reads it holds everybody up."""
    flood = fill * (length // len(fill))
    for place in PLACES:
        began = time.process_time()
        with contextlib.suppress(AnswerError):
            read_move("Bob", place.format(flood), TERMS, STANDING)
        assert time.process_time() - began < 2, (place, length)


@pytest.mark.parametrize(
    "text",
    [
        "same as before, but 12 emeralds",
        "1. Same as above.\n2. Glitch pays Gizmo 3.",
        "1. Term 1 is as before.\n2. Ann pays Bob 3.",
        "1. Ann pays Bob 3.\n2. The rest stays unchanged.",
        "Your previous proposal, with 12 emeralds.",
    ],
)
def test_a_contract_that_points_to_another_is_asked_for_whole(text):
    with pytest.raises(AnswerError, match="whole contract"):
        read_move("Bob", f"[message] x\n[contract]\n{text}\n[contract end]", TERMS, STANDING)


@pytest.mark.parametrize(
    "text",
    [
        "1. Both dig at the same time.",
        "1. The first player to dig pays Bob 2.",
        "1. The last one at the vein pays Bob 3.",
        "1. The same player never digs twice.",
    ],
)
def test_a_contract_that_is_whole_may_speak_of_the_same_and_the_first(text):
    move = read_move("Bob", f"[message] x\n[contract]\n{text}\n[contract end]", TERMS, STANDING)
    assert move.proposal.text == text
