"""Terms of an offer in an answer: read as a whole, so that nothing beside a promise is lost."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import pytest
from judge.promised_words import read_commitments

from bots.agents.cooperation.exchanges import SpeakRequest
from bots.structured import AnswerError
from tests.cooperation_readers import LANGUAGE, MOMENT
from worlds.commons.accounts import BY_TREES

PROMISES = ["Ada does not attack Bo until round 9", "Bo pays Ada 0.5 * eaten(Bo)"]
OFFER = {"Reasoning": "r", "Act": "OFFER", "To": "Bo", "Message": "m"}
#: What could limit a promise, wherever it stands.
LIMITS = [
    "unless Bo attacks first",
    "Note: this only holds in summer",
    "P.S. only until round 3",
    "Reason: only if Bo stays",
    "### Condition\nBo stays away",
    "> unless Bo attacks",
    "| unless | Bo attacks |",
    "(except for tree 3)",
]


def binding(answer):
    """Return which forms of an offer's terms bind; none where it is asked for again."""

    def forms(terms, parties):
        return read_commitments(BY_TREES, terms, parties, range(1, 7), 2).forms

    language = replace(LANGUAGE, promises=BY_TREES.promises, read_terms=forms)
    try:
        return list(SpeakRequest(MOMENT, ("Bo", "Cy"), language).read(answer).binding)
    except AnswerError:
        return []


def offers(terms):
    """Yield answers that offer terms, in the layouts of chat models."""
    for said in (terms, "; ".join(terms), "\n".join(terms), dict(enumerate(terms, 1))):
        yield json.dumps({**OFFER, "Terms": said, "Claims": []})
    head = "".join(f"**{key}:** {said}\n" for key, said in OFFER.items())
    for mark in ("- ", "{}. ", "({}) ", "", "  - "):
        body = "\n".join(mark.format(n) + one for n, one in enumerate(terms, 1))
        yield f"{head}**Terms:**\n{body}\n**Claims:** none"
        yield f"{head}### Terms\n\n{body}\n\n### Claims\nnone"
        yield f"{head}**Claims:** none\n**Terms:**\n{body}"


@pytest.mark.parametrize("limit", ["", *LIMITS])
def test_all_terms_bind_or_nothing_does(limit):
    first, second = PROMISES
    limited = ["{1} {0}", "{0} {1}", "{0}, {1}", "{1}: {0}", "{0} ({1})", "{0}. {1}", "{0}\n{1}"]
    for terms in itertools.chain(
        ([limit, first, second], [first, limit, second], [first, second, limit]),
        ([form.format(first, limit), second] for form in limited),
    ):
        said = terms if limit else PROMISES
        for answer in offers(said):
            assert binding(answer) == ([] if limit else PROMISES), answer
