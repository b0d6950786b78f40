"""People who gather and make: what can be varied, and how its parts belong together.

Source of the numbers, where nothing else is said: Altera.AL, "Project Sid" (2024), sections 2 and
3.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field, field_validator

from voxpolis.bots.agents.piano import ABLATED, FULL, Agent, Periods, Request, Verb
from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.society.scenario import MINECRAFT, Setup, SocietyScenario, thought
from voxpolis.experiments.loops.society.society import Member, SocietyRun
from voxpolis.experiments.run.agents import names
from voxpolis.experiments.run.options import (
    UsageError,
    agents_option,
    only_in,
    only_under,
    read_from_file,
)
from voxpolis.scenarios.items.measures import Observer, show, summary
from voxpolis.scenarios.items.scripted import GathererParams, Gatherers
from voxpolis.worlds.minecraft.trades.skills import offered_in_nature
from voxpolis.worlds.society import HEARING_BLOCKS, SocietyWorld
from voxpolis.worlds.trades import TradePlan, Trades, TradeWorld, read_trades, settle, verbs

LAND = Path(__file__).parent / "land.yaml"
ALL, UNAWARE, BASELINE, TOGETHER = "full", "no_action_awareness", "baseline", "together"
AWARENESS = "action_awareness"
#: What everybody is told of itself.
TRAITS = "You explore, and you want to gather and make as many different kinds of items as you can."
#: Modules and periods in seconds: nobody can live without looking twice a second here.
MODULES = {**FULL, "reflexes": 0.5, "perception": 0.5, "action_awareness": 0.5}
#: What a camp does not have: there is nobody to exchange with.
NOT_HERE = ("PUT", "TAKE")


class Items(SocietyScenario):
    """The scenario and all that can be varied about it. Times are seconds of the land's own."""

    name: ClassVar[str] = "items"
    runs: ClassVar[int] = 5
    one_run: ClassVar[Mapping[str, Any]] = {"condition": "full", "runs": 1}
    conditions: ClassVar[Mapping[str, str]] = {
        ALL: "each alone, with all modules",
        UNAWARE: "each alone, without action awareness",
        BASELINE: "each alone, with skill execution, memory and the controller",
        TOGETHER: "all in one land, with all modules",
    }
    measures: ClassVar[Sequence[str]] = ("runs.0.items", "runs.0.union")
    world_defaults: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        MINECRAFT: {"agents": 5, "length_s": 600.0}
    }
    quantum_s: ClassVar[float] = 0.5
    position_every_s: ClassVar[float] = 60.0
    has_trades: ClassVar[bool] = True

    agents: int = agents_option(25, 500, "People; together the source has 49.")
    length_s: float = Field(default=1800, gt=0)
    success: float = Field(
        default=0.8,
        gt=0,
        le=1,
        description="On the grid: how often anything comes of an action that could be done; ours.",
        json_schema_extra=only_in("grid"),
    )
    danger: int = Field(
        default=0, ge=0, le=1000, description="Wolves on the grid; in Minecraft zombies for each."
    )
    hearing_blocks: float = Field(
        default=HEARING_BLOCKS,
        gt=0,
        description="Not published; ours. Who is alone hears nobody.",
        json_schema_extra=only_under(TOGETHER),
    )
    thinking_s: float = thought(3.0, "ours")
    modules: Periods = Field(default=MODULES, description="Modules and their periods.")
    ways: GathererParams = GathererParams()
    trades: Trades = Field(
        default=Trades(**read_trades(LAND)),
        description="The land: a file like scenarios/items/land.yaml.",
        json_schema_extra={
            "shown": "scenarios/items/land.yaml (or another FILE of that form)",
            "is_file": True,
        },
    )

    @field_validator("trades", mode="before")
    @classmethod
    def _read(cls, land: Any) -> Any:
        return read_from_file(land, read_trades)

    def _land(self, setup: Setup) -> Trades:
        """Return the land's rules in a world: on the grid actions fail sometimes.

        Raises:
            UsageError: its world cannot have such a land.
        """
        if setup.world == MINECRAFT:
            try:
                return offered_in_nature(self.trades)
            except ValueError as error:
                raise UsageError(str(error)) from error
        actions = {
            name: rule.model_copy(update={"chance": rule.chance * self.success})
            for name, rule in self.trades.actions.items()
        }
        return self.trades.with_actions(actions)

    def village(self, setup: Setup) -> TradePlan:
        """Return where everybody begins, with empty hands: at different places of the land."""
        most = self.agents if setup.condition == TOGETHER else 1
        try:
            plan = settle(
                self._land(setup),
                names(self.agents),
                most,
                seed=setup.seed,
                hearing_blocks=self.hearing_blocks,
            )
        except ValueError as error:
            raise UsageError(str(error)) from error
        if setup.world == MINECRAFT:
            return replace(plan, is_natural=True, danger=self.danger)
        sites = list(self.trades.sites)
        starts = [
            replace(one, start=one.places[sites[k % len(sites)]])
            for k, one in enumerate(plan.residents)
        ]
        return replace(plan, residents=starts)

    def members(self, setup: Setup) -> list[Member]:
        """Return everybody: all with the same traits."""
        places = [] if setup.world == MINECRAFT else list(self.trades.sites)
        return [Member(name, TRAITS, self._modules(setup), places) for name in names(self.agents)]

    def _modules(self, setup: Setup) -> dict[str, float]:
        """Return everybody's modules under a condition."""
        own = dict(self.modules)
        if setup.condition == UNAWARE:
            own.pop(AWARENESS, None)
        if setup.condition == BASELINE:
            own = {name: period for name, period in own.items() if name in ABLATED}
        return own

    def verbs(self, world: SocietyWorld) -> tuple[Verb, ...]:
        """Return what the land lets people do."""
        assert isinstance(world, TradeWorld)
        return tuple(verb for verb in verbs(world) if verb.name not in NOT_HERE)

    def minds(self, setup: Setup) -> Script:
        """Return the scripted gatherers."""
        return Gatherers(names(self.agents), self._land(setup), self.ways, setup.seed)

    def institutions(self, setup: Setup, run: SocietyRun) -> Observer:
        """Return what counts kinds of item, and the wolves."""
        return Observer(run, self.danger, setup.seed)

    def requests(self, agent: Agent) -> list[Request]:
        """Return nothing: nobody is asked anything besides."""
        return []

    summarise = staticmethod(summary)
    print_result = staticmethod(show)
