"""What may not stand behind a plan as if it were a remark, for it says more than one."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from math import isclose

from bots.agents.planner.plans import Plan, Verb
from bots.structured import (
    AnswerError,
    is_aside,
    is_harmless,
    is_neutral,
    own_words,
    settles,
)
from records.text import caseless

#: Words of plans that say nothing: what they are called, and ends of forms.
OWN = own_words(
    """
    updated improved revised version script new what do join coalition choose bargain negotiate
    plan action step move verb negotiation
    group communication map while bit moment offer proposal deal
    split units unit them of to signal the player players number steps first
    """
)
#: What a line of a program says beside its plan.
REMARK = re.compile(r"(?<!\s)\s*+(?:#|//|<!--).*$")
#: A remark of its own line that makes what is below hang on something, and one behind a plan.
_HANGS = caseless(
    r"(?:(?:only )?(?:if|unless|in case|when)\b.*|else|otherwise|alternativ\w*)\W*[:\u2026]\W*$"
)
#: That a plan is for another time, for a case that may not come, or somebody else's.
_ELSEWHEN = caseless(
    r"\b(?:he|she|they|you|yours?|we|partners?|others?|players?|turns?|already|later|in the next"
    r"|next (?:episode|time)|optional|fall ?back|back ?up|in case|as soon as)\b"
)
#: Words of remarks behind plans, besides the names of things and players.
WORDS = OWN | own_words(
    """
    get take pick up mine dig gather collect craft make dump deliver bring carry put all it both
    every everything ore ores raw tool tools pickaxe iron diamond diamonds emerald emeralds vein
    then now and with from my our to until ready finished done start begin go wait for signal
    tell let know come can so more reward share part chest partner other drop build
    most valuable
    """
)
_FOR_SOMEBODY = caseless(r"\b(?:until|for|signal\w*)\b")
_KEEPS = caseless(r"\bkeep\w*\b")

#: Behind what is counted, another number of it.
_ANOTHER = caseless(
    r"\b(?:about|around|approximately|roughly|maybe|up to|at (?:least|most)|in (?:all|total)"
    r"|rather|better|make (?:it|that))\s+\d|[~\u2248]\s*\d"
    r"|\((?:[^\W\d]++ )++\d++\)|\d+\s+(?:in (?:all|total)|or so)\b"
)
_WORDS_OF = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_BEHIND = caseless(r"\s*\W?\s*(?:about|around|maybe|x)?\s*\d")
#: What things are worth, which limits nothing.
_WORTH = caseless(
    r"\bworth (?:about )?\d+(?: (?:emeralds?|points?|each|a piece|altogether|together"
    r"|in (?:all|total)))*(?!\w)"
)
#: Who else there is in a bargain, and a share with whose it is.
_OTHER = r"(?:you|yours?|yourself|they|them|theirs?|he|him|his|she|her|hers|other|others|partner)"
_SHARED = caseless(
    r"(?:(?P<subject>(?:the |my )?\w+) (?:gets?|keeps?|takes?|receives?|has) )?"
    r"(?P<number>\d*[.,]?\d+)(?:\s*(?P<sign>%|percent\b))?(?:\s+of (?:the|our|my) \w+)?"
    r"(?:\s+(?:is |goes |going )?(?:for|to|is)\s+(?P<who>(?:the |my )?\w+))?"
)
_ME = ("me", "myself", "i", "mine")


def refuse_more(plan: Plan, rest: str, players: Sequence[str] = ()) -> None:
    """Refuse what follows a plan where it is a part of another plan's form.

    Args:
        plan: what was read before it.
        rest: what follows.
        players: who can be named.

    Raises:
        AnswerError: it waits for somebody, or keeps some, in other words than the form's; it says
            another number, or that a share is another's.
    """
    if plan.verb == "WAIT" and _FOR_SOMEBODY.search(rest):
        raise AnswerError("to wait for a player, write WAIT FOR and the player's name")
    if plan.verb == "GATHER" and _KEEPS.search(rest):
        raise AnswerError("what is kept stands behind the resource: GATHER 3 wood KEEPING 2")
    if plan.verb in ("GATHER", "CRAFT", "DUMP") and _ANOTHER.search(rest):
        raise AnswerError(f"write one number, before what it counts: {plan}")
    if plan.verb == "PROPOSE" and not _is_own(plan.count / 10, rest, players):
        raise AnswerError("PROPOSE takes your own share, and not another's: PROPOSE 0.x")


def is_only_remark(verb: Verb, rest: str, others: str, deeds: str) -> bool:
    """Whether what follows a plan is nothing, or a remark; behind what settles a bargain, only why.

    See :func:`bots.structured.is_aside` and :func:`bots.structured.settles`.
    """
    return settles(rest) if verb in ("ACCEPT", "END") else is_aside(rest, others, deeds)


def refuse_behind(verb: Verb, what: str, rest: str) -> None:
    """Refuse a number right behind what it may count, of which nobody knows whether it does.

    Raises:
        AnswerError: there is one.
    """
    if _BEHIND.match(rest):
        raise AnswerError(f"the number stands before what it counts: {verb} 3 {what}")


def _is_own(share: float, rest: str, players: Sequence[str]) -> bool:
    """Whether what follows a share leaves it one's own: no word of others, or what is left."""
    others = "|".join([_OTHER, *map(re.escape, players)])
    shares = list(_SHARED.finditer(rest))
    for one in shares:
        said = float(one["number"].replace(",", "."))
        said = said / 100 if one["sign"] or said > 1 else said
        who = (one["subject"] or one["who"] or "").lower()
        own = not who or who in _ME
        if not isclose(said, share if own else 1 - share, abs_tol=1e-6):
            return False
    is_of_others = re.search(rf"\b(?:{others})\b", rest, re.IGNORECASE)
    return not is_of_others or any(one["subject"] or one["who"] for one in shares)


