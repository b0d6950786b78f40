"""A taxed village that votes on its constitution.

Source: Altera.AL, "Project Sid" (2024), the experiment on collective rules: 25 constituents with
jobs, three influencers who are all for a higher or all for a lower tax, and an election manager far
away. Every 120 s a bell rings, and who holds something has 20 s to carry a share of it to the
community chest. At half time the village has said what it thinks, amendments were made of that,
voted on, and became law.

Run it with ``python -m scenarios.taxation --help``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any, Protocol

import typer
from rich.console import Console
from rich.table import Table

from bots.models import ChatModel
from bots.models.openai_model import TIMEOUT_S
from bots.models.scripted import Script
from bots.persons import Villagers
from bots.agents.piano import ABLATED, Agent, RealTime, SimulatedTime
from grid.village import Village
from judge import mean_and_ci95
from judge.constitution import Constitution, enact
from judge.referendum import hear, propose, vote
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
from scenarios.tax_village import (
    MANAGER,
    Case,
    Settings,
    constituents,
    influencers,
    places,
    residents,
    traits,
)
from scenarios.theatre import guarded
from scenarios.usage import UsageError
from scenarios.village_grid import GridHabitat
from scenarios.village_minecraft import MinecraftHabitat
from scenarios.world import open_stage

NAME = "taxation"
SOURCE = "Project Sid (Altera.AL 2024), figure 10"
#: Share paid, in per cent, before and after the change. Source: Project Sid, figure 10.
PUBLISHED: Mapping[str, str] = {
    "full-anti": "about 20 before, about 9 after",
    "full-pro": "about 20 before, rises after",
    "frozen-anti": "stays at about 20",
    "frozen-pro": "stays at about 20",
    "ablated-anti": "does not follow its influencers",
    "ablated-pro": "does not follow its influencers",
}
CONDITIONS = ("full", "frozen", "ablated")
STANCES = ("anti", "pro", "none")
#: Modules begin at multiples of this, so that computed time passes in larger steps.
QUANTUM_S = 0.25


class Holdings(Protocol):
    """The world's own account of who holds what."""

    async def account(self, names: Sequence[str]) -> tuple[dict[str, Counter[str]], Counter[str]]:
        """What people hold by name, and what the community chest holds, at one moment."""

    def close_workplaces(self, closed: bool) -> None:
        """Let nothing be made while a season lasts, so that what is missing was paid."""


# --- The institution ------------------------------------------------------------------------------


def first_constitution(settings: Settings) -> Constitution:
    """The law at the beginning."""
    articles = (
        "Each season everybody carries the share tax_rate of what they hold to the community "
        "chest.",
        "What is in the chest belongs to all.",
        "The village can change this by a vote.",
    )
    return Constitution(articles, {"tax_rate": settings.tax_rate})


class Institution:
    """Seasons, the vote and the law, on the experiment's timeline."""

    def __init__(self, settings: Settings, case: Case, life: Life, holdings: Holdings) -> None:
        self._settings = settings
        self._case = case
        self._life = life
        self._holdings = holdings
        self._voters = constituents(settings)
        self._voices = list(influencers(settings, case.stance))
        self.law = first_constitution(settings)
        self.shares: list[dict[str, float]] = []

    async def proclaim(self) -> None:
        """Tell everybody the law that holds."""
        law = self.law
        parameters = dict(law.parameters)
        self._life.note(
            events.LawChanged, version=law.version, text=str(law), parameters=parameters
        )
        told = ", ".join(f"{name} = {value:g}" for name, value in parameters.items())
        for agent in self._life.agents.values():
            agent.beliefs["Constitution"] = told

    async def hold_seasons(self) -> None:
        """Ring the bell every season, and see who pays."""
        for number, at in enumerate(self._settings.seasons, start=1):
            await self._until(at)
            await self._season(number)

    async def _season(self, number: int) -> None:
        settings, life, rate = self._settings, self._life, self.law.parameters["tax_rate"]
        self._holdings.close_workplaces(True)
        held, before = await self._holdings.account(self._voters)
        life.note(events.SeasonOpened, season=number, tax_rate=rate, window_s=settings.window_s)
        bell = (
            f"The bell rings: tax season {number}. The law asks for {rate * 100:g} % of what you "
            f"hold. Carry it to the community chest within {settings.window_s:g} s."
        )
        life.tell_all(self._voters, bell, urgent=True)
        await life.time.sleep(settings.window_s, key=-1)
        left, after = await self._holdings.account(self._voters)
        paid = {name: held[name] - left[name] for name in self._voters}
        self.shares.append({name: self._note_paid(name, number, held, paid) for name in paid})
        if sum(paid.values(), Counter()) != after - before:
            message = f"season {number}: the chest holds other things than inventories lack"
            life.note(events.Fault, where="world", message=message)
        self._holdings.close_workplaces(False)

    def _note_paid(
        self,
        name: str,
        season: int,
        held: Mapping[str, Counter[str]],
        paid: Mapping[str, Counter[str]],
    ) -> float:
        had, gave = held[name].total(), paid[name].total()
        share = round(gave / had, 6) if had else 0.0
        self._life.note(
            events.TaxPaid,
            name,
            season=season,
            held=dict(held[name]),
            paid=dict(paid[name]),
            share=share,
        )
        return share

    async def change_the_law(self) -> None:
        """Feedback, amendments, ballots, tally, enactment; none of it where the law is frozen."""
        settings, life = self._settings, self._life
        if self._case.condition == "frozen":
            return
        await self._until(settings.feedback_s)
        feedback = await hear(self._agents(*self._voters, *self._voices), self.law, life)
        await self._until(settings.amendments_s)
        amendments = await propose(life.agents[MANAGER], self.law, feedback, life)
        await self._until(settings.vote_s)
        election = await vote(self._agents(*self._voters), self.law, amendments, life)
        await self._until(settings.tally_s)
        tallies = election.tally()
        for count in tallies:
            fields: dict[str, Any] = {**asdict(count), "passed": count.passed}
            self._life.note(events.AmendmentTallied, **fields)
        law = enact(self.law, amendments, tallies)
        await self._until(settings.enactment_s)
        if law is not self.law:
            self.law = law
            await self.proclaim()
            self._life.tell_all(self._life.agents, "A new constitution holds from now on.")

    def _agents(self, *names: str) -> list[Agent]:
        return [self._life.agents[name] for name in names]

    async def _until(self, at: float) -> None:
        await self._life.time.sleep(max(0.0, at - self._life.time.now()), key=-1)


