"""People gather and craft, with and without being aware of the results of their actions.

Source: Altera.AL, "Project Sid" (2024), individual progress (figures 4, 5 and 13). In the paper, 25
agents are each alone for 30 minutes: with all modules, without action awareness, and with nothing
but skill execution, memory and a controller. In another experiment, 49 agents share one world. The
measure is the number of distinct items that each agent ever held. On the grid, a file describes the
land, with Minecraft's own recipes. In Minecraft, the land is natural terrain.
"""

from __future__ import annotations

from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

from pydantic import Field, field_validator

from voxpolis.bots.agents.piano.actions import Verb
from voxpolis.bots.agents.piano.society import ABLATED, FULL
from voxpolis.bots.models.scripted import Script
from voxpolis.experiments.loops.society.scenario import (
    MINECRAFT,
    Institutions,
    Modules,
    Setup,
    SocietyScenario,
    by_condition,
    condition_table,
    thought,
)
from voxpolis.experiments.loops.society.society import Member, SocietyRun
from voxpolis.experiments.run.agents import names
from voxpolis.experiments.run.options import (
    UsageError,
    agents_option,
    only_in,
    only_under,
    read_from_file,
)
from voxpolis.experiments.run.scenario import Entry, Result
from voxpolis.experiments.run.tables import print_closing_lines, with_ci95
from voxpolis.records import events
from voxpolis.records.console import plain_console, print_whole
from voxpolis.records.measures import mean_and_ci95
from voxpolis.scenarios.items.scripted import GathererParams, Gatherers
from voxpolis.worlds.minecraft.trades.skills import natural_rules
from voxpolis.worlds.society import HEARING_BLOCKS, SocietyWorld
from voxpolis.worlds.trades import Report, TradePlan, Trades, TradeWorld, read_trades, settle, verbs
from voxpolis.worlds.village import Village
from voxpolis.worlds.wolves import WOLF, Wolves

# --- Distinct items ever held, over time, compared with published figures -------------------------

SOURCE = "Project Sid (Altera.AL 2024), figures 4 and 5"
# Sampling interval of inventories, in seconds.
LOOK_S = 1.0
# The technology tree of figure 4, in its order; each step is identified by one item.
TREE = (
    *("wooden_pickaxe", "cobblestone", "stone_pickaxe", "coal", "raw_iron", "furnace"),
    *("iron_ingot", "iron_pickaxe", "raw_gold", "diamond", "emerald"),
)
# Published results of each condition after 30 minutes (49 agents: after four hours).
PUBLISHED: Mapping[str, str] = {
    "full": "17 kinds on average, from fewer than 5 to 30-40; best ones above 70 in longer runs",
    "no_action_awareness": "fewer (no number)",
    "baseline": "fewest (no number)",
    "together": "49 agents: about 320 kinds after 4 h, diamonds at about 30 min",
}


