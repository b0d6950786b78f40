"""Scripted persons of a society: the base of a script that answers for all of its members.

A script gets the typed value of each request, and no prose (:mod:`bots.models.scripted`). What a
scenario's persons do not think of is answered here, in a word.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from bots.agents.piano.modules.controller import DecideRequest
from bots.agents.piano.modules.goals import GoalRequest
from bots.agents.piano.modules.planning import PlanRequest
from bots.agents.piano.modules.self_reflection import ReflectRequest
from bots.agents.piano.modules.social_awareness import SocialRequest
from bots.agents.piano.modules.talking import TalkRequest
from bots.models import ChatRequest

#: A plan or a reflection that is none.
NOTHING_OF_NOTE = "Nothing of note happened."

Person = TypeVar("Person")

#: What answers each request of a module.
_ANSWERS: Mapping[type[Any], str] = {
    DecideRequest: "decide",
    TalkRequest: "talk",
    SocialRequest: "judge",
    GoalRequest: "aim",
    PlanRequest: "plan",
    ReflectRequest: "reflect",
}


class ScriptedPeople(ABC, Generic[Person]):
    """Answers for the persons of a society; see :data:`bots.models.scripted.Script`.

    Attributes:
        people: what each person is and knows, by name.
    """

    people: Mapping[str, Person]

    def __call__(self, request: ChatRequest) -> str:
        """Answer a request as the person would.

        Raises:
            TypeError: nobody ever thought of such a request.
        """
        about, person = request.about, self.people[str(request.agent)]
        answers = getattr(self, _ANSWERS.get(type(about), "take_part"))
        answer: str | None = answers(person, about)
        if answer is None:
            whose = type(self).__name__
            raise TypeError(f"{whose} cannot answer {request.role}: {about!r}")
        return answer

    @abstractmethod
    def decide(self, person: Person, request: DecideRequest) -> str:
        """Choose what to do."""

    @abstractmethod
    def talk(self, person: Person, request: TalkRequest) -> str:
        """Say something, or nothing."""

    def judge(self, person: Person, request: SocialRequest) -> str:
        """Make up one's mind about others."""
        return "NOTHING"

    def aim(self, person: Person, request: GoalRequest) -> str:
        """Set a goal."""
        return "GOAL: You see what the day brings."

    def plan(self, person: Person, request: PlanRequest) -> str:
        """Plan the steps to a goal."""
        return NOTHING_OF_NOTE

    def reflect(self, person: Person, request: ReflectRequest) -> str:
        """Conclude something from what was lived through."""
        return NOTHING_OF_NOTE

    def take_part(self, person: Person, about: Any) -> str | None:
        """Answer what an institution asks; None: nobody thought of that."""
        return None
