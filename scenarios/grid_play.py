"""Playing an episode of AdaSociety's games on the grid, into a run's record."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from bots.agents.planner import Player
from bots.agents.planner.execution import Execution
from grid.adasociety.game import Game, Rules
from grid.adasociety.metrics import completion_rates, degrees, fairness, share_ratio
from grid.adasociety.oracle import Optimum
from grid.adasociety.social import social_graph
from grid.adasociety.vector import VectorGame
from records import RunWriter, SimulatedClock, events
from scenarios.minds import ChosenMind
from scenarios.scenery import of_grid


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
        self._writer.event(events.WorldBuilt, **of_grid(table))
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
            items = {what: n for what, n in held if n}
            score = round(float(self._table.state.score[0, i]), 6)
            self._note(events.Inventory, agent, items=items, value=score)
            self._note(events.GroupsChanged, agent, groups=groups)

    def _note(self, kind: type[events.Event], agent: str, **fields: Any) -> None:
        key = (kind.__name__, agent)
        if self._told.get(key) != fields:
            self._told[key] = fields
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