def without_shares(line: str, players: Sequence[str] = ()) -> str:
    """Return a line without what follows a share in words of shares: whose it is, what is left.

    Only :func:`refuse_more` knows whether they agree with it: it is to look at the line as it is.
    """
    who = "|".join([*_ME, _OTHER, *map(re.escape, players)])
    number = r"\d*[.,]?\d+(?:\s*(?:%|percent\b))?"
    whole = r"(?:\s+of (?:the|our) (?:whole |total )?(?:rewards?|total|whole|sum))?"
    whose = rf"(?:\s+(?:for|to) (?:the |my )?(?:{who})\b)"
    other = (
        rf"(?:\W+(?:and |so |with )?(?:(?:the |my )?(?:{who}) (?:gets?|keeps?|takes?|receives?) )?"
        rf"{number}{whole}{whose}?)?"
    )
    found = caseless(rf"(.*\bpropose:? {number}){whole}{whose}?{other}\W*").fullmatch(line)
    return found[1] if found else line


def refuse_remark(line: str, known: Collection[str], players: Sequence[str]) -> None:
    """Refuse a line that is a remark in a program and makes what is below hang on something.

    Raises:
        AnswerError: it is a condition, or calls what follows with words or a player's name.
    """
    text = _remark(line)
    either = "|".join(map(re.escape, players)) or "(?!)"
    if (
        _HANGS.match(text)
        or (text.endswith(":") and not is_neutral(text, known))
        or caseless(rf"(?:for |of )?(?:{either})\b.*").fullmatch(text)
    ):
        raise AnswerError(
            f"the remark {text[:40]!r} may say something else, such as a condition: write the "
            "plans that shall be carried out, and leave it out"
        )


def free_remark(lines: Sequence[str], known: Collection[str]) -> str:
    """Return the first remark of a program's lines in words that may limit a plan, or nothing.

    The number that its plan has is no such word, nor is what things are worth.
    """
    for line in lines:
        text = _remark(line)
        plan = REMARK.sub("", line)
        counts = [int(number) for number in re.findall(r"\b\d{1,4}\b", plan)]
        same = {*map(str, counts), *(_WORDS_OF[n] for n in counts if 0 < n < len(_WORDS_OF))}
        said = caseless(rf"\b(?:{'|'.join(same) or '(?!)'})\b").sub("", _WORTH.sub("", text))
        if _ELSEWHEN.search(text) or not (not said.strip() or is_harmless(said, known)):
            return text
    return ""


def _remark(line: str) -> str:
    found = REMARK.search(line)
    return found[0].strip(" \t#/<!->") if found else ""
