"""Plans, the fixed vocabulary of agents on the grid: as objects, as lines of text, and as answers.

A program is a text with one plan per line, in a formal language that :func:`parse_plans` parses
strictly. Models do not write this language; they answer with typed plans (:class:`Gather`, …).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import or_
from typing import Annotated, Any, Literal

from pydantic import Field

from voxpolis.bots.models import Answer, AnswerError
from voxpolis.bots.models.typed import integer, line, maybe, narrowed, one_of

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

# Instead of a player's name, a signal can be sent to ALL and awaited from ANYONE.
ALL, ANYONE = "ALL", "ANYONE"
# The maximum count in a plan. A plan with this count applies to all available units.
MOST_UNITS = 999
# Maximum length of a message, in characters; our choice.
MOST_WORDS = 300
# Maximum number of plans in a program.
MAX_PLANS = 200
# The form of each plan as a line of a program.
_LINES: dict[Verb, str] = {
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


@dataclass(frozen=True)
class Plan:
    """One action of an agent on the grid.

    Attributes:
        count: the number of units. If the verb concerns a group, an agent or an offer: the number
            that identifies it.
        what: the resource; for signals, the name of a player, ALL or ANYONE.
        place: row and column of the place to go to.
        keep: the number of units to leave at each position where the resource grows.
        until: the player whose signal ends the plan; empty if no signal does.
        words: the words of a message. They are not part of the plan's line in a program.
    """

    verb: Verb
    count: int = 0
    what: str = ""
    place: tuple[int, int] = (0, 0)
    keep: int = 0
    until: str = ""
    words: str = ""

    def __str__(self) -> str:
        row, column = self.place
        text = _LINES[self.verb].format(count=self.count, what=self.what, row=row, column=column)
        text += f" KEEPING {self.keep}" if self.keep else ""
        return text + (f" UNTIL {self.until}" if self.until else "")


# --- The language of programs ---------------------------------------------------------------------

_PARTS = {
    "count": r"(?P<count>\d+)",
    "what": r"(?P<what>\w+)",
    "row": r"(?P<row>-?\d+)",
    "column": r"(?P<column>-?\d+)",
}


def _pattern(verb: Verb) -> re.Pattern[str]:
    line = _LINES[verb].replace("(", r"\(").replace(")", r"\)")
    ends = r"(?: KEEPING (?P<keep>\d+))?(?: UNTIL (?P<until>\w+))?" if verb == "GATHER" else ""
    return re.compile(line.format(**_PARTS) + ends)


# The regular expression that each plan matches.
_PATTERNS: dict[Verb, re.Pattern[str]] = {
    verb: _pattern(verb)
    for verb in _LINES
    if verb in ("GATHER", "CRAFT", "DUMP", "EXPLORE", "GO", "WAIT", "SIGNAL", "AWAIT", "REPEAT")
}


def parse_plans(
    text: str, resources: Sequence[str] | None = None, players: Sequence[str] | None = None
) -> list[Plan]:
    """Parse a program with one plan per line. Empty lines are ignored.

    Args:
        text: the program.
        resources: the names of resources that plans can use; None for any name.
        players: the names of players that plans can use; None for any name.

    Raises:
        AnswerError: a line is not a plan, REPEAT is not last, or there are no or too many plans.
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    plans = []
    for number, written in enumerate(lines, start=1):
        try:
            plans.append(_parse(written, resources, players))
        except AnswerError as error:
            raise AnswerError(f"line {number}, {written[:60]!r}: {error}") from error
    return check_program(plans)


def check_program(plans: list[Plan]) -> list[Plan]:
    """Check the plans of a program, and return them.

    Raises:
        AnswerError: there are no or too many plans, or REPEAT is not the last of several plans.
    """
    if not 0 < len(plans) <= MAX_PLANS:
        raise AnswerError(f"a program has 1 to {MAX_PLANS} plans")
    if any(plan.verb == "REPEAT" for plan in (*plans[:-1], plans[0])):
        raise AnswerError("REPEAT must be a program's last plan, below the plans that it repeats")
    return plans


