"""Shows which kinds of agents can play which scenarios in which worlds."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import click
from rich.table import Table

from voxpolis.bots.agents.registry import KINDS
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.agents import SCRIPTED, requirement_of
from voxpolis.records.console import plain_console, print_whole

# Columns of the printed table and its legend.
WIDTH = 80


@dataclass(frozen=True)
class Cell:
    """Says whether a kind of agent can play a scenario in a world, and if not, why."""

    scenario: str
    world: str
    agent: str
    works: bool
    why_not: str = ""


def cells() -> Iterator[Cell]:
    """Yield all cells of the matrix."""
    for experiment in registry.scenarios():
        for world, kinds in experiment.worlds.items():
            for kind in (*KINDS, SCRIPTED):
                works = kind in kinds
                reason = "" if works else requirement_of(kind)
                yield Cell(experiment.name, world, kind, works, reason)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print a single JSON list.")
def matrix(as_json: bool) -> None:
    """Print which agents play which scenario in which world."""
    found = list(cells())
    if as_json:
        print(json.dumps([asdict(cell) for cell in found]))
        return
    table = Table(title="kinds of agents by scenario and world (the first is the default)")
    for column in ("scenario", "world", "kinds of agents"):
        table.add_column(column, no_wrap=column != "kinds of agents")
    for experiment in registry.scenarios():
        for world, playing in experiment.worlds.items():
            table.add_row(experiment.name, world, ", ".join(playing))
    console = plain_console()
    console.width = WIDTH
    print_whole(console, table)
    texts = {name: f"{kind.summary}; {requirement_of(name)}" for name, kind in KINDS.items()}
    texts[SCRIPTED] = "the scenario's scripted minds in place of the default kind"
    for name, text in texts.items():
        print(textwrap.fill(f"{name}: {text}", WIDTH, subsequent_indent="  "))
