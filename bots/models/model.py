"""Interface between agents and language models."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Literal, Protocol, TypedDict, overload

from voxpolis.bots.models.typed import Answer, AnswerType
from voxpolis.bots.values import made_often


class Message(TypedDict):
    """One message of a conversation."""

    role: Literal["system", "user", "assistant"]
    content: str


class Question(Sequence[Message]):
    """A conversation that is rendered on first access: scripted minds never read it."""

    __slots__ = ("_messages", "_prompt")

    def __init__(self, prompt: Callable[[], str | Sequence[Message]]) -> None:
        """Create the question; ``prompt`` returns its messages, or the text of a user message.

        The inputs of ``prompt`` must not change afterwards.
        """
        self._prompt = prompt
        self._messages: Sequence[Message] | None = None

    def __len__(self) -> int:
        return len(self._written())

    @overload
    def __getitem__(self, index: int) -> Message: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Message]: ...
    def __getitem__(self, index: int | slice) -> Message | Sequence[Message]:
        return self._written()[index]

    def _written(self) -> Sequence[Message]:
        if self._messages is None:
            written = self._prompt()
            if isinstance(written, str):
                written = [{"role": "user", "content": written}]
            self._messages = written
        return self._messages


@made_often
class ChatRequest:
    """One question to a model.

    Attributes:
        role: role of the question (``action``, ``critic``, ``judge``).
        agent: the agent that asks; None for the judge and similar roles.
        max_tokens: maximum length of the answer.
        extra_tokens: added to ``max_tokens`` after the settings are applied.
        about: typed value that the prompt was rendered from. Scripted minds answer from it and
            never read prose; language models do not see it.
        attempt: number of earlier attempts with unusable answers.
        error: error of the last answer; the last message contains it, too.
        answer: returns the answer type; None for a text with a fenced program.
    """

    messages: Sequence[Message]
    role: str
    agent: str | None
    temperature: float
    max_tokens: int
    about: object = None
    extra_tokens: int = 0
    attempt: int = 0
    error: str = ""
    answer: AnswerType | None = None


@made_often
class Completion:
    """A model's answer; token counts are None if the endpoint does not report them.

    Attributes:
        text: the answer without the preceding thought; JSON for a typed question.
        value: a scripted mind's answer, instead of a text; None if there is a text.
        model: name of the model as reported by the endpoint.
        prompt_tokens: tokens of the whole prompt.
        completion_tokens: tokens of the answer and the thought.
        reasoning: the thought, if the endpoint shows it.
        finish_reason: why the answer ended: ``stop``, ``length`` (truncated), ``content_filter``,
            ``tool_calls``, or ``refusal`` if the endpoint reports a refusal.
        cached_tokens: prompt tokens that the endpoint had cached.
        reasoning_tokens: completion tokens used for thought.
        cost: dollars, if the endpoint reports them.
        notes: findings about the model in this call: parameters that it does not accept.
        tries: number of requests to the endpoint.
        calls: number of answers requested: two if the first was all thought, or was truncated after
            a thought.
        extra_tokens: tokens beyond its role's ``max_tokens`` that the model was given, or will be
            given from now on.
        seconds: response time of the endpoint, without queueing and failed tries; None if no
            endpoint was asked.
        form: how its type was requested, one of :data:`bots.models.parameters.FORMS`; None if it
            was not typed, or no endpoint was asked.
        fingerprint: backend configuration, if the endpoint reports it.
    """

    text: str
    model: str
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    reasoning: str = ""
    finish_reason: str | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    cost: float | None = None
    notes: tuple[str, ...] = ()
    tries: int = 1
    calls: int = 1
    extra_tokens: int = 0
    seconds: float | None = None
    form: str | None = None
    fingerprint: str | None = None
    value: Answer | None = None

    def written(self) -> str:
        """Return the answer as text, including a scripted mind's."""
        return self.text if self.value is None else self.value.text()


class ModelError(RuntimeError):
    """The model cannot be reached, or its response is not a completion.

    Attributes:
        answer: the unusable answer, if one was paid for.
        notes: see :class:`Completion`.
        tries: number of requests to the endpoint.
        kind: distinguishes errors in replays.
    """

    kind = ""
    answer: Completion | None = None
    notes: tuple[str, ...] = ()
    tries: int = 0


class UnreachableError(ModelError):
    """No server responds at the endpoint's address."""


class ClosedError(ModelError):
    """No further call can succeed: a wrong key, no credit, no server, a lasting limit."""

    kind = "ends_run"


class ThoughtLimitError(ModelError):
    """The thought took all tokens of an answer, even with a higher limit."""

    kind = "only_thought"


# Answers a conversation immediately.
Answering = Callable[[ChatRequest], Completion]


class ChatModel(Protocol):
    """Answers conversations.

    A model whose answers need not be awaited may have a method ``at_once``, which returns a
    function that answers immediately, or None if answers must be awaited after all; see
    :func:`at_once`.
    """

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a conversation.

        Raises:
            ModelError: there is no answer.
        """


def at_once(model: ChatModel) -> Answering | None:
    """Return a function that gives a model's answers immediately; None if they must be awaited."""
    find: Callable[[], Answering | None] | None = getattr(model, "at_once", None)
    return None if find is None else find()


class UntimedModel:
    """Passes calls on, and stops the game until the answer arrives: answers take no game time."""

    def __init__(self, model: ChatModel, standstill: AbstractAsyncContextManager[None]) -> None:
        """Wrap a model; overlapping calls enter ``standstill`` concurrently."""
        self._model = model
        self._standstill = standstill

    async def complete(self, request: ChatRequest) -> Completion:
        async with self._standstill:
            return await self._model.complete(request)
