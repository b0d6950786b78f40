"""The scripted minds of Harvest: sparing under a contract that asks for it; else a policy.

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
from scenarios.harvest.texts import SPARE

POLICIES = Path(__file__).parent / "policies"
#: On the grid: take whatever is there, or leave three caps of each mushroom.
PLANS = {
    "greedy": "GATHER 4 red_mushroom_block\nREPEAT",
    "sparing": "GATHER 1 red_mushroom_block KEEPING 3\nWAIT\nWAIT\nREPEAT",
}


@dataclass(frozen=True)
class HarvestMinds:
    """Answers what each role is asked; ``policies`` are the players' without a contract."""

    policies: Mapping[str, str]
    bargain: Bargain

    def __call__(self, request: ChatRequest) -> str:
        """Return the answer of a scripted mind."""
        about = request.about
        if isinstance(about, Turn):
            return self.bargain.answer(about)
        if isinstance(about, PolicyRequest):
            assert isinstance(about.briefing.situation, Situation)
            situation = about.briefing.situation
            is_sparing = SPARE in situation.contract.text
            name = "sparing" if is_sparing else self.policies.get(situation.agent, "greedy")
            if about.format == "plans":
                return plans(PLANS[name])
            return program(POLICIES / "common.js", POLICIES / f"{name}.js")
        return NO_CRITIC
