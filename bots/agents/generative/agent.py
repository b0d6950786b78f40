"""A generative agent's cycle: perceive, react, plan, reflect, act."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from bots.agents.cooperation.known import Known
from bots.agents.generative.memory import LongTermMemory, Memory, ShortTermMemory, SpatialMemory
from bots.agents.generative.prompts import (
    messages_of,
    place_of,
    read_act,
    read_plan,
    read_react,
    read_three,
)
from bots.agents.generative.situation import Habits, Persona, Situation
from bots.agents.turns import Perception, ReadAction
from bots.agents.voyager.retrieval import Retriever
from bots.models import ChatModel
from bots.structured import AnswerError, complete_parsed

#: Ours: what an agent decides should follow from its situation.
TEMPERATURE = 0.1
#: What is done where no answer could be read.
FALLBACK = "stay put"

T = TypeVar("T")


class GenerativeAgent:
    """One agent through a game; a :class:`~bots.agents.turns.TurnPlayer`.

    Attributes:
        acted: how many of its actions were its own choice.
    """

    def __init__(
        self,
        persona: Persona,
        model: ChatModel,
        read_action: ReadAction,
        retriever: Retriever,
        habits: Habits,
        known: Callable[[], Known] = Known,
    ) -> None:
        """Get ready.

        Args:
            persona: what it is.
            model: answers for it.
            read_action: how actions are read where it plays.
            retriever: finds what comes to mind.
            habits: how its mind works.
            known: returns what the modules that it carries tell it.
        """
        self.persona = persona
        self.acted = 0
        self._model = model
        self._read_action = read_action
        self._habits = habits
        self._known = known
        self.long_term = LongTermMemory(retriever, habits.recency_hours)
        self.short_term = ShortTermMemory()
        self.spatial = SpatialMemory()

    async def choose(self, perception: Perception) -> str:
        """Return the action of a turn; one that is out of the game perceives, and stays.

        Raises:
            ModelError: the model does not answer.
        """
        self._perceive(perception)
        if not perception.is_playing:
            return FALLBACK
        reason = await self._react(perception)
        if reason is not None:
            await self._plan(perception, reason)
        if self.short_term.due(self._habits):
            await self._reflect(perception)
        return await self._act(perception)

    def _perceive(self, perception: Perception) -> None:
        self.short_term.perceive(perception)
        self.spatial.perceive(perception)
        for text in (place_of(perception), *perception.changes, *perception.observations):
            self.long_term.add(Memory(perception.hour, text, "observation"))

    async def _react(self, perception: Perception) -> str | None:
        """Return why to plan anew; None: the plan is still good."""
        if not self.short_term.plan:
            return ""
        said = await self._asked(role="react", perception=perception, read=read_react)
        again, why = said or (False, "")
        return why if again else None

    async def _plan(self, perception: Perception, reason: str) -> None:
        plan = await self._asked(role="plan", perception=perception, read=read_plan, reason=reason)
        if plan is None:
            return
        self.short_term.goals, self.short_term.plan = plan.goals, plan.plan
        text = f"My goals: {plan.goals} My plan: {plan.plan}"
        self.long_term.add(Memory(perception.hour, text, "plan"))

    async def _reflect(self, perception: Perception) -> None:
        def questions_in(answer: str) -> tuple[str, ...]:
            return read_three(answer, "question")

        def insights_in(answer: str) -> tuple[str, ...]:
            return read_three(answer, "insight")

        questions = await self._asked(role="questions", perception=perception, read=questions_in)
        self.short_term.recent = []
        if questions is None:
            return
        hour, count = perception.hour, self._habits.recalled
        minded = {
            question: tuple(one.text for one in self.long_term.recall(question, hour, count))
            for question in questions
        }
        drawn = await self._asked(
            role="insights", perception=perception, read=insights_in, questions=minded
        )
        insights = drawn or ()
        for text in insights:
            self.long_term.add(Memory(hour, text, "insight"))
        kept = [*self.short_term.insights, *insights]
        self.short_term.insights = kept[-self._habits.insights :]

    async def _act(self, perception: Perception) -> str:
        def action_in(answer: str) -> str:
            return read_act(answer, perception, self._read_action)

        action = await self._asked(role="act", perception=perception, read=action_in)
        if action is None:
            return FALLBACK
        self.acted += 1
        return action

    @property
    def plan(self) -> str:
        """Its plan, in words; empty: it has none yet."""
        return self.short_term.plan

    def situation(self, perception: Perception) -> Situation:
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

    async def _asked(
        self, role: str, perception: Perception, read: Callable[[str], T], **more: object
    ) -> T | None:
        """Return what an answer says; None where none could be read."""
        situation = replace(self.situation(perception), **more)  # type: ignore[arg-type]
        try:
            return await complete_parsed(
                self._model,
                messages_of(role, situation),
                read,
                role=role,
                agent=self.persona.name,
                temperature=TEMPERATURE,
                about=situation,
            )
        except AnswerError:
            return None
