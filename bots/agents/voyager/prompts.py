"""The questions of a Voyager agent to its model: the requests, the prompts and the answer types.

The questions about the next task, the program, its success and its description come from Wang et
al., "Voyager" (2023). We added the briefing to the prompts, which says what is special about the
world and which contract is in force.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from pydantic import Field

from voxpolis.bots.agents.code_writer import NO_ADVICE, Assessment
from voxpolis.bots.agents.protocol import Briefing
from voxpolis.bots.agents.voyager.progress import Progress, Task
from voxpolis.bots.agents.voyager.skills import Skill, SkillError, main_function
from voxpolis.bots.asking import ask, ask_program
from voxpolis.bots.models import Answer, AnswerError, ChatModel
from voxpolis.bots.models.typed import Line, Text
from voxpolis.bots.prompts import messages, quoted
from voxpolis.records.vanilla import MINECRAFT_VERSION

# Source: Wang et al. (2023). The curriculum's temperature is higher so that tasks vary.
CURRICULUM_TEMPERATURE, TEMPERATURE = 0.1, 0.0
MAX_QUESTIONS = 3
# A prompt lists at most this many of the latest tasks.
LISTED = 60


def briefing_text(briefing: Briefing) -> str:
    """Return the text of a briefing, followed by the contract if there is one."""
    contract = f"The contract in force:\n{quoted(briefing.contract)}" if briefing.contract else ""
    return "\n\n".join(part for part in (briefing.full_text, contract) if part)


# --- The curriculum: the next task, and what the agent has to know for it -------------------------


@dataclass(frozen=True)
class CurriculumRequest:
    """The data from which the prompt for the next task is built."""

    briefing: Briefing
    observation: str
    completed: tuple[str, ...]
    failed: tuple[str, ...]


class Item(Answer):
    """Items of a kind."""

    name: Line = Field(
        description="Minecraft's name of the item; * stands for any part of a name: *_log."
    )
    count: Annotated[int, Field(ge=1, le=999)]


class Proposal(Answer):
    """The next task."""

    task: Line | None = Field(description="The task in one line; null where nothing is left to do.")
    obtain: list[Item] = Field(
        description=(
            "What the inventory must hold when the task is done; an empty list where the inventory "
            "cannot show success."
        )
    )

    def value(self) -> Task | None:
        if self.task is None:
            return None
        obtain = {one.name.removeprefix("minecraft:"): one.count for one in self.obtain}
        return Task(name=self.task, obtain=obtain)


async def propose_task(
    model: ChatModel, briefing: Briefing, goal: str, observation: str, progress: Progress
) -> Task | None:
    """Ask for the next task. Return None if the model sees no further task.

    ``goal`` is the agent's aim in words.

    Raises:
        AnswerError: no answer was readable.
    """
    known = [f"{question} {answer}" for question, answer in progress.answers.items()]
    question = messages(
        "voyager/curriculum",
        agent=briefing.agent,
        version=MINECRAFT_VERSION,
        goal=goal,
        world=briefing_text(briefing),
        observation=observation,
        completed=_listed(progress.completed),
        failed=_listed(progress.failed),
        knowledge="\n".join(known[-2 * MAX_QUESTIONS :]) or "None yet.",
    )
    completed, failed = tuple(progress.completed), tuple(progress.failed)
    return await ask(
        model,
        question,
        Proposal,
        role="curriculum",
        agent=briefing.agent,
        temperature=CURRICULUM_TEMPERATURE,
        about=CurriculumRequest(briefing, observation, completed, failed),
        read=Proposal.value,
    )


def _listed(names: Sequence[str]) -> str:
    return "\n".join(f"- {name}" for name in names[-LISTED:]) or "None yet."


@dataclass(frozen=True)
class QuestionsRequest:
    """The data from which the prompt for questions about a task is built."""

    task: str
    observation: str


class Questions(Answer):
    """Questions about the game whose answers the task needs."""

    questions: list[Line] = Field(
        description="Short questions about recipes, tools, places or mobs; the list may be empty."
    )


@dataclass(frozen=True)
class AnswerRequest:
    """The request to answer one of the questions about a task."""

    question: str


class Known(Answer):
    """The answer to a question."""

    answer: Text


async def ask_questions(model: ChatModel, agent: str, task: str, observation: str) -> list[str]:
    """Ask the model which questions about the game matter for a task.

    Raises:
        AnswerError: no answer was readable.
    """
    question = messages(
        "voyager/questions",
        version=MINECRAFT_VERSION,
        task=task,
        observation=observation,
        limit=str(MAX_QUESTIONS),
    )
    about, t = QuestionsRequest(task, observation), TEMPERATURE
    found = await ask(
        model, question, Questions, role="questions", agent=agent, temperature=t, about=about
    )
    return list(found.questions[:MAX_QUESTIONS])


async def answer_question(model: ChatModel, agent: str, question: str) -> str:
    """Ask the model to answer a question about the game.

    Raises:
        AnswerError: no answer was readable.
    """
    asked = messages("voyager/answer", version=MINECRAFT_VERSION, question=question)
    about, t = AnswerRequest(question), TEMPERATURE
    found = await ask(model, asked, Known, role="answer", agent=agent, temperature=t, about=about)
    return str(found.answer)


async def find_out(
    model: ChatModel, agent: str, task: Task, observation: str, answers: dict[str, str]
) -> Task:
    """Return a copy of the task that contains questions that matter for the task, with answers.

    Questions that are already in ``answers`` are not asked again; new answers are added.

    Raises:
        AnswerError: a question was not answered.
    """
    try:
        questions = await ask_questions(model, agent, task.name, observation)
    except AnswerError:
        questions = []  # the agent can attempt the task without answers
    for question in questions:
        if question not in answers:
            answers[question] = await answer_question(model, agent, question)
    context = "\n".join(f"{question} {answers[question]}" for question in questions)
    return task.model_copy(update={"context": context})


# --- Action, critic and description: writing and judging programs ---------------------------------


@dataclass(frozen=True)
class TaskRequest:
    """The request for a program.

    Attributes:
        skills: the names of the skills that the program can use.
        feedback: the last program and what was wrong with it.
    """

    briefing: Briefing
    task: Task
    observation: str
    skills: tuple[str, ...]
    feedback: str


async def write_program(
    model: ChatModel,
    briefing: Briefing,
    task: Task,
    observation: str,
    skills: Sequence[Skill],
    feedback: str,
) -> str:
    """Ask the model for a program.

    Raises:
        AnswerError: no answer contained a program, even after all retries.
    """
    shown = "\n\n".join(f"```javascript\n{skill.as_file()}```" for skill in skills)
    question = messages(
        "voyager/action",
        agent=briefing.agent,
        version=MINECRAFT_VERSION,
        world=briefing_text(briefing),
        skills=shown or "None yet.",
        observation=observation,
        task=task.name,
        context=task.context or "Nothing in particular.",
        feedback=feedback or "This is your first program for it.",
    )

    def read(code: str) -> str:
        try:
            main_function(code)
        except SkillError as error:
            raise AnswerError(str(error)) from error
        return code

    names = tuple(skill.name for skill in skills)
    return await ask_program(
        model,
        question,
        read,
        role="action",
        agent=briefing.agent,
        temperature=TEMPERATURE,
        about=TaskRequest(briefing, task, observation, names, feedback),
    )


@dataclass(frozen=True)
class TaskCriticRequest:
    """The data from which the critic's prompt is built.

    ``ended_well`` says whether the program ended without an error.
    """

    task: Task
    observation: str
    outcome: str
    ended_well: bool


async def assess_task(
    model: ChatModel,
    briefing: Briefing,
    task: Task,
    observation: str,
    outcome: str,
    *,
    ended_well: bool,
) -> Assessment:
    """Ask the model whether a task is done. If the answer is unreadable, the task counts as not
    done.
    """
    question = messages(
        "voyager/critic",
        agent=briefing.agent,
        version=MINECRAFT_VERSION,
        world=briefing_text(briefing),
        task=task.name,
        context=task.context or "Nothing in particular.",
        observation=observation,
        outcome=outcome,
    )
    try:
        return await ask(
            model,
            question,
            Assessment,
            role="critic",
            agent=briefing.agent,
            temperature=TEMPERATURE,
            about=TaskCriticRequest(task, observation, outcome, ended_well),
        )
    except AnswerError:
        return NO_ADVICE


@dataclass(frozen=True)
class DescribeRequest:
    """The data for the prompt that asks the model to describe a successful program."""

    function: str
    code: str


class Described(Answer):
    """Description of a function."""

    description: Text


async def describe_program(model: ChatModel, agent: str, code: str) -> Skill:
    """Ask the model to describe a successful program, and return the program as a skill."""
    name = main_function(code)
    question = messages("voyager/describe", function=name, code=code)
    about, t = DescribeRequest(name, code), TEMPERATURE
    found = await ask(
        model, question, Described, role="describe", agent=agent, temperature=t, about=about
    )
    return Skill(name, code, found.description)
