"""How a curriculum enters a Minecraft world, and whether the world kept its pace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from voxpolis.bridge.protocol import Movement, Primitives
from voxpolis.experiments.loops.curriculum.protocol import CurriculumScenario, CurriculumWorld
from voxpolis.experiments.run.experiment import Case, Session
from voxpolis.records import events

if TYPE_CHECKING:  # only a run in Minecraft loads what that takes
    from voxpolis.worlds.minecraft.land import MinecraftLand
    from voxpolis.worlds.minecraft.session import MinecraftSession


class Door:
    """Lets the agents join a server once a run; they stay until it is over."""

    def __init__(self) -> None:
        self._opened: MinecraftSession | None = None

    async def enter(
        self,
        scenario: CurriculumScenario,
        case: Case,
        session: Session,
        primitives: Primitives = "strict",
    ) -> MinecraftLand:
        """Return the world of a case.

        Raises:
            RconError: the server's RCON does not answer.
            BridgeError: the agents cannot join.
        """
        # only this world needs a server and its bots
        from voxpolis.worlds.minecraft.land import MinecraftLand  # noqa: PLC0415
        from voxpolis.worlds.minecraft.session import open_session  # noqa: PLC0415

        agents = tuple(scenario.agent_names)
        if self._opened is None:
            assert session.server is not None
            is_arena = scenario.layout(case.seed) is not None
            movement: Movement = "careful" if is_arena else "free"
            opening = open_session(
                session.server,
                session.writer,
                agents,
                movement,
                is_arena,
                standstill=session.standstill,
                primitives=primitives,
                hosts=session.hosts,
            )
            self._opened = await session.stack.enter_async_context(opening)
        return MinecraftLand(self._opened, agents, scenario.program_limit_s, case.seed)


async def is_sound(world: CurriculumWorld, since: float, session: Session) -> bool:
    """Return whether the world kept pace since a time of the run's; say and record if not."""
    late = await world.check_speed(world.now() - since)
    if late is None:
        return True
    said = late.verdict(counts=False)
    session.faults.append(said)
    session.say(f"warning: {said}")
    session.writer.event(events.EpisodeUnsound)
    return False
