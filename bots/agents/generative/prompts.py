"""The five prompts of a generative agent, and how their answers are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bots.agents.generative.situation import Situation
from bots.agents.turns import Perception, ReadAction
from bots.models import Message
from bots.prompts import render
from bots.structured import AnswerError, Names, Parts, fields_alone, own_words, read_choice
from bots.structured.values import as_text, field_list, field_text, field_value

#: How many questions an agent asks itself, and how many insights it draws, at each reflection.
QUESTIONS = 3
_NONE = "- nothing"
#: What is thought through before an action is chosen.
_THOUGHTS = ("opportunities", "threats", "options", "consequences", "final_analysis")


@dataclass(frozen=True)
class Plan:
    """What an agent wants, and how it means to get there."""

    goals: str
    plan: str


# --- What is asked -------------------------------------------------------------------------------


def messages_of(role: str, s: Situation) -> list[Message]:
    """Return the prompt of a role: react, plan, questions, insights or act."""
    text = _PROMPTS[role](s)
    return [{"role": "user", "content": text}]


def _react(s: Situation) -> str:
    return render("generative/react", **_who(s), **_now(s), **_aims(s))


def _plan(s: Situation) -> str:
    reason = s.reason or "You have no plan yet."
    return render(
        "generative/plan",
        **_who(s),
        **_now(s),
        **_aims(s),
        insights=_listed(s.insights),
        known=s.known.sections(),
        reason=reason,
    )


def _questions(s: Situation) -> str:
    return render("generative/questions", **_who(s), recent=_listed(s.recent))


def _insights(s: Situation) -> str:
    parts = (
        f"{number}. {question}\n{_listed(memories)}"
        for number, (question, memories) in enumerate(s.questions.items(), start=1)
    )
    return render("generative/insights", **_who(s), questions="\n".join(parts))


def _act(s: Situation) -> str:
    return render(
        "generative/act",
        **_who(s),
        **_now(s),
        **_aims(s),
        insights=_listed(s.insights),
        landmarks=_listed(s.landmarks.values()),
        explored=f"{s.explored:.0%}",
        known=s.known.sections(),
        previous=_listed(s.actions),
        actions=_listed(s.perception.actions),
    )


_PROMPTS = {
    "react": _react,
    "plan": _plan,
    "questions": _questions,
    "insights": _insights,
    "act": _act,
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


def place_of(p: Perception) -> str:
    """Return where and when an agent is, and what its last turn brought, in a sentence or two."""
    text = f"It is {p.clock}. You are at [{p.cell[0]}, {p.cell[1]}] and look {p.heading}."
    if p.last_action:
        text += f" Your last turn, {p.last_action}, brought you {p.reward:g}."
    return text


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines) or _NONE


# --- What is answered ----------------------------------------------------------------------------


#: Whether to plan anew, as models say it.
_ANEW = own_words("should new plan planning replan anew change keep react")
_VERDICTS = {"TRUE": True, "YES": True, "FALSE": False, "NO": False}


def read_react(answer: str) -> tuple[bool, str]:
    """Return whether to plan anew, and why.

    Raises:
        AnswerError: the answer does not say so.
    """

    def read(fields: dict[str, Any]) -> tuple[bool, str]:
        verdict = read_choice(field_text(fields, "answer"), _VERDICTS)
        if verdict is None:
            raise AnswerError('"Answer" is true or false')
        return verdict, field_text(fields, "reasoning", default="")

    return fields_alone(
        answer, read, {"reasoning": (), "answer": ()}, own=_ANEW, told=lambda found: found[0]
    )


def read_plan(answer: str) -> Plan:
    """Return goals and plan.

    Raises:
        AnswerError: one is missing.
    """
    names: Names = {"reasoning": (), "goals": ("goal",), "plan": ("plans",)}
    return fields_alone(
        answer, lambda f: Plan(field_text(f, "goals"), field_text(f, "plan")), names, told=_words
    )


def _words(_: object) -> None:
    """Return what is the same of free words where they are said again: nothing."""


def read_three(answer: str, name: str) -> tuple[str, ...]:
    """Return the texts of an answer's fields ``<name>_1`` to ``<name>_3``, or of a list of three.

    Raises:
        AnswerError: one is missing.
    """
    many = f"{name}s"

    def read(fields: dict[str, Any]) -> tuple[str, ...]:
        found, listed = [], field_list(fields, many)
        if len(listed) == QUESTIONS:
            fields = {f"{name}_{number}": one for number, one in enumerate(listed, start=1)}
        for number in range(1, QUESTIONS + 1):
            one = field_value(fields, f"{name}_{number}")
            found.append(field_text(one, name) if isinstance(one, Mapping) else as_text(one, name))
        return tuple(found)

    numbered = [f"{name}_{number}" for number in range(1, QUESTIONS + 1)]
    one, names = {name: (), "reasoning": ()}, {many: (name,), **dict.fromkeys(numbered, ())}
    inside = {many: Parts(one), **dict.fromkeys(numbered, Parts(one, many=False))}
    return fields_alone(answer, read, names, inside=inside, told=_words)


def read_act(answer: str, perception: Perception, read_action: ReadAction) -> str:
    """Return the legal action of an answer.

    Raises:
        AnswerError: there is none.
    """
    fields: Names = dict.fromkeys(_THOUGHTS, ()) | {"answer": ("action", "choice", "final_answer")}
    return fields_alone(
        answer,
        lambda f: read_action(field_text(f, "answer"), perception),
        fields,
        thoughts=_THOUGHTS,
    )
