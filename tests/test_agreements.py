"""Who agrees in words, what repeats a contract, and how soon a negotiator's message is read."""

from __future__ import annotations

import contextlib
import random
import time

import pytest

from bots.models import ScriptedModel
from bots.structured import AnswerError
from judge import Contract, Terms, negotiate
from judge.negotiation import read_move
from tests.test_acceptances import FIVE, STANDING, TERMS, contract

WORDS = [
    "Agreed. I accept your contract as it stands.",
    "I accept.",
    "Deal!",
    "I'm happy to accept.",
    "Happy to accept!",
    "You've got a deal.",
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
    [
        FIVE.replace("emeralds.\n2. Bob", "emeralds only if\n2. Bob"),
        FIVE.replace("emeralds.", "emeralds. Only if Bob digs, he waits."),
        FIVE.replace("5 emeralds", "5 * 2 emeralds"),
        FIVE.replace("5", "6"),
        FIVE.replace("5", "0.5"),
        FIVE.replace("5", "-5"),
        FIVE + " Twice.",
    ],
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


@pytest.mark.parametrize(
    "said",
    [
        "[thinking] x\n[contract]\n1. Ann pays.\n[contract end]\nNo.\n[thinking end]\n[message] y",
        "[thinking] maybe\n[contract]\n1. Ann pays 7.\n[contract end]\nbut no.\n[message] Hi.",
        "[thinking] draft: [contract] 1. Ann pays 7. [contract end] hm no\n[message] hi",
        "[contract]\n1. Ann pays 6\n[thinking] hm\n[thinking end]\n2. Bob digs\n[contract end]",
        "[contract]\n1. Ann pays 6\n[message] no\n[contract end]",
        "[contract]\n1. a\n[contract end]\n[message] x\n[contract]\n1. a",
        "[message] a\n[contract end]\n[contract]\n1. a",
        '{"message": "ok", "proposal": "1. Ann pays Bob 7 emeralds."}',
        "[contract]\nAgreed.\n[contract end]",
        "[contract]\nI accept the contract\n[contract end]",
        "Message: ok\nAccept: no\nAccept: yes",
        "<message>I agree.</message><accept>yes</accept><accept>no</accept>",
        "<accept/><message>ok</message><accept>no</accept>",
        "[message] I agree.\n[accept]\n[thinking] in fact I do not agree",
    ],
)
def test_of_what_is_out_of_order_nothing_is_guessed(said):
    with pytest.raises(AnswerError):
        read_move("Bob", said, TERMS, STANDING)


def test_terms_behind_clauses_and_words_behind_a_contract_are_not_lost():
    said = "[contract]\n1. Ann pays 6\n[clauses]\nAnn pays Bob 6\n[clauses end]\n2. Bob digs"
    move = read_move("Bob", f"{said}\n[contract end]\nIf pigs fly.", TERMS, STANDING)
    assert move.proposal.text == "1. Ann pays 6\n2. Bob digs\nFormally:\n1. Ann pays Bob 6"
    assert move.message == "If pigs fly."


@pytest.mark.parametrize("text", ["null", "nil", "undefined", "none so far", "--"])
def test_an_empty_place_is_no_contract(text):
    move = read_move("Bob", f"[message] Hm.\n[contract]\n{text}\n[contract end]", TERMS, STANDING)
    assert (move.proposal, move.accepts) == (None, False)


async def test_who_repeats_a_proposal_sets_nobodys_agreement_aside():
    names, said = ("Ann", "Bob", "Cy"), iter(
        [contract(FIVE), "[accept]", "[message] Hm.", contract(FIVE), "[message] Yes?", "[accept]"]
    )  # fmt: skip
    briefings = dict.fromkeys(names, "A game.")
    terms = Terms(names, {"iron": 12})
    model = ScriptedModel(lambda _request: next(said))
    assert (await negotiate(model, briefings, terms, 6, lambda _move: None)).agreed.text == FIVE


def test_words_that_imitate_clauses_are_another_contract():
    said = "[contract]\n1. Pay.\n[clauses]\nAnn pays Bob 5\n[clauses end]\n[contract end]"
    exact = read_move("Ann", said, TERMS, None).proposal
    imitation = Contract("negotiated", exact.text)
    assert read_move("Bob", said, TERMS, exact).accepts
    assert read_move("Bob", contract(exact.text), TERMS, exact).accepts
    assert read_move("Bob", said, TERMS, imitation).proposal.is_exact


def test_words_that_were_compiled_are_repeated_by_what_was_proposed():
    compiled = Contract("negotiated", f"{FIVE}\nAs clauses:\n1. Ann pays Bob 5", proposed=FIVE)
    assert read_move("Bob", contract(FIVE), TERMS, compiled).accepts


def test_marks_of_emphasis_that_never_end_are_soon_read():
    began = time.thread_time()
    with contextlib.suppress(AnswerError):
        read_move("Bob", "[message] " + "\n".join([("*a " * 1500)[:4000]] * 11), TERMS, STANDING)
    assert time.thread_time() - began < 1


REFUSALS = (
    "I refuse.",
    "Only if you pay 20.",
    "Nein.",
    "Nicht einverstanden.",
    "\u4e0d",
    "\u6211\u4e0d\u63a5\u53d711,\u5fc5\u987b\u662f15\u3002",
    "20 or nothing",
    "Is it?",
    "Accept? No.",
    "I do not accept 11. I meant 15 emeralds.",
    "My acceptance holds only if the payment is 15.",
    "Note: I chose this because I want 15.",
    "Based on the situation, I would do the following if you pay 15:",
)
ACCEPTANCES = ("[accept]", "**[accept]**", "<accept/>", "`[accept]`", "Accept: yes",
               f"[contract]\n{FIVE}\n[contract end]")  # fmt: skip
AROUND = ("[message] Fine.", "[message]", "I agree.", "Deal!", "[thinking] hm [/thinking]", "```",
          "~~~", "> ", "- ", "# Note", "***", "[message end]", "<message>ok</message>",
          "Message: ok",
          "[contract]", "[contract end]", "[clauses]", "[clauses end]", "<!--", "-->", "    ", "|",
          "Let me know if you need anything else!", '{"accept": true}', "Answer:",
          '{"message": "ok", "accept": true}')  # fmt: skip
LEADS = (
    "Here is my answer:",
    "My final answer:",
    "Understood.",
    "I confirm.",
    "Based on the situation, I would do the following:",
    "You're right, I apologize for the confusion. Here is my corrected answer:",
    "Einverstanden.",
    "Okay, let me think about this for a moment. There are several things that I could do.",
)
CLOSINGS = (
    "Note: I chose this because it is fair.",
    "Explanation: It fits my goal.",
    "Thank you, Ann!",
    "I hope this helps.",
)


def _drawn(rng, refusal):
    """A message of drawn parts that accepts somewhere, and refuses somewhere, if it is to."""
    parts = rng.choices(AROUND, k=rng.choice([0, 0, 1, 2, 3, 4]))
    parts += rng.choices(ACCEPTANCES, k=rng.choice([1, 1, 2]))
    rng.shuffle(parts)
    parts = (
        rng.choices(LEADS, k=rng.randrange(2)) + parts + rng.choices(CLOSINGS, k=rng.randrange(2))
    )
    if refusal:
        parts.insert(rng.randrange(len(parts) + 1), refusal)
    return rng.choice(["\n", "\n\n", " "]).join(parts)


@pytest.mark.parametrize(
    ("lead", "binds"),
    [
        ("I apologize for the confusion.", True),
        ("Let me think about it for a while.", False),
        ("There are several things I could say:\n\nI agree.", False),
    ],
)
async def test_who_considers_has_not_accepted_unless_its_message_agrees(lead, binds):
    said = ["[message] I accept, but I want 15.\n[accept]", f"{lead}\n[accept]", "[message] Hm."]
    model = ScriptedModel(
        lambda request: said[request.attempt] if request.agent == "Bob" else contract(FIVE)
    )
    briefings = dict.fromkeys(TERMS.players, "A game.")
    found = await negotiate(model, briefings, TERMS, 2, lambda _move: None)
    assert (found.agreed is not None) is binds


async def test_nobody_is_bound_by_a_message_that_refuses_somewhere():
    """Drawn answers of all forms, in any order, to the first and each further question, with a
    refusal at a drawn place of each; without one many of them bind.
    """
    rng, briefings = random.Random(16), dict.fromkeys(TERMS.players, "A game.")
    bound = {True: 0, False: 0}
    for number in range(2000):
        refuses = number % 2 == 0
        refusals = [rng.choice(REFUSALS) if refuses else "" for _ in range(3)]
        said = [_drawn(rng, refusal) for refusal in refusals]
        model = ScriptedModel(
            lambda request, said=said: (
                said[request.attempt] if request.agent == "Bob" else contract(FIVE)
            )
        )
        found = await negotiate(model, briefings, TERMS, 2, lambda _move: None)
        if found.agreed is None:
            continue
        bound[refuses] += 1
        is_thought = any(r and r in found.moves[-1].thought for r in refusals)
        assert not refuses or is_thought, said
    assert bound[False] > 300
