"""What agents can decide to do: general verbs, those that a scenario adds, and how they are read.

A scenario's verb is one :class:`Verb`: its name, what follows it, what the prompt says of it, by
which words somebody announces it, and how it is carried out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bots.agents.piano.expecting import EXPECT, SAYS_NOTHING, Forecast, read_forecast
from bots.agents.piano.names import Known, things_meant
from bots.agents.piano.said import ABOUT, ACTION, expected_in, said_in
from bots.agents.piano.shares import read_share
from bots.agents.piano.task import Action, Task
from bots.structured import (
    AnswerError,
    alone,
    is_aside,
    lines,
    one_reading,
    own_words,
    remembered,
)
from records.text import caseless

_ACTION = re.compile(r"\W*([A-Za-z]+)\b[\s:(\[<\"']*(.*?)[\s.!)\]>\"']*$", re.DOTALL)
#: What stands before a decision that is written without its tag.
_LEAD = caseless(
    r"(?:(?:so|therefore|my|the|final|i|choose|chosen|decide)\W+)*"
    r"(?:decision|choice|answer|action|choose|decide|to)\W+(?:is\W+|to\W+)?"
)
#: Who decides, before the verb of a decision.
_WHO = caseless(
    r"\W*+(?:i'll|i will|i shall|i'm going to|i am going to|let me|let's)\s++(?:now\s++)?+"
)
#: No subject, and marks that stand for none.
_NO_SUBJECT = caseless(
    rf"[\s.()*_\u2013\u2014\u2026-]*(?:{SAYS_NOTHING})?[\s.()*_\u2013\u2014\u2026-]*"
)
#: Beside a decision: of what a share is, and that there is no subject.
_BESIDE = caseless(
    r"\W*(?:%|percent\b)?\s*of my \d+ (?:pieces|goods|wheat|items)\W*"
    rf"|\W*(?:{ABOUT}|{EXPECT}\w*)\W*{SAYS_NOTHING}\W*"
)
#: Fields of a decision that is an object.
_FIELDS = ({name.lower(): name for name in (ACTION, ABOUT, EXPECT)}, dict[str, str]())
#: Words of a decision's fields that say nothing; phrases without their spaces.
_OWN = own_words(
    """
    percent of goods holdings pieces possessions wealth tax what all that hold about expect
    expects nothing none subject verb target argument decide i nosubject notopic nothingspecial
    nothinginparticular
    """
)
MAX_ABOUT_CHARACTERS = 120
#: Words behind a verb that takes nothing, which leave it as it is: how, where and with whom.
_MANNER = caseless(
    r"(?!.*\b(?:or|and|then|but|if|unless|no|not|never|instead|actually|later|when|until|once)\b)"
    r"[\w' ]+"
)
_BRACKETS = re.compile(r"[(\[][^()\[\]]*[)\]]")
#: What another verb may follow that is not decided for: ``so that I can PAY``, ``not WORK``.
_NOT_DECIDED = caseless(
    r"\b(?:not|to|instead of|rather than|because|since|as|so|cannot|before|after)\b[^.;,|/?!]*$"
)


@dataclass(frozen=True)
class ArgumentForm:
    """What follows a verb.

    Attributes:
        shown: as the prompt names it; empty: nothing follows.
        read: returns the argument in the words after a verb; raises ``AnswerError``.
        split: returns an argument as what stands before the name in it, and the name of a place or
            a person; None: there is none.
        is_person: whether only people can be named.
        things: those that can be named.
        is_free: whether anything may be said, and anything may come of it.
    """

    shown: str
    read: Callable[[str, str], str | float]
    split: Callable[[str], tuple[str, str]] | None = None
    is_person: bool = False
    things: tuple[str, ...] = ()
    is_free: bool = False


def _nothing(_verb: str, _text: str) -> str:
    return ""


def _destination(verb: str, text: str) -> str:
    name = re.sub(r"^(?:to\b|at\b|[:\s])+", "", text, flags=re.IGNORECASE)
    if not name or name in ("place", "somebody"):
        raise AnswerError(f"{verb} needs to know where to")
    return name.strip()


NOTHING = ArgumentForm("", _nothing)
PLACE = ArgumentForm("place", _destination, lambda name: ("", name))
PERSON = ArgumentForm("somebody", _destination, lambda name: ("", name))
SHARE = ArgumentForm("share %", read_share)


@dataclass(frozen=True)
class Verb:
    """Something that an agent can decide to do.

    Attributes:
        name: one word in capitals.
        form: what follows it.
        carry_out: does the next bit of it, each time that skills run, until the task is finished; a
            coroutine function, or a plain one where it waits for nothing.
        text: what the prompt says of it, in a sentence; empty: its name says it.
        announced: by which words somebody says that they are about to do it.
    """

    name: str
    form: ArgumentForm
    carry_out: Callable[[Task], Coroutine[Any, Any, None] | None]
    announced: re.Pattern[str]
    text: str = ""


def announcement(words: str) -> re.Pattern[str]:
    """Return what finds "I am …" and "I will …" with some words, as a regular expression's."""
    return caseless(rf"\bI(?: am|'m| will|'ll)\b[^.]*\b{words}")


