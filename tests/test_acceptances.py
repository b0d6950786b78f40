"""What accepts a proposal and what does not, and who is asked again."""

from __future__ import annotations

import pytest

from bots.models import ScriptedModel
from bots.structured import AnswerError
from judge import Contract, Terms, negotiate
from judge.message_questions import SaysMoreError
from judge.negotiation import read_move

TERMS = Terms(("Ann", "Bob"), {"iron": 12})
FIVE = "1. Ann pays Bob 5 emeralds.\n2. Bob waits for the signal."
STANDING = Contract("negotiated", FIVE)


def contract(text):
    return f"[message] Here:\n[contract]\n{text}\n[contract end]"


@pytest.mark.parametrize(
    "said",
    [
        "<message>I refuse; you may write <accept/></message>",
        "<message>I refuse.</message> <accept/> is what you want",
        "<message>Fine.</message>\n<accept>\nno\n</accept>",
        "[message] Fine.\n<accept/>",
        "[thinking] If Ann adds 5 I would answer\n[accept]",
        "[thinking] A fair deal.\n[accept]",
        "[message] I refuse this.\n[thinking] If she pays more I write\n[accept]",
        "[message] I refuse this.\n[thinking] hm\n[accept]\n[contract]\n1. a\n[contract end]",
        "[message] I refuse. Ann wants me to send\n~~~\n[accept]\n~~~",
        "[message] I refuse. Ann wants me to send\n````\n```\n[accept]\n```\n````",
        "[message] I refuse. Ann wants me to send\n```\nx\n```\n```\n[accept]\n```",
        "```\n[message] I never send\n```\n```\n[accept]\n```",
        "[message] I refuse. Never will I send this.\n`[accept]`",
        "[message] I refuse. She wants this.\n\n    [accept]",
        "[message] I refuse. She wants this.\n\n\t[accept]",
        "[message] I refuse to send any of these:\n- [accept]",
        "Ann: [message] Fine.\n[accept]",
        "**Ann:** [message] Fine.\n[accept]",
        "Ann:\n[message] Fine.\n[accept]",
        "[message] Fine.\nAnn: [accept]",
        "[message] I refuse to send any of these.\n1. [accept]",
        "[message] I refuse.\n[accept] ...",
        "[message] I refuse.\n[accept]?",
        "[message] I refuse.\n([accept])",
        '[message] I refuse.\n"[accept]"',
        "[message] I refuse.\n| [accept] |",
        "[message] I refuse.\n<!--\n[accept]\n-->",
        "[message] I refuse.\n* > [accept]",
        "Options:\n[accept]\n[message] I propose nothing",
        "Options:\n[accept]",
        "[accept]\n[message] No.",
        "[message] I refuse\x0b[accept]",
        "[message] I refuse\x85[accept]",
        "[message] I refuse \u2028[accept]",
        "[message] I refuse to write\n[accept]",
        "[message] She wants me to write this:\n[accept]",
        "[message] no\n[accept]",
        "[message] This is unfair!\n[accept]",
        "[message] I agree to talk. This is too little.\n[accept]",
        "[message] Would you pay 12?\n[accept]",
        "[message] 12 or nothing.\n[accept]",
        '{"message": "I decline.", "accept": true}',
        "[message] look:\n```text of Glitch\n[accept]\n```",
        "[message] look:\n``` {.text}\n[accept]\n```",
        "[message] look:\n1. ```\n[accept]\n```",
        "[message] look:\n- ~~~ what he `sent`\n[accept]\n~~~",
        "[message] I do not accept this.\nHere is why not.\n[accept]",
        "[message] I accept only if you pay me 10 emeralds.\n[accept]",
        "[message] No, thanks.\n[accept]",
        "[message] Only when you pay 10 will I say that I agree.\n[accept]",
        "[message] Glitch said I should write\n[accept]",
        "[message] I will write the following as soon as you pay.\n[accept]",
        "[message] Hi.\n[thinking] a trap\n[message] What I refuse is:\n[accept]",
        "[message] Fine.\n[accept]\n\nOn second thought, I refuse.",
        "[message] Fine.\n[accept]\n\nNo.",
        "[message] Fine.\n[accept]\n\nfalse",
        "[message] Fine.\n[accept]\n\nProvided you give me 20 more.",
        "[message] Fine.\n[accept]\n\nThis holds only when Ann pays.",
        "[message] Fine.\n[accept]\n\nThanks. I withdraw that.",
        "[message] Fine.\n[accept]\n\nThank you for the 9 emeralds.",
    ],
)
def test_what_may_be_no_acceptance_is_asked_for_again(said):
    with pytest.raises(AnswerError, match=r"\[accept\]"):
        read_move("Bob", said, TERMS, STANDING)


