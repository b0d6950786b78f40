"""Shares in an amendment's words, against the number that it sets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isclose

from bots.structured import AnswerError

#: How shares are called.
IN_WORDS = {"tenth": 0.1, "fifth": 0.2, "quarter": 0.25, "half": 0.5}
IN_WORDS |= {"five percent": 0.05, "ten percent": 0.1, "twenty percent": 0.2}
#: A share in words, but for one by which another changes.
_SHARE = re.compile(
    r"(?<!by )(?<![\d.,])(?P<number>\d+(?:\.\d+)?)\s*(?:%|percent\b|per cent\b)"
    rf"|(?<![\w.,])(?P<part>0?\.\d+)(?![\d%])|\b(?P<word>{'|'.join(IN_WORDS)})\b",
    re.IGNORECASE,
)
#: Words by which a share that they name is not the one that holds then.
_RECKONS = re.compile(
    r"\b(?:halv\w*|doubl\w*|tripl\w*|twice|thirds?|half (?:of|the)|(?:percentage )?points?)\b",
    re.IGNORECASE,
)


def check_shares(
    number: int, words: str, sets: Mapping[str, float], limits: Mapping[str, tuple[float, float]]
) -> None:
    """Refuse an amendment of one share whose words say other shares, and not this one.

    Raises:
        AnswerError: they do.
    """
    if len(sets) != 1 or limits[next(iter(sets))][1] > 1 or _RECKONS.search(words):
        return
    ((name, value),) = sets.items()
    told = [
        float(one["number"]) / 100
        if one["number"]
        else float(one["part"])
        if one["part"]
        else IN_WORDS[one["word"].lower()]
        for one in _SHARE.finditer(words)
    ]
    if told and not any(isclose(share, value, abs_tol=1e-6) for share in told):
        raise AnswerError(
            f"Amendment{number} sets {name} to {value:g} and says {told[-1] * 100:g} % in words; "
            "say the same in both"
        )
