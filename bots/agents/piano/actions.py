"""The actions of PIANO agents: verbs that every society has, and verbs that a scenario adds.

A scenario adds a verb as a :class:`Verb`, which has a name, arguments, a description for prompts, a
pattern for announcements, and the function that carries the action out. The answer types of the
decisions are built from the verbs.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Collection, Coroutine, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, reduce
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field, create_model

from voxpolis.bots.agents.piano.expectations import Expects, Forecast, as_forecast
from voxpolis.bots.agents.piano.task import Action, Task
from voxpolis.bots.models.typed import (
    Answer,
    AnswerError,
    each,
    integer,
    line,
    maybe,
    narrowed,
    one_of,
)
from voxpolis.bots.values import made_often
from voxpolis.records.text import caseless

MOST_ABOUT, MOST_TASK, MOST_NAME = 120, 160, 80
# Maximum number of names in an enum. Several verbs contain the enum, and a schema may have at most
# 1,000 enum values.
MOST_PEOPLE = 100
# Maximum number of pieces that an agent can hand over at once.
MOST_PIECES = 64


@dataclass(frozen=True)
class ArgumentForm:
    """The arguments that a verb takes; see :class:`Action`.

    Attributes:
        items: the allowed items.
        count: the maximum number of pieces; 0 if the verb takes no count.
        percent: whether the verb takes a percentage of what the agent holds.
        task: whether the verb takes a task in free text, whose result is not predefined.
    """

    items: tuple[str, ...] = ()
    count: int = 0
    person: bool = False
    place: bool = False
    percent: bool = False
    task: bool = False

    @property
    def shown(self) -> str:
        """The names of the arguments, as prompts show them."""
        names = ("count", "item", "person", "place", "percent", "task")
        has = (self.count, self.items, self.person, self.place, self.percent, self.task)
        return ", ".join(name for name, is_named in zip(names, has, strict=True) if is_named)


NOTHING = ArgumentForm()
PLACE = ArgumentForm(place=True)
PERSON = ArgumentForm(person=True)
PERCENT = ArgumentForm(percent=True)


@dataclass(frozen=True)
class Verb:
    """An action that an agent can choose.

    Attributes:
        name: one word in capital letters.
        carry_out: performs one step of the action; called again and again until the task is
            finished. ``carry_out`` is a plain function if the action never waits, else a coroutine
            function.
        announced: matches sentences in which an agent announces the action.
    """

    name: str
    form: ArgumentForm
    carry_out: Callable[[Task], Coroutine[Any, Any, None] | None]
    announced: re.Pattern[str]
    text: str = ""


def announcement(words: str) -> re.Pattern[str]:
    """Return a regular expression that matches "I am …" and "I will …" followed by ``words``."""
    return caseless(rf"\bI(?: am|'m| will|'ll)\b[^.]*\b{words}")


def _go(task: Task) -> None:
    if task.go_to(task.action.target):
        task.finish()


def _rest(task: Task) -> None:
    task.body.stop()
    task.finish()


# The verbs of every society.
GENERAL = (
    Verb(
        "VISIT",
        PERSON,
        _go,
        announcement("visit"),
        "you walk to a person, wherever they are; it is done when you stand next to them.",
    ),
    Verb("REST", NOTHING, _rest, announcement("rest"), "you stay where you are."),
    Verb(
        "GO",
        PLACE,
        _go,
        announcement("(?:go|going|off) to"),
        "you walk to a place; it is done when you are there.",
    ),
)


@made_often
class Known:
    """The names that an agent can use in its decisions.

    Attributes:
        own: the agent's own name, which its decisions cannot use.
        places: the names of the places.
        near: the agents that this agent knows, nearest first.
        people: all inhabitants; empty if the agent can only name the agents in ``near``.
        finds: takes a name that is not in ``places``, and returns whether the body can go to a
            place with exactly this name.
    """

    own: str = ""
    places: Sequence[str] = ()
    near: Sequence[str] = ()
    people: Collection[str] = ()
    finds: Callable[[str], bool] | None = None

    def check(self, action: Action) -> None:
        """Reject an action with an unknown place.

        Raises:
            AnswerError: there is no place with this name.
        """
        place = action.place
        if place and place not in self.places and not (self.finds and self.finds(place)):
            raise AnswerError(f"there is no place {place!r}; there are: {', '.join(self.places)}")


class Decide(Answer):
    """Your next action."""

    action: Action
    about: maybe(line(MOST_ABOUT)) = Field(  # type: ignore[valid-type]
        default=None, description="What you want to talk about with others; null: nothing."
    )
    expects: Annotated[Forecast | None, BeforeValidator(as_forecast)] = Field(
        default=None,
        description="What the action should have come to, so that you notice if it did not; "
        "null: nothing.",
    )


class Step(Answer):
    """Your next action, your words with it, and your goal."""

    goal: maybe(line(200)) = Field(  # type: ignore[valid-type]
        default=None, description="What you are after, in a sentence; null: as before."
    )
    action: Action
    say: maybe(line(200)) = Field(  # type: ignore[valid-type]
        default=None,
        description="What you say aloud to those near you as you begin; null: nothing.",
    )


class Steps(Answer):
    """A program: steps that are carried out from the first to the last."""

    steps: tuple[Step, ...]


class ActionSet:
    """All actions that the agents of a society can choose."""

    def __init__(self, verbs: Sequence[Verb] = (), ways: str = "") -> None:
        """Create the set from the verbs of all societies and the ``verbs`` of a scenario.

        ``ways`` is a text for prompts that describes travel times.
        """
        self._ways = ways
        self._verbs = {verb.name: verb for verb in (*verbs, *GENERAL)}
        self._forms = tuple((verb.name, verb.form) for verb in self._verbs.values())

    @property
    def prompt(self) -> str:
        """The list of actions for the controller's prompt, one action per line."""
        return "\n".join(filter(None, [*map(_in_words, self._verbs.values()), self._ways]))

    @property
    def texts(self) -> Mapping[str, str]:
        return {name: _in_words(verb) for name, verb in self._verbs.items()}

    @property
    def announcements(self) -> Mapping[str, re.Pattern[str]]:
        """A dictionary from each action to a pattern that matches announcements of this action.

        See :func:`records.measures.coherence`.
        """
        return {name: verb.announced for name, verb in self._verbs.items()}

    def carry_out(self, task: Task) -> Coroutine[Any, Any, None] | None:
        """Carry out one step of a task. Return an awaitable if the step has to wait."""
        return self._verbs[task.action.do].carry_out(task)

    # --- Answer types, for language models and people ---------------------------------------------

    def decision(self, known: Known) -> type[Decide]:
        return _decision(self._forms, *_named(known))

    def step(self, known: Known) -> type[Step]:
        return _step(self._forms, *_named(known))

    def program(self, known: Known, most: int) -> type[Steps]:
        return _program(self._forms, *_named(known), most)


