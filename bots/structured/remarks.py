"""Remarks behind a form: what may follow it in its line without being a part of what is meant.

A form takes the whole line. What stands behind it is a remark only where it begins with a mark or a
word that cannot be part of a value, adds nothing to what was said and takes nothing of it back:
``GO market, since it is near`` and ``WORK (at home)`` have remarks, ``GO market or home``,
``GATHER 3 wood, 2 stone`` and ``WORK, but not today`` have none, and say no one thing.
"""

from __future__ import annotations

import re
from functools import lru_cache

from records.text import caseless

#: What stands around a remark, or is all that follows.
_CLOSING = " \t.!;,)]}\"'*"
_MARK = re.compile(
    r"\s*(?:[,;:.!]\s|[\uff0c\u3002\uff1b]|[;,(\[{#\u2192\u2014]|//|--|<!--|[:.]$|\s[\u2013-]+\s)[\s,;:.!(\[{#\u2192\u2014/!<-]*"
)
#: Words that begin a reason, and words that begin where, with whom or for what.
_REASON = (
    r"because|since|as|so|given|due to|in order to|that|which|who|whom"
    r"|where|while|until|when"
)
_REASON_ABROAD = (
    r"(?:weil|denn|porque|ya que|parce que|puisque|perch\xe9|poich\xe9|pois"
    r"|\u043f\u043e\u0442\u043e\u043c\u0443 \u0447\u0442\u043e)\b|\u56e0\u4e3a|\u56e0\u70ba"
)
_PLACE = (
    r"for|at|in|into|on|near|with|by|from|before|after|via|around|beside|of|today|now|right now"
    r"|again|first|soon|please|next to|instead of|rather than|not|to|and stay|and see"
    r"|and talk|and speak|and ask|and tell"
)
_BEGINS_REASON = caseless(rf"\W*(?:(?:{_REASON})\b|{_REASON_ABROAD})")
_BEGINS_PLACE = caseless(rf"\s+(?P<word>{_PLACE})\b")
#: Other beginnings of a remark that adds nothing: who or what it tells of, what it is good for, how
#: sure one is. Such a remark says that something is so (:data:`_NEGATES`).
_TELLS = caseless(
    r"\W*(?:(?:i|we|you|he|she|it|they|there|this|that|these|those)(?:'(?:m|s|re|ve|ll))?"
    r"|the|an?|my|our|your|his|her|its|their|both|all|each|neither|still|already|just|most"
    r"|needed|useful|good|best|easy|easiest|cheap(?:er|est)?|near(?:est|by|er)?|close(?:st|r)?"
    r"|fair|safe(?:st|r)?|hungry|tired|important|urgent|same|mine|unchanged"
    r"|as (?:usual|before|planned)|of course|yes|sure|certain(?:ly)?|definitely|absolutely"
    r"|(?:(?:very|quite) )?(?:high|medium|low)|(?:confidence|certainty|reason|note|why|because)\s*:"
    r"|noch nicht|a\xfan no|pas encore|non ancora|ainda n\xe3o"
    r"|(?:up|down|raised|lowered)\b|\d[\d.,]*\s*(?:%|of\b|[^\W\d]{2,}))(?!\w)"
)
#: Words of a remark that does not tell what is so: it denies, limits, wishes, or says what else
#: could be. These are words of grammar, of which there are no others in English.
_NEGATES = caseless(
    r"\b(?:not|no|never|none|nothing|nobody|hardly|barely|scarcely|nor|cannot|without)\b|n't\b"
)
_HEDGES = caseless(
    r"\b(?:except|unless|if|or|but|although|though|however|whereas|instead|rather|else|otherwise"
    r"|would|could|might|may|should|ought|shall|mean|meant|prefer\w*|wish\w*|suppose\w*|guess|maybe"
    r"|perhaps|possibly|probably|really|actually|typo|wrong|mistake|joke|joking|kidding|draft"
    r"|opposite|contrary|partly|until|till)\b|'d\b|\?"
)
#: What denies nothing: that something is not done yet, or that there is no doubt.
_NO_DENIAL = caseless(
    r"\b(?:(?:have|has|am|is|are|was)(?: not|n't)|(?:'m|'ve|'s|'re) not)"
    r"(?: \w+)?(?: yet| done| finished)+\b|\bno (?:doubt|question|hurry|rush|problem)\b"
    r"|\bnot only\b|\b(?:instead of|rather than)\b"
)
#: Words that add something, offer a choice, make a condition, or take back what was said.
_ADDS = caseless(
    r"\W*(?:(?:and|or|then|plus|also|but|next(?! to\b)|afterwards?|later|subsequently|followed"
    r"|either|maybe|perhaps|possibly|if|unless|no|nope|wait|actually|rather(?! than)|better"
    r"|otherwise|else|sorry"
    r"|correction|let me|let's|hold on|hm+|on second|instead(?! of)|scratch|ignore|don't|do not)\b"
    r"|[&+/?=~\u2192<>]|->)"
)
_JOINED = r"(?:\b(?:and|or|then|but|plus|next(?! to\b)|also)\b|[&+/\u2192;.]|->)[\s,:]*"
_SUBJECT = r"(?:(?:i|i'll|we|will|would|to|the|also|then|a|an|some|my)\s+)*"
#: What a number was before, behind the number that is meant: ``7 (was 5)``, ``0.1, down from 0.2``.
_FORMER = caseless(
    r"(?<=[\d%])\s*+(?:[(\[,;]\s*+|[\u2013\u2014-]\s++)?+(?:it\s++)?+"
    r"(?:was(?:\s++(?:previously|formerly|before))?+|previously|formerly|currently|instead\s++of"
    r"|(?:up|down|raised|lowered|increased|decreased|reduced|changed)\s++from)"
    r"\s*+[:=]?+\s*+\d++(?:\.\d++)?+\s*+(?:%|percent\b|/\s*+10\b|(?:out\s++)?+of\s++10\b)?+"
    r"(?:\s++(?:before|earlier|until\s++now|so\s++far))?+[)\]\s.]*+$"
)
#: Reasons that say when something else is done.
_LATER = caseless(r"\b(?:while|until|when|once|where|after|as soon as)\b")
#: A deed in a remark in brackets that the one before serves, or is done in place of.
_SERVES = caseless(r"\b(?:to|for|before|after|of|than|can|could|then|will|when|i'll)\s++\w++")
#: A remark in brackets.
_BRACKETED = re.compile(r"\s*(?:\([^()]*\)|\[[^\[\]]*\])")
#: A number that stands for itself: the second value of a form that takes one.
_NUMBER = caseless(r"\W*-?\d[\d.,]*\s*%?\s*(?:\W*$|(?:or|and|to)\b)")
#: What a number was, and not is, anywhere in a remark; a full scale behind a number.
_WAS = caseless(
    r"\b(?:was|were|from|formerly|previously|before|earlier|not|instead of|rather than|than)\s++"
    r"\d++(?:\.\d++)?+"
)
_OF_TEN = caseless(r"\s*(?:/|\b(?:out of|of))\s*10\b|\b(?:0|zero)\s*(?:-|\u2013|to)\s*(?:10|ten)\b")
#: A number that counts nothing named behind it, so that it may be the one that is meant.
_BARE = caseless(
    r"(?<![\w.])\d++(?:\.\d++)?+(?![\w%]|\s++(?!(?:now|then|instead|today|or|and|but|points?|if|as"
    r"|from|to|because|since|for|is|was|at|already|again|more|less|higher|lower)\b)[^\W\d])"
    r"|\b(?:of|out of|to|by|now|at|as)\s++(?:an? )?(?:zero|one|two|three|four|five|six|seven"
    r"|eight|nine|ten)\b(?!\s++[^\W\d])|\bout\s++of\s++\d"
)


