"""Reading yes or no, and success or failure, in the words that models say it with."""

from __future__ import annotations

import re

_YES = r"true|yes|yep|success(?:ful(?:ly)?)?|succeeded|passed|achieved|accomplished|completed|done"
_NO = (
    r"false|no|nope|fail(?:ed|ure|s)?|unsuccessful|no success"
    r"|not (?:an? |yet )?(?:success(?:ful)?|achieved|accomplished|completed|done|passed)"
)
#: A text that begins with its verdict: nothing follows it, or a stop, or its reason.
_FIRST = re.compile(
    rf"\W*(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?:\W*$|\s*[^\w\s'-]|\s+(?:because|since|as)\b)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?\n]*")
_HEDGES = re.compile(
    r"\b(?:partial\w*|partly|almost|nearly|mostly|mixed|maybe|perhaps|unclear|somewhat|half|if"
    r"|but|although|though|however|(?:not|yet|n't|without) fail\w*)\b",
    re.IGNORECASE,
)
_DONE = r"(?:success\w*|succe+d\w*|achieved?|accomplish(?:ed)?|fulfil\w*|completed?|done)"
_FAILS = re.compile(
    rf"(?:\b(?:not|no|never|without|cannot)|n't)\s+(?:\w+\s+){{0,3}}?{_DONE}\b"
    r"|\bunsuccessful\w*|\bfail(?:s|ed|ure)?\b",
    re.IGNORECASE,
)
_SUCCEEDS = re.compile(rf"\b{_DONE}\b", re.IGNORECASE)


def read_verdict(said: object) -> bool | None:
    """Return the verdict of a field: a truth value, or words that begin with it or say it.

    ``No, there was no pickaxe`` and ``The program did not succeed.`` are false; ``partly`` and what
    says both are None: nobody knows what is meant.
    """
    if isinstance(said, bool) or not isinstance(said, str):
        return said if isinstance(said, bool) else None
    first = _FIRST.match(said)
    sentence = _SENTENCE.match(said.strip())
    text = sentence[0] if sentence else ""
    if first is not None:
        return first["yes"] is not None
    if _HEDGES.search(text):
        return None
    fails = bool(_FAILS.search(text))
    succeeds = bool(_SUCCEEDS.search(_FAILS.sub("", text)))
    return succeeds if fails != succeeds else None


def after_verdict(said: object) -> str:
    """Return what a text says beside a verdict that it begins with; all, where it is a sentence."""
    if not isinstance(said, str):
        return ""
    first = _FIRST.match(said)
    if first is None:
        return said.strip()
    end = first.end("yes") if first["yes"] is not None else first.end("no")
    return said[end:].strip(" \n\t.,;:!?()-\u2013\u2014")
