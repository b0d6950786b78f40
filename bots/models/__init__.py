"""Chat models behind one seam, :class:`ChatModel`."""

from bots.models.model import ChatModel, Completion, Message, ModelError
from bots.models.openai_model import OpenAIModel
from bots.models.recorded import RecordedModel
from bots.models.scripted import ScriptedModel

__all__ = [
    "ChatModel",
    "Completion",
    "Message",
    "ModelError",
    "OpenAIModel",
    "RecordedModel",
    "ScriptedModel",
]
