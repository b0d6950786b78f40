"""Tokens and chests in Minecraft. Bots carry gold nuggets to chests, and the server counts them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from voxpolis.records import events
from voxpolis.worlds.chests import Moves
from voxpolis.worlds.layout import Block, Layout
from voxpolis.worlds.minecraft.bot_stage import ATTEMPTS, STEP_TIMEOUT_S, BotStage
from voxpolis.worlds.minecraft.session import MinecraftSession, faults_as_errors

TOKEN = "gold_nugget"
GROUND_Y = 151


class MinecraftChests(BotStage):
    """A row of chests opposite a row of players; see :class:`worlds.chests.Chests`."""

    def __init__(self, session: MinecraftSession, players: Sequence[str], chests: Sequence[str]):
        super().__init__(session)
        self._players = players
        self._places: dict[str, Block] = {
            name: (2 + 2 * i, GROUND_Y, 2) for i, name in enumerate(chests)
        }

    async def build(self) -> None:
        """Build the platform, and place the players."""
        count = max(len(self._players), len(self._places))
        starts = {n: (2.5 + 2 * i, float(GROUND_Y), 6.5) for i, n in enumerate(self._players)}
        layout = Layout(
            x=(0, 2 * count + 2),
            z=(0, 9),
            ground_y=GROUND_Y,
            wall_height=3,
            floor="smooth_stone",
            starts=starts,
            chests={place: {} for place in self._places.values()},
            places={name: (x + 0.5, float(y), z + 0.5) for name, (x, y, z) in self._places.items()},
        )
        async with faults_as_errors(self._session):
            await self._session.reset(layout)
            world = self._session.world
            await asyncio.gather(*(world.bodies[name].prepare() for name in self._players))
        self._begin()

    async def deal(self, tokens: Mapping[str, int]) -> None:
        """Empty all chests, and give each player exactly the stated number of nuggets."""
        world = self._session.world
        async with faults_as_errors(self._session):
            for x, y, z in self._places.values():
                await world.ask(f"data modify block {x} {y} {z} Items set value []")
            for name, count in tokens.items():
                # the server reports an error for an empty inventory
                await world.ask(f"clear {name}")
                if count:
                    await world.edit(f"give {name} {TOKEN} {count}")

            async def all_hold() -> bool:
                return await self._held() == dict(tokens)

            if not await self._comes_true(all_hold):
                await self._fail(f"players hold {await self._held()}, not {dict(tokens)}")

    async def put(self, moves: Moves) -> Moves:
        """Let the bots carry nuggets to the chests, then check the result on the server.

        Raises:
            FaultError: the numbers of nuggets on the server differ from the players' choices.
        """
        async with faults_as_errors(self._session):
            before = await self._held()
            await asyncio.gather(*(self._carry(name, own) for name, own in moves.items()))
            due = {name: before[name] - sum(moves.get(name, {}).values()) for name in before}
            chests = {
                chest: sum(own.get(chest, 0) for own in moves.values()) for chest in self._places
            }

            async def adds_up() -> bool:
                return await self._held() == due and await self._stored() == chests

            if not await self._comes_true(adds_up):
                found = f"chests hold {await self._stored()}, players {await self._held()}"
                await self._fail(f"{found}; expected {chests} and {due}")
        for name, own in moves.items():
            if count := sum(own.values()):
                put = {"action": "put", "item": TOKEN, "count": count}
                self._session.note(events.LedgerEntry, name, **put)
        return moves

    async def _carry(self, name: str, moves: Mapping[str, int]) -> None:
        """Let a bot put nuggets into one chest after another. If nuggets are missing in a chest,
        the bot tries again.
        """
        for chest, count in moves.items():
            held = (await self._held())[name]
            left = count
            for _ in range(ATTEMPTS):
                if left <= 0:
                    break
                place = f"new Vec3{self._places[chest]}"
                program = f"await depositItemIntoChest(bot, {place}, {{{TOKEN}: {left}}})"
                await self._session.world.bodies[name].run(program, STEP_TIMEOUT_S)
                left = count - (held - (await self._held())[name])

    async def _held(self) -> dict[str, int]:
        found = await self._session.world.inventories(self._players)
        return {name: found[name].get(TOKEN, 0) for name in self._players}

    async def _stored(self) -> dict[str, int]:
        world = self._session.world
        return {n: (await world.container(at)).get(TOKEN, 0) for n, at in self._places.items()}
