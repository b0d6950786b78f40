"""The five questions that a generative agent asks its model: prompts and answer types."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import Annotated, Any, ClassVar

from pydantic import Field

from voxpolis.bots.agents.generative.situation import Situation
from voxpolis.bots.agents.turns import Perception
from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, integer, line, narrowed, text
from voxpolis.bots.prompts import messages

# A reflection has this many questions, and as many insights.
QUESTIONS = 3
_NONE = "- nothing"


# --- The answers ----------------------------------------------------------------------------------


class TurnAnswer(Answer):
    """Answer to one of the five questions; ``role`` is the role that is asked."""

    role: ClassVar[str]


class React(TurnAnswer):
    """Decision whether to make a new plan."""

    role = "react"

    new_plan: bool = Field(description="Whether you make a new plan.")
    reason: str = Field(description="Why, in a sentence.")


class Plan(TurnAnswer):
    """Goals of an agent, and its plan to reach them."""

    role = "plan"

    goals: str = Field(description="What you want to achieve.")
    plan: str = Field(description="How you will conduct yourself in the long run.")


class Questions(TurnAnswer):
    """Three questions that an agent asks itself."""

    role = "questions"

    questions: tuple[str, ...] = Field(description="Your three questions, the most important first")


class Insights(TurnAnswer):
    """Three insights, one for each question."""

    role = "insights"

    insights: tuple[str, ...] = Field(description="Three insights, one for each question.")


class Act(TurnAnswer):
    """Next action of an agent."""

    role = "act"

    number: int = Field(description="The number of the action in the list of what you can do.")


_THREE: Any = Annotated[list[line(1000)], Field(min_length=QUESTIONS, max_length=QUESTIONS)]  # type: ignore[misc]
_NARROW: dict[type[TurnAnswer], type[TurnAnswer]] = {
    React: narrowed(React, reason=line()),
    Plan: narrowed(Plan, goals=text(1000), plan=text(2000)),
    Questions: narrowed(Questions, questions=_THREE),
    Insights: narrowed(Insights, insights=_THREE),
}


def narrow_of(kind: type[TurnAnswer], s: Situation) -> type[Any]:
    """Return a variant of an answer type that only allows the choices of a situation."""
    return _act_of(len(s.perception.actions)) if kind is Act else _NARROW[kind]


@cache
def _act_of(actions: int) -> type[Act]:
    return narrowed(Act, number=integer(1, actions))


# --- The prompts ----------------------------------------------------------------------------------


def messages_of(kind: type[TurnAnswer], s: Situation) -> list[Message]:
    """Build the prompt of a question."""
    return _PROMPTS[kind](s)


def _react(s: Situation) -> list[Message]:
    return messages("generative/react", **_who(s), **_now(s), **_aims(s))


def _plan(s: Situation) -> list[Message]:
    reason = s.reason or "You have no plan yet."
    return messages(
        "generative/plan",
        **_who(s),
        **_now(s),
        **_aims(s),
        insights=_listed(s.insights),
        known=s.known.sections(),
        reason=reason,
    )


def _questions(s: Situation) -> list[Message]:
    return messages("generative/questions", **_who(s), recent=_listed(s.recent))


def _insights(s: Situation) -> list[Message]:
    parts = (
        f"{number}. {question}\n{_listed(memories)}"
        for number, (question, memories) in enumerate(s.questions.items(), start=1)
    )
    return messages("generative/insights", **_who(s), questions="\n".join(parts))


def _act(s: Situation) -> list[Message]:
    return messages(
        "generative/act",
        **_who(s),
        **_now(s),
        **_aims(s),
        insights=_listed(s.insights),
        landmarks=_listed(s.landmarks.values()),
        explored=f"{s.explored:.0%}",
        known=s.known.sections(),
        previous=_listed(s.actions),
        actions="\n".join(f"{n}. {one}" for n, one in enumerate(s.perception.actions, start=1)),
    )


_PROMPTS: dict[type[TurnAnswer], Callable[[Situation], list[Message]]] = {
    React: _react,
    Plan: _plan,
    Questions: _questions,
    Insights: _insights,
    Act: _act,
}


def _who(s: Situation) -> dict[str, str]:
    character = f"\n{s.persona.character}" if s.persona.character else ""
    return {"name": s.persona.name, "character": character, "world": s.persona.world}


def _now(s: Situation) -> dict[str, str]:
    return {
        "place": place_of(s.perception),
        "observations": _listed(s.perception.observations),
        "changes": _listed(s.perception.changes),
    }


def _aims(s: Situation) -> dict[str, str]:
    return {"goals": s.goals or "none yet", "plan": s.plan or "none yet"}


def place_of(p: Perception[Any]) -> str:
    """Describe the time, the agent's position and its last turn in one or two sentences."""
    text = f"It is {p.clock}. You are at [{p.cell[0]}, {p.cell[1]}] and look {p.heading}."
    if p.last_action:
        text += f" Your last turn, {p.last_action}, brought you {p.reward:g}."
    return text


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines) or _NONE
