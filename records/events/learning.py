"""Events of learning: how well a policy does that is being trained."""

from __future__ import annotations

from typing import Literal

from voxpolis.records.events.base import Event


class TrainMetric(Event, origin="experiment", lane=None):
    """What was measured of a policy in training, after so many agent-steps.

    ``values`` by name: ``normalised`` is reward of all agents over the most that can be earned,
    ``group_degree_mean`` and ``_max`` members of groups, ``fairness`` and ``completion EVENT`` as
    in a result; others are parts of the learner's loss. ``stage`` is the curriculum's. With
    ``is_evaluation`` they are of episodes that nothing was learned from.
    """

    kind: Literal["train_metric"] = "train_metric"
    agent_steps: int
    values: dict[str, float]
    is_evaluation: bool = False

    def summary(self) -> str:
        reward = self.values.get("normalised")
        of = "" if reward is None else f": {reward:.3f} of the optimum"
        return f"after {self.agent_steps:,} agent-steps{of}"
