"""The grid as a world for arenas. No server is needed, and a seed determines the course of an
episode.

A cell is a column of blocks, and a step takes a fixed fraction of a second. Bodies execute plans. A
step is taken when every active agent has chosen its action, however long that takes. The counters
of the compiled kernel serve as the world's account.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from voxpolis.bots.agents.protocol import PolicyFormat
from voxpolis.grid.adasociety.tables import STAY
from voxpolis.grid.adasociety.vector import VectorGame
from voxpolis.records import RunWriter, SimulatedClock, events
from voxpolis.worlds.adasociety.execution import MAX_STEPS
from voxpolis.worlds.adasociety.plan_program import Mailboxes, plan_format
from voxpolis.worlds.grid_body import GridBody
from voxpolis.worlds.grid_stage import Piles
from voxpolis.worlds.layout import Block, Column, Layout, Source, grid_form
from voxpolis.worlds.protocol import Account, ActionLog, Ending, EndReason, Episode, LoggedAction

# Step limit of the grid game; the scenario ends an episode earlier.
STEPS = 1_000_000
# Logged actions, and the names of the kernel's counters.
COUNTED: Mapping[LoggedAction, str] = {
    "dug": "gathered",
    "took": "taken",
    "put": "put",
    "placed": "dropped",
}


class GridArena:
    """Arenas on the grid; see :class:`worlds.protocol.World`."""

    kind = "grid"

    def __init__(
        self,
        writer: RunWriter,
        clock: SimulatedClock,
        layout: Layout,
        agents: Sequence[str],
        steps_per_s: int = 1,
    ) -> None:
        """Prepare the world. ``layout`` lists what an arena may contain; each episode then builds
        its own layout.
        """
        self.agents = list(agents)
        self.seen: list[events.Event] = []
        self.mail = Mailboxes(self.agents)
        self.form = grid_form(layout, STEPS)
        self._bodies = {agent: GridBody(self, agent) for agent in self.agents}
        # Steps after which an unfinished plan is skipped.
        self.max_plan_steps = MAX_STEPS * steps_per_s
        self._writer = writer
        self._clock = clock
        self._steps_per_s = steps_per_s
        self.format = self.format_of(layout, agents)

    @staticmethod
    def format_of(layout: Layout, agents: Sequence[str]) -> PolicyFormat:
        form = grid_form(layout, STEPS)
        things = form.rules.in_play(form.game)[0]
        return plan_format(things, list(agents), has_chest=layout.chest is not None)

    def begin(self, episode: int) -> None:
        self._writer.begin_episode(episode)

    def note(self, kind: type[events.Event], agent: str | None = None, **fields: object) -> None:
        self.seen.append(self._writer.event(kind, agent, **fields))

    def note_later(self, agent: str, kind: type[events.Event], **fields: object) -> None:
        """Record an agent's event together with the next step. Events of a step are then ordered by
        agent, and not by the order in which the agents were computed.
        """
        self._later.append((agent, kind, fields))

    def body(self, agent: str) -> GridBody:
        return self._bodies[agent]

    def now(self) -> float:
        return self._clock.now()

    # --- Building --------------------------------------------------------------------------------

    async def build(self, layout: Layout, seed: int) -> None:
        self.layout, self.form = layout, grid_form(layout, STEPS)
        rules, game = self.form.rules, self.form.game
        self.game = VectorGame(rules, game, 1, action_log=True, execution="auto")
        self.observed, _ = self.game.reset(seed=seed)
        self.seen.clear()
        self.mail = Mailboxes(self.agents)
        self.log = ActionLog()
        self._later: list[tuple[str, type[events.Event], Mapping[str, object]]] = []
        self._drops: dict[str, Counter[str]] = {agent: Counter() for agent in self.agents}
        self._rng = random.Random(f"grid loot {seed}")
        self._counted = self._counts()
        self._began = self._clock.now()
        self._waiting: dict[int, tuple[int, asyncio.Future[None]]] = {}
        self._woken = asyncio.Event()
        self.note(events.WorldBuilt, **layout.scenery())
        names, form = self.game.names.resources, self.form
        self._piles = Piles(self.game, names, form.source_of, form.origin)
        self._piles.changed()  # the scenery already includes them
        for index, agent in enumerate(self.form.agents):
            self._bodies[agent].begin(index)
        for agent, place in self.account().positions.items():
            self.note(events.PositionSampled, agent, position=place)

    async def standing(self, block: str, places: Sequence[Block]) -> int:
        units = self.game.units(self._resource(block))
        columns = Counter(self._cell((x, z)) for x, _, z in places)
        return sum(min(int(units[cell]), most) for cell, most in columns.items())

    async def grow(self, block: str, places: Sequence[Block]) -> None:
        resource = self._resource(block)
        for x, _, z in places:
            cell = self._cell((x, z))
            most = sum((a, b) == (x, z) for a, _, b in self.layout.blocks[block])
            units = int(self.game.units(resource)[cell])
            if units < most:
                self.game.set_units(resource, cell, units + 1)

    def _resource(self, block: str) -> str:
        return next(name for name, of in self.form.source_of.items() if of == block)

    def _cell(self, column: Column) -> tuple[int, int]:
        return column[0] - self.form.origin[0], column[1] - self.form.origin[1]

    async def announce(self, text: str) -> None:
        self.note(events.Chat, None, text=text)

    def steps_to_collect(self) -> dict[str, int]:
        """Return the number of steps that digging one unit takes, for each resource that has to be
        dug.
        """
        return {
            resource: max(1, round(self.layout.sources[block].seconds * self._steps_per_s))
            for resource, block in self.form.source_of.items()
        }

    # --- Playing ---------------------------------------------------------------------------------

    async def take_step(self, index: int, action: int) -> None:
        """Submit an agent's action for the next step, and wait until the step is taken."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting[index] = (action, future)
        self._woken.set()
        await future

    def signal(self, sender: str, to: str) -> None:
        """Record that a signal was sent. The mailbox delivers it."""
        self.log.signals[sender] += 1
        self.note_later(sender, events.Signal, to=to, name="go")

    async def run(self, episode: Episode) -> Ending:
        tasks = {agent: asyncio.ensure_future(life) for agent, life in episode.lives.items()}
        for task in tasks.values():
            task.add_done_callback(lambda _: self._woken.set())
        self._began = self._clock.now()
        episode.watch(self.account())
        try:
            ending = await self._steps(tasks, episode)
        finally:
            for task in tasks.values():
                task.cancel()
            await asyncio.gather(*tasks.values(), return_exceptions=True)
            self._note_pending()
        return ending

    async def _steps(self, tasks: Mapping[str, asyncio.Future[None]], episode: Episode) -> Ending:
        step, reason = 0, None
        while reason is None:
            await self._all_have_chosen(tasks)
            self._note_pending()
            step += 1
            # A step's outcome is recorded with the time at which the step ends.
            self._clock.set(self._began + step / self._steps_per_s)
            self._step()
            if episode.dynamics is not None and step % self._steps_per_s == 0:
                await episode.dynamics.tick(self)
            if piles := self._piles.changed():
                self.note(events.PilesChanged, piles=piles)
            account = self.account()
            reason = _ended(
                episode.watch(account), account.passed_s, episode.limit_s, tasks.values()
            )
        return Ending(reason, round(self._clock.now() - self._began, 3))

    async def _all_have_chosen(self, tasks: Mapping[str, asyncio.Future[None]]) -> None:
        """Wait until every agent has submitted an action or has ended."""
        while True:
            self._woken.clear()
            for agent, task in tasks.items():
                if task.done():
                    task.result()
                elif self._bodies[agent].index not in self._waiting:
                    break
            else:
                return
            await self._woken.wait()

    def _step(self) -> None:
        waiting, self._waiting = self._waiting, {}
        actions = np.full((1, len(self.agents)), STAY)
        for body in self._bodies.values():
            if body.index in waiting:
                actions[0, body.index] = waiting[body.index][0]
            else:
                body.look()
                actions[0, body.index] = body.idle.idle_action()
        self.observed, *_ = self.game.step(actions)
        self._count()
        for _, future in waiting.values():
            if not future.done():
                future.set_result(None)

    # --- The account -----------------------------------------------------------------------------

    def _counts(self) -> npt.NDArray[np.int64]:
        """Return a copy of the kernel's counters of units: (N, actions, R)."""
        counts = self.game.counts
        return np.stack([getattr(counts, name)[0] for name in COUNTED.values()], 1)

    def _count(self) -> None:
        counted, self._counted = self._counted, self._counts()
        new = self._counted - counted
        changes = np.argwhere(new).tolist() if new.any() else []
        positions, actions = self.game.state.position[0].tolist(), tuple(COUNTED)
        for agent in self.agents:
            index = self._bodies[agent].index
            self._position(agent, *positions[index])
            for i, action, number in changes:
                if i == index:
                    resource, units = self.game.names.resources[number], int(new[i, action, number])
                    self._enter(agent, actions[action], resource, units)

    def _position(self, agent: str, row: int, column: int) -> None:
        self.note(events.PositionSampled, agent, position=self._place(row, column))

    def _place(self, row: int, column: int) -> tuple[float, float, float]:
        x, z = self.form.origin
        return float(row + x), float(self.layout.ground_y), float(column + z)

    def _enter(self, agent: str, action: LoggedAction, resource: str, units: int) -> None:
        block = self.form.source_of.get(resource)
        dug = action in ("dug", "placed") and block is not None
        item = block if dug and block is not None else resource
        self.log.add(agent, action, item, units)
        self.note(events.LedgerEntry, agent, action=action, item=item, count=units)
        if action == "dug" and block is not None:
            self._drop(agent, self.layout.sources[block], units)

    def _drop(self, agent: str, source: Source, units: int) -> None:
        for _ in range(units if source.loot else 0):
            (count,) = self._rng.choices(list(source.loot), list(source.loot.values()))
            self._drops[agent][source.item] += count

    def holdings(self, agent: str) -> dict[str, int]:
        names, sources = self.game.names.resources, self.layout.sources
        counts = self.game.state.inventory[0, self._bodies[agent].index].tolist()
        held = {
            name: count
            for name, count in zip(names, counts, strict=True)
            if count and not (name in sources and sources[name].loot)
        }
        return held | {item: count for item, count in self._drops[agent].items() if count}

    def account(self) -> Account:
        at = self.game.state.position[0].tolist()
        positions = {agent: self._place(*at[body.index]) for agent, body in self._bodies.items()}
        inventories = {agent: self.holdings(agent) for agent in self.agents}
        return Account(inventories, positions, self.log, round(self.now() - self._began, 6))

    def _note_pending(self) -> None:
        later, self._later = self._later, []
        for name in self.agents:
            for agent, kind, fields in later:
                if agent == name:
                    self.note(kind, agent, **fields)

    async def check_speed(self, seconds: float) -> None:
        """Return None, because a simulated clock is never late."""


def _ended(is_over: bool, passed_s: float, limit_s: float, tasks: Any) -> EndReason | None:
    if is_over:
        return "all_gained"
    if passed_s >= limit_s:
        return "time_limit"
    return "policies_ended" if all(task.done() for task in tasks) else None