def _parse(line: str, resources: Sequence[str] | None, players: Sequence[str] | None) -> Plan:
    def named(name: str | None, known: Sequence[str] | None, *besides: str) -> str:
        if name and known is not None and name not in (*known, *besides):
            raise AnswerError(f"there is no {name}; there are: {', '.join(known)}")
        return name or ""

    for verb, pattern in _PATTERNS.items():
        found = pattern.fullmatch(line)
        if found is None:
            continue
        part = found.groupdict().get
        is_signal = verb in ("SIGNAL", "AWAIT")
        besides = {"SIGNAL": (ALL,), "AWAIT": (ANYONE,)}.get(verb, ())
        return Plan(
            verb,
            count=int(part("count") or 0),
            what=named(part("what"), players if is_signal else resources, *besides),
            place=(int(part("row") or 0), int(part("column") or 0)),
            keep=int(part("keep") or 0),
            until=named(part("until"), players, ANYONE),
        )
    raise AnswerError("it is not a plan")


# --- Plans as answers -----------------------------------------------------------------------------

Units = Annotated[int, Field(ge=1, le=MOST_UNITS)]


class Gather(Answer):
    """Find the nearest of a thing, walk there and pick it up."""

    do: Literal["GATHER"] = "GATHER"
    count: Units = Field(description="How many units you pick up.")
    thing: str


class GatherUntil(Gather):
    """Find the nearest of a thing, walk there and pick it up."""

    keep: Annotated[int, Field(ge=0, le=MOST_UNITS)] = Field(
        default=0, description="Leave places alone where so many or fewer stand together; 0: none."
    )
    until: str | None = Field(
        default=None, description="Go on until this player signals; null: until you have enough."
    )


class Craft(Answer):
    """Make a thing at the stations for it."""

    do: Literal["CRAFT"] = "CRAFT"
    count: Units
    thing: str


class Dump(Answer):
    """Lay units of a thing down."""

    do: Literal["DUMP"] = "DUMP"
    count: Units
    thing: str


class Explore(Answer):
    """Look at parts of the map that you have not seen for long."""

    do: Literal["EXPLORE"] = "EXPLORE"


class Go(Answer):
    """Walk to a place, as the situation names places: (row, column) or (x, z)."""

    do: Literal["GO"] = "GO"
    first: int = Field(description="The place's first number: its row, or x.")
    second: int = Field(description="The place's second number: its column, or z.")


class Wait(Answer):
    """Stay where you are for a while."""

    do: Literal["WAIT"] = "WAIT"


class Join(Answer):
    """Leave your groups and join one."""

    do: Literal["JOIN"] = "JOIN"
    group: int


class Share(Answer):
    """Show a player what you see from now on, or no longer."""

    do: Literal["SHARE"] = "SHARE"
    player: str


class SendMessage(Answer):
    """Send a player a message, which takes a step; only that player reads its words."""

    do: Literal["MESSAGE"] = "MESSAGE"
    player: str
    words: maybe(line(MOST_WORDS)) = Field(  # type: ignore[valid-type]
        default=None, description="What you tell that player, in one short line."
    )


class AskToBargain(Answer):
    """Ask a player to bargain; two who ask for each other in the same step begin."""

    do: Literal["BARGAIN"] = "BARGAIN"
    player: str


class Propose(Answer):
    """Propose what you and your group keep, in tenths; the rest goes to the other side."""

    do: Literal["PROPOSE"] = "PROPOSE"
    tenths: Annotated[int, Field(ge=1, le=9)]


class Accept(Answer):
    """Accept the offer that stands."""

    do: Literal["ACCEPT"] = "ACCEPT"


class End(Answer):
    """End the bargain."""

    do: Literal["END"] = "END"


class Signal(Answer):
    """Signal a player, or ALL; the signal is kept until that player waits for it."""

    do: Literal["SIGNAL"] = "SIGNAL"
    to: str


class WaitFor(Answer):
    """Sleep until a player, or ANYONE, has signalled."""

    do: Literal["WAIT_FOR"] = "WAIT_FOR"
    sender: str


class Repeat(Answer):
    """As the last plan: start the program again from the first."""

    do: Literal["REPEAT"] = "REPEAT"


Step = (
    GatherUntil
    | Craft
    | Dump
    | Explore
    | Go
    | Wait
    | Join
    | Share
    | SendMessage
    | AskToBargain
    | Propose
    | Accept
    | End
    | Signal
    | WaitFor
    | Repeat
)


class NextPlan(Answer):
    """Your next action."""

    plan: Annotated[Step, Field(discriminator="do")]


class Program(Answer):
    """Your program: plans that are carried out one after another."""

    plans: list[Annotated[Step, Field(discriminator="do")]]