class Observer(Institutions):
    """Keeps track of people's inventories and work."""

    def __init__(self, run: SocietyRun, danger: int, seed: int) -> None:
        assert isinstance(run.world, TradeWorld)
        self._run = run
        self._kinds: dict[str, set[str]] = {name: set() for name in run.agents}
        # When each agent first reached each step of the tree, in seconds.
        self._reached: dict[str, dict[str, float]] = {item: {} for item in TREE}
        self._done = self._failed = self._lost = 0
        self._wolves: Wolves | None = None
        if danger and isinstance(run.world, Village):
            self._wolves = Wolves(run.world, danger, seed, self._take)
        run.world.listeners.append(self._note)

    def works(self) -> list[Coroutine[Any, Any, None]]:
        roaming = [] if self._wolves is None else [self._wolves.roam(self._run.time)]
        return [self._look(), *roaming]

    def outcome(self) -> Entry:
        """Return how many distinct items people ever held.

        ``items`` is the mean over agents, ``kinds`` the number for each agent, and ``union`` the
        number for all agents together. ``tree`` contains, for each step of the tree, the share of
        agents that reached it, the time at which the first agent reached it, and the time by which
        half of all agents had reached it. The result also contains the numbers of successful and
        failed actions.
        """
        counts = {name: len(kinds) for name, kinds in self._kinds.items()}
        half, tree = -(-len(counts) // 2), {}
        for item, times in self._reached.items():
            order = sorted(times.values())
            tree[item] = {
                "share": len(order) / len(counts),
                "first_s": order[0] if order else None,
                "half_s": order[half - 1] if len(order) >= half else None,
            }
        return {
            "agents": len(counts),
            "items": sum(counts.values()) / len(counts),
            "fewest": min(counts.values()),
            "most": max(counts.values()),
            "union": len(set().union(*self._kinds.values())),
            "kinds": counts,
            "tree": tree,
            "actions_done": self._done,
            "actions_failed": self._failed,
            "items_lost": self._lost,
        }

    async def _look(self) -> None:
        while True:
            for name, agent in self._run.agents.items():
                self._saw(name, agent.body.inventory())
            await self._run.time.sleep(LOOK_S, key=-1)

    def _saw(self, name: str, held: Mapping[str, int]) -> None:
        kinds = self._kinds[name]
        for item, count in held.items():
            if count > 0 and item not in kinds:
                kinds.add(item)
                self._run.note(events.ItemObtained, name, item=item, distinct=len(kinds))
                if item in self._reached:
                    self._reached[item][name] = round(self._run.time.now(), 1)

    def _note(self, report: Report) -> None:
        # the product may be used up a moment later
        if report.ok:
            self._done += 1
            self._saw(report.agent, report.gained)
        else:
            self._failed += 1

    def _take(self, name: str, item: str) -> None:
        self._lost += 1
        self._run.note(events.ThingsTaken, name, item=item, by=WOLF)


# --- Results --------------------------------------------------------------------------------------


def summary(entries: Sequence[Entry]) -> Result:
    """Summarise the distinct items of each condition over the runs in which an agent acted.

    The results are means with 95 % confidence intervals, and the smallest and largest number that
    any agent held. ``runs`` is the number of runs.
    """
    return by_condition(
        entries,
        lambda runs: {
            "items": mean_and_ci95([run["items"] for run in runs]),
            "union": mean_and_ci95([run["union"] for run in runs]),
            "fewest": min((run["fewest"] for run in runs), default=None),
            "most": max((run["most"] for run in runs), default=None),
        },
    )


def show(result: Result) -> None:
    """Print the numbers of distinct items next to the published numbers."""

    def cells(_: str, measured: Result) -> list[str]:
        spread = "-" if measured["most"] is None else f"{measured['fewest']} to {measured['most']}"
        return [with_ci95(measured["items"], ".1f"), spread, with_ci95(measured["union"], ".1f")]

    console, title = plain_console(), "distinct items that each agent ever held"
    columns = ("kinds, mean", "fewest to most", "kinds of all")
    print_whole(console, condition_table(result, title, columns, cells, PUBLISHED, SOURCE))
    for run in result["runs"]:
        shares = {item: times["share"] for item, times in run["tree"].items() if times["share"]}
        steps = ", ".join(f"{item} {share:.0%}" for item, share in shares.items()) or "no step"
        lost = f", {run['items_lost']} items lost" if run["items_lost"] else ""
        done = f"{run['actions_done']} actions done, {run['actions_failed']} failed{lost}"
        console.print(f"{run['condition']}, seed {run['seed']}: {done}; {steps}", soft_wrap=True)
    print_closing_lines(console, result, "land, order of kinds and rates are ours")


LAND = Path(__file__).parent / "land.yaml"
UNAWARE, BASELINE, TOGETHER = "no_action_awareness", "baseline", "together"
# Added to the prompts of all people.
TRAITS = "You explore, and you want to gather and make as many different kinds of items as you can."
# Modules with their periods in seconds: because of dangers, agents must look twice a second.
MODULES = {**FULL, "reflexes": 0.5, "perception": 0.5, "action_awareness": 0.5}
# Actions that need another person, which a camp does not have.
UNAVAILABLE_VERBS = ("PUT", "TAKE")


class Items(SocietyScenario):
    """The scenario and its settings. Times are in simulated seconds."""

    name: ClassVar[str] = "items"
    runs: ClassVar[int] = 5
    one_run: ClassVar[Mapping[str, Any]] = {"condition": "full", "runs": 1}
    conditions: ClassVar[Mapping[str, str]] = {
        "full": "each alone, with all modules",
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

    agents: int = agents_option(
        25, 500, "Number of people. The source has 49 people in the condition together."
    )
    length_s: float = Field(default=1800, gt=0, description="Duration of the run, in seconds.")
    success: float = Field(
        default=0.8,
        gt=0,
        le=1,
        description="Probability that a possible action succeeds on the grid. Our choice.",
        json_schema_extra=only_in("grid"),
    )
    danger: int = Field(
        default=0,
        ge=0,
        le=1000,
        description="Number of wolves on the grid, or of zombies per person in Minecraft.",
    )
    hearing_blocks: float = Field(
        default=HEARING_BLOCKS,
        gt=0,
        description="Distance at which people hear each other, in the condition together. Our "
        "choice, because the source does not state it.",
        json_schema_extra=only_under(TOGETHER),
    )
    thinking_s: float = thought(3.0, "our choice")
    modules: Modules = MODULES
    ways: GathererParams = GathererParams()
    trades: Trades = Field(
        default=Trades(**read_trades(LAND)),
        description="File that describes the land.",
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
        if setup.world == MINECRAFT:
            try:
                return natural_rules(self.trades)
            except ValueError as error:
                raise UsageError(str(error)) from error
        actions = {
            name: rule.model_copy(update={"chance": rule.chance * self.success})
            for name, rule in self.trades.actions.items()
        }
        return self.trades.with_actions(actions)

    def village(self, setup: Setup) -> TradePlan:
        """Return the land with its people, who start with empty inventories. Unless the condition
        puts them together, each person lives in a land of its own.
        """
        most = self.agents if setup.condition == TOGETHER else 1
        land, people, hearing = self._land(setup), names(self.agents), self.hearing_blocks
        try:
            plan = settle(land, people, most, seed=setup.seed, hearing_blocks=hearing)
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
        places = [] if setup.world == MINECRAFT else list(self.trades.sites)
        own = dict(self.modules)
        if setup.condition == UNAWARE:
            own.pop("action_awareness", None)
        if setup.condition == BASELINE:
            own = {name: period for name, period in own.items() if name in ABLATED}
        return [Member(name, TRAITS, own, places) for name in names(self.agents)]

    def verbs(self, world: SocietyWorld) -> tuple[Verb, ...]:
        assert isinstance(world, TradeWorld)
        return tuple(verb for verb in verbs(world) if verb.name not in UNAVAILABLE_VERBS)

    def minds(self, setup: Setup) -> Script:
        return Gatherers(names(self.agents), self._land(setup), self.ways, setup.seed)

    def institutions(self, setup: Setup, run: SocietyRun) -> Observer:
        return Observer(run, self.danger, setup.seed)

    summarise = staticmethod(summary)
    print_result = staticmethod(show)
