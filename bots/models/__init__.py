"""Chat models behind one seam, :class:`ChatModel`.

``OpenAIModel``, ``ScriptedModel`` and ``ReplayModel`` answer; ``LimitedModel``, ``BudgetedModel``
and ``RecordedModel`` wrap any of them.
"""

from bots.models.accounted import Account, AccountedModel, Failure
from bots.models.budget import Budget, BudgetedModel, BudgetError, read_prices
from bots.models.limited import LimitedModel
from bots.models.model import ChatModel, ChatRequest, Completion, Message, ModelError
from bots.models.openai_model import OpenAIModel
from bots.models.recorded import RecordedModel
from bots.models.replay import ReplayError, ReplayModel
from bots.models.resumed import ResumedModel
from bots.models.scripted import ScriptedModel
from bots.models.settings import ModelSettings, RoleSettings

__all__ = [
    "Account",
    "AccountedModel",
    "Budget",
    "BudgetError",
    "BudgetedModel",
    "ChatModel",
    "ChatRequest",
    "Completion",
    "Failure",
    "LimitedModel",
    "Message",
    "ModelError",
    "ModelSettings",
    "OpenAIModel",
    "RecordedModel",
    "ReplayError",
    "ReplayModel",
    "ResumedModel",
    "RoleSettings",
    "ScriptedModel",
    "read_prices",
]
