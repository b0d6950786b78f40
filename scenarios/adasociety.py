"""AdaSociety's games on the grid: agents gather, craft, form groups and bargain over shares.

Source: Huang et al., "AdaSociety" (NeurIPS 2024). Minds answer with plans out of a fixed
vocabulary, and hand-written controllers execute them step by step (``bots/controllers``); the
random mind draws each action out of those that have an effect.

Run it with ``python -m scenarios.adasociety --help``.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer
import yaml
from rich.console import Console
from rich.table import Table

from bots.controllers import Player, planner
from bots.controllers.execution import Execution
from bots.models import ModelSettings, ScriptedModel
from bots.models.openai_model import TIMEOUT_S
from grid.game import Game, GameError, Rules, read_game, with_changes
from grid.metrics import completion_rates, degrees, fairness, share_ratio
from grid.oracle import Optimum, optimum
from grid.social import social_graph
from grid.vector import VectorGame
from judge import mean_and_sd
from records import RunWriter, SimulatedClock, events
from scenarios.command import (
    CONCURRENCY,
    USAGE,
    BaseUrlOption,
    BudgetOption,
    ConcurrencyOption,
    DebugOption,
    JsonOption,
    ModelOption,
    ModelsOption,
    OutOption,
    PricesOption,
    ReplayOption,
    TimeoutOption,
    execute,
    fail,
    make_folder,
    run_to_end,
)
from scenarios.minds import ChosenMind, MindOptions, choose_mind
from scenarios.usage import UsageError

NAME = "adasociety"
#: Reward of all agents over the oracle's, by game: the paper's PPO, its random policy, and GPT-4
#: with controllers (3 runs).
PUBLISHED = {
    "contract-easy": {"ppo": 0.2286, "random": 0.0046, "gpt-4": 0.843},
    "contract-hard": {"ppo": 0.1151, "random": 0.0021, "gpt-4": 0.650},
    "negotiation-easy": {"ppo": 0.2276, "random": 0.0040, "gpt-4": 0.873},
    "negotiation-hard": {"ppo": 0.1093, "random": 0.0020, "gpt-4": 0.686},
    "exploration": {"ppo": 0.1744, "random": 0.0001},
}

app = typer.Typer(pretty_exceptions_enable=False, add_completion=False, rich_markup_mode=None)


@dataclass
class Plan:
    """What is played, and what has come of it so far."""

    name: str
    rules: Rules
    game: Game
    best: Optimum
    mind: ChosenMind
    episodes: int
    seed: int
    folder: Path
    runs: list[dict[str, Any]] = field(default_factory=list)


@app.command()
def main(
    game: Annotated[
        str, typer.Option(help="A game's name; see: python -m grid list.")
    ] = "contract-easy",
    mind: Annotated[
        str | None,
        typer.Option(help="scripted, random or openai; default: openai if OPENAI_API_KEY is set."),
    ] = None,
    episodes: Annotated[int, typer.Option(min=1, help="Episodes, each with the next seed.")] = 1,
    seed: Annotated[int, typer.Option(help="Seed of the first episode.")] = 0,
    settings: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="KEY=VALUE", help="Change a field of the game: length=60."),
    ] = None,
    rules: Annotated[Path | None, typer.Option(help="A rules file of your own.")] = None,
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
    r"""Play AdaSociety's games on the grid, headless, and compare with the most that can be earned.

    \b
    Examples:
      python -m scenarios.adasociety --game contract-hard --episodes 5
      python -m scenarios.adasociety --game exploration --mind random --episodes 20 --json
      python -m scenarios.adasociety --game negotiation-easy --set length=80
    """
    options = MindOptions(
        mind, model, models, base_url, request_timeout, concurrency, budget, prices, replay
    )
    try:
        known, played = read_game(game, rules)
        played = with_changes(known, played, _changes(settings or []))
        chosen = _mind(options)
        plan = Plan(
            game,
            known,
            played,
            optimum(known, played),
            chosen,
            episodes,
            seed,
            make_folder(out, NAME),
        )
    except (UsageError, GameError) as error:
        raise fail(str(error), USAGE, debug) from error
    if not as_json:
        print(_announcement(plan), file=sys.stderr)

    def show(result: dict[str, Any]) -> None:
        if as_json:
            print(json.dumps(result))
        elif result["runs"]:
            _print_result(plan, result)

    clock = SimulatedClock()
    run = execute(
        lambda: RunWriter(plan.folder, _manifest(plan), clock),
        lambda writer: _play_all(plan, writer, clock),
        lambda error: _summary(plan, error),
        show,
        folder=plan.folder,
        debug=debug,
    )
    raise typer.Exit(run_to_end(run, debug))


def _changes(settings: Sequence[str]) -> dict[str, Any]:
    """Fields of the game from ``--set``.

    Raises:
        UsageError: one is not KEY=VALUE.
    """
    found = {}
    for setting in settings:
        key, separator, text = setting.partition("=")
        if not separator:
            raise UsageError(f"--set takes KEY=VALUE, not {setting!r}")
        try:
            found[key.strip()] = yaml.safe_load(text)
        except yaml.YAMLError as error:
            raise UsageError(f"--set {key}: {text!r} is not a YAML value") from error
    return found


def _mind(options: MindOptions) -> ChosenMind:
    if options.mind != "random":
        return choose_mind(options, planner)
    nobody = ScriptedModel(lambda *_: "")
    settings = ModelSettings(model="random")
    return ChosenMind("random", nobody, settings, {}, is_language_model=False, played="random")


def _announcement(plan: Plan) -> str:
    lines = [f"mind: {plan.mind.kind}    game: {plan.name}    record: {plan.folder}"]
    if plan.mind.kind == "scripted":
        lines.append("Scripted minds: rules written beforehand, no language model is asked.")
    if plan.mind.replay:
        lines.append(f"Answers are replayed from {plan.mind.replay}; no model is asked.")
    return "\n".join(lines)


# --- Playing -------------------------------------------------------------------------------------


async def _play_all(plan: Plan, writer: RunWriter, clock: SimulatedClock) -> None:
    writer.event(events.RunStarted, scenario=NAME, mind=plan.mind.played)
    table = VectorGame(plan.rules, plan.game, 1, action_masks=True)
    for number in range(plan.episodes):
        writer.episode = number
        episode = Episode(plan, table, writer, clock)
        plan.runs.append(await episode.play(number))
        done = f"episode {number + 1} of {plan.episodes}: {plan.runs[-1]['normalised']:.3f}"
        print(f"{done} of the optimum", file=sys.stderr)


class Episode:
    """One episode: a step is a second of the record's time."""

    def __init__(
        self, plan: Plan, table: VectorGame, writer: RunWriter, clock: SimulatedClock
    ) -> None:
        self._plan = plan
        self._table = table
        self._writer = writer
        self._clock = clock
        self._told: dict[tuple[str, str], object] = {}

    async def play(self, number: int) -> dict[str, Any]:
        """Play it; gives its entry of ``runs``."""
        table, seed = self._table, self._plan.seed + number
        started = self._clock.now()
        observed, info = table.reset(seed=seed)
        self._writer.event(events.EpisodeStarted, run=number, attempt=1, seed=seed)
        self._note_changes(observed)
        choose = self._random(seed) if self._plan.mind.kind == "random" else self._players()
        is_over = False
        while not is_over:
            actions = await choose(observed, info["action_mask"][0])
            before = table.state.executed[0].copy()
            observed, _, _, truncated, info = table.step(actions[None])
            is_over = bool(truncated[0])
            self._clock.set(started + float(observed["step"][0]))
            self._note_changes(observed)
            self._note_events(table.state.executed[0] - before)
        seconds = self._clock.now() - started
        self._writer.event(events.EpisodeEnded, reason="time_limit", seconds=seconds)
        return self._outcome(seed)

    def _random(self, seed: int) -> Any:
        chance = np.random.default_rng(seed)

        async def choose(_: object, masks: npt.NDArray[np.uint8]) -> npt.NDArray[np.int64]:
            return np.asarray((masks * chance.random(masks.shape)).argmax(1))

        return choose

    def _players(self) -> Any:
        table = self._table
        model = self._plan.mind.recorded(self._writer.write_call)
        players = [
            Player(i, table.tables, table.names, self._plan.rules, model, self._note_plan)
            for i in range(table.tables.agents)
        ]

        async def choose(
            observed: dict[str, npt.NDArray[Any]], masks: npt.NDArray[np.uint8]
        ) -> npt.NDArray[np.int64]:
            def own(i: int) -> dict[str, npt.NDArray[Any]]:
                step = {"step": observed["step"][0]}
                return {k: v[0, i] for k, v in observed.items() if k != "step"} | step

            acts = (player.act(own(i), masks[i]) for i, player in enumerate(players))
            return np.array(await asyncio.gather(*acts))

        return choose

    # --- The record ------------------------------------------------------------------------------

    def _note_plan(self, agent: str, ended: Execution) -> None:
        plan, outcome = str(ended.plan), ended.outcome
        self._writer.event(events.PlanEnded, agent, plan=plan, outcome=outcome)

    def _note_changes(self, observed: dict[str, npt.NDArray[Any]]) -> None:
        """Where agents are, what they hold, and their groups, where that has changed."""
        names = self._table.names
        for i, agent in enumerate(names.agents):
            x, y = (float(part) for part in observed["position"][0, i])
            held = zip(names.resources, observed["inventory"][0, i].tolist(), strict=True)
            pairs = zip(observed["group"][0, i], observed["weight"][0, i], strict=True)
            groups = {str(group): float(weight) for group, weight in pairs if group >= 0}
            self._note(events.PositionSampled, agent, position=(x, 0.0, y))
            self._note(events.Inventory, agent, items={what: n for what, n in held if n})
            self._note(events.GroupsChanged, agent, groups=groups)

    def _note(self, kind: type[events.Event], agent: str, **fields: Any) -> None:
        (value,) = fields.values()
        key = (kind.__name__, agent)
        if self._told.get(key) != value:
            self._told[key] = value
            self._writer.event(kind, agent, **fields)

    def _note_events(self, executed: npt.NDArray[np.int32]) -> None:
        tables, names = self._table.tables, self._table.names
        for event in np.flatnonzero(executed):
            for _ in range(int(executed[event])):
                self._writer.event(
                    events.EventExecuted,
                    event=names.events[event],
                    output=names.resources[tables.output[event]],
                )

    def _outcome(self, seed: int) -> dict[str, Any]:
        plan, table = self._plan, self._table
        names, state = table.names, table.state
        scores = [round(float(score), 6) for score in state.score[0]]
        executed = dict(zip(names.events, state.executed[0].tolist(), strict=True))
        agents: dict[str, dict[str, Any]] = {}
        for i, agent in enumerate(names.agents):
            held = zip(names.resources, state.inventory[0, i].tolist(), strict=True)
            job = names.jobs[int(table.tables.job[i])]
            agents[agent] = {
                "job": job,
                "reward": scores[i],
                "items": {what: count for what, count in held if count},
            }
            self._writer.event(
                events.Reward, agent, value=scores[i], transfer=0.0, reward=scores[i]
            )
        return {
            "seed": seed,
            "reward": sum(scores),
            "normalised": sum(scores) / plan.best.welfare,
            "fairness": fairness(scores),
            "completion": completion_rates(executed, plan.best.executions),
            "degrees": degrees(social_graph(table)),
            "share_ratio": share_ratio(scores, [entry["job"] for entry in agents.values()]),
            "agents": agents,
        }


