"""The connection of an agent to its mind. A failure of the mind affects only this agent.

If a model is slow, fails or gives incoherent answers, its agent becomes slow or silent. The failure
is counted as a fault, and the society continues.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from typing import Any, ClassVar, Protocol, TypeVar

from voxpolis.bots.asking import ask, ask_at_once
from voxpolis.bots.models import (
    AccountedModel,
    BudgetError,
    ChatModel,
    ChatRequest,
    ClosedError,
    Message,
    ModelError,
    Question,
    at_once,
)
from voxpolis.bots.models.typed import Answer, AnswerError, AnswerType
from voxpolis.bots.time import Delay, Time
from voxpolis.records import events

TEMPERATURE = 0.7
MAX_TOKENS = 400

T = TypeVar("T")


class Request(Protocol):
    """A question to a mind, as structured data from which scripted minds can answer.

    If the answer type depends on the situation, the request also has a method ``narrow``, which
    returns a type that only allows names that exist; see :func:`bots.asking.ask`.
    """

    role: ClassVar[str]

    @property
    def answer(self) -> type[Answer]:
        """The type of the answer."""

    def messages(self) -> Sequence[Message]:
        """Return the question as the prompt for a language model."""


class Mind:
    """The connection of one agent to a chat model.

    Attributes:
        faults: the number of unusable or missing answers, by cause.
        answers: the number of usable answers, by role.
        answers_at_once: whether the model answers without waiting; then use :meth:`ask_at_once`.
        answers_ahead: whether the answer can be computed before the end of the thinking time; then
            use :meth:`ask_ahead`.
    """

    __slots__ = (
        "_agent",
        "_at_once",
        "_index",
        "_model",
        "_note",
        "_thinking_s",
        "_time",
        "_timeout_s",
        "answers",
        "answers_ahead",
        "answers_at_once",
        "faults",
    )

    def __init__(
        self,
        model: ChatModel,
        agent: str,
        index: int,
        time: Time,
        note: Callable[..., object],
        *,
        thinking_s: float,
        timeout_s: float | None,
    ) -> None:
        """Connect an agent to a model.

        Args:
            model: the model that answers.
            agent: the name of the agent.
            index: position of the agent. If several answers are due at the same moment, the agent
                with the lowest index receives its answer first.
            time: the clock of the society.
            note: records an event of the agent.
            thinking_s: the simulated time that a thought takes, in seconds.
            timeout_s: the wall-clock time that the model has, in seconds (None: no limit).
        """
        self.faults: Counter[str] = Counter()
        self.answers: Counter[str] = Counter()
        self._model = model
        self._agent = agent
        self._index = index
        self._time = time
        self._note = note
        self._thinking_s = thinking_s
        self._timeout_s = timeout_s
        # The function that gives immediate answers. None if the agent has to wait for answers.
        self._at_once = at_once(model) if time.has_delays else None
        self.answers_at_once = self._at_once is not None and not time.waits_for(thinking_s)
        self.answers_ahead = self._at_once is not None and not self.answers_at_once

    async def ask(self, request: Request, read: Callable[[Any], T]) -> T | None:
        """Ask the model, and return the answer parsed by ``read``.

        If no answer is usable, count a fault and return None.
        """
        if self.answers_ahead:
            answer = self._compute(request, read)
            await self._time.sleep(self._thinking_s, self._index)
            return self._take(request.role, *answer)
        try:
            found = await self._time.call(self._ask(request, read), self._thinking_s, self._index)
        except (AnswerError, TimeoutError, ModelError) as error:
            self._fail(request.role, error)
            return None
        self.answers[request.role] += 1
        return found

    def ask_at_once(self, request: Request, read: Callable[[Any], T]) -> T | None:
        """Ask the model like :meth:`ask`, but without waiting.

        The method may only be called if ``answers_at_once`` is true.
        """
        return self._take(request.role, *self._compute(request, read))

    def ask_ahead(
        self, request: Request, read: Callable[[Any], T], take: Callable[[T | None], None]
    ) -> Delay:
        """Ask the model like :meth:`ask`, but without an asyncio task.

        The answer is computed now, and passed to ``take`` after the thinking time. The method may
        only be called if ``answers_ahead`` is true.
        """
        role, found = request.role, self._compute(request, read)
        return Delay(self._thinking_s, self._index, lambda: take(self._take(role, *found)))

    def _compute(
        self, request: Request, read: Callable[[Any], T]
    ) -> tuple[T | None, Exception | None]:
        """Return the answer of a model that answers immediately, or why there is none."""
        assert self._at_once is not None
        kind = request.answer
        first = ChatRequest(
            Question(request.messages), request.role, self._agent, TEMPERATURE, MAX_TOKENS, request,
            0, 0, "", _narrow(request) or _as_it_is(kind),
        )  # fmt: skip
        try:
            return ask_at_once(self._model, self._at_once, first, kind, read), None
        except (AnswerError, ModelError) as error:
            return None, error

    def _take(self, role: str, found: T | None, error: Exception | None) -> T | None:
        if error is not None:
            self._fail(role, error)
            return None
        self.answers[role] += 1
        return found

    def _fail(self, role: str, error: Exception) -> None:
        """Count and record a failed decision.

        Raises:
            BudgetError: the decision failed because the budget is exhausted.
            ClosedError: the decision failed because the model is closed.
        """
        if isinstance(error, BudgetError | ClosedError):
            raise error
        if isinstance(error, AnswerError):
            fault = f"{error.cause}: {error}"
        elif isinstance(error, ModelError):
            fault = self._give_up(role, f"error: {error}")
        else:
            fault = self._give_up(role, "slow")
        self.faults[fault.split(":")[0]] += 1
        self._note(events.MindFailed, role=role, message=fault)

    def _give_up(self, role: str, fault: str) -> str:
        if isinstance(self._model, AccountedModel):
            self._model.give_up(role, self._agent, fault)
        return fault

    async def _ask(self, request: Request, read: Callable[[Any], T]) -> T:
        own: Any = {"role": request.role, "agent": self._agent, "temperature": TEMPERATURE}
        own |= {"about": request, "max_tokens": MAX_TOKENS}
        own |= {"narrow": _narrow(request), "read": read}
        answer: Awaitable[T] = ask(self._model, Question(request.messages), request.answer, **own)
        if self._timeout_s is None:
            return await answer
        async with asyncio.timeout(self._timeout_s):
            return await answer


@cache
def _as_it_is(kind: Any) -> AnswerType:
    return lambda: kind


def _narrow(request: Request) -> AnswerType | None:
    narrow: AnswerType | None = getattr(request, "narrow", None)
    return narrow
