"""Words of agents that no code expects: a fault of who said them, and never the end of a game."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from bots.models import AccountedModel, ScriptedModel
from bots.models.accounted import Account
from bots.structured import AnswerError
from experiments import cooperation
from judge.acts import ActClaims, Duty, account_of
from judge.promises import read_commitments
from records import events
from scenarios.commons.persons import Person
from scenarios.double_vein.cooperation import IRON
from tests.cooperating import of, played
from tests.test_cooperation_rules import PEOPLE
from worlds.commons.accounts import BY_RIVER, BY_TREES
from worlds.commons.claims import BY_TREES as TREES
from worlds.commons.river_claims import BY_RIVER as RIVER

#: Python reads no number of so many digits.
ENDLESS = "9" * 5000


@pytest.mark.parametrize(
    "terms",
    [
        f"Ada does not attack Bo until round {ENDLESS}",
        f"Ada eats at most {ENDLESS} from tree 1 until round 5",
        f"Ada eats at most 1 from tree {ENDLESS} until round 5",
        f"Ada cleans at least {ENDLESS} cells until round 5",
        f"Ada digs at most {ENDLESS} iron until round 5",
        f"Ada pays Bo {ENDLESS} * eaten(Ada)",
    ],
)
def test_numbers_of_thousands_of_digits_are_words_and_no_promise(terms):
    acts = account_of((IRON,), Duty("", "fine", "", ()))
    for account in (BY_TREES, BY_RIVER, acts):
        assert read_commitments(account, terms, ("Ada", "Bo"), (1, 2), now=1).forms == []


def test_claims_with_numbers_of_thousands_of_digits_are_refused():
    for language in (TREES, RIVER, ActClaims((IRON,))):
        for text in (f"tree {ENDLESS} has no apple", f"river is {ENDLESS} % dirty or more",
                     f"Ada digs at least {ENDLESS} iron"):  # fmt: skip
            with pytest.raises(AnswerError):
                language.read(text, PEOPLE)


class Raising:
    """A world's language whose claims fail when they are put to the test."""

    forms = ("anything",)

    def read(self, text, _names):
        if text == "unread":
            raise OverflowError("nobody expected that")
        return self

    def __str__(self):
        return "claim"

    def tests(self, _history, _since):
        raise ZeroDivisionError("nobody expected this")

    def holds(self, _history):
        raise RecursionError("nor that")


def test_whatever_an_agents_words_raise_is_a_fault_of_that_agent_and_ends_nothing(monkeypatch):
    """Claims, questions, predictions and terms that fail when they are read or settled."""
    answers = {
        "induce": {"Hypotheses": [{"text": "x", "test": "x"}]},
        "predict": {"Predictions": [{"test": "x", "probability": 1}]},
        "speak": {"Act": "OFFER", "Message": "?", "Terms": "?", "Claims": ["x"]},
        "reply": {"Answer": "ACCEPT", "Trust": [1]},
    }

    def script(request):
        said = dict(answers[request.role])
        if request.role == "speak":
            said["To"] = request.about.hearing[0]
        if request.role == "induce" and request.agent == "Juan":
            said = {"Hypotheses": [{"text": "unread", "test": "unread"}]}
        return json.dumps(said)

    class Mixed:
        def __init__(self, own):
            self.own, self.said = own, ScriptedModel(script)

        async def complete(self, request):
            return await (self.said if request.role in answers else self.own).complete(request)

    def fails(*_args):
        raise OverflowError("terms")

    monkeypatch.setattr(cooperation, "read_commitments", fails)
    asked = []

    def model(own):
        asked.append(AccountedModel(Mixed(own), Account()))
        return asked[0]

    def prepare(run, _persons):
        rules = run.cooperation.rules
        run.cooperation.rules = replace(rules, lent=replace(rules.lent, claims=Raising()))

    people = {name: Person("sparing") for name in ("Juan", "Laura", "Pedro")}
    run, _ = played(people, condition="full", model=model, prepare=prepare, rounds=8, hearing=40)
    assert len(of(run, events.RoundEnded)) == 8
    told = {(one.role, one.message) for one in asked[0].pending}
    for role, what in {
        ("induce", "OverflowError: nobody expected that"),
        ("induce", "ZeroDivisionError: nobody expected this"),
        ("predict", "ZeroDivisionError: nobody expected this"),
        ("speak", "RecursionError: nor that"),
        ("speak", "OverflowError: terms"),
    }:
        assert any(one == role and what in message for one, message in told), (role, what)
