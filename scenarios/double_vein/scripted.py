"""The scripted minds of Double-Vein: keepers of a shipped contract, or of one they negotiated.

They are greedy where there is none, and under one in other words, which they cannot read. They go
by the typed values that prompts are rendered from, and never by the prompts' words.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from voxpolis.bots.agents.code_writer import PolicyRequest
from voxpolis.bots.agents.critic import NO_CRITIC
from voxpolis.bots.agents.planner.plans import program_answer
from voxpolis.bots.models import Answer, ChatRequest
from voxpolis.bots.models.scripted import program
from voxpolis.experiments.loops.contract.companions import NOBODY, answer_of, keeps_its_part
from voxpolis.experiments.loops.contract.protocol import Situation
from voxpolis.experiments.loops.cooperation.scripted import ActsCompanion
from voxpolis.judge.contracts.negotiation import Talk, Turn, TurnAnswer
from voxpolis.judge.contracts.scripted import Bargain
from voxpolis.scenarios.double_vein.texts import CONTRACT_2_TEXT, SPECIALISE

POLICIES = Path(__file__).parent / "policies"
#: How far from the even split the first offers are, and what is near enough to it, in emeralds.
OPENING, NEAR = 6, 1

#: On the grid. The better pickaxe, else the other; iron first, which the other player can dig too.
GREEDY_PLANS = """\
GATHER 1 iron_pickaxe
GATHER 12 raw_iron
GATHER 1 stone_pickaxe
GATHER 12 raw_iron
GATHER 6 diamond"""
CONTRACT_1_PLANS = {
    "Gizmo": "GATHER 1 stone_pickaxe\nGATHER 12 raw_iron",
    "Glitch": "GATHER 1 iron_pickaxe\nGATHER 6 diamond",
}
CONTRACT_2_PLANS = {
    "Gizmo": "GATHER 1 iron_pickaxe\nGATHER 12 raw_iron\nDUMP 1 iron_pickaxe\nSIGNAL Glitch",
    "Glitch": "WAIT FOR Gizmo\nGATHER 1 iron_pickaxe\nGATHER 6 diamond",
}


class DoubleVeinMinds:
    """Answers what each role is asked."""

    def __init__(
        self, even_payment: float | None, companions: Mapping[str, ActsCompanion] = NOBODY
    ) -> None:
        """Get ready.

        Args:
            even_payment: what Gizmo pays Glitch to leave both the same; None: nothing does.
            companions: how each answers for modules of cooperation.
        """
        self._even_payment = even_payment
        self._companions = companions

    def __call__(self, request: ChatRequest) -> Answer | str:
        """Return the answer of a scripted mind."""
        about = request.about
        if isinstance(about, Turn):
            return self._bargain(about)
        if isinstance(about, PolicyRequest):
            assert isinstance(about.briefing.situation, Situation)
            return self._policy(about.briefing.situation, about.format)
        return answer_of(self._companions, request) or NO_CRITIC

    def _policy(self, situation: Situation, policy_format: str) -> Answer | str:
        text = situation.contract.text
        kept = "contract_2" if text == CONTRACT_2_TEXT else ""
        kept = "contract_1" if SPECIALISE in text else kept
        if not text and keeps_its_part(self._companions, situation):
            kept = "contract_1"
        if policy_format == "plans":
            by_agent = {"contract_1": CONTRACT_1_PLANS, "contract_2": CONTRACT_2_PLANS}
            return program_answer(by_agent.get(kept, {}).get(situation.agent, GREEDY_PLANS))
        return program(POLICIES / f"{kept or 'greedy'}.js")

    def _bargain(self, turn: Turn) -> TurnAnswer:
        """Each digs what it values most, and Gizmo pays for the difference."""
        if self._even_payment is None:
            message = "What is worth most to whom leaves nothing that I could offer."
            return TurnAnswer(note=None, message=message, move=Talk())
        why = "Each of us digs what is worth most to us."
        bargain = Bargain(
            "Gizmo", "Glitch", self._even_payment, OPENING, NEAR, roles=SPECIALISE, why=why
        )
        return bargain.answer(turn)
