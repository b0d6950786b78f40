"""Asking for a module: what goes wrong costs the agent this module's turn, and no more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from bots.models import AccountedModel, BudgetError, ChatModel, ClosedError, ModelError
from bots.structured import AnswerError, complete_parsed

TEMPERATURE = 0.1

T = TypeVar("T")


class Question(Protocol):
    """A typed value that a prompt is rendered from."""

    @property
    def role(self) -> str:
        """Which role is asked; see :data:`bots.models.settings.ROLES`."""

    def prompt(self) -> str:
        """Return the question in words."""


async def asked(
    model: ChatModel, agent: str, question: Question, read: Callable[[str], T]
) -> T | None:
    """Return what an answer says; None where there is none, which counts as a failed decision.

    Args:
        model: who is asked.
        agent: whose module asks.
        question: what.
        read: turns an answer into a value, or raises ``AnswerError``.

    Raises:
        BudgetError: the run's budget is used up, which ends the run.
        ClosedError: the model will answer no more, which ends it, too.
    """
    try:
        return await complete_parsed(
            model,
            [{"role": "user", "content": question.prompt()}],
            read,
            role=question.role,
            agent=agent,
            temperature=TEMPERATURE,
            about=question,
        )
    except (BudgetError, ClosedError):
        raise
    except AnswerError:
        return None
    except ModelError as error:
        if isinstance(model, AccountedModel):
            model.give_up(question.role, agent, f"error: {error}")
        return None
