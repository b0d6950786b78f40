"""Curriculum (CL): learn to share a group, then to do well in any group, then to choose a group.

Source: Huang et al., "AdaSociety", section 5.2 and appendix C: RecPPO in each of three stages; the
network is carried over, the optimiser is not.
"""

from __future__ import annotations

from typing import Any

from voxpolis.grid.core.data import GameError
from voxpolis.grid.learn.games import AssignedGroups, Games
from voxpolis.grid.learn.options import Options
from voxpolis.grid.learn.recppo import RecPPO


class Curriculum(RecPPO):
    """RecPPO in three stages, which get the fractions ``options.stages`` of all agent-steps.

    Stage 1: all agents are in one group. Stage 2: with a probability that falls linearly from 1 to
    0, each agent is in that group, otherwise in a random group. Stage 3: groups form as in the
    game. In stages 1 and 2, groups are assigned at an episode's start, and agents neither choose
    nor bargain.

    Attributes:
        stage: 1, 2 or 3.
    """

    def __init__(self, options: Options, games: Games) -> None:
        """Create network and optimiser, and start the first stage.

        Raises:
            GameError: the game has no stage in which groups form.
            ValueError: the rollout is not a multiple of the sequence length.
        """
        if not games.batch.game.stage_steps:
            raise GameError(f"{options.game} has no stage in which groups form: no curriculum")
        games.give_groups(AssignedGroups(1.0))
        super().__init__(options, games)
        self.stage = 1

    def update(self, part_left: float) -> dict[str, float]:
        """Move to the next stage if it is due, and learn; see :meth:`grid.learn.ppo.PPO.update`."""
        stage, passed = self.due(1 - part_left)
        if stage != self.stage:
            self.stage = stage
            self.renew_optimiser()
        if stage == 3:
            self.games.given = None
        else:
            self.games.given = AssignedGroups(1.0 if stage == 1 else 1 - passed)
        return {**super().update(1 - passed), "stage": float(stage)}

    def due(self, part: float) -> tuple[int, float]:
        """Return the stage after a fraction of all agent-steps, and the fraction of the stage that
        has elapsed.
        """
        parts = self.options.stages
        total, before = sum(parts), 0.0
        for number, each in enumerate(parts, 1):
            if part * total < before + each or number == len(parts):
                return number, (part * total - before) / each
            before += each
        raise AssertionError("the curriculum has three stages")

    def state(self) -> dict[str, Any]:
        return {**super().state(), "stage": self.stage}

    def restore(self, state: dict[str, Any]) -> None:
        super().restore(state)
        self.stage = state["stage"]
