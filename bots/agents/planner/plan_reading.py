"""Reading plans: one line that is a plan from its first word to its last, but for a remark.

What begins as a plan and says more than one, or less, is refused: nothing that was said is dropped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from bots.agents.planner.coordinates import MAP, read_place
from bots.agents.planner.plan_objects import plan_lines
from bots.agents.planner.plan_remarks import (
    OWN,
    is_only_remark,
    refuse_behind,
    refuse_more,
    without_shares,
)
from bots.agents.planner.plans import ALL, ANYONE, FIRST_WORDS, MOST_UNITS, Plan, Verb
from bots.structured import AnswerError, alone, chosen, is_aside, lines
from records.text import caseless

_COUNT = (
    r"(?:(?P<count>-?\d+|(?:ALL|AN?|ONE|TWO|THREE|FOUR|FIVE|SIX|SEVEN|EIGHT|NINE|TEN)\b)"
    r"(?: ?x\b)? ?)?"
)
_UNITS = r"(?:UNITS? OF )?(?:(?:OF )?(?:THE|MY) )?"
_NUMBERS = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


def _form(pattern: str) -> re.Pattern[str]:
    return caseless(pattern + r"(?!\w)")


def _begins(pattern: str) -> re.Pattern[str]:
    return caseless(pattern)


#: How each plan begins; what it is about follows, then a remark. The paper's own forms are taken.
_FORMS: Mapping[Verb, re.Pattern[str]] = {
    "GATHER": _begins(rf"GATHER {_COUNT}{_UNITS}"),
    "CRAFT": _begins(rf"CRAFT {_COUNT}{_UNITS}"),
    "DUMP": _begins(rf"DUMP {_COUNT}{_UNITS}"),
    "EXPLORE": _form(r"EXPLORE(?: (?:THE )?MAP)?"),
    "GO": _begins(r"(?:GO|MOVE|WALK|HEAD)(?: ?TO)?(?=[\s(\[{])"),
    "AWAIT": _begins(
        r"WAIT FOR (?:(?:A |THE )?SIGNAL (?:FROM|BY|OF) )?(?!A (?:WHILE|BIT|MOMENT)\b)"
    ),
    "WAIT": _form(r"WAIT(?: FOR)?(?: A (?:WHILE|BIT|MOMENT))?(?: HERE)?"),
    "JOIN": _form(
        r"(?:(?:JOIN|CHOOSE)(?: GROUP| COALITION)?|(?:GROUP|COALITION):?) #?"
        rf"(?P<count>\d+|{'|'.join(_NUMBERS)})"
    ),
    "SHARE": _begins(r"SHARE WITH (?:PLAYER )?"),
    "MESSAGE": _begins(r"MESSAGE(?: TO)? (?:PLAYER )?"),
    "BARGAIN": _begins(r"(?:BARGAIN|NEGOTIATE)(?: WITH)? (?:AGENT |PLAYER )?"),
    "PROPOSE": _form(
        r"PROPOSE:? (?:0?[.,](?P<count>[1-9])0?(?![\d.,]*\d)"
        r"|(?P<percent>[1-9])0 ?%|(?P<tens>[1-9])0 PERCENT)"
    ),
    "ACCEPT": _form(
        r"ACCEPT(?:: TRUE| (?:THE|THIS|THAT) (?:OFFER|PROPOSAL|SPLIT|DEAL))?(?: OF [\d.]+ ?%?)?"
    ),
    "END": _form(r"END(?: THE (?:BARGAIN|BARGAINING|NEGOTIATION))?"),
    "SIGNAL": _begins(r"SIGNAL (?:TO )?(?:PLAYER )?"),
    "REPEAT": _form(r"REPEAT"),
}
_PLAYER_VERBS = ("SHARE", "MESSAGE", "BARGAIN")
_THING_VERBS = ("GATHER", "CRAFT", "DUMP")
_BEHIND = caseless(r" ?(?:x ?|\()?(\d+)\)?(?: ?x)?(?=[\s.,;]|$)(?! (?:%|steps?\b))")
_KEEPING = caseless(r" KEEPING (\d+)(?: (?:UNITS?|OF THEM))?\b")
_UNTIL = caseless(r" UNTIL (?P<who>\w+)(?:'S SIGNAL| (?:SIGNALS?|SENDS A SIGNAL|HAS SIGNALLED))?\b")
_SIGNALS = caseless(r"(?:'s signal| to signal| signals?| has signalled)\b")
#: Everybody, as people say it.
_EVERYBODY = caseless(r"(?:all(?: (?:the )?(?:other )?players| others)?|every(?:one|body))\b")
_ANYBODY = caseless(r"(?:anyone|anybody|any player)\b")
#: What may stand around a plan in its line.
_AROUND = "\"'.!,;: "
#: What may stand before a plan: the paper's "Plan:", what models call it, and a change of mind.
_LEAD = caseless(
    r"(?:(?:(?:wait,? )?(?:no(?=\s*[,:;.!\u2013\u2014-])|actually|instead|correction|better"
    r"|on second thought)\b[\s,:;.!\u2013\u2014-]*)+)?"
    r"(?:(?:my|the|final|next|chosen|best|so|i'll|i|will|choose|decide|let me|let's"
    r"|\[?plan\]?|answer|action|decision|choice|communication|step|move)\b(?: to\b)?"
    r"[\s:=\]>-]*(?:is\b[\s:]*)?)*"
)
#: What may stand in a label before a plan, as a whole: what it is called, or its place in an order.
_LABELS = caseless(
    r"\W*(?:(?:so|here(?:'s| is)|this is|i choose|my|our|the|a|final|chosen|best|current|next|new"
    r"|own|first|second|third)\s+)*"
    r"(?:(?P<answer>plans?|answer|action|decision|choice|move|program|communication)"
    r"|step|round|turn|line|phase|part|now|then|next|first(?:ly)?|second(?:ly)?|third(?:ly)?"
    r"|finally|lastly|current(?:ly)?|so|i choose|verb|group)"
    r"(?:\s*(?:no\.?|number)?\s*#?\d+)?(?:\s*(?:of|/)\s*\d+)?"
    r"(?:\s+(?:for|in|of) (?:this|the|my|our) (?:current )?(?:step|round|turn|game|line))?"
    r"(?:\s+(?:is|will be))?\W*"
)
_CAPITAL = re.compile(rf"\b(?:{'|'.join(word for word in FIRST_WORDS if word not in ('GO',))})\b")
_DEEDS = (
    r"gather|craft|dump|explore|go to|wait|join|share|message|bargain|propose|accept|signal|repeat"
)
#: Marks after which a plan of one word is one in small letters, too: no ``Wait, let me think``.
_BARE_REMARK = caseless(r"\s*(?:[#(\[]|//|<!--|$)|\s+(?:because|since|as|so|for|until|and see)\b")


#: Where a thing is, and what it is for.
_WHERE = r"\W*(?:(?:from |at )?\(\d+, ?\d+\)|\d+ steps? away)\W*"
_MADE_OF_IT = r"\W*for (?:an?|the|my|our|making|crafting) (?:new )?(?:tools?|{})s?\W*"


@dataclass(frozen=True)
class Vocabulary:
    """What plans can be about.

    Attributes:
        resources: what can be named.
        players: who can be named, in the order of their numbers.
        axes: what coordinates are called.
    """

    resources: Sequence[str]
    players: Sequence[str] = ()
    axes: tuple[str, str] = MAP


def read_plan(
    answer: str,
    resources: Sequence[str],
    players: Sequence[str] = (),
    verbs: Sequence[Verb] = (),
    axes: tuple[str, str] = MAP,
) -> Plan:
    """Return the plan in an answer: its line that is one, or its JSON object's ``plan``.

    What is labelled as the plan counts before what is not, and both before what is labelled as
    something else, such as an alternative or the last plan; see :mod:`bots.structured.choosing`.

    Case, plurals, bold, bullets, a word before it (``Plan:``), a full stop or a remark after it
    make no difference. A part of a name stands for the only thing that it fits.

    Args:
        answer: what a mind said.
        resources: what can be named.
        players: who can be named, in the order of their numbers.
        verbs: what can be answered now; empty: anything.
        axes: what coordinates are called (:mod:`bots.agents.planner.coordinates`).

    Raises:
        AnswerError: there is none that can be answered now, it names a resource, player or place
            that there is not, is about no or too many units, several plans count alike, or
            something else is attached to it.
    """
    known = Vocabulary(resources, players, axes)
    made = _MADE_OF_IT.format("|".join(map(re.escape, resources)))
    short = "\n".join(_short(line, known) for line in answer.split("\n"))

    def read(text: str) -> Plan:
        return read_one(text, resources, players, verbs, axes)

    beside, binding = caseless(f"{_WHERE}|{made}"), ("PROPOSE", "ACCEPT", "END")
    return alone(short, read, OWN, beside=beside, binds=lambda plan: plan.verb in binding)


def _short(line: str, known: Vocabulary) -> str:
    """Return a line that proposes a share, without what says the same of it once more."""
    with suppress(AnswerError):
        short = without_shares(line, known.players)
        if short != line and read_line(line, known) == read_line(short, known):
            return short
    return line


def read_one(
    answer: str,
    resources: Sequence[str],
    players: Sequence[str] = (),
    verbs: Sequence[Verb] = (),
    axes: tuple[str, str] = MAP,
) -> Plan:
    """Return the same, whatever is attached to it."""
    known = Vocabulary(resources, players, axes)
    said = [*lines(answer), *(plan_lines(answer) if "{" in answer else ())]
    found = chosen(said, lambda line: read_line(line, known), _LABELS, _CAPITAL)
    if found is None:
        raise AnswerError("there is no line that is a plan")
    plan = found.value
    if verbs and plan.verb not in verbs:
        raise AnswerError(
            f"{'WAIT FOR' if plan.verb == 'AWAIT' else plan.verb} cannot be answered now"
        )
    return plan


def read_line(line: str, known: Vocabulary) -> Plan | None:
    """Return the plan that a line is; None where it is none.

    Raises:
        AnswerError: it begins as a plan, and is none from its first word to its last.
    """
    bare = " ".join(line.strip(_AROUND).split())
    led = bare[_LEAD.match(bare).end() :].lstrip(_AROUND)  # type: ignore[union-attr]
    for text in (bare, led):
        for verb, form in _FORMS.items():
            found = form.match(text)
            if found is not None:
                return _whole(verb, found, text, known)
    if _CAPITAL.match(led):
        raise AnswerError(f"there is no line that is a plan: {line[:60]!r} is in no form")
    return None


def _whole(verb: Verb, found: re.Match[str], text: str, known: Vocabulary) -> Plan | None:
    """Return the plan of a line that begins as one; None where it is prose that begins so."""
    is_loud = found[0].split()[0].isupper()
    rest = text[found.end() :]
    try:
        plan, rest, others = _about(verb, found, rest, known)
    except AnswerError:
        if is_loud or len(text.split()) <= MOST_WORDS:
            raise
        return None
    is_bare = verb in ("EXPLORE", "WAIT", "ACCEPT", "END", "REPEAT")
    if is_bare and not is_loud and not _BARE_REMARK.match(rest):
        return None
    refuse_more(plan, rest, known.players)
    if not is_only_remark(verb, rest, others, _DEEDS):
        if verb == "WAIT" and re.match(r"(?: for)? \d", rest, re.IGNORECASE):
            raise AnswerError("WAIT takes no number: it is for a while")
        if is_loud or len(text.split()) <= MOST_WORDS:
            raise AnswerError(f"there is no line that is a plan: {text[:60]!r} says something else")
        return None
    return plan


#: A line in small letters with more words is prose where it is no plan.
MOST_WORDS = 12
_Read = tuple[Plan, str, str]


def _about(verb: Verb, found: re.Match[str], rest: str, known: Vocabulary) -> _Read:
    """Return a plan with what it is about, what follows that, and what else could be meant."""
    if verb in _THING_VERBS:
        return _things(verb, found["count"] or "", rest, known)
    if verb in _PLAYER_VERBS:
        name, rest = _player(rest, known.players)
        if verb == "MESSAGE" and rest[:1] in (":", '"'):
            raise AnswerError("MESSAGE PLAYER is all: a message holds no words")
        return Plan(verb, _number(name, known.players)), rest, _either(known.players)
    if verb in ("SIGNAL", "AWAIT"):
        everybody = ALL if verb == "SIGNAL" else ANYONE
        group = (_EVERYBODY if verb == "SIGNAL" else _ANYBODY).match(rest)
        if group is not None:
            name, rest = everybody, rest[group.end() :]
        else:
            name, rest = _player(rest, known.players)
        signals = _SIGNALS.match(rest) if verb == "AWAIT" else None
        rest = rest[signals.end() :] if signals else rest
        who = _named(name, [*known.players, everybody], "player")
        return Plan(verb, what=who), rest, _either(known.players)
    if verb == "GO":
        place, rest = read_place(rest, known.axes)
        return Plan(verb, place=place), rest, ""
    parts = found.groupdict()
    number = parts.get("count") or parts.get("percent") or parts.get("tens") or "0"
    return Plan(verb, _counted(number)), rest, ""


def _things(verb: Verb, count: str, rest: str, known: Vocabulary) -> _Read:
    """Return a plan about units of a resource; a number may stand behind what it counts."""
    what, rest = _resource(rest or count, known.resources)
    behind = _BEHIND.match(rest) if not count else None
    if behind is not None:
        count, rest = behind[1], rest[behind.end() :]
    keep, until = _KEEPING.match(rest), None
    if verb == "GATHER":
        rest = rest[keep.end() :] if keep else rest
        until = _UNTIL.match(rest)
        rest = rest[until.end() :] if until else rest
    who = (
        _named(until["who"].removesuffix("'s"), [*known.players, ANYONE], "player") if until else ""
    )
    refuse_behind(verb, what, "" if count else rest)
    number = _counted(count)
    if not 1 <= number <= MOST_UNITS:
        raise AnswerError(f"{verb} {count[:12]} {what}: n is from 1 to {MOST_UNITS}")
    plan = Plan(
        verb, number, what, keep=int(keep[1]) if keep and verb == "GATHER" else 0, until=who
    )
    return plan, rest, _either(known.resources)


def _counted(count: str) -> int:
    word = count.lower()
    if word in _NUMBERS:
        return _NUMBERS.index(word)
    if word == "all":
        return MOST_UNITS
    return int(count) if count.lstrip("-").isdigit() else 1


def _either(names: Sequence[str]) -> str:
    """Return the regular expression of any of some names, in the plural, too."""
    return "|".join(re.escape(name).replace("_", "[ _]") + "(?:e?s)?" for name in names)


# --- Names ----------------------------------------------------------------------------------------

_WORD = re.compile(r"[\w][\w-]*")


def _prefixes(text: str, most: int = 3) -> list[tuple[str, str]]:
    """Return the first words of a text, the most first, joined as in names, with what follows."""
    ends: list[int] = []
    for word in _WORD.finditer(text):
        if word.start() != (ends[-1] + 1 if ends else 0) or len(ends) == most:
            break
        if ends and text[ends[-1]] != " ":
            break
        ends.append(word.end())
    return [(re.sub(r"[ -]", "_", text[:end]), text[end:]) for end in reversed(ends)]


def _resource(text: str, resources: Sequence[str]) -> tuple[str, str]:
    """Return what a resource is called that is named at the beginning of a text, and what follows.

    Case, the plural and a part of its name make no difference.
    """
    said = _prefixes(text.removesuffix("."))
    for find in (_exactly, _by_part):
        for name, rest in said:
            what = find(name, resources)
            if what:
                return what, rest
    name = next((name for name, rest in said if is_aside(rest)), said[-1][0] if said else text[:20])
    return _named(name, resources, ""), ""


def _forms_of(name: str) -> tuple[str, ...]:
    return name, re.sub(r"s$", "", name, flags=re.I), re.sub(r"es$", "", name, flags=re.I)


def _exactly(name: str, resources: Sequence[str]) -> str:
    usual = {resource.upper(): resource for resource in resources}
    return next((usual[one.upper()] for one in _forms_of(name) if one.upper() in usual), "")


def _by_part(name: str, resources: Sequence[str]) -> str:
    """Return the thing whose name's last words are said; empty: there is none.

    What is dug is called after its ore, and a block after what it is of: ``iron`` and ``iron_ore``
    are raw iron, and not an iron pickaxe; ``mushroom`` is a red mushroom block.

    Raises:
        AnswerError: there are several.
    """
    parts = [one.lower().removesuffix("_ore") for one in _forms_of(name)]
    found = {
        one: None
        for one in resources
        if any(f"_{one.lower()}".removesuffix("_block").endswith(f"_{part}") for part in parts)
    }
    if len(found) > 1:
        raise AnswerError(f"{name} can be {' or '.join(found)}: name one of them")
    return next(iter(found), "")


def _player(text: str, players: Sequence[str]) -> tuple[str, str]:
    """Return a player's name or number at the beginning of a text, and what follows."""
    said = _prefixes(text.removesuffix("."), 2)
    for name, rest in said:
        if any(name.upper() == player.upper() for player in players):
            return name, rest
    if not said:
        raise AnswerError(f"there is no player {text[:20]}; there are: {', '.join(players)}")
    return said[-1]


def _number(text: str, players: Sequence[str]) -> int:
    """Return the number of a player that was named, or given by its number."""
    if not text.isdigit():
        return list(players).index(_named(text, players, "player"))
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