# --- One run --------------------------------------------------------------------------------------


class Taxation:
    """The scenario, as ``scenarios.society_cli`` runs it."""

    name = NAME

    def __init__(self, settings: Settings) -> None:
        self.settings = settings

    def script(self, case: Case) -> Script:
        """The scripted persons of a run."""
        voices = influencers(self.settings, case.stance)
        people = constituents(self.settings)
        return Villagers(people, voices, self.settings.ways, case.seed, helpers=[MANAGER])

    def population(self, case: Case) -> list[str]:
        """Everybody's names."""
        return list(traits(self.settings, case))

    async def play_grid(
        self,
        case: Case,
        model: ChatModel,
        writer: RunWriter,
        clock: SimulatedClock,
        limit_s: float | None,
    ) -> dict[str, Any]:
        """One run in the computed village."""
        time = SimulatedTime(clock, outside=limit_s is not None)
        settings = self.settings
        village = Village(
            residents(settings, case),
            places(),
            time.now,
            seed=case.seed,
            hearing_blocks=settings.hearing_blocks,
            work_s=settings.work_s,
        )
        thinking: dict[str, Any] = {"thinking_s": settings.thinking_s, "timeout_s": limit_s}
        habitat = GridHabitat(village)
        writer.event(events.WorldBuilt, **habitat.scenery())
        life = Life(habitat, time, writer, model, seed=case.seed, **thinking)
        return await self._play(case, life, habitat)

    async def play_minecraft(
        self, case: Case, model: ChatModel, writer: RunWriter, state: Any, limit_s: float | None
    ) -> dict[str, Any]:
        """One run on a Minecraft server."""
        settings = self.settings
        near = settings.model_copy(
            update={"far_blocks": min(settings.far_blocks, settings.radius_blocks + 16)}
        )
        people = residents(near, case)
        names = tuple(resident.name for resident in people)
        async with open_stage(state, writer, names) as stage, guarded(stage):
            reach = {"hearing_blocks": settings.hearing_blocks, "work_s": settings.work_s}
            habitat = MinecraftHabitat(stage, people, places(), **reach)
            await habitat.build()
            time = RealTime(writer.clock)
            life = Life(
                habitat,
                time,
                writer,
                model,
                seed=case.seed,
                thinking_s=0.0,
                timeout_s=limit_s,
                position_every_s=None,
            )
            try:
                return await self._play(case, life, habitat, habitat.watch())
            finally:
                await habitat.end()

    async def _play(
        self, case: Case, life: Life, holdings: Holdings, *others: Any
    ) -> dict[str, Any]:
        settings = self.settings
        modules = settings.modules
        if case.condition == "ablated":
            modules = {name: s for name, s in modules.items() if name in ABLATED}
        for name, told in traits(settings, case).items():
            life.admit(name, told, modules, places(), quantum=QUANTUM_S)
        institution = Institution(settings, case, life, holdings)
        await institution.proclaim()
        works = (institution.hold_seasons(), institution.change_the_law(), *others)
        await life.last(settings.length_s, *works)
        return self._outcome(case, institution, life)

    def _outcome(self, case: Case, institution: Institution, life: Life) -> dict[str, Any]:
        settings = self.settings
        times = zip(settings.seasons, institution.shares, strict=False)
        by_half: dict[bool, list[float]] = {False: [], True: []}
        for at, shares in times:
            by_half[at >= settings.enactment_s] += shares.values()
        return {
            "condition": case.name,
            "seed": case.seed,
            "tax_share_before": _mean(by_half[False]),
            "tax_share_after": _mean(by_half[True]),
            "tax_shares": [round(_mean(list(s.values())) or 0.0, 6) for s in institution.shares],
            "tax_rate_after": institution.law.parameters["tax_rate"],
            "law_version": institution.law.version,
            "coherence": life.coherence(),
            "faults": life.faults(),
        }

    def summary(self, runs: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Mean shares by condition, with 95 % confidence intervals over its runs."""
        names = dict.fromkeys(run["condition"] for run in runs)
        return {"conditions": {name: _spread(runs, name) for name in names}}

    def show(self, result: Mapping[str, Any]) -> None:
        """Print the table beside the published figures."""
        table = Table(title=f"share of what they held that constituents paid, %; {result['mind']}")
        for column in (
            "condition",
            "runs",
            "before",
            "after",
            "law after",
            f"published ({SOURCE})",
        ):
            table.add_column(column, no_wrap=column in ("before", "after"))
        for name, found in result["conditions"].items():
            runs = [run for run in result["runs"] if run["condition"] == name]
            law = _mean([run["tax_rate_after"] for run in runs])
            cells = [_told(found[half]) for half in ("tax_share_before", "tax_share_after")]
            law_told = f"{(law or 0) * 100:.1f}"
            table.add_row(name, str(len(runs)), *cells, law_told, PUBLISHED.get(name, "-"))
        console = Console(highlight=False)
        console.print(table)
        console.print(f"mean ± half the 95 % confidence interval over runs; published: {SOURCE}")
        failed = sum(sum(f.values()) for run in result["runs"] for f in run["faults"].values())
        if failed:
            console.print(f"minds gave no usable answer {failed} times; see faults in result.json")
        console.print(f"mind: {result['mind']}")
        console.print(f"record: {result['run_dir']}", soft_wrap=True)


def _spread(runs: Sequence[Mapping[str, Any]], name: str) -> dict[str, Any]:
    found = {}
    for half in ("tax_share_before", "tax_share_after"):
        values = [run[half] for run in runs if run["condition"] == name and run[half] is not None]
        mean, ci95 = mean_and_ci95(values) if values else (None, None)
        found[half] = {"mean": mean, "ci95": ci95}
    return found


def _told(spread: Mapping[str, float | None]) -> str:
    mean, ci95 = spread["mean"], spread["ci95"]
    return "-" if mean is None or ci95 is None else f"{mean * 100:.1f} ± {ci95 * 100:.1f}"


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None


# --- The command ----------------------------------------------------------------------------------

app = typer.Typer(pretty_exceptions_enable=False, add_completion=False, rich_markup_mode=None)


@app.command(epilog=settings_help(Settings()))
def main(
    condition: Annotated[
        str, typer.Option(help="full, frozen (no vote), ablated (no social modules), or all.")
    ] = "all",
    influencers: Annotated[
        str, typer.Option(help="pro, anti, none, or both: one condition each.")
    ] = "both",
    repeats: Annotated[
        int, typer.Option(min=1, help="Runs a condition, with seeds of their own.")
    ] = 4,
    agents: Annotated[int | None, typer.Option(min=1, help="Constituents (25).")] = None,
    world: WorldOption = "grid",
    seed: Annotated[int, typer.Option(help="Seed of the first run of each condition.")] = 0,
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
    r"""Let a village pay taxes, talk about them, and vote on its constitution.

    \b
    Examples:
      python -m scenarios.taxation
      python -m scenarios.taxation --condition full --influencers anti --repeats 1
      python -m scenarios.taxation --condition full --influencers pro --world minecraft --repeats 1
      python -m scenarios.taxation --agents 100 --set ways.persuasion=0.1
    """
    options = MindOptions(
        mind, model, models, base_url, request_timeout, concurrency, budget, prices, replay
    )

    def make(manifest: Mapping[str, Any] | None) -> tuple[Taxation, list[Case]]:
        if manifest is not None:
            cases = [Case(**case) for case in manifest["cases"]]
            return Taxation(Settings.model_validate(manifest["config"])), cases
        found = configure(Settings, config, settings or [], {"agents": agents})
        return Taxation(found), _cases(condition, influencers, repeats, seed)

    try:
        plan = open_plan(make, NAME, world, options, out, resume)
    except UsageError as error:
        raise fail(str(error), USAGE, debug) from error
    raise run(plan, as_json=as_json, debug=debug)


def _cases(condition: str, stance: str, repeats: int, seed: int) -> list[Case]:
    """All runs that were asked for.

    Raises:
        UsageError: there is no such condition or stance.
    """
    conditions = CONDITIONS if condition == "all" else (condition,)
    stances = ("anti", "pro") if stance == "both" else (stance,)
    for asked, known in ((conditions, CONDITIONS), (stances, STANCES)):
        unknown = [name for name in asked if name not in known]
        if unknown:
            raise UsageError(f"there is no {unknown[0]!r}; there are: {', '.join(known)}")
    return [
        Case(name, side, seed + k)
        for name in conditions
        for side in stances
        for k in range(repeats)
    ]


if __name__ == "__main__":
    app()
