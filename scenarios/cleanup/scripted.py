"""The scripted minds of Cleanup: keepers of a shipped contract; where there is none, a policy.

They go by the typed values that prompts are rendered from, and never by the prompts' words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bots.agents.code_writer import PolicyRequest
from bots.models import ChatRequest
from experiments.contract_protocol import Situation
from experiments.scripted_answers import NO_CRITIC, plans, program
from judge.negotiation import Turn
from judge.scripted_bargaining import Bargain
from scenarios.cleanup.texts import CONTRACT_2_TEXT, ROLES

POLICIES = Path(__file__).parent / "policies"

#: On the grid: all the time, because nobody signals.
HARVEST = "GATHER 2 red_mushroom_block UNTIL ANYONE"
CLEAN = "GATHER 2 slime_block UNTIL ANYONE"
#: Who starts nearer to the river cleans a little first, for its own harvest's sake.
A_LITTLE = 10
#: Turns are short: nobody knows how long it goes on, and both want to have had theirs.
TURN_SLIME = 8


@dataclass(frozen=True)
class CleanupMinds:
    """Answers what each role is asked.

    ``policies`` are the players' where no contract is kept; ``river_x`` is the river's near side.
    """

    policies: Mapping[str, str]
    bargain: Bargain
    river_x: int

    def __call__(self, request: ChatRequest) -> str:
        """Return the answer of a scripted mind."""
        about = request.about
        if isinstance(about, Turn):
            return self.bargain.answer(about)
        if isinstance(about, PolicyRequest):
            assert isinstance(about.briefing.situation, Situation)
            situation = about.briefing.situation
            name = self._policy(situation)
            if about.format == "plans":
                return plans(self._plans(name, situation))
            return program(POLICIES / "common.js", POLICIES / f"{name}.js")
        return NO_CRITIC

    def _policy(self, situation: Situation) -> str:
        text = situation.contract.text
        if ROLES in text:
            return "contract_1"
        if text == CONTRACT_2_TEXT:
            return "contract_2"
        return self.policies.get(situation.agent, "greedy")

    def _plans(self, name: str, situation: Situation) -> str:
        agent = situation.agent
        if name == "contract_1":
            return HARVEST if agent == "Gizmo" else CLEAN
        if name == "contract_2":
            return _turns(agent)
        if name == "clean_only":
            return CLEAN
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
