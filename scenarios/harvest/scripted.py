"""The scripted minds of Harvest: sparing under a contract that asks for it; else a policy.

They go by the typed values that prompts are rendered from, and never by the prompts' words.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from typing_extensions import override

from voxpolis.experiments.loops.contract.protocol import Situation
from voxpolis.scenarios.harvest.texts import SPARE
from voxpolis.scenarios.mushrooms import MushroomMinds

#: On the grid: take whatever is there, or leave three caps of each mushroom.
PLANS = {
    "greedy": "GATHER 4 red_mushroom_block\nREPEAT",
    "sparing": "GATHER 1 red_mushroom_block KEEPING 3\nWAIT\nWAIT\nREPEAT",
}


@dataclass(frozen=True)
class HarvestMinds(MushroomMinds):
    """Answers what each role is asked."""

    folder = Path(__file__).parent / "policies"

    @override
    def policy(self, situation: Situation) -> str:
        """Return sparing where the contract asks for it, else what a player was given."""
        if SPARE in situation.contract.text:
            return "sparing"
        return self.policies.get(situation.agent, "greedy")

    @override
    def plans(self, name: str, situation: Situation) -> str:
        """Return the policy in plans."""
        return PLANS[name]
