"""Action, critic and description: what a model writes and says about programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from voxpolis.bots.agents.critic import NO_ADVICE, Assessment
from voxpolis.bots.agents.protocol import Briefing
from voxpolis.bots.agents.voyager.progress import Task
from voxpolis.bots.agents.voyager.requests import (
    Described,
    DescribeRequest,
    TaskCriticRequest,
    TaskRequest,
)
from voxpolis.bots.agents.voyager.skills import Skill, SkillError, main_function
from voxpolis.bots.asking import ask, ask_program
from voxpolis.bots.models import AnswerError, ChatModel, Message
from voxpolis.bots.prompts import messages, quoted
from voxpolis.records.vanilla import MINECRAFT_VERSION

#: Source: Wang et al. (2023), all sub-agents but the curriculum.
TEMPERATURE = 0.0


@dataclass(frozen=True)
class Writer:
    """Writes one agent's programs and judges how they went.

    The briefing says what is special about this world, and what contract is in force there.
    """

    model: ChatModel
    briefing: Briefing

    def messages(
        self, task: Task, observation: str, skills: Sequence[Skill], feedback: str
    ) -> list[Message]:
        """Return what the model sees when it writes a program."""
        shown = "\n\n".join(f"```javascript\n{skill.as_file()}```" for skill in skills)
        return messages(
            "voyager/action",
            agent=self.briefing.agent,
            version=MINECRAFT_VERSION,
            world=told(self.briefing),
            skills=shown or "None yet.",
            observation=observation,
            task=task.name,
            context=task.context or "Nothing in particular.",
            feedback=feedback or "This is your first program for it.",
        )

    async def program(
        self, task: Task, observation: str, skills: Sequence[Skill], feedback: str
    ) -> str:
        """Write a program.

        Raises:
            AnswerError: the model gave none, however often it was asked.
            ModelError: the model does not answer.
        """
        shown = tuple(skill.name for skill in skills)
        return await ask_program(
            self.model,
            self.messages(task, observation, skills, feedback),
            _checked,
            role="action",
            agent=self.briefing.agent,
            temperature=TEMPERATURE,
            about=TaskRequest(self.briefing, task, observation, shown, feedback),
        )

    async def assess(
        self, task: Task, observation: str, outcome: str, ended_well: bool
    ) -> Assessment:
        """Say whether a task is done; an answer that cannot be read counts as no.

        Raises:
            ModelError: the model does not answer.
        """
        asked = messages(
            "voyager/critic",
            agent=self.briefing.agent,
            version=MINECRAFT_VERSION,
            world=told(self.briefing),
            task=task.name,
            context=task.context or "Nothing in particular.",
            observation=observation,
            outcome=outcome,
        )
        try:
            return await ask(
                self.model,
                asked,
                Assessment,
                role="critic",
                agent=self.briefing.agent,
                temperature=TEMPERATURE,
                about=TaskCriticRequest(task, observation, outcome, ended_well),
            )
        except AnswerError:
            return NO_ADVICE

    async def describe(self, code: str) -> Skill:
        """Make a skill of a program that worked.

        Raises:
            ModelError: the model does not answer.
        """
        name = main_function(code)
        found = await ask(
            self.model,
            messages("voyager/describe", function=name, code=code),
            Described,
            role="describe",
            agent=self.briefing.agent,
            temperature=TEMPERATURE,
            about=DescribeRequest(name, code),
        )
        return Skill(name, code, found.description)


def told(briefing: Briefing) -> str:
    """Return a briefing in words: its text, and the contract where there is one."""
    contract = f"The contract in force:\n{quoted(briefing.contract)}" if briefing.contract else ""
    return "\n\n".join(part for part in (briefing.told, contract) if part)


def _checked(code: str) -> str:
    """Return a program.

    Raises:
        AnswerError: it declares no function that can be called.
    """
    try:
        main_function(code)
    except SkillError as error:
        raise AnswerError(str(error)) from error
    return code
