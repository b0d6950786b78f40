"""The spread of a religion over towns and countryside, from mouth to mouth.

Source: Altera.AL, "Project Sid" (2024), the experiment on culture and religion: 500 agents for
9000 s, six towns of 33 agents each, the others in the country around; 20 priests of the Spaghetti
Monster in one town. Who says "Pastafarian" or "Spaghetti Monster" is a direct convert, who says
"Pasta" or "Spaghetti" an indirect one; levels only rise. How far a voice carries is not published;
ours is 16 blocks.

Run it with ``python -m scenarios.religion --help``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from bots.models import ChatModel
from bots.models.openai_model import TIMEOUT_S
from bots.models.scripted import Script
from bots.persons import Believers
from bots.persons.believer import MEMES
from bots.agents.piano import RealTime, SimulatedTime
from grid.village import Village
from records import RunWriter, SimulatedClock, events
from scenarios.believers_country import (
    MINECRAFT,
    VILLAGE_RADIUS_BLOCKS,
    Country,
    Settings,
    settle,
    traits,
    two_villages,
)
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
from scenarios.spread import SAMPLE_S, Spread
from scenarios.theatre import guarded
from scenarios.usage import UsageError
from scenarios.village_grid import GridHabitat
from scenarios.village_minecraft import MinecraftHabitat
from scenarios.world import open_stage

NAME = "religion"
SOURCE = "Project Sid (Altera.AL 2024), figures 11 and 12"
QUANTUM_S = 1.0


@dataclass(frozen=True)
class Case:
    """One run of the experiment."""

    seed: int
    name: str = "spread"


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
        habitat = GridHabitat(village)
        writer.event(events.WorldBuilt, **habitat.scenery())
        life = Life(
            habitat,
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
            life.homes[name] = country.homes[name]
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
            "memes": last["memes"],
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
