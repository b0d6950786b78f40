"""The lives that agents lead in a curriculum, by their kinds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol

from voxpolis.bots.agents.code_writer import CodeWriter
from voxpolis.bots.agents.protocol import NOT_RUN, AgentSetup, Review
from voxpolis.bots.agents.voyager.player import VoyagerPlayer
from voxpolis.bots.agents.voyager.progress import Progress
from voxpolis.bots.agents.voyager.retrieval import Retriever
from voxpolis.experiments.loops.outcome_text import counts
from voxpolis.records import events


class Life(Protocol):
    """One agent's life in a curriculum."""

    @property
    def progress(self) -> Progress:
        """How far it has come."""

    @property
    def skills(self) -> Sequence[str]:
        """The names of the skills that it has."""

    def see(self, inventory: Mapping[str, int]) -> None:
        """Note the kinds of item that are held for the first time."""

    async def live(self) -> None:
        """Live until nothing is left to do, or until cancelled.

        Raises:
            ModelError: the model does not answer.
        """


def make_life(
    kind: str, setup: AgentSetup, retriever: Retriever, iterations: int, starters: Path | None
) -> Life:
    """Return the life of an agent of a kind; see :class:`VoyagerPlayer` for the arguments.

    Raises:
        SkillError: a skill cannot be read.
        ValueError: its progress cannot be read.
    """
    if kind == "code_writer":
        return PolicyLife(setup, iterations)
    return VoyagerPlayer(setup, retriever, iterations, starters)


class PolicyLife:
    """A code writer's: one program for everything, written anew while it fails."""

    skills: Sequence[str] = ()

    def __init__(self, setup: AgentSetup, iterations: int) -> None:
        """Begin, or go on from the progress in ``setup.folder``.

        Raises:
            ValueError: the progress cannot be read.
        """
        self._setup = setup
        self._iterations = iterations
        self._file = Path(setup.folder) / "progress.json"
        self.progress = Progress.load(self._file)
        self._writer = CodeWriter(setup)

    def see(self, inventory: Mapping[str, int]) -> None:
        """Note the kinds of item that are held for the first time."""
        distinct, iteration = len(self.progress.items), self.progress.iterations
        for item in self.progress.first_held(inventory):
            distinct += 1
            fields = {"item": item, "iteration": iteration, "distinct": distinct}
            self._setup.note(events.ItemObtained, **fields)

    async def live(self) -> None:
        """Write and run a program until one ends well; see ``Life``."""
        body, note = self._setup.body, self._setup.note
        while self.progress.iterations < self._iterations:
            self.progress.iterations += 1
            self.progress.save(self._file)
            problem = await self._writer.prepare(await body.observe())
            if problem:
                note(events.Log, text=f"no program was written: {problem}")
            await self._writer.live()
            held = await body.inventory()
            self.see(held)
            outcome = f"{self._setup.briefing.agent} now holds: {counts(held)}."
            lesson = await self._writer.review(Review(outcome, (), body.last or NOT_RUN))
            assert lesson is not None  # it is remembered
            if not lesson.unwritten:
                note(events.Critique, success=lesson.success, text=lesson.critique)
            if not lesson.again:
                return
