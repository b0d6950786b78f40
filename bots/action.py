"""The action sub-agent: writes an agent's policy, and rewrites it after what went wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bots.asking import ask
from bots.models import ChatModel, Message
from bots.parsing import read_program
from bots.prompts import render

#: Source: Yocum et al. (2023), temperature of the action sub-agent.
TEMPERATURE = 0.1


@dataclass(frozen=True)
class Briefing:
    """What an agent is told before it plays."""

    agent: str
    situation: str
    contract: str
    minecraft_version: str


@dataclass(frozen=True)
class Language:
    """What policies are written in.

    Attributes:
        system: the system prompt for a briefing.
        read: the policy in an answer; raises ``AnswerError`` where there is none.
        nothing: a policy that does nothing.
    """

    system: Callable[[Briefing], str]
    read: Callable[[str], str]
    nothing: str


def _javascript(briefing: Briefing) -> str:
    return render(
        "action",
        agent=briefing.agent,
        version=briefing.minecraft_version,
        briefing=briefing.situation,
        contract=briefing.contract or "None: everyone keeps what they hold at the end.",
    )


JAVASCRIPT = Language(_javascript, read_program, nothing="// The model gave no program.\n")


class ActionAgent:
    """Writes policies for one agent."""

    def __init__(
        self, briefing: Briefing, model: ChatModel, language: Language = JAVASCRIPT
    ) -> None:
        self.briefing = briefing
        self.language = language
        self._model = model

    def messages(self, observation: str, feedback: str) -> list[Message]:
        """What the model sees, for ``observation`` and the feedback on the last program."""
        system = self.language.system(self.briefing)
        situation = render(
            "action_situation",
            observation=observation,
            feedback=feedback or "This is your first program.",
        )
        return [{"role": "system", "content": system}, {"role": "user", "content": situation}]

    async def write_policy(self, observation: str, feedback: str = "") -> str:
        """Have the model write a program.

        Raises:
            AnswerError: the model gave no program, however often it was asked.
            ModelError: the model does not answer.
        """
        return await ask(
            self._model,
            self.messages(observation, feedback),
            self.language.read,
            role="action",
            agent=self.briefing.agent,
            temperature=TEMPERATURE,
        )
