"""Chat models behind one interface, :class:`ChatModel`.

``ScriptedModel``, ``ReplayModel`` and :class:`bots.models.openai_model.OpenAIModel` give answers.
``OpenAIModel`` has to be imported separately, because its package takes a second to load.
``PatientModel``, ``BudgetedModel``, ``RecordedModel`` and ``UntimedModel`` wrap another model.
"""

from voxpolis.bots.models.accounted import Account, AccountedModel, Failure
from voxpolis.bots.models.board import CallBoard
from voxpolis.bots.models.budget import Budget, BudgetedModel, BudgetError
from voxpolis.bots.models.model import (
    Answering,
    ChatModel,
    ChatRequest,
    ClosedError,
    Completion,
    Message,
    ModelError,
    Question,
    ThoughtLimitError,
    UnreachableError,
    UntimedModel,
    at_once,
)
from voxpolis.bots.models.patient import PatientModel
from voxpolis.bots.models.prices import read_prices
from voxpolis.bots.models.recorded import RecordedModel, paid_calls
from voxpolis.bots.models.replay import ReplayError, ReplayModel, ResumedModel
from voxpolis.bots.models.scripted import ScriptedModel
from voxpolis.bots.models.settings import CallSettings, ModelSettings
from voxpolis.bots.models.typed import Answer, AnswerError

__all__ = [
    "Account",
    "AccountedModel",
    "Answer",
    "AnswerError",
    "Answering",
    "Budget",
    "BudgetError",
    "BudgetedModel",
    "CallBoard",
    "CallSettings",
    "ChatModel",
    "ChatRequest",
    "ClosedError",
    "Completion",
    "Failure",
    "Message",
    "ModelError",
    "ModelSettings",
    "PatientModel",
    "Question",
    "RecordedModel",
    "ReplayError",
    "ReplayModel",
    "ResumedModel",
    "ScriptedModel",
    "ThoughtLimitError",
    "UnreachableError",
    "UntimedModel",
    "at_once",
    "paid_calls",
    "read_prices",
]
