"""A stage on a server whose bots carry out what a kernel decided: what all such games share.

Bots walk to cells, a column of blocks each, and the server is asked until it says what it should;
where it does not, the game has failed.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable

from voxpolis.records import events
from voxpolis.worlds.minecraft.session import MinecraftSession
from voxpolis.worlds.protocol import FaultError

# Of a bot's program for one step, in game seconds; the way across a map is the longest.
STEP_TIMEOUT_S = 60.0
# How often a bot sets out for a cell before the game has failed.
ATTEMPTS = 3
# How often the server is asked until it says what it should, and how long between, in game
# seconds.
LOOKS, LOOK_S = 200, 0.1


class BotStage:
    """A game on a server that bots carry out."""

    def __init__(self, session: MinecraftSession) -> None:
        self._session = session
        self._began = session.writer.clock.now()

    def _begin(self) -> None:
        self._began = self._session.writer.clock.now()

    def seconds(self) -> float:
        """Return the game seconds since everybody was at its place."""
        return round(self._session.writer.clock.now() - self._began, 2)

    async def _carry_out(
        self,
        agent: str,
        program: str,
        walk: str,
        column: tuple[int, int],
        *,
        only_by_it: bool = False,
    ) -> None:
        """Run a bot's program, behind which it is in a column; where it is not it sets out again.

        Args:
            agent: whose bot it is.
            program: what it does.
            walk: the program that only walks there.
            column: the x and z where it is to be, by the server.
            only_by_it: the game has failed where the program does not get done.
        """
        said = ""
        for _ in range(ATTEMPTS):
            result = await self._session.world.bodies[agent].run(program, STEP_TIMEOUT_S)
            said = result.error.message if result.error else result.status
            if result.status == "done" and await self._is_in(agent, column):
                return
            if only_by_it and program != walk and result.status != "done":
                await self._fail(f"{agent} could not do what it did on the grid: {said}")
            program = walk
        if not await self._comes_true(lambda: self._is_in(agent, column)):
            await self._fail(f"{agent} did not get to x {column[0]}, z {column[1]}: {said}")

    async def _is_in(self, agent: str, column: tuple[int, int]) -> bool:
        x, _, z = await self._session.world.position(agent)
        return (math.floor(x), math.floor(z)) == column

    async def _comes_true(self, question: Callable[[], Awaitable[bool]]) -> bool:
        for _ in range(LOOKS):
            if await question():
                return True
            await self._session.writer.clock.sleep(LOOK_S)
        return False

    async def _fail(self, message: str) -> None:
        self._session.note(events.Fault, where="server", message=message)
        raise FaultError(message)
