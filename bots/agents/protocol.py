"""The interfaces of an agent: its briefing, its body and its life.

An agent kind (``bots/agents/registry.py``) does not depend on worlds or scenarios. An agent
receives a body, a briefing and a model.
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

# What a body's policies consist of: JavaScript programs, plans of a fixed vocabulary, the verbs of
# a society, the numbered actions of a grid game, one action in words per turn, or answers to the
# questions of a game.
FormatName = Literal["code", "plans", "verbs", "actions", "turns", "choices"]


@dataclass(frozen=True)
class Briefing:
    """The information that an agent gets before it plays.

    Attributes:
        text: the scenario's description of the game.
        contract: the text of the contract in force; may be empty.
        situation: the structured data from which ``text`` was written, for scripted minds.
        memory: what the agent remembers of earlier episodes, in words; may be empty.
    """

    agent: str
    text: str
    contract: str
    situation: object = None
    memory: str = ""

    @property
    def full_text(self) -> str:
        """The scenario's text followed by what the agent remembers."""
        return f"{self.text}\n\n# What you remember\n{self.memory}" if self.memory else self.text


@dataclass(frozen=True)
class Policy:
    """A way to ask a model for a policy, or for a single step of a policy.

    Attributes:
        answer: the answer type; None if the policy is a program in a fenced block.
        read: converts an answer or a program's text into the policy that the body executes; raises
            ``AnswerError`` if the answer is invalid.
        narrow: takes the name of the agent that is asked, and returns an answer type that only
            allows names that exist; see :func:`bots.asking.ask`.
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
        """Ask a model for a policy, and return it in the form that the body executes.

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
    """The form of the policies that a body executes.

    Attributes:
        name: the kind of policies.
        system: returns the system prompt for a briefing.
        policy: how to ask for a policy.
        nothing: a policy that does nothing.
        where: a few words that say in which world the players are.
        in_words: converts a policy into the form that prompts show.
    """

    name: FormatName
    system: Callable[[Briefing], str]
    policy: Policy
    nothing: str
    where: str
    in_words: Callable[[str], str] = field(default=str, kw_only=True)


@dataclass(frozen=True)
class StepFormat(PolicyFormat):
    """The form of policies that can also be requested one step at a time.

    Attributes:
        ask_step: takes a briefing, the observation, and the last step with its result; returns the
            prompt for the next step.
        step: how to ask for one step.
    """

    ask_step: Callable[[Briefing, str, str], list[Message]]
    step: Policy


class Body(Protocol):
    """The body of an agent, in any world."""

    @property
    def name(self) -> str:
        """The agent's name."""

    @property
    def format(self) -> PolicyFormat:
        """The form of the policies that the body executes."""

    @property
    def last(self) -> RunResult | None:
        """The result of the last policy; None before the first policy has ended."""

    async def observe(self) -> str:
        """Return the agent's observation, in words."""

    async def inventory(self) -> Mapping[str, int]:
        """Return the number of pieces of each item that the body has according to the world."""

    async def act(self, policy: str, skills: Mapping[str, str] | None = None) -> RunResult:
        """Execute a policy until it ends.

        ``skills`` is a dictionary from the names of functions that the policy may call to their
        code.
        """


# The result of a policy that was cancelled before it began.
NOT_RUN = RunResult(status="stopped", error=None, logs=[], seconds=0.0)


@dataclass(frozen=True)
class Review:
    """The outcome of an episode, as the agent is told.

    Attributes:
        outcome: what happened and what the agent earned, in words, according to the world.
        judgement: what the judge (the model that settles the contract) told the agent, one sentence
            per entry.
        program: the result of the agent's own last policy.
        is_remembered: whether the agent will use its memory of this episode later.
        goes_on: whether the agent lives on after this episode, and therefore needs a new policy.
    """

    outcome: str
    judgement: Sequence[str]
    program: RunResult
    is_remembered: bool = True
    goes_on: bool = False


@dataclass(frozen=True)
class Lesson:
    """The lesson that an agent learnt from reviewing an episode.

    Attributes:
        again: whether the agent wants another attempt.
        success: whether its policy succeeded, according to the critic.
        critique: the advice of the critic.
        unwritten: the reason why the agent had no policy of its own; empty if it had such a policy.
            Without a policy, no critic is asked.
    """

    again: bool
    success: bool = True
    critique: str = ""
    unwritten: str = ""


class Agent(Protocol):
    """One agent, which plays all episodes of a run."""

    @property
    def is_ready(self) -> bool:
        """True if the agent can live now. If not, it has to be prepared first."""

    async def prepare(self, observation: str) -> str:
        """Prepare for the episode, while game time is stopped.

        Returns:
            The reason why the agent could not prepare; empty if it could.

        Raises:
            ModelError: the model does not answer.
        """

    async def live(self) -> None:
        """Act until there is nothing left to do, or until cancelled.

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
    """A question that a game of choices asks an agent.

    Attributes:
        agent: the agent that is asked.
        role: the role of the question.
        messages: the rules and the situation, as a language model reads them.
        answer: the answer type.
        possible: a subtype of ``answer`` that only allows the values that are possible now.
        about: the structured data from which the messages were written, for scripted minds.
    """

    agent: str
    role: str
    messages: Sequence[Message]
    answer: type[A]
    possible: type[A]
    about: object

    async def ask(self, model: ChatModel, *more: Message) -> A:
        """Ask a model. The messages ``more`` follow those of the question.

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
    """An agent for games of choices. Its class has the attribute ``formats = ("choices",)``."""

    async def choose(self, question: Question[Any]) -> Answer:
        """Answer a question with an instance of the question's answer type.

        Raises:
            AnswerError: the agent has no usable answer.
            ModelError: the model does not answer.
        """


class AgentError(TypeError):
    """An agent class does not follow :class:`Agent`, or an agent returned an invalid policy."""

    is_one_line = True


class CheckedAgent:
    """A wrapper that checks that an agent follows :class:`Agent`.

    The messages of its errors name the agent's class.
    """

    def __init__(self, agent: Agent, name: str) -> None:
        """Wrap an agent.

        Raises:
            AgentError: a member of :class:`Agent` is missing.
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
    """Return the policy after checking that it is a string.

    Raises:
        AgentError: the policy is not a string.
    """
    if not isinstance(policy, str):
        raise AgentError(f"the agent of {name} executes {policy!r:.60}, which is not a text")
    return policy


# Records an event of an agent. The arguments are the event's class and fields.
Note = Callable[..., object]


@dataclass(frozen=True)
class ChooserSetup:
    """The arguments with which a :class:`Chooser` is created, once per repetition.

    Attributes:
        agent: the name of the agent.
        model: the model that answers for the agent.
        note: records the agent's events.
        seed: the seed of the repetition.
    """

    agent: str
    model: ChatModel
    note: Note
    seed: int


@dataclass(frozen=True)
class AgentSetup:
    """The arguments with which an agent is created.

    Attributes:
        note: records the agent's events.
        goal: the agent's aim in one sentence, for agents that set their own tasks.
        folder: the folder where the agent stores what it learns; empty if it stores nothing.
        is_over: returns whether the run has reached its aim. If so, the agent starts nothing new.
    """

    briefing: Briefing
    body: Body
    model: ChatModel
    note: Note
    goal: str = ""
    folder: str = ""
    options: Mapping[str, object] = field(default_factory=dict)
    is_over: Callable[[], bool] = lambda: False
