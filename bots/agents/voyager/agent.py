"""The life of a Voyager agent: it makes a few attempts at one task after another.

A program that succeeds becomes a skill.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from voxpolis.bots.agents.code_writer import PRINTED_LINES, Assessment, program_end
from voxpolis.bots.agents.protocol import AgentSetup, Briefing, Review
from voxpolis.bots.agents.voyager import prompts
from voxpolis.bots.agents.voyager.progress import Progress, Task
from voxpolis.bots.agents.voyager.retrieval import Retriever, best_retriever
from voxpolis.bots.agents.voyager.skills import SkillLibrary
from voxpolis.bots.models import AnswerError
from voxpolis.bots.prompts import quoted
from voxpolis.records import events

# A task counts as failed after this many programs. Source: Wang et al. (2023).
ATTEMPTS = 4
# The maximum number of programs that an agent writes. Source: Wang et al. (2023), figure 1.
ITERATIONS = 160


@dataclass(frozen=True)
class ProgramRun:
    """The result of running a program: whether it ended without an error, and a description."""

    ended_well: bool
    report: str


class VoyagerAgent:
    """An agent that sets itself tasks and keeps successful programs as skills.

    The agent saves its progress after every step, so that an interrupted run can be resumed. See
    :class:`bots.agents.protocol.Agent`.
    """

    is_ready = True

    def __init__(
        self,
        setup: AgentSetup,
        retriever: Retriever | None = None,
        iterations: int = ITERATIONS,
        starters: Path | None = None,
    ) -> None:
        """Create the agent, and load its earlier progress from ``setup.folder`` if there is any.

        An agent without a goal of its own pursues the goal in its briefing.

        Args:
            setup: the arguments of an agent. Without a folder, skills and progress are not saved.
            retriever: finds skills for a task; None for the best installed retriever.
            iterations: the maximum number of programs that the agent writes.
            starters: a folder with initial skills.

        Raises:
            SkillError: a skill cannot be read.
            ValueError: the saved progress cannot be read.
        """
        home = Path(setup.folder) if setup.folder else None
        self.library = SkillLibrary(retriever or best_retriever(), home and home / "skills")
        if starters is not None:
            self.library.load(starters)
        self._file = home and home / "progress.json"
        self.progress = Progress.load(self._file) if self._file else Progress()
        self._iterations = iterations
        self._body, self._model, self._note = setup.body, setup.model, setup.note
        self._is_over = setup.is_over
        self._briefing = setup.briefing
        self._goal = setup.goal or goal_of(setup.briefing)

    @property
    def skills(self) -> Sequence[str]:
        return sorted(self.library.skills)

    async def prepare(self, observation: str) -> str:
        return ""

    async def review(self, review: Review) -> None:
        """Return None. The agent's own critic has already reviewed each program."""

    def record_new_items(self, inventory: Mapping[str, int]) -> None:
        """Record an event for each kind of item that the agent has for the first time."""
        distinct, iteration = len(self.progress.items), self.progress.iterations
        for item in self.progress.first_held(inventory):
            distinct += 1
            self._note(events.ItemObtained, item=item, iteration=iteration, distinct=distinct)

    @property
    def _is_at_end(self) -> bool:
        return self.progress.iterations >= self._iterations or self._is_over()

    async def live(self) -> None:
        """Attempt one task after another.

        The agent stops when its model proposes no further task, when the run is over, or when it
        has written the maximum number of programs.
        """
        while not self._is_at_end:
            try:
                task = self.progress.current or await self._propose()
            except AnswerError as error:
                self._note(events.Log, text=f"no task was proposed: {error}")
                self._count_iteration()
                continue
            if task is None:
                return
            success = await self._attempt(task)
            if success is None:
                return  # interrupted: the task remains the current task
            self.progress.finish(task, success)
            self._save()

    async def _propose(self) -> Task | None:
        observation = await self._body.observe()
        task = await prompts.propose_task(
            self._model, self._briefing, self._goal, observation, self.progress
        )
        if task is not None:
            task = await prompts.find_out(
                self._model, self._briefing.agent, task, observation, self.progress.answers
            )
            self.progress.current = task
            self._save()
        return task

    async def _attempt(self, task: Task) -> bool | None:
        """Attempt a task, and return whether the agent completed it.

        Return None if the agent had to stop before it used all its attempts.
        """
        self._note(events.TaskStarted, task=task.name, context=task.context, obtain=task.obtain)
        feedback = ""
        for attempt in range(1, ATTEMPTS + 1):
            if self._is_at_end:
                return None
            self._count_iteration()
            code, ran = await self._try_once(task, feedback)
            seen = await self._assess(task, ran)
            self._note(events.Critique, success=seen.success, text=seen.critique)
            if seen.success:
                self._note(events.TaskEnded, task=task.name, success=True, attempts=attempt)
                if ran.ended_well:
                    skill = await prompts.describe_program(self._model, self._briefing.agent, code)
                    self.library.add(skill)
                    fields = {"name": skill.name, "description": skill.description}
                    self._note(events.SkillLearned, **fields)
                return True
            parts = [f"```javascript\n{code}```" if code else "", ran.report]
            parts.append(f"A critic says:\n{quoted(seen.critique)}" if seen.critique else "")
            feedback = "\n\n".join(part for part in parts if part)
        self._note(events.TaskEnded, task=task.name, success=False, attempts=ATTEMPTS)
        return False

    async def _try_once(self, task: Task, feedback: str) -> tuple[str, ProgramRun]:
        skills = self.library.retrieve(f"{task.name} {task.context}")
        observation = await self._body.observe()
        try:
            code = await prompts.write_program(
                self._model, self._briefing, task, observation, skills, feedback
            )
        except AnswerError as error:
            return "", ProgramRun(ended_well=False, report=f"There was no program: {error}.")
        result = await self._body.act(code, self.library.sources())
        self.record_new_items(await self._body.inventory())
        printed = "\n".join(result.logs[-PRINTED_LINES:])
        text = program_end(result, with_limits=True)
        told = f"{text}\nIt printed:\n{printed}" if printed else text
        return code, ProgramRun(result.status == "done", told)

    async def _assess(self, task: Task, ran: ProgramRun) -> Assessment:
        """Decide whether a task is done.

        If the task requires items, the agent must have these items. Otherwise the critic decides.
        """
        held = await self._body.inventory()
        if task.obtain and task.is_obtained(held):
            return Assessment(success=True, critique="")
        observation = await self._body.observe()
        view = await prompts.assess_task(
            self._model, self._briefing, task, observation, ran.report, ended_well=ran.ended_well
        )
        return Assessment(success=view.success and not task.obtain, critique=view.critique)

    def _count_iteration(self) -> None:
        self.progress.iterations += 1
        self._save()

    def _save(self) -> None:
        if self._file is not None:
            self.progress.save(self._file)


def goal_of(briefing: Briefing) -> str:
    """Return the goal of an agent that was given none: to do well by the rules of its briefing."""
    return f"to do well by these rules.\n\n{prompts.briefing_text(briefing)}"
