"""Claims about what does not exist: asked for again in words, then failed; never true."""

from __future__ import annotations

import pytest

from bots.models import AccountedModel
from bots.models.accounted import Account
from bots.structured import AnswerError, NotThereError
from judge.acts import Act, ActClaims, ActHistory
from judge.claims import check_there
from records import events
from scenarios.commons.persons import Person
from scenarios.double_vein.cooperation import IRON
from tests.cooperating import Mixed, of, played
from tests.test_commons_river_cooperation import history as river_history
from tests.test_cooperation_rules import LONELY, PEOPLE, eaten, ended, history
from worlds.commons.claims import BY_TREES, read_claim
from worlds.commons.river_claims import BY_RIVER


class Heard:
    """A model with what was complained of its answers."""

    def __init__(self, model):
        self.model, self.complaints = model, []

    async def complete(self, request):
        self.complaints += [one["content"] for one in request.messages if one["role"] == "user"][1:]
        return await self.model.complete(request)


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("tree 99 has no apple", "there is no tree 99"),
        ("apple grows at [9999, 1] within 10 hours", "outside the map"),
        ("Zed attacks when apples_seen == 0", "nobody of that name plays; there are Juan, "),
    ],
)
def test_claims_about_what_does_not_exist_are_asked_for_again_and_then_failed(claim, told):
    said = {
        "induce": {"Hypotheses": [{"text": claim, "test": claim}]},
        "predict": {"Predictions": [{"test": claim, "probability": 1}]},
        "speak": {"Act": "ASK", "Message": "?", "Test": "free"},
        "reply": {"Answer": "It is so.", "Trust": [], "Claims": [{"text": "?", "test": claim}]},
    }
    asked, heard = [], []

    def model(own):
        heard.append(Heard(Mixed(own, said)))
        asked.append(AccountedModel(heard[0], Account()))
        return asked[0]

    people = dict.fromkeys(("Juan", "Laura", "Pedro"), Person("sparing"))
    settings = {"rounds": 3, "understand_every": 1, "hearing": 40}
    run, _ = played(people, condition="full", model=model, **settings)
    assert len(of(run, events.RoundEnded)) == 3
    for kind in (events.HypothesisMade, events.PredictionMade, events.ClaimChecked):
        assert of(run, kind) == []
    assert {one.role for one in asked[0].pending} == {"induce", "predict", "reply"}
    assert heard[0].complaints
    assert all("That cannot be used" in one and told in one for one in heard[0].complaints)


@pytest.mark.parametrize(
    ("language", "happened", "claim"),
    [
        *(
            (BY_TREES, history(), claim)
            for claim in (
                "tree 3 has apples",
                "tree 99999 has no apple",
                "apple grows at [0, 0] within 10 hours",
                "after 1 apples eaten within 99 of [0, 5] in 9 hours -> grass gone",
                "Zed takes last apple",
                "apple grows at [6, 10] within 10 hours",
                "place with 2 apples within 2 -> grass stays",
                "place with 2 or more apples within 2 -> apple grows within 9 hours",
                "after 0 apples eaten within 2 of [1, 1] in 9 hours -> grass gone",
                "after 13 apples eaten within 2 of [1, 1] in 5 hours -> grass gone",
                "after 1 apples eaten within 2 of [6, 9] in 5 hours -> grass gone",
            )
        ),
        *(
            (BY_RIVER, river_history(), claim)
            for claim in (
                "river is less than 101 % dirty",
                "river is 0 % dirty or more",
                "river with 101 % dirty or more -> no apple grows within 5 hours",
                "apple grows at [9999, 1] within 10 hours",
                "Zed cleans within 3 rounds",
            )
        ),
        *(
            (ActClaims((IRON,)), ActHistory(), claim)
            for claim in (
                "Zed digs at least 3 iron",
                "Ada digs at least 0 iron",
                "last round: Ada digs at least 0 iron",
                "Ada digs at least 1 iron -> Bo digs at least 0 iron",
                "Ada digs at most 12 iron",
                "everyone together digs at least 13 iron",
            )
        ),
    ],
)
def test_claims_about_nothing_and_claims_that_are_always_so_are_refused(language, happened, claim):
    with pytest.raises(NotThereError):
        check_there(language.read(claim, PEOPLE), happened)


@pytest.mark.parametrize(
    ("language", "happened", "claim"),
    [
        (BY_TREES, history(), "tree 2 has no apple"),
        (BY_TREES, history(), "apple grows at [5, 9] within 10 hours"),
        (BY_TREES, history(), "place with 1 apples within 2 -> grass stays"),
        (BY_TREES, history(), "after 12 apples eaten within 2 of [1, 1] in 5 hours -> grass gone"),
        (BY_RIVER, river_history(), "river is less than 100 % dirty"),
        (BY_RIVER, river_history(), "river with 0 % dirty or more -> apple grows within 9 hours"),
        (ActClaims((IRON,)), ActHistory(), "Ada digs at least 0 iron -> Bo digs at most 2 iron"),
    ],
)
def test_other_claims_are_taken_whether_or_not_they_are_so(language, happened, claim):
    check_there(language.read(claim, PEOPLE), happened)


def test_what_nobody_ever_did_in_a_round_is_so_of_everybody():
    language, so_far = ActClaims((Act("brought", "brings", "things"),)), ActHistory()
    for claim in ("Ada brings at most 1 things", "everyone together brings at most 9 things"):
        with pytest.raises(NotThereError, match="nobody knows yet"):
            check_there(language.read(claim, PEOPLE), so_far)
    so_far.rounds.append({"Ada": {"brought": 3}, "Bo": {"brought": 2}})
    for claim, is_so in (
        ("Ada brings at most 3 things", False),
        ("Ada brings at most 4 things", True),
        ("everyone together brings at most 5 things", False),
        ("everyone together brings at most 6 things", True),
    ):
        if is_so:
            with pytest.raises(NotThereError, match="nobody ever did more"):
                check_there(language.read(claim, PEOPLE), so_far)
        else:
            check_there(language.read(claim, PEOPLE), so_far)


def test_what_is_in_no_form_is_no_claim():
    with pytest.raises(AnswerError) as error:
        read_claim("apples are nice", PEOPLE)
    assert not isinstance(error.value, NotThereError)


def test_the_last_round_is_nothing_before_the_first():
    claim = ActClaims((IRON,)).read("last round: Ada digs at most 3 iron", PEOPLE)
    check_there(claim, ActHistory())
    assert claim.holds(ActHistory()) is None


def test_grass_that_is_not_there_cannot_be_gone():
    form = "after 1 apples eaten within 99 of {} in {} hours -> grass gone"
    for cell in ("[6, 9]", "[1, 4]"):  # ground on which nothing ever grew
        assert list(read_claim(form.format(cell, 9), PEOPLE).tests(history(*LONELY), 0)) == []
    later = history(*LONELY, eaten("Ada", 5, 9, 2, 21), ended(4, 22))
    claim = read_claim(form.format("[1, 1]", 1), PEOPLE)
    assert list(claim.tests(later, 0)) == [False, True]  # at 21 it had been gone
