"""A Minecraft world for scenarios.

The server's state is read over RCON, and agents' bodies are bots.
"""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import Awaitable, Sequence
from typing import Any, Protocol

from voxpolis.bridge.bridge import Bot, Bridge
from voxpolis.bridge.placement import join_in_waves
from voxpolis.bridge.protocol import Movement, Observation, Primitives
from voxpolis.bridge.snbt import parse_entity_data, parse_snbt
from voxpolis.records.vanilla import is_refusal

# Time in seconds (of real time) within which a bot must rejoin after its program was killed.
RETURN_TIMEOUT_S = 30.0
RETURN_LOOK_S = 0.1
# Time in seconds that the bridge may need to notice a lost host after the server has noticed the
# loss.
LOSS_NOTICE_S = 2.0
# Time in seconds within which a body must know its new position, and come to rest if it falls. The
# tolerance in blocks is that of the vanilla server, which reports "moved wrongly" if the square of
# the distance exceeds 0.0625.
ARRIVAL_TIMEOUT_S = 30.0
ARRIVAL_BLOCKS = 0.25
# From this number of agents on, a single command asks the server about all agents.
BULK_QUERY_AGENTS = 8
Position = tuple[float, float, float]
_DATA = " has the following entity data: "
_BLOCK_DATA = " has the following block data: "
_SCORE = re.compile(r" has (-?\d+) \[")


class WorldError(RuntimeError):
    """The server refused a command or gave an unexpected answer."""


class AwayError(RuntimeError):
    """The host of an agent is lost, and the agent's body has not rejoined yet."""


class Commands(Protocol):
    """Sends commands to a server and returns its answers, as an RCON client does."""

    async def command(self, line: str) -> str:
        """Send a command, and return the answer."""


