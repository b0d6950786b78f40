"""The curriculum (CL): first to share a group, then to do well in any, then to choose.

Source: Huang et al., "AdaSociety", section 5.2 and appendix C: RecPPO in each of three stages; what
was learned is carried over, the optimiser is not.
"""

from __future__ import annotations

from typing import Any

from voxpolis.grid.core.data import GameError
from voxpolis.grid.learn.games import Games, GivenGroups
from voxpolis.grid.learn.options import Options
from voxpolis.grid.learn.recppo import RecPPO


class Curriculum(RecPPO):
    """RecPPO in three stages, which get the parts ``options.stages`` of all agent-steps.

    1: all agents are in one group. 2: each is in that group with a chance that falls in a line from
    1 to 0, else in one that is drawn. 3: all is as in the game. In 1 and 2 groups are given at an
    episode's start, and nobody chooses or bargains.

    Attributes:
        stage: 1, 2 or 3.
    """

    def __init__(self, options: Options, games: Games) -> None:
        """Make network and optimiser, and begin the first stage.

        Raises:
            GameError: the game has no stage in which groups form.
            ValueError: a rollout is not made of whole sequences.
        """
        if not games.batch.game.stage_steps:
            raise GameError(f"{options.game} has no stage in which groups form: no curriculum")
        games.give_groups(GivenGroups(1.0))
        super().__init__(options, games)
        self.stage = 1

    def update(self, part_left: float) -> dict[str, float]:
        """Go to the stage that is due, and learn; see :meth:`grid.learn.ppo.PPO.update`."""
        stage, passed = self.due(1 - part_left)
        if stage != self.stage:
            self.stage = stage
            self.renew_optimiser()
        if stage == 3:
            self.games.given = None
        else:
            self.games.given = GivenGroups(1.0 if stage == 1 else 1 - passed)
        return {**super().update(1 - passed), "stage": float(stage)}

    def due(self, part: float) -> tuple[int, float]:
        """Return the stage after a part of all agent-steps, and what part of that has passed."""
        parts = self.options.stages
        total, before = sum(parts), 0.0
        for number, each in enumerate(parts, 1):
            if part * total < before + each or number == len(parts):
                return number, (part * total - before) / each
            before += each
        raise AssertionError("there are three stages")

    def state(self) -> dict[str, Any]:
        return {**super().state(), "stage": self.stage}

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.stage = state["stage"]
