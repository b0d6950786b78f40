"""The seams of an agent: what it is told, the body that it has, and the life that it leads.

An agent kind (``bots/agents/registry.py``) knows none of the worlds and none of the scenarios: it
is given a body, a briefing and a model, and lives.
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

# How a body is driven: by JavaScript programs, by plans of a fixed vocabulary, by the verbs of a
# society, by the numbers of a grid game's actions, or by one action in words a turn.
FormatName = Literal["code", "plans", "verbs", "actions", "turns", "choices"]


@dataclass(frozen=True)
class Briefing:
    """Briefing of an agent before it plays.

    Attributes:
        text: the scenario's prose.
        contract: the text of the contract in force; empty where there is none.
        situation: the typed value that ``text`` was rendered from; scripted minds go by it.
        memory: what it remembers of episodes before, in words; empty: nothing.
    """

    agent: str
    text: str
    contract: str
    situation: object = None
    memory: str = ""

    @property
    def told(self) -> str:
        """The scenario's prose, and what the agent remembers."""
        return f"{self.text}\n\n# What you remember\n{self.memory}" if self.memory else self.text


@dataclass(frozen=True)
class Policy:
    """Question for a policy, or for one step of it.

    Attributes:
        answer: the type of the answer; None: the policy is a program in a fenced block.
        read: returns the policy as its body executes it, of an answer or of a program's text;
            raises ``AnswerError`` where it cannot.
        narrow: returns the type that names only what there is, for the agent that is asked; see
            :func:`bots.asking.ask`.
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
        """Ask for it, and return it as its body executes it.

        Raises:
            AnswerError: no answer could be used.
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
    """Form of policies.

    Attributes:
        name: the kind of body that executes them.
        system: returns the system prompt for a briefing.
        nothing: a policy that does nothing.
        where: where its players play, in words.
        in_words: returns a policy as prompts show it.
    """

    name: FormatName
    system: Callable[[Briefing], str]
    policy: Policy
    nothing: str
    where: str
    in_words: Callable[[str], str] = field(default=str, kw_only=True)


@dataclass(frozen=True)
class StepFormat(PolicyFormat):
    """A form of policies of which one step can be asked for at a time.

    Attributes:
        ask_step: returns what a model sees that is asked for the next step: of a briefing, what is
            perceived, and the last step with how it went.
        step: how one step is asked for.
    """

    ask_step: Callable[[Briefing, str, str], list[Message]]
    step: Policy


class Body(Protocol):
    """An agent's body in a world, whichever it is."""

    @property
    def name(self) -> str:
        """The agent's name."""

    @property
    def format(self) -> PolicyFormat:
        """What it executes."""

    @property
    def last(self) -> RunResult | None:
        """How the last policy went; None where none has ended yet."""

    async def observe(self) -> str:
        """What the agent perceives, in words."""

    async def inventory(self) -> Mapping[str, int]:
        """What it holds by the world's own account: item → count."""

    async def act(self, policy: str, skills: Mapping[str, str] | None = None) -> RunResult:
        """Execute a policy to its end; ``skills`` are functions that it may call, by name."""


# How a policy went that was cut off before it could begin.
NOT_RUN = RunResult(status="stopped", error=None, logs=[], seconds=0.0)


@dataclass(frozen=True)
class Review:
    """Outcome of an episode as an agent is told it.

    Attributes:
        outcome: what happened and what everybody got, in words, by the world's own account.
        judgement: what the judge said to this agent, sentence by sentence.
        program: how the agent's own last policy went.
        is_remembered: whether there is anything after this episode that the agent takes it to.
        goes_on: whether it was but a part of a life, of which the next needs another policy.
    """

    outcome: str
    judgement: Sequence[str]
    program: RunResult
    is_remembered: bool = True
    goes_on: bool = False


@dataclass(frozen=True)
class Lesson:
    """Lesson of a review: a critic's view, and whether the agent wants another attempt.

    Attributes:
        success: what the critic says of its policy.
        unwritten: why it had no policy of its own, so that no critic was asked; empty: it had one.
    """

    again: bool
    success: bool = True
    critique: str = ""
    unwritten: str = ""


class Agent(Protocol):
    """One agent through the episodes of a run."""

    @property
    def is_ready(self) -> bool:
        """True where it could live now; else it is prepared first."""

    async def prepare(self, observation: str) -> str:
        """Get ready while no game time passes; returns why that failed, or an empty text.

        Raises:
            ModelError: the model does not answer.
        """

    async def live(self) -> None:
        """Live until there is nothing more to do, or until cancelled.

        Raises:
            ModelError: the model does not answer.
        """

    async def review(self, review: Review) -> Lesson | None:
        """Look back on an episode; None where this kind of agent does not.

        Raises:
            ModelError: the model does not answer.
        """


A = TypeVar("A", bound=Answer)


@dataclass(frozen=True)
class Question(Generic[A]):
    """A question of a game of choices, as an agent is asked it.

    Attributes:
        agent: who is asked.
        role: what the answer is for.
        messages: the rules, and how things are now: what a language model would see.
        answer: the type of the answer.
        possible: a subtype of it that can only name what is possible now.
        about: the typed value that the messages were made from, for scripted minds.
    """

    agent: str
    role: str
    messages: Sequence[Message]
    answer: type[A]
    possible: type[A]
    about: object

    async def ask(self, model: ChatModel, *more: Message) -> A:
        """Ask a model, with ``more`` messages behind those of the question.

        Raises:
            AnswerError: no answer could be used.
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
    """An agent of games of choices; its class has ``formats = ("choices",)``."""

    async def choose(self, question: Question[Any]) -> Answer:
        """Return an instance of the question's type of answer.

        Raises:
            AnswerError: it has none.
            ModelError: the model does not answer.
        """


class AgentError(TypeError):
    """An agent lacks a part of :class:`Agent`, or gives its body what is no policy; one line."""

    is_one_line = True


class Held:
    """An agent whose parts are held against :class:`Agent`: what is wrong is said to be its own."""

    def __init__(self, agent: Agent, name: str) -> None:
        """Begin.

        Raises:
            AgentError: the agent lacks a part.
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
    """Return a policy, which is a text.

    Raises:
        AgentError: it is something else.
    """
    if not isinstance(policy, str):
        raise AgentError(f"the agent of {name} executes {policy!r:.60}, which is no text")
    return policy


# Records an event of an agent: its class, and its fields.
Note = Callable[..., object]


@dataclass(frozen=True)
class ChooserSetup:
    """All that a :class:`Chooser` is made of, once for each repetition.

    Attributes:
        agent: its name.
        model: answers for it.
        note: records events of its own.
        seed: of the repetition.
    """

    agent: str
    model: ChatModel
    note: Note
    seed: int


@dataclass(frozen=True)
class AgentSetup:
    """All that an agent kind is made of.

    Attributes:
        note: records events of its own.
        goal: what to strive for, in a sentence, for kinds that set themselves tasks.
        folder: where it keeps what it learns, by path; empty: nowhere.
        is_over: whether the run has come to what it was for, so that nothing new is begun.
    """

    briefing: Briefing
    body: Body
    model: ChatModel
    note: Note
    goal: str = ""
    folder: str = ""
    options: Mapping[str, object] = field(default_factory=dict)
    is_over: Callable[[], bool] = lambda: False