def _in_words(verb: Verb) -> str:
    shown = f" ({verb.form.shown})" if verb.form.shown else ""
    return f"{verb.name}{shown}: {verb.text}" if verb.text else f"{verb.name}{shown}"


def _named(known: Known) -> tuple[tuple[str, ...], tuple[str, ...]]:
    people = known.people or dict.fromkeys(known.near)
    return tuple(known.places), tuple(name for name in people if name != known.own)


Forms = tuple[tuple[str, ArgumentForm], ...]


@lru_cache(1024)
def _decision(forms: Forms, places: tuple[str, ...], people: tuple[str, ...]) -> type[Decide]:
    things = tuple(dict.fromkeys(thing for _, form in forms for thing in form.items))
    is_free = not things or any(form.task for _, form in forms)
    expects = narrowed(
        Expects,
        item=maybe(line(MOST_NAME)) if is_free else one_of(things, "thing") | None,
        place=one_of(places, "place") | None if places else maybe(line(MOST_NAME)),
    )
    told = Field(default=None, description=Decide.model_fields["expects"].description)
    return narrowed(Decide, action=_action(forms, places, people), expects=(expects | None, told))


@lru_cache(1024)
def _step(forms: Forms, places: tuple[str, ...], people: tuple[str, ...]) -> type[Step]:
    return narrowed(Step, action=_action(forms, places, people))


@lru_cache(1024)
def _program(
    forms: Forms, places: tuple[str, ...], people: tuple[str, ...], most: int
) -> type[Steps]:
    about = Field(description="One after another.")
    return narrowed(Steps, steps=(each(_step(forms, places, people), most, 1), about))


def _action(forms: Forms, places: tuple[str, ...], people: tuple[str, ...]) -> tuple[Any, Any]:
    kinds = [_kind(name, form, places, people) for name, form in forms if people or not form.person]
    told = "What you do next: a verb, and what it needs."
    if len(kinds) == 1:
        return kinds[0], Field(description=told)
    return reduce(operator.or_, kinds), Field(description=told, discriminator="do")


def _kind(
    name: str, form: ArgumentForm, places: tuple[str, ...], people: tuple[str, ...]
) -> type[Answer]:
    fields: dict[str, Any] = {"do": (Literal[name], ...)}
    if form.count:
        fields["count"] = (integer(1, form.count), Field(description="How many."))
    if form.items:
        fields["item"] = (one_of(form.items, "item"), ...)
    if form.person:
        fields["person"] = (one_of(people, "person", MOST_PEOPLE), ...)
    if form.place:
        fields["place"] = (one_of(places, "place") if places else line(MOST_NAME), ...)
    if form.percent:
        fields["percent"] = (integer(0, 100), Field(description="Of all that you hold."))
    if form.task:
        fields["task"] = (line(MOST_TASK), Field(description="What it is, in words."))
    kind: type[Answer] = create_model(name.title(), __base__=Answer, **fields)
    return kind
