"""Reading terms of an agreement: which promises and payments they hold in the forms of a world.

All terms are in forms, or none is. Words beside a form could limit it, whatever they are and
wherever they stand (``If …, Ada pays Bo 5``, ``Not agreed: …``, a last line ``Only in spring``), so
terms that hold both are asked for again. So is a promise that asks nothing, that nobody can keep or
that is said twice in different ways. Terms that are in no form at all bind by word only.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from bots.structured import AnswerError, plain
from judge.clause_sense import kind_of, sense_of
from judge.contract import ContractError, Terms
from judge.deeds import Account, Deeds, Form
from judge.formal import Clause, parse_clauses
from judge.promises import Commitments, Promise
from records.text import caseless

#: No agent does anything so often in any game.
MOST_COUNTED = 100_000
#: A promise holds for at most so many rounds more.
MOST_ROUNDS = 1000
#: In an agreement at most so many promises bind, and so many payments.
MOST_PROMISES = 4

#: Returns how often anybody can do what a form is about, to a thing, in a round, or, where nothing
#: says so, has done it so far; None: nobody knows that yet.
Most = Callable[[Form, int], int | None]

#: What who offers terms, and whom it offers them to, may be called.
_SPEAKING = (("i", "me"), ("you",))
#: What may stand before promises in their line, or above them.
_LEADS = caseless(
    r"(?:(?:our|the|my|this) )?(?:terms|agreement|deal|offer|proposal|promise)s?(?: (?:is|are))?"
    r"|(?:i|we) (?:both )?(?:propose|offer|agree|promise)(?: (?:that|the following|this))?"
    r"|\(?(?:\d{1,2}|[a-h])[.)]?|and"
)
#: What counts a line of terms.
_COUNTED = caseless(
    r"^\W*(?:\(?(?:\d{1,2}|[a-h])[.)]|(?:term|point|promise|item|article|clause) \d{1,2}\W)\s*"
)
_LINES = re.compile(r"[\n;]|<br\s*/?>", re.IGNORECASE)
#: Between items that are counted in one line.
_ITEMS = re.compile(
    r"(?<=\d)\.\s+(?=\d{1,2}[.)]\s)|(?<=[.:,])\s+(?=\d{1,2}[.)]\s)|\s+(?=\(?(?:\d{1,2}|[a-h])\)\s)"
)


def as_often_as_told(form: Form, _thing: int) -> int | None:
    """Return how often anybody can do what a form is about, as the form itself has it."""
    return form.most


def terms_of(account: Account, players: Sequence[str], things: Iterable[int]) -> Terms:
    """Return what payments may name in a world."""
    counts = dict.fromkeys(Deeds(account).counts(players, things), MOST_COUNTED)
    return Terms(players, {}, counts=counts)


def read_commitments(
    account: Account,
    text: str,
    parties: Sequence[str],
    things: Iterable[int],
    now: int,
    most: Most = as_often_as_told,
) -> Commitments:
    """Return what terms hold in forms: all of them, or nothing, where they are words.

    Args:
        account: what the world lends.
        text: the terms: lines, items of a list, or parts between semicolons.
        parties: who offered, and who accepted; nobody else can be bound.
        things: the numbers of the things there are.
        now: the round that is played.
        most: how often anybody can do something in a round.

    Raises:
        AnswerError: they are partly in forms, or a promise makes no sense; the message says why, to
            who offered them.
    """
    reading = _Reading(account, parties, tuple(things), terms_of(account, parties, things))
    found, left = reading.terms(text)
    if not found:
        return Commitments()
    if left:
        raise AnswerError(
            f"{str(found[0])!r} is in a form that is checked, and {left[0][:80]!r} is in none, and "
            f'could limit it; put all "Terms" into these forms, or none of them: '
            f"{'; '.join(account.promises)}"
        )
    promises: dict[object, Promise] = {}
    for one in found:
        if isinstance(one, Promise):
            if complaint := _complaint(one, now, most(one.form, one.thing)):
                raise AnswerError(f'"{one}": {complaint}')
            if promises.setdefault(one.about, one) != one:
                raise AnswerError(f'"{promises[one.about]}" and "{one}": promise it once')
    payments = dict.fromkeys(one for one in found if isinstance(one, str))
    if max(len(promises), len(payments)) > MOST_PROMISES:
        raise AnswerError(f'"Terms" hold at most {MOST_PROMISES} promises and so many payments')
    clauses = parse_clauses("\n".join(payments), reading.payable) if payments else None
    _refuse_two_amounts(clauses.clauses if clauses else (), reading.payable)
    return Commitments(tuple(promises.values()), clauses)


def _refuse_two_amounts(clauses: Sequence[Clause], terms: Terms) -> None:
    """Refuse two amounts for the same under the same condition: one of them must be meant.

    Raises:
        AnswerError: there are some.
    """
    known: dict[object, Clause] = {}
    for one in clauses:
        condition = ast.unparse(one.condition) if one.condition else ""
        other = known.setdefault((*kind_of(one, terms), condition), one)
        if sense_of(other, terms) != sense_of(one, terms):
            raise AnswerError(f'"{other}" and "{one}": say once how much is paid')


def _complaint(promise: Promise, now: int, most: int | None) -> str:
    """Return why a promise cannot be one; empty: it can."""
    if not now <= promise.until <= now + MOST_ROUNDS:
        return f"it is round {now}, and a promise is until then or one of the next {MOST_ROUNDS}"
    rounds = promise.until - now + 1
    if promise.form.at_least:
        if promise.number == 0:
            return "to do something 0 times or more asks nothing"
        limit = promise.form.most
        can_be = limit is None or promise.number <= limit * rounds
        return "" if can_be else f"nobody can do that more than {limit} times in a round"
    if promise.number == 0 or (most is not None and promise.number < most * rounds):
        return ""
    if most is None:
        return "nobody knows yet how often that can be done in a round; promise 0, or later"
    told = "can do" if promise.form.most is not None else "has done"
    return f"it asks nothing: nobody {told} more than {most} of that in a round"


@dataclass(frozen=True)
class _Reading:
    """Reads terms by the forms of a world."""

    account: Account
    parties: Sequence[str]
    things: Sequence[int]
    payable: Terms

    @property
    def _known(self) -> dict[str, str]:
        """The parties, by what they may be called."""
        spoken = {
            word: name
            for name, words in zip(self.parties, _SPEAKING, strict=False)
            for word in words
        }
        return spoken | {name.lower(): name for name in self.parties}

    def terms(self, text: str) -> tuple[list[Promise | str], list[str]]:
        """Return promises and payments, and the lines that are in no form."""
        found: list[Promise | str] = []
        left = []
        subject = ""
        for line in _LINES.split(text):
            bare = _bare(line)
            name = self._known.get(bare.lower())
            if name or not bare or _LEADS.fullmatch(bare):
                subject = name or subject
                continue
            own = self._of(subject, line) if subject else self._line(line)
            found += own
            left += [] if own else [bare]
        return found, left

    def _of(self, name: str, said: str) -> list[Promise | str]:
        """Return what somebody's name above or before it promises: all of it by that one."""
        whole = self._line(said) or self._line(f"{name} {_bare(said)}")
        return whole if all(_by(one) == name for one in whole) else []

    def _line(self, line: str) -> list[Promise | str]:
        """Return the promises and payments of a line, where all of it is in forms; else none."""
        names = "|".join(map(re.escape, self._known))
        named = caseless(
            rf"[\W_]*(?P<name>{names})[*_`\"']*\s*[:|\u2013\u2014][*_`\"']*\s*(?P<said>.+)"
        )
        before = named.fullmatch(line)
        if before is not None:
            return self._of(self._known[before["name"].lower()], before["said"])
        whole = self._form(_bare(line))
        if whole:
            return whole
        parts = [part for item in _ITEMS.split(line) for part in self._parts(item)]
        if len(parts) < 2:
            return self._form(parts[0]) if parts else []
        found = [self._form(part) for part in parts]
        return [one for part in found for one in part] if all(found) else []

    def _parts(self, line: str) -> list[str]:
        """Return the parts of a line: sentences, or with names after a comma or and."""
        names = "|".join(map(re.escape, self._known))
        between = caseless(
            rf"(?:,\s*(?:and\s+)?|\s+(?:and|&)\s+|[.:]\s+)(?=[\"'*`]*(?:{names})\s)|(?<=\d)\.\s+"
        )
        parts = (_bare(part) for part in between.split(line))
        return [part for part in parts if part and not _LEADS.fullmatch(part)]

    def _form(self, part: str) -> list[Promise | str]:
        for told in self.account.promises:  # a form is told with what holds for it anyway
            remark = re.search(r"\s\([^()]*\)$", told)
            part = part.removesuffix(remark[0]) if remark else part
        promise = self._promise(part)
        return [promise] if promise else list(self._payments(part))

    def _promise(self, part: str) -> Promise | None:
        for form in self.account.forms:
            found = form.pattern.fullmatch(part)
            if found is None:
                continue
            said = found.groupdict()
            by, other = (self._known.get(said.get(g, "").lower(), "") for g in ("by", "other"))
            number, thing = int(said.get("number", 0)), int(said.get("thing", 0))
            is_known = by and by != other and ("other" not in said or other)
            if is_known and ("thing" not in said or thing in self.things):
                return Promise(form, by, int(said["until"]), number, thing, other)
        return None

    def _payments(self, part: str) -> list[str]:
        with suppress(ContractError):
            return list(parse_clauses(part, self.payable).lines)
        return []


def _by(one: Promise | str) -> str:
    """Return who promises or pays."""
    return one.by if isinstance(one, Promise) else one.partition(" ")[0]


def _bare(part: str) -> str:
    said = " ".join(plain(part).split()).strip(" .,:*-\"'")
    return _COUNTED.sub("", said).strip(" .,:*-\"'")
