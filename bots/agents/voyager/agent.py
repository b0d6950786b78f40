"""One agent's life: task after task, each in a few attempts, what works kept as a skill."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from voxpolis.bots.agents.code_writer import PRINTED_LINES, program_end
from voxpolis.bots.agents.critic import Assessment
from voxpolis.bots.agents.protocol import AgentSetup, Briefing, Review
from voxpolis.bots.agents.voyager.curriculum import Curriculum
from voxpolis.bots.agents.voyager.progress import Progress, Task
from voxpolis.bots.agents.voyager.retrieval import Retriever, best_retriever
from voxpolis.bots.agents.voyager.skills import SkillLibrary
from voxpolis.bots.agents.voyager.writing import Writer, told
from voxpolis.bots.models import AnswerError
from voxpolis.bots.prompts import quoted
from voxpolis.bridge.protocol import RunResult
from voxpolis.records import events

#: Programs written for one task before it counts as failed. Source: Wang et al. (2023).
ATTEMPTS = 4


@dataclass(frozen=True)
class Ran:
    """How a program went: whether it ended without an error, and all of it in words."""

    ended_well: bool
    told: str


def ran(result: RunResult) -> Ran:
    """Return how a program went, as its writer is told."""
    printed = "\n".join(result.logs[-PRINTED_LINES:])
    text = program_end(result, with_limits=True)
    return Ran(result.status == "done", f"{text}\nIt printed:\n{printed}" if printed else text)


class VoyagerAgent:
    """Curriculum, action, critic and skills over one body.

    Its progress is written after each step, so that a run that is cut off goes on from there.
    """

    def __init__(
        self, setup: AgentSetup, library: SkillLibrary, progress_file: Path | None = None
    ) -> None:
        """Make the agent; its progress so far is read from the file, where there is one.

        Without a goal of its own, an agent strives for what its briefing says.

        Raises:
            ValueError: the file is no progress file.
        """
        self.body = setup.body
        self.library = library
        self.progress = Progress.load(progress_file) if progress_file else Progress()
        self._file = progress_file
        self._note = setup.note
        self._is_over = setup.is_over
        model, briefing = setup.model, setup.briefing
        goal = setup.goal or goal_of(briefing)
        self._curriculum = Curriculum(model, briefing, goal)
        self._writer = Writer(model, briefing)

    async def live(self, max_iterations: int) -> None:
        """Try task after task until nothing is left to do, the run is over or the iterations are
        used up.

        Raises:
            ModelError: the model does not answer.
        """
        while self.progress.iterations < max_iterations and not self._is_over():
            try:
                task = self.progress.current or await self._propose()
            except AnswerError as error:
                self._note(events.Log, text=f"no task was proposed: {error}")
                self._count_iteration()
                continue
            if task is None:
                return
            success = await self._attempt(task, max_iterations)
            if success is None:
                return  # cut short: the task stays the current one
            self.progress.finish(task, success)
            self._save()

    def see(self, inventory: Mapping[str, int]) -> None:
        """Note the kinds of item that are held for the first time."""
        distinct, iteration = len(self.progress.items), self.progress.iterations
        for item in self.progress.first_held(inventory):
            distinct += 1
            self._note(events.ItemObtained, item=item, iteration=iteration, distinct=distinct)

    async def _propose(self) -> Task | None:
        task = await self._curriculum.propose(await self.body.observe(), self.progress)
        if task is not None:
            self.progress.current = task
            self._save()
        return task

    async def _attempt(self, task: Task, max_iterations: int) -> bool | None:
        """Try a task; None where the iterations or the run ended before its attempts did."""
        self._note(events.TaskStarted, task=task.name, context=task.context, obtain=task.obtain)
        feedback = ""
        for attempt in range(1, ATTEMPTS + 1):
            if self.progress.iterations >= max_iterations or self._is_over():
                return None
            self._count_iteration()
            code, went = await self._try_once(task, feedback)
            seen = await self._assess(task, went)
            self._note(events.Critique, success=seen.success, text=seen.critique)
            if seen.success:
                self._note(events.TaskEnded, task=task.name, success=True, attempts=attempt)
                if went.ended_well:
                    await self._learn(code)
                return True
            feedback = _feedback(code, went, seen)
        self._note(events.TaskEnded, task=task.name, success=False, attempts=ATTEMPTS)
        return False

    async def _try_once(self, task: Task, feedback: str) -> tuple[str, Ran]:
        """Write a program and run it."""
        skills = self.library.retrieve(f"{task.name} {task.context}")
        observation = await self.body.observe()
        try:
            code = await self._writer.program(task, observation, skills, feedback)
        except AnswerError as error:
            return "", Ran(ended_well=False, told=f"There was no program: {error}.")
        went = ran(await self.body.act(code, self.library.sources()))
        self.see(await self.body.inventory())
        return code, went

    async def _assess(self, task: Task, went: Ran) -> Assessment:
        """Return whether a task is done: by what is held where that tells, else by the critic."""
        held = await self.body.inventory()
        if task.obtain and task.is_obtained(held):
            return Assessment(success=True, critique="")
        observation = await self.body.observe()
        view = await self._writer.assess(task, observation, went.told, went.ended_well)
        return Assessment(success=view.success and not task.obtain, critique=view.critique)

    async def _learn(self, code: str) -> None:
        skill = await self._writer.describe(code)
        self.library.add(skill)
        self._note(events.SkillLearned, name=skill.name, description=skill.description)

    def _count_iteration(self) -> None:
        self.progress.iterations += 1
        self._save()

    def _save(self) -> None:
        if self._file is not None:
            self.progress.save(self._file)


def _feedback(code: str, went: Ran, seen: Assessment) -> str:
    parts = [f"```javascript\n{code}```" if code else "", went.told]
    parts.append(f"A critic says:\n{quoted(seen.critique)}" if seen.critique else "")
    return "\n\n".join(part for part in parts if part)


def goal_of(briefing: Briefing) -> str:
    """Return what an agent strives for that has no goal of its own: what its briefing says."""
    return f"to do well by these rules.\n\n{told(briefing)}"


# --- Voyager as an agent kind: task after task in whatever world takes its programs ---------------

#: Programs that one agent may write. Source: Wang et al. (2023), figure 1.
ITERATIONS = 160


class VoyagerPlayer:
    """Sets itself tasks and keeps what works; see :class:`bots.agents.protocol.Agent`."""

    is_ready = True

    def __init__(
        self,
        setup: AgentSetup,
        retriever: Retriever | None = None,
        iterations: int = ITERATIONS,
        starters: Path | None = None,
    ) -> None:
        """Make the player; it goes on from what is in ``setup.folder``, and writes there.

        Args:
            setup: what it is made of; without a folder, skills and progress end with it.
            retriever: finds skills; None: the best that is installed.
            iterations: programs that it may write.
            starters: a folder of skills to begin with.

        Raises:
            SkillError: a skill cannot be read.
            ValueError: its progress cannot be read.
        """
        home = Path(setup.folder) if setup.folder else None
        library = SkillLibrary(retriever or best_retriever(), home / "skills" if home else None)
        if starters is not None:
            library.load(starters)
        self._agent = VoyagerAgent(setup, library, home / "progress.json" if home else None)
        self._iterations = iterations

    @property
    def progress(self) -> Progress:
        """How far it has come."""
        return self._agent.progress

    @property
    def skills(self) -> Sequence[str]:
        """The names of the skills that it has."""
        return sorted(self._agent.library.skills)

    def see(self, inventory: Mapping[str, int]) -> None:
        """Note the kinds of item that are held for the first time."""
        self._agent.see(inventory)

    async def prepare(self, observation: str) -> str:
        """Return an empty text: it is always ready."""
        return ""

    async def live(self) -> None:
        """Try task after task until nothing is left to do; see ``Agent``."""
        await self._agent.live(self._iterations)

    async def review(self, review: Review) -> None:
        """Return None: its own critic looks at each program."""
