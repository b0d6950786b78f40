"""Asking a model, and asking again with a complaint where its answer cannot be read."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import TypeVar

from bots.models import (
    AccountedModel,
    Answering,
    ChatModel,
    ChatRequest,
    Completion,
    Message,
    Question,
)
from bots.models.answers import CUT_OFF, REFUSAL
from bots.structured.blocks import without_stump
from bots.structured.confirming import UNSAID, UnconfirmedError, said_before
from bots.structured.framing import unframed
from bots.structured.refusals import RefusedError, is_refusal
from bots.structured.taking_back import settled, takes_back
from bots.structured.text import AnswerError
from bots.values import REMEMBERED

T = TypeVar("T")

MAX_ANSWERS = 3
MAX_TOKENS = 3000
#: About. What is longer than an answer may be is not sent back whole.
CHARACTERS_A_TOKEN = 4
#: An answer is read up to so many characters a token that it may have, and up to so many in any
#: case: what is longer is a flood, whose reading would hold up everybody.
MOST_CHARACTERS_A_TOKEN, ALWAYS_READ = 16, 8_000
LONGEST_LINE = 12_000
#: Of answers of up to so many characters it is known again that they are nothing but an answer.
BRIEF = 500
#: Why an answer ended that a person did not give in time.
ABSENT = "absent"
#: By why an endpoint ended an answer: what a decision is counted under that fails by it, and what a
#: model is told besides that its answer cannot be used.
_ENDED = {
    CUT_OFF: ("cut off by max_tokens", "the answer was cut off", "Write a shorter one."),
    "content_filter": ("content filter", "a content filter took it away", ""),
    REFUSAL: ("refused by the model", "it is a refusal", ""),
    ABSENT: ("no answer in time", "the person gave none in time", ""),
    **dict.fromkeys(
        ("tool_calls", "function_call"),
        ("called a tool", "it calls a tool, and there are none", "Write it as text."),
    ),
}
_ONLY_THOUGHT = ("only a thought", "there is a thought and no answer behind it", "")
_EMPTY = ("empty answer", "it is empty", "")
#: What stands for an empty answer in a conversation: many endpoints refuse messages without text.
NO_ANSWER = "(no answer)"
#: The last section of each prompt: how it is to be answered.
_FORMS = re.compile(r"^# Your (?:answer|turn)[ \t]*\n(.*?)(?=^# |\Z)", re.MULTILINE | re.DOTALL)


class UnreadError(AnswerError):
    """No answer was in the form asked for, and the last one says why by how it ended."""

    def __init__(self, message: str, cause: str) -> None:
        super().__init__(message)
        self.cause = cause


async def complete_parsed(
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
    """Ask, and ask again with the complaint where the answer cannot be read; return its value.

    The complaint says what is wrong and repeats the forms of this very question.

    Args:
        model: who is asked.
        messages: the conversation; not changed.
        read: turns an answer into a value, or raises ``AnswerError``.
        role: see :class:`~bots.models.model.ChatModel`.
        agent: whose mind asks.
        temperature: sampling temperature.
        about: the typed value that the messages were rendered from, for scripted minds.
        max_tokens: upper bound of an answer's length.

    Raises:
        AnswerError: no answer of :data:`MAX_ANSWERS` could be read; its ``cause`` says which.
        ModelError: the model does not answer.
    """
    first = ChatRequest(_kept(messages), role, agent, temperature, max_tokens, about)
    asking = _asking(model, read, first)
    request = next(asking)
    while True:
        answer = await model.complete(request)
        try:
            request = asking.send(answer)
        except StopIteration as end:
            found: T = end.value
            return found


def parsed_at_once(
    model: ChatModel, answering: Answering, first: ChatRequest, read: Callable[[str], T]
) -> T:
    """Do what :func:`complete_parsed` does, of a model that answers at once.

    Args:
        model: who is asked.
        answering: gives its answers.
        first: the question.
        read: turns an answer into a value, or raises ``AnswerError``.

    Raises:
        AnswerError: see :func:`complete_parsed`.
        ModelError: the model does not answer.
    """
    answer = answering(first)
    if answer.finish_reason is None and len(answer.text) <= BRIEF and _is_plain(answer.text):
        try:
            return read(answer.text)
        except AnswerError:
            pass  # it is read again where the complaint is made
    asking = _asking(model, read, first)
    next(asking)
    while True:
        try:
            request = asking.send(answer)
        except StopIteration as end:
            found: T = end.value
            return found
        answer = answering(request)


def _kept(messages: Sequence[Message]) -> Sequence[Message]:
    """Return a conversation that its caller does not change."""
    return messages if isinstance(messages, Question) else [*messages]


def _asking(
    model: ChatModel, read: Callable[[str], T], first: ChatRequest
) -> Generator[ChatRequest, Completion, T]:
    """Yield what a model is asked, one after the other; return the value of the answers sent.

    Raises:
        AnswerError: no answer of :data:`MAX_ANSWERS` could be read.
    """
    request, conversation = first, first.messages
    role, agent, max_tokens = first.role, first.agent, first.max_tokens
    most = max(MOST_CHARACTERS_A_TOKEN * max_tokens, ALWAYS_READ)
    readers = _reader(read, most), _reader(read, most, again=True)
    meant: object = UNSAID
    for attempt in range(MAX_ANSWERS):
        if attempt:
            request = replace(first, messages=conversation, attempt=attempt)
        answer = yield request
        try:
            with said_before(meant):
                return _whole(answer, readers[attempt > 0])
        except AnswerError as problem:
            is_last = attempt == MAX_ANSWERS - 1
            if isinstance(problem, UnconfirmedError):
                meant = problem.value
                if isinstance(model, AccountedModel) and not is_last:
                    model.ask_again(first, "words beside")
            ended = _how_it_ended(answer)
            error, advice = problem, ""
            if ended is not None:
                cause, what, advice = ended
                error = UnreadError(f"{what}: {problem}", cause)
            if is_last:
                if isinstance(model, AccountedModel):
                    model.give_up(role, agent, f"{error.cause}: {error}")
                raise error from problem
            complaint = f"That cannot be used: {error}. {advice}".rstrip()
            wanted = forms(first.messages)
            if wanted:
                complaint += f"\nAnswer again, in this form and with nothing else:\n{wanted}"
            said = _shortened(answer.text, CHARACTERS_A_TOKEN * max_tokens) or NO_ANSWER
            conversation = [
                *conversation,
                {"role": "assistant", "content": said},
                {"role": "user", "content": complaint},
            ]
    raise AssertionError("unreachable")


def _reader(read: Callable[[str], T], most: int, *, again: bool = False) -> Callable[[str], T]:
    """Return a reader that looks at all of an answer where it may be more than an answer.

    Scripted persons say the same few plain things a million times. ``again``: see :func:`settled`.
    """

    def reading(text: str) -> T:
        if not again and len(text) <= BRIEF and _is_plain(text):
            return read(text)
        return _within_bounds(settled(read, again=again), most)(text)

    return reading


@lru_cache(REMEMBERED)
def _is_plain(text: str) -> bool:
    """Whether an answer is nothing but one: it is no refusal, nothing stands around it or takes it
    back, and it has no marks that could.
    """
    has_marks = not text.isascii() or any(mark in text for mark in "{[`")
    return not (has_marks or is_refusal(text) or takes_back(text)) and unframed(text) == text


def _within_bounds(read: Callable[[str], T], most: int) -> Callable[[str], T]:
    """Return a reader that takes no flood and no refusal for an answer, whatever it can read."""

    def reading(text: str) -> T:
        if len(text) > most:
            raise AnswerError(f"it has more than {most} characters")
        if len(text) > LONGEST_LINE and max(map(len, text.splitlines())) > LONGEST_LINE:
            raise AnswerError(f"a line of it has more than {LONGEST_LINE} characters")
        if is_refusal(text):
            raise RefusedError("it declines to answer")
        return read(text)

    return reading


def _whole(answer: Completion, read: Callable[[str], T]) -> T:
    """Return what an answer says; one that was cut off says only what its end cannot change.

    Raises:
        AnswerError: it cannot be read, or would be read otherwise without its last part.
    """
    found = read(answer.text)
    if answer.finish_reason == CUT_OFF:
        try:
            is_whole = read(without_stump(answer.text)) == found
        except AnswerError:
            is_whole = False
        if not is_whole:
            raise AnswerError("what it says does not end there")
    return found


def _shortened(text: str, most: int) -> str:
    """Return a text as it is shown again: without its middle where it is longer than allowed."""
    text = text if text.strip() else ""
    if len(text) <= most:
        return text
    return f"{text[: most // 2]}\n[… {len(text) - most} characters …]\n{text[-(most // 2) :]}"


def _how_it_ended(answer: Completion) -> tuple[str, str, str] | None:
    """Return what an answer's end says of why it cannot be read; None: nothing."""
    if answer.finish_reason in _ENDED:
        return _ENDED[answer.finish_reason]
    if answer.text.strip():
        return None
    return _ONLY_THOUGHT if answer.reasoning.strip() else _EMPTY


async def all_answered(asked: Iterable[Awaitable[T]]) -> list[T]:
    """Ask several minds at once, and return what came of each.

    Where one fails, the others' answers are still waited for, because they are paid for: a run that
    goes on finds them in its record.

    Raises:
        Exception: of the first that failed.
    """
    found = await asyncio.gather(*asked, return_exceptions=True)
    for one in found:
        if isinstance(one, BaseException):
            raise one
    return [one for one in found if not isinstance(one, BaseException)]


def forms(messages: Sequence[Message]) -> str:
    """Return how a question is to be answered: the section of its prompt that says so.

    Where several messages say so, the last one counts; empty: none does.
    """
    for message in reversed(messages):
        found = _FORMS.findall(message["content"])
        if found:
            return str(found[-1]).strip()
    return ""
