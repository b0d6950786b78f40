"""Voyager as an agent kind: task after task in whatever world takes its programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from voxpolis.bots.agents.protocol import AgentSetup, Review
from voxpolis.bots.agents.voyager.agent import VoyagerAgent
from voxpolis.bots.agents.voyager.progress import Progress
from voxpolis.bots.agents.voyager.retrieval import Retriever, best_retriever
from voxpolis.bots.agents.voyager.skills import SkillLibrary

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
