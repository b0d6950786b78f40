"""Typed questions to a mind, with retries after unusable answers."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar, overload

from voxpolis.bots.models import (
    AccountedModel,
    Answering,
    BudgetError,
    ChatModel,
    ChatRequest,
    ClosedError,
    Completion,
    Message,
    ModelError,
    Question,
    ThoughtLimitError,
)
from voxpolis.bots.models.answers import CUT_OFF, FILTERED, REFUSAL
from voxpolis.bots.models.scripted import SCRIPTED, ScriptError
from voxpolis.bots.models.typed import (
    Answer,
    AnswerError,
    AnswerType,
    NoObjectError,
    is_object,
    read_answer,
)

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)
A = TypeVar("A", bound=Answer)

# Maximum number of answers per question: the first, and two retries with the error.
MAX_ANSWERS = 3
MAX_TOKENS = 3000
# Approximate; for estimates.
CHARACTERS_A_TOKEN = 4
# ``finish_reason`` of a person's timeout.
ABSENT = "absent"
# Cause of a failed decision, by the ``finish_reason`` of the endpoint.
_ENDED = {
    CUT_OFF: "cut off by max_tokens",
    FILTERED: "content filter",
    REFUSAL: "refused by the model",
    ABSENT: "no answer in time",
}
_EMPTY, _ONLY_THOUGHT = "empty answer", "only a thought"
# Finish reasons that a retry would not change.
_FINAL = (FILTERED, ABSENT)
_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)


class UnusableError(AnswerError):
    """No answer to a question was usable; ``cause`` is the cause for the last answer."""

    def __init__(self, message: str, cause: str) -> None:
        super().__init__(message)
        self.cause = cause


@overload
async def ask(
    model: ChatModel,
    messages: Sequence[Message],
    answer: type[A],
    *,
    role: str,
    agent: str | None,
    temperature: float,
    about: object = ...,
    max_tokens: int = ...,
    narrow: Callable[[], type[A]] | None = ...,
) -> A: ...
@overload
async def ask(
    model: ChatModel,
    messages: Sequence[Message],
    answer: type[A],
    *,
    role: str,
    agent: str | None,
    temperature: float,
    about: object = ...,
    max_tokens: int = ...,
    narrow: Callable[[], type[A]] | None = ...,
    read: Callable[[A], T],
) -> T: ...
async def ask(
    model: ChatModel,
    messages: Sequence[Message],
    answer: type[A],
    *,
    role: str,
    agent: str | None,
    temperature: float,
    about: object = None,
    max_tokens: int = MAX_TOKENS,
    narrow: Callable[[], type[A]] | None = None,
    read: Callable[[A], Any] | None = None,
) -> Any:
    """Ask a typed question and return its answer; retry with the error after an invalid answer.

    Args:
        model: the model to ask.
        messages: the conversation; not changed.
        answer: answer type. Scripted minds return an instance of it.
        role: role of the question, one of :data:`bots.models.settings.ROLES`.
        agent: agent whose mind is asked; None for the judge and similar roles.
        temperature: sampling temperature.
        about: typed value that the messages were rendered from, for scripted minds.
        max_tokens: maximum length of the answer.
        narrow: returns a subclass of ``answer`` restricted to currently existing names. It is
            called only if a language model or a person is asked.
        read: converts the answer into the returned value, or raises ``AnswerError`` for violations
            that the schema cannot express; the model sees the message. Without ``read``, the answer
            itself is returned.

    Raises:
        AnswerError: none of :data:`MAX_ANSWERS` answers was usable; its ``cause`` says why.
    """
    kind: AnswerType = narrow or (lambda: answer)
    first = ChatRequest(_frozen(messages), role, agent, temperature, max_tokens, about, answer=kind)
    return await _ask(model, first, _typed(first, answer, read))


async def ask_program(
    model: ChatModel,
    messages: Sequence[Message],
    read: Callable[[str], T],
    *,
    role: str,
    agent: str | None,
    temperature: float,
    about: object = None,
    max_tokens: int = MAX_TOKENS,
) -> T:
    """Ask for a program, which is the last fenced block of an answer; see :func:`ask`.

    ``read`` takes the program's text.
    """
    first = ChatRequest(_frozen(messages), role, agent, temperature, max_tokens, about)
    return await _ask(model, first, lambda completion: read(last_block(completion.text)))


def ask_at_once(
    model: ChatModel,
    answering: Answering,
    first: ChatRequest,
    answer: type[A],
    read: Callable[[A], T],
) -> T:
    """Do the same as :func:`ask` with a model that answers immediately through ``answering``."""
    completion = answering(first)
    # fast path, because scripted minds answer a million times
    if isinstance(completion.value, answer):
        try:
            return read(completion.value)
        except AnswerError:
            pass
    asking = _dialogue(model, first, _typed(first, answer, read))
    next(asking)
    while True:
        try:
            completion = answering(asking.send(completion))
        except StopIteration as end:
            found: T = end.value
            return found


class Request(Protocol[T_co]):
    """A typed value that a prompt is rendered from, with everything needed to ask the question."""

    @property
    def role(self) -> str:
        """The role that is asked; see :data:`bots.models.settings.ROLES`."""

    @property
    def answer(self) -> type[Answer]:
        """The general answer type."""

    def messages(self) -> Sequence[Message]:
        """Return the answer type; None after a failed decision."""

    def narrow(self) -> type[Answer]:
        """Return the answer type for the current situation."""

    def value(self, answer: Any) -> T_co:
        """Return the value of an answer, or raise ``AnswerError``; see ``read`` of :func:`ask`."""


async def ask_or_none(
    model: ChatModel, agent: str, request: Request[T], temperature: float = 0.1
) -> T | None:
    """Return the value of an answer; None if the decision failed because no answer was usable.

    If the agent or its model fails, only this question is lost. An exhausted budget, a closed
    model, or a bug in voxpolis ends the run.
    """
    try:
        return await ask(
            model,
            Question(request.messages),
            request.answer,
            role=request.role,
            agent=agent,
            temperature=temperature,
            about=request,
            narrow=request.narrow,
            read=request.value,
        )
    except (BudgetError, ClosedError):
        raise
    except AnswerError:
        return None
    except ModelError as error:
        if isinstance(model, AccountedModel):
            model.give_up(request.role, agent, f"error: {error}")
        return None


def last_block(text: str) -> str:
    """Return the last fenced block in the text.

    Raises:
        AnswerError: there is none, or it has no end.
    """
    blocks = _FENCE.findall(text)
    if not blocks:
        is_open = "```" in text
        raise AnswerError("the fenced block has no end" if is_open else "there is no fenced block")
    return str(blocks[-1][1])


async def all_answered(questions: Iterable[Awaitable[T]]) -> list[T]:
    """Ask several minds concurrently, and return their answers in order.

    If one of the questions fails, still wait for the other answers, because they are paid for: a
    resumed run finds them in its record.

    Raises:
        Exception: the error of the first question that failed.
    """
    found = await asyncio.gather(*questions, return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return [one for one in found if not isinstance(one, BaseException)]


# --- Retries --------------------------------------------------------------------------------------


async def _ask(model: ChatModel, first: ChatRequest, read: Callable[[Completion], T]) -> T:
    asking = _dialogue(model, first, read)
    request = next(asking)
    while True:
        try:
            completion = await model.complete(request)
        except ThoughtLimitError as error:  # a retry would use as many tokens
            if isinstance(model, AccountedModel):
                model.give_up(first.role, first.agent, f"{_ONLY_THOUGHT}: {error}")
                model.count_further(first.role, error.answer)
            raise UnusableError(str(error), _ONLY_THOUGHT) from error
        try:
            request = asking.send(completion)
        except StopIteration as end:
            found: T = end.value
            return found


def _dialogue(
    model: ChatModel, first: ChatRequest, read: Callable[[Completion], T]
) -> Generator[ChatRequest, Completion, T]:
    request = first
    counted = model if isinstance(model, AccountedModel) else None
    for attempt in range(1, MAX_ANSWERS + 1):
        completion = yield request
        try:
            return read(completion)
        except AnswerError as problem:
            cause = _ENDED.get(completion.finish_reason or "", problem.cause)
            is_blank = not completion.text.strip() and isinstance(problem, NoObjectError)
            if is_blank and completion.finish_reason not in _ENDED:
                cause = _ONLY_THOUGHT if completion.reasoning.strip() else _EMPTY
            if attempt == MAX_ANSWERS or completion.finish_reason in _FINAL:
                if counted is not None:
                    counted.give_up(first.role, first.agent, f"{cause}: {problem}")
                raise UnusableError(str(problem), cause) from problem
            request = _retry_request(first, attempt, problem, completion)
            if counted is not None:
                counted.account.again[first.role][cause] += 1
    raise AssertionError("unreachable")


def _retry_request(
    first: ChatRequest, attempt: int, problem: AnswerError, completion: Completion
) -> ChatRequest:
    """Return the question with the error of its last answer, but without that answer.

    The answer is omitted because small models copy an answer that they are shown. After a truncated
    answer the length limit is doubled.
    """
    is_cut = completion.finish_reason == CUT_OFF
    advice = "It was cut off: write a shorter one." if is_cut else "Answer the question again."
    error = f"# Error\nThe last answer could not be used: {problem}. {advice}"
    *before, last = first.messages
    asked: Message = {"role": last["role"], "content": f"{last['content']}\n\n{error}"}
    more = first.max_tokens if is_cut else 0
    messages = [*before, asked]
    return replace(first, messages=messages, attempt=attempt, extra_tokens=more, error=str(problem))


def _typed(
    first: ChatRequest, answer: type[A], read: Callable[[A], T] | None
) -> Callable[[Completion], Any]:
    """Return a function that converts a completion into the value of a typed answer."""

    def value(completion: Completion) -> Any:
        found: Any = completion.value
        if completion.finish_reason in (REFUSAL, FILTERED):
            raise NoObjectError("the answer is a refusal")
        if found is None:
            text = completion.text
            if not text.strip() and is_object(completion.reasoning):
                text = completion.reasoning  # some servers put the whole answer there
            # Recorded answers of scripted minds need not fit the narrow type.
            asked: type[Answer] = answer
            if first.answer is not None and completion.model != SCRIPTED:
                asked = first.answer()
            narrow = read_answer(asked, text, is_cut=completion.finish_reason == CUT_OFF)
            # Convert to the general type, which scripted minds return.
            found = answer.model_validate(narrow.model_dump(by_alias=True))
        elif not isinstance(found, answer):
            told = f"which they answer with {found!r:.60}"
            raise ScriptError(first, told, answer.__name__)
        return found if read is None else read(found)

    return value


def _frozen(messages: Sequence[Message]) -> Sequence[Message]:
    """Return a conversation that its caller cannot modify."""
    return messages if isinstance(messages, Question) else [*messages]
