"""Sentiment: how people come to like or dislike each other through what they hear, and how they
treat those whom they like.

Source: Altera.AL, "Project Sid" (2024), sentiment. There are three experiments. Talk: one agent
hears three speakers whose moods change. Chef: a chef has too little food for four hungry customers,
who love, like, dislike and hate the chef. Society: fifty people with different personalities live
together for four hours, and we measure how well others perceive each person's likeability. All
three experiments are played with and without social awareness.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field

from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.bots.agents.piano.mind import Request
from voxpolis.bots.agents.piano.society import FULL, Periods
from voxpolis.bots.models.scripted import Script
from voxpolis.bots.time import LEAST_S
from voxpolis.experiments.loops.society.scenario import (
    MINECRAFT,
    Institutions,
    Setup,
    SocietyScenario,
    settle_at_market,
    thought,
)
from voxpolis.experiments.loops.society.society import Member, SocietyRun
from voxpolis.experiments.run.options import agents_option, only_in, only_under
from voxpolis.experiments.run.scenario import Case
from voxpolis.scenarios.sentiment.lexicon import LikeabilityRequest, ScoreRequest
from voxpolis.scenarios.sentiment.measures import (
    ChefObserver,
    Opinions,
    TalkObserver,
    show,
    summary,
)
from voxpolis.scenarios.sentiment.scripted import (
    FeelingParams,
    NeighbourParams,
    Neighbours,
    People,
    Personality,
    personalities,
)
from voxpolis.worlds.minecraft.trades.skills import minecraft_rules
from voxpolis.worlds.society import HEARING_BLOCKS
from voxpolis.worlds.trades import NOT_ALL_MADE, TradePlan, Trades, read_trades

# Experiments, and the suffix of the conditions without social awareness.
TALK, CHEF, SOCIETY, ABLATED = "talk", "chef", "society", "_ablated"
# Conditions that use each setting.
OF_TALKS = only_under(TALK, TALK + ABLATED)
OF_ROOMS = only_under(TALK, TALK + ABLATED, CHEF, CHEF + ABLATED)
OF_SOCIETIES = only_under(SOCIETY, SOCIETY + ABLATED)
LISTENER, CHEFS_NAME = "Ada", "Chef"
# Three moods per speaker, each for a third of the talk. Only Lila's are published; the others are
# ours.
PHASES: Mapping[str, tuple[str, str, str]] = {
    "Lila": ("affection", "annoyance", "affection"),
    "Noah": ("neutral", "hostility", "neutral"),
    "Ethan": ("affection", "affection", "affection"),
}
# The customers' moods; names and attitudes are Project Sid's.
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
# Start positions of chef and customers, in blocks from the centre: far enough apart that other
# people do not pick up items handed to one of them. Our choice.
SEATS: Mapping[str, tuple[float, float]] = {
    CHEFS_NAME: (0, 0),
    **dict(zip(CUSTOMERS, ((7, 2), (3, 7), (-3, 7), (-7, 2)), strict=True)),
}
# Number of pieces of each kind of food; four people each want as many.
PIECES = 12
# Module periods in the society, in seconds: long, because its life lasts four hours; our choice.
SLOW_MODULES: Periods = {
    **{"reflexes": 5.0, "perception": 5.0, "memory": 60.0, "action_awareness": 10.0},
    **{"social_awareness": 20.0, "goals": 120.0, "planning": 120.0, "self_reflection": 120.0},
    **{"controller": 5.0, "talking": 60.0, "skill_execution": 5.0},
}
# Prompt text for all people of the society, in addition to their traits.
FREE = "You live in a village, and do as you please."


class Sentiment(SocietyScenario):
    """The scenario and its settings. Times are in simulated seconds."""

    name: ClassVar[str] = "sentiment"
    runs: ClassVar[int] = 6
    one_run: ClassVar[Mapping[str, Any]] = {"condition": "chef", "runs": 1}
    conditions: ClassVar[Mapping[str, str]] = {
        TALK: "an agent hears three speakers whose moods change",
        TALK + ABLATED: "the same without social awareness",
        CHEF: "a chef hands food to customers who love, like, dislike and hate the chef",
        CHEF + ABLATED: "the same without social awareness",
        SOCIETY: "50 people of different personalities live together for four hours",
        SOCIETY + ABLATED: "the same without social awareness",
    }
    promises: ClassVar[Mapping[str, Sequence[str]]] = {
        TALK: ("spoke",),
        TALK + ABLATED: ("spoke",),
        CHEF: ("action_done",),
        CHEF + ABLATED: ("action_done",),
    }
    measures: ClassVar[Sequence[str]] = (
        "conditions.talk.r",
        "conditions.chef.slope",
        "conditions.society.slope",
    )
    world_defaults: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        MINECRAFT: {"agents": 15, "society_s": 600, "society_modules": FULL}
    }
    quantum_s: ClassVar[float] = 0.5
    position_every_s: ClassVar[float] = 60.0
    has_trades: ClassVar[bool] = True

    length_s: float = Field(
        default=900,
        gt=0,
        description="Duration of the experiments chef and talk, in seconds.",
        json_schema_extra=OF_ROOMS,
    )
    talk_s: float = Field(
        default=720,
        gt=0,
        description="Seconds in which the speakers of talk speak, divided equally among their "
        "moods; at most length_s.",
        json_schema_extra=OF_TALKS,
    )
    line_s: float = Field(
        default=20,
        ge=LEAST_S,
        description="Seconds between two lines of a speaker in talk.",
        json_schema_extra=OF_TALKS,
    )
    thinking_s: float = thought(0.5)
    modules: Periods = Field(
        default=FULL,
        description="Modules of each mind in chef and talk, with their periods in seconds.",
        json_schema_extra=OF_ROOMS,
    )
    feeling: FeelingParams = Field(default=FeelingParams(), json_schema_extra=OF_ROOMS)

    agents: int = agents_option(
        50, 500, "Number of people in the society; 15 in Minecraft.", least=3, **OF_SOCIETIES
    )
    society_s: float = Field(
        default=14_400,
        gt=0,
        description="Duration of the experiment society, in seconds (Project Sid); 600 in "
        "Minecraft.",
        json_schema_extra=OF_SOCIETIES,
    )
    society_modules: Periods = Field(
        default=SLOW_MODULES,
        description="Modules of each mind in society, with their periods in seconds. In "
        "Minecraft, those of chef and talk are used.",
        json_schema_extra=OF_SOCIETIES,
    )
    ways: NeighbourParams = Field(default=NeighbourParams(), json_schema_extra=OF_SOCIETIES)
    minecraft_scale: float = Field(
        default=0.4,
        gt=0,
        le=10,
        description="Factor on the distances between sites in Minecraft. Our choice.",
        json_schema_extra=only_in("minecraft"),
    )

    @property
    def spoken_s(self) -> float:
        """The number of seconds for which speakers speak, which is at most the length of the
        run.
        """
        return min(self.talk_s, self.length_s)

    def lasts_s(self, case: Case) -> float:
        return self.society_s if _is_society(case) else self.length_s

    def _told(self, setup: Setup) -> dict[str, str]:
        if _is_society(setup):
            return {one.name: f"{one.traits} {FREE}" for one in self._people(setup)}
        if setup.condition.startswith(TALK):
            return {LISTENER: "You listen to those around you.", **dict.fromkeys(PHASES, "")}
        attitudes = {name: ATTITUDES[mood] for name, mood in CUSTOMERS.items()}
        told = {name: CUSTOMER.format(attitude=attitude) for name, attitude in attitudes.items()}
        return {CHEFS_NAME: CHEF_TRAITS, **told}

    def _people(self, setup: Setup) -> list[Personality]:
        return personalities(self.agents, setup.seed)

    def _trades(self, setup: Setup) -> Trades:
        kitchen = Path(__file__).parent / "kitchen.yaml"
        fields = read_trades() if _is_society(setup) else read_trades(kitchen)
        place = Trades.model_validate(fields, context=NOT_ALL_MADE)
        return minecraft_rules(place, self.minecraft_scale) if setup.world == MINECRAFT else place

    def village(self, setup: Setup) -> TradePlan:
        """Return the room in which the chef has all the food, or the village of the society."""
        names = list(self._told(setup))
        hearing = HEARING_BLOCKS if _is_society(setup) else 2 * HEARING_BLOCKS
        plan = settle_at_market(setup, self._trades, names, len(names), hearing)
        for resident in plan.residents:
            resident.start = SEATS.get(resident.name, resident.start)
            if resident.name == CHEFS_NAME:
                resident.holds = Counter(dict.fromkeys(plan.trades.hunger.foods, PIECES))
        return plan

    def members(self, setup: Setup) -> list[Member]:
        places = list(self._trades(setup).sites)
        own = {**(self.society_modules if _is_society(setup) else self.modules)}
        if setup.condition.endswith(ABLATED):
            own.pop("social_awareness", None)
        return [
            Member(name, told, {} if name in PHASES else own, places, keeps_profiles=True)
            for name, told in self._told(setup).items()
        ]

    def minds(self, setup: Setup) -> Script:
        if _is_society(setup):
            people, village = self._people(setup), self._trades(setup)
            return Neighbours(people, village, self.ways, self.society_s, setup.seed)
        if setup.condition.startswith(TALK):
            moods, chef = dict.fromkeys(self._told(setup), ""), None
        else:
            moods, chef = {CHEFS_NAME: "", **CUSTOMERS}, CHEFS_NAME
        return People(moods, chef, list(CUSTOMERS), self.feeling, setup.seed)

    def institutions(self, setup: Setup, run: SocietyRun) -> Institutions:
        if _is_society(setup):
            return Opinions(run, self._people(setup), self.society_s)
        if setup.condition.startswith(TALK):
            return TalkObserver(run, LISTENER, PHASES, self.spoken_s, self.line_s, setup.seed)
        return ChefObserver(run, CHEFS_NAME, list(CUSTOMERS))

    def requests(self, agent: Agent) -> list[Request]:
        return [
            ScoreRequest("(who writes)", "(somebody)", "(what it writes)"),
            LikeabilityRequest("(somebody)", "(its traits)"),
        ]

    summarise = staticmethod(summary)
    print_result = staticmethod(show)


def _is_society(setup: Case) -> bool:
    return setup.condition.startswith(SOCIETY)