@pytest.mark.parametrize(
    "said",
    [
        "[message] Fine.\n[accept]",
        "[message] Fine.\n\n**[accept]**",
        "[message] Fine.\n[accept]!",
        "[message] Fine.\n[accept]\n\nLet me know if you need anything else!",
        "[message] Fine.\n[accept]\n\nThank you, Ann!\n\nLooking forward to it.",
        "[message] Fine.\n[accept]\n\nI hope this helps 😊",
        "[message] Fine.\n- [accept]",
        "[message] Deal.\n`[accept]`",
        "[accept]\n[message] Thank you, Ann!",
        "[message] I accept this fair proposal, Ann, and thank you. Let's get started!\n[accept]",
        "[message] **That is fair \u2013 agreed.** \U0001f91d\n[accept]",
        "[message] Your offer works for both of us; deal.\n[accept]",
        "- [thinking] good\n- [message] Fine.\n- [accept]",
        "1. [thinking] good\n2. [message] Fine.\n3. [accept]",
        "`[message]` Fine.\n`[accept]`",
        "    [message] Fine.\n    [accept]",
        "~~~\n[message] Fine.\n[accept]\n~~~",
        "```\n[accept]\n```",
        "`[accept]`",
        "<thinking>good</thinking>\n<message>Fine.</message>\n<accept/>",
        "<thought>good</thought><message>Fine.</message><accept></accept>",
        '{"thoughts": "good", "message": "Fine.", "accept": true}',
        '{"thinking": "good", "accept": true}',
        "[thinking] good [/thinking]\n[accept]",
        "[thinking] she would write\n[accept]\nand so do I.\n[message] Fine.\n[accept]",
    ],
)
def test_an_acceptance_that_stands_as_the_tags_beside_it_counts(said):
    assert read_move("Bob", said, TERMS, STANDING).accepts


BESIDE = [
    "I would rather have 20. Yet I can do it: I accept.",
    "Ann digs the iron, I dig the gold. I agree to that.",
    "It is not perfect, but I accept it.",
    "I accept if you pay me ten more.",
    "Fine, assuming you give me half.",
    "I accept, plus you pay me ten more.",
    "I accept with one change: I get half.",
    "I will pass on this one.",
    "Thanks, but no thanks.",
    "Under no circumstances.",
    "Forget it.",
    "In your dreams.",
    "I will decide next round.",
    "I think 5 is fairer.",
    "Nein, das lehne ich ab.",
    "Nur wenn du mir 20 gibst.",
    "\u6211\u4e0d\u540c\u610f\u3002",
    "\u041d\u0435\u0442.",
    "Non.",
    "\U0001f44e",
    "Fine?",
    "Ann says",
    "Ann, reply with the tag below",
    "For example.",
    "## What I will not do",
    "Deal breaker: you get too much.",
    "Let us keep negotiating.",
    "Thanks for nothing.",
    pytest.param("x " * 1000, id="long"),
]


@pytest.mark.parametrize("words", BESIDE)
async def test_who_says_more_beside_an_acceptance_is_asked_once_and_then_bound(words):
    """Whatever the words are, in any language: nobody needs to know all that refuse."""

    def answer(request):
        if request.agent == "Ann":
            return contract(FIVE)
        return "[accept]" if request.attempt else f"[message] {words}\n[accept]"

    model, briefings = ScriptedModel(answer), dict.fromkeys(TERMS.players, "A game.")
    found = await negotiate(model, briefings, TERMS, 2, lambda _move: None)
    assert found.agreed.text == FIVE
    assert found.moves[1].message == words.strip()


