"""Who plays one agent of a game on the grid, step by step, whoever chooses for it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from voxpolis.bots.agents.planner.belief_map import BeliefMap, Shown
from voxpolis.bots.agents.planner.society import Society
from voxpolis.bots.models import ChatModel
from voxpolis.grid.adasociety.game import Rules
from voxpolis.grid.adasociety.tables import STAY, Names, Tables

Observed = dict[str, npt.NDArray[np.generic]]
Mask = npt.NDArray[np.uint8]


class GridPlayer(ABC):
    """Plays one agent through an episode.

    Attributes:
        name: the agent's.
        know: what it knows of the map.
        asked: how often whoever chooses was asked.
        failed: how often that gave no answer that could be used.
    """

    def __init__(
        self, agent: int, tables: Tables, names: Names, rules: Rules, model: ChatModel
    ) -> None:
        """``model`` leads to whoever chooses."""
        self.name = names.agents[agent]
        self.know = BeliefMap(agent, tables, names)
        self.asked, self.failed = 0, 0
        self._rules = rules
        self._model = model

    async def act(
        self,
        observed: Observed,
        mask: Mask,
        society: Callable[[], Society],
        shown: Sequence[Shown] = (),
    ) -> int:
        """Return the next action.

        Args:
            observed: the agent's own rows of the observation.
            mask: (A,), 1 where an action has an effect now.
            society: returns the social state.
            shown: what others see and share with it in this step.

        Raises:
            ModelError: the model does not answer.
        """
        self.know.see(observed, shown)
        if mask.sum() == mask[STAY]:
            return STAY
        return await self._choose(observed, mask, society)

    @abstractmethod
    async def _choose(self, observed: Observed, mask: Mask, society: Callable[[], Society]) -> int:
        """Return the next action, where there is a choice."""
