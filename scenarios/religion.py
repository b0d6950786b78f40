"""The spread of a religion over towns and countryside, from mouth to mouth.

Source: Altera.AL, "Project Sid" (2024), the experiment on culture and religion: 500 agents for
9000 s, six towns of 33 agents each, the others in the country around; 20 priests of the Spaghetti
Monster in one town. Who says "Pastafarian" or "Spaghetti Monster" is a direct convert, who says
"Pasta" or "Spaghetti" an indirect one; levels only rise. How far a voice carries is not published;
ours is 16 blocks.

Run it with ``python -m scenarios.religion --help``.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer
from pydantic import BaseModel, ConfigDict, Field
from rich.console import Console
from rich.table import Table

from bots.models import ChatModel
from bots.models.openai_model import TIMEOUT_S
from bots.models.scripted import Script
from bots.persons import Believers, Faith
from bots.persons.believer import DIRECT, INDIRECT, MEMES
from bots.piano import RealTime, SimulatedTime
from grid.village import Place, Resident, Village, scatter
from records import RunWriter, SimulatedClock, events
from scenarios.command import (
    CONCURRENCY,
    USAGE,
    BaseUrlOption,
    BudgetOption,
    ConcurrencyOption,
    ConfigOption,
    DebugOption,
    JsonOption,
    MindOption,
    ModelOption,
    ModelsOption,
    OutOption,
    PricesOption,
    ReplayOption,
    SettingsOption,
    TimeoutOption,
    configure,
    fail,
    settings_help,
)
from scenarios.minds import MindOptions
from scenarios.society import Life
from scenarios.society_cli import ResumeOption, WorldOption, open_plan, run
from scenarios.theatre import guarded
from scenarios.usage import UsageError
from scenarios.village_grid import GridHabitat
from scenarios.village_minecraft import MinecraftHabitat
from scenarios.world import open_stage

NAME = "religion"
SOURCE = "Project Sid (Altera.AL 2024), figures 11 and 12"
#: The towns' middles, in blocks. Source: Project Sid (Meadowbrook: the middle of its area).
TOWNS: Mapping[str, Place] = {
    "Sunny Glade": (200, -100),
    "Woodhaven": (515, 160),
    "Clearwater": (790, 235),
    "Meadowbrook": (628, 420),
    "Hilltop": (900, 690),
    "Riverbend": (183, 781),
}
HOLY = "Meadowbrook"
COUNTRY = "the country"
#: Country of 500 people: x and z from, to. Larger populations get more of the same beside it.
AREA = ((0.0, -200.0), (1000.0, 1000.0))
PER_COUNTRY, PER_TOWN = 500, 33
#: Modules and periods in seconds, slow enough for thousands; ours.
MODULES = {
    "perception": 30.0,
    "social_awareness": 30.0,
    "memory": 300.0,
    "goals": 300.0,
    "controller": 60.0,
    "talking": 30.0,
    "skill_execution": 60.0,
}
QUANTUM_S = 1.0
#: In Minecraft: two villages on a platform; ours.
VILLAGES_APART, VILLAGE_RADIUS_BLOCKS = 56.0, 12.0
MINECRAFT: Mapping[str, Any] = {"agents": 30, "length_s": 900.0}
#: How often counts and the area of influence are taken.
SAMPLE_S = 300.0
AREA_CELL_BLOCKS = 4.0


class Settings(BaseModel):
    """What can be varied (``--set``, ``--config``). Times are seconds of the country's own."""

    model_config = ConfigDict(extra="forbid")

    agents: int = Field(default=500, ge=2, le=100_000)
    priests: int = Field(default=20, ge=0)
    length_s: float = Field(default=9000, gt=0)
    town_radius_blocks: float = Field(default=50, gt=0)
    hearing_blocks: float = Field(default=16, gt=0, description="Not published; ours.")
    mixing: int = Field(
        default=0, ge=0, le=50, description="Perfect mixing: so many people, anywhere, hear each."
    )
    thinking_s: float = Field(default=0, ge=0, description="A thought, in simulated time.")
    modules: dict[str, float] = Field(default=MODULES, description="Modules and their periods.")
    faith: Faith = Faith()


@dataclass(frozen=True)
class Case:
    """One run of the experiment."""

    seed: int
    name: str = "spread"


# --- Who lives there ------------------------------------------------------------------------------


@dataclass
class Country:
    """Everybody's home, and what everybody knows."""

    residents: list[Resident]
    homes: dict[str, str]
    places: dict[str, Place]
    known: dict[str, list[str]]
    priests: list[str]