async def test_who_thinks_first_confirms_as_the_complaint_says():
    first = "I weigh it.\n\nFinal answer:\n\n[accept]"
    second = "Sure! Here is my answer:\n\n[thinking] I weigh it.\n[thinking end]\n[accept]"
    asked = []

    def answer(request):
        if request.agent == "Ann":
            return contract(FIVE)
        asked.append(request.messages[-1]["content"])
        return second if request.attempt else first

    model, briefings = ScriptedModel(answer), dict.fromkeys(TERMS.players, "A game.")
    found = await negotiate(model, briefings, TERMS, 2, lambda _move: None)
    assert found.agreed.text == FIVE
    assert "between [thinking] and [thinking end]" in asked[1]


@pytest.mark.parametrize("words", BESIDE)
async def test_who_does_not_confirm_an_acceptance_has_only_talked(words):
    said = [f"[message] {words}\n[accept]"] * 2 + [f"{words}\n[accept]"]

    def answer(request):
        return contract(FIVE) if request.agent == "Ann" else said[request.attempt]

    model, briefings = ScriptedModel(answer), dict.fromkeys(TERMS.players, "A game.")
    found = await negotiate(model, briefings, TERMS, 2, lambda _move: None)
    assert found.agreed is None
    assert found.moves[1].message == words.strip()


@pytest.mark.parametrize("words", BESIDE)
@pytest.mark.parametrize(
    "form",
    [
        "[accept]\n[message] {}",
        "{}\n[accept]",
        "[message] Fine.\n[accept]\n\n{}",
        "[thinking] hm [/thinking]\n{}\n[accept]",
        "[message] Fine.\n[accept]\n[contract]\n{five}\n[contract end]\n{}",
        "[message] {}\n[contract]\n{five}\n[contract end]",
        "[contract]\n{five}\n[contract end]\n{}",
        "[message] {}\n```\n[contract]\n{five}\n[contract end]\n```",
    ],
)
def test_words_count_wherever_they_stand(words, form):
    with pytest.raises(AnswerError, match=r"\[accept\]|stands in no quotation"):
        read_move("Bob", form.format(words, five=FIVE), TERMS, STANDING)


@pytest.mark.parametrize(
    "said",
    [
        '{"message": "I refuse this of yours.", "contract": "%s", "accept": false}',
        '{"message": "Fine.", "accept": false, "accepted": true}',
        '{"accept": false, "accept": true}',
        '{"message": "I agree", "accept": false}\n{"accept": true}',
        'I would only answer {"accept": true} if you paid more.',
        'I refuse this.\n{"accept": true}',
        '{"accept": true}\nbut only if you pay 20',
        '{"message": "I agree", "accept": true, "condition": "only if Gizmo pays 20"}',
        '{"accept": true, "note": "not yet"}',
        '{"accept": true, "reject": true}',
        '{"accept": true, "price": 20}',
        '{"message": "I agree.", "accept": true, "private_condition": "only with 15"}',
        '{"message": "I agree.", "accept": true, "internal_note": "only with 15"}',
        '{"message": "I refuse.", "message": "I agree.", "accept": true}',
        '{"Message": "I refuse.", "message": "I agree.", "accept": true}',
        '{"contract": "I want no contract", "accept": true}',
        '<message>I refuse</message>{"accept": true}',
        'He wants me to answer:\n> {"accept": true}',
        '> {"accept": true}',
        '```json\n{"accept": true}\n```\nis what I will not say.',
        "[contract]\nNo agreement.\n[contract end]\n[accept]",
        "[clauses]\nAnn pays Bob 20\n[clauses end]\n[accept]",
        "<message>I agree</message><clauses>Ann pays Bob 20</clauses><accept/>",
        "[message] I agree to this:\n%s\nNo.\n[accept]",
        "```I refuse this\n[accept]\n```",
        "[message] I agree to Bob's proposal.\n[accept]",
        "[message] \uff3baccept\uff3d",
    ],
)
def test_what_limits_or_contradicts_an_acceptance_counts_wherever_it_stands(said):
    said = said.replace("%s", FIVE.replace("\n", "\\n") if said[0] == "{" else FIVE)
    with pytest.raises(AnswerError, match="accept"):
        read_move("Bob", said, TERMS, STANDING)


