"""Events of learning: how well a policy does during training."""

from __future__ import annotations

from typing import Literal

from voxpolis.records.events.base import Event


class TrainMetric(Event, origin="experiment", lane=None):
    """Measurements of a policy during training.

    Attributes:
        agent_steps: the number of steps of all agents so far.
        values: a dictionary from the name of each measurement to its value. ``normalised`` is the
            total reward divided by the maximum total reward. ``group_degree_mean`` and
            ``group_degree_max`` are numbers of group members. ``fairness`` and ``completion EVENT``
            (for each event) are defined as in a result, and ``stage`` is the stage of the
            curriculum. All others are terms of the learner's loss.
        is_evaluation: whether the values are from episodes that are not used for learning.
    """

    kind: Literal["train_metric"] = "train_metric"
    agent_steps: int
    values: dict[str, float]
    is_evaluation: bool = False

    def summary(self) -> str:
        reward = self.values.get("normalised")
        of = "" if reward is None else f": {reward:.3f} of the optimum"
        return f"after {self.agent_steps:,} agent-steps{of}"