def settle(settings: Settings, seed: int) -> Country:
    """Draw the country of a run: towns of 33, the others around, for each 500 people again."""
    chance = random.Random(f"{seed} country")
    country = Country([], {}, {}, {}, [])
    left, tile = settings.agents, 0
    while left > 0:
        _settle_tile(country, chance, settings, min(left, PER_COUNTRY), tile)
        left, tile = left - PER_COUNTRY, tile + 1
    holy = [name for name, town in country.homes.items() if town.startswith(HOLY)]
    country.priests = holy[: settings.priests]
    return country


def _settle_tile(
    country: Country, chance: random.Random, settings: Settings, people: int, tile: int
) -> None:
    (west, north), (east, south) = AREA
    shift = tile * (east - west)
    mark = "" if tile == 0 else f" {tile + 1}"
    towns = {f"{name}{mark}": (x + shift, z) for name, (x, z) in TOWNS.items()}
    country.places.update(towns)
    spots: list[tuple[str, Place]] = []
    per_town = max(1, round(PER_TOWN * people / PER_COUNTRY))
    for town, middle in towns.items():
        spots += [
            (town, at) for at in scatter(chance, middle, settings.town_radius_blocks, per_town)
        ]
    while len(spots) < people:
        at = (chance.uniform(west, east) + shift, chance.uniform(north, south))
        spots.append((COUNTRY, at))
    for town, at in spots[:people]:
        name = f"P{len(country.residents) + 1}"
        country.residents.append(Resident(name, at, {"home": at}))
        country.homes[name] = town
        country.known[name] = ["home", *towns]


