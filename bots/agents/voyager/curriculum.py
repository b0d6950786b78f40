"""The automatic curriculum: proposes the next task, and asks itself what there is to know."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from bots.agents.protocol import Briefing
from bots.agents.voyager.progress import Progress, Task
from bots.agents.voyager.requests import AnswerRequest, CurriculumRequest, QuestionsRequest
from bots.agents.voyager.writing import told
from bots.models import ChatModel, Message
from bots.prompts import render
from bots.structured import (
    AnswerError,
    Names,
    alone,
    complete_parsed,
    listed,
    only_reading,
    own_words,
    said_fields,
    spoken,
)
from records.text import caseless

T = TypeVar("T")

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
    minecraft_version: str

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
        return await complete_parsed(
            self.model,
            self.messages(observation, progress),
            read_task,
            role="curriculum",
            agent=self.briefing.agent,
            temperature=TEMPERATURE,
            about=CurriculumRequest(self.briefing, observation, completed, failed),
        )

    def messages(self, observation: str, progress: Progress) -> list[Message]:
        """Return what the model sees."""
        system = render(
            "voyager/curriculum",
            agent=self.briefing.agent,
            version=self.minecraft_version,
            goal=self.goal,
            world=told(self.briefing),
        )
        known = [f"{question} {answer}" for question, answer in progress.answers.items()]
        situation = render(
            "voyager/curriculum_situation",
            agent=self.briefing.agent,
            observation=observation,
            completed=_listed(progress.completed),
            failed=_listed(progress.failed),
            knowledge="\n".join(known[-2 * MAX_QUESTIONS :]) or "None yet.",
        )
        return [{"role": "system", "content": system}, {"role": "user", "content": situation}]

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
        prompt = render(
            "voyager/questions",
            version=self.minecraft_version,
            task=task,
            observation=observation,
            limit=str(MAX_QUESTIONS),
        )
        about = QuestionsRequest(task, observation)
        return await self._ask(role="questions", prompt=prompt, read=read_questions, about=about)

    async def answer(self, question: str) -> str:
        """Return what the model knows of a question.

        Raises:
            AnswerError: it said nothing.
            ModelError: the model does not answer.
        """
        prompt = render("voyager/answer", version=self.minecraft_version, question=question)
        return await self._ask(
            role="answer", prompt=prompt, read=_read_text, about=AnswerRequest(question)
        )

    async def _ask(self, *, role: str, prompt: str, read: Callable[[str], T], about: object) -> T:
        """Return what the model answers to a prompt alone; it raises as :meth:`answer` does."""
        return await complete_parsed(
            self.model,
            [{"role": "user", "content": prompt}],
            read,
            role=role,
            agent=self.briefing.agent,
            temperature=ANSWER_TEMPERATURE,
            about=about,
        )


def read_task(answer: str) -> Task | None:
    """Read a proposal: an object, or lines, with ``task`` and perhaps ``obtain``.

    Raises:
        AnswerError: it is none.
    """

    def read(text: str) -> Task | None:
        return only_reading(text, _read_task, _TASK_FIELDS, sees_others=True)

    return alone(answer, read, _TASK, compared=lambda _: None)


#: Words of its labels.
_TASK = own_words("task next proposed obtain obtains reasoning new")
_TASK_FIELDS: Names = {"task": ("task_name",), "obtain": ("obtains",)}
#: What models write for a task that there is not.
_NOTHING = ("null", "none", "nothing", "n/a")
#: An item and its count in words: ``3 oak_log``, ``oak_log: 3``, ``oak_log x 3``.
_ITEM = caseless(r"(?:(\d+)\s*x?\s+([\w:*]+)|([\w:*]+?)\s*(?:[:=x]|\s)\s*(\d+))")
_COUNTS = AnswerError('"obtain" needs item names and counts, such as {"oak_log": 3}')


def _read_task(found: Mapping[str, object]) -> Task | None:
    name = found.get("task")
    if isinstance(name, str) and name.strip(" .\"'").lower() in _NOTHING:
        return None
    if name is None and "task" in found:
        return None
    if not isinstance(name, str) or not name.strip():
        raise AnswerError('the object needs "task", one line of text or null')
    counts = _counts(found.get("obtain"))
    return Task(
        name=" ".join(name.split()),
        obtain={str(item).removeprefix("minecraft:"): _count(n) for item, n in counts.items()},
    )


def _counts(obtain: object) -> Mapping[str, object]:
    """Return what is to be obtained, as an object, a list of them, or words say it."""
    if isinstance(obtain, Mapping):
        return obtain
    if not obtain or (isinstance(obtain, str) and obtain.strip(" .{}").lower() in ("", *_NOTHING)):
        return {}
    if isinstance(obtain, list) and all(isinstance(one, Mapping) for one in obtain):
        return {item: count for one in obtain for item, count in one.items()}
    if not isinstance(obtain, str):
        raise _COUNTS
    counts = {}
    for part in re.split(r"[,;\n]|\band\b", obtain.strip(" .{}")):
        item = _ITEM.fullmatch(part.strip(" \"'").replace('"', ""))
        if item is None:
            raise _COUNTS
        counts[item[2] or item[3]] = item[1] or item[4]
    return counts


def _count(value: object) -> int:
    """Return a number of items, which some models write as a text."""
    if isinstance(value, str) and value.strip().isdecimal():
        value = int(value)
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise _COUNTS
    return value


def _read_text(answer: str) -> str:
    text = " ".join(spoken(answer).split())
    if not text:
        raise AnswerError("the answer is empty")
    return text


def read_questions(answer: str) -> list[str]:
    """Read questions: an object with ``questions``, or a list of them.

    Raises:
        AnswerError: it is none.
    """
    return only_reading(answer, _questions_of, _QUESTIONS_FIELDS, _questions_in_lines)


_QUESTIONS_FIELDS: Names = {"questions": ("question",)}


def _questions_in_lines(answer: str) -> dict[str, Any]:
    """Return the questions of an answer without an object: its lines that are questions."""
    said = [text for _, text in said_fields(answer, _QUESTIONS_FIELDS) if "\n" not in text]
    found = [
        line
        for line in (said if any(said) else listed(answer))
        if line.endswith("?") and len(line.split()) > 2
    ]
    nothing = ("", "[]", *_NOTHING)
    if not found and not any(line.strip(" .").lower() in nothing for line in listed(answer)):
        raise AnswerError("the answer is not a JSON object")
    return {"questions": list(dict.fromkeys(found))}


def _questions_of(found: Mapping[str, object]) -> list[str]:
    questions = found.get("questions")
    if isinstance(questions, str):
        questions = [questions]
    if isinstance(questions, list):
        questions = [q.get("question") if isinstance(q, Mapping) else q for q in questions]
    if not isinstance(questions, list) or not all(isinstance(q, str) for q in questions):
        raise AnswerError('the object needs "questions", a list of texts')
    return [" ".join(question.split()) for question in questions if question.strip()][
        :MAX_QUESTIONS
    ]


def _listed(names: Sequence[str]) -> str:
    return "\n".join(f"- {name}" for name in names[-LISTED:]) or "None yet."