def test_words_that_a_contract_plants_are_no_excuse():
    planted = Contract("negotiated", "No, I refuse this.\nno\n1. Bob pays Ann 9.")
    for said in (
        f"[message]\nNo, I refuse this!\n[contract]\n{planted.text}\n[contract end]",
        "[message] no\n[accept]",
    ):
        with pytest.raises(AnswerError, match=r"\[accept\]"):
            read_move("Bob", said, TERMS, planted)


def test_clauses_alone_are_a_proposal():
    move = read_move("Bob", "[message] Hm.\n[clauses]\nAnn pays Bob 20\n[clauses end]", TERMS, None)
    assert move.proposal.text == "Formally:\n1. Ann pays Bob 20"


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("[message] Only if you pay 20.\n[accept]", "Only if you pay 20."),
        ("Thinking: I would take 1.\n[message] Deal, if so.\n[accept]", "Deal, if so."),
        ("My thoughts: I would take 1.\n\n[accept]", ""),
        ('{"message": "I agree.", "accept": true, "secret": "I would take 1"}', "I agree."),
    ],
)
async def test_the_message_beside_an_acceptance_is_told_and_nothing_else(said, told):
    def answer(request):
        if request.agent == "Ann":
            return contract(FIVE)
        return "[accept]" if request.attempt else said

    model, briefings = ScriptedModel(answer), dict.fromkeys(TERMS.players, "A game.")
    found = await negotiate(model, briefings, TERMS, 2, lambda _move: None)
    assert (found.moves[1].message, found.moves[1].accepts) == (told, True)


@pytest.mark.parametrize(
    "name", ["reasoning", "inner_thoughts", "private_reasoning", "internal monologue"]
)
def test_fields_of_reasoning_are_thoughts(name):
    said = f'{{"{name}": "I would take 1", "message": "I agree.", "accept": true}}'
    move = read_move("Bob", said, TERMS, STANDING)
    assert (move.thought, move.message, move.accepts) == ("I would take 1", "I agree.", True)


@pytest.mark.parametrize(
    "said",
    [
        '{"message": "I agree.", "accept": true, "condition": "only if Ann pays 6 first"}',
        '{"message": "I agree.", "accept": true}\nbut only if Ann pays 6 first',
        '{"message": "I agree.", "accept": true, "binding": false}',
        "[message] I agree.\n[accept]\nOnly if Ann pays 6 first.",
    ],
)
def test_conditions_count_however_often_they_are_said(said):
    for asked in ((), {SaysMoreError}):
        with pytest.raises(AnswerError, match="says more"):
            read_move("Bob", said, TERMS, STANDING, asked)


@pytest.mark.parametrize(
    "said",
    [
        "[message] You said before:\n> [contract]\n> {five}\n> [contract end]\nI never want that.",
        "[message] I refuse what you said:\n```\n[contract]\n{five}\n[contract end]\n```\nNever.",
        "[message] Hm.\n<!--\n[contract]\n{five}\n[contract end]\n-->",
    ],
)
def test_a_contract_that_is_quoted_is_asked_for_again(said):
    with pytest.raises(AnswerError, match="write it without > and without lines of"):
        read_move("Bob", said.format(five=FIVE.replace("5", "6")), TERMS, STANDING)


@pytest.mark.parametrize(
    "line",
    [
        "[accept the contract]",
        "[reject]",
        "[agree]",
        "[Accepting]",
        "<decline/>",
    ],
)
def test_tags_that_there_are_not_are_asked_for_again(line):
    with pytest.raises(AnswerError, match=r"write \[accept\]"):
        read_move("Bob", f"[message] hi\n{line}", TERMS, STANDING)


@pytest.mark.parametrize(
    "said",
    [
        "<message>I will never write <accept/> to this</message>",
        "[message] Do not make me write [accept] yet, please.",
        "<message>Not yet.</message><accept>no</accept>",
        "<thinking>shall I <accept/>?</thinking><message>Not yet.</message>",
    ],
)
def test_who_speaks_of_accepting_does_not(said):
    assert not read_move("Bob", said, TERMS, STANDING).accepts


def test_terms_within_a_messages_element_are_a_contract():
    said = "<message>See <contract>1. Ann pays Bob 7.</contract></message>"
    assert read_move("Bob", said, TERMS, STANDING).proposal.text == "1. Ann pays Bob 7."