def two_villages(settings: Settings, seed: int) -> Country:
    """The country that fits onto a platform in Minecraft: two villages, and some people between."""
    chance = random.Random(f"{seed} villages")
    middles: dict[str, Place] = {HOLY: (-VILLAGES_APART / 2, 0), "Hilltop": (VILLAGES_APART / 2, 0)}
    country = Country([], {}, dict(middles), {}, [])
    for number in range(settings.agents):
        town = [HOLY, "Hilltop", HOLY, "Hilltop", COUNTRY][number % 5]
        middle = middles.get(town, (0.0, 0.0))
        (at,) = scatter(chance, middle, VILLAGE_RADIUS_BLOCKS, 1)
        name = f"P{number + 1}"
        country.residents.append(Resident(name, at, {"home": at}))
        country.homes[name] = town
        country.known[name] = ["home", *middles]
    holy = [name for name, town in country.homes.items() if town == HOLY]
    country.priests = holy[: min(settings.priests, len(holy) // 4)]
    return country


def traits(country: Country, name: str) -> str:
    """What somebody is told of themselves."""
    home = country.homes[name]
    if name in country.priests:
        return (
            f"You live in {home}. You are a Pastafarian priest, and want everybody to come to "
            "believe in the Spaghetti Monster."
        )
    return f"You live in {home}. You like to talk to people about what interests you."


# --- What is measured -----------------------------------------------------------------------------


@dataclass
class Spread:
    """Levels of conversion by what is said, first exposures, and memes; all from the world."""

    life: Life
    country: Country
    hearing_blocks: float
    level: dict[str, int] = field(default_factory=dict)
    first_heard: dict[str, str] = field(default_factory=dict)
    edges: int = 0
    critical: dict[str, str] = field(default_factory=dict)
    counts: list[dict[str, float]] = field(default_factory=list)
    memes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def hear(self, speaker: str, text: str, hearers: list[str]) -> None:
        """Take an utterance into account."""
        said = 2 if DIRECT.search(text) else 1 if INDIRECT.search(text) else 0
        if said == 0:
            return
        if said > self.level.get(speaker, 0):
            self.level[speaker] = said
            place = self.life.habitat.position(speaker)
            self.life.note(events.Converted, speaker, level=said, position=place)
            is_priest = speaker in self.country.priests
            if said == 2 and speaker in self.first_heard and not is_priest:
                self.critical[speaker] = self.first_heard[speaker]
        if said == 2:
            self.edges += len(hearers)
            for hearer in hearers:
                self.first_heard.setdefault(hearer, speaker)

    async def sample(self) -> None:
        """Count converts, and measure their area, every now and then."""
        while True:
            self.take_sample()
            await self.life.time.sleep(SAMPLE_S, key=-1)

    def take_sample(self) -> None:
        """One sample: converts but the priests, and the area where any of them is heard."""
        levels = [lv for name, lv in self.level.items() if name not in self.country.priests]
        self.counts.append(
            {
                "t": round(self.life.time.now(), 1),
                "indirect": levels.count(1),
                "direct": levels.count(2),
                "area_blocks": self.area(),
            }
        )

    def area(self) -> float:
        """The union of the circles in which a direct convert is heard, in square blocks."""
        at = [self.life.habitat.position(name) for name, lv in self.level.items() if lv == 2]
        return union_of_discs([(x, z) for x, _, z in at], self.hearing_blocks)


def union_of_discs(
    middles: Sequence[Place], radius: float, cell: float = AREA_CELL_BLOCKS
) -> float:
    """The area of a union of discs, counted in square cells whose middles are in one."""
    reach = np.arange(-radius - cell, radius + cell, cell)
    dx, dz = np.meshgrid(reach, reach)
    covered: set[tuple[int, int]] = set()
    for x, z in middles:
        cx, cz = np.floor((x + dx) / cell), np.floor((z + dz) / cell)
        inside = ((cx + 0.5) * cell - x) ** 2 + ((cz + 0.5) * cell - z) ** 2 <= radius**2
        covered.update(
            zip(cx[inside].astype(int).tolist(), cz[inside].astype(int).tolist(), strict=True)
        )
    return len(covered) * cell * cell


# --- One run --------------------------------------------------------------------------------------


class Religion:
    """The scenario, as ``scenarios.society_cli`` runs it."""

    name = NAME

    def __init__(self, settings: Settings, in_minecraft: bool) -> None:
        self.settings = settings
        self.in_minecraft = in_minecraft

    def script(self, case: Case) -> Script:
        """The scripted persons of a run."""
        country = self._country(case)
        return Believers(country.homes, country.priests, self.settings.faith, case.seed)

    def population(self, case: Case) -> list[str]:
        """Everybody's names."""
        return list(self._country(case).homes)

    def _country(self, case: Case) -> Country:
        return (two_villages if self.in_minecraft else settle)(self.settings, case.seed)

    async def play_grid(
        self,
        case: Case,
        model: ChatModel,
        writer: RunWriter,
        clock: SimulatedClock,
        limit_s: float | None,
    ) -> dict[str, Any]:
        """One run in the computed country."""
        time, settings = SimulatedTime(clock, outside=limit_s is not None), self.settings
        country = settle(settings, case.seed)
        village = Village(
            country.residents,
            country.places,
            time.now,
            seed=case.seed,
            hearing_blocks=settings.hearing_blocks,
            place_radius=settings.town_radius_blocks,
            mixing=settings.mixing,
        )
        life = Life(
            GridHabitat(village),
            time,
            writer,
            model,
            seed=case.seed,
            thinking_s=settings.thinking_s,
            timeout_s=limit_s,
            position_every_s=SAMPLE_S,
        )
        return await self._play(case, life, country)

    async def play_minecraft(
        self, case: Case, model: ChatModel, writer: RunWriter, state: Any, limit_s: float | None
    ) -> dict[str, Any]:
        """One run on a Minecraft server, in two villages on a platform."""
        settings = self.settings
        country = two_villages(settings, case.seed)
        async with open_stage(state, writer, tuple(country.homes)) as stage, guarded(stage):
            habitat = MinecraftHabitat(
                stage,
                country.residents,
                country.places,
                hearing_blocks=settings.hearing_blocks,
                work_s=1.0,
                place_radius=VILLAGE_RADIUS_BLOCKS,
            )
            await habitat.build()
            life = Life(
                habitat,
                RealTime(writer.clock),
                writer,
                model,
                seed=case.seed,
                thinking_s=0.0,
                timeout_s=limit_s,
                position_every_s=None,
            )
            try:
                return await self._play(case, life, country, habitat.watch())
            finally:
                await habitat.end()

    async def _play(self, case: Case, life: Life, country: Country, *others: Any) -> dict[str, Any]:
        settings = self.settings
        for name in country.homes:
            life.admit(
                name,
                traits(country, name),
                settings.modules,
                country.known[name],
                quantum=QUANTUM_S,
            )
        spread = Spread(life, country, settings.hearing_blocks)
        life.listeners.append(spread.hear)
        await life.last(settings.length_s, spread.sample(), *others)
        if spread.counts[-1]["t"] < life.time.now():
            spread.take_sample()
        return self._outcome(case, life, country, spread)

    def _outcome(self, case: Case, life: Life, country: Country, spread: Spread) -> dict[str, Any]:
        last = spread.counts[-1]
        memes: dict[str, Counter[str]] = defaultdict(Counter)
        for name, agent in life.agents.items():
            found = [meme for meme in MEMES if meme in agent.goal]
            memes[country.homes[name]].update(found)
        return {
            "condition": case.name,
            "seed": case.seed,
            "agents": len(country.homes),
            "priests": len(country.priests),
            "direct": last["direct"],
            "indirect": last["indirect"],
            "area_blocks": last["area_blocks"],
            "exposures": spread.edges,
            "critical_edges": len(spread.critical),
            "over_time": spread.counts,
            "memes": {town: dict(count) for town, count in sorted(memes.items())},
            "faults": life.faults(),
        }

    def summary(self, runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Converts at the end, on average."""
        count = len(runs)
        return {
            "mean": {
                name: sum(run[name] for run in runs) / count for name in ("direct", "indirect")
            }
        }

    def show(self, result: Mapping[str, Any]) -> None:
        """Print the conversion over time, and memes by town."""
        console = Console(highlight=False)
        for run_ in result["runs"]:
            table = Table(title=f"seed {run_['seed']}, {run_['agents']} agents, {result['mind']}")
            for column in ("t, s", "direct converts", "indirect", "area, blocks²"):
                table.add_column(column, justify="right")
            step = max(1, len(run_["over_time"]) // 10)
            for row in [*run_["over_time"][:-1:step], run_["over_time"][-1]]:
                cells = (row["t"], row["direct"], row["indirect"], row["area_blocks"])
                table.add_row(*(f"{cell:g}" for cell in cells))
            console.print(table)
            memes = Table(title="what people's goals are about, by town")
            for column in ("town", *MEMES):
                memes.add_column(column, justify="left" if column == "town" else "right")
            for town, count in list(run_["memes"].items())[:8]:
                memes.add_row(town, *(str(count.get(meme, 0)) for meme in MEMES))
            console.print(memes)
            told = f"{run_['exposures']} exposures, {run_['critical_edges']} of them critical"
            console.print(f"converts do not count the {run_['priests']} priests; {told}")
        console.print(f"published: both counts still rise at the end ({SOURCE})")
        console.print(f"mind: {result['mind']}")
        console.print(f"record: {result['run_dir']}", soft_wrap=True)


# --- The command ----------------------------------------------------------------------------------

app = typer.Typer(pretty_exceptions_enable=False, add_completion=False, rich_markup_mode=None)


@app.command(epilog=settings_help(Settings()))
def main(
    agents: Annotated[int | None, typer.Option(min=2, help="People (500; Minecraft: 30).")] = None,
    repeats: Annotated[int, typer.Option(min=1, help="Runs, with seeds of their own.")] = 1,
    world: WorldOption = "grid",
    seed: Annotated[int, typer.Option(help="Seed of the first run.")] = 0,
    mind: MindOption = None,
    settings: SettingsOption = None,
    config: ConfigOption = None,
    resume: ResumeOption = None,
    model: ModelOption = None,
    models: ModelsOption = None,
    base_url: BaseUrlOption = None,
    request_timeout: TimeoutOption = TIMEOUT_S,
    concurrency: ConcurrencyOption = CONCURRENCY,
    budget: BudgetOption = None,
    prices: PricesOption = None,
    replay: ReplayOption = None,
    as_json: JsonOption = False,
    out: OutOption = Path("runs"),
    debug: DebugOption = False,
) -> None:
    r"""Let a religion and other ideas spread among people who talk.

    \b
    Examples:
      python -m scenarios.religion
      python -m scenarios.religion --agents 2000 --set length_s=3600
      python -m scenarios.religion --set faith.speaking=0
      python -m scenarios.religion --set mixing=4
    """
    options = MindOptions(
        mind, model, models, base_url, request_timeout, concurrency, budget, prices, replay
    )

    def make(manifest: Mapping[str, Any] | None) -> tuple[Religion, list[Case]]:
        if manifest is not None:
            cases = [Case(**case) for case in manifest["cases"]]
            return Religion(Settings.model_validate(manifest["config"]), False), cases
        kind = partial(Settings, **MINECRAFT) if world == "minecraft" else Settings
        found = configure(kind, config, settings or [], {"agents": agents})
        return Religion(found, world == "minecraft"), [Case(seed + k) for k in range(repeats)]

    try:
        plan = open_plan(make, NAME, world, options, out, resume)
    except UsageError as error:
        raise fail(str(error), USAGE, debug) from error
    raise run(plan, as_json=as_json, debug=debug)


if __name__ == "__main__":
    app()
