"""The referee of the synthesis tree in Minecraft, where agents collect and craft by using blocks.

If an agent uses a block, the referee checks the agent's inventory and position on the server. The
referee then takes and gives items by server commands, and verifies the result of each command.
Items can therefore never be created from nothing.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from voxpolis.grid.adasociety import rules as tree
from voxpolis.grid.adasociety.game import Rules
from voxpolis.records import events
from voxpolis.scenarios.crafting_tree.placement import ITEMS, Placement, block, resources_in
from voxpolis.worlds.layout import Block

if TYPE_CHECKING:  # it loads server modules
    from voxpolis.worlds.minecraft.land import MinecraftLand

REACH_BLOCKS = 5.0


class RuleError(Exception):
    """An action breaks a rule of the game. The message is meant for the agent."""


class SynthesisReferee:
    """Decides what happens when an agent uses a block in the arena. Uses are handled one after
    another.
    """

    def __init__(
        self, rules: Rules, placement: Placement, jobs: Mapping[str, str], world: MinecraftLand
    ) -> None:
        self._rules, self._jobs, self._world = rules, jobs, world
        self._piles = {block(cell): pile for cell, pile in placement.piles.items()}
        self._left = {place: pile.units for place, pile in self._piles.items()}
        self._stations = {block(cell): event for cell, event in placement.stations.items()}
        self._chest = block(placement.chest)
        self._asked: asyncio.Queue[events.BlockUsed] = asyncio.Queue()

    def hear(self, event: events.Event) -> None:
        """Queue the use of a block. The referee handles all uses in turn."""
        if isinstance(event, events.BlockUsed):
            self._asked.put_nowait(event)

    def recall(self, event: events.Event) -> None:
        """Restore a pile's number of units from an event of an interrupted run."""
        if isinstance(event, events.Produced):
            place = _block(event.position)
            if place in self._left:
                self._left[place] -= 1

    async def serve(self) -> None:
        """Handle events until cancelled."""
        while True:
            asked = await self._asked.get()
            assert asked.agent is not None
            try:
                text = await self._use(asked.agent, _block(asked.position))
            except RuleError as error:
                await self._world.answer_use(asked.agent, asked.request, False, str(error))
            else:
                await self._world.answer_use(asked.agent, asked.request, True, text)

    async def keep_capacities(self, agent: str, inventory: Mapping[str, int]) -> None:
        """Put items that exceed an agent's capacity back into the chest, from which the agent may
        have taken them.
        """
        capacity = self._rules.jobs[self._jobs[agent]].capacity
        for resource, units in tree.surplus(capacity, resources_in(inventory)).items():
            taken = await self._world.take(agent, ITEMS[resource], units)
            if taken:
                await self._world.drop(ITEMS[resource], taken, self._chest)

    async def _use(self, agent: str, place: Block) -> str:
        pile, event = self._piles.get(place), self._stations.get(place)
        if pile is None and event is None:
            return "nothing happens"
        at = await self._world.position(agent)
        if max(abs(x - b - 0.5) for x, b in zip(at, place, strict=True)) > REACH_BLOCKS:
            raise RuleError("that block is too far away to be used")
        held = resources_in(await self._world.inventory(agent))
        if pile is not None:
            return await self._pick(agent, place, pile.resource, held)
        assert event is not None
        return await self._produce(agent, place, event, held)

    async def _pick(self, agent: str, place: Block, name: str, held: Mapping[str, int]) -> str:
        _check_tools(name, self._rules.resources[name].requires, held)
        self._check_room(agent, name, held)
        if self._left[place] == 0:
            raise RuleError(f"nothing is left of this pile of {name}")
        self._left[place] -= 1
        await self._give(agent, name, "pile", place)
        if self._left[place] == 0:
            await self._world.clear_block(place)
        return f"you get 1 {name}; {self._left[place]} left here"

    async def _produce(self, agent: str, place: Block, name: str, held: Mapping[str, int]) -> str:
        event = self._rules.events[name]
        _check_tools(name, event.requires, held)
        lacking = tree.lacking(event.inputs, held)
        if lacking:
            words = " and ".join(f"{count} {resource}" for resource, count in lacking.items())
            raise RuleError(f"{name} needs {words} more")
        self._check_room(agent, event.output, tree.after(event.inputs, held))
        taken = {r: await self._world.take(agent, ITEMS[r], n) for r, n in event.inputs.items()}
        if taken != event.inputs:  # the agent dropped an input at this moment
            for resource, count in taken.items():
                if count:
                    await self._world.give(agent, ITEMS[resource], count)
            raise RuleError(f"{name} lacks an input that you held a moment ago")
        await self._give(agent, event.output, name, place)
        return f"{name} gives you 1 {event.output}"

    def _check_room(self, agent: str, resource: str, held: Mapping[str, int]) -> None:
        job = self._jobs[agent]
        capacity = self._rules.jobs[job].capacity
        if not tree.has_room(capacity, resource, held):
            raise RuleError(f"a {job} can hold {capacity[resource]} {resource}, and no more")

    async def _give(self, agent: str, resource: str, source: str, place: Block) -> None:
        await self._world.give(agent, ITEMS[resource], 1)
        fields = {"resource": resource, "source": source, "position": place}
        self._world.note(events.Produced, agent, **fields)


def _check_tools(what: str, needed: Sequence[str], held: Mapping[str, int]) -> None:
    missing = tree.missing(needed, held)
    if missing:
        raise RuleError(f"{what} takes who holds {' and '.join(missing)}")


def _block(position: Sequence[float]) -> Block:
    x, y, z = (int(part) for part in position)
    return x, y, z
