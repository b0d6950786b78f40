"""The curriculum (CL): agents first learn to share a group, then to do well in any group, and
finally to choose a group.

Source: Huang et al., "AdaSociety", section 5.2 and appendix C. RecPPO is used in each of the three
stages. The network is kept from stage to stage; the optimiser starts anew.
"""

from __future__ import annotations

from typing import Any

from voxpolis.grid.core.data import GameError
from voxpolis.grid.learn.games import AssignedGroups, Games
from voxpolis.grid.learn.options import Options
from voxpolis.grid.learn.recppo import RecPPO


class Curriculum(RecPPO):
    """RecPPO in three stages, whose lengths are the fractions ``options.stages`` of all
    agent-steps.

    In stage 1, all agents are in one common group. In stage 2, each agent is in the common group
    with a probability that falls linearly from 1 to 0, and otherwise in a random group. In stage 3,
    groups form as in the game. In stages 1 and 2, groups are assigned at the start of an episode,
    and agents neither choose groups nor bargain.

    Attributes:
        stage: 1, 2 or 3.
    """

    def __init__(self, options: Options, games: Games) -> None:
        """Create network and optimiser, and start the first stage.

        Raises:
            GameError: the game has no stage in which groups form.
            ValueError: the length of a rollout is not a multiple of the sequence length.
        """
        if not games.batch.game.stage_steps:
            raise GameError(f"{options.game} has no stage in which groups form: no curriculum")
        games.give_groups(AssignedGroups(1.0))
        super().__init__(options, games)
        self.stage = 1

    def update(self, part_left: float) -> dict[str, float]:
        """Start the next stage if its time has come, then learn; see
        :meth:`grid.learn.ppo.PPO.update`.
        """
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
        """Return the stage of the training, and the completed fraction of this stage.

        ``part`` is the completed fraction of the whole training.
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
