"""Typed questions to a model. After an unusable answer the question is asked again."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar, cast, overload

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

# A question is answered at most this many times: once, and twice more with the error.
MAX_ANSWERS = 3
MAX_TOKENS = 3000
# A rough average, for estimates.
CHARACTERS_A_TOKEN = 4
# The ``finish_reason`` of the empty answer that stands for a person's timeout.
ABSENT = "absent"
# The cause that is recorded for a failed decision, by the ``finish_reason`` of the endpoint.
_ENDED = {
    CUT_OFF: "cut off by max_tokens",
    FILTERED: "content filter",
    REFUSAL: "refused by the model",
    ABSENT: "no answer in time",
}
_EMPTY, _ONLY_THOUGHT = "empty answer", "only a thought"
# After these finish reasons the question is not asked again, because nothing would change.
_FINAL = (FILTERED, ABSENT)
_FENCE = re.compile(r"^[ \t]*(```+|~~~+)[^\n]*\n(.*?)^[ \t]*\1[ \t]*$", re.MULTILINE | re.DOTALL)


class UnusableError(AnswerError):
    """No answer to a question was usable. ``cause`` says what was wrong with the last answer."""

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
    """Ask a typed question and return its answer.

    After an invalid answer, ask the question again, with a message that says what was wrong.

    Args:
        model: the model to ask.
        messages: the conversation, which is not changed.
        answer: the answer type. Scripted minds return an instance of this type.
        role: the role of the question, one of :data:`bots.models.settings.ROLES`.
        agent: the agent whose mind is asked; None for the judge and similar roles.
        temperature: the sampling temperature.
        about: the structured data from which the messages were written, for scripted minds.
        max_tokens: the maximum length of the answer.
        narrow: returns a subclass of ``answer`` that only allows names that exist at the moment.
            ``narrow`` is called only if a language model or a person is asked.
        read: converts the answer into the value that this function returns, or raises
            ``AnswerError`` for a violation that the schema cannot express; the model sees the
            message. If ``read`` is omitted, the answer itself is returned.

    Raises:
        AnswerError: none of :data:`MAX_ANSWERS` answers was usable. The error's ``cause`` says why.
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
    """Ask for a program and return the result of ``read`` for its text; see :func:`ask`.

    The program is the last fenced block of the answer.
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
    """Do the same as :func:`ask`, with a model that answers immediately.

    ``answering`` is the function that gives the model's answers.
    """
    completion = answering(first)
    # The shortest path, because scripted minds answer millions of questions.
    if isinstance(completion.value, answer):
        try:
            found = read(completion.value)
        except AnswerError:
            pass
        else:
            if isinstance(model, AccountedModel):
                model.use(first.role, first.agent)
            return found
    asking = _dialogue(model, first, _typed(first, answer, read))
    next(asking)
    while True:
        try:
            completion = answering(asking.send(completion))
        except StopIteration as end:
            return cast(T, end.value)


class Request(Protocol[T_co]):
    """Structured data from which a question to a model is built."""

    @property
    def role(self) -> str:
        """The role of the question; see :data:`bots.models.settings.ROLES`."""

    @property
    def answer(self) -> type[Answer]:
        """The answer type, independent of the situation."""

    def messages(self) -> Sequence[Message]:
        """Return the prompt."""

    def narrow(self) -> type[Answer]:
        """Return the answer type that allows only what is possible in the situation."""

    def value(self, answer: Any) -> T_co:
        """Convert an answer into its value.

        May raise ``AnswerError``; see ``read`` of :func:`ask`.
        """


async def ask_or_none(
    model: ChatModel, agent: str, request: Request[T], temperature: float = 0.1
) -> T | None:
    """Ask a question and return the value of the answer; None if no answer was usable.

    If the agent or its model fails, only this question is lost. An exhausted budget, a closed model
    or a bug in voxpolis ends the run.
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
    """Return the last fenced block of a text.

    Raises:
        AnswerError: there is no fenced block, or the block has no end.
    """
    blocks = _FENCE.findall(text)
    if not blocks:
        is_open = "```" in text
        raise AnswerError("the fenced block has no end" if is_open else "there is no fenced block")
    return str(blocks[-1][1])


async def all_answered(questions: Iterable[Awaitable[T]]) -> list[T]:
    """Wait for the answers of several minds at once, and return the answers in the order of the
    questions.

    If a question fails, the function still waits for the other answers, because they have been paid
    for. A resumed run finds them in its record.

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
        except ThoughtLimitError as error:  # another attempt would use as many tokens
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
            found = read(completion)
        except AnswerError as problem:
            cause = _ENDED.get(completion.finish_reason or "", problem.cause)
            is_blank = not completion.text.strip() and isinstance(problem, NoObjectError)
            if is_blank and completion.finish_reason not in _ENDED:
                cause = _ONLY_THOUGHT if completion.reasoning.strip() else _EMPTY
            if attempt == MAX_ANSWERS or completion.finish_reason in _FINAL:
                if counted is not None:
                    is_absent = completion.finish_reason == ABSENT
                    message = cause if is_absent else f"{cause}: {problem}"
                    counted.give_up(first.role, first.agent, message)
                raise UnusableError(str(problem), cause) from problem
            request = _retry_request(first, attempt, problem, completion)
            if counted is not None:
                counted.account.again[first.role][cause] += 1
        else:
            if counted is not None:
                counted.use(first.role, first.agent)
            return found
    raise AssertionError("unreachable")


def _retry_request(
    first: ChatRequest, attempt: int, problem: AnswerError, completion: Completion
) -> ChatRequest:
    """Repeat a question with the error of the last answer, but without that answer.

    The answer is left out because small models copy an answer that they are shown. If the answer
    was cut off, its maximum length is doubled.
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
                text = completion.reasoning  # some servers return the whole answer in this field
            # Recorded answers of scripted minds may violate the narrow type.
            asked: type[Answer] = answer
            if first.answer is not None and completion.model != SCRIPTED:
                asked = first.answer()
            narrow = read_answer(asked, text, is_cut=completion.finish_reason == CUT_OFF)
            # Scripted minds return the general type, so other answers are converted to it.
            found = answer.model_validate(narrow.model_dump(by_alias=True))
        elif not isinstance(found, answer):
            told = f"which they answer with {found!r:.60}"
            raise ScriptError(first, told, answer.__name__)
        return found if read is None else read(found)

    return value


def _frozen(messages: Sequence[Message]) -> Sequence[Message]:
    """Return a conversation that does not change if the caller later changes ``messages``."""
    return messages if isinstance(messages, Question) else [*messages]