@dataclass(frozen=True)
class Vocabulary:
    """The kinds of plans that an agent can use now, and the names that may occur in these plans.

    Attributes:
        kinds: the allowed types of plans.
        things: what can be gathered, made and put down.
        players: the names of all players, in the order of their numbers.
        me: the name of the player that is asked; empty if unknown.
        groups: the number of groups that the player can join.
    """

    kinds: tuple[type[Answer], ...]
    things: tuple[str, ...]
    players: tuple[str, ...]
    me: str = ""
    groups: int = 0


@lru_cache(256)
def next_plan(vocabulary: Vocabulary) -> type[NextPlan]:
    """Return the type of an answer with one plan that uses only names that exist."""
    return narrowed(NextPlan, plan=_union(vocabulary))


@lru_cache(64)
def program(vocabulary: Vocabulary) -> type[Program]:
    """Return the type of an answer with a program that uses only names that exist."""
    kind: Any = list[_union(vocabulary)]  # type: ignore[misc]
    return narrowed(Program, plans=(kind, Field(min_length=1, max_length=MAX_PLANS)))


def _union(v: Vocabulary) -> Any:
    thing, others = one_of(v.things, "thing"), [name for name in v.players if name != v.me]
    player = one_of(others, "player")
    narrow: dict[type[Answer], dict[str, Any]] = {
        Gather: {"thing": thing},
        GatherUntil: {"thing": thing, "until": one_of([*others, ANYONE], "player") | None},
        Craft: {"thing": thing},
        Dump: {"thing": thing},
        Join: {"group": integer(0, max(v.groups - 1, 0))},
        Share: {"player": player},
        SendMessage: {"player": player},
        AskToBargain: {"player": player},
        Signal: {"to": one_of([*others, ALL], "player")},
        WaitFor: {"sender": one_of([*others, ANYONE], "player")},
    }
    kinds = tuple(narrowed(kind, **narrow[kind]) if kind in narrow else kind for kind in v.kinds)
    if len(kinds) == 1:
        return kinds[0]
    return Annotated[reduce(or_, kinds), Field(discriminator="do")]


# The answer type of each plan.
_KINDS: dict[Verb, type[Any]] = {
    "GATHER": GatherUntil,
    "CRAFT": Craft,
    "DUMP": Dump,
    "EXPLORE": Explore,
    "GO": Go,
    "WAIT": Wait,
    "JOIN": Join,
    "SHARE": Share,
    "MESSAGE": SendMessage,
    "BARGAIN": AskToBargain,
    "PROPOSE": Propose,
    "ACCEPT": Accept,
    "END": End,
    "SIGNAL": Signal,
    "AWAIT": WaitFor,
    "REPEAT": Repeat,
}
# The attribute of a plan that holds an answer's field, if their names differ.
_FIELD_OF = {"thing": "what", "to": "what", "sender": "what", "group": "count", "tenths": "count"}


def plan_of(step: Answer, players: Sequence[str]) -> Plan:
    """Convert an answer into a plan.

    ``players`` are the names of all players, in the order of their numbers.
    """
    verb = next((verb for verb, kind in _KINDS.items() if isinstance(step, kind)), None)
    if verb is None:
        raise TypeError(f"{step!r:.60} is not a plan")
    said = {name: value for name, value in step if name != "do"}
    if isinstance(step, Go):
        return Plan(verb, place=(step.first, step.second))
    if "player" in said:
        return Plan(verb, players.index(said["player"]), words=said.get("words") or "")
    given = {_FIELD_OF.get(name, name): value for name, value in said.items() if value is not None}
    return Plan(verb, **given)


def step_of(plan: Plan, players: Sequence[str] = ()) -> Step:
    """Convert a plan into the answer that a scripted mind returns.

    The reverse function is :func:`plan_of`.
    """
    kind = _KINDS[plan.verb]
    if kind is Go:
        return Go(first=plan.place[0], second=plan.place[1])
    if "player" in kind.model_fields:
        said = {"words": plan.words or None} if kind is SendMessage else {}
        return kind(player=players[plan.count], **said)  # type: ignore[no-any-return]
    names = kind.model_fields.keys() - {"do"}
    said = {name: getattr(plan, _FIELD_OF.get(name, name)) for name in names}
    return kind(**{name: None if value == "" else value for name, value in said.items()})  # type: ignore[no-any-return]


def program_answer(text: str) -> Program:
    """Convert a program in the formal language into the answer that a scripted mind returns.

    Raises:
        AnswerError: the text is not a program.
    """
    return Program(plans=[step_of(plan) for plan in parse_plans(text)])