def _go(task: Task) -> None:
    if task.go_to(task.action.target):
        task.finish()


def _rest(task: Task) -> None:
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
        #: A regular expression of all verbs.
        self._deeds = "|".join(self._verbs).lower()
        self._known = remembered(self._only_action_of)
        forms = [verb.form for verb in self._verbs.values()]
        self._things = frozenset(thing for form in forms for thing in form.things)
        words = {word for thing in self._things for word in thing.split("_")}
        #: Words of its things say nothing besides, of one or of many.
        self._own = _OWN | words | {f"{word}s" for word in words} | {w.rstrip("s") for w in words}
        self._is_free = any(form.is_free for form in forms)

    @property
    def prompt(self) -> str:
        """What the controller is told of it, a line each."""
        verbs = self._verbs.values()
        lines = [f"ACTION: {verb.name} {verb.form.shown}".strip() for verb in verbs]
        return "\n".join([*lines, *(verb.text for verb in verbs if verb.text)])

    @property
    def texts(self) -> Mapping[str, str]:
        """What prompts say of each verb, where they say anything."""
        return {name: verb.text for name, verb in self._verbs.items() if verb.text}

    @property
    def announcements(self) -> Mapping[str, re.Pattern[str]]:
        """By which words each action is announced; see :func:`records.measures.coherence`."""
        return {name: verb.announced for name, verb in self._verbs.items()}

    def carry_out(self, task: Task) -> Coroutine[Any, Any, None] | None:
        """Do the next bit of a task; return what has to be waited for, if anything has."""
        return self._verbs[task.action.verb].carry_out(task)

    def read_decision(self, answer: str, known: Known | None = None) -> tuple[Action, str]:
        """Return the action of an answer, and what to talk about.

        Args:
            answer: of a model.
            known: places and people that there are; None: all names are taken as they are.

        Raises:
            AnswerError: there is no action of the set, it names what is not there, or the answer
                says several.
        """
        action, about = self._known(answer)
        return (action if known is None else self._with_name(action, known)), about

    def read_action(self, answer: str, known: Known) -> Action:
        """Return the action of an answer, whatever is attached to it: its caller sees to that.

        Raises:
            AnswerError: see :meth:`read_decision`.
        """
        return self._with_name(self._action_of(answer)[0], known)

    def read_expected(self, answer: str, action: Action, known: Known) -> Forecast | None:
        """Return what an answer expects of its decision; None: nothing, or it does not say.

        Things are named as in decisions where these name any: "planks" are ``oak_planks``, and of
        several kinds that is meant which the action names.

        Args:
            answer: of a model.
            action: its decision.
            known: places and people that there are.

        Raises:
            AnswerError: it says something that is no expectation, or of no thing that there is.
        """
        said = expected_in(answer)
        if not said:
            return None
        found = read_forecast(said[-1], (*known.places, *known.people), self._things)
        if found is None or not self._things:
            return found
        items = [(self._thing(name, n, action), n) for name, n in found.items.items()]
        if len(dict(items)) < len(items):
            raise AnswerError(f"{EXPECT} names the same thing twice")
        return replace(found, items=dict(items))

    def _thing(self, name: str, count: int, action: Action) -> str:
        """Return which thing an expectation means; what there is more of as the decision means it.

        Raises:
            AnswerError: there is none of that name, or it may be several.
        """
        decided = things_meant(name, self._verbs[action.verb].form.things) if count > 0 else []
        if len(decided) == 1 and re.search(rf"\b{decided[0]}\b", str(action)):
            return decided[0]
        found = things_meant(name, self._things)
        own = [one for one in found if re.search(rf"\b{one}\b", str(action))]
        if len(own or found) == 1:
            return (own or found)[0]
        if self._is_free:
            return name
        some = f"may be {', '.join(sorted(found))}; name one of them"
        which = some if found else "is nothing that anybody can hold here"
        raise AnswerError(f"{EXPECT}: {name} {which}")

    def _only_action_of(self, answer: str) -> tuple[Action, str]:
        """Return the same where nothing else is attached to it."""
        read = alone(
            answer,
            lambda text: (self._action_of(text), expected_in(text)),
            self._own,
            beside=_BESIDE,
            asked=_FIELDS,
            compared=lambda found: found[0][0],
        )
        return read[0]

    def _action_of(self, answer: str) -> tuple[Action, str]:
        """Return the action of an answer with names as they are, and what to talk about."""
        pairs = said_in(answer)
        said = [value if tag == ACTION else "" for tag, value in pairs]
        action = one_reading((text for text in said if text), self._tagged)
        if action is None:
            action = one_reading(lines(answer), self._untagged)
        if action is None:
            raise AnswerError("there is no line ACTION: …")
        about = [value for tag, value in pairs if tag == ABOUT]
        subject = about[-1].strip("'\"") if about else ""
        return action, "" if _NO_SUBJECT.fullmatch(subject) else subject[:MAX_ABOUT_CHARACTERS]

    def _with_name(self, action: Action, known: Known) -> Action:
        """Return an action with the usual name of the place or the person that it is about."""
        form = self._verbs[action.verb].form
        if form.split is None:
            return action
        before, name = form.split(action.target)
        name = known.meant(action.verb, name, self._deeds, is_person=form.is_person)
        named = before + name
        return action if named == action.argument else Action(action.verb, named)

    def _tagged(self, text: str) -> Action:
        """Return the action that stands behind a tag."""
        found = _ACTION.match(_after_who(text))
        if found is None:
            raise AnswerError("there is no action behind ACTION:")
        return self._read(found)

    def _untagged(self, line: str) -> Action | None:
        """Return the action of a line that is one without a tag; None: it is something else."""
        lead = _LEAD.match(line)
        found = _ACTION.match(_after_who(line[lead.end() :]) if lead else line)
        if found is None or found[1] not in self._verbs:
            return None
        verb = self._verbs[found[1]]
        if verb.form is NOTHING and found[2] and not lead:
            return None
        return self._read(found)

    def _read(self, found: re.Match[str]) -> Action:
        """Return the action of a text that begins with a verb's name.

        Raises:
            AnswerError: it is not of the set, or more than one.
        """
        verb = self._verbs.get(found[1].upper())
        if verb is None:
            there = ", ".join(self._verbs)
            raise AnswerError(f"{found[1].upper()} is no action; there are: {there}")
        rest = found.string[found.end(1) :]
        if self._has_second(rest) or (verb.form is NOTHING and not self._is_manner(rest)):
            raise AnswerError(
                f"ACTION: {verb.name} says more than one thing; decide for one of them"
            )
        return Action(verb.name, verb.form.read(verb.name, found[2]))

    def _has_second(self, rest: str) -> bool:
        """Whether what follows a verb names another one that is decided for as well."""
        bare = _BRACKETS.sub("", rest)
        others = re.finditer(rf"\b(?:{'|'.join(self._verbs)})\b", bare)
        return any(not _NOT_DECIDED.search(bare[: other.start()]) for other in others)

    def _is_manner(self, rest: str) -> bool:
        """Whether what follows a verb that takes nothing leaves it as it is."""
        return is_aside(rest, "", self._deeds) or bool(_MANNER.fullmatch(rest))


def _after_who(text: str) -> str:
    """Return a decision without the words before its verb that say who decides."""
    who = _WHO.match(text)
    return text[who.end() :] if who else text
