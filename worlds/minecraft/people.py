"""People who play agents with their own Minecraft clients, and strangers on the same server.

A person takes a seat, which is the name of an agent. As with bots, the server is asked for the
person's position and inventory. A bot listens for the person's chat messages and passes them to the
run. The run answers with the server command ``tellraw``.
"""

from __future__ import annotations

import asyncio
import json
import textwrap
from collections.abc import Callable, Collection, Mapping
from functools import partial

from voxpolis.bots.agents.code_writer import JAVASCRIPT
from voxpolis.bots.agents.person import Seat
from voxpolis.bots.agents.protocol import PolicyFormat
from voxpolis.bridge import MinecraftWorld
from voxpolis.records import events
from voxpolis.records.events import Position
from voxpolis.records.programs import RunResult
from voxpolis.records.text import printable
from voxpolis.records.vanilla import MINECRAFT_VERSION

LOOK_S = 0.25
# Tolerance of a person's start position in blocks, since the person may move before the query.
NEAR_BLOCKS = 1.0
# Maximum number of characters in a line of chat.
LINE_CHARACTERS = 200
# Character that starts formatting codes in clients; agents' words must not contain it.
FORMATTING = "\u00a7"


class People:
    """The people who play in a session."""

    def __init__(
        self,
        world: MinecraftWorld,
        seats: Mapping[str, Seat] | None = None,
        address: str = "",
        say: Callable[[str], None] = print,
    ) -> None:
        self._world = world
        self.seats = dict(seats or {})
        self._address = address
        self._say = say
        for name, seat in self.seats.items():
            seat.attach(partial(self._tell, name))

    def heard(self, event: events.Event, bots: Collection[str]) -> events.Event | None:
        """Convert an event from a listening bot into the event that will be recorded. Return None
        for events that concern the session's own bots.

        If a seated person chats, joins or leaves, the person's seat is informed as well.
        """
        if not isinstance(event, events.PlayerJoined | events.PlayerLeft | events.StrangerSaid):
            return event
        name = event.name
        if name in bots:
            return None
        if name not in self.seats:
            return event.model_copy(update={"agent": None})
        if isinstance(event, events.StrangerSaid):
            self.seats[name].hear(event.text)
            return events.Chat(t=event.t, episode=event.episode, agent=name, text=event.text)
        seat = self.seats[name]
        if isinstance(event, events.PlayerJoined):
            seat.enter()
        else:
            seat.leave()
        return event.model_copy(update={"agent": name, "has_seat": True})

    async def are_here(self) -> None:
        """Wait until all people have joined the game. Print who is missing."""
        for name in self.seats:
            if await self._world.has(name):
                continue
            self._say(
                f"waiting for a person to join {self._address} as {name}, "
                f"with Minecraft {MINECRAFT_VERSION}"
            )
            while not await self._world.has(name):
                await asyncio.sleep(LOOK_S)

    async def settled(self, name: str, place: Position) -> None:
        while True:
            x, _, z = await self._world.position(name)
            away = max(abs(x - place[0]), abs(z - place[2]))
            if away < NEAR_BLOCKS and not await self._world.inventory(name):
                return
            await asyncio.sleep(LOOK_S)

    async def _tell(self, name: str, text: str) -> None:
        for line in text.replace(FORMATTING, "").splitlines():
            for part in textwrap.wrap(printable(line), LINE_CHARACTERS) or [" "]:
                await self._world.ask(f"tellraw {name} {json.dumps({'text': part})}")


class PersonBody:
    """The body of an agent that a person plays; see :class:`bots.agents.protocol.Body`."""

    format: PolicyFormat = JAVASCRIPT

    def __init__(self, world: MinecraftWorld, name: str, seat: Seat) -> None:
        self.name = name
        self.seat = seat
        self._world = world

    @property
    def last(self) -> RunResult | None:
        """A successful result if the person has declared that the episode's task is done, otherwise
        None.
        """
        if not self.seat.has_done:
            return None
        return RunResult(status="done", error=None, logs=[], seconds=0.0)

    def begin(self, program_limit_s: float, seed: int) -> None:
        self.seat.begin()

    async def observe(self) -> str:
        x, y, z = (round(part) for part in await self._world.position(self.name))
        held = await self.inventory()
        goods = ", ".join(f"{count} {item}" for item, count in held.items()) or "nothing"
        return f"You are at ({x}, {y}, {z}). You hold: {goods}."

    async def inventory(self) -> Mapping[str, int]:
        return await self._world.inventory(self.name)

    async def prepare(self) -> None:
        """Do nothing, because a person needs no JavaScript engine."""

    async def act(self, policy: str, skills: Mapping[str, str] | None = None) -> RunResult:
        raise RuntimeError(f"{self.name} is a person, who plays without programs")

    async def stop(self, reason: str) -> None:
        await self.seat.tell(f"Stop: {reason}.")
