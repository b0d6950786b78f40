"""The common part of all stages on a server. A stage shows a game in a world; on a server, bots
carry out what the game's kernel has decided.

Bots walk to cells; a cell is a column of blocks. The stage then asks the server repeatedly until
the server confirms the expected state. If that never happens, the game has failed.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable

from voxpolis.records import events
from voxpolis.worlds.minecraft.session import MinecraftSession
from voxpolis.worlds.protocol import FaultError

# Time limit of a bot's program for one step, in game seconds; the longest path crosses the map.
STEP_TIMEOUT_S = 60.0
# Number of attempts to reach a cell before the game has failed.
ATTEMPTS = 3
# Number of queries within which the server must confirm a state, and interval between them in game
# seconds.
LOOKS, LOOK_S = 200, 0.1


class BotStage:
    """A game that bots carry out on a server."""

    def __init__(self, session: MinecraftSession) -> None:
        self._session = session
        self._began = session.writer.clock.now()

    def _begin(self) -> None:
        self._began = self._session.writer.clock.now()

    def seconds(self) -> float:
        """Return the game seconds since all players were in position."""
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
        """Run a bot's program that should end in a certain column. If the bot is not there at the
        end, let it walk there again.

        Args:
            agent: name of the agent.
            program: the program.
            walk: a program that only walks to the column.
            column: x and z of the target. The server is asked whether the bot is there.
            only_by_it: whether the game fails as soon as the program fails, because a walk to the
                column cannot replace the program.
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
