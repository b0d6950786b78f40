"""The synthesis tree climbed on the grid: the same map, jobs and measures, headless.

A step of the grid is a second. Minds write plans instead of programs (``bots/agents/planner``), and
agents are called by their jobs (``explorer_0``, …).
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Protocol

from grid.adasociety.game import Game, Rules, with_changes
from grid.adasociety.oracle import optimum
from grid.adasociety.vector import VectorGame
from grid.core.data import GameError
from records import RunWriter, SimulatedClock, events, read_record
from scenarios.command import Result, execute
from scenarios.grid_play import Episode, Plan
from scenarios.minds import ChosenMind
from scenarios.usage import UsageError


class SynthesisTree(Protocol):
    """What of a climbing scenario the grid needs."""

    name: str
    tree: str
    time_limit_s: float
    milestones: Sequence[str]
    agent_names: Sequence[str]
    rules: Rules
    game: Game

    def job(self, agent: str) -> str:
        """An agent's job."""

    def model_dump(self, *, mode: str) -> dict[str, Any]:
        """All settings."""


def plan_climb(scenario: SynthesisTree, mind: ChosenMind, seed: int, folder: Path) -> Plan:
    """The synthesis arena's game with the scenario's agents.

    Raises:
        UsageError: the scenario's tree is not the synthesis tree, or does not fit on the map.
    """
    if scenario.tree != "adasociety":
        raise UsageError("--world grid has the synthesis tree only: add --tree adasociety")
    rules = scenario.rules
    jobs = [scenario.job(agent) for agent in scenario.agent_names]
    by_job = {job: jobs.count(job) for job in rules.jobs if job in jobs}
    length = max(1, int(scenario.time_limit_s))
    try:
        game = with_changes(rules, scenario.game, {"agents": by_job, "length": length})
    except GameError as error:
        raise UsageError(str(error)) from error
    return Plan(scenario.name, rules, game, optimum(rules, game), mind, 1, seed, folder)


async def climb(
    scenario: SynthesisTree, plan: Plan, show: Callable[[Result], None], *, debug: bool
) -> int:
    """Play one run into its folder; return the exit code."""
    clock = SimulatedClock()
    manifest = {
        "scenario": scenario.name,
        "config": scenario.model_dump(mode="json"),
        "world": "grid",
        **plan.mind.manifest(),
        "seed": plan.seed,
        "command": sys.argv,
    }

    async def play(writer: RunWriter) -> None:
        writer.event(events.RunStarted, scenario=scenario.name, mind=plan.mind.played)
        table = VectorGame(plan.rules, plan.game, 1, action_masks=True)
        plan.runs.append(await Episode(plan, table, writer, clock).play(0))

    return await execute(
        lambda: RunWriter(plan.folder, manifest, clock),
        play,
        lambda error: _summary(scenario, plan, error),
        show,
        folder=plan.folder,
        debug=debug,
    )


def _summary(scenario: SynthesisTree, plan: Plan, error: str | None) -> Result:
    """The crafting tree's result object, from the record."""
    record = read_record(plan.folder)
    scores = plan.runs[0]["agents"] if plan.runs else {}
    jobs = zip(_names(plan.game), plan.game.jobs, strict=True)
    climbers = {agent: _Climber(agent, job) for agent, job in jobs}
    milestones = tuple(scenario.milestones)
    for event in record.events:
        if event.agent in climbers:
            climbers[event.agent].see(event, milestones)
    result: Result = {
        "scenario": scenario.name,
        "tree": scenario.tree,
        "world": "grid",
        "mind": plan.mind.kind,
        "seed": plan.seed,
        "run_dir": str(plan.folder),
        "agents": {
            agent: climber.outcome(scores.get(agent, {}).get("reward", 0.0))
            for agent, climber in climbers.items()
        },
        "seconds": record.events[-1].t if record.events else 0.0,
        "tokens": sum(
            (call.get("prompt_tokens") or 0) + (call.get("completion_tokens") or 0)
            for call in record.calls
        ),
        "faults": [],
    }
    return result if error is None else {**result, "error": error}


def _names(game: Game) -> list[str]:
    return [f"{job}_{number}" for number, job in enumerate(game.jobs)]


class _Climber:
    """What one agent reached, as its events tell."""

    def __init__(self, agent: str, job: str) -> None:
        self.agent, self.job = agent, job
        self.milestones: dict[str, dict[str, float]] = {}
        self.kinds: dict[str, int] = {}
        self.ended: list[str] = []

    def see(self, event: events.Event, milestones: Sequence[str]) -> None:
        """Take in one event."""
        if isinstance(event, events.PlanEnded):
            self.ended.append(event.outcome)
        elif isinstance(event, events.Inventory):
            for item in set(event.items) - set(self.kinds):
                self.kinds[item] = len(self.ended) + 1
                if item in milestones:
                    at = {"iteration": self.kinds[item], "seconds": event.t}
                    self.milestones[item] = at

    def outcome(self, score: float) -> dict[str, Any]:
        """The agent's entry in the result."""
        completed = sum(outcome.startswith("done") for outcome in self.ended)
        return {
            "job": self.job,
            "milestones": self.milestones,
            "items": len(self.kinds),
            "item_iterations": self.kinds,
            "iterations": len(self.ended),
            "tasks": {"completed": completed, "failed": len(self.ended) - completed},
            "skills": 0,
            "deaths": 0,
            "score": score,
        }
