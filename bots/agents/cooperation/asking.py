"""Asking for a module: a bad answer costs the agent this module's turn, and no more.

``AnswerError`` is the only error that is the agent's: it is counted as its failed decision. What
else reading or settling raises is a fault of our code, and ends the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from voxpolis.bots.asking import ask
from voxpolis.bots.models import (
    AccountedModel,
    BudgetError,
    ChatModel,
    ClosedError,
    Message,
    ModelError,
)
from voxpolis.bots.models import Question as Conversation
from voxpolis.bots.models.typed import Answer, AnswerError

TEMPERATURE = 0.1

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Question(Protocol[T_co]):
    """A typed value that a prompt is rendered from, with the type of its answer."""

    @property
    def role(self) -> str:
        """Which role is asked; see :data:`bots.models.settings.ROLES`."""

    @property
    def answer(self) -> type[Answer]:
        """The answer's general type."""

    def messages(self) -> Sequence[Message]:
        """Return the prompt."""

    def narrow(self) -> type[Answer]:
        """Return the answer's type at this moment."""

    def value(self, answer: Any) -> T_co:
        """Return the value of an answer.

        Raises:
            AnswerError: it cannot be used; the message tells the model why.
        """


async def asked(model: ChatModel, agent: str, question: Question[T]) -> T | None:
    """Return the value of an answer; None: none could be used, which is a failed decision."""
    try:
        return await ask(
            model,
            Conversation(question.messages),
            question.answer,
            role=question.role,
            agent=agent,
            temperature=TEMPERATURE,
            about=question,
            narrow=question.narrow,
            read=question.value,
        )
    except (BudgetError, ClosedError):
        raise
    except AnswerError:
        return None
    except ModelError as error:
        if isinstance(model, AccountedModel):
            model.give_up(question.role, agent, f"error: {error}")
        return None
