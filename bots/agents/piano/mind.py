"""Questions to a mind, isolated so that a mind's failures affect only its agent.

A slow, failing or incoherent model makes its agent slow or silent; the fault is counted, and the
society continues.
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
from voxpolis.bots.time import Time
from voxpolis.records import events

TEMPERATURE = 0.7
MAX_TOKENS = 400

T = TypeVar("T")


class Request(Protocol):
    """A question to a mind, as a typed value from which scripted minds answer.

    If the answer type depends on the situation, the request also has a method ``narrow``, which
    returns a type restricted to existing names; see :func:`bots.asking.ask`.
    """

    role: ClassVar[str]

    @property
    def answer(self) -> type[Answer]:
        """The answer type."""

    def messages(self) -> Sequence[Message]:
        """Return the question in words, for a language model."""


class Mind:
    """One agent's connection to a chat model.

    Attributes:
        faults: number of unusable or missing answers, by cause.
        answers: number of usable answers, by role.
        answers_at_once: the model answers immediately; use :meth:`ask_at_once`.
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

        Of several answers due at the same moment, the one with the lowest ``index`` comes first. A
        thought takes ``thinking_s`` of simulated time; the model has ``timeout_s`` of wall-clock
        time (None: no limit).
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
        # Source of immediate answers; None if answers have to be awaited.
        self._at_once = None if time.waits_for(thinking_s) else at_once(model)
        self.answers_at_once = self._at_once is not None

    async def ask(self, request: Request, read: Callable[[Any], T]) -> T | None:
        """Return the answer parsed by ``read``; count a fault and return None if it is unusable."""
        try:
            found = await self._time.call(self._ask(request, read), self._thinking_s, self._index)
        except (AnswerError, TimeoutError, ModelError) as error:
            self._fail(request.role, error)
            return None
        self.answers[request.role] += 1
        return found

    def ask_at_once(self, request: Request, read: Callable[[Any], T]) -> T | None:
        """Do the same as :meth:`ask`, for a mind that ``answers_at_once``."""
        assert self._at_once is not None
        kind = request.answer
        first = ChatRequest(
            Question(request.messages), request.role, self._agent, TEMPERATURE, MAX_TOKENS, request,
            0, 0, "", _narrow(request) or _as_it_is(kind),
        )  # fmt: skip
        try:
            found = ask_at_once(self._model, self._at_once, first, kind, read)
        except (AnswerError, ModelError) as error:
            self._fail(request.role, error)
            return None
        self.answers[request.role] += 1
        return found

    def _fail(self, role: str, error: Exception) -> None:
        """Count a failed decision, and record it.

        Raises:
            BudgetError: the cause was an exhausted budget.
            ClosedError: the cause was a closed model.
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
