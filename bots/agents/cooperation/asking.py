"""Asking for a module: what goes wrong costs the agent this module's turn, and no more.

Its words are another's: whatever reading, telling or settling them raises is a fault of that agent,
which is counted and named, and never the end of a run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from bots.models import AccountedModel, BudgetError, ChatModel, ClosedError, ModelError
from bots.structured import AnswerError, complete_parsed
from records.text import one_line

TEMPERATURE = 0.1
#: Of what went wrong, in letters.
MOST_TOLD = 200

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
    prompt = guarded(model, agent, question.role, question.prompt)
    if prompt is None:
        return None

    def read(answer: str) -> T:
        try:
            return question.read(answer)
        except AnswerError:
            raise
        except Exception as error:
            raise AnswerError(f"it cannot be read ({_in_words(error)})") from error

    try:
        return await complete_parsed(
            model,
            [{"role": "user", "content": prompt}],
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


def guarded(model: ChatModel, agent: str, role: str, work: Callable[[], T]) -> T | None:
    """Return what work with an agent's words comes to; None: it failed, which counts as its fault.

    Args:
        model: whose account counts a failed decision of the role.
        agent: whose words they are.
        role: what they answered.
        work: reads, tells or settles them.
    """
    try:
        return work()
    except Exception as error:
        if isinstance(model, AccountedModel):
            model.give_up(role, agent, f"error: {_in_words(error)}")
        return None


def _in_words(error: Exception) -> str:
    return one_line(f"{type(error).__name__}: {error}")[:MOST_TOLD]
