"""Asking for a module: a bad answer costs the agent this module's turn, and no more.

``AnswerError`` is the only error that is the agent's: it is counted as its failed decision. What
else reading or settling raises is a fault of our code, and ends the run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeVar

from bots.asking import ask
from bots.models import AccountedModel, BudgetError, ChatModel, ClosedError, Message, ModelError
from bots.models import Question as Conversation
from bots.models.typed import Answer, AnswerError
from bots.structured import complete_parsed

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
    """Return the value of an answer; None: none could be used, which is a failed decision.

    Raises:
        BudgetError: the run's budget is used up, which ends the run.
        ClosedError: the model will answer no more, which ends it, too.
    """
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
        _give_up(model, question.role, agent, error)
        return None


def _give_up(model: ChatModel, role: str, agent: str, error: ModelError) -> None:
    if isinstance(model, AccountedModel):
        model.give_up(role, agent, f"error: {error}")


class WordsQuestion(Protocol[T_co]):
    """A question whose answer is read as a text; the assembly's two are the last ones."""

    @property
    def role(self) -> str: ...

    def prompt(self) -> str: ...

    def read(self, answer: str) -> T_co: ...


async def asked_in_words(model: ChatModel, agent: str, question: WordsQuestion[T]) -> T | None:
    """Do what :func:`asked` does, for a question whose answer is read as a text."""
    try:
        return await complete_parsed(
            model,
            [{"role": "user", "content": question.prompt()}],
            question.read,
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
        _give_up(model, question.role, agent, error)
        return None
