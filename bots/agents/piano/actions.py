"""What agents can decide to do: general verbs, those that a scenario adds, and how they are read.

A scenario's verb is one :class:`Verb`: its name, what follows it, what the prompt says of it, by
which words somebody announces it, and how it is carried out.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from bots.agents.piano.expecting import EXPECT, Forecast, read_forecast
from bots.agents.piano.task import Action, Task
from bots.structured import (
    AnswerError,
    is_aside,
    last_reading,
    lines,
    read_objects,
    tagged,
)

ACTION, ABOUT = "ACTION", "ABOUT"
#: What a decision says, a line each.
TAGS = (ACTION, ABOUT, EXPECT)
_ACTION = re.compile(r"\W*([A-Za-z]+)\b[\s:(\[<\"']*(.*?)[\s.!)\]>\"']*$", re.DOTALL)
#: What stands before a decision that is written without its tag.
_LEAD = re.compile(
    r"(?:(?:so|therefore|my|the|final|i|choose|chosen|decide)\W+)*"
    r"(?:decision|choice|answer|action|choose|decide|to)\W+(?:is\W+|to\W+)?",
    re.IGNORECASE,
)
#: Who decides, before the verb of a decision.
_WHO = re.compile(
    r"\W*+(?:i'll|i will|i shall|i'm going to|i am going to|let me|let's)\s++(?:now\s++)?+", re.I
)
_PERCENT = re.compile(
    r"(?<![\d.,\u2013\u2014-])(\d+(?:[.,]\d+)?)\s*(?:%|percent\b|per cent\b)", re.IGNORECASE
)
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")
#: A share that is none in any unit.
_NO_SHARE = re.compile(r"\W*+(?:nothing|zero|0(?:\.0++)?+)\W*+", re.IGNORECASE)
#: How models call what follows a verb, in answers of JSON.
_ARGUMENTS = ("argument", "arguments", "target", "place", "person", "somebody", "share", "amount")
MAX_ABOUT_CHARACTERS = 120
#: What follows the name of a thing, a place or a person and is none of it: why, where, what then.
_REMARK = re.compile(
    r"\s*(?:[(\[;:/&\u2192]|,\s|\.\s|\s[-\u2013\u2014]+\s|\s(?:because|since|so|as|to|for|from|at|in|near|with"
    r"|where|who|then|now|first|again|while|until|about|and|or)\b).*",
    re.IGNORECASE | re.DOTALL,
)
#: A remark that may name a second one.
_SECOND = re.compile(r"\s*(?:,|/|&|and\b|or\b|then\b)", re.IGNORECASE)


#: What offers a choice, makes a condition, or goes on to something else.
_ADDED = re.compile(
    r"(?:[,;.\u2013\u2014-]\s*)?(?:(?:or|and|then|but|if|unless)\b|[/&\u2192])", re.IGNORECASE
)
_ADDS_LATER = re.compile(r"\b(?:but|then|unless)\b|\u2192|->", re.IGNORECASE)
#: Words before a share that leave it as it is, and words that make it hang on something.
_SHARE_LEAD = re.compile(
    r"\W*(?:(?:a|the|my|your|full|exactly|share|tax|taxes|due|dues|of|owed|required|legal|rate|bell"
    r"|season|season's|to|chest|community|in|into|at|is|now|n)\b\W*)*\d",
    re.IGNORECASE,
)
_HANGS = re.compile(
    r"\b(?:if|when|once|unless|later|instead|tomorrow|tonight|next (?:time|season)|soon)\b",
    re.IGNORECASE,
)
_SEVERAL = re.compile(r"\b(?:or|and|then)\b|[,/&\u2192]", re.IGNORECASE)


@dataclass(frozen=True)
class ArgumentForm:
    """What follows a verb.

    Attributes:
        shown: as the prompt names it; empty: nothing follows.
        read: returns the argument in the words after a verb; raises ``AnswerError``.
        is_free: whether it is words that stay as they are, whatever names are among them.
    """

    shown: str
    read: Callable[[str, str], str | float]
    is_free: bool = False


def _nothing(verb: str, text: str) -> str:
    if _ADDED.match(text):
        raise AnswerError(f"ACTION: {verb} says more than one thing; decide for one of them")
    return ""


def _destination(verb: str, text: str) -> str:
    name = re.sub(r"^(?:to\b|at\b|[:\s])+", "", text, flags=re.IGNORECASE)
    if not name or name in ("place", "somebody"):
        raise AnswerError(f"{verb} needs to know where to")
    return name.strip()


def _share(verb: str, text: str) -> float:
    """Return a share of 1; a bare number above 1 can only be percent, a smaller one is unclear."""
    if _NO_SHARE.fullmatch(text):
        return 0.0
    shares = {float(share.replace(",", ".")) for share in _PERCENT.findall(text)}
    bare = _NUMBER.fullmatch(text.removeprefix("share").strip())
    if not shares and bare and float(bare[1]) > 1:
        shares = {float(bare[1])}
    is_plain = _SHARE_LEAD.match(text) and not _HANGS.search(text)
    if len(shares) != 1 or max(shares) > 100 or _ADDS_LATER.search(text) or not is_plain:
        raise AnswerError(f"{verb} takes a share from 0 to 100 %, such as {verb} 20 %")
    return shares.pop() / 100


NOTHING = ArgumentForm("", _nothing)
PLACE = ArgumentForm("place", _destination)
PERSON = ArgumentForm("somebody", _destination)
SHARE = ArgumentForm("share %", _share)


@dataclass(frozen=True)
class Verb:
    """Something that an agent can decide to do.

    Attributes:
        name: one word in capitals.
        form: what follows it.
        carry_out: does the next bit of it, each time that skills run, until the task is finished.
        text: what the prompt says of it, in a sentence; empty: its name says it.
        announced: by which words somebody says that they are about to do it.
    """

    name: str
    form: ArgumentForm
    carry_out: Callable[[Task], Awaitable[None]]
    announced: re.Pattern[str]
    text: str = ""


def announcement(words: str) -> re.Pattern[str]:
    """Return what finds "I am …" and "I will …" with some words, as a regular expression's."""
    return re.compile(rf"\bI(?: am|'m| will|'ll)\b[^.]*\b{words}", re.IGNORECASE)


