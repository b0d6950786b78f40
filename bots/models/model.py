"""The seam between agents and language models."""

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
    """A conversation that is written when it is first read: scripted minds never read it."""

    __slots__ = ("_messages", "_prompt")

    def __init__(self, prompt: Callable[[], str | Sequence[Message]]) -> None:
        """Write it by ``prompt``, which returns its messages, or the text of the user's only one.

        What it is written from must not change.
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
        role: what the answer is for (``action``, ``critic``, ``judge``).
        agent: which agent asks; None for the judge and its like.
        max_tokens: upper bound of the answer's length.
        extra_tokens: is added to that bound, whatever the settings make of it.
        about: the typed value that the prompt was rendered from. Scripted minds answer from it and
            never read prose; language models do not see it.
        attempt: how often the same was asked before, because an answer could not be used.
        error: what was wrong with the last answer; the last message says it, too.
        answer: returns the type of the answer; None: a text with a fenced program is asked for.
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
    """A model's answer; token counts are None where the endpoint does not say.

    Attributes:
        text: the answer itself, without the thought before it; JSON where its type was asked for.
        value: the answer of a scripted mind, in the place of a text; None: there is a text.
        model: which model the endpoint says that it was.
        prompt_tokens: of the whole prompt.
        completion_tokens: of the answer and the thought.
        reasoning: the thought, as far as the endpoint shows it.
        finish_reason: why the answer ends: ``stop``, ``length`` where it was cut off,
            ``content_filter``, ``tool_calls``, or ``refusal`` where the endpoint calls it one.
        cached_tokens: those of the prompt that the endpoint still knew.
        reasoning_tokens: those of the completion that were thought.
        cost: dollars, where the endpoint itself says what it took.
        notes: what was learnt of the model in this call: parameters that it does not take.
        tries: how often the endpoint was asked.
        calls: how many answers it took: two where the first was all thought, or was
            cut off behind one.
        extra_tokens: how many more than its role's ``max_tokens`` the model was given, or is from
            now on.
        seconds: how long the endpoint took for it, without the wait for a turn and tries that
            failed; None: no endpoint was asked.
        form: how its type was asked for, one of :data:`bots.models.parameters.FORMS`; None: it was
            not typed, or no endpoint was asked.
        fingerprint: which backend configuration answered, where the endpoint says.
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
        """Return the answer as a text, also a scripted mind's."""
        return self.text if self.value is None else self.value.text()


class ModelError(RuntimeError):
    """The model cannot be reached or answers something that is no completion.

    Attributes:
        answer: what was paid for nevertheless; None: nothing.
        notes: see :class:`Completion`.
        tries: how often the endpoint was asked.
        kind: of errors that replays tell apart.
    """

    kind = ""
    answer: Completion | None = None
    notes: tuple[str, ...] = ()
    tries: int = 0


class UnreachableError(ModelError):
    """Nobody answers at the endpoint's address."""


class ClosedError(ModelError):
    """No further call can succeed: a wrong key, no money left, nobody there, a limit that lasts."""

    kind = "ends_run"


class OnlyThoughtError(ModelError):
    """The thought took all tokens of an answer, however many there were."""

    kind = "only_thought"


# Answers a conversation without being waited for.
Answering = Callable[[ChatRequest], Completion]


class ChatModel(Protocol):
    """Answers conversations.

    One whose answers never have to be waited for may say so by a method ``at_once``, which returns
    what gives them, or None where they have to be waited for after all; see :func:`at_once`.
    """

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a conversation.

        Raises:
            ModelError: there is no answer.
        """


def at_once(model: ChatModel) -> Answering | None:
    """Return what gives a model's answers without a wait; None: they have to be waited for."""
    find: Callable[[], Answering | None] | None = getattr(model, "at_once", None)
    return None if find is None else find()


class UntimedModel:
    """Passes calls on, and lets the game stand still meanwhile: answers take none of its time."""

    def __init__(self, model: ChatModel, standstill: AbstractAsyncContextManager[None]) -> None:
        """``standstill`` is entered by each call, several at the same time where calls overlap."""
        self._model = model
        self._standstill = standstill

    async def complete(self, request: ChatRequest) -> Completion:
        async with self._standstill:
            return await self._model.complete(request)
