"""Reading a share, such as of a tax: how much of all that somebody holds, as decisions say it."""

from __future__ import annotations

import re

from bots.structured import AnswerError, is_aside
from records.text import caseless

_PERCENT = caseless(r"(?<![\d.,\u2013\u2014-])(\d+(?:[.,]\d+)?)\s*(?:%|percent\b|per cent\b)")
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")
#: A share that is none in any unit.
_NO_SHARE = caseless(r"\W*+(?:nothing|zero|0(?:\.0++)?+)\W*+")
#: Words before a share that leave it as it is, and words that make it hang on something.
_SHARE_LEAD = caseless(
    r"[^\w<>\u2264\u2265]*(?:(?:a|the|my|your|full|exactly|share|tax|taxes|due|dues|of|owed|required|legal|rate|bell"
    r"|season|season's|to|chest|community|in|into|at|is|now|n)\b[^\w<>\u2264\u2265]*)*(?=\d)"
)
_HANGS = caseless(
    r"\b(?:if|when|once|unless|after|later|instead|tomorrow|tonight|next (?:time|season)|soon)\b"
)
#: What a share may be called behind its number.
_SHARE_TAIL = caseless(r"(?:\s*\b(?:share|tax|taxes|dues?|rate|owed|legal|required)\b)*")
#: Of what a share is, behind its number: of all, or of this one thing, which it is not.
_OF_ALL = caseless(
    r"\s+of\s+(?:all|everything|it|what|(?:all )?(?:of )?(?:the |my |your |her |his |their |our )?"
    r"(?:current |total |entire )?(?:holdings?|goods|possessions|wealth|property|belongings|income"
    r"|inventory|things|stuff|total|assets|tax(?:es)?|dues?"
    r"|(?:\d+ )?(?:items?|pieces|resources)))\b"
)
_OF_ONE = caseless(
    r"\s+(?:of\b|in\s+(?!(?:all|total|full|tax(?:es)?|the (?:chest|community|bell))\b))"
)
_ADDS_LATER = caseless(r"\b(?:but|then|unless)\b|\u2192|->")


def read_share(verb: str, text: str) -> float:
    """Return a share of 1; a bare number above 1 can only be percent, a smaller one is unclear.

    Raises:
        AnswerError: it is none, or one of one thing only.
    """
    if _NO_SHARE.fullmatch(text):
        return 0.0
    shares = {float(share.replace(",", ".")) for share in _PERCENT.findall(text)}
    bare = _NUMBER.fullmatch(text.removeprefix("share").strip())
    if not shares and bare and float(bare[1]) > 1:
        shares = {float(bare[1])}
    first, lead = _PERCENT.search(text), _SHARE_LEAD.match(text)
    rest = text[_SHARE_TAIL.match(text, first.end()).end() :] if first else ""  # type: ignore[union-attr]
    if _OF_ONE.match(rest) and not _OF_ALL.match(rest):
        raise AnswerError(f"{verb} takes a share of all that you hold, and not of one thing")
    is_first = lead is not None and (first is None or first.start() == lead.end())
    is_plain = is_first and not _HANGS.search(text) and is_aside(rest)
    if len(shares) != 1 or max(shares) > 100 or _ADDS_LATER.search(text) or not is_plain:
        raise AnswerError(f"{verb} takes a share from 0 to 100 %, such as {verb} 20 %")
    return shares.pop() / 100
