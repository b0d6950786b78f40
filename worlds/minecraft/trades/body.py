"""A bot as an agent's body in a village with trades."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from voxpolis.bots.agents.piano import Surroundings
from voxpolis.bridge.protocol import RunResult
from voxpolis.worlds.layout import Block
from voxpolis.worlds.minecraft.village import Villager
from voxpolis.worlds.society import THE_OPEN, Place, Resident
from voxpolis.worlds.trades import HUNGRY
from voxpolis.worlds.trades.rules import AWAY

if TYPE_CHECKING:
    from voxpolis.worlds.minecraft.trades.village import MinecraftTradeVillage

#: Whoever goes to a site walks so near to its middle, in blocks: something may stand
#: there, or it is a pond.
SITE_REACH = 6
#: How a program ended that was never begun.
NEVER_BEGUN = RunResult(status="stopped", error=None, logs=[], seconds=0.0)


class TradeVillager(Villager):
    """One person's body in a village with trades; see :class:`bots.agents.piano.body.Body`."""

    def __init__(self, village: MinecraftTradeVillage, resident: Resident, chest: Block) -> None:
        super().__init__(village, resident, chest)
        self._trades = village
        self.chest = chest

    def notices(self) -> Surroundings:
        village = self._trades
        seen = ((other, village.doing(other)) for other in self.near())
        return Surroundings(
            feels=HUNGRY if village.is_hungry(self._resident.name) else "",
            doing={other: action for other, action in seen if action},
            things=village.things(self.place()),
        )

    def place(self) -> str:
        sites = self._trades.trades.sites.items()
        at = {name: self._away(self._where(name)) for name, site in sites}
        near = [name for name, site in sites if at[name] <= site.radius]
        return min(near, key=lambda name: at[name], default=THE_OPEN)

    def is_at(self, target: str) -> bool:
        """Return whether it is at a place, or next to somebody; whoever works there is."""
        if self._trades.works_at(self._resident.name, target):
            return True
        site = self._trades.trades.sites.get(target)
        return (
            super().is_at(target)
            if site is None
            else self._away(self._where(target)) <= site.radius
        )

    def _where(self, target: str) -> Place:
        if target == AWAY:
            return self._trades.aim(self._resident.name)
        return super()._where(target)

    def _reach(self, target: str) -> int:
        return SITE_REACH if target in self._trades.trades.sites else super()._reach(target)

    def _begin(self, errand: Callable[[], Awaitable[None]] | None) -> None:
        self._trades.stop_work(self._resident.name)
        super()._begin(errand)

    async def _go(self, to: str) -> None:
        """Walk there; on, where it was stopped to take what it was given."""
        errand, result = self._errands, NEVER_BEGUN
        while result.status == "stopped" and errand == self._errands:
            await self._trades.stand_still(self._resident.name)
            if errand == self._errands:
                result = await self._walk(to)

    def begin_work(self, errand: Callable[[], Awaitable[None]]) -> None:
        self._begin(errand)
