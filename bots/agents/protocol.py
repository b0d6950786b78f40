"""Interfaces of an agent: its briefing, its body, and its life.

An agent kind (``bots/agents/registry.py``) is independent of worlds and scenarios: it is given a
body, a briefing and a model.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, Literal, Protocol, TypeVar

from voxpolis.bots.asking import ask, ask_program
from voxpolis.bots.models import Answer, ChatModel, Message
from voxpolis.bots.models.scripted import ScriptError
from voxpolis.records.programs import RunResult

# The form of a body's policies: JavaScript programs, plans of a fixed vocabulary, a society's
# verbs, a grid game's action numbers, or one action in words per turn.
FormatName = Literal["code", "plans", "verbs", "actions", "turns", "choices"]


@dataclass(frozen=True)
class Briefing:
    """Information given to an agent before it plays.

    Attributes:
        text: the scenario's prose.
        contract: text of the contract in force; may be empty.
        situation: typed value that ``text`` was rendered from, for scripted minds.
        memory: its memory of earlier episodes, in words; may be empty.
    """

    agent: str
    text: str
    contract: str
    situation: object = None
    memory: str = ""

    @property
    def full_text(self) -> str:
        """The scenario's prose, and the agent's memory."""
        return f"{self.text}\n\n# What you remember\n{self.memory}" if self.memory else self.text


@dataclass(frozen=True)
class Policy:
    """Question for a policy, or for one step of it.

    Attributes:
        answer: answer type; None if the policy is a program in a fenced block.
        read: converts an answer or a program's text into the policy that the body executes; raises
            ``AnswerError`` if it is invalid.
        narrow: returns the answer type restricted to existing names, given the agent that is asked;
            see :func:`bots.asking.ask`.
    """

    answer: type[Answer] | None
    read: Callable[[Any], str]
    narrow: Callable[[str], type[Answer]] | None = None

    async def ask(
        self,
        model: ChatModel,
        messages: Sequence[Message],
        *,
        role: str,
        agent: str | None,
        temperature: float,
        about: object,
    ) -> str:
        """Ask for a policy, and return it in the form that the body executes.

        Raises:
            AnswerError: no answer was usable.
        """
        asked: Any = {"role": role, "agent": agent, "temperature": temperature, "about": about}
        if self.answer is None:
            return await ask_program(model, messages, self.read, **asked)
        narrow = None if self.narrow is None else partial(self.narrow, agent or "")
        policy: str = await ask(
            model, messages, self.answer, narrow=narrow, read=self.read, **asked
        )
        return policy


@dataclass(frozen=True)
class PolicyFormat:
    """The form in which a body takes policies.

    Attributes:
        name: kind of body that executes them.
        system: returns the system prompt for a briefing.
        nothing: a policy that does nothing.
        where: description of the players' world, in words.
        in_words: returns a policy as shown in prompts.
    """

    name: FormatName
    system: Callable[[Briefing], str]
    policy: Policy
    nothing: str
    where: str
    in_words: Callable[[str], str] = field(default=str, kw_only=True)


@dataclass(frozen=True)
class StepFormat(PolicyFormat):
    """A form of policies that can be requested one step at a time.

    Attributes:
        ask_step: returns the prompt for the next step, given a briefing, the observation, and the
            last step with its result.
        step: question for one step.
    """

    ask_step: Callable[[Briefing, str, str], list[Message]]
    step: Policy


class Body(Protocol):
    """An agent's body in any world."""

    @property
    def name(self) -> str:
        """The agent's name."""

    @property
    def format(self) -> PolicyFormat:
        """Form of the policies that it executes."""

    @property
    def last(self) -> RunResult | None:
        """Result of the last policy; None until the first policy has ended."""

    async def observe(self) -> str:
        """Return the agent's observation, in words."""

    async def inventory(self) -> Mapping[str, int]:
        """Return its inventory according to the world: item → count."""

    async def act(self, policy: str, skills: Mapping[str, str] | None = None) -> RunResult:
        """Execute a policy to its end; ``skills`` are functions that it may call, by name."""


# Result of a policy that was cancelled before it could begin.
NOT_RUN = RunResult(status="stopped", error=None, logs=[], seconds=0.0)


@dataclass(frozen=True)
class Review:
    """Outcome of an episode as shown to an agent.

    Attributes:
        outcome: events and rewards in words, according to the world.
        judgement: the judge's comments to this agent, sentence by sentence.
        program: result of the agent's own last policy.
        is_remembered: the agent will use its memory of this episode later.
        goes_on: the episode was only one part of a life, and the next part needs another policy.
    """

    outcome: str
    judgement: Sequence[str]
    program: RunResult
    is_remembered: bool = True
    goes_on: bool = False


@dataclass(frozen=True)
class Lesson:
    """An agent's review: the critic's assessment, and whether the agent wants another attempt.

    Attributes:
        success: the critic's verdict on its policy.
        unwritten: why it had no policy of its own, so that no critic was asked; empty if it had
            one.
    """

    again: bool
    success: bool = True
    critique: str = ""
    unwritten: str = ""