class MinecraftWorld:
    """A world for scenarios, on any Minecraft 1.20.4 server."""

    name = "minecraft"

    def __init__(self, commands: Commands, bridge: Bridge, host: str, port: int) -> None:
        self._commands = commands
        self.bridge = bridge
        self._host = host
        self._port = port

    @property
    def bodies(self) -> dict[str, Bot]:
        return self.bridge.bots

    async def enter(
        self,
        names: Sequence[str],
        movement: Movement = "careful",
        refereed: bool = False,
        primitives: Primitives = "strict",
    ) -> None:
        """Let agents join. Only the first agent's bot reports what other players do (``listens``).

        For the arguments see :class:`bridge.protocol.Spawn`.

        Raises:
            BridgeError: an agent cannot join.
        """
        await self.bridge.ensure_hosts(len(self.bodies) + len(names))

        def join(name: str) -> Awaitable[Bot]:
            listens = name == names[0]
            where = (name, self._host, self._port)
            return self.bridge.spawn(*where, movement, refereed, listens, primitives)

        await join_in_waves(names, join)

    async def ask(self, line: str) -> str:
        """Return the server's answer to a command that changes nothing."""
        return await self._commands.command(line)

    async def edit(self, line: str) -> str:
        """Change the world with a command, and return the answer.

        If the command fails because an agent is rejoining, the command is repeated.

        Raises:
            WorldError: the server refused the command.
        """
        answer = await self._commands.command(line)
        while is_refusal(answer) and await self._has_come_back(line):
            answer = await self._commands.command(line)
        if is_refusal(answer):
            raise WorldError(f"the server refused {line!r}: {answer.splitlines()[0]}")
        return answer

    async def reset(self, layout: Sequence[str]) -> None:
        """Build a layout, which is a list of commands, and discard all signals.

        The method waits until every body knows its new position, because a program could otherwise
        act as if the body were still at its old position.

        Raises:
            WorldError: the server refused a command, or a body did not arrive.
        """
        await self.bridge.clear_signals()
        for line in layout:
            await self.edit(line)
        await asyncio.gather(*(self._arrive(agent) for agent in list(self.bodies)))

    async def _arrive(self, agent: str) -> None:
        """Wait until an agent's body and the server agree about its position."""
        deadline = time.monotonic() + ARRIVAL_TIMEOUT_S
        while True:
            observed = await self.observe(agent)
            expected = await self.position(agent)
            if math.dist(observed.position, expected) <= ARRIVAL_BLOCKS:
                return
            if time.monotonic() > deadline:
                raise WorldError(f"{agent} is at {observed.position}, the server says {expected}")
            await asyncio.sleep(RETURN_LOOK_S)

    async def inventory(self, agent: str) -> dict[str, int]:
        """Return the number of each item that an agent has.

        The names of items do not have the prefix ``minecraft:``.

        Raises:
            WorldError: the agent is not in the world.
        """
        return _count_items(await self._data(agent, "Inventory"))

    async def container(self, place: tuple[int, int, int]) -> dict[str, int]:
        """Return the number of each item in a container, by the item's name.

        Raises:
            WorldError: there is no container at this place.
        """
        x, y, z = place
        answer = await self._commands.command(f"data get block {x} {y} {z} Items")
        if _BLOCK_DATA not in answer:
            raise WorldError(f"no container at {x} {y} {z}: {answer}")
        return _count_items(parse_snbt(answer.split(_BLOCK_DATA, 1)[1]))

    async def objective(self, name: str, criterion: str) -> None:
        """Count for each agent, from now on, what the scoreboard criterion ``criterion`` names.

        Raises:
            WorldError: the criterion does not exist.
        """
        await self.ask(f"scoreboard objectives remove {name}")
        await self.edit(f"scoreboard objectives add {name} {criterion}")

    async def score(self, agent: str, objective: str) -> int:
        answer = await self.ask(f"scoreboard players get {agent} {objective}")
        found = _SCORE.search(answer)
        return int(found[1]) if found else 0

    async def position(self, agent: str) -> Position:
        """Return the position of an agent according to the server.

        Raises:
            WorldError: the agent is not in the world.
        """
        x, y, z = await self._data(agent, "Pos")
        return (x, y, z)

    async def food(self, agent: str) -> int:
        """Return the food level of an agent according to the server, from 0 to 20.

        Raises:
            WorldError: the agent is not in the world.
        """
        return int(await self._data(agent, "foodLevel"))

    async def health(self, agent: str) -> float:
        """Return the health of an agent according to the server, from 0 to 20.

        Raises:
            WorldError: the agent is not in the world.
        """
        return float(await self._data(agent, "Health"))

    async def air(self, agent: str) -> int:
        """Return for how many ticks an agent still has air, at most 300.

        Raises:
            WorldError: the agent is not in the world.
        """
        return int(await self._data(agent, "Air"))

    async def burns(self, agent: str) -> bool:
        """Return whether an agent is on fire.

        Raises:
            WorldError: the agent is not in the world.
        """
        return int(await self._data(agent, "Fire")) > 0

    async def has(self, player: str) -> bool:
        """Return whether a player is in the game."""
        return _DATA in await self._commands.command(f"data get entity {player} Pos")

    def is_away(self, agent: str) -> bool:
        """Return whether an agent has lost its host and has not rejoined yet."""
        return self.bridge.is_away(agent)

    async def glance(self, agent: str) -> tuple[Position, dict[str, int]] | None:
        """Return the position and the inventory of an agent; None if the agent has lost its host.

        Raises:
            WorldError: the agent is not in the world.
        """
        try:
            x, y, z = await self._data(agent, "Pos", patient=False)
            items = await self._data(agent, "Inventory", patient=False)
        except AwayError:
            return None
        return (x, y, z), _count_items(items)

    async def glances(
        self, agents: Sequence[str]
    ) -> dict[str, tuple[Position, dict[str, int]] | None]:
        """Return the positions and inventories of several agents; see :meth:`glance`.

        Raises:
            WorldError: an agent is not in the world.
        """
        places = await self._data_of(agents, "Pos")
        held = await self._data_of(agents, "Inventory")
        missing = [agent for agent in agents if agent not in places or agent not in held]
        seen = dict(zip(missing, await asyncio.gather(*map(self.glance, missing)), strict=True))
        for agent in agents:
            if agent not in seen:
                x, y, z = places[agent]
                seen[agent] = (x, y, z), _count_items(held[agent])
        return seen

    async def _has_come_back(self, line: str) -> bool:
        """If a command names an agent that has lost its host, wait until the agent has rejoined.

        Return whether there was such an agent. The server may notice a loss before the bridge does.
        """
        for agent in (word for word in line.split() if word in self.bodies):
            deadline = time.monotonic() + LOSS_NOTICE_S
            while not self.is_away(agent):
                if await self.has(agent) or time.monotonic() > deadline:
                    break
                await asyncio.sleep(RETURN_LOOK_S)
            if self.is_away(agent):
                await self.bodies[agent].observe()
                return True
        return False

    async def _data(self, agent: str, what: str, patient: bool = True) -> Any:
        """Return data of an agent from the server. If the agent's body is rejoining, wait for it.

        ``patient``: if the agent's host is lost, wait for the agent instead of raising AwayError.
        """
        deadline = time.monotonic() + RETURN_TIMEOUT_S
        while True:
            answer = await self._commands.command(f"data get entity {agent} {what}")
            if _DATA in answer:
                return parse_snbt(answer.split(_DATA, 1)[1])
            if self.is_away(agent) and not patient:
                raise AwayError(agent)
            if self.is_away(agent):  # this ends when the agent rejoins or the run ends
                deadline = time.monotonic() + RETURN_TIMEOUT_S
            if agent not in self.bodies or time.monotonic() > deadline:
                gone = "" if agent in self.bodies else f"; {agent} is not in the game"
                raise WorldError(f"no {what} of {agent}: {answer}{gone}")
            await asyncio.sleep(RETURN_LOOK_S)

    async def inventories(self, agents: Sequence[str]) -> dict[str, dict[str, int]]:
        told = await self._data_of(agents, "Inventory")
        missing = [agent for agent in agents if agent not in told]
        held = dict(zip(missing, await asyncio.gather(*map(self.inventory, missing)), strict=True))
        return {a: held[a] if a in held else _count_items(told[a]) for a in agents}

    async def _data_of(self, agents: Sequence[str], what: str) -> dict[str, Any]:
        """Return data of many agents at the same moment, with a single command.

        If there are only a few agents, a bulk query is not worthwhile, and the result is empty.
        Agents about which the server says nothing are left out.
        """
        if len(agents) < BULK_QUERY_AGENTS:
            return {}
        try:
            told = parse_entity_data(
                await self._commands.command(f"execute as @a run data get entity @s {what}")
            )
        except ValueError:
            return {}
        return {agent: told[agent] for agent in agents if agent in told}

    async def observe(self, agent: str) -> Observation:
        return await self.bodies[agent].observe()


def _count_items(items: Sequence[Any]) -> dict[str, int]:
    counts: dict[str, int] = {}
    for item in items:
        name = item["id"].removeprefix("minecraft:")
        counts[name] = counts.get(name, 0) + item["Count"]
    return counts
