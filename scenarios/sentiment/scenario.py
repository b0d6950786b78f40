"""Talk and chef: what can be varied about them, and how their parts belong together.

Source of the numbers, where nothing else is said: Altera.AL, "Project Sid" (2024), sentiment.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from bots.agents.piano import FULL, Agent, Periods, Request, Verb
from bots.models.scripted import Script
from experiments.society import Member, SocietyRun
from experiments.society_protocol import Setup, SocietySettings
from scenarios.sentiment.measures import ChefObserver, TalkObserver, show, summary
from scenarios.sentiment.questions import ScoreRequest
from scenarios.sentiment.scripted import FeelingParams, People
from worlds.society import HEARING_BLOCKS, SocietyWorld
from worlds.trades import TradePlan, Trades, TradeVillage, read_trades, settle, verbs

#: Experiments, and what is added to the name of one without social awareness.
TALK, CHEF, ABLATED = "talk", "chef", "_ablated"
LISTENER, CHEFS_NAME = "Ada", "Chef"
#: Three moods of each speaker, a third of the talk each. Only Lila's are published; others ours.
PHASES: Mapping[str, tuple[str, str, str]] = {
    "Lila": ("affection", "annoyance", "affection"),
    "Noah": ("neutral", "hostility", "neutral"),
    "Ethan": ("affection", "affection", "affection"),
}
#: The customers' moods; names and attitudes are Project Sid's.
CUSTOMERS: Mapping[str, str] = {
    "Adam": "affection",
    "Bob": "pleasant",
    "Charles": "annoyance",
    "David": "hostility",
}
ATTITUDES: Mapping[str, str] = {
    "affection": "You love the chef",
    "pleasant": "You like the chef",
    "annoyance": "You dislike the chef",
    "hostility": "You hate the chef",
}
CUSTOMER = "You are hungry, and you want food of the chef. {attitude}, and you say so."
CHEF_TRAITS = (
    "You are the chef of this kitchen. You hand your food to the hungry; there is too little."
)
#: Of each kind of food; four people want as much each.
PIECES = 12


class Sentiment(SocietySettings):
    """The scenario and all that can be varied about it. Times are seconds of its own."""

    name: ClassVar[str] = "sentiment"
    conditions: ClassVar[Mapping[str, str]] = {
        TALK: "an agent hears three speakers whose moods change",
        TALK + ABLATED: "the same without social awareness",
        CHEF: "a chef hands food to customers who love, like, dislike and hate the chef",
        CHEF + ABLATED: "the same without social awareness",
    }
    measures: ClassVar[Sequence[str]] = ("conditions.talk.r", "conditions.chef.slope")
    world_defaults: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    quantum_s: ClassVar[float] = 0.5
    position_every_s: ClassVar[float] = 60.0

    length_s: float = Field(default=900, gt=0, description="Of the chef; talk is for talk_s of it.")
    talk_s: float = Field(default=720, gt=0, description="At most length_s; the moods share it.")
    line_s: float = Field(default=20, gt=0, description="Each speaker's lines in a talk.")
    thinking_s: float = Field(default=0.5, ge=0, description="A thought, in simulated time.")
    modules: Periods = Field(default=FULL, description="Modules and their periods.")
    feeling: FeelingParams = FeelingParams()

    @property
    def spoken_s(self) -> float:
        """Return for how long speakers speak: a talk ends with its run."""
        return min(self.talk_s, self.length_s)

    def _names(self, setup: Setup) -> list[str]:
        if setup.condition.startswith(TALK):
            return [LISTENER, *PHASES]
        return [CHEFS_NAME, *CUSTOMERS]

    def village(self, setup: Setup) -> TradePlan:
        """Return the room; the chef holds all the food there is."""
        trades = Trades(**read_trades(Path(__file__).parent / "kitchen.yaml"))
        plan = settle(
            trades, self._names(setup), 10, seed=setup.seed, hearing_blocks=2 * HEARING_BLOCKS
        )
        for resident in plan.residents:
            if resident.name == CHEFS_NAME:
                resident.holds = Counter(dict.fromkeys(trades.hunger.foods, PIECES))
        return plan

    def members(self, setup: Setup) -> list[Member]:
        """Return everybody; speakers of a talk have no minds, their lines are given."""
        own = {**self.modules}
        if setup.condition.endswith(ABLATED):
            own.pop("social_awareness", None)
        told = {LISTENER: "You listen to those around you.", CHEFS_NAME: CHEF_TRAITS}
        told |= {
            name: CUSTOMER.format(attitude=ATTITUDES[mood]) for name, mood in CUSTOMERS.items()
        }
        return [
            Member(
                name,
                told.get(name, ""),
                {} if name in PHASES else own,
                ["kitchen"],
                keeps_profiles=True,
            )
            for name in self._names(setup)
        ]

    def verbs(self, world: SocietyWorld) -> tuple[Verb, ...]:
        """Return what one can do in a kitchen."""
        assert isinstance(world, TradeVillage)
        return verbs(world)

    def script(self, setup: Setup) -> Script:
        """Return the scripted people."""
        is_talk = setup.condition.startswith(TALK)
        moods = {name: "" if is_talk else CUSTOMERS.get(name, "") for name in self._names(setup)}
        chef = None if is_talk else CHEFS_NAME
        return People(moods, chef, list(CUSTOMERS), self.feeling, setup.seed)

    def institutions(self, setup: Setup, run: SocietyRun) -> TalkObserver | ChefObserver:
        """Return what lets speakers speak, and what watches feelings and food."""
        if setup.condition.startswith(TALK):
            return TalkObserver(run, LISTENER, PHASES, self.spoken_s, self.line_s, setup.seed)
        return ChefObserver(run, CHEFS_NAME, list(CUSTOMERS))

    def requests(self, agent: Agent) -> list[Request]:
        """Return what is asked about a recorded run, with words that stand for its own."""
        return [ScoreRequest("(who writes)", "(somebody)", "(what it writes)")]

    summary = staticmethod(summary)
    show = staticmethod(show)
