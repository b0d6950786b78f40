"""The automatic curriculum: proposes the next task, and asks itself what there is to know."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from voxpolis.bots.agents.protocol import Briefing
from voxpolis.bots.agents.voyager.progress import Progress, Task
from voxpolis.bots.agents.voyager.requests import (
    AnswerRequest,
    CurriculumRequest,
    Known,
    Proposal,
    Questions,
    QuestionsRequest,
)
from voxpolis.bots.agents.voyager.writing import told
from voxpolis.bots.asking import ask
from voxpolis.bots.models import AnswerError, ChatModel, Message
from voxpolis.bots.prompts import messages
from voxpolis.records.vanilla import MINECRAFT_VERSION

#: Source: Wang et al. (2023); the curriculum's temperature is what keeps tasks varied.
TEMPERATURE = 0.1
ANSWER_TEMPERATURE = 0.0
MAX_QUESTIONS = 3
#: How many of the last tasks a prompt lists.
LISTED = 60


@dataclass(frozen=True)
class Curriculum:
    """Proposes tasks to the agent of a briefing; ``goal`` says in words what is worth doing."""

    model: ChatModel
    briefing: Briefing
    goal: str

    async def propose(self, observation: str, progress: Progress) -> Task | None:
        """Return the next task, with what is known about it; None where nothing is left to do.

        What was asked before is answered from ``progress.answers``, which grows.

        Raises:
            AnswerError: the model proposed nothing that can be read.
            ModelError: the model does not answer.
        """
        task = await self.task(observation, progress)
        if task is None:
            return None
        context = await self._find_out(task, observation, progress.answers)
        return task.model_copy(update={"context": context})

    async def task(self, observation: str, progress: Progress) -> Task | None:
        """Return the next task, of which nothing is known yet; see :meth:`propose`."""
        completed, failed = tuple(progress.completed), tuple(progress.failed)
        return await ask(
            self.model,
            self.messages(observation, progress),
            Proposal,
            role="curriculum",
            agent=self.briefing.agent,
            temperature=TEMPERATURE,
            about=CurriculumRequest(self.briefing, observation, completed, failed),
            read=Proposal.value,
        )

    def messages(self, observation: str, progress: Progress) -> list[Message]:
        """Return what the model sees."""
        known = [f"{question} {answer}" for question, answer in progress.answers.items()]
        return messages(
            "voyager/curriculum",
            agent=self.briefing.agent,
            version=MINECRAFT_VERSION,
            goal=self.goal,
            world=told(self.briefing),
            observation=observation,
            completed=_listed(progress.completed),
            failed=_listed(progress.failed),
            knowledge="\n".join(known[-2 * MAX_QUESTIONS :]) or "None yet.",
        )

    async def _find_out(self, task: Task, observation: str, answers: dict[str, str]) -> str:
        """Questions that the task raises, with answers; asked once, kept in ``answers``."""
        try:
            questions = await self.questions(task.name, observation)
        except AnswerError:
            questions = []  # a task can be tried without them
        for question in questions:
            if question not in answers:
                answers[question] = await self.answer(question)
        return "\n".join(f"{question} {answers[question]}" for question in questions)

    async def questions(self, task: str, observation: str) -> list[str]:
        """Return what one must know to do a task.

        Raises:
            AnswerError: the model asked nothing that can be read.
            ModelError: the model does not answer.
        """
        asked = messages(
            "voyager/questions",
            version=MINECRAFT_VERSION,
            task=task,
            observation=observation,
            limit=str(MAX_QUESTIONS),
        )
        found = await ask(
            self.model,
            asked,
            Questions,
            role="questions",
            agent=self.briefing.agent,
            temperature=ANSWER_TEMPERATURE,
            about=QuestionsRequest(task, observation),
        )
        return list(found.questions[:MAX_QUESTIONS])

    async def answer(self, question: str) -> str:
        """Return what the model knows of a question.

        Raises:
            AnswerError: it said nothing.
            ModelError: the model does not answer.
        """
        found = await ask(
            self.model,
            messages("voyager/answer", version=MINECRAFT_VERSION, question=question),
            Known,
            role="answer",
            agent=self.briefing.agent,
            temperature=ANSWER_TEMPERATURE,
            about=AnswerRequest(question),
        )
        return str(found.answer)


def _listed(names: Sequence[str]) -> str:
    return "\n".join(f"- {name}" for name in names[-LISTED:]) or "None yet."
