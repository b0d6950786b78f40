"""A Minecraft world for scenarios: the server's own state over RCON, agents' bodies as bots."""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import Sequence
from typing import Any, Protocol

from voxpolis.bridge.bridge import Bot, Bridge
from voxpolis.bridge.protocol import Movement, Observation, Primitives
from voxpolis.bridge.snbt import parse_snbt, parse_told
from voxpolis.records.vanilla import is_refusal

# How long a bot whose code had to be killed may take to come back, on the wall's clock.
RETURN_TIMEOUT_S = 30.0
RETURN_LOOK_S = 0.1
# How long the bridge may take to notice that a host is lost, once the server has.
NOTICED_S = 2.0
# How long a body may take to learn where it was put, and to come to rest there if it falls; how
# far it may be off: what vanilla's server lets pass ("moved wrongly" is a square of 0.0625).
ARRIVAL_TIMEOUT_S = 30.0
ARRIVAL_BLOCKS = 0.25
# From so many agents on the server is asked of all of them by one command.
MANY = 8
Position = tuple[float, float, float]
_DATA = " has the following entity data: "
_BLOCK_DATA = " has the following block data: "
_SCORE = re.compile(r" has (-?\d+) \[")


class WorldError(RuntimeError):
    """The server refused a command or answered something else than expected."""


class AwayError(RuntimeError):
    """An agent's host is lost, and its body not back yet."""


class Commands(Protocol):
    """Gives commands to the server and returns its answers, as an RCON client does."""

    async def command(self, line: str) -> str:
        """Give one command and return the answer."""