@lru_cache(maxsize=256)
def _second(others: str, deeds: str) -> tuple[re.Pattern[str], ...]:
    """Return what finds a second value or deed: at the start, joined to others, and in capitals."""
    never = r"(?!)"
    other, deed = others or never, deeds or never
    count = r"(?:-?\d+\s*x?\s+(?:units?\s+of\s+)?)?"
    start = rf"\W*{_SUBJECT}{count}(?:{other}|{deed})(?!\w)"
    counted = rf"-?\d+\s*x?\s+(?:units?\s+of\s+)?(?:{other})(?!\w)"
    joined = rf"{_JOINED}{_SUBJECT}(?:(?:{deed})(?!\w)|{counted})"
    bound = rf"\W*{_SUBJECT}(?:{other})(?!\w)"
    value = rf"{_JOINED}{_SUBJECT}{count}(?:{other})(?!\w)"
    ignoring = [caseless(form) for form in (start, joined, value, bound)]
    return (*ignoring, re.compile(rf"\b(?:{deed.upper()})\b"))


def without_former(line: str) -> str:
    """Return a line without what it says, at its end, that its number was before."""
    return _FORMER.sub("", line, count=1)


def has_other_number(rest: str) -> bool:
    """Whether what follows a number from 0 to 10 in its line has another that may be the one meant.

    ``7, because he gave me 3 loaves`` and ``7 of 10 (was 5)`` have none; ``5, now 7`` and
    ``4 of 5`` have one.
    """
    return bool(_BARE.search(_WAS.sub("", _OF_TEN.sub("", rest))))


