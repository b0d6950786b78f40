"""A generative agent's cycle: perceive, react, plan, reflect, act."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from voxpolis.bots.agents.cooperation.known import Known
from voxpolis.bots.agents.generative.memory import (
    LongTermMemory,
    Memory,
    ShortTermMemory,
    SpatialMemory,
)
from voxpolis.bots.agents.generative.prompts import (
    Act,
    Insights,
    Plan,
    Questions,
    React,
    TurnAnswer,
    messages_of,
    narrow_of,
    place_of,
)
from voxpolis.bots.agents.generative.situation import Habits, Persona, Situation
from voxpolis.bots.agents.turns import Perception
from voxpolis.bots.agents.voyager.retrieval import Retriever
from voxpolis.bots.asking import ask
from voxpolis.bots.models import ChatModel, Question
from voxpolis.bots.models.typed import AnswerError

#: Ours: what an agent decides should follow from its situation.
TEMPERATURE = 0.1

A = TypeVar("A", bound=TurnAnswer)


class GenerativeAgent:
    """One agent through a game; a :class:`~bots.agents.turns.TurnPlayer`.

    Attributes:
        acted: how many of its actions were its own choice.
    """

    def __init__(
        self,
        persona: Persona,
        model: ChatModel,
        retriever: Retriever,
        habits: Habits,
        known: Callable[[], Known] = Known,
    ) -> None:
        """Get ready.

        Args:
            persona: what it is.
            model: answers for it.
            retriever: finds what comes to mind.
            habits: how its mind works.
            known: returns what the modules that it carries tell it.
        """
        self.persona = persona
        self.acted = 0
        self._model = model
        self._habits = habits
        self._known = known
        self.long_term = LongTermMemory(retriever, habits.recency_hours)
        self.short_term = ShortTermMemory()
        self.spatial = SpatialMemory()

    async def choose(self, perception: Perception[Any]) -> Any:
        """Return the action of a turn; None: it is out of the game, or gave no usable answer.

        Raises:
            ModelError: the model does not answer.
        """
        self._perceive(perception)
        if not perception.is_playing:
            return None
        reason = await self._react(perception)
        if reason is not None:
            await self._plan(perception, reason)
        if self.short_term.due(self._habits):
            await self._reflect(perception)
        act = await self._asked(Act, perception)
        if act is None:
            return None
        self.acted += 1
        return perception.actions[act.number - 1]

    def _perceive(self, perception: Perception[Any]) -> None:
        self.short_term.perceive(perception)
        self.spatial.perceive(perception)
        for text in (place_of(perception), *perception.changes, *perception.observations):
            self.long_term.add(Memory(perception.hour, text, "observation"))

    async def _react(self, perception: Perception[Any]) -> str | None:
        """Return why to plan anew; None: the plan is still good."""
        if not self.short_term.plan:
            return ""
        react = await self._asked(React, perception)
        return react.reason if react is not None and react.new_plan else None

    async def _plan(self, perception: Perception[Any], reason: str) -> None:
        plan = await self._asked(Plan, perception, reason=reason)
        if plan is None:
            return
        self.short_term.goals, self.short_term.plan = plan.goals, plan.plan
        text = f"My goals: {plan.goals} My plan: {plan.plan}"
        self.long_term.add(Memory(perception.hour, text, "plan"))

    async def _reflect(self, perception: Perception[Any]) -> None:
        asks = await self._asked(Questions, perception)
        self.short_term.recent = []
        if asks is None:
            return
        hour, count = perception.hour, self._habits.recalled
        minded = {
            question: tuple(one.text for one in self.long_term.recall(question, hour, count))
            for question in asks.questions
        }
        drawn = await self._asked(Insights, perception, questions=minded)
        insights = drawn.insights if drawn else ()
        for text in insights:
            self.long_term.add(Memory(hour, text, "insight"))
        kept = [*self.short_term.insights, *insights]
        self.short_term.insights = kept[-self._habits.insights :]

    @property
    def plan(self) -> str:
        """Its plan, in words; empty: it has none yet."""
        return self.short_term.plan

    def situation(self, perception: Perception[Any]) -> Situation:
        """Return what the agent knows of its turn."""
        short = self.short_term
        return Situation(
            self.persona,
            perception,
            short.goals,
            short.plan,
            insights=tuple(short.insights),
            landmarks=dict(self.spatial.landmarks),
            explored=len(self.spatial.seen) / perception.area,
            actions=tuple(short.actions),
            recent=tuple(short.recent[-self._habits.reflect_every :]),
            known=self._known(),
        )

    async def _asked(self, kind: type[A], perception: Perception[Any], **more: object) -> A | None:
        """Return an answer of a type; None: none could be used."""
        situation = replace(self.situation(perception), **more)  # type: ignore[arg-type]
        try:
            return await ask(
                self._model,
                Question(partial(messages_of, kind, situation)),
                kind,
                role=kind.role,
                agent=self.persona.name,
                temperature=TEMPERATURE,
                about=situation,
                narrow=partial(narrow_of, kind, situation),
            )
        except AnswerError:
            return None