async def _go(task: Task) -> None:
    if task.go_to(task.action.target):
        task.finish()


async def _rest(task: Task) -> None:
    task.body.stop()
    task.finish()


#: What agents can do in every society.
GENERAL = (
    Verb("VISIT", PERSON, _go, announcement("visit")),
    Verb("REST", NOTHING, _rest, announcement("rest")),
    Verb("GO", PLACE, _go, announcement("(?:go|going|off) to")),
)


class ActionSet:
    """All that the agents of a society can decide to do."""

    def __init__(self, verbs: Sequence[Verb] = ()) -> None:
        """Add a scenario's verbs to the general ones."""
        self._verbs = {verb.name: verb for verb in (*verbs, *GENERAL)}

    @property
    def prompt(self) -> str:
        """What the controller is told of it, a line each."""
        verbs = self._verbs.values()
        lines = [f"ACTION: {verb.name} {verb.form.shown}".strip() for verb in verbs]
        return "\n".join([*lines, *(verb.text for verb in verbs if verb.text)])

    @property
    def announcements(self) -> Mapping[str, re.Pattern[str]]:
        """By which words each action is announced; see :func:`records.measures.coherence`."""
        return {name: verb.announced for name, verb in self._verbs.items()}

    async def carry_out(self, task: Task) -> None:
        """Do the next bit of a task."""
        await self._verbs[task.action.verb].carry_out(task)

    def read_decision(self, answer: str, known: Sequence[str] = ()) -> tuple[Action, str]:
        """Return the action of an answer, and what to talk about.

        ``known``: places and people, whose names may be written in any case, or with an article.

        Raises:
            AnswerError: there is no action of the set.
        """
        pairs = _from_object(answer) or tagged(answer, TAGS)
        said = [value if tag == ACTION else "" for tag, value in pairs]
        action = last_reading((text for text in said if text), self._tagged)
        if action is None:
            action = last_reading(lines(answer), self._untagged)
        if action is None:
            raise AnswerError("there is no line ACTION: …")
        about = [value for tag, value in pairs if tag == ABOUT]
        subject = about[-1].strip("'\"") if about else ""
        is_empty = subject.lower().strip(" .()-") in ("", "nothing", "none", "n/a")
        if self._verbs[action.verb].form.is_free:
            return action, "" if is_empty else subject[:MAX_ABOUT_CHARACTERS]
        called = _called(action.argument, known, "|".join(self._verbs).lower())
        if called == action.argument and known and _is_several(called, known):
            raise AnswerError(f"{action} is not one of: {', '.join(known)}; name one, and no more")
        action = replace(action, argument=called)
        return action, "" if is_empty else subject[:MAX_ABOUT_CHARACTERS]

    def _tagged(self, text: str) -> Action:
        """Return the action that stands behind a tag."""
        found = _ACTION.match(_after_who(text))
        if found is None:
            raise AnswerError("there is no action behind ACTION:")
        return self.read_action(found[1], found[2])

    def _untagged(self, line: str) -> Action | None:
        """Return the action of a line that is one without a tag; None: it is something else."""
        lead = _LEAD.match(line)
        found = _ACTION.match(_after_who(line[lead.end() :]) if lead else line)
        if found is None or found[1] not in self._verbs:
            return None
        verb = self._verbs[found[1]]
        if verb.form is NOTHING and found[2]:
            return None
        return self.read_action(found[1], found[2])

    def read_action(self, name: str, rest: str) -> Action:
        """Return the action of a verb's name and the words after it.

        Raises:
            AnswerError: it is not of the set.
        """
        verb = self._verbs.get(name.upper())
        if verb is None:
            raise AnswerError(f"{name.upper()} is no action; there are: {', '.join(self._verbs)}")
        return Action(verb.name, verb.form.read(verb.name, rest))


