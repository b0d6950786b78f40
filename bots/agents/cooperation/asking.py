"""Asking for a module: a bad answer costs the agent this module's turn, and no more.

What an agent answers is refused by ``AnswerError`` and nothing else, which is counted and named as
its failed decision. Whatever else reading, telling or settling raises is a fault of our code, which
ends the run as one: it would be in every number that comes after.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

from bots.models import AccountedModel, BudgetError, ChatModel, ClosedError, ModelError
from bots.structured import AnswerError, complete_parsed

TEMPERATURE = 0.1

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Question(Protocol[T_co]):
    """A typed value that a prompt is rendered from, which knows how its answers are read."""

    @property
    def role(self) -> str:
        """Which role is asked; see :data:`bots.models.settings.ROLES`."""

    def prompt(self) -> str:
        """Return the question in words."""

    def read(self, answer: str) -> T_co:
        """Return what an answer says.

        Raises:
            AnswerError: it cannot be read.
        """


async def asked(model: ChatModel, agent: str, question: Question[T]) -> T | None:
    """Return what an answer says; None where there is none, which counts as a failed decision.

    Args:
        model: who is asked.
        agent: whose module asks.
        question: what.

    Raises:
        BudgetError: the run's budget is used up, which ends the run.
        ClosedError: the model will answer no more, which ends it, too.
    """

    def read(answer: str) -> T:
        try:
            return question.read(answer)
        except RecursionError as error:
            raise AnswerError("it is nested too deeply") from error

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
