"""Where an experiment's episodes are played: a live Minecraft world, or a record of one.

The experiment itself (minds, negotiation, judge, measures) does not know which: in
``scenarios/replaying.py`` the recorded world stands in the live one's place.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Protocol

from bots.action import JAVASCRIPT, Language
from bridge import BridgeError, WorldError
from records import events
from scenarios import words
from scenarios.episode import EpisodeResult, OnSnapshot, play
from scenarios.scenario import Scenario
from scenarios.world import FaultError, Stage
from server import RconError

#: A failed call is often the first sign of a fault whose own event is still on its way.
CAUSE_TIMEOUT_S = 2.0


class Theatre(Protocol):
    """Builds arenas, plays episodes, and keeps what was seen of them."""

    @property
    def seen(self) -> list[events.Event]:
        """All events since the arena was built."""

    @property
    def language(self) -> Language:
        """What policies are written in."""

    def begin(self, episode: int) -> None:
        """What is noted from now on belongs to this episode."""

    def note(self, kind: type[events.Event], agent: str | None = None, **fields: object) -> None:
        """Record an event of the experiment's own."""

    async def build(self, scenario: Scenario, seed: int) -> None:
        """Build the arena and put the agents into it."""

    async def perceive(self, agent: str) -> str:
        """What an agent perceives, in words."""

    async def play(
        self, scenario: Scenario, policies: Mapping[str, str], seed: int, on_snapshot: OnSnapshot
    ) -> EpisodeResult:
        """Play one episode; see :func:`scenarios.episode.play`."""

    async def check_speed(self, seconds: float) -> str | None:
        """What was wrong with the world's pace in the last seconds; see :class:`Stage`."""


class LiveTheatre:
    """A stage on a running server. All methods raise ``FaultError`` where it is lost."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage

    @property
    def seen(self) -> list[events.Event]:
        """See :class:`Theatre`."""
        return self._stage.seen

    @property
    def language(self) -> Language:
        """JavaScript over Mineflayer."""
        return JAVASCRIPT

    def begin(self, episode: int) -> None:
        """See :class:`Theatre`."""
        self._stage.writer.episode = episode

    def note(self, kind: type[events.Event], agent: str | None = None, **fields: object) -> None:
        """See :class:`Theatre`."""
        self._stage.note(kind, agent, **fields)

    async def build(self, scenario: Scenario, seed: int) -> None:
        """See :class:`Theatre`."""
        async with guarded(self._stage):
            await self._stage.reset(scenario.layout(), scenario.starts(seed))
            await self._stage.draw_loot_from(seed)

    async def perceive(self, agent: str) -> str:
        """See :class:`Theatre`."""
        async with guarded(self._stage):
            return words.observation(await self._stage.world.observe(agent))

    async def play(
        self, scenario: Scenario, policies: Mapping[str, str], seed: int, on_snapshot: OnSnapshot
    ) -> EpisodeResult:
        """See :class:`Theatre`."""
        async with guarded(self._stage):
            return await play(scenario, self._stage, policies, seed, on_snapshot)

    async def check_speed(self, seconds: float) -> str | None:
        """See :class:`Theatre`."""
        async with guarded(self._stage):
            return await self._stage.check_speed(seconds)


@asynccontextmanager
async def guarded(stage: Stage) -> AsyncIterator[None]:
    """Turn what the bridge and the server raise into the fault that is behind it."""
    try:
        yield
    except (BridgeError, RconError, WorldError) as error:
        cause = await stage.fault_within(CAUSE_TIMEOUT_S)
        if cause is not None:
            raise FaultError(cause) from error
        where = "server" if isinstance(error, RconError | WorldError) else "bridge"
        stage.note(events.Fault, None, where=where, message=str(error))
        raise FaultError(str(error)) from error
