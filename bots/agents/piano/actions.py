"""What agents can decide to do: general verbs, those that a scenario adds, and how they are read.

A scenario's verb is one :class:`Verb`: its name, what follows it, what the prompt says of it, by
which words somebody announces it, and how it is carried out.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass

from bots.agents.piano.task import Action, Task
from bots.structured import AnswerError

_ACTION = re.compile(r"^\s*ACTION:\s*([A-Za-z]+)[ \t]*(.*?)\s*$", re.MULTILINE)
_ABOUT = re.compile(r"^\s*ABOUT:\s*(.*?)\s*$", re.MULTILINE)
_PERCENT = re.compile(r"(\d+(?:\.\d+)?)\s*%")
MAX_ABOUT_CHARACTERS = 120


@dataclass(frozen=True)
class ArgumentForm:
    """What follows a verb.

    Attributes:
        shown: as the prompt names it; empty: nothing follows.
        read: returns the argument in the words after a verb; raises ``AnswerError``.
    """

    shown: str
    read: Callable[[str, str], str | float]


def _nothing(_verb: str, _text: str) -> str:
    return ""


def _destination(verb: str, text: str) -> str:
    if not text:
        raise AnswerError(f"{verb} needs to know where to")
    return text.removeprefix("to ").strip()


def _share(verb: str, text: str) -> float:
    share = _PERCENT.search(text)
    if share is None or float(share[1]) > 100:
        raise AnswerError(f"{verb} takes a share from 0 to 100 %, such as {verb} 20 %")
    return float(share[1]) / 100


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

    def read_decision(self, answer: str) -> tuple[Action, str]:
        """Return the action of an answer, and what to talk about.

        Raises:
            AnswerError: there is no action of the set.
        """
        found = _ACTION.search(answer)
        if found is None:
            raise AnswerError("there is no line ACTION: …")
        about = _ABOUT.search(answer)
        is_empty = about is None or about[1].lower() == "nothing"
        subject = "" if about is None or is_empty else about[1][:MAX_ABOUT_CHARACTERS]
        return self.read_action(found[1], found[2]), subject

    def read_action(self, name: str, rest: str) -> Action:
        """Return the action of a verb's name and the words after it.

        Raises:
            AnswerError: it is not of the set.
        """
        verb = self._verbs.get(name.upper())
        if verb is None:
            raise AnswerError(f"{name.upper()} is no action; there are: {', '.join(self._verbs)}")
        return Action(verb.name, verb.form.read(verb.name, rest))
