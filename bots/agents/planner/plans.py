"""Plans: the fixed vocabulary that minds on the grid answer with."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bots.structured import AnswerError

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
        r"GATHER (?P<count>\d+) (?P<what>\w+)(?: KEEPING (?P<keep>\d+))?(?: UNTIL (?P<until>\w+))?"
    ),
    "CRAFT": re.compile(r"CRAFT (?P<count>\d+) (?P<what>\w+)"),
    "DUMP": re.compile(r"DUMP (?P<count>\d+) (?P<what>\w+)"),
    "EXPLORE": re.compile(r"EXPLORE(?: MAP)?"),
    "GO": re.compile(r"GO TO \((?P<x>-?\d+), ?(?P<y>-?\d+)\)"),
    "WAIT": re.compile(r"WAIT"),
    "JOIN": re.compile(r"JOIN GROUP (?P<count>\d+)"),
    "BARGAIN": re.compile(r"BARGAIN WITH (?P<count>\d+)"),
    "PROPOSE": re.compile(r"PROPOSE 0?\.(?P<count>[1-9])"),
    "ACCEPT": re.compile(r"ACCEPT"),
    "END": re.compile(r"END"),
    "SIGNAL": re.compile(r"SIGNAL (?P<who>\w+)"),
    "AWAIT": re.compile(r"WAIT FOR (?P<who>\w+)"),
    "REPEAT": re.compile(r"REPEAT"),
}


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


def read_plan(answer: str, resources: list[str], players: Sequence[str] = ()) -> Plan:
    """The plan in an answer: its last line that is one.

    Raises:
        AnswerError: there is none, or it names a resource or player that there is not.
    """
    for line in reversed(answer.strip().splitlines()):
        text = line.strip().strip("`*. ").removeprefix("[plan]").strip()
        for verb, form in _FORMS.items():
            found = form.fullmatch(text)
            if found:
                return _plan(verb, found.groupdict(), resources, players)
    raise AnswerError("there is no line that is a plan; write one, such as: GATHER 3 wood")


def _plan(
    verb: Verb, parts: Mapping[str, str], resources: list[str], players: Sequence[str]
) -> Plan:
    if "who" in parts:
        everybody = ALL if verb == "SIGNAL" else ANYONE
        if parts["who"] not in (*players, everybody):
            raise AnswerError(f"there is no player {parts['who']}")
        return Plan(verb, what=parts["who"])
    what = parts.get("what", "")
    if what and what not in resources:
        raise AnswerError(f"there is no {what}; there are: {', '.join(resources)}")
    place = int(parts.get("x", 0)), int(parts.get("y", 0))
    until = parts.get("until") or ""
    if until and until not in (*players, ANYONE):
        raise AnswerError(f"there is no player {until}")
    keep = int(parts.get("keep") or 0)
    return Plan(verb, int(parts.get("count") or 0), what, place, keep, until)
