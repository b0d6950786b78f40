"""A constitution, amendments, ballots, and how a vote becomes law.

A constitution is a text with numbers in it that the world goes by. Amendments are proposed under
lines ``***Amendment1***``, ``***Amendment2***`` …; lines ``SET name = number`` in one say which
numbers it changes. A ballot is a list of yes, no or abstain, one for each amendment in their order.
Source of the procedure and its wire formats: Altera.AL, "Project Sid" (2024).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from bots.structured import (
    AnswerError,
    lines,
    plain,
    refuse_taken_back,
    said_text,
    without_former,
    without_leave,
)
from judge.amendment_objects import objects_alone, with_sets
from judge.amendment_remarks import closes, refuse_of_them, without_remarks
from judge.amendment_shares import IN_WORDS, check_shares, is_share, without_why
from records.text import caseless, one_line

Choice = Literal["yes", "no", "abstain"]
CHOICES: tuple[Choice, ...] = ("yes", "no", "abstain")
#: Of the numbers of a constitution that amendments can set: the least and the greatest.
Limits = Mapping[str, tuple[float, float]]
MOST_AMENDMENTS = 9
MAX_CHARACTERS = 600
#: How a number of the constitution is set.
SET_FORM = "SET name = number"
#: The text of an amendment without words.
NUMBERS_ALONE = "Change the numbers of the constitution."
#: What a ballot says of an amendment that numbers do not say.
JUDGED = "(A judge applies these words to everybody, each time that the law is applied.)"

#: A head in any dress, perhaps with the amendment's first words behind a colon.
_HEAD = caseless(r"Amendment\s*#?\s*(\d+)\W*(?:[:.\u2013\u2014-]\s*(?P<rest>\S.*))?")
#: A number that is set, as a whole: what goes on as a number does not end it.
_SET = caseless(
    r"SET\s+(?P<name>[a-z]\w*(?: (?!to\b)[a-z]\w*)?)(?:\s*(?:=|:|\bto\b)\s*|\s+)"
    r"(?P<number>-?(?:\d+(?:\.\d+)?|\.\d+))"
    r"(?![\d]|[.,/:]\d)\s*(?P<percent>%|percent\b)?(?P<remark>.*)"
)
_BARE = re.compile(r"(?P<name>\w+)\s*=\s*[\d.]")
_TRIED = caseless(r"SET\s+(?P<name>\w+(?: (?!to\b)\w+)?)\s*(?:=|:|\bto\b)")
_NAMED = re.compile(r"SET\s+(\w+)(?: (\w+))?")
_SETS = re.compile(r"\W*SET\b.*(?:[=:]|\bto\b).*\d")
#: What may stand behind a number that is set, for it says nothing that the number does not.
_SAME = (
    r"for (?:everyone|everybody|all|each person|the (?:whole )?village)|(?:per|each|every) season"
    r"|(?:(?:starting|effective|valid|as of|beginning|from)\s+)*(?:the )?next season|from now on"
    r"|(?:effective )?immediately|at once|of (?:all |their )?(?:holdings|goods|possessions)"
    r"|(?:that is|i\.e\.)|(?:a |one )?(?:tenth|fifth|quarter|half)|(?:five|ten|twenty) percent"
    r"|[\d.]+ ?(?:%|percent)?"
)
_REMARK = caseless(rf"(?:[\s,;.:#()\[\]\u2013\u2014-]|\b(?:{_SAME})(?!\w))*+")
#: An answer that proposes nothing.
_NONE = caseless(
    r"none|no (?:new |further )?(?:amendments?|changes?)"
    r"(?: (?:are|is) (?:needed|necessary|proposed))?"
)
#: A number of a list that is not within another, and words before a number that is set.
_NUMBER = re.compile(r"^ ?(?:\*\*)?\(?(\d{1,2})[.):]\s+")
_BEFORE_SET = re.compile(r"(?<=[.!])\s+(?=SET\s+\w+(?: \w+)?\s*[=:])")
_WITHIN = re.compile(r"\bSET\s+\w+(?: \w+)?\s*[=:]\s*[\d.]|\b(?P<name>\w+)\s*=\s*[\d.]")
#: Words that lead on to what is set, and may make it hang on something.
_LEADS_ON = re.compile(r"[,:;\u2013\u2014-]\s*$")
#: A condition that begins a sentence, with nothing that follows from it, or no stop behind it.
_CONDITION = caseless(
    r"(?:.*[.!?])?\W*(?:only )?(?:if|unless|when(?:ever)?|once|until|while|as long as|provided"
    r"|in case|except|assuming|subject to)\b(?:[^,.!?]*\W*|[^.!?]*[^.!?\s])"
)
#: What says below a number that is set that it is not, or not yet.
_LIMITS = caseless(
    r"\W*(?:this|that|the (?:above|number|line|change|rate))\b"
    r".*\b(?:only|propos\w+|examples?|drafts?|later|next|until|after|if|unless|not)\b.*"
)


@dataclass(frozen=True)
class Amendment:
    """One proposal.

    Attributes:
        number: on the ballot.
        text: its words.
        sets: the numbers of the constitution that it changes.
        is_judged: whether it says more than numbers do, so that a judge must apply its words.
    """

    number: int
    text: str
    sets: Mapping[str, float] = field(default_factory=dict)
    is_judged: bool = False

    def __str__(self) -> str:
        """Return the amendment as it stands on a ballot."""
        lines = [f"***Amendment{self.number}***", self.text]
        lines += (f"SET {name} = {value:g}" for name, value in self.sets.items())
        if self.is_judged:
            lines.append(JUDGED)
        return "\n".join(lines)


@dataclass(frozen=True)
class Constitution:
    """The law.

    Attributes:
        articles: in words.
        parameters: the numbers that hold.
        limits: the least and the greatest that amendments can set each number to.
        version: counts enactments, from 1.
        is_judged: whether a judge must apply its words, because its numbers do not say all.
    """

    articles: tuple[str, ...]
    parameters: Mapping[str, float]
    limits: Limits
    version: int = 1
    is_judged: bool = False

    def __str__(self) -> str:
        """Return the constitution as everybody is told it."""
        articles = [f"{number}. {text}" for number, text in enumerate(self.articles, start=1)]
        return "\n".join([*articles, *(f"{name} = {v:g}" for name, v in self.parameters.items())])


@dataclass(frozen=True)
class Tally:
    """The count of one amendment. It passes with more yes than no."""

    number: int
    yes: int
    no: int
    abstain: int

    @property
    def passed(self) -> bool:
        """Whether more were for it than against it."""
        return self.yes > self.no


def read_amendments(answer: str, limits: Limits, most: int = MOST_AMENDMENTS) -> list[Amendment]:
    """Return the amendments of an answer, numbered from 1 in their order, the first ``most``.

    They stand under heads or are the items of a numbered list; ``NONE`` proposes nothing.

    Raises:
        AnswerError: there is none, one is empty, or one sets what cannot be set.
        UnconfirmedError: words stand behind objects, and the same was not said before.
    """
    return objects_alone(answer, lambda own: _read_amendments(own, limits, most))


def _read_amendments(answer: str, limits: Limits, most: int) -> list[Amendment]:
    refuse_of_them(lines(answer))
    answer = with_sets(answer, limits)
    found = list((sections(answer) or items(answer)).values())
    bodies = [body for body in found if not (body and all(map(_is_none, body)))]
    if not bodies:
        said = without_leave(lines(answer))
        last = said[-1].rpartition(". ")[2] if said and not re.search(r"\d", said[-1]) else ""
        if found or any(map(_is_none, (*said[:1], *said[-1:]))) or last.strip(" .!") == "NONE":
            return []
        raise AnswerError("there is no line ***Amendment1***")
    return [_amendment(number, body, limits) for number, body in enumerate(bodies[:most], start=1)]


def _is_none(line: str) -> bool:
    """Whether a line says that nothing is proposed."""
    return bool(_NONE.fullmatch(line.rstrip(".! ")))


def sections(answer: str) -> dict[int, list[str]]:
    """Return the lines under each head such as ``***Amendment1***``, by its number.

    What takes leave at the answer's end is in none.

    Raises:
        AnswerError: a number stands over two of them.
    """
    part = _sections(lines(answer))
    return part if 1 in part else _sections(lines(answer, whole=True))


def _sections(said: Sequence[str]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    body: list[str] | None = None
    for line in without_leave(said):
        head = _HEAD.fullmatch(line.replace("*", ""))
        if head is not None:
            if found.get(int(head[1])):
                raise AnswerError(f"Amendment{head[1]} stands twice; give each its own number")
            body = found.setdefault(int(head[1]), [])
            body += [head["rest"]] if head["rest"] else []
        elif body is not None:
            body.append(line)
    while body and body[1:] and closes(body[-1]):
        body.pop()
    return found


def items(answer: str) -> dict[int, list[str]]:
    """Return the lines of each item of a list that is numbered 1, 2, …; empty: there is none."""
    found: dict[int, list[str]] = {}
    for line in said_text(answer).splitlines():
        number = _NUMBER.match(line)
        if number is not None and int(number[1]) == len(found) + 1:
            found[len(found) + 1] = [plain(line)]
        elif number is not None:
            return {}
        elif found and plain(line):
            found[len(found)].append(plain(line))
    if found:
        found[len(found)] = without_leave(found[len(found)])
    return found


def _amendment(number: int, body: Sequence[str], limits: Limits) -> Amendment:
    sets: dict[str, float] = {}
    said: list[str] = []
    is_below = False
    for line in (part for whole in without_remarks(body) for part in _BEFORE_SET.split(whole)):
        found = read_set(number, line, limits)
        within = _WITHIN.search(line) if found is None else None
        is_set = within and (within["name"] is None or within["name"].lower() in limits)
        hangs = _hangs(said, found is not None, is_below and line)
        if is_set or hangs:
            raise AnswerError(
                f"Amendment{number}: write {SET_FORM} on a line of its own, which holds in any case"
            )
        if found is None:
            said.append(line)
        elif sets.setdefault(*found) != found[1]:
            raise AnswerError(f"Amendment{number} sets {found[0]} twice")
        is_below = found is not None
    words = one_line("\n".join(said))[:MAX_CHARACTERS]
    words = without_why(words) if is_share(sets, limits) else words
    check_shares(number, words, sets, limits)
    refuse_taken_back(words)
    if not words and not sets:
        raise AnswerError(f"Amendment{number} is empty")
    return Amendment(number, words or NUMBERS_ALONE, sets)


def _hangs(said: Sequence[str], is_set: bool, below: str | bool) -> bool:
    """Whether a number that is set hangs on the words before it or on the line below it."""
    if is_set and said:
        return bool(_LEADS_ON.search(said[-1]) or _CONDITION.fullmatch(said[-1]))
    return isinstance(below, str) and bool(_CONDITION.fullmatch(below) or _LIMITS.fullmatch(below))


def read_set(amendment: int, line: str, limits: Limits) -> tuple[str, float] | None:
    """Return the name and value of a line ``SET name = number``; None: it is none.

    A remark may stand behind the number. Numbers in it are the same one (``0.1 (10 %)``) or what
    held before (``0.1 (currently 0.2)``), and it makes no condition.

    Raises:
        AnswerError: it is nearly such a line, or sets what cannot be set.
    """
    text = without_former(line).strip(" ()[].")
    bare = _BARE.match(text)
    if bare is not None and bare["name"].lower() in limits:
        text = f"SET {text}"
    found = _SET.fullmatch(text)
    if found is None:
        tried = _TRIED.match(text)
        if (
            _SETS.match(text)
            or (tried and tried["name"].lower().replace(" ", "_") in limits)
            or _names_one(text, limits)
        ):
            raise AnswerError(f"Amendment{amendment}: write it as {SET_FORM}")
        return None
    number, remark = float(found["number"]), found["remark"]
    value = number / 100 if found["percent"] else number
    same = (f"{value:g}", f"{number:g}", f"{100 * value:g}")
    others = [n for n in re.findall(r"[\d.,/]*\d", remark) if n.lstrip("0") not in _bare(same)]
    others += [w for w, said in IN_WORDS.items() if w in remark.lower() and said != value]
    if others or not _REMARK.fullmatch(remark):
        raise AnswerError(f"Amendment{amendment}: write it as {SET_FORM}, with nothing behind it")
    name = "_".join(found["name"].lower().split())
    return name, in_limits(amendment, name, value, limits)


def _names_one(line: str, limits: Limits) -> bool:
    """Whether a line says SET and then the name of a number, in one word or two."""
    named = _NAMED.match(line)
    words = [word.lower() for word in named.groups() if word] if named else []
    return bool(words) and (words[0] in limits or "_".join(words) in limits)


def _bare(numbers: Sequence[str]) -> set[str]:
    return {number.lstrip("0") for number in numbers}


def in_limits(amendment: int, name: str, value: float, limits: Limits) -> float:
    """Return a number that an amendment sets.

    Raises:
        AnswerError: it cannot be set, or not so low or high.
    """
    if name not in limits:
        known = ", ".join(limits)
        raise AnswerError(f"Amendment{amendment} sets {name}; what can be set: {known}")
    low, high = limits[name]
    if not low <= value <= high:
        raise AnswerError(f"Amendment{amendment}: {name} must be from {low:g} to {high:g}")
    return value


class Election:
    """One vote: who may cast a ballot does so once."""

    def __init__(self, amendments: Sequence[Amendment], voters: Iterable[str]) -> None:
        self.amendments = tuple(amendments)
        self.voters = frozenset(voters)
        self.ballots: dict[str, tuple[Choice, ...]] = {}

    def cast(self, voter: str, ballot: Sequence[Choice]) -> None:
        """Count a voter's ballot.

        Raises:
            ValueError: the voter has no vote or has voted, or the ballot has another length.
        """
        if voter not in self.voters:
            raise ValueError(f"{voter} has no vote")
        if voter in self.ballots:
            raise ValueError(f"{voter} has voted already")
        if len(ballot) != len(self.amendments):
            raise ValueError(f"the ballot of {voter} has {len(ballot)} choices")
        self.ballots[voter] = tuple(ballot)

    def tally(self) -> list[Tally]:
        """Return the count of each amendment."""
        return tally(self.ballots.values(), len(self.amendments))


def tally(ballots: Iterable[Sequence[str]], amendments: int) -> list[Tally]:
    """Return the count of ballots; from a record this audits what was announced."""
    cast = list(ballots)
    counts = [Counter(ballot[k] for ballot in cast) for k in range(amendments)]
    return [
        Tally(number, count["yes"], count["no"], count["abstain"])
        for number, count in enumerate(counts, start=1)
    ]


def enact(
    constitution: Constitution, amendments: Sequence[Amendment], tallies: Sequence[Tally]
) -> Constitution:
    """Return the constitution with all that passed.

    Where several that passed set the same number, the one with the greatest majority holds, of
    equals the one proposed first.
    """
    passed = [
        (amendment, count)
        for amendment, count in zip(amendments, tallies, strict=True)
        if count.passed
    ]
    if not passed:
        return constitution
    numbers = dict(constitution.parameters)
    for amendment, _ in sorted(
        passed, key=lambda pair: (pair[1].yes - pair[1].no, -pair[0].number)
    ):
        numbers.update(amendment.sets)
    words = tuple(amendment.text for amendment, _ in passed)
    return replace(
        constitution,
        articles=(*constitution.articles, *words),
        parameters=numbers,
        version=constitution.version + 1,
        is_judged=constitution.is_judged or any(one.is_judged for one, _ in passed),
    )


def changes(before: Constitution, after: Constitution) -> tuple[str, ...]:
    """Return what a new constitution changed, a short phrase each: numbers, then articles."""
    numbers = [
        f"{name} was {before.parameters[name]:g} and is {value:g}"
        for name, value in after.parameters.items()
        if before.parameters.get(name) != value
    ]
    first = len(before.articles) + 1
    articles = [f"article {number} is new" for number in range(first, len(after.articles) + 1)]
    return (*numbers, *articles)
