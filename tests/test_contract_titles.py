"""A contract under another name than the tag's is asked for, and never silently talk."""

from __future__ import annotations

import time

import pytest

from bots.structured import AnswerError
from judge.negotiation import read_move
from tests.test_acceptances import STANDING, TERMS

PAYS = "1. Ann pays Bob 15 emeralds."


@pytest.mark.parametrize(
    "title",
    [
        "[proposal]",
        "[offer]",
        "[Counter-Proposal]",
        "[contract start]",
        "[start of contract]",
        "[contract: v2]",
        "[new contract]",
        "[terms]",
        "<proposal>",
        "<contract>",
        "**[proposal]**",
        "**Proposed contract:**",
        "**Counter-proposal:**",
        "**Counter-proposal**:",
        "__My offer__",
        "### Revised contract",
        "## Terms of the contract",
        "# Contract v2",
        "**Ann's proposal**",
        "=== CONTRACT ===",
        "--- Proposal ---",
        "Contract:",
        "- My proposal:",
        "Contract terms:",
    ],
)
def test_a_title_that_is_no_tag_is_asked_about(title):
    for said in (
        f"[message] I would rather have this.\n{title}\n{PAYS}",
        f"[message] {title}\n{PAYS}",
        f"[message] Fine.\n[accept]\n{title}\n{PAYS}",
        f"[message] This?\n{title}",
    ):
        for standing in (None, STANDING):
            with pytest.raises(AnswerError, match=r"\[contract|no proposal"):
                read_move("Bob", said, TERMS, standing)


@pytest.mark.parametrize(
    "said",
    [
        f"[message] This?\n{PAYS}\n[contract end]",
        f"[message] This?\n[proposal]\n{PAYS}\n[proposal end]",
        f"[thinking] Hm. {PAYS}\n[contract end]",
        "[message] This?\nAnn pays Bob 15\n[clauses end]",
        f"[message] This?\nProposed contract: {PAYS}",
        f"<message>This?</message><proposal>{PAYS}</proposal>",
    ],
)
def test_what_begins_or_ends_no_contract_is_asked_about(said):
    with pytest.raises(AnswerError, match=r"\bcontract\b"):
        read_move("Bob", said, TERMS, STANDING)


@pytest.mark.parametrize(
    "field",
    ["contract_terms", "newContract", "counterProposal", "terms_of_contract", "offer", "new deal"],
)
def test_a_field_that_is_called_otherwise_is_asked_about(field):
    with pytest.raises(AnswerError, match='field "contract", not in'):
        read_move("Bob", f'{{"message": "So", "{field}": "{PAYS}"}}', TERMS, STANDING)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ('"action": "propose", "details": "Ann pays Bob 15."', 'field "contract"'),
        ('"action": "accept"', '"accept": true'),
        ('"decision": "I accept the proposal"', '"accept": true'),
        ('"accept_contract": true', '"accept": true'),
        ('"proposal_accepted": "yes"', '"accept": true'),
    ],
)
def test_a_field_of_what_is_done_is_asked_about(fields, says):
    with pytest.raises(AnswerError, match=says):
        read_move("Bob", f'{{"message": "So", {fields}}}', TERMS, STANDING)


@pytest.mark.parametrize(
    "said",
    [
        f"### My proposal\n[message] This?\n[contract]\n{PAYS}\n[contract end]",
        f"[message] Here is my offer.\n**My proposal:**\n[contract]\n{PAYS}\n[contract end]",
        f"[message] This?\n[contract]\n**Terms:**\n{PAYS}\n[contract end]",
        f"[message] This?\n[contract]\n{PAYS}\n[contract end]\n[/contract]",
        f'{{"message": "This?", "action": "propose", "contract": "{PAYS}"}}',
    ],
)
def test_a_title_beside_the_tag_is_no_matter(said):
    assert PAYS in read_move("Bob", said, TERMS, STANDING).proposal.text


@pytest.mark.parametrize(
    "words",
    [
        "My offer is 9 emeralds.",
        "I like the terms.",
        "The proposal is too low.",
        "A new proposal, please: more iron.",
    ],
)
def test_words_about_contracts_are_talk(words):
    assert read_move("Bob", f"[message] {words}", TERMS, STANDING).message == words


@pytest.mark.parametrize(
    "line",
    ["new " * 1200, "contract " * 500, "[" + "new_" * 1200, "Ann's " * 800, "<proposal " * 450],
)
def test_a_flood_of_titles_is_soon_read(line):
    began = time.process_time()
    said = "\n".join(["[message] x", *[line] * 10])
    assert read_move("Bob", said, TERMS, STANDING).message
    assert time.process_time() - began < 2