class MinecraftWorld:
    """The world scenarios play in, on any Minecraft 1.20.4 server."""

    name = "minecraft"

    def __init__(self, commands: Commands, bridge: Bridge, host: str, port: int) -> None:
        self._commands = commands
        self.bridge = bridge
        self._host = host
        self._port = port

    @property
    def bodies(self) -> dict[str, Bot]:
        """The agents' bodies, by name."""
        return self.bridge.bots

    async def enter(
        self,
        names: Sequence[str],
        movement: Movement = "careful",
        refereed: bool = False,
        primitives: Primitives = "strict",
    ) -> None:
        """Let the agents join; see :class:`bridge.protocol.Spawn`. The first one listens.

        Raises:
            BridgeError: the server cannot be joined.
        """
        await self.bridge.make_room(len(self.bodies) + len(names))
        for name in names:  # one after another: Paper refuses joins that come at once
            listens = name == names[0]
            where = (name, self._host, self._port)
            await self.bridge.spawn(*where, movement, refereed, listens, primitives)

    async def ask(self, line: str) -> str:
        """The server's answer to a command that changes nothing."""
        return await self._commands.command(line)

    async def edit(self, line: str) -> str:
        """Change the world by a command.

        What is refused because an agent is on its way back from a lost host is asked again.

        Raises:
            WorldError: the server refused.
        """
        answer = await self._commands.command(line)
        while is_refusal(answer) and await self._has_come_back(line):
            answer = await self._commands.command(line)
        if is_refusal(answer):
            raise WorldError(f"the server refused {line!r}: {answer.splitlines()[0]}")
        return answer

    async def reset(self, layout: Sequence[str]) -> None:
        """Build a layout, a list of commands, and forget what was signalled before.

        It returns when each body knows where the server has put it, so that no program acts on the
        land that its body has just left.

        Raises:
            WorldError: the server refused a command, or a body did not arrive.
        """
        await self.bridge.clear_signals()
        for line in layout:
            await self.edit(line)
        await asyncio.gather(*(self._arrive(agent) for agent in list(self.bodies)))

    async def _arrive(self, agent: str) -> None:
        """Wait until a body and the server agree on where it is."""
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
        """What the server says an agent holds: item name (without ``minecraft:``) → count.

        Raises:
            WorldError: the agent is not in the world.
        """
        return _counted(await self._data(agent, "Inventory"))

    async def container(self, place: tuple[int, int, int]) -> dict[str, int]:
        """What the server says a container holds: item name → count.

        Raises:
            WorldError: there is none.
        """
        x, y, z = place
        answer = await self._commands.command(f"data get block {x} {y} {z} Items")
        if _BLOCK_DATA not in answer:
            raise WorldError(f"no container at {x} {y} {z}: {answer}")
        return _counted(parse_snbt(answer.split(_BLOCK_DATA, 1)[1]))

    async def objective(self, name: str, criterion: str) -> None:
        """Let the server count, from now on, what each agent does (a scoreboard's objective).

        Raises:
            WorldError: there is no such criterion.
        """
        await self.ask(f"scoreboard objectives remove {name}")
        await self.edit(f"scoreboard objectives add {name} {criterion}")

    async def score(self, agent: str, objective: str) -> int:
        """What the server has counted of an agent."""
        answer = await self.ask(f"scoreboard players get {agent} {objective}")
        found = _SCORE.search(answer)
        return int(found[1]) if found else 0

    async def position(self, agent: str) -> Position:
        """Where the server says an agent is.

        Raises:
            WorldError: the agent is not in the world.
        """
        x, y, z = await self._data(agent, "Pos")
        return (x, y, z)

    async def food(self, agent: str) -> int:
        """How much food the server says an agent has, of 20.

        Raises:
            WorldError: the agent is not in the world.
        """
        return int(await self._data(agent, "foodLevel"))

    async def health(self, agent: str) -> float:
        """How well the server says an agent is, from 0 to 20.

        Raises:
            WorldError: the agent is not in the world.
        """
        return float(await self._data(agent, "Health"))

    async def air(self, agent: str) -> int:
        """For how many ticks the server says an agent still has air, up to 300.

        Raises:
            WorldError: the agent is not in the world.
        """
        return int(await self._data(agent, "Air"))

    async def burns(self, agent: str) -> bool:
        """Whether the server says an agent is on fire.

        Raises:
            WorldError: the agent is not in the world.
        """
        return int(await self._data(agent, "Fire")) > 0

    async def has(self, player: str) -> bool:
        """Whether a player is in the game."""
        return _DATA in await self._commands.command(f"data get entity {player} Pos")

    def is_away(self, agent: str) -> bool:
        """Whether an agent's host is lost, and its body on the way back from elsewhere."""
        return self.bridge.is_away(agent)

    async def glance(self, agent: str) -> tuple[Position, dict[str, int]] | None:
        """Where an agent is and what it holds, by the server; None while it is away.

        Raises:
            WorldError: the agent is not in the world.
        """
        try:
            x, y, z = await self._data(agent, "Pos", patient=False)
            items = await self._data(agent, "Inventory", patient=False)
        except AwayError:
            return None
        return (x, y, z), _counted(items)

    async def glances(
        self, agents: Sequence[str]
    ) -> dict[str, tuple[Position, dict[str, int]] | None]:
        """Where several agents are and what they hold; see :meth:`glance`.

        Raises:
            WorldError: one is not in the world.
        """
        places = await self._data_of(agents, "Pos")
        held = await self._data_of(agents, "Inventory")
        missing = [agent for agent in agents if agent not in places or agent not in held]
        seen = dict(zip(missing, await asyncio.gather(*map(self.glance, missing)), strict=True))
        for agent in agents:
            if agent not in seen:
                x, y, z = places[agent]
                seen[agent] = (x, y, z), _counted(held[agent])
        return seen

    async def _has_come_back(self, line: str) -> bool:
        """Whether an agent that a command names was away; if so, once it is back.

        The server may have noticed before the bridge does.
        """
        for agent in (word for word in line.split() if word in self.bodies):
            deadline = time.monotonic() + NOTICED_S
            while not self.is_away(agent):
                if await self.has(agent) or time.monotonic() > deadline:
                    break
                await asyncio.sleep(RETURN_LOOK_S)
            if self.is_away(agent):
                await self.bodies[agent].observe()
                return True
        return False

    async def _data(self, agent: str, what: str, patient: bool = True) -> Any:
        """What the server knows of an agent; waits for one whose body is on its way back.

        ``patient``: also for one whose host is lost; else that is an AwayError.
        """
        deadline = time.monotonic() + RETURN_TIMEOUT_S
        while True:
            answer = await self._commands.command(f"data get entity {agent} {what}")
            if _DATA in answer:
                return parse_snbt(answer.split(_DATA, 1)[1])
            if self.is_away(agent) and not patient:
                raise AwayError(agent)
            if self.is_away(agent):  # which ends with its return or with the run
                deadline = time.monotonic() + RETURN_TIMEOUT_S
            if agent not in self.bodies or time.monotonic() > deadline:
                gone = "" if agent in self.bodies else f"; {agent} is not in the game"
                raise WorldError(f"no {what} of {agent}: {answer}{gone}")
            await asyncio.sleep(RETURN_LOOK_S)

    async def inventories(self, agents: Sequence[str]) -> dict[str, dict[str, int]]:
        """The inventories of several agents."""
        told = await self._data_of(agents, "Inventory")
        missing = [agent for agent in agents if agent not in told]
        held = dict(zip(missing, await asyncio.gather(*map(self.inventory, missing)), strict=True))
        return {a: held[a] if a in held else _counted(told[a]) for a in agents}

    async def _data_of(self, agents: Sequence[str], what: str) -> dict[str, Any]:
        """What the server knows of many agents at one moment, by one command; of few, nothing.

        Those of whom it says nothing are left out.
        """
        if len(agents) < MANY:
            return {}
        try:
            told = parse_told(
                await self._commands.command(f"execute as @a run data get entity @s {what}")
            )
        except ValueError:
            return {}
        return {agent: told[agent] for agent in agents if agent in told}

    async def observe(self, agent: str) -> Observation:
        """What an agent perceives."""
        return await self.bodies[agent].observe()


def _counted(items: Sequence[Any]) -> dict[str, int]:
    """Items as the server lists them, slot by slot, as counts by name."""
    counts: dict[str, int] = {}
    for item in items:
        name = item["id"].removeprefix("minecraft:")
        counts[name] = counts.get(name, 0) + item["Count"]
    return counts