# --- The result ----------------------------------------------------------------------------------


def _manifest(plan: Plan) -> dict[str, Any]:
    return {
        "scenario": NAME,
        "game": plan.name,
        "config": plan.game.model_dump(mode="json"),
        **plan.mind.manifest(),
        "seed": plan.seed,
        "episodes": plan.episodes,
        "command": sys.argv,
    }


def _summary(plan: Plan, error: str | None) -> dict[str, Any]:
    measured = ("reward", "normalised", "fairness")
    spread = {
        name: mean_and_sd([run[name] for run in plan.runs]) if plan.runs else (None, None)
        for name in measured
    }
    result = {
        "scenario": NAME,
        "world": "grid",
        "game": plan.name,
        "mind": plan.mind.kind,
        "seed": plan.seed,
        "run_dir": str(plan.folder),
        "optimum": plan.best.welfare,
        "runs": plan.runs,
        "mean": {name: pair[0] for name, pair in spread.items()},
        "sd": {name: pair[1] for name, pair in spread.items()},
    }
    return result if error is None else {**result, "error": error}


def _print_result(plan: Plan, result: dict[str, Any]) -> None:
    console = Console(highlight=False)
    table = Table(title=f"{plan.name}, mind {plan.mind.kind}, optimum {plan.best.welfare:g}")
    for column in ("seed", "reward", "of the optimum", "fairness", *plan.best.executions):
        table.add_column(column, justify="right")
    for run in result["runs"]:
        rates = [_percent(run["completion"][event]) for event in plan.best.executions]
        cells = (f"{run['reward']:g}", f"{run['normalised']:.3f}", f"{run['fairness']:.2f}")
        table.add_row(str(run["seed"]), *cells, *rates)
    console.print(table)
    mean, sd = result["mean"], result["sd"]
    console.print(
        f"mean ± sd of {len(result['runs'])} episodes: {mean['normalised']:.3f} ± "
        f"{sd['normalised']:.3f} of the optimum, fairness {mean['fairness']:.2f}"
    )
    published = PUBLISHED.get(plan.name)
    if published and plan.game == plan.rules.games[plan.name]:
        told = ", ".join(f"{name} {value:g}" for name, value in published.items())
        console.print(f"published (Huang et al. 2024): {told}")
    console.print(f"mind: {plan.mind.kind}")
    console.print(f"record: {result['run_dir']}", soft_wrap=True)


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:.0%}"


if __name__ == "__main__":
    app()
