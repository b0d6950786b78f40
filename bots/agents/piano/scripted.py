"""The base class of scripts that answer for all members of a society in place of a model.

A script receives the structured data of each request and returns a typed answer
(:mod:`bots.models.scripted`). This class contains default answers, which a scenario's script can
replace.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any, Generic, TypeVar

from voxpolis.bots.agents.piano.actions import Decide
from voxpolis.bots.agents.piano.modules.controller import DecideRequest
from voxpolis.bots.agents.piano.modules.goals import Goal, GoalRequest
from voxpolis.bots.agents.piano.modules.planning import Plan, PlanRequest
from voxpolis.bots.agents.piano.modules.self_reflection import Insights, ReflectRequest
from voxpolis.bots.agents.piano.modules.social_awareness import (
    Opinions,
    Profiles,
    ProfilesRequest,
    SocialRequest,
)
from voxpolis.bots.agents.piano.modules.talking import Talk, TalkRequest
from voxpolis.bots.models import ChatRequest
from voxpolis.bots.models.typed import Answer

# A plan and a reflection without content.
NOTHING_OF_NOTE = "Nothing of note happened."
NO_PLAN, NO_INSIGHTS = Plan(steps=(NOTHING_OF_NOTE,)), Insights(insights=(NOTHING_OF_NOTE,))
NO_OPINIONS, NO_PROFILES = Opinions(), Profiles()
ANY_GOAL = Goal(goal="You see what the day brings.")

Person = TypeVar("Person")

# The name of the method that answers each type of request.
_ANSWERS: Mapping[type[Any], str] = {
    DecideRequest: "decide",
    TalkRequest: "talk",
    SocialRequest: "judge",
    ProfilesRequest: "describe",
    GoalRequest: "aim",
    PlanRequest: "plan",
    ReflectRequest: "reflect",
}


class ScriptedPeople(ABC, Generic[Person]):
    """A script for the members of a society; see :data:`bots.models.scripted.Script`.

    Attributes:
        people: for each member's name, the scripted character and knowledge of this member.
    """

    people: Mapping[str, Person]

    def __call__(self, request: ChatRequest) -> Answer | str:
        """Answer a request as the asked member would.

        Raises:
            TypeError: the script cannot answer this type of request.
        """
        about, person = request.about, self.people[str(request.agent)]
        answers = getattr(self, _ANSWERS.get(type(about), "take_part"))
        answer: Answer | str | None = answers(person, about)
        if answer is None:
            whose = type(self).__name__
            raise TypeError(f"{whose} cannot answer {request.role}: {about!r}")
        return answer

    @abstractmethod
    def decide(self, person: Person, request: DecideRequest) -> Decide:
        """Choose an action."""

    @abstractmethod
    def talk(self, person: Person, request: TalkRequest) -> Talk:
        """Say something, or stay silent."""

    def judge(self, person: Person, request: SocialRequest) -> Opinions:
        return NO_OPINIONS

    def describe(self, person: Person, request: ProfilesRequest) -> Profiles:
        return NO_PROFILES

    def aim(self, person: Person, request: GoalRequest) -> Goal:
        return ANY_GOAL

    def plan(self, person: Person, request: PlanRequest) -> Plan:
        return NO_PLAN

    def reflect(self, person: Person, request: ReflectRequest) -> Insights:
        return NO_INSIGHTS

    def take_part(self, person: Person, about: Any) -> Answer | str | None:
        """Answer a question of an institution, such as a vote.

        None means that the script has no answer.
        """
        return None
