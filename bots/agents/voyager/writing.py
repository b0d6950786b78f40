"""Action, critic and description: what a model writes and says about programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bots.agents.critic import Assessment, read_assessment
from bots.agents.protocol import Briefing
from bots.agents.voyager.progress import Task
from bots.agents.voyager.requests import DescribeRequest, TaskCriticRequest, TaskRequest
from bots.agents.voyager.skills import Skill, SkillError, main_function
from bots.models import ChatModel, Message
from bots.prompts import quoted, render
from bots.structured import AnswerError, complete_parsed, read_javascript, spoken

#: Source: Wang et al. (2023), all sub-agents but the curriculum.
TEMPERATURE = 0.0


@dataclass(frozen=True)
class Writer:
    """Writes one agent's programs and judges how they went.

    The briefing says what is special about this world, and what contract is in force there.
    """

    model: ChatModel
    briefing: Briefing
    minecraft_version: str

    def messages(
        self, task: Task, observation: str, skills: Sequence[Skill], feedback: str
    ) -> list[Message]:
        """Return what the model sees when it writes a program."""
        shown = "\n\n".join(f"```javascript\n{skill.as_file()}```" for skill in skills)
        system = render(
            "voyager/action",
            agent=self.briefing.agent,
            version=self.minecraft_version,
            world=told(self.briefing),
            skills=shown or "None yet.",
        )
        situation = render(
            "voyager/action_situation",
            observation=observation,
            task=task.name,
            context=task.context or "Nothing in particular.",
            feedback=feedback or "This is your first program for it.",
        )
        return [{"role": "system", "content": system}, {"role": "user", "content": situation}]

    async def program(
        self, task: Task, observation: str, skills: Sequence[Skill], feedback: str
    ) -> str:
        """Write a program.

        Raises:
            AnswerError: the model gave none, however often it was asked.
            ModelError: the model does not answer.
        """
        messages = self.messages(task, observation, skills, feedback)
        shown = tuple(skill.name for skill in skills)
        return await complete_parsed(
            self.model,
            messages,
            _read_function,
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
        prompt = render(
            "voyager/critic",
            agent=self.briefing.agent,
            version=self.minecraft_version,
            world=told(self.briefing),
            task=task.name,
            context=task.context or "Nothing in particular.",
            observation=observation,
            outcome=outcome,
        )
        try:
            return await complete_parsed(
                self.model,
                [{"role": "user", "content": prompt}],
                read_assessment,
                role="critic",
                agent=self.briefing.agent,
                temperature=TEMPERATURE,
                about=TaskCriticRequest(task, observation, outcome, ended_well),
            )
        except AnswerError:
            return Assessment(success=False, critique="")

    async def describe(self, code: str) -> Skill:
        """Make a skill of a program that worked.

        Raises:
            ModelError: the model does not answer.
        """
        name = main_function(code)
        description = await complete_parsed(
            self.model,
            [{"role": "user", "content": render("voyager/describe", function=name, code=code)}],
            _read_description,
            role="describe",
            agent=self.briefing.agent,
            temperature=TEMPERATURE,
            about=DescribeRequest(name, code),
        )
        return Skill(name, code, description)


def told(briefing: Briefing) -> str:
    """Return a briefing in words: its text, and the contract where there is one."""
    contract = f"The contract in force:\n{quoted(briefing.contract)}" if briefing.contract else ""
    return "\n\n".join(part for part in (briefing.told, contract) if part)


def _read_description(answer: str) -> str:
    text = spoken(answer).strip()
    if not text:
        raise AnswerError("the answer is empty")
    return text


def _read_function(answer: str) -> str:
    code = read_javascript(answer)
    try:
        main_function(code)
    except SkillError as error:
        raise AnswerError(str(error)) from error
    return code
