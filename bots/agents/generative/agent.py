"""The cycle of a generative agent: it perceives, reacts, plans, reflects and acts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal, TypeVar

from voxpolis.bots.agents.cooperation.knowledge import Known
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
from voxpolis.bots.agents.recall import best_memories
from voxpolis.bots.agents.turns import Cell, Perception
from voxpolis.bots.agents.voyager.retrieval import Retriever
from voxpolis.bots.asking import ask
from voxpolis.bots.models import ChatModel, Question
from voxpolis.bots.models.typed import AnswerError

# --- The three memories of a generative agent: long-term, short-term and spatial ------------------

# The importance ("poignancy") of every memory, from 1 to 10. The paper's agents never learnt to
# rate their memories, so all memories had the maximum.
POIGNANCY = 10
# Number of past actions that prompts show.
ACTIONS_KEPT = 5


@dataclass(frozen=True)
class Memory:
    """An observation, a plan or an insight that an agent remembers.

    Attributes:
        t: the time in hours.
        poignancy: the importance of the memory, from 1 to 10.
    """

    t: float
    text: str
    kind: Literal["observation", "plan", "insight"]
    poignancy: int = POIGNANCY

    @property
    def importance(self) -> float:
        """The poignancy, rescaled to the range 0 to 1."""
        return self.poignancy / 10


class LongTermMemory:
    """All observations, plans and insights of an agent. Each text is stored only once."""

    def __init__(self, retriever: Retriever, recency_hours: float) -> None:
        self._index = retriever.index()
        self._hours = recency_hours
        self._number: dict[str, int] = {}
        self.memories: list[Memory] = []

    def add(self, memory: Memory) -> None:
        """Add a memory. If the text is already stored, update the time of the stored memory."""
        number = self._number.setdefault(memory.text, len(self.memories))
        if number < len(self.memories):
            self.memories[number] = replace(memory, kind=self.memories[number].kind)
            return
        self._index.add(memory.text)
        self.memories.append(memory)

    def recall(self, query: str, hour: float, count: int) -> list[Memory]:
        """Return the ``count`` memories with the highest mean of relevance, recency and poignancy.

        Relevance is the cosine similarity between the memory and ``query``. The paper defines the
        recency of a memory that is h hours old as e^h, which grows with age. We use e^(-h / T),
        where T is ``recency_hours``.
        """
        relevance = self._index.scores(query)
        return best_memories(
            self.memories, relevance, hour, lambda age: math.exp(-age / self._hours), count
        )


@dataclass
class ShortTermMemory:
    """The working memory of an agent: its goals and plan, its latest insights and actions."""

    goals: str = ""
    plan: str = ""
    insights: list[str] = field(default_factory=list)
    actions: list[str] = field(default_factory=list)
    recent: list[str] = field(default_factory=list)

    def perceive(self, perception: Perception[Any]) -> None:
        if perception.last_action:
            done = f"{perception.last_action}: {perception.last_outcome}"
            self.actions = [*self.actions, done][-ACTIONS_KEPT:]
        self.recent += [*perception.changes, *perception.observations]


@dataclass
class SpatialMemory:
    """The map that an agent knows: the cells and landmarks that it has seen."""

    seen: set[Cell] = field(default_factory=set)
    landmarks: dict[str, str] = field(default_factory=dict)

    def perceive(self, perception: Perception[Any]) -> None:
        """Add the cells and landmarks in view. The text about a landmark says when it was seen."""
        self.seen |= perception.view
        told = {
            name: f"{text} (seen at {perception.clock})"
            for name, text in perception.landmarks.items()
        }
        self.landmarks = dict(sorted({**self.landmarks, **told}.items()))


# --------------------------------------------------------------------------------------------------

# The temperature is low so that decisions follow from the situation; the value is ours.
TEMPERATURE = 0.1

A = TypeVar("A", bound=TurnAnswer)


class GenerativeAgent:
    """One agent in a game; implements :class:`~bots.agents.turns.TurnPlayer`.

    Attributes:
        acted: the number of turns in which the agent gave a usable action.
    """

    def __init__(
        self,
        persona: Persona,
        model: ChatModel,
        retriever: Retriever,
        habits: Habits,
        known: Callable[[], Known] = Known,
    ) -> None:
        self.persona = persona
        self.acted = 0
        self._model = model
        self._habits = habits
        self._known = known
        self.long_term = LongTermMemory(retriever, habits.recency_hours)
        self.short_term = ShortTermMemory()
        self.spatial = SpatialMemory()

    async def choose(self, perception: Perception[Any]) -> Any:
        """Return the action for a turn.

        Return None if the agent is out of the game or gave no usable answer.
        """
        self._perceive(perception)
        if not perception.is_playing:
            return None
        reason = await self._react(perception)
        if reason is not None:
            await self._plan(perception, reason)
        if len(self.short_term.recent) >= self._habits.reflect_every:
            await self._reflect(perception)
        act = await self._ask(Act, perception)
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
        """Return the agent's reason for making a new plan.

        Return None if the current plan is still good.
        """
        if not self.short_term.plan:
            return ""
        react = await self._ask(React, perception)
        return react.reason if react is not None and react.new_plan else None

    async def _plan(self, perception: Perception[Any], reason: str) -> None:
        plan = await self._ask(Plan, perception, reason=reason)
        if plan is None:
            return
        self.short_term.goals, self.short_term.plan = plan.goals, plan.plan
        text = f"My goals: {plan.goals} My plan: {plan.plan}"
        self.long_term.add(Memory(perception.hour, text, "plan"))

    async def _reflect(self, perception: Perception[Any]) -> None:
        asks = await self._ask(Questions, perception)
        self.short_term.recent = []
        if asks is None:
            return
        hour, count = perception.hour, self._habits.recalled
        minded = {
            question: tuple(one.text for one in self.long_term.recall(question, hour, count))
            for question in asks.questions
        }
        drawn = await self._ask(Insights, perception, questions=minded)
        insights = drawn.insights if drawn else ()
        for text in insights:
            self.long_term.add(Memory(hour, text, "insight"))
        kept = [*self.short_term.insights, *insights]
        self.short_term.insights = kept[-self._habits.insights :]

    @property
    def plan(self) -> str:
        """The agent's plan in words; empty before the first plan."""
        return self.short_term.plan

    def situation(self, perception: Perception[Any]) -> Situation:
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

    async def _ask(self, kind: type[A], perception: Perception[Any], **more: object) -> A | None:
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
