"""Amendments, ballots, the count, and what becomes law."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bots.structured import AnswerError
from judge.ballots import read_ballot
from judge.constitution import (
    CHOICES,
    Amendment,
    Constitution,
    Election,
    Tally,
    enact,
    read_amendments,
    tally,
)

LIMITS = {"tax_rate": (0.0, 1.0)}
LAW = Constitution(("Everybody pays.",), {"tax_rate": 0.2}, LIMITS)


def test_amendments_are_read_as_they_were_written():
    answer = (
        "Here they are.\n***Amendment1***\nThe tax is lower.\nSET tax_rate = 0.1\n\n"
        "*** amendment 2 ***\nThe chest is painted red.\n"
    )
    first, second = read_amendments(answer, LIMITS)
    assert (first.number, first.text, first.sets) == (1, "The tax is lower.", {"tax_rate": 0.1})
    assert (second.number, second.text, second.sets) == (2, "The chest is painted red.", {})
    assert read_amendments(f"{first}\n{second}", LIMITS) == [first, second]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("Lower the tax to 10 %.", "no line"),
        ("***Amendment1***\n\n***Amendment2***\nText", "is empty"),
        ("***Amendment1***\nText\nSET tax_rate = 1.5", "must be from 0 to 1"),
        ("***Amendment1***\nText\nSET tax_rate = -1", "must be from 0 to 1"),
        ("***Amendment1***\nText\nSET king = 1", "what can be set: tax_rate"),
        ("", "no line"),
    ],
)
def test_an_amendment_that_cannot_be_law_is_refused(answer, told):
    with pytest.raises(AnswerError, match=told):
        read_amendments(answer, LIMITS)


@pytest.mark.parametrize(
    "answer", ["yes, no, abstain", "YES no\nabstain.", "1. yes 2. no 3. abstain"]
)
def test_ballots_are_read(answer):
    assert read_ballot(answer, 3) == ("yes", "no", "abstain")


@pytest.mark.parametrize(
    "answer", ["yes, no", "yes, no, no, no", "yes, maybe, no", "I vote yes, no, no", ""]
)
def test_a_ballot_is_strict(answer):
    with pytest.raises(AnswerError, match="3 times"):
        read_ballot(answer, 3)


@pytest.mark.parametrize("answer", ["yes to both", "Yes on both amendments.", "Both: yes"])
def test_both_are_two(answer):
    assert read_ballot(answer, 2) == ("yes", "yes")
    with pytest.raises(AnswerError, match="a ballot is once yes"):
        read_ballot(answer, 1)


def test_everybody_votes_once_and_only_voters_do():
    election = Election([Amendment(1, "A")], ["Ada", "Ben"])
    election.cast("Ada", ["yes"])
    with pytest.raises(ValueError, match="has voted already"):
        election.cast("Ada", ["no"])
    with pytest.raises(ValueError, match="has no vote"):
        election.cast("Voice1", ["no"])
    with pytest.raises(ValueError, match="choices"):
        election.cast("Ben", ["no", "no"])
    assert election.tally() == [Tally(1, 1, 0, 0)]
    assert election.tally()[0].passed


@given(st.lists(st.tuples(*[st.sampled_from(CHOICES)] * 3)))
def test_the_count_is_complete(ballots):
    counts = tally(ballots, 3)
    assert all(count.yes + count.no + count.abstain == len(ballots) for count in counts)
    assert [count.passed for count in counts] == [
        sum(b[k] == "yes" for b in ballots) > sum(b[k] == "no" for b in ballots) for k in range(3)
    ]


def test_what_passed_becomes_law_and_the_greatest_majority_holds():
    amendments = [
        Amendment(1, "Ten.", {"tax_rate": 0.1}),
        Amendment(2, "Five.", {"tax_rate": 0.05}),
        Amendment(3, "Thirty.", {"tax_rate": 0.3}),
    ]
    counts = [Tally(1, 9, 1, 0), Tally(2, 6, 4, 0), Tally(3, 4, 6, 0)]
    law = enact(LAW, amendments, counts)
    assert law.parameters == {"tax_rate": 0.1}
    assert law.articles == ("Everybody pays.", "Ten.", "Five.")
    assert law.version == 2
    tied = [Tally(1, 5, 5, 0), Tally(2, 5, 5, 0), Tally(3, 4, 6, 0)]
    assert enact(LAW, amendments, tied) is LAW
    equal = [Tally(1, 6, 4, 0), Tally(2, 6, 4, 0), Tally(3, 0, 0, 10)]
    assert enact(LAW, amendments, equal).parameters == {"tax_rate": 0.1}
