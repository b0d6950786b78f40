"""Plans: the fixed vocabulary that minds on the grid answer with."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bots.structured import AnswerError, last_reading, lines

Verb = Literal[
    "GATHER",
    "CRAFT",
    "DUMP",
    "EXPLORE",
    "GO",
    "WAIT",
    "JOIN",
    "BARGAIN",
    "PROPOSE",
    "ACCEPT",
    "END",
    "SIGNAL",
    "AWAIT",
    "REPEAT",
]

#: Whom a signal may be for, and from, besides a player's name.
ALL, ANYONE = "ALL", "ANYONE"

#: What each plan looks like; the last line of an answer that matches one counts.
_FORMS: dict[Verb, re.Pattern[str]] = {
    "GATHER": re.compile(
        r"GATHER (?P<count>\d+)(?: UNITS? OF)? (?P<what>\w+(?: \w+){0,2}?)"
        r"(?: KEEPING (?P<keep>\d+))?(?: UNTIL (?P<until>\w+))?",
        re.IGNORECASE,
    ),
    "CRAFT": re.compile(r"CRAFT (?P<count>\d+) (?P<what>\w+(?: \w+){0,2}?)", re.IGNORECASE),
    "DUMP": re.compile(r"DUMP (?P<count>\d+) (?P<what>\w+(?: \w+){0,2}?)", re.IGNORECASE),
    "EXPLORE": re.compile(r"EXPLORE(?:(?: THE)? MAP)?", re.IGNORECASE),
    "GO": re.compile(
        r"GO(?: TO)? [(\[]?(?:row|x)?[ =]*(?P<x>-?\d+), ?"
        r"(?:column|col|z|y)?[ =]*(?P<y>-?\d+)[)\]]?",
        re.IGNORECASE,
    ),
    "WAIT": re.compile(r"WAIT", re.IGNORECASE),
    "JOIN": re.compile(r"JOIN(?: GROUP)? (?P<count>\d+)", re.IGNORECASE),
    "BARGAIN": re.compile(r"BARGAIN(?: WITH)?(?: AGENT)? (?P<count>\d+)", re.IGNORECASE),
    "PROPOSE": re.compile(r"PROPOSE 0?\.(?P<count>[1-9])0?", re.IGNORECASE),
    "ACCEPT": re.compile(r"ACCEPT", re.IGNORECASE),
    "END": re.compile(r"END", re.IGNORECASE),
    "SIGNAL": re.compile(r"SIGNAL (?P<who>\w+)", re.IGNORECASE),
    "AWAIT": re.compile(r"WAIT FOR (?P<who>\w+)", re.IGNORECASE),
    "REPEAT": re.compile(r"REPEAT", re.IGNORECASE),
}
#: What may stand before a plan: the paper's "Plan:", and what models call it.
_LEAD = re.compile(
    r"(?:(?:my|the|final|next|chosen|best|so|i|will|\[?plan\]?|answer|action|decision|choice|step)\b"
    r"[\s:=\]>-]*(?:is\b[\s:]*)?)+",
    re.IGNORECASE,
)
#: The plan of an answer that is a JSON object.
_PLAN_FIELD = re.compile(
    r'"(?:plan|action|answer|choice|decision)"\s*:\s*"([^"\n]*)"', re.IGNORECASE
)

_WORDS: dict[Verb, str] = {
    "GATHER": "GATHER {count} {what}",
    "CRAFT": "CRAFT {count} {what}",
    "DUMP": "DUMP {count} {what}",
    "EXPLORE": "EXPLORE MAP",
    "GO": "GO TO ({row}, {column})",
    "WAIT": "WAIT",
    "JOIN": "JOIN GROUP {count}",
    "BARGAIN": "BARGAIN WITH {count}",
    "PROPOSE": "PROPOSE 0.{count}",
    "ACCEPT": "ACCEPT",
    "END": "END",
    "SIGNAL": "SIGNAL {what}",
    "AWAIT": "WAIT FOR {what}",
    "REPEAT": "REPEAT",
}


@dataclass(frozen=True)
class Plan:
    """What to do: ``count`` units of ``what``, or a group's, agent's or offer's number.

    To signal, and to wait for a signal, ``what`` is a player, or ALL and ANYONE. ``keep``: units
    that stay where they grow, at each place. ``until``: the player whose signal ends the plan.
    REPEAT starts a program anew.
    """

    verb: Verb
    count: int = 0
    what: str = ""
    place: tuple[int, int] = (0, 0)
    keep: int = 0
    until: str = ""

    def __str__(self) -> str:
        row, column = self.place
        text = _WORDS[self.verb].format(count=self.count, what=self.what, row=row, column=column)
        text += f" KEEPING {self.keep}" if self.keep else ""
        return text + (f" UNTIL {self.until}" if self.until else "")


def read_plan(
    answer: str,
    resources: Sequence[str],
    players: Sequence[str] = (),
    refuse: Callable[[Plan], str] = lambda _plan: "",
) -> Plan:
    """Return the plan in an answer: its last line that is one, or its JSON object's ``plan``.

    ``refuse`` says why a plan is not possible now, or nothing.

    Raises:
        AnswerError: there is none, it names a resource or player that there is not, or there are
            several one below the other.
    """
    said = [*lines(answer), *_PLAN_FIELD.findall(answer)]
    plan = last_reading(said, lambda line: _read_line(line, resources, players))
    if plan is None:
        raise AnswerError("there is no line that is a plan")
    problem = refuse(plan)
    if problem:
        raise AnswerError(problem)
    return plan


def _read_line(line: str, resources: Sequence[str], players: Sequence[str]) -> Plan | None:
    """Return the plan that a line is; None where it is none."""
    bare = " ".join(line.strip("\"'.!,; ").split())
    for text in (bare, _LEAD.sub("", bare, count=1).strip("\"'.!,; ")):
        for verb, form in _FORMS.items():
            found = form.fullmatch(text)
            if found:
                return _plan(verb, found.groupdict(), resources, players)
    return None


def _called(name: str, known: Sequence[str]) -> str | None:
    """Return what a name in any case, in the plural, or of several words means; None: nothing."""
    wanted = "_".join(name.casefold().split())
    for candidate in (wanted, wanted.removesuffix("s"), wanted.removesuffix("es")):
        for one in known:
            if one.casefold() == candidate:
                return one
    return None


def _plan(
    verb: Verb, parts: Mapping[str, str], resources: Sequence[str], players: Sequence[str]
) -> Plan:
    if "who" in parts:
        everybody = ALL if verb == "SIGNAL" else ANYONE
        who = _called(parts["who"], (*players, everybody))
        if who is None:
            raise AnswerError(f"there is no player {parts['who']}")
        return Plan(verb, what=who)
    named = parts.get("what") or ""
    what = _called(named, resources) or ""
    if named and not what:
        raise AnswerError(f"there is no {named}; there are: {', '.join(resources)}")
    place = int(parts.get("x", 0)), int(parts.get("y", 0))
    until = _called(parts["until"], (*players, ANYONE)) if parts.get("until") else ""
    if until is None:
        raise AnswerError(f"there is no player {parts['until']}")
    keep = int(parts.get("keep") or 0)
    return Plan(verb, int(parts.get("count") or 0), what, place, keep, until)
