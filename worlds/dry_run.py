"""A world in which every program ends immediately. This world serves to collect the prompts of
minds.

``--show-prompts`` uses the world for games that are played in Minecraft, so that no server is
needed.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence

from voxpolis.bots.agents.code_writer import JAVASCRIPT
from voxpolis.bots.agents.protocol import PolicyFormat
from voxpolis.records import RunWriter, events
from voxpolis.records.programs import RunResult
from voxpolis.worlds.layout import Block, Layout
from voxpolis.worlds.protocol import Account, ActionLog, Ending, Episode

# Placeholder for observations.
SEEN = "(what the agent perceives when it is asked)"
# Number of actions after which a body blocks, because its mind would never stop.
MOST_ACTS = 3
_DONE = RunResult(status="done", error=None, logs=[], seconds=0.0)


class PlaceholderBody:
    """A body that observes placeholder text and whose programs always succeed."""

    format: PolicyFormat = JAVASCRIPT

    def __init__(self, world: DryRunWorld, name: str) -> None:
        self.name = name
        self.last: RunResult | None = None
        self._world, self._acts = world, 0

    async def observe(self) -> str:
        return SEEN

    async def inventory(self) -> Mapping[str, int]:
        return {}

    async def act(self, policy: str, skills: Mapping[str, str] | None = None) -> RunResult:
        """Report success without running anything. After :data:`MOST_ACTS` programs, wait
        forever.
        """
        self._acts += 1
        self._world.note(events.CodeStarted, self.name, code=policy)
        if self._acts > MOST_ACTS:
            await asyncio.Event().wait()
        self.last = _DONE
        return _DONE


class DryRunWorld:
    """The world of a dry run; see :class:`worlds.protocol.World`."""

    kind = "minecraft"
    format: PolicyFormat = JAVASCRIPT

    def __init__(self, writer: RunWriter, agents: Sequence[str]) -> None:
        self._writer, self._agents = writer, tuple(agents)
        self._bodies = {name: PlaceholderBody(self, name) for name in agents}
        self.seen: list[events.Event] = []

    def begin(self, episode: int) -> None:
        self._writer.begin_episode(episode)

    def note(self, kind: type[events.Event], agent: str | None = None, **fields: object) -> None:
        self.seen.append(self._writer.event(kind, agent, **fields))

    def body(self, agent: str) -> PlaceholderBody:
        return self._bodies[agent]

    async def build(self, layout: Layout, seed: int) -> None:
        self.seen.clear()
        self._bodies = {name: PlaceholderBody(self, name) for name in self._agents}

    async def run(self, episode: Episode) -> Ending:
        """Run all agents until they have finished, or for half a second."""
        lives = [asyncio.ensure_future(life) for life in episode.lives.values()]
        _, live_record = await asyncio.wait(lives, timeout=0.5)
        for life in live_record:
            life.cancel()
        await asyncio.gather(*live_record, return_exceptions=True)
        return Ending("policies_ended", 0.0)

    def account(self) -> Account:
        return Account({agent: {} for agent in self._agents}, {}, ActionLog())

    async def standing(self, block: str, places: Sequence[Block]) -> int:
        return 0

    async def grow(self, block: str, places: Sequence[Block]) -> None:
        """Change nothing."""

    async def announce(self, text: str) -> None:
        """Do nothing."""

    async def check_speed(self, seconds: float) -> None:
        """Return None, because this world is never too slow."""
