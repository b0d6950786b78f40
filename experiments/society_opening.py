"""Opens the world that a society lives in, and the time that passes there."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from voxpolis.bots.time import RealTime, SimulatedTime, Time
from voxpolis.experiments.citizens import agents_folder
from voxpolis.experiments.experiment import Session
from voxpolis.experiments.society_protocol import Setup
from voxpolis.records import SimulatedClock, events
from voxpolis.worlds.minecraft.trades.doing import Doing
from voxpolis.worlds.society import SocietyWorld, VillagePlan
from voxpolis.worlds.trades import TradePlan, TradeWorld, open_village

#: What is said where a server fell behind its clock while people lived there.
LATE = (
    "the machine did not keep up with the game's clock, so people came late; look at each season "
    "or time before you go by means, and use a lower --speed, fewer people or more cores"
)


def doing(world: SocietyWorld, session: Session) -> Doing | None:
    """Return what lets agents do things by programs of their own; None where no bot runs any."""
    if session.server is None or not isinstance(world, TradeWorld):
        return None
    # only this world needs a server and its bots
    from voxpolis.worlds.minecraft.trades.village import MinecraftTradeVillage  # noqa: PLC0415

    assert isinstance(world, MinecraftTradeVillage)
    return Doing(world, session.model, agents_folder(session), session.timeout_s)


@asynccontextmanager
async def open_world(
    plan: VillagePlan, setup: Setup, session: Session
) -> AsyncIterator[tuple[SocietyWorld, Time]]:
    """Open the world of a society, and the time that passes there."""
    if session.server is None:
        assert isinstance(session.clock, SimulatedClock)
        # answers that come from outside must not show in what order they happen to arrive
        is_outside = session.timeout_s is not None or session.asks_people
        time = SimulatedTime(session.clock, session.pauses.between_moments(), outside=is_outside)
        village = open_village(plan, time.now, seed=setup.seed)
        session.writer.event(events.WorldBuilt, **village.scenery())
        yield village, time
        return
    # only this world needs a server and its bots
    from voxpolis.worlds.minecraft.session import faults_as_errors, open_session  # noqa: PLC0415
    from voxpolis.worlds.minecraft.trades.village import MinecraftTradeVillage  # noqa: PLC0415
    from voxpolis.worlds.minecraft.trades.wild import MinecraftWild  # noqa: PLC0415
    from voxpolis.worlds.minecraft.village import MinecraftVillage  # noqa: PLC0415

    names = tuple(resident.name for resident in plan.residents)
    is_natural = isinstance(plan, TradePlan) and plan.is_natural
    opening = open_session(
        session.server,
        session.writer,
        names,
        "free" if is_natural else "careful",
        standstill=session.standstill,
        hosts=session.hosts,
        rejoins=True,  # a society goes on without some for a while
    )
    async with opening as minecraft, faults_as_errors(minecraft):
        built: MinecraftVillage
        if not isinstance(plan, TradePlan):
            built = MinecraftVillage(minecraft, plan)
        elif plan.is_natural:
            built = MinecraftWild(minecraft, plan, seed=setup.seed, danger=plan.danger)
        else:
            built = MinecraftTradeVillage(minecraft, plan, seed=setup.seed)
        await built.build()
        passing = RealTime(session.clock)
        try:
            yield built, passing
        finally:
            await built.end()
            session.faults += minecraft.losses()
        if await minecraft.check_speed(passing.now()) is not None:
            session.faults.append(LATE)
            session.say(f"warning: {LATE}")
