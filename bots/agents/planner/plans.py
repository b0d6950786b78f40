"""Plans: the fixed vocabulary that minds on the grid answer with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from bots.structured import AnswerError, last_reading, lines, read_objects

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


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


#: What each plan looks like, undecorated; the last line of an answer that matches one
#: counts. The paper's own forms (a coalition, CRAFT without a number) are taken, too.
_FORMS: dict[Verb, re.Pattern[str]] = {
    "GATHER": _form(
        r"GATHER (?:(?P<count>\d+|ALL)(?: UNITS? OF)?(?: (?:THE|OF THE))? )?"
        r"(?P<what>\w+(?: \w+){0,2}?)"
        r"(?: KEEPING (?P<keep>\d+))?(?: UNTIL (?P<until>\w+))?"
    ),
    "CRAFT": _form(r"CRAFT (?:(?P<count>\d+) )?(?P<what>\w+(?: \w+){0,2}?)"),
    "DUMP": _form(
        r"DUMP (?:(?P<count>\d+|ALL)(?: UNITS? OF)?(?: (?:THE|OF THE|MY))? )?"
        r"(?P<what>\w+(?: \w+){0,2}?)"
    ),
    "EXPLORE": _form(r"EXPLORE(?: (?:THE )?MAP)?"),
    "GO": _form(
        r"GO(?: TO)? [(\[]?(?:row|x)?[ =]*(?P<x>-?\d+), ?"
        r"(?:column|col|z|y)?[ =]*(?P<y>-?\d+)[)\]]?"
    ),
    "WAIT": _form(r"WAIT"),
    "JOIN": _form(
        r"(?:(?:JOIN|CHOOSE)(?: GROUP| COALITION)?|(?:GROUP|COALITION):?) #?(?P<count>\d+)"
    ),
    "SHARE": _form(r"SHARE WITH (?P<whom>\w+)"),
    "MESSAGE": _form(r"MESSAGE(?: TO)? (?P<whom>\w+)"),
    "BARGAIN": _form(r"(?:BARGAIN|NEGOTIATE)(?: WITH)? (?:AGENT )?(?P<whom>\w+)"),
    "PROPOSE": _form(r"PROPOSE:? (?:0?\.(?P<count>[1-9])0?|(?P<percent>[1-9])0 ?%)"),
    "ACCEPT": _form(r"ACCEPT(?: THE (?:OFFER|PROPOSAL))?"),
    "END": _form(r"END(?: THE (?:BARGAIN|BARGAINING|NEGOTIATION))?"),
    "SIGNAL": _form(r"SIGNAL (?P<who>\w+)"),
    "AWAIT": _form(r"WAIT FOR (?P<who>\w+)"),
    "REPEAT": _form(r"REPEAT"),
}
#: What may stand around a plan in its line.
_AROUND = "\"'.!,;: "
#: The most units that a plan is about: as many as there are.
MOST_UNITS = 999
#: What a line says behind its plan: why, or what it is for.
_REMARK = re.compile(
    r"\s*(?:#|//|<!--|--|\s[\u2013\u2014-]\s|;|,|\(|\[|\b(?:because|since|so that|in order to"
    r"|as I|for the|from|near|to (?:craft|make|get|have|sell|reach|use|dig|mine|earn|be))\b)",
    re.IGNORECASE,
)
#: Places where a remark may begin that are tried.
MOST_REMARKS = 50
#: A remark that holds another plan is none: nobody knows which of the two is meant.
_SECOND = re.compile(
    r"\b(?:GATHER|CRAFT|DUMP|EXPLORE|GO TO|WAIT|JOIN|SHARE|MESSAGE|BARGAIN|PROPOSE|ACCEPT|SIGNAL)\b"
    r"|(?i:\b(?:then|and|or)\s+(?:gather|craft|dump|explore|go|wait|join|share|message|bargain"
    r"|propose|accept|end|signal|repeat)\b)"
)
#: What may stand before a plan: the paper's "Plan:", and what models call it.
_LEAD = re.compile(
    r"(?:(?:my|the|final|next|chosen|best|so|i'll|i|will|choose|decide"
    r"|\[?plan\]?|answer|action|decision|choice|communication|step)\b(?: to\b)?"
    r"[\s:=\]>-]*(?:is\b[\s:]*)?)+",
    re.IGNORECASE,
)
#: How the object of an answer in JSON calls its plan, and in parts how many of what.
_PLAN_FIELDS = ("plan", "action", "answer", "choice", "decision")
_COUNT_FIELDS = ("count", "n", "amount", "quantity", "units", "number", "share", "group")
_WHAT_FIELDS = ("item", "resource", "what", "target", "player", "partner")
#: A number that stands behind what it counts, or is written as a word or with a cross.
_CROSS = re.compile(r"\b(\d+) ?x (?=\w)", re.IGNORECASE)
_BEHIND = re.compile(
    r"(GATHER|CRAFT|DUMP) (?!ALL\b)([a-z_]+(?: [a-z_]+){0,2}?)(?: x)? ?(?:x ?)?(\d+)", re.IGNORECASE
)
_NUMBER_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_IN_WORDS = re.compile(
    rf"^(GATHER|CRAFT|DUMP) (?P<number>{'|'.join(_NUMBER_WORDS)})\b", re.IGNORECASE
)

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


def read_plan(
    answer: str,
    resources: Sequence[str],
    players: Sequence[str] = (),
    verbs: Sequence[Verb] = (),
) -> Plan:
    """Return the plan in an answer: its last line that is one, or its JSON object's ``plan``.

    Upper and lower case, plurals, bold, bullets, a word before it (``Plan:``), and a full stop or a
    remark after it make no difference. A part of a name stands for the only thing that it fits.

    Args:
        answer: what a mind said.
        resources: what can be named.
        players: who can be named, in the order of their numbers.
        verbs: what can be answered now; empty: anything.

    Raises:
        AnswerError: there is none that can be answered now, it names a resource or player that
            there is not, is about no or too many units, or there are several one below the other.
    """
    said = [*lines(answer), *_from_object(answer)]
    plan = last_reading(said, lambda line: _read_line(line, resources, players))
    if plan is None:
        bare = [next(_without_remark(line), "") for line in said]
        plan = last_reading(bare, lambda line: _read_line(line, resources, players))
    if plan is None:
        raise AnswerError("there is no line that is a plan")
    if verbs and plan.verb not in verbs:
        raise AnswerError(f"{plan.verb} cannot be answered now")
    return plan


def _read_line(line: str, resources: Sequence[str], players: Sequence[str]) -> Plan | None:
    """Return the plan that a line is; None where it is none."""
    for text in _undecorated(line):
        for verb, form in _FORMS.items():
            found = form.fullmatch(text)
            if found:
                return _plan(verb, found.groupdict(), resources, players)
    return None


def _undecorated(line: str) -> tuple[str, str]:
    """Return a line without what stands around it, and without what leads to it."""
    bare = " ".join(line.strip(_AROUND).split())
    led = _LEAD.sub("", bare, count=1).strip(_AROUND)
    return _counted(bare), _counted(led)


def _counted(text: str) -> str:
    """Return a plan with its number before what it counts."""
    number = _IN_WORDS.match(text)
    if number is not None:
        counted = _NUMBER_WORDS.index(number["number"].lower()) + 1
        text = f"{number[1]} {counted}{text[number.end() :]}"
    behind = _BEHIND.fullmatch(_CROSS.sub(r"\1 ", text))
    return f"{behind[1]} {behind[3]} {behind[2]}" if behind else _CROSS.sub(r"\1 ", text)


def _from_object(answer: str) -> list[str]:
    """Return the plan of an answer that is a JSON object, in one piece or in parts."""
    try:
        found = read_objects(answer)[-1]
    except AnswerError:
        return []
    fields = {str(key).lower(): value for key, value in found.items()}
    plan = next((fields[name] for name in _PLAN_FIELDS if isinstance(fields.get(name), str)), None)
    if plan is None or len(plan.split()) > 1:
        return [plan] if plan else []
    parts = [
        str(fields[name])
        for names in (_COUNT_FIELDS, _WHAT_FIELDS)
        for name in names
        if isinstance(fields.get(name), str | int | float)
    ]
    return [" ".join([plan, *parts])]


def _without_remark(line: str) -> Iterator[str]:
    """Yield what may be the plan in a line with a remark behind it that is no other plan.

    A word alone is one only before what cannot be prose: ``WAIT, or not?`` is no plan.
    """
    for found in islice(_REMARK.finditer(line), MOST_REMARKS):
        before = line[: found.start()]
        is_mark = found[0].strip()[:1] in ("#", "/", "<", "(", "[")
        is_plan = any(f.fullmatch(t) for t in _undecorated(before) for f in _FORMS.values())
        if is_plan and (is_mark or " " in _undecorated(before)[1]):
            if not _SECOND.search(line, found.start()):
                yield before
            return


def _plan(
    verb: Verb, parts: Mapping[str, str | None], resources: Sequence[str], players: Sequence[str]
) -> Plan:
    if "who" in parts:
        everybody = ALL if verb == "SIGNAL" else ANYONE
        return Plan(verb, what=_named(parts["who"] or "", [*players, everybody], "player"))
    if "whom" in parts:
        return Plan(verb, _number(parts["whom"] or "", players))
    what = _resource(parts.get("what") or "", resources)
    place = int(parts.get("x") or 0), int(parts.get("y") or 0)
    until = parts.get("until") or ""
    until = _named(until, [*players, ANYONE], "player") if until else ""
    keep = int(parts.get("keep") or 0)
    units = parts.get("count") or parts.get("percent") or ("1" if what else "0")
    number = MOST_UNITS if units.upper() == ALL else int(units)
    if what and not 1 <= number <= MOST_UNITS:
        raise AnswerError(f"{verb} {units[:12]} {what}: n is from 1 to {MOST_UNITS}")
    return Plan(verb, number, what, place, keep, until)


def _resource(text: str, resources: Sequence[str]) -> str:
    """Return what a resource is called that was named in any case, and perhaps in the plural."""
    if not text:
        return ""
    name = text.replace(" ", "_")
    forms = [name, re.sub(r"s$", "", name, flags=re.I), re.sub(r"es$", "", name, flags=re.I)]
    for form in forms:
        for resource in resources:
            if resource.upper() == form.upper():
                return resource
    parts = {found for form in forms if (found := _by_part(form, resources))}
    return parts.pop() if len(parts) == 1 else _named(name, resources, "")


def _by_part(form: str, resources: Sequence[str]) -> str:
    """Return the thing whose name's last words are said; empty: there is none.

    What is dug is called after its ore, and a block after what it is of: ``iron`` and ``iron_ore``
    are raw iron, and not an iron pickaxe; ``mushroom`` is a red mushroom block.

    Raises:
        AnswerError: there are several.
    """
    part = form.lower().removesuffix("_ore")
    found = [
        name for name in resources if f"_{name.lower()}".removesuffix("_block").endswith(f"_{part}")
    ]
    if len(found) > 1:
        raise AnswerError(f"{form} can be {' or '.join(found)}: name one of them")
    return found[0] if found else ""


def _number(text: str, players: Sequence[str]) -> int:
    """Return the number of a player that was named, or given by its number."""
    if not text.isdigit():
        return players.index(_named(text, players, "player"))
    if players and int(text) >= len(players):
        raise AnswerError(f"there is no player {text}; there are: {', '.join(players)}")
    return int(text)


def _named(text: str, names: Sequence[str], what: str) -> str:
    """Return the name that was meant, whatever its case.

    Raises:
        AnswerError: there is none.
    """
    for name in names:
        if name.upper() == text.upper():
            return name
    kind = f"{what} " if what else ""
    raise AnswerError(f"there is no {kind}{text}; there are: {', '.join(names)}")