def _after_who(text: str) -> str:
    """Return a decision without the words before its verb that say who decides."""
    who = _WHO.match(text)
    return text[who.end() :] if who else text


def _from_object(answer: str) -> list[tuple[str, str]]:
    """Return the tags and values of an answer that is a JSON object instead of lines."""
    try:
        found = read_objects(answer)[-1]
    except AnswerError:
        return []
    inner = next(iter(found.values()), None)
    if len(found) == 1 and isinstance(inner, dict):
        found = inner
    fields = {str(key).upper(): value for key, value in found.items() if value is not None}
    more = [str(fields[key.upper()]) for key in _ARGUMENTS if key.upper() in fields]
    if isinstance(fields.get(ACTION), str) and len(fields[ACTION].split()) == 1:
        fields[ACTION] = " ".join([fields[ACTION], *more])
    return [(tag, str(fields[tag])) for tag in TAGS if tag in fields]


def read_expected(answer: str, places: Sequence[str] = ()) -> Forecast | None:
    """Return what an answer expects of its decision; None: nothing, or it does not say.

    Raises:
        AnswerError: it says something that is no expectation.
    """
    pairs = _from_object(answer) or tagged(answer, TAGS)
    said = [value for tag, value in pairs if tag == EXPECT and value]
    return read_forecast(said[-1], places) if said else None


def without_remark(text: str) -> str:
    """Return what is named at the beginning of a text, without what is said of it."""
    return _REMARK.sub("", text, count=1).strip()


def _is_several(name: str | float, known: Sequence[str]) -> bool:
    """Whether words that mean none of the known ones name more than one thing."""
    return isinstance(name, str) and name not in known and bool(_SEVERAL.search(name))


def _called(name: str | float, known: Sequence[str], deeds: str) -> str | float:
    """Return what a name means among the known ones; itself where it means none of them.

    Of ``2 bread to Ben`` it is the name behind ``to``.
    """
    if isinstance(name, float) or name in known:
        return name
    found = _known(name, known, deeds)
    if found is None and " to " in name:
        what, _, to = name.partition(" to ")
        person = _known(to, known, deeds)
        found = None if person is None else f"{what} to {person}"
    return name if found is None else found


def _known(name: str, known: Sequence[str], deeds: str) -> str | None:
    """Return which known one a name means, with or without a remark; None: none, or several."""
    bare = without_remark(name)
    forms = {one.casefold().removeprefix("the "): one for one in reversed(known)}
    for wanted in (name, bare):
        if found := forms.get(wanted.strip().casefold().removeprefix("the ")):
            rest = name[len(wanted) :]
            others = "|".join(re.escape(form) for form, one in forms.items() if one != found)
            is_second = _SECOND.match(rest) and re.search(rf"\b(?:{others})\b", rest, re.IGNORECASE)
            is_more = bool(rest.strip()) and not is_aside(f" {rest.strip()}", others, deeds)
            return None if is_more or (others and is_second) else found
    ending = [one for form, one in forms.items() if _ends(bare.casefold(), form)]
    return ending[0] if len(ending) == 1 and not _SEVERAL.search(name) else None


def _ends(said: str, form: str) -> bool:
    """Whether words end with a name, and say before it only which one of its kind it is."""
    before = said.removesuffix(f" {form}")
    return before != said and not re.search(r"'s?\b|\b(?:not|other|another|next|new)\b", before)
