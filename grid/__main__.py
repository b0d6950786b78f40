"""Show the games on the grid: ``python -m grid``."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Annotated

import networkx as nx
import typer
from rich.table import Table

from voxpolis.grid.adasociety.game import Game, Rules, read_game, read_rules, shipped_files
from voxpolis.grid.commons.game import APPLE, DIRT, RIVER, SITE, commons_names, read_commons
from voxpolis.grid.core.data import GameError
from voxpolis.records.command_line import CommandLine
from voxpolis.records.console import plain_console
from voxpolis.records.text import say_error

app = CommandLine(
    help="Show the games on the grid. To play a game from Python, use grid.make or "
    "grid.make_vec. To let agents play, use python -m scenarios.adasociety.",
    no_args_is_help=True,
)
RulesOption = Annotated[
    Path | None, typer.Option("--rules", help="Your own file with the rules of games.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print a single JSON object.")]


@app.command("list")
def list_games(rules_file: RulesOption = None, as_json: JsonOption = False) -> None:
    """List all games."""
    games = _read(rules_file)
    commons = {} if rules_file else {name: read_commons(name) for name in commons_names()}
    if as_json:
        everything = {**games, **commons}
        print(json.dumps({name: game.model_dump(mode="json") for name, game in everything.items()}))
        return
    table = Table(box=None)
    for column in ("game", "map", "agents", "steps", "before play"):
        table.add_column(column)
    for name, game in games.items():
        stage = "negotiation" if game.stage.negotiation else "contract"
        before = f"{game.stage_steps} steps of {stage}" if game.stage_steps else ""
        size = f"{game.map[0]} x {game.map[1]}"
        table.add_row(name, size, str(len(game.jobs)), str(game.length), before)
    for name, common in commons.items():
        size, end = f"{len(common.rows)} x {len(common.rows[0])}", common.ending
        table.add_row(name, size, str(common.players), f"{end.least} to {end.most}", "")
    plain_console().print(table)


@app.command()
def show(
    game: Annotated[
        str, typer.Argument(metavar="GAME", help="Name of a game; for a list: python -m grid list.")
    ],
    rules_file: RulesOption = None,
    as_json: JsonOption = False,
) -> None:
    """Show a game.

    This includes the synthesis tree, the map, the agents and the maximum reward.
    """
    from voxpolis.grid.adasociety.oracle import optimum  # noqa: PLC0415  (the solver loads slowly)
    from voxpolis.grid.adasociety.state import bytes_per_environment  # noqa: PLC0415
    from voxpolis.grid.adasociety.tables import make_tables  # noqa: PLC0415

    if rules_file is None and game in commons_names():
        _show_commons(game, as_json)
        return
    try:
        rules, shown = read_game(game, rules_file)
    except GameError as error:
        also = f", {', '.join(commons_names())}" if rules_file is None else ""
        raise _failure(f"{error}{also}") from error
    best = optimum(rules, shown)
    size = bytes_per_environment(make_tables(rules, shown)[0])
    if as_json:
        described = {
            **shown.model_dump(mode="json"),
            "optimum": best.welfare,
            "optimal_executions": best.executions,
            "bytes_per_environment": size,
        }
        print(json.dumps(described))
        return
    console = plain_console()
    console.print(f"{game}: {shown.map[0]} x {shown.map[1]} cells, {shown.blocks} blocks, ", end="")
    console.print(f"{shown.length} steps, {size:,} bytes per environment")
    console.print("\n".join(_tree(rules, shown)))
    for job, number in shown.agents.items():
        console.print(f"{number} {job}: {_job(rules, job)}")
    done = ", ".join(f"{count} {event}" for event, count in best.executions.items() if count)
    console.print(f"optimum {best.welfare:g}: {done}")


def _show_commons(name: str, as_json: bool) -> None:
    game = read_commons(name)
    if as_json:
        print(json.dumps(game.model_dump(mode="json")))
        return
    counts, end = Counter("".join(game.rows)), game.ending
    print(f"{name}: {game.description}")
    print("\n".join(game.rows))
    print(f"{game.players} players; actions: {', '.join(game.actions)}")
    print(f"{counts[SITE] + counts[APPLE]} apple sites, {counts[APPLE]} apples at the start")
    if game.river:
        river = counts[RIVER] + counts[DIRT]
        print(f"{river} river cells, {counts[DIRT]} dirty at the start; {game.river}")
    else:
        print(f"regrowth with 0, 1, 2, 3 or more apples nearby: {game.regrowth}")
    print(f"zap: {game.zap}")
    print(f"ends after {end.least} to {end.most} steps: chance {end.chance:g} every {end.interval}")


def synthesis_graph(rules: Rules, game: Game) -> nx.MultiDiGraph:
    """Return the graph of resources and events. An edge leads from an input or a tool to what it
    helps to make.
    """
    resources, events = rules.in_play(game)
    graph = nx.MultiDiGraph()
    for name in resources:
        graph.add_node(name, reward=rules.resources[name].reward)
        for tool in (*rules.resources[name].requires, *rules.resources[name].tools):
            graph.add_edge(tool, name, what="needed")
    for name in events:
        event = rules.events[name]
        for resource, units in event.inputs.items():
            graph.add_edge(resource, name, what="used", units=units)
        for tool in event.requires:
            graph.add_edge(tool, name, what="needed")
        graph.add_edge(name, event.output, what="made")
    return graph


def _tree(rules: Rules, game: Game) -> list[str]:
    parts = nx.condensation(nx.DiGraph(synthesis_graph(rules, game)))
    members = parts.nodes(data="members")
    order = nx.lexicographical_topological_sort(parts)
    names = [name for part in order for name in sorted(members[part])]
    return [
        _event_line(rules, game, name) if name in rules.events else _line(rules, game, name)
        for name in names
    ]


def _event_line(rules: Rules, game: Game, name: str) -> str:
    event = rules.events[name]
    inputs = " + ".join(f"{units} {resource}" for resource, units in event.inputs.items())
    stations = f"{game.events[name]} stations"
    return f"  {name}: {inputs} -> {event.output}{_needs(event.requires)}, {stations}"


def _line(rules: Rules, game: Game, name: str) -> str:
    resource, piles = rules.resources[name], game.piles.get(name)
    lying = f", {piles[0]} piles of {piles[1]}" if piles else ""
    tools = f" (with {' or '.join(resource.tools)})" if resource.tools else ""
    return f"  {name}: worth {resource.reward:g}{_needs(resource.requires)}{tools}{lying}"


def _needs(tools: tuple[str, ...]) -> str:
    return f" (needs {', '.join(tools)})" if tools else ""


def _job(rules: Rules, name: str) -> str:
    job = rules.jobs[name]
    room = [f"holds {most} {what}" if most else f"no {what}" for what, most in job.capacity.items()]
    worth = [f"{what} worth {factor:g} times as much" for what, factor in job.preference.items()]
    return ", ".join([f"sees {job.sight} cells in each direction", *room, *worth])


def _read(path: Path | None) -> dict[str, Game]:
    try:
        files = [path] if path else shipped_files()
        return {name: game for file in files for name, game in read_rules(file).games.items()}
    except GameError as error:
        raise _failure(str(error)) from error


def _failure(text: str) -> typer.Exit:
    say_error(text)
    return typer.Exit(2)


if __name__ == "__main__":
    app()
