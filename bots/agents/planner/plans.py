"""Plans: the fixed vocabulary that minds on the grid answer with; see ``plan_reading``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Verb = Literal[
    "GATHER",
    "CRAFT",
    "DUMP",
    "EXPLORE",
    "GO",
    "WAIT",
    "JOIN",
    "SHARE",
    "MESSAGE",
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


#: The most units that a plan is about: as many as there are.
MOST_UNITS = 999
_WORDS: dict[Verb, str] = {
    "GATHER": "GATHER {count} {what}",
    "CRAFT": "CRAFT {count} {what}",
    "DUMP": "DUMP {count} {what}",
    "EXPLORE": "EXPLORE MAP",
    "GO": "GO TO ({row}, {column})",
    "WAIT": "WAIT",
    "JOIN": "JOIN GROUP {count}",
    "SHARE": "SHARE WITH {count}",
    "MESSAGE": "MESSAGE {count}",
    "BARGAIN": "BARGAIN WITH {count}",
    "PROPOSE": "PROPOSE 0.{count}",
    "ACCEPT": "ACCEPT",
    "END": "END",
    "SIGNAL": "SIGNAL {what}",
    "AWAIT": "WAIT FOR {what}",
    "REPEAT": "REPEAT",
}
#: What a plan begins with, in capitals.
FIRST_WORDS = tuple(dict.fromkeys(words.split()[0] for words in _WORDS.values()))


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