def is_aside(rest: str, others: str = "", deeds: str = "", *, denies: bool = False) -> bool:
    """Whether what follows a form in its line is a remark, or nothing.

    A remark begins as one does that says why, where, for what or of what (:data:`_TELLS`); one that
    begins otherwise is none, for it may take back what it stands behind.

    Args:
        rest: the line from the form's end.
        others: a regular expression of the values that could be meant as well.
        deeds: one of the verbs that could be done as well.
        denies: whether what it stands behind is a no, so that it may deny, too.
    """
    bracketed = _BRACKETED.match(rest)
    if bracketed is not None and rest[bracketed.end() :].strip(_CLOSING):
        parts = rest[: bracketed.end()], rest[bracketed.end() :]
        return all(_is_aside(part, others, deeds, denies) for part in parts)
    return not rest.strip(_CLOSING) or _is_aside(rest, others, deeds, denies)


def _is_aside(rest: str, others: str, deeds: str, denies: bool) -> bool:
    """Whether one remark, or one in brackets, is no part of what is meant."""
    start, joined, value, bound, capital = _second(others, deeds)
    if joined.search(rest):
        return False
    mark = _MARK.match(rest)
    body = rest[mark.end() :] if mark is not None else rest
    if _BEGINS_REASON.match(body) and (mark is not None or rest[:1].isspace()):
        return not (_LATER.search(rest) and capital.search(rest))
    if mark is not None:
        is_bracket = rest.lstrip()[:1] in "([{#"
        place = _BEGINS_PLACE.match(f" {body}")
        adds = _ADDS.match(body) or _NUMBER.match(body) or start.match(body)
        said = _SERVES.sub("", body) if is_bracket else body
        loud = place is None and capital.search(said)
        tells = _is_told(body, place, others, deeds, denies)
        return tells and not (adds or loud or (value.search(body) and not is_bracket))
    place = _BEGINS_PLACE.match(rest)
    if place is None or value.search(rest):
        return False
    to = place["word"].lower()
    behind = rest[place.end() :]
    return not (to == "to" and (bound.match(behind) or re.match(r"\W*-?\d", behind)))


def _is_told(body: str, place: re.Match[str] | None, others: str, deeds: str, denies: bool) -> bool:
    """Whether a remark behind a mark begins as one does, and denies nothing."""
    if place is not None and place["word"].lower() == "not":
        other = "|".join(filter(None, (others, deeds)))
        return bool(
            other and caseless(rf"\W*not (?:(?:to|the|an?) )?(?:{other})(?!\w)\W*").fullmatch(body)
        )
    if place is None and not _TELLS.match(body) and not _WAS.match(body.lstrip(" ([")):
        return False
    text = _NO_DENIAL.sub("", body)
    return denies or not (_HEDGES.search(text) or _NEGATES.search(text))
