"""AdaSociety's games on the grid: agents gather, craft, form groups and bargain over shares.

Source: Huang et al., "AdaSociety" (NeurIPS 2024). Minds answer with plans out of a fixed
vocabulary, and hand-written controllers execute them step by step (``bots/agents/planner``); the
random mind draws each action out of those that have an effect.

Run it with ``python -m scenarios.adasociety --help``.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
import yaml
from rich.console import Console
from rich.table import Table

from bots.agents.planner import planner
from bots.models import ModelSettings, ScriptedModel
from bots.models.openai_model import TIMEOUT_S
from grid.adasociety.game import read_game, with_changes
from grid.adasociety.oracle import optimum
from grid.adasociety.vector import VectorGame
from grid.core.data import GameError
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
from scenarios.grid_play import Episode, Plan
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
