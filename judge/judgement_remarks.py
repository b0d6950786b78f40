"""What a judge model says beside a payment: why it is made, or that it is not made so."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from records.text import caseless

#: In a payment's remark: a number, or anything that its amount could be taken times.
_CHANGES = caseless(
    r"\d|\b(?:per|each|every|times|twice|half|double|if|unless|not|none|or|zero|one|two|three|four"
    r"|five|six|seven|eight|nine|ten|dozen|percent|share)\b|%"
)
#: There: words by which it is not made, not now, or not so; and who pays it.
_NOT_MADE = caseless(
    r"\b(?:waiv\w+|cancel\w*|void\w*|forgiv\w+|forgave|annul\w*|revok\w+|rescind\w*|withdrawn?"
    r"|dropped|remitted|nullified|instead|already|disregard\w*|ignored?|drafts?|invalid|provisional|tentative"
    r"|placeholder|pending|disputed|hypothetical|excused|exempt\w*|suspended|deferred|postponed"
    r"|optional|voluntary|nothing|no (?:payment|transfer)s?|no longer|never|settled|superseded)\b"
    r"|n't\b"
)
_BY = caseless(
    r"\b(?:paid|owed|due|borne|covered|payable|made|transferred) (?:by|from) (?P<who>\w+)"
)
_TO = caseless(r"\b(?:paid|owed|due|payable|transferred|goes) to (?P<who>\w+)")


def is_reason(text: str, payment: Mapping[str, Any]) -> bool:
    """Whether a payment's remark says no more than why it is made, by who makes it.

    Args:
        text: of the remark.
        payment: its ``from`` and ``to``.
    """
    if _CHANGES.search(text) or _NOT_MADE.search(text):
        return False
    payers = {one["who"].casefold() for one in _BY.finditer(text)}
    receivers = {one["who"].casefold() for one in _TO.finditer(text)}
    way = (str(payment.get("from", "")).casefold(), str(payment.get("to", "")).casefold())
    return way[1] not in payers and way[0] not in receivers
