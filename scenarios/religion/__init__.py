"""How a religion spreads through towns and the countryside by word of mouth.

Source: Altera.AL, "Project Sid" (2024), the experiment on culture and religion. In this experiment,
500 agents live for 9000 s: 33 agents in each of six towns, and the others in the country around
them. One town has 20 priests of the Spaghetti Monster. A person who says "Pastafarian" or
"Spaghetti Monster" is a direct convert. A person who only says "Pasta" or "Spaghetti" is an
indirect convert. A person's level never falls. The paper does not state how far people hear each
other; we use 16 blocks.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from voxpolis.bots.agents.piano.agent import Agent
from voxpolis.bots.agents.piano.mind import Request
from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.society.scenario import (
    HearingBlocks,
    Modules,
    Setup,
    SocietyScenario,
    thought,
)
from voxpolis.experiments.loops.society.society import Member, SocietyRun
from voxpolis.experiments.run.model_choice import ModelChoice
from voxpolis.experiments.run.options import agents_option, only_in
from voxpolis.experiments.run.scenario import Entry, Result
from voxpolis.records.text import many
from voxpolis.scenarios.religion.measures import (
    SAMPLE_S,
    BelievesRequest,
    Spread,
    SummaryRequest,
    TopicsRequest,
    show,
    summary,
)
from voxpolis.scenarios.religion.population import (
    HOLY,
    VILLAGE_RADIUS_BLOCKS,
    Country,
    settle,
    two_villages,
)
from voxpolis.scenarios.religion.scripted import BelieverParams, Believers
from voxpolis.worlds.society import HEARING_BLOCKS, VillagePlan

# Modules and periods in seconds, slow enough for thousands; our choice.
MODULES = {
    "perception": 30.0,
    "social_awareness": 30.0,
    "memory": 300.0,
    "goals": 300.0,
    "controller": 60.0,
    "talking": 30.0,
    "skill_execution": 60.0,
}


class Religion(SocietyScenario):
    """The scenario and its settings. Times are in simulated seconds."""

    name: ClassVar[str] = "religion"
    one_run: ClassVar[Mapping[str, Any]] = {"runs": 1}
    conditions: ClassVar[Mapping[str, str]] = {
        "spread": "people talk to each other; some of the people are priests"
    }
    measures: ClassVar[Sequence[str]] = ("mean.direct", "mean.indirect")
    # In Minecraft: two villages on a platform; our choice.
    world_defaults: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "minecraft": {"agents": 30, "length_s": 900.0}
    }
    quantum_s: ClassVar[float] = 1.0
    position_every_s: ClassVar[float] = SAMPLE_S

    agents: int = agents_option(
        500, 100_000, "Number of people; 30 by default in Minecraft.", least=2
    )
    priests: int = Field(
        default=20,
        ge=0,
        description="Number of priests, who live in "
        f"{HOLY}. If too few people live there, there are fewer priests, and the run says so; "
        "in two villages, at most a quarter of these people are priests.",
    )
    length_s: float = Field(
        default=9000,
        gt=0,
        description="Duration of the run, in seconds; 900 by default in Minecraft.",
    )
    town_radius_blocks: float = Field(
        default=50, gt=0, json_schema_extra=only_in("grid"), description="Radius of a town."
    )
    villages: bool = Field(
        default=False,
        description="Live in two villages, as in Minecraft, instead of six towns and a country.",
        json_schema_extra=only_in("grid"),
    )
    hearing_blocks: HearingBlocks = HEARING_BLOCKS
    mixing: int = Field(
        default=0,
        ge=0,
        le=50,
        description="Number of random people who hear each utterance, wherever they are (perfect "
        "mixing). 0: people nearby hear it.",
        json_schema_extra=only_in("grid"),
    )
    thinking_s: float = thought(0)
    modules: Modules = MODULES
    faith: BelieverParams = BelieverParams()

    def country(self, setup: Setup) -> Country:
        """Return where all people live. In Minecraft, the country consists of two villages on a
        platform.
        """
        if self._is_small(setup):
            return two_villages(self.agents, self.priests, setup.seed)
        return settle(self.agents, self.priests, self.town_radius_blocks, setup.seed)

    def _is_small(self, setup: Setup) -> bool:
        return self.villages or setup.world == "minecraft"

    def village(self, setup: Setup) -> VillagePlan:
        country = self.country(setup)
        is_small = self._is_small(setup)
        return VillagePlan(
            country.residents,
            country.places,
            hearing_blocks=self.hearing_blocks,
            place_radius_blocks=VILLAGE_RADIUS_BLOCKS if is_small else self.town_radius_blocks,
            mixing=self.mixing,
        )

    def members(self, setup: Setup) -> list[Member]:
        country = self.country(setup)
        return [
            Member(name, country.traits(name), self.modules, country.known[name], home)
            for name, home in country.homes.items()
        ]

    def minds(self, setup: Setup) -> Script:
        country = self.country(setup)
        return Believers(country.homes, country.priests, self.faith, setup.seed)

    def institutions(self, setup: Setup, run: SocietyRun) -> Spread:
        return Spread(run, self.country(setup), self.hearing_blocks)

    def requests(self, agent: Agent) -> list[Request]:
        return [
            BelievesRequest("(what somebody said)"),
            SummaryRequest(((0.0, "(a goal)"),)),
            TopicsRequest(("(a person's summary)",)),
        ]

    def note(self) -> str:
        """Return a line if the country has fewer priests than the setting asks for, and otherwise
        an empty text.
        """
        priests = len(self.country(self.cases[0]).priests)
        if priests >= self.priests:
            return ""
        return (
            f"{many(priests, 'priest')} instead of {self.priests}: all priests live in {HOLY}, "
            f"which is too small in a country of {self.agents} people"
        )

    def notes(self, choice: ModelChoice) -> list[str]:
        return [*super().notes(choice), *filter(None, [self.note()])]

    def summarise(self, entries: Sequence[Entry]) -> Result:
        return {**summary(entries), "note": self.note()}

    print_result = staticmethod(show)
