"""Offline answers, said by a script and never presented as a language model's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bots.models.model import Completion, Message

#: From a role, an agent's name (None for the judge) and what was asked to the answer.
Script = Callable[[str, str | None, Sequence[Message]], str]


class ScriptedModel:
    """Answers each role as a script says; the answer goes the same way as a language model's."""

    def __init__(self, script: Script) -> None:
        self._script = script

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        role: str,
        agent: str | None,
        temperature: float,
        max_tokens: int,
    ) -> Completion:
        """Answer as the script says; see :class:`~bots.models.model.ChatModel`."""
        return Completion(text=self._script(role, agent, messages), model="scripted")
