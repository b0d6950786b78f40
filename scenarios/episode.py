"""One episode: all policies start at the same moment and run until the end condition."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal

from bridge import RunResult
from records import events
from scenarios.ledger import Ledger
from scenarios.scenario import Scenario
from scenarios.world import FaultError, Stage

POLL_PERIOD_S = 1.0
#: Code is given a little longer than the episode: the episode's end stops it, not its own limit.
CODE_SLACK_S = 30.0

Inventories = dict[str, dict[str, int]]
EndReason = Literal["time_limit", "all_gained", "policies_ended"]


@dataclass
class Snapshot:
    """How an episode stands, for the live view."""

    seconds_left: float
    inventories: Inventories


@dataclass
class EpisodeResult:
    """How an episode ended: what the server says everyone holds, and how the programs ran."""

    inventories: Inventories
    programs: dict[str, RunResult]
    reason: EndReason
    seconds: float


OnSnapshot = Callable[[Snapshot], None]


async def play(
    scenario: Scenario,
    stage: Stage,
    policies: Mapping[str, str],
    seed: int,
    on_snapshot: OnSnapshot,
) -> EpisodeResult:
    """Play one episode in an arena that was reset.

    Args:
        scenario: its time limit and end condition.
        stage: the world and its record.
        policies: the JavaScript program of each agent.
        seed: fixes the programs' random numbers.
        on_snapshot: called about once a second.

    Raises:
        FaultError: a bot, the bridge or the server was lost.
    """
    ledger = Ledger(stage.world, scenario.agents, tuple(scenario.dug), scenario.chest)
    await ledger.open(await stage.world.inventories(scenario.agents))
    clock = stage.writer.clock
    started = clock.now()
    programs = {
        agent: asyncio.create_task(
            stage.world.bodies[agent].run(code, scenario.time_limit_s + CODE_SLACK_S, seed)
        )
        for agent, code in policies.items()
    }
    fault = asyncio.create_task(stage.fault())
    living = asyncio.create_task(scenario.live(stage.world, seed))
    ending = asyncio.create_task(_watch(scenario, stage, ledger, programs, started, on_snapshot))
    try:
        await asyncio.wait({ending, fault}, return_when=asyncio.FIRST_COMPLETED)
        if fault.done():
            raise FaultError(fault.result())
        reason = await ending
        if living.done():
            living.result()
        await _stop_all(stage, programs)
        results = {agent: await task for agent, task in programs.items()}
        inventories = await _look(scenario, stage, ledger)
    finally:
        leftovers = [ending, fault, living, *programs.values()]
        for task in leftovers:
            task.cancel()
        await asyncio.gather(*leftovers, return_exceptions=True)
    seconds = round(clock.now() - started, 2)
    return EpisodeResult(inventories, results, reason, seconds)


async def _watch(
    scenario: Scenario,
    stage: Stage,
    ledger: Ledger,
    programs: Mapping[str, asyncio.Task[RunResult]],
    started: float,
    on_snapshot: OnSnapshot,
) -> EndReason:
    """Sample the server's inventories once a second until the episode is over."""
    clock = stage.writer.clock
    while True:
        inventories = await _look(scenario, stage, ledger)
        left = scenario.time_limit_s - (clock.now() - started)
        on_snapshot(Snapshot(max(left, 0.0), inventories))
        if scenario.is_all_gained(inventories):
            return "all_gained"
        if left <= 0:
            return "time_limit"
        pause = clock.wall_seconds(min(POLL_PERIOD_S, left))
        _, running = await asyncio.wait(programs.values(), timeout=pause)
        if not running:
            return "policies_ended"


async def _stop_all(stage: Stage, programs: Mapping[str, asyncio.Task[RunResult]]) -> None:
    running = [agent for agent, task in programs.items() if not task.done()]
    bodies = stage.world.bodies
    await asyncio.gather(*(bodies[agent].stop("the episode is over") for agent in running))


async def _look(scenario: Scenario, stage: Stage, ledger: Ledger) -> Inventories:
    """Record what the server says everyone holds and did."""
    inventories = await stage.world.inventories(scenario.agents)
    for agent, items in inventories.items():
        value = scenario.value(agent, items)
        stage.note(events.Inventory, agent, items=items, value=value)
    for entry in await ledger.read(inventories):
        stage.note(
            events.LedgerEntry,
            entry.agent,
            action=entry.action,
            item=entry.item,
            count=entry.count,
        )
    return inventories
