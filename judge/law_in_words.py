"""Laws in words: which numbers an amendment changes, and what a law asks of each person.

Amendments may say in words what a number of the constitution says. A reader of laws is asked for
the numbers before the vote, so that people vote on what will hold. What no number says (such as
"who holds less than 50 pays nothing") passes as words, and a judge applies them each time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from bots.structured import AnswerError, alone, lines, own_words
from judge.amendment_shares import check_shares
from judge.constitution import SET_FORM, Amendment, Limits, items, read_set, sections
from records.text import caseless

#: What the reader of laws says of an amendment: a judge must apply it; it changes no number.
JUDGE, NOTHING = "JUDGE", "NOTHING"
#: For whom a judge names no share of its own.
EVERYBODY = "EVERYBODY"
_OWES_FORM = "OWES name share %"
_FORMS = f"{SET_FORM}, {JUDGE} or {NOTHING}"

_WORD = caseless(r"(?P<word>JUDGE|NOTHING)\b(?:\s*[.,:;(\u2013\u2014-].*)?")
_LEAD = caseless(r"(?:(?:answer|reading|verdict|result|also|then|this means)\b\s*+(?::\s*+)?)+")
#: What behind a word takes it back, or leaves it open.
_UNSURE = caseless(
    r"\b(?:not |un)(?:needed|required|necessary|applicable)\b"
    r"|[:(\u2013\u2014-]\s*(?:no|none|false)\W*$|\b(?:if|unless|or)\b"
    r"|(?<=\w)\W.*\b(?:JUDGE|SET)\b"
)
#: Words of both answers that say nothing.
_OWN = own_words(
    "amendment amendments proposal proposals set judge number numbers value reading law"
)
#: By which law somebody owes, and what it holds.
_WHOSE = caseless(
    r"\W*(?:(?:by|under|per) (?:article|law) \d+"
    r"|(?:(?:s?he|they) )?holds? (?:(?:less|more|fewer) than )?\d+(?: \w+)?"
    r"|exempt(?:ed)?(?: \([^()]*\))?)\W*"
)
_OWED = own_words(
    """
    what she he they holds hold has owns all by article under owes owe share shares dues tax
    taxes name person percent of holdings goods possessions law article
    """
)
_NAMED_AT_ALL = re.compile(r"\bSET\b.*\d|\b(?:JUDGE|NOTHING)\b")
_BARE_SET = re.compile(r"(\w+)\s*[:=].*\d.*")
#: What stands between two things that a line says; possessive, so that it is read once.
_BETWEEN = re.compile(
    r"(?<![\s,;:|&+()\[\]\"\u2013\u2014])"
    r"(?:[\s,;:|&+()\[\]\"\u2013\u2014]|\.(?=\s)|-(?=\s)"
    r"|\b(?:and|then|also|with|plus|the rest)\b(?=\s))++(?=(?:SET|JUDGE|NOTHING)\b)"
)
#: What takes back what stands beside it, and a judge in other words.
_DENIES = caseless(r"\b(?:not|no|never|without|wrong|instead)\b|n't\b")
_JUDGED = caseless(r"\bjudge\b")
_NUMBER = r"(\d+(?:\.\d+)?)\s*(?:%|percent)"
#: How a remark behind a share begins that says why, of whom or in what, and what in it may say
#: another share, or that it is not owed now.
_WHY = (
    r"(?:because|since|as|for|given|who|which|whose|s?he|they|it|hers|his|their|its|per|under|by|so"
    r"|according|following|based|that is|i\.e\.|the|an?|all|no|standard|usual|normal|regular|full"
    r"|flat|basic|same|unchanged|rich|poor|hold\w*|has|have|having|own\w*|payable|due|of|in|on|with"
    r"|article|law|rule|tax|share|rate|exempt\w*|rounded|\d+)\b"
)
_CHANGES = (
    r"except\w*|but|exempt\w*|half|halv\w*|waive\w*|if|unless|only|or|plus|minus|nothing|owes?"
    r"|reduc\w*|rais\w*|lower\w+|increas\w*|decreas\w*|cut|doubl\w*|tripl\w*|twice|thrice|times"
    r"|quarter|third|cap|capped|max\w*|min|minimum|at (?:most|least)|up to|defer\w*|delay\w*"
    r"|postpon\w*|suspend\w*|already|instead|rather|actually|later|until|after|before|once|when|next|discount\w*"
    r"|rebate|deduct\w*|credit\w*|forgiv\w*|not"
)
#: What may stand behind a share, for it changes nothing of it.
_ASIDE = (
    r"(?:\s+of (?:all |the |their |his |her |its )?(?:holdings|goods|possessions|wealth|property"
    r"|what (?:\w+ )?(?:holds?|owns?|has|have)))?"
    r"(?:(?:\s*[(,;\u2013\u2014-]+\s*|\s+(?=because|since|as\b))"
    rf"{_WHY}(?!.*\b(?:{_CHANGES})\b)(?!.*\b(?:less|more|fewer|higher|lower)\b(?! than\b))"
    r"[^%]*)?"
)
#: A share without its sign, which is a part of 1; and what says that an answer has others.
_PART = caseless(
    r"(?:OWES:?\s++)?+(?P<name>\w++(?: else)?+)\s*+(?:[:=|\u2013\u2014-]\s*+|owes:?+\s++)?+"
    rf"(?P<part>-?(?:\d++(?:\.\d++)?+|\.\d++)){_ASIDE}"
)
_PERCENT = caseless(r"%|\bper ?cent")
#: A line of the form, and as it is said: ``OWES Ada 10 %``, ``Ada owes 10 percent``.
_OWES = caseless(
    rf"(?:OWES:?\s+([^%,;]+?)[\s:=]+{_NUMBER}|(\w+(?: else)?):? owes:? {_NUMBER}){_ASIDE}"
)
#: The same of somebody who owes nothing, and without the word.
_OWES_NOTHING = caseless(r"OWES:?\s+([^%,;]+?)[\s:=]+nothing|(\w+(?: else)?):? owes:? nothing")
_NAMED = caseless(
    rf"(\w[\w ]*?)\s*(?:[:=|\u2013\u2014-]|\s)\s*"
    rf"(?:{_NUMBER}|(?:nothing|none|exempt(?:ed)?|0)(?:\s*\(exempt\w*\))?)"
    rf"{_ASIDE}"
)
#: What only leads to who owes what, such as the name of an object's field.
_DUES_LEAD = caseless(
    r"(?:(?:the |my |final )?+(?:answer|result|verdict|ruling|judge?ment)\s*+[:=]\s*+"
    r"|(?:dues|shares?|taxes|tax)\b\s*+[:=]?\s*+)++"
)
#: What stands between two persons of whom one line says what they owe.
_AND_OWES = caseless(
    r"(?:\s*+(?:[,;]|\.(?=\s)|\b(?:and|while)\b)\s*+)++(?=(?:OWES|\w++(?: else)?+ owes)\b)"
    r"|\s++(?=(?-i:OWES)\b)"
)
#: ``Everyone owes 10 %, except Ada, who owes 0 %.``
_OF_EVERYBODY = caseless(rf"(?:OWES )?every(?:one|body)\b(?: owes)? {_NUMBER}")
_EXCEPTED = caseless(r",? except(?: for)? (\w+),? who owes ")
#: A line that is meant as one of the form, and what a line in words says that somebody owes.
_TRIED = re.compile(r"\W*OWES\b")


@dataclass(frozen=True)
class Due:
    """A share of 1 that somebody owes, and whether it was said in percent or in words."""

    name: str
    share: float
    has_sign: bool = True


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
    own = _OWN.union(limits, *(name.split("_") for name in limits))
    return alone(answer, lambda text: _read_compiled(text, amendments, limits), own, binds=True)


def _read_compiled(
    answer: str, amendments: Sequence[Amendment], limits: Limits
) -> tuple[Amendment, ...]:
    found = sections(answer) or items(answer)
    missing = [one.number for one in amendments if one.number not in found]
    if missing:
        raise AnswerError(f"there is nothing under ***Amendment{missing[0]}***")
    unknown = set(found) - {one.number for one in amendments}
    if unknown:
        raise AnswerError(f"there is no amendment {min(unknown)}; write all of one under its head")
    return tuple(_compiled(one, found[one.number], limits) for one in amendments)


def _compiled(amendment: Amendment, said: Sequence[str], limits: Limits) -> Amendment:
    sets: dict[str, float] = {}
    words: set[str] = set()
    is_hinted = False
    split = [_parts(line) for line in said]
    for whole, is_alone in ((part.strip(' "[],'), len(of) == 1) for of in split for part in of):
        part = _LEAD.sub("", whole, count=1) if _LEAD.match(whole) else whole
        bare = _BARE_SET.fullmatch(part)
        line = f"SET {part}" if bare and bare[1].lower() in limits else part
        word = _WORD.fullmatch(part)
        if word is not None and not _UNSURE.search(part):
            words.add(word["word"].upper())
        elif found := read_set(amendment.number, line, limits):
            if sets.setdefault(*found) != found[1]:
                raise AnswerError(f"Amendment{amendment.number} sets {found[0]} twice")
        elif _JUDGED.search(part) and not (_NAMED_AT_ALL.search(part) or _DENIES.search(part)):
            is_hinted = True
        elif _NAMED_AT_ALL.search(part) or _denies(part, is_alone) or _JUDGED.search(part):
            raise AnswerError(f"{_where(amendment)} write {_FORMS}, on a line of its own")
    if (not sets and not words) or (is_hinted and JUDGE not in words):
        raise AnswerError(f"{_where(amendment)} there must be {_FORMS}")
    if NOTHING in words and (sets or JUDGE in words):
        raise AnswerError(f"{_where(amendment)} there is {NOTHING}, and more; write {_FORMS}")
    if not amendment.sets:
        _check_shares(amendment, sets, limits)
    return replace(amendment, sets=dict(amendment.sets) or sets, is_judged=JUDGE in words)


def _check_shares(amendment: Amendment, sets: Mapping[str, float], limits: Limits) -> None:
    """Refuse one share for all where an amendment's words may limit it, or say another.

    Raises:
        AnswerError: they do; a judge can apply them.
    """
    try:
        check_shares(amendment.number, amendment.text, sets, limits)
    except AnswerError as error:
        told = (
            "its words say another number (say the same in both), or may limit it: then write "
            "JUDGE for it alone"
        )
        raise AnswerError(f"{_where(amendment)} {told}") from error


def _parts(line: str) -> list[str]:
    """Return a line in parts, of which each but the first begins with SET or one of the words."""
    parts, at = [], 0
    for gap in _BETWEEN.finditer(line):
        if gap[0].strip():  # a space alone leaves a sentence whole
            parts.append(line[at : gap.start()])
            at = gap.end()
    return [*parts, line[at:]]


def _denies(part: str, is_alone: bool) -> bool:
    """Whether a part of a line may take back another."""
    return not is_alone and bool(_DENIES.search(part))


def _where(amendment: Amendment) -> str:
    return f"under ***Amendment{amendment.number}***"


def read_dues(answer: str, names: Sequence[str]) -> Mapping[str, float]:
    """Return what share of 1 a law asks of each person, as a judge applied it.

    Args:
        answer: a line ``OWES name share %`` for each person, or for ``EVERYBODY`` who has none.
        names: the persons.

    Raises:
        AnswerError: a line about what somebody owes is of no form, somebody is missing or unknown,
            or a share is more than all.
    """
    own = _OWED.union((EVERYBODY.casefold(),), map(str.casefold, names))
    found, called = _read_dues(answer, names), _called(names)
    agreeing = [  # what is said of all, and of some once more
        re.escape(line)
        for line in lines(answer)
        if (dues := _dues_in(line, called))
        and all(one.share == found.get(one.name, one.share) for one in dues)
    ]
    beside = caseless("|".join((_WHOSE.pattern, *agreeing)))
    return alone(answer, lambda text: _read_dues(text, names), own, beside=beside, binds=True)


def _called(names: Sequence[str]) -> Mapping[str, str]:
    """Return persons' own names, and everybody's, by how they may be written."""
    called = {name.casefold(): name for name in (EVERYBODY, *names)}
    return called | dict.fromkeys(("everybody else", "everyone", "everyone else"), EVERYBODY)


def _read_dues(answer: str, names: Sequence[str]) -> Mapping[str, float]:
    called = _called(names)
    said = [(line, _dues_in(line, called)) for line in lines(answer)]
    dues = [due for _, found in said for due in found]
    _check_units(answer, [due.share for due in dues if not due.has_sign and due.share])
    shares = _shares(dues)
    others = "|".join(re.escape(name) for name in names if name not in shares) or "(?!)"
    named = caseless(rf".*\b(?:{others})\b.*")  # of whom nothing is said but in words
    unread = (line for line, found in said if not found)
    tried = next((line for line in unread if _TRIED.match(line) or named.fullmatch(line)), "")
    if tried:
        raise AnswerError(
            f"{tried[:60]!r} is not of the form {_OWES_FORM}; write these lines "
            "alone, one for each person of whom you say anything"
        )
    unknown = sorted(set(shares) - {EVERYBODY, *names})
    if unknown:
        raise AnswerError(f"there is nobody called {unknown[0]}")
    if any(share > 1 for share in shares.values()):
        raise AnswerError("a share is from 0 to 100 %")
    missing = [name for name in names if name not in shares]
    if missing and EVERYBODY not in shares:
        raise AnswerError(f"there is no line OWES {missing[0]} … %, nor OWES {EVERYBODY} … %")
    return {name: shares.get(name, shares.get(EVERYBODY, 0.0)) for name in names}


def _check_units(answer: str, bare: Sequence[float]) -> None:
    """Take numbers without a sign for parts of 1 only where nothing else can be meant.

    Raises:
        AnswerError: one may be percent, because other numbers are, or because it is 1 or more.
    """
    if bare and (_PERCENT.search(answer) or not all(0 < number < 1 for number in bare)):
        raise AnswerError(
            f"nobody knows whether {bare[0]:g} is percent; write {_OWES_FORM}, in percent with its "
            "sign, such as 20 %"
        )


def _shares(dues: Iterable[Due]) -> dict[str, float]:
    """Return shares by name.

    Raises:
        AnswerError: somebody has two.
    """
    shares: dict[str, float] = {}
    for due in dues:
        if shares.setdefault(due.name, due.share) != due.share:
            raise AnswerError(f"{due.name} owes two different shares")
    return shares


def _dues_in(line: str, called: Mapping[str, str]) -> list[Due]:
    """Return the shares of 1 in a line, by name; none, unless all of it is of the form."""
    lead = _DUES_LEAD.match(line.lstrip("\" '"))
    bare = line.lstrip("\" '")[lead.end() :] if lead else line
    bare = _EXCEPTED.sub(r", \1 owes ", bare) if _OF_EVERYBODY.match(bare) else bare
    whole = _due(bare, called)
    if whole is not None:
        return [whole]
    parts = [_due(part, called) for part in _AND_OWES.split(bare)]
    return [part for part in parts if part is not None] if all(parts) else []


def _due(text: str, called: Mapping[str, str]) -> Due | None:
    bare = text.strip("\" .;,'")
    found = _OWES.fullmatch(bare) or _OWES_NOTHING.fullmatch(bare)
    if found is None and (named := _NAMED.fullmatch(bare)) is not None:
        found = named if named[1].casefold() in called else None
    if found is not None:
        said, percent = (*(part for part in found.groups() if part), "0")[:2]
        return Due(called.get(said.casefold(), said), float(percent) / 100)
    bare_number = _PART.fullmatch(bare)
    if bare_number is None or bare_number["name"].casefold() not in called:
        return None
    name = called[bare_number["name"].casefold()]
    return Due(name, float(bare_number["part"]), has_sign=False)
