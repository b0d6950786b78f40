"""The interface between agents and language models."""

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
    """A conversation whose text is produced only when it is read.

    Scripted minds never read the text, so no time is spent on producing it for them.
    """

    __slots__ = ("_messages", "_prompt")

    def __init__(self, prompt: Callable[[], str | Sequence[Message]]) -> None:
        """Create the conversation.

        ``prompt`` returns the messages, or the text of a single user message. The data from which
        ``prompt`` builds the text must not change afterwards.
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
    """A question to a model.

    Attributes:
        role: the role of the question, such as ``action``, ``critic`` or ``judge``.
        agent: the agent that asks; None for the judge and similar roles.
        max_tokens: the maximum length of the answer.
        extra_tokens: the number that is added to ``max_tokens`` after the settings are applied.
        about: the structured data from which the prompt was written. Scripted minds answer from
            this data and never read text; language models do not see it.
        attempt: the number of earlier attempts whose answers were unusable.
        error: what was wrong with the last answer. The last message also contains the error.
        answer: returns the answer type; None if the answer is a text with a fenced program.
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
    """The answer of a model. Token counts are None if the endpoint does not report them.

    Attributes:
        text: the answer without the thought that precedes it; JSON for a typed question.
        value: the answer of a scripted mind, which has no text; None if there is a text.
        model: the name of the model, as the endpoint reports it.
        prompt_tokens: the tokens of the whole prompt.
        completion_tokens: the tokens of the answer and the thought.
        reasoning: the thought, if the endpoint shows it.
        finish_reason: why the answer ended: ``stop``, ``length`` (cut off), ``content_filter``,
            ``tool_calls``, or ``refusal`` if the endpoint reports a refusal.
        cached_tokens: the prompt tokens that the endpoint had cached.
        reasoning_tokens: the completion tokens that were used for thought.
        cost: the cost in dollars, if the endpoint reports it.
        notes: what this call taught about the model, such as parameters that it does not accept.
        tries: the number of requests that were sent to the endpoint.
        calls: the number of answers that were requested: two if the first answer was only a
            thought, or was cut off after a thought.
        extra_tokens: the number of tokens that the model was given, or will be given from now on,
            in addition to the ``max_tokens`` of the role.
        seconds: the response time of the endpoint, without waiting in line and without failed
            requests; None if no endpoint was asked.
        form: how the answer type was sent, one of :data:`bots.models.parameters.FORMS`; None if the
            question was not typed or no endpoint was asked.
        fingerprint: the configuration of the model's backend, if the endpoint reports it.
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
        """Return the answer as text, even if a scripted mind gave the answer."""
        return self.text if self.value is None else self.value.text()


class ModelError(RuntimeError):
    """The model cannot be reached, or its response is not a completion.

    Attributes:
        answer: the unusable answer, if one was paid for.
        notes: see :class:`Completion`.
        tries: the number of requests that were sent to the endpoint.
        kind: tells a replay which class of error to raise.
    """

    kind = ""
    answer: Completion | None = None
    notes: tuple[str, ...] = ()
    tries: int = 0


class UnreachableError(ModelError):
    """No server responds at the address of the endpoint."""


class ClosedError(ModelError):
    """No further call can succeed: the key is wrong, there is no credit, or no server responds."""

    kind = "ends_run"


class ThoughtLimitError(ModelError):
    """The thought used all tokens of the answer, even after the limit was raised."""

    kind = "only_thought"


# Answers a request immediately.
Answering = Callable[[ChatRequest], Completion]


class ChatModel(Protocol):
    """Answers requests.

    A model may have a method ``at_once``, which returns a function that answers immediately, or
    None if the answers must be awaited; see :func:`at_once`.
    """

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a request.

        Raises:
            ModelError: there is no answer.
        """


def at_once(model: ChatModel) -> Answering | None:
    """Return a function that gives a model's answers immediately.

    Return None if answers must be awaited.
    """
    find: Callable[[], Answering | None] | None = getattr(model, "at_once", None)
    return None if find is None else find()


class UntimedModel:
    """Passes calls on to another model, and stops the game until the answer arrives.

    Answers therefore take no game time.
    """

    def __init__(self, model: ChatModel, standstill: AbstractAsyncContextManager[None]) -> None:
        """Wrap a model.

        ``standstill`` is a context manager. The game stands still while the context is open. The
        context may be entered repeatedly.
        """
        self._model = model
        self._standstill = standstill

    async def complete(self, request: ChatRequest) -> Completion:
        async with self._standstill:
            return await self._model.complete(request)
