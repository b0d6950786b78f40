"""Scripted persons' answers to the prompts of the modules of cooperation, from typed values."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from bots.agents.cooperation.exchanges import ReplyRequest, SpeakRequest, WeighRequest
from bots.agents.cooperation.requests import (
    CheckRequest,
    InduceRequest,
    PredictRequest,
    RateRequest,
)
from bots.agents.cooperation.wording import Moment
from bots.agents.turns import Cell
from judge.assembly import ProposalRequest, VoteRequest
from judge.penalties import LAST_APPLE_FINE
from judge.promises import Promise
from judge.reputation import exact_reputation
from worlds.commons.claims import (
    AttacksUnfed,
    DeadTree,
    GrassRule,
    GrowthRule,
    Near,
    SiteGrowth,
    TreeState,
    read_claim,
)
from worlds.commons.sight import Sight
from worlds.commons.trees import near

NONE_NEAR, SOME_NEAR, ONE_NEAR = Near(0, False, 2), Near(1, True, 2), Near(1, False, 2)
#: What is so, and what is not; an observer supposes both at its first search for rules.
TRUE_RULES = (
    GrassRule(NONE_NEAR, stays=False),
    GrassRule(SOME_NEAR, stays=True),
    GrowthRule(NONE_NEAR, grows=False, hours=20),
    GrowthRule(ONE_NEAR, grows=False, hours=20),
    DeadTree(grows=False, hours=5),
)
FALSE_RULES = (
    GrassRule(SOME_NEAR, stays=False),
    GrassRule(NONE_NEAR, stays=True),
    GrowthRule(NONE_NEAR, grows=True, hours=20),
    GrowthRule(ONE_NEAR, grows=True, hours=20),
    DeadTree(grows=True, hours=5),
)
DEATH_RULE = str(TRUE_RULES[-1])
#: The chance an hour that an apple grows, by how many are within two cells (Melting Pot).
GROWTH = (0.0, 0.0025, 0.005, 0.025)
#: For how many hours and of how many places a person predicts growth.
PREDICTED_HOURS, PREDICTED = 20, 3
#: Rounds for which a person promises peace.
PEACE_ROUNDS = 1

Observed = Literal["nothing", "true", "all"]


@dataclass(frozen=True)
class Manners:
    """How a scripted person cooperates.

    Attributes:
        observes: at its first search for rules it supposes nothing, what is so, or as many
            falsehoods besides.
        lies: the part of its answers that are the contrary of what it knows.
        keeps: the part of its promises that it keeps.
        talks: what it says when others hear it: it asks and offers in turn, or one of both, or
            nothing.
        wary: it refuses offers of those whose reputation is below this.
        heeds: how often it thinks of the law before it does what costs more than it brings.
    """

    observes: Observed = "all"
    lies: float = 0.0
    keeps: float = 1.0
    talks: Literal["both", "asks", "offers", "nothing"] = "both"
    wary: float = 3.0
    heeds: float = 0.8


@dataclass
class ScriptedCompanion:
    """One person's modules through a game; what it answers follows from the seed and the round.

    Attributes:
        trees: by number, whether a tree that it knows has apples, as far as it knows.
        kept: by number of a promise of its own, whether it means to keep it.
    """

    name: str
    manners: Manners
    seed: str
    bots: tuple[str, ...] = ()
    trees: dict[int, bool] = field(default_factory=dict)
    kept: dict[int, bool] = field(default_factory=dict)
    _has_thought: bool = False
    _exchanges: int = 0

    def see(self, sight: Sight) -> None:
        """Take in which trees have apples."""
        self.trees |= {tree.tree: True for tree in sight.trees if tree.apples}
        gone = (one.happening for one in sight.changes if one.happening.what == "died")
        self.trees |= {one.tree: False for one in gone}

    def means_to_keep(self, number: int) -> bool:
        """Return whether it means to keep a promise of its own; drawn once for each."""
        if number not in self.kept:
            draws = random.Random(f"{self.seed} promise {number}")
            self.kept[number] = draws.random() < self.manners.keeps
        return self.kept[number]

    def answer(self, request: object) -> str | dict[str, Any]:
        """Return what it answers to a module's question.

        Raises:
            ValueError: no module asks that.
        """
        for kind, answer in _ANSWERS.items():
            if isinstance(request, kind):
                return answer(self, request)
        raise ValueError(f"no module asks {type(request).__name__}")

    # --- Understanding ---------------------------------------------------------------------------

    def _induce(self, request: InduceRequest) -> dict[str, Any]:
        if self._has_thought or self.manners.observes == "nothing":
            return {"Hypotheses": []}
        self._has_thought = True
        rules = [*TRUE_RULES, *map(AttacksUnfed, self.bots)]
        if self.manners.observes == "all":
            rules += FALSE_RULES
        found = [{"text": f"I think: {one}", "kind": "world", "test": str(one)} for one in rules]
        return {"Hypotheses": found}

    def _predict(self, request: PredictRequest) -> dict[str, Any]:
        """Predict growth where it sees grass, with the chance that the apples in sight give."""
        sight = _sight(request.moment)
        apples = [one.cell for one in sight.objects if one.what == "apple"]
        grass = [one.cell for one in sight.objects if one.what == "grass"][:PREDICTED]
        found = [
            {
                "test": str(SiteGrowth(cell, PREDICTED_HOURS)),
                "probability": round(chance(cell, apples), 4),
            }
            for cell in grass
        ]
        return {"Predictions": found}

    def _check(self, request: CheckRequest) -> dict[str, Any]:
        return {"Reasoning": "I cannot tell.", "Verdicts": ["unknown"] * len(request.findings)}

    # --- Communication ---------------------------------------------------------------------------

    def _speak(self, request: SpeakRequest) -> dict[str, Any]:
        """Ask about a tree that it knows of, or promise peace where it has promised none."""
        moment, talks = request.moment, self.manners.talks
        self.see(_sight(moment))
        to = request.hearing[moment.round % len(request.hearing)]
        has_promised = any(pledge.by == self.name for pledge in moment.known.promises)
        is_turn_to_offer = talks == "offers" or (talks == "both" and moment.round % 2 == 0)
        if is_turn_to_offer and not has_promised:
            terms = str(Promise(self.name, moment.round + PEACE_ROUNDS, other=to))
            return {"Act": "OFFER", "To": to, "Message": "Let there be peace.", "Terms": terms}
        if talks in ("asks", "both") and self.trees and not is_turn_to_offer:
            self._exchanges += 1
            trees = sorted(self.trees)
            tree = trees[self._exchanges % len(trees)]
            test = str(TreeState(tree, is_alive=True))
            return {"Act": "ASK", "To": to, "Message": f"Is it so: {test}?", "Test": test}
        return {"Act": "NOTHING"}

    def _reply(self, request: ReplyRequest) -> dict[str, Any]:
        """Accept offers of those of good repute; answer what it knows, or the contrary."""
        moment, words = request.moment, request.words
        self.see(_sight(moment))
        trust = [self._trust_in(moment, request.speaker)] * len(words.claims)
        if words.act == "offer":
            reputation = moment.known.reputation.get(request.speaker, 5.0)
            choice = "REFUSE" if reputation < self.manners.wary else "ACCEPT"
            return {"Trust": trust, "Answer": choice}
        asked = None if words.test == "free" else read_claim(words.test, ())
        if not isinstance(asked, TreeState) or asked.tree not in self.trees:
            return {"Trust": trust, "Answer": "I do not know."}
        draws = random.Random(f"{self.seed} answer {moment.round} {request.speaker}")
        lies = draws.random() < self.manners.lies
        said = str(TreeState(asked.tree, is_alive=self.trees[asked.tree] != lies))
        return {"Trust": trust, "Answer": said, "Claims": [{"text": said, "test": said}]}

    def _weigh(self, request: WeighRequest) -> dict[str, Any]:
        return {"Trust": [self._trust_in(request.moment, request.speaker)] * len(request.claims)}

    def _trust_in(self, moment: Moment, speaker: str) -> float:
        return round(moment.known.trust.get(speaker, 0.5), 4)

    # --- Reputation and law ----------------------------------------------------------------------

    def _rate(self, request: RateRequest) -> dict[str, Any]:
        scores = {name: round(10 * exact_reputation(*own), 4) for name, own in request.kept.items()}
        return {**scores, "Why": "By the promises that each kept."}

    def _propose(self, request: ProposalRequest) -> str:
        return "NONE"

    def _vote(self, request: VoteRequest) -> str:
        """Vote for what raises the fine for last apples, if it would heed it itself."""
        before = request.law.parameters[LAST_APPLE_FINE]
        choices = [
            "yes" if one.sets.get(LAST_APPLE_FINE, before) > before else "no"
            for one in request.amendments
        ]
        return ", ".join(choices)


_ANSWERS: Mapping[type, Callable[[ScriptedCompanion, Any], str | dict[str, Any]]] = {
    InduceRequest: ScriptedCompanion._induce,
    PredictRequest: ScriptedCompanion._predict,
    CheckRequest: ScriptedCompanion._check,
    SpeakRequest: ScriptedCompanion._speak,
    ReplyRequest: ScriptedCompanion._reply,
    WeighRequest: ScriptedCompanion._weigh,
    RateRequest: ScriptedCompanion._rate,
    ProposalRequest: ScriptedCompanion._propose,
    VoteRequest: ScriptedCompanion._vote,
}


def chance(cell: Cell, apples: Sequence[Cell]) -> float:
    """Return how probable it is that an apple grows somewhere, if what is near stays as it is."""
    count = sum(near(cell, apple, 2) for apple in apples)
    return float(1 - (1 - GROWTH[min(count, len(GROWTH) - 1)]) ** PREDICTED_HOURS)


def _sight(moment: Moment) -> Sight:
    assert isinstance(moment.about, Sight)
    return moment.about