class Agent(Protocol):
    """One agent over the episodes of a run."""

    @property
    def is_ready(self) -> bool:
        """True if the agent can live now; otherwise it must be prepared first."""

    async def prepare(self, observation: str) -> str:
        """Prepare while game time is stopped; return the reason for a failure, or an empty string.

        Raises:
            ModelError: the model does not answer.
        """

    async def live(self) -> None:
        """Live until there is nothing left to do, or until cancelled.

        Raises:
            ModelError: the model does not answer.
        """

    async def review(self, review: Review) -> Lesson | None:
        """Review an episode; return None if this kind of agent does not review episodes.

        Raises:
            ModelError: the model does not answer.
        """


A = TypeVar("A", bound=Answer)


@dataclass(frozen=True)
class Question(Generic[A]):
    """A question in a game of choices, as presented to an agent.

    Attributes:
        agent: the agent that is asked.
        role: role of the question.
        messages: rules and situation, as sent to a language model.
        answer: answer type.
        possible: subtype of ``answer`` restricted to currently possible values.
        about: typed value that the messages were rendered from, for scripted minds.
    """

    agent: str
    role: str
    messages: Sequence[Message]
    answer: type[A]
    possible: type[A]
    about: object

    async def ask(self, model: ChatModel, *more: Message) -> A:
        """Ask a model, appending the messages ``more`` to the question's.

        Raises:
            AnswerError: no answer was usable.
            ModelError: the model does not answer.
        """
        return await ask(
            model,
            [*self.messages, *more],
            self.answer,
            role=self.role,
            agent=self.agent,
            temperature=0.7,
            about=self.about,
            narrow=lambda: self.possible,
        )


class Chooser(Protocol):
    """An agent for games of choices; its class has ``formats = ("choices",)``."""

    async def choose(self, question: Question[Any]) -> Answer:
        """Return an instance of the question's answer type.

        Raises:
            AnswerError: the agent has no usable answer.
            ModelError: the model does not answer.
        """


class AgentError(TypeError):
    """An agent lacks a member of :class:`Agent`, or returns an invalid policy."""

    is_one_line = True


class CheckedAgent:
    """Wrapper that checks an agent against :class:`Agent` and attributes errors to its code."""

    def __init__(self, agent: Agent, name: str) -> None:
        """Wrap an agent.

        Raises:
            AgentError: the agent lacks a member of :class:`Agent`.
        """
        self._agent, self._whose = agent, f"the agent of {name}, {type(agent).__name__}"
        for part in ("is_ready", "prepare", "live", "review"):
            if not hasattr(type(agent), part) and not hasattr(agent, part):
                where = f"{Agent.__module__}.{Agent.__name__}"
                raise AgentError(f"{self._whose}, lacks {part}: see {where}")

    @property
    def is_ready(self) -> bool:
        ready: object = self._agent.is_ready
        if callable(ready):
            raise AgentError(f"{self._whose}: is_ready must be a property")
        return bool(ready)

    async def prepare(self, observation: str) -> str:
        problem: str = await self._awaited("prepare", str, observation)
        return problem

    async def live(self) -> None:
        await self._awaited("live", object)

    async def review(self, review: Review) -> Lesson | None:
        lesson: Lesson | None = await self._awaited("review", Lesson | None, review)
        return lesson

    async def _awaited(self, part: str, kind: Any, *args: Any) -> Any:
        begun = getattr(self._agent, part)(*args)
        if not inspect.isawaitable(begun):
            raise AgentError(f"{self._whose}: {part}() must be an async function")
        try:
            returned = await begun
        except ScriptError as error:
            raise AgentError(f"{self._whose}: {error}") from error
        if not isinstance(returned, kind):
            what = "a text" if kind is str else "a Lesson or None"
            told = f"{part}() returns {returned!r:.60}, which is not {what}"
            raise AgentError(f"{self._whose}: {told}")
        return returned


def as_policy(policy: object, name: str) -> str:
    """Check that a policy is a string, and return it.

    Raises:
        AgentError: it is something else.
    """
    if not isinstance(policy, str):
        raise AgentError(f"the agent of {name} executes {policy!r:.60}, which is not a text")
    return policy


# Records an agent's event, given its class and its fields.
Note = Callable[..., object]


@dataclass(frozen=True)
class ChooserSetup:
    """Constructor arguments of a :class:`Chooser`, one per repetition.

    Attributes:
        agent: its name.
        model: answers for it.
        note: records the agent's events.
        seed: seed of the repetition.
    """

    agent: str
    model: ChatModel
    note: Note
    seed: int


@dataclass(frozen=True)
class AgentSetup:
    """Constructor arguments of an agent kind.

    Attributes:
        note: records the agent's events.
        goal: its aim in a sentence, for kinds that set their own tasks.
        folder: folder for its learned data; empty if it keeps none.
        is_over: returns whether the run has reached its aim, so that the agent starts nothing new.
    """

    briefing: Briefing
    body: Body
    model: ChatModel
    note: Note
    goal: str = ""
    folder: str = ""
    options: Mapping[str, object] = field(default_factory=dict)
    is_over: Callable[[], bool] = lambda: False
