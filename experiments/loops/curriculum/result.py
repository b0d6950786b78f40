"""What comes of a curriculum: entries of the result, the same in all worlds, and their table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table

from voxpolis.experiments.loops.curriculum.curriculum import AgentRun
from voxpolis.experiments.loops.curriculum.protocol import CurriculumScenario
from voxpolis.experiments.run.experiment import Entry, Result
from voxpolis.records.console import plain_console
from voxpolis.records.measures import mean_and_sd

if TYPE_CHECKING:  # only a run on the grid loads its compiler
    from voxpolis.experiments.loops.grid.game import AgentAccount

#: What the table counts, below the milestones.
LINES = {
    "kinds of item": "items",
    "iterations": "iterations",
    "deaths": "deaths",
    "score": "score",
}


def agent_entry(scenario: CurriculumScenario, name: str, agent: AgentRun) -> Entry:
    """Return one agent's entry in the result of a run in Minecraft."""
    progress = agent.life.progress
    return {
        "job": scenario.job(name),
        "milestones": agent.milestones,
        "items": len(progress.items),
        "item_iterations": progress.items,
        "iterations": progress.iterations,
        "tasks": {"completed": progress.completed, "failed": progress.failed},
        "skills": list(agent.life.skills),
        "deaths": agent.deaths,
        "score": scenario.score(name, agent.inventory),
    }


def grid_entry(scenario: CurriculumScenario, account: AgentAccount) -> Entry:
    """Return one agent's entry in the result of a run on the grid; its tasks are its plans."""
    firsts = account.firsts
    return {
        "job": account.job,
        "milestones": {
            name: {"iteration": first.iteration, "seconds": first.seconds}
            for name, first in firsts.items()
            if name in scenario.milestones
        },
        "items": len(firsts),
        "item_iterations": {name: first.iteration for name, first in firsts.items()},
        "iterations": account.iterations,
        "tasks": {"completed": account.plans_done, "failed": account.plans_failed},
        "skills": [],
        "deaths": 0,
        "score": account.reward,
    }


def _counts(entry: Entry) -> bool:
    return bool(entry["acted"]) and entry.get("sound", True)


def summary(condition: str, entries: Sequence[Entry]) -> Result:
    """Return means and standard deviations over agents of the runs that count.

    Those are sound, and somebody acted in them.
    """
    agents = [a for entry in entries if _counts(entry) for a in entry["agents"].values()]
    measured: dict[str, list[float]] = {
        "milestones": [len(agent["milestones"]) for agent in agents],
        "items": [agent["items"] for agent in agents],
        "score": [agent["score"] for agent in agents if agent["score"] is not None],
    }
    pairs = {
        name: mean_and_sd(values) if values else (None, None) for name, values in measured.items()
    }
    return {
        "tree": condition,
        "mean": {name: pair[0] for name, pair in pairs.items()},
        "sd": {name: pair[1] for name, pair in pairs.items()},
        "tokens": sum(entry["tokens"] for entry in entries),
    }


def print_result(milestones: Sequence[str], result: Result) -> None:
    """Print a result for people: a table of milestones for each repetition."""
    console = plain_console()
    for run in result["runs"]:
        title = f"{result['scenario']}, tree {run['condition']}, seed {run['seed']}"
        console.print(_table(title, milestones, run["agents"]))
    console.print("Milestones: minutes of game time (prompting iteration).")
    console.print(f"mind: {result['mind']}, {result['tokens']} tokens")
    console.print(f"record: {result['run_dir']}", soft_wrap=True)


def _table(title: str, milestones: Sequence[str], agents: Mapping[str, Any]) -> Table:
    table = Table(title=title)
    table.add_column("")
    for name in agents:
        table.add_column(name, justify="right")
    for milestone in milestones:
        table.add_row(milestone, *(_when(a["milestones"].get(milestone)) for a in agents.values()))
    table.add_section()
    for label, key in LINES.items():
        if any(entry[key] is not None for entry in agents.values()):
            table.add_row(label, *(f"{entry[key]:g}" for entry in agents.values()))
    return table


def _when(reached: Mapping[str, float] | None) -> str:
    if reached is None:
        return "-"
    return f"{reached['seconds'] / 60:.1f} ({reached['iteration']:g})"
