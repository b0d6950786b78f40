"""Typed values of cooperating agents in a commons, for tests."""

from __future__ import annotations

from functools import partial

from voxpolis.bots.agents.cooperation.knowledge import Known
from voxpolis.bots.agents.cooperation.requests import Language, Moment, Terms
from voxpolis.bots.models.typed import read_answer
from voxpolis.judge.deeds.commitments import PaymentAnswer, read_terms, say, term_types
from voxpolis.judge.deeds.promises import Promise
from voxpolis.judge.law.constitution import Ballot, Change, SetNumber, Vote
from voxpolis.worlds.commons.accounts import FROM_TREE
from voxpolis.worlds.commons.accounts import TREE_ACCOUNT as BY_TREES
from voxpolis.worlds.commons.claims import TREE_CLAIMS as TREES

PEOPLE = ("Ada", "Bo", "Cy")
THINGS = tuple(range(1, 7))


def terms_in(terms, words, parties):
    found = read_terms(BY_TREES, terms, parties, THINGS, 2)
    return Terms("; ".join([*found.forms, words]), words, tuple(found.forms), found)


LANGUAGE = Language(
    PEOPLE,
    TREES.forms,
    BY_TREES.promises,
    partial(TREES.types, PEOPLE),
    TREES.read,
    partial(term_types, BY_TREES.forms, PEOPLE, THINGS),
    terms_in,
)
MOMENT = Moment("Ada", "", "", "", (), (), Known(), 2, 7)
# A claim, a promise and a payment in the words of a language model.
ALIVE = {"form": "tree", "tree": 3, "is_alive": True}
PEACE = {"form": "peace", "by": "Ada", "other": "Bo", "until": 9}


def answered(question, text):
    """Return the value of a language model's answer to a question, or raise ``AnswerError``."""
    narrow = read_answer(question.narrow(), text)
    return question.value(question.answer.model_validate(narrow.model_dump()))


def amended(words, **sets):
    """Return a change of the constitution."""
    numbers = [SetNumber(parameter=name, value=value) for name, value in sets.items()]
    return Change(words=words, sets=numbers)


def ballot(*choices):
    """Return a vote on each amendment, in order."""
    numbered = enumerate(choices, start=1)
    return Ballot(votes=[Vote(amendment=number, vote=vote) for number, vote in numbered])


def pays(payer, receiver, amount, condition=None):
    """Return a payment as in an offer."""
    said = {"payer": payer, "receiver": receiver, "amount": str(amount), "condition": condition}
    return PaymentAnswer(**said).model_dump()


def eats(by, number, tree, until):
    """Return the promise to eat at most ``number`` apples from a tree."""
    return Promise(FROM_TREE, by, until, number, tree)


def commitments(terms, now=1, account=BY_TREES, things=THINGS, **more):
    """Return the commitments in terms between Ada and Bo."""
    said = [one if isinstance(one, dict) else say(one) for one in terms]
    return read_terms(account, said, ("Ada", "Bo"), things, now, **more)
