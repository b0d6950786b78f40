"""Coherence: what can be varied about it, and how its parts belong together.

Source: Altera.AL, "Project Sid" (2024), coherence, which has no numbers; all numbers are ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from pydantic import Field

from voxpolis.bots.agents.piano import DIGEST_CHARACTERS, FULL, Agent, Periods, Request, Verb
from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.society.scenario import (
    MINECRAFT,
    Setup,
    SocietyScenario,
    settled,
    thought,
)
from voxpolis.experiments.loops.society.society import Member, SocietyRun
from voxpolis.experiments.run.options import agents_option, only_under
from voxpolis.scenarios.coherence.measures import Watcher, show, summary
from voxpolis.scenarios.coherence.questions import DeniedRequest, KeptRequest
from voxpolis.scenarios.coherence.scripted import TalkerParams, Talkers
from voxpolis.worlds.minecraft.trades.skills import offered
from voxpolis.worlds.society import HEARING_BLOCKS, SocietyWorld
from voxpolis.worlds.trades import TradePlan, Trades, TradeWorld, read_trades, verbs

FULL_CONDITION, RUMOUR = "full", "rumour"
#: So many times as long as else a slow controller waits; and a digest without a bottleneck.
SLOWER, UNBOUNDED_CHARACTERS = 10, 20_000
NAMES = ("Ada", "Ben", "Cora", "Dan", "Eva", "Finn", "Gus", "Hana", "Ivo", "Jana", "Kai", "Lena")
TRAITS = (
    "You live in a village with others. You say what you are doing, and you share what you have."
)


class Coherence(SocietyScenario):
    """The scenario and all that can be varied about it. Times are seconds of the village's own."""

    name: ClassVar[str] = "coherence"
    runs: ClassVar[int] = 4
    one_run: ClassVar[Mapping[str, Any]] = {"condition": "full", "runs": 1}
    conditions: ClassVar[Mapping[str, str]] = {
        FULL_CONDITION: "all modules; the controller's decision conditions speech",
        "no_broadcast": "speech is not told what was decided",
        "slow_controller": f"the controller decides {SLOWER} times as seldom",
        "no_bottleneck": f"minds are told up to {UNBOUNDED_CHARACTERS} characters",
        RUMOUR: "a false statement is put into one memory",
        f"{RUMOUR}_unaware": "the same without action awareness",
    }
    measures: ClassVar[Sequence[str]] = ("runs.0.words_and_deeds.announced.kept",)
    world_defaults: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        MINECRAFT: {"agents": 6, "scale": 0.4}
    }
    quantum_s: ClassVar[float] = 0.5
    position_every_s: ClassVar[float] = 30.0
    has_trades: ClassVar[bool] = True

    agents: int = agents_option(10, 200, "People of the village; in Minecraft 6.", least=2)
    length_s: float = Field(default=1200, gt=0)
    rumour_s: float = Field(
        default=120,
        ge=0,
        description="When the rumour begins.",
        json_schema_extra=only_under(RUMOUR, f"{RUMOUR}_unaware"),
    )
    hearing_blocks: float = Field(default=HEARING_BLOCKS, gt=0, description="Not published; ours.")
    thinking_s: float = thought(0.5)
    modules: Periods = Field(default=FULL, description="Modules and their periods.")
    ways: TalkerParams = TalkerParams()
    scale: float = Field(
        default=0.3,
        gt=0,
        le=10,
        description="All sites are so much nearer (in Minecraft 0.4), so that people meet; ours.",
    )

    def _names(self) -> list[str]:
        rounds = range(-(-self.agents // len(NAMES)))
        every = [name if not k else f"{name}{k + 1}" for k in rounds for name in NAMES]
        return every[: self.agents]

    def _trades(self, setup: Setup) -> Trades:
        village = Trades(**read_trades())
        if setup.world == MINECRAFT:
            return offered(village, self.scale)
        return village.model_copy(update={"scale": village.scale * self.scale})

    def village(self, setup: Setup) -> TradePlan:
        """Return where everybody begins: around the market, with empty hands.

        Raises:
            UsageError: its world cannot have such a village.
        """
        names = self._names()
        return settled(setup, self._trades, names, len(names), self.hearing_blocks)

    def members(self, setup: Setup) -> list[Member]:
        """Return everybody: alike in all, with what the condition takes away."""
        own = dict(self.modules)
        if setup.condition == f"{RUMOUR}_unaware":
            own.pop("action_awareness", None)
        if setup.condition == "slow_controller" and "controller" in own:
            own["controller"] *= SLOWER
        is_open = setup.condition == "no_bottleneck"
        places = list(self._trades(setup).sites)
        return [
            Member(
                name,
                TRAITS,
                own,
                places,
                broadcast=setup.condition != "no_broadcast",
                digest_characters=UNBOUNDED_CHARACTERS if is_open else DIGEST_CHARACTERS,
                keeps_profiles=True,
            )
            for name in self._names()
        ]

    def verbs(self, world: SocietyWorld) -> tuple[Verb, ...]:
        """Return what the village's trades let people do."""
        assert isinstance(world, TradeWorld)
        return verbs(world)

    def minds(self, setup: Setup) -> Script:
        """Return the scripted talkers."""
        return Talkers(self._names(), self._trades(setup), self.ways, setup.seed)

    def institutions(self, setup: Setup, run: SocietyRun) -> Watcher:
        """Return what spreads a rumour, where there is one, and what watches."""
        is_rumour = setup.condition.startswith(RUMOUR)
        return Watcher(run, self._names()[0] if is_rumour else "", self.rumour_s)

    def requests(self, _agent: Agent) -> list[Request]:
        """Return what is asked about a recorded run, with words that stand for its own."""
        return [
            KeptRequest("(what it said)", "(what it did)", ("(what it did next)",)),
            DeniedRequest("(what it said)", (("(a thing)", 1),), ("(what it did)",)),
        ]

    summarise = staticmethod(summary)
    print_result = staticmethod(show)
