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


#: A share that is left for another, in several languages: what was is not what shall be.
_LEFT = re.compile(
    r"(?:\b(?:from|instead of|rather than|was|currently|von|statt|de|desde|da|du|au lieu de"
    r"|anzich\xe9|invece del?|em vez de)\s+(?:the (?:current |present |old )?)?)?"
    r"\d+(?:\.\d+)?\s*(?:%|percent\b|per cent\b)(?=\s*(?:to|down to|up to|auf|zu|a|al|\xe0|para"
    r"|\u2192|->|=>)\s*\d)"
    r"|\b(?:from|instead of|rather than|was|currently|statt|au lieu de)\s+"
    r"(?:the (?:current |present |old )?)?\d+(?:\.\d+)?\s*(?:%|percent\b|per cent\b)",
    re.IGNORECASE,
)
#: Words of a sentence that says a share for some people or some time only.
_LIMITS = re.compile(
    r"\b(?:only|except\w*|unless|if|when(?:ever)?|until|till|while|during|whose|whoever|below|above"
    r"|under|over|at least|at most|less than|more than|winter|summer|spring|autumn|temporar\w*"
    r"|(?:those|people|persons|anyone|everyone|everybody|villagers|households|all)"
    r" (?:who|with|that)"
    r"|for the (?!village|community|common|good|public|whole|benefit|sake|chest|future|tax|rate"
    r"|people|bell|world|town|needs|upkeep)\w+)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")


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
    for part in _SENTENCE.split(words):
        if _shares(part) == [value] and _LIMITS.search(part):
            raise AnswerError(
                f"Amendment{number} sets {name} for all and always, and says it of some in words; "
                "leave SET out where a judge shall apply the words"
            )
    told = _shares(words)
    if told and not any(isclose(share, value, abs_tol=1e-6) for share in told):
        raise AnswerError(
            f"Amendment{number} sets {name} to {value:g} and says {told[-1] * 100:g} % in words; "
            "say the same in both"
        )


def _shares(words: str) -> list[float]:
    """Return the shares that words say, of 1, without those that they leave for another."""
    return [
        float(one["number"]) / 100
        if one["number"]
        else float(one["part"])
        if one["part"]
        else IN_WORDS[one["word"].lower()]
        for one in _SHARE.finditer(_LEFT.sub("", words))
    ]
