"""Reading yes or no, and success or failure, in the words that models say it with."""

from __future__ import annotations

import re

from records.text import caseless

_YES = r"true|yes|yep|success(?:ful(?:ly)?)?|succeeded|passed|achieved|accomplished|completed|done"
_NO = (
    r"false|no|nope|fail(?:ed|ure|s)?|unsuccessful|no success"
    r"|not (?:an? |yet )?(?:success(?:ful)?|achieved|accomplished|completed|done|passed)"
)
#: A text that begins with its verdict: nothing follows it, or a stop, or its reason.
_FIRST = caseless(
    rf"\W*(?:(?P<yes>{_YES})|(?P<no>{_NO}))(?:\W*$|\s*[^\w\s'-]|\s+(?:because|since|as)\b)"
)
_SENTENCE = re.compile(r"[^.!?\n]*")
#: What leaves a verdict open, and what takes something of it back.
UNSURE = caseless(
    r"\b(?:partial\w*|partly|in part|almost|nearly|mostly|mixed|maybe|perhaps|unclear|somewhat"
    r"|(?:not|n't) (?:entirely|fully|quite|always|clear|sure|certain|known|obvious))\b"
)
TAKES_BACK = caseless(
    r"\b(?:half|if|but|although|though|however|(?:not|yet|n't|without) fail\w*)\b"
)
_DONE = r"(?:success\w*|succe+d\w*|achieved?|accomplish(?:ed)?|fulfil\w*|completed?|done)"
_FAILS = caseless(
    rf"(?:\b(?:not|no|never|without|cannot)|n't)\s+(?:\w+\s+){{0,3}}?{_DONE}\b"
    r"|\bunsuccessful\w*|\bfail(?:s|ed|ure)?\b"
)
_SUCCEEDS = caseless(rf"\b{_DONE}\b")
#: What a verdict of yes says of nothing: what was not, what failed, and what came after a But.
_DENIES = caseless(
    r"\b(?:not|no(?! doubt| question)|none|never|nothing|cannot|without|except|failed|fails|failure"
    r"|false|incorrect|apart from|other than|yet|still)\b|n't\b|\?"
)
_NO_TROUBLE = caseless(
    r"\b(?:without|no) (?:any |further )?(?:issues?|problems?|errors?|trouble|delay|help"
    r"|difficult\w+)\b"
)
_TURNS = caseless(r"[.!?\n]\W*(?:but|although|though|however|yet|except)\b")
#: A part of a whole: ``3 of 12``, ``3/12``, ``80 %``.
_PART = caseless(
    r"(?<![\d.])(?P<some>\d++(?:\.\d++)?+)\s*(?:/|(?:out )?of(?: the)?)\s*(?P<all>\d++)"
    r"|(?<![\d.])(?P<percent>\d++(?:\.\d++)?+)\s*(?:%|percent\b)"
)
#: What a verdict of no cannot say beside it, unless of a part.
_AFFIRMS = caseless(r"\b(?:yes|true|succe+ded|(?:was|is) (?:a )?success(?:ful)?)\b")
_OF_A_PART = caseless(r"\b(?:only|part\w*|just|some|first|half|almost|nearly|would|if|until)\b")


def read_verdict(said: object) -> bool | None:
    """Return the verdict of a field: a truth value, or words that begin with it or say it.

    ``No, there was no pickaxe`` and ``The program did not succeed.`` are false; ``partly`` and what
    says both are None, and so is a yes that takes something of it back (``Yes, although it failed
    later``, ``Completed 3 of 12``): nobody knows what is meant.
    """
    if isinstance(said, bool) or not isinstance(said, str):
        return said if isinstance(said, bool) else None
    first = _FIRST.match(said)
    sentence = _SENTENCE.match(said[first.end() - 1 :] if first else said.strip())
    text = sentence[0] if sentence else ""
    if first is not None and "?" in said[first.end() - 1 : first.end() + 1]:
        return None
    if first is not None:
        return _is_yes(said, text) if first["yes"] is not None else _is_no(text)
    if _is_hedged(text) or _is_in_part(said):
        return None
    fails = bool(_FAILS.search(text))
    left = _FAILS.sub("", text)
    succeeds = bool(_SUCCEEDS.search(left)) and not (_DENIES.search(left) or _TURNS.search(said))
    is_unsure = bool(_SUCCEEDS.search(left)) and not succeeds
    return None if is_unsure or fails == succeeds else succeeds


def _is_yes(said: str, reason: str) -> bool | None:
    """Return true for a yes whose reason takes nothing of it back."""
    reason = _NO_TROUBLE.sub("", reason)
    takes_back = _is_hedged(reason) or _DENIES.search(reason) or _TURNS.search(said)
    return None if takes_back or _FAILS.search(said) or _is_in_part(said) else True


def _is_hedged(text: str) -> bool:
    return bool(UNSURE.search(text) or TAKES_BACK.search(text))


def _is_no(reason: str) -> bool | None:
    """Return false for a no whose reason does not say yes."""
    bare = _FAILS.sub("", reason)
    return None if _AFFIRMS.search(bare) and not _OF_A_PART.search(bare) else False


def _is_in_part(said: str) -> bool:
    """Whether a text counts what was done, and it was not all."""
    return any(
        float(one["percent"]) < 100 if one["percent"] else float(one["some"]) < float(one["all"])
        for one in _PART.finditer(said)
    )


def after_verdict(said: object) -> str:
    """Return what a text says beside a verdict that it begins with; all, where it is a sentence."""
    if not isinstance(said, str):
        return ""
    first = _FIRST.match(said)
    if first is None:
        return said.strip()
    end = first.end("yes") if first["yes"] is not None else first.end("no")
    return said[end:].strip(" \n\t.,;:!?()-\u2013\u2014")
