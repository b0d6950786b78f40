"""The command line that all scenarios share."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, cast, get_args

import typer

from bots.action import JAVASCRIPT
from bots.models.openai_model import TIMEOUT_S
from judge import JudgeKind
from judge.negotiation import ROUNDS
from records import read_record
from scenarios.command import (
    CONCURRENCY,
    DONE,
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
    Result,
    SettingsOption,
    TimeoutOption,
    configure,
    fail,
    find_server,
    make_folder,
    run_to_end,
    settings_help,
)
from scenarios.conditions import (
    NEGOTIATE,
    choose_contract,
    grid_condition,
    recorded_condition,
    replay_condition,
    run_condition,
)
from scenarios.experiment import Condition
from scenarios.minds import MindOptions, choose_mind
from scenarios.on_the_grid import grid_language
from scenarios.show_prompts import prompts
from scenarios.tables import print_result
from scenarios.usage import UsageError
from server import ServerState

JUDGES = get_args(JudgeKind)
WORLDS = ("minecraft", "grid")
#: Parameters that a recorded run has of its own.
OF_THE_GAME = (
    "contract",
    "rounds",
    "compiled",
    "episodes",
    "renegotiate",
    "judge",
    "mind",
    "runs",
    "seed",
    "time_limit",
    "world",
    "settings",
    "config",
    "model",
    "models",
    "budget",
)


def scenario_command(kind: type[Any]) -> Callable[[], None]:
    """The command of a scenario, a pydantic model that follows the Scenario protocol."""
    app = typer.Typer(pretty_exceptions_enable=False, add_completion=False, rich_markup_mode=None)

    def main(
        context: typer.Context,
        contract: Annotated[
            str,
            typer.Option(help="none, a shipped contract's name, negotiate, or a text FILE."),
        ] = "none",
        rounds: Annotated[
            int, typer.Option(min=1, help="Messages that players have to negotiate.")
        ] = ROUNDS,
        compiled: Annotated[
            bool,
            typer.Option(
                "--compile",
                help="Let a model make clauses of what is negotiated in words, for an exact judge.",
            ),
        ] = False,
        episodes: Annotated[
            int, typer.Option(min=1, help="Episodes that the same players play in a repetition.")
        ] = 1,
        renegotiate: Annotated[
            bool,
            typer.Option(help="Negotiate before each episode, knowing what came of those before."),
        ] = False,
        judge: Annotated[
            str,
            typer.Option(
                help="exact: by code where it can be, else by the judge model; model; or both, "
                "which measures the model's error."
            ),
        ] = "exact",
        mind: MindOption = None,
        runs: Annotated[int, typer.Option(min=1, help="Repetitions, each with the next seed.")] = 1,
        seed: Annotated[int, typer.Option(help="Seed of the first repetition.")] = 0,
        world: Annotated[
            str, typer.Option(help="minecraft, or grid: headless, without a server.")
        ] = "minecraft",
        time_limit: Annotated[
            float | None, typer.Option(help="Seconds an episode may take.")
        ] = None,
        settings: SettingsOption = None,
        config: ConfigOption = None,
        model: ModelOption = None,
        models: ModelsOption = None,
        base_url: BaseUrlOption = None,
        request_timeout: TimeoutOption = TIMEOUT_S,
        concurrency: ConcurrencyOption = CONCURRENCY,
        budget: BudgetOption = None,
        prices: PricesOption = None,
        replay: ReplayOption = None,
        show_prompts: Annotated[
            bool,
            typer.Option("--show-prompts", help="Print what each role would see; nothing is run."),
        ] = False,
        as_json: JsonOption = False,
        out: OutOption = Path("runs"),
        debug: DebugOption = False,
    ) -> None:
        try:
            scenario = configure(kind, config, settings or [], {"time_limit_s": time_limit})
            agreed = choose_contract(scenario, contract)
            negotiated = rounds if contract == NEGOTIATE else None
            if judge not in JUDGES:
                raise UsageError(f"there is no judge {judge!r}; there are: {', '.join(JUDGES)}")
            if world not in WORLDS:
                raise UsageError(f"there is no world {world!r}; there are: {', '.join(WORLDS)}")
            if world == "grid" and scenario.grid is None:
                raise UsageError(f"{scenario.name} has no form on the grid: leave out --world")
            if negotiated is None and (compiled or renegotiate):
                raise UsageError(f"--compile and --renegotiate need --contract {NEGOTIATE}")
            options = MindOptions(
                mind,
                model,
                models,
                base_url,
                request_timeout,
                concurrency,
                budget,
                prices,
                replay,
            )
            chosen = choose_mind(options, scenario.script)
            if show_prompts:
                language = grid_language(scenario) if world == "grid" else JAVASCRIPT
                print(prompts(scenario, agreed, negotiated, language))
                raise typer.Exit(DONE)
            state, record = None, None
            if replay is not None:
                _refuse_settings_of_the_game(context)
                record = read_record(replay)
                scenario, condition = recorded_condition(kind, kind.name, record, chosen)
            else:
                condition = Condition(
                    agreed,
                    negotiated,
                    cast("JudgeKind", judge),
                    chosen,
                    chosen.model,
                    seed,
                    runs,
                    compiled,
                    episodes,
                    renegotiate,
                    cast("Literal['minecraft', 'grid']", world),
                )
                state = asyncio.run(find_server()) if world == "minecraft" else None
            folder = make_folder(out, scenario.name)
        except UsageError as error:
            raise fail(str(error), USAGE, debug) from error
        if not as_json:
            _announce(condition, state, folder)

        def show(result: Result) -> None:
            if as_json:
                print(json.dumps(result))
            elif result["runs"]:
                print_result(scenario, result)

        if record is not None:
            run = replay_condition(scenario, condition, record, folder, show, debug=debug)
        elif state is None:
            run = grid_condition(scenario, condition, folder, show, debug=debug)
        else:
            run = run_condition(scenario, condition, state, folder, show, debug=debug)
        raise typer.Exit(run_to_end(run, debug))

    app.command(help=_help_text(kind))(main)
    return app


def _refuse_settings_of_the_game(context: typer.Context) -> None:
    """A replay plays what was recorded.

    Raises:
        UsageError: an option says what to play.
    """
    for name in OF_THE_GAME:
        source = context.get_parameter_source(name)
        if source is not None and source.name == "COMMANDLINE":
            option = {"settings": "set", "compiled": "compile"}.get(name, name).replace("_", "-")
            raise UsageError(f"--replay plays the game as it was recorded; leave out --{option}")


def _help_text(kind: type[Any]) -> str:
    """What ``--help`` says above the options: what is played, contracts, settings, examples."""
    story = (sys.modules[kind.__module__].__doc__ or "").split("\n\nRun it")[0]
    call = f"python -m scenarios.{kind.name}"
    return "\n\n".join(
        [
            story,
            f"Contracts: {', '.join(kind().contracts())}, {NEGOTIATE}, or a text FILE of yours.",
            settings_help(kind()),
            f"\b\nExamples:\n  {call} --contract 1\n  {call} --contract negotiate --rounds 6\n"
            f"  {call} --runs 10 --seed 5 --json\n{_headless(kind, call)}"
            f"  {call} --set max_attempts=2 --time-limit 60",
        ]
    )


def _headless(kind: type[Any], call: str) -> str:
    return f"  {call} --world grid --contract 2\n" if kind.grid else ""


def _announce(condition: Condition, state: ServerState | None, folder: Path) -> None:
    contract = condition.contract.name
    lines = [f"mind: {condition.mind.kind}    contract: {contract}    record: {folder}"]
    if condition.mind.replay:
        lines.append(f"World and answers are replayed from {condition.mind.replay}.")
    if not condition.mind.is_language_model:
        lines.append("Scripted minds: programs written beforehand, no language model is asked.")
        if condition.contract.text and not condition.contract.is_exact:
            lines.append("They cannot read a contract in free words: they play greedily under it,")
            lines.append("and nobody can judge it, so nothing will be transferred.")
    if state is not None and state.speed != 1:
        lines.append(f"The game's clock runs {state.speed:g} times as fast; all times are its.")
    print("\n".join(lines), file=sys.stderr)
