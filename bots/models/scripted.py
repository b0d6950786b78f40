"""Offline answers, said by a script and never presented as a language model's."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from bots.models.model import ChatRequest, Completion
from bots.values import REMEMBERED

#: What answers call the model that gave them.
SCRIPTED = "scripted"
#: From a question to the answer. A script goes by the role, the agent and the typed value
#: (``ChatRequest.about``); it does not read the prompt.
Script = Callable[[ChatRequest], str]


class ScriptedModel:
    """Answers as a script says; the answer goes the same way as a language model's."""

    def __init__(self, script: Script) -> None:
        self._script = script

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer as the script says; see :class:`~bots.models.model.ChatModel`."""
        return _completion(self._script(request))


@lru_cache(REMEMBERED)
def _completion(text: str) -> Completion:
    return Completion(text=text, model=SCRIPTED)
