"""Amendments, ballots, tallies, and enactment."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from voxpolis.bots.models.typed import AnswerError, narrowed
from voxpolis.judge.law.constitution import (
    CHOICES,
    NUMBERS_ALONE,
    Amendment,
    Ballot,
    Change,
    Constitution,
    Election,
    Tally,
    Vote,
    ballot_type,
    choices_of,
    enact,
    sets_type,
    tally,
)

LIMITS = {"tax_rate": (0.0, 1.0)}
LAW = Constitution(("Everybody pays.",), {"tax_rate": 0.2}, LIMITS)


def change(words=None, **sets):
    return {"words": words, "sets": [{"parameter": n, "value": v} for n, v in sets.items()]}


def test_an_amendment_has_words_or_sets_numbers():
    kind = narrowed(Change, sets=sets_type(LIMITS))
    found = kind.model_validate(change("The tax is lower.", tax_rate=0.1)).amendment(1)
    assert found == Amendment(1, "The tax is lower.", {"tax_rate": 0.1})
    assert str(found) == "Amendment 1:\n> The tax is lower.\nIt sets tax_rate = 0.1."
    assert kind.model_validate(change(tax_rate=0)).amendment(2).text == NUMBERS_ALONE
    assert kind.model_validate(change("The chest is red.")).amendment(3).sets == {}
    nothing = narrowed(Change, sets=sets_type({}))
    assert nothing.model_validate(change("Be kind.")).numbers() == {}
    with pytest.raises(ValidationError):
        nothing.model_validate(change("Be kind.", tax_rate=0.1))


@pytest.mark.parametrize(
    "wrong",
    [
        change(),
        change("Text", tax_rate=1.5),
        change("Text", tax_rate=float("nan")),
        change("Text", king=1),
        {"words": "Text", "sets": 2 * change(tax_rate=0.1)["sets"]},
    ],
)
def test_invalid_amendments_are_refused(wrong):
    with pytest.raises(ValidationError):
        narrowed(Change, sets=sets_type(LIMITS)).model_validate(wrong)


def ballot(*votes):
    return Ballot(votes=[Vote(amendment=number, vote=vote) for number, vote in votes])


def test_a_ballot_has_one_vote_on_each_amendment_in_any_order():
    given = ballot((2, "no"), (1, "yes"), (3, "abstain"))
    assert choices_of(given, 3) == ("yes", "no", "abstain")
    assert ballot_type(3).model_validate(given.model_dump()).votes


@pytest.mark.parametrize(
    "votes",
    [
        [(1, "yes"), (2, "no")],
        [(1, "yes"), (2, "no"), (2, "yes")],
        [(1, "yes"), (2, "no"), (4, "no")],
    ],
)
def test_invalid_ballots_are_refused(votes):
    with pytest.raises(AnswerError, match="once on each of the amendments 1 to 3"):
        choices_of(ballot(*votes), 3)


def test_every_voter_votes_only_once_and_nonvoters_cannot_vote():
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
def test_the_tally_is_complete(ballots):
    counts = tally(ballots, 3)
    assert all(count.yes + count.no + count.abstain == len(ballots) for count in counts)
    assert [count.passed for count in counts] == [
        sum(b[k] == "yes" for b in ballots) > sum(b[k] == "no" for b in ballots) for k in range(3)
    ]


def test_passed_amendments_become_law_and_the_greatest_majority_wins():
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
