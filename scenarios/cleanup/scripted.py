"""The scripted minds of Cleanup: keepers of a shipped contract; where there is none, a policy.

They go by the typed values that prompts are rendered from, and never by the prompts' words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from typing_extensions import override

from voxpolis.bots.models import Answer, ChatRequest
from voxpolis.experiments.loops.contract.companions import answer_of, keeps_its_part
from voxpolis.experiments.loops.contract.protocol import Situation
from voxpolis.experiments.loops.cooperation.scripted import ActsCompanion
from voxpolis.scenarios.cleanup.texts import CONTRACT_2_TEXT, ROLES
from voxpolis.scenarios.mushrooms import MushroomMinds

#: On the grid: all the time, because nobody signals.
HARVEST = "GATHER 2 red_mushroom_block UNTIL ANYONE"
CLEAN = "GATHER 2 slime_block UNTIL ANYONE"
#: Who starts nearer to the river cleans a little first, for its own harvest's sake.
A_LITTLE = 10
#: Turns are short: nobody knows how long it goes on, and both want to have had theirs.
TURN_SLIME = 8
#: Who plays its part by a promise or the law cleans and harvests in turn.
SHARE = "GATHER 4 slime_block\nGATHER 4 red_mushroom_block\nREPEAT"


@dataclass(frozen=True)
class CleanupMinds(MushroomMinds):
    """Answers what each role is asked; ``river_x`` is the river's near side."""

    folder = Path(__file__).parent / "policies"

    river_x: int
    companions: Mapping[str, ActsCompanion] = field(default_factory=dict)

    @override
    def __call__(self, request: ChatRequest) -> Answer | str:
        """Return the answer of a scripted mind; its modules are asked first."""
        return answer_of(self.companions, request) or super().__call__(request)

    @override
    def policy(self, situation: Situation) -> str:
        """Return the part of the contract in force, else what a player was given."""
        text = situation.contract.text
        if ROLES in text:
            return "contract_1"
        if text == CONTRACT_2_TEXT:
            return "contract_2"
        if not text and keeps_its_part(self.companions, situation):
            return "share"
        return self.policies.get(situation.agent, "greedy")

    @override
    def plans(self, name: str, situation: Situation) -> str:
        """Return the policy in plans."""
        agent = situation.agent
        if name == "contract_1":
            return HARVEST if agent == "Gizmo" else CLEAN
        if name == "contract_2":
            return _turns(agent)
        if name == "clean_only":
            return CLEAN
        if name == "share":
            return SHARE
        nearest = min(
            situation.starts, key=lambda player: self.river_x - situation.starts[player][0]
        )
        first = f"GATHER {A_LITTLE} slime_block\n"
        return (first if name == "greedy" and nearest == agent else "") + HARVEST


def _turns(agent: str) -> str:
    """Return contract 2's program: Gizmo cleans first, and who cleans says when to change."""
    other = "Glitch" if agent == "Gizmo" else "Gizmo"
    clean = [f"GATHER {TURN_SLIME} slime_block", f"SIGNAL {other}"]
    harvest = [f"GATHER 2 red_mushroom_block UNTIL {other}"]
    turns = [*clean, *harvest] if agent == "Gizmo" else [*harvest, *clean]
    return "\n".join([*turns, "REPEAT"])
