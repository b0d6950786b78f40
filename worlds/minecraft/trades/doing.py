"""The decision ``DO task in words``, with which an agent runs its own JavaScript for a task that no
action of the rules covers.

Voyager's code writer is asked for one program. The writer also gets the five skills of the agent
that match the task best. The program runs in the bot's sandbox as an errand (a task of the bot),
and any other decision of the agent ends the program. If the decision states which items are
expected, the inventory on the server shows whether the program succeeded. Successful programs
become skills.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from voxpolis.bots.agents.piano.actions import ArgumentForm, Verb, announcement
from voxpolis.bots.agents.piano.task import Task
from voxpolis.bots.agents.protocol import Briefing
from voxpolis.bots.agents.voyager.progress import Task as Wanted
from voxpolis.bots.agents.voyager.prompts import write_program
from voxpolis.bots.agents.voyager.retrieval import best_retriever
from voxpolis.bots.agents.voyager.skills import Skill, SkillLibrary, main_function
from voxpolis.bots.models import BudgetError, ChatModel, ClosedError, ModelError
from voxpolis.bots.models.typed import AnswerError
from voxpolis.records.programs import RunResult
from voxpolis.worlds.minecraft.observation_text import surroundings
from voxpolis.worlds.trades.verbs import conclude

if TYPE_CHECKING:
    from voxpolis.worlds.minecraft.trades.village import MinecraftTradeVillage

# Verb for agents' own programs.
DO = "DO"
TOLD = (
    "anything else: say in words what it is, and you are asked for a program of your body that does"
    " it. Say in `expects` what you will hold then; that decides whether it was done."
)


def do_verb(carry_out: Callable[[Task], Coroutine[Any, Any, None]]) -> Verb:
    """Return the decision ``DO``, with which agents run their own programs."""
    return Verb(DO, ArgumentForm(task=True), carry_out, announcement("do"), TOLD)


@dataclass
class ProgramContext:
    """The known facts about a run of a program that an agent wrote.

    Attributes:
        skills: a dictionary from the name of each function that the program can call to its source.
        wanted: items that the program must add to the inventory; empty if nothing is expected.
        result: the program's result; None while the program is running.
    """

    skills: Mapping[str, str]
    wanted: Mapping[str, int]
    result: RunResult | None = None

    @property
    def ended_well(self) -> bool:
        return self.result is not None and self.result.status == "done"


@dataclass
class _Program:
    """A program that is being written or is running: the task in words, the job of writing it, and
    its context.
    """

    words: str
    code: asyncio.Task[str]
    own: ProgramContext


@dataclass
class _AgentSkills:
    """The skills of one agent, and the last error in each of its tasks."""

    library: SkillLibrary
    feedback: dict[str, str] = field(default_factory=dict)


class OwnPrograms:
    """Lets the agents of a village act through programs that they write themselves."""

    def __init__(
        self,
        village: MinecraftTradeVillage,
        model: ChatModel,
        folder: Path,
        timeout_s: float | None = None,
    ) -> None:
        """Start without skills.

        Args:
            village: the village in which the agents live.
            model: the model that writes programs.
            folder: the folder that contains a folder of skills for each agent.
            timeout_s: wall-clock time limit for an answer of the model; None for no limit.
        """
        self._village = village
        self._model = model
        self._folder = folder
        self._timeout_s = timeout_s
        self._doers: dict[str, _AgentSkills] = {}
        self._programs: dict[str, _Program] = {}
        self.verb = do_verb(self.carry_out)

    async def end(self) -> None:
        for program in self._programs.values():
            program.code.cancel()
        codes = [program.code for program in self._programs.values()]
        await asyncio.gather(*codes, return_exceptions=True)

    async def carry_out(self, task: Task) -> None:
        """Let the model write a program, then run the program; see
        :class:`bots.agents.piano.actions.Verb`.

        Raises:
            BudgetError: the run's budget is exhausted.
            ClosedError: the model is closed.
        """
        name, words = task.agent, task.action.task
        program = self._programs.get(name)
        if program is None or program.words != words:
            if program is not None:
                program.code.cancel()
            self._programs[name] = self._begin(task)
            return
        if not program.code.done():
            return
        try:
            code = program.code.result()
        except (BudgetError, ClosedError):
            raise
        except (AnswerError, ModelError, TimeoutError) as error:
            del self._programs[name]
            task.refuse(f"no program was written: {error or 'it took too long'}")
            return
        report = self._village.run_own(name, words, code, program.own)
        if report is None:
            return
        del self._programs[name]
        doer = self._doer(name)
        if report.ok and program.own.ended_well:
            doer.library.add(Skill(main_function(code), code, words))
            doer.feedback.pop(words, None)
        else:
            doer.feedback[words] = f"```javascript\n{code}```\n\n{report.reason}"
        conclude(task, report)

    def _begin(self, task: Task) -> _Program:
        forecast = task.decision.expects
        items = {} if forecast is None else forecast.items
        wanted = {item: count for item, count in items.items() if count > 0}
        own = ProgramContext(self._doer(task.agent).library.sources(), wanted)
        words = task.action.task
        code = asyncio.create_task(self._write(task.agent, words, wanted))
        return _Program(words, code, own)

    async def _write(self, name: str, words: str, wanted: dict[str, int]) -> str:
        doer, briefing = self._doer(name), Briefing(name, "", "")
        observation = surroundings(await self._village.world.observe(name))
        told = ", ".join(f"{count} more {item}" for item, count in wanted.items())
        context = f"It is done when you hold {told}." if told else ""
        task = Wanted(name=words, context=context, obtain=wanted)
        shown = doer.library.retrieve(words)
        async with asyncio.timeout(self._timeout_s):
            feedback = doer.feedback.get(words, "")
            return await write_program(self._model, briefing, task, observation, shown, feedback)

    def _doer(self, name: str) -> _AgentSkills:
        if name not in self._doers:
            library = SkillLibrary(best_retriever(), self._folder / name / "skills")
            self._doers[name] = _AgentSkills(library)
        return self._doers[name]
