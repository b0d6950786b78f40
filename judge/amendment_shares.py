"""Shares in an amendment's words, against the number that it sets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from math import isclose

from bots.structured import NEUTRAL, AnswerError, own_words

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
#: Words with which somebody says a share that holds for all and always; in other words it may be
#: for some people, goods or times only, or be left as it is.
_PLAIN = NEUTRAL | own_words(
    """
    tax taxes rate rates taxation be shall will should must become becomes set sets lower lowers
    lowered lowering raise raises raised raising reduce reduces reduced reducing increase
    increases increased increasing decrease decreases decreased cut change changes changed
    adjust adjusted keep stay stays remain remains to from percent everybody everyone people
    villagers villager citizens person pay pays paid owe owes their goods holdings wealth
    possessions hold holds what own new current currently instead was chest community village
    town amendment amendments proposal constitution law share number value season seasons just
    fifth tenth quarter twentieth abolished abolish falls fall rises rise enough tenth halve
    halved double doubled more less high low who has down up propose proposed i let an down der
    die das steuersatz steuer steuern beträgt sinkt steigt wird soll auf von gesenkt erhöht für
    alle prozent neue ist sei el la los impuesto impuestos tasa tipo es será baja sube se reduce
    aumenta al del por ciento para todos nuevo le les impôt impôts taux est passe baisse
    augmente à pour tous cent nouveau l'impôt il lo l'imposta tassa aliquota è scende sale tutti
    inventory inventories article read reads person's community's relief amended items item
    nuova o os imposto taxa é desce sobe todos nova
    """
)
#: Words that say that a number falls, or rises.
_NUMBER = r"(?:tax\w*|rates?|shares?|fines?|bans?|number|it)\b"
_LOWER = r"(?:lower(?:s|ed|ing)?|reduc\w+|decreas\w+|cut(?:s|ting)?|halv\w+|falls?|abolish\w*)"
_HIGHER = r"(?:rais\w+|increas\w+|doubl\w+|rises?|higher)"


def _moved(word: str) -> re.Pattern[str]:
    near = r"\s+(?:[\w']+\s+){0,3}"
    return re.compile(rf"\b(?:{word}{near}{_NUMBER}|{_NUMBER}{near}{word}\b)", re.IGNORECASE)


_LOWERS, _RAISES = _moved(_LOWER), _moved(_HIGHER)
#: When it holds.
_DATED = re.compile(r"\bseasons?\s*#?\d+|\d+\s*seasons?|\bfrom (?:the )?season\b", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
#: What says why, up to the end of a sentence.
_WHY = re.compile(
    r"[\s,;:(\u2013\u2014-]+(?:because|since|so (?:that|people|everybody|everyone|we|the)"
    r"|in order to"
    r"|to (?:help|give|let|keep|support|fund|ease|leave|make|encourage)|which (?:helps"
    r"|lets|leaves"
    r"|gives|is)|damit|weil|para que|porque|parce que|afin|perch\xe9)\b[^.!?;]*|^reason\s*:.*"
    r"|^(?:i (?:chose|picked|selected|made) (?:this|it)|this is my (?:final )?(?:answer|proposal))"
    r"\b.*",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")


def is_share(sets: Mapping[str, float], limits: Mapping[str, tuple[float, float]]) -> bool:
    """Whether an amendment sets one number, which is a share."""
    return len(sets) == 1 and limits[next(iter(sets))][1] <= 1


def check_shares(
    number: int, words: str, sets: Mapping[str, float], limits: Mapping[str, tuple[float, float]]
) -> None:
    """Refuse an amendment of one share whose words say other shares, and not this one.

    Raises:
        AnswerError: they do.
    """
    if not is_share(sets, limits):
        return
    ((name, value),) = sets.items()
    known = _PLAIN.union(name.split("_"), (name,))
    others = [
        one for one in _WORD.findall(words) if one.casefold().replace("\u2019", "'") not in known
    ]
    others += [one[0] for one in _DATED.finditer(words)]
    if others:
        raise AnswerError(
            f"Amendment{number} sets {name} for all and always, and {others[0]!r} may limit it: "
            f"say in words only that the {name.replace('_', ' ')} is {value * 100:g} %, or leave "
            "SET out where a judge shall apply the words"
        )
    told = [] if _RECKONS.search(words) else _shares(words)
    if told and not any(isclose(share, value, abs_tol=1e-6) for share in told):
        raise AnswerError(
            f"Amendment{number} sets {name} to {value:g} and says {told[-1] * 100:g} % in words; "
            "say the same in both"
        )


def check_direction(
    number: int, words: str, sets: Mapping[str, float], holds: Mapping[str, float]
) -> None:
    """Refuse words that only lower a number which rises, or only raise one which falls.

    Args:
        number: of the amendment.
        words: of it.
        sets: by name, what it sets.
        holds: by name, what holds until then.

    Raises:
        AnswerError: they do.
    """
    lowers, raises = bool(_LOWERS.search(words)), bool(_RAISES.search(words))
    for name, value in sets.items() if len(sets) == 1 and lowers != raises else ():
        if value > holds[name] if lowers else value < holds[name]:
            raise AnswerError(
                f"Amendment{number} says that the {name.replace('_', ' ')} becomes "
                f"{'lower' if lowers else 'higher'}, and sets it from {holds[name]:g} to {value:g};"
                " say the same in both"
            )


def without_why(words: str) -> str:
    """Return an amendment's words without why it is made, which is no part of what is voted on."""
    return " ".join(filter(None, (_WHY.sub("", part).strip() for part in _SENTENCE.split(words))))


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
