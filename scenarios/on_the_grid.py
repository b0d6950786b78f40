"""Contract scenarios on the grid: the headless world in Minecraft's place.

Minds, negotiation, judge and measures are the same; agents write plans instead of JavaScript, and a
step of the grid is a second. What happened comes from the kernel's arrays.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from bots.action import Language
from bots.controllers.knowledge import Knowledge
from bots.controllers.programs import Mailboxes, Performer, plan_language, read_plans
from bots.controllers.words import known_map
from bridge import RunResult
from grid.adasociety.game import Rules, read_game, with_changes
from grid.adasociety.vector import VectorGame
from records import RunWriter, SimulatedClock, events
from scenarios.episode import EndReason, EpisodeResult, Inventories, OnSnapshot, Snapshot
from scenarios.scenario import GridForm, Scenario
from scenarios.scenery import of_grid


def grid_language(scenario: Scenario) -> Language:
    """What policies of a scenario on the grid are written in: plans."""
    assert scenario.grid is not None
    resources, _ = Rules.in_play(*read_game(scenario.grid.game))
    return plan_language(resources, list(scenario.agents))


class GridTheatre:
    """Plays episodes on the grid; see :class:`scenarios.theatre.Theatre`."""

    def __init__(self, scenario: Scenario, writer: RunWriter, clock: SimulatedClock) -> None:
        assert scenario.grid is not None
        self.language = grid_language(scenario)
        self._form: GridForm = scenario.grid
        self._players = list(scenario.agents)
        rules, game = read_game(self._form.game)
        length = int(scenario.time_limit_s) + 1  # the scenario ends an episode, not the game
        self._game = VectorGame(rules, with_changes(rules, game, {"length": length}), 1)
        self._writer = writer
        self._clock = clock
        self._knows: list[Knowledge] = []
        self._told: Inventories = {}
        self.seen: list[events.Event] = []

    def begin(self, episode: int) -> None:
        """What is noted from now on belongs to this episode."""
        self._writer.episode = episode

    def note(self, kind: type[events.Event], agent: str | None = None, **fields: object) -> None:
        """Record an event."""
        self.seen.append(self._writer.event(kind, agent, **fields))

    async def build(self, scenario: Scenario, seed: int) -> None:
        """Begin an episode of the game."""
        self.seen.clear()
        self._told.clear()
        self._game.reset(seed=seed)
        self.note(events.WorldBuilt, **of_grid(self._game))
        tables, names = self._game.tables, self._game.names
        self._knows = [Knowledge(i, tables, names) for i in range(tables.agents)]
        for i, know in enumerate(self._knows):
            own = self._own(i)
            know.see(own["position"], own["inventory"], own["window"], 0)

    def _own(self, i: int) -> dict[str, Any]:
        """An agent's rows of the observation."""
        observed = self._game.observation
        rows = {name: observed[name][0, i] for name in ("position", "inventory", "window")}
        return rows | {"step": observed["step"][0]}

    async def perceive(self, agent: str) -> str:
        """What an agent knows of the map, in words."""
        know = self._knows[self._players.index(agent)]
        row, column = know.position
        return "\n".join([f"You stand at ({row}, {column}).", *known_map(know)])

    async def play(
        self, scenario: Scenario, policies: Mapping[str, str], seed: int, on_snapshot: OnSnapshot
    ) -> EpisodeResult:
        """Carry out the programs until all are done, nothing is left to gain, or time is up."""
        mail, resources = Mailboxes(), self._game.names.resources
        performers = []
        for i, player in enumerate(self._players):
            self.note(events.CodeStarted, player, code=policies[player])
            plans = read_plans(policies[player], resources, self._players)
            performers.append(Performer(player, self._knows[i], plans, mail))
        started = self._clock.now()
        reason: EndReason | None = None
        self._look(scenario)
        while reason is None:
            actions = [p.act(self._own(i)) for i, p in enumerate(performers)]
            for performer in performers:
                for to in performer.signalled:
                    self.note(events.Signal, performer.player, to=to, name="go")
            self._game.step(np.array([actions]))
            self._clock.set(self._clock.now() + 1.0)
            held = self._look(scenario)
            passed = self._clock.now() - started
            on_snapshot(Snapshot(max(scenario.time_limit_s - passed, 0.0), held))
            reason = self._ended(scenario, performers, held, passed)
        results = {p.player: self._result(p, passed) for p in performers}
        return EpisodeResult(held, results, reason, passed)

    def _result(self, performer: Performer, seconds: float) -> RunResult:
        result = RunResult(
            status="done" if performer.is_done else "stopped",
            error=None,
            logs=performer.logs,
            seconds=seconds,
        )
        fields = result.model_dump(exclude={"error"})
        self.note(events.CodeFinished, performer.player, **fields)
        return result

    @staticmethod
    def _ended(
        scenario: Scenario, performers: list[Performer], held: Inventories, passed: float
    ) -> EndReason | None:
        if scenario.is_all_gained(held):
            return "all_gained"
        if passed >= scenario.time_limit_s:
            return "time_limit"
        return "policies_ended" if all(p.is_done for p in performers) else None

    def _look(self, scenario: Scenario) -> Inventories:
        """What everyone holds; what changed is recorded, with what was dug, taken and put."""
        names, found = self._game.names.resources, {}
        for i, player in enumerate(self._players):
            row, column = (float(part) for part in self._game.state.position[0, i])
            counts = zip(names, self._game.state.inventory[0, i].tolist(), strict=True)
            items = {self._form.items[name]: count for name, count in counts if count}
            found[player] = items
            before = self._told.get(player)
            self.note(events.PositionSampled, player, position=(row, 0.0, column))
            if before != items:
                value = scenario.value(player, items)
                self.note(events.Inventory, player, items=items, value=value)
                self._note_ledger(player, before or {}, items)
        self._told = found
        return found

    def _note_ledger(self, player: str, before: Mapping[str, int], now: Mapping[str, int]) -> None:
        for item in sorted({*before, *now}):
            change = now.get(item, 0) - before.get(item, 0)
            if not change:
                continue
            block = self._form.dug.get(item)
            action = "dug" if block else ("took" if change > 0 else "put")
            fields = {"action": action, "item": block or item, "count": abs(change)}
            self.note(events.LedgerEntry, player, **fields)

    async def check_speed(self, seconds: float) -> str | None:
        """Nothing is ever late here."""
        return None
