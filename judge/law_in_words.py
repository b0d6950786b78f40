"""Laws in words: which numbers an amendment changes, and what a law asks of each person.

Amendments may say in words what a number of the constitution says. A reader of laws is asked for
the numbers before the vote, so that people vote on what will hold. What no number says (such as
"who holds less than 50 pays nothing") passes as words, and a judge applies them each time.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from bots.structured import AnswerError, lines
from judge.constitution import Amendment, Limits, in_limits, items, sections

#: What the reader of laws says of an amendment: a judge must apply it; it changes no number.
JUDGE, NOTHING = "JUDGE", "NOTHING"
#: For whom a judge names no share of its own.
EVERYBODY = "EVERYBODY"

_SET = re.compile(r"\bSET\s+(\w+)\s*(?:=|:|\bto\b)\s*(-?\d+(?:\.\d+)?)\s*(%?)", re.IGNORECASE)
_BARE_SET = re.compile(r"(\w+)\s*[:=]\s*(-?\d+(?:\.\d+)?)\s*(%?)")
_WORD = re.compile(r"(?:answer|reading)?\s*:?\s*(JUDGE|NOTHING)\b", re.IGNORECASE)
_NUMBER = r"(\d+(?:\.\d+)?)\s*(?:%|percent)"
#: A line of the form, and as it is said: ``OWES Ada 10 %``, ``Ada owes 10 percent``.
_OWES = re.compile(
    rf"(?:OWES:?\s+(.+?)[\s:=]+{_NUMBER}|(\w+):? owes:? {_NUMBER})(?:\s+of [^%\d]*|\s*\([^%]*\))?",
    re.IGNORECASE,
)
#: The same of somebody who owes nothing, and without the word.
_OWES_NOTHING = re.compile(r"OWES:?\s+(.+?)[\s:=]+nothing|(\w+):? owes:? nothing", re.IGNORECASE)
_NAMED = re.compile(rf"(\w[\w ]*?)\s*[:=]\s*{_NUMBER}", re.IGNORECASE)
_SAYS_OWES = re.compile(r"\bowes?\b", re.IGNORECASE)


def read_compiled(
    answer: str, amendments: Sequence[Amendment], limits: Limits
) -> tuple[Amendment, ...]:
    """Return amendments with the numbers that a reader of laws found in their words.

    The numbers that an amendment names itself stay as they are.

    Args:
        answer: under each ``***Amendment1***`` lines ``SET name = number``, ``JUDGE`` or
            ``NOTHING``.
        amendments: what it is about, in the order of the ballot.
        limits: the least and the greatest that each number can be set to.

    Raises:
        AnswerError: an amendment is missing or says nothing, or a number cannot be set so.
    """
    found = sections(answer) or items(answer)
    missing = [one.number for one in amendments if one.number not in found]
    if missing:
        raise AnswerError(f"there is nothing under ***Amendment{missing[0]}***")
    return tuple(_compiled(one, found[one.number], limits) for one in amendments)


def _compiled(amendment: Amendment, said: Sequence[str], limits: Limits) -> Amendment:
    sets = {
        name: in_limits(amendment.number, name, float(number) / (100 if percent else 1), limits)
        for line in said
        for name, number, percent in _SET.findall(line)
    }
    sets |= {
        name: in_limits(amendment.number, name, float(number) / (100 if percent else 1), limits)
        for line in said
        if (found := _BARE_SET.fullmatch(line.strip(" .;")))
        for name, number, percent in [found.groups()]
        if name in limits
    }
    words = [found[1].upper() for line in said if (found := _WORD.match(line))]
    if not sets and not words:
        forms = f"SET name = number, {JUDGE} or {NOTHING}"
        raise AnswerError(f"under ***Amendment{amendment.number}*** there must be {forms}")
    return replace(
        amendment,
        sets=dict(amendment.sets) or sets,
        is_judged=JUDGE in words,
    )


def read_dues(answer: str, names: Sequence[str]) -> Mapping[str, float]:
    """Return what share of 1 a law asks of each person, as a judge applied it.

    Args:
        answer: a line ``OWES name share %`` for each person, or for ``EVERYBODY`` who has none.
        names: the persons.

    Raises:
        AnswerError: a line about what somebody owes is of no form, somebody is missing or unknown,
            or a share is more than all.
    """
    called = {name.casefold(): name for name in (EVERYBODY, *names)}
    shares: dict[str, float] = {}
    for line in lines(answer):
        bare = line.strip("\" .;,'")
        found = _OWES.fullmatch(bare) or _OWES_NOTHING.fullmatch(bare)
        if found is None and (named := _NAMED.fullmatch(bare)) is not None:
            found = named if named[1].casefold() in called else None
        if found is None:
            if _SAYS_OWES.search(line):
                raise AnswerError(f"{line[:60]!r} is not of the form OWES name share %")
            continue
        said, percent = (*(part for part in found.groups() if part), "0")[:2]
        name, share = called.get(said.casefold(), said), float(percent) / 100
        if shares.setdefault(name, share) != share:
            raise AnswerError(f"{name} owes two different shares")
    unknown = sorted(set(shares) - {EVERYBODY, *names})
    if unknown:
        raise AnswerError(f"there is nobody called {unknown[0]}")
    if any(share > 1 for share in shares.values()):
        raise AnswerError("a share is from 0 to 100 %")
    missing = [name for name in names if name not in shares]
    if missing and EVERYBODY not in shares:
        raise AnswerError(f"there is no line OWES {missing[0]} … %, nor OWES {EVERYBODY} … %")
    return {name: shares.get(name, shares.get(EVERYBODY, 0.0)) for name in names}
