"""Compatibility matrix of scenarios, worlds and kinds of agents."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass

import click
from rich.table import Table

from voxpolis.bots.agents.registry import KINDS
from voxpolis.experiments.run import registry
from voxpolis.experiments.run.agents import SCRIPTED, why_not
from voxpolis.records.console import WIDEST, plain_console


@dataclass(frozen=True)
class Cell:
    """Compatibility of a scenario in a world with a kind of agent, or why it is incompatible."""

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
                reason = "" if works else why_not(kind)
                yield Cell(experiment.name, world, kind, works, reason)


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print a single JSON list.")
def matrix(as_json: bool) -> None:
    """Print which kinds of agents can play which scenario in which world."""
    found = list(cells())
    if as_json:
        print(json.dumps([asdict(cell) for cell in found]))
        return
    kinds = [*KINDS, SCRIPTED]
    table = Table(title="kinds of agents by scenario and world (●: the default)")
    for column in ("scenario", "world", *kinds):
        table.add_column(column, justify="left" if column in ("scenario", "world") else "center")
    for experiment in registry.scenarios():
        for world, playing in experiment.worlds.items():
            marks = ["●" if k == playing[0] else "yes" if k in playing else "-" for k in kinds]
            table.add_row(experiment.name, world, *marks)
    console = plain_console()
    needed = console.measure(table, options=console.options.update(width=WIDEST)).maximum
    console.width = max(console.width, needed)
    console.print(table)
    for name, kind in KINDS.items():
        console.print(f"{name}: {kind.summary}; {why_not(name)}")
    console.print(f"{SCRIPTED}: the scenario's scripted minds in place of the default kind")
