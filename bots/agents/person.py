"""A person who plays an agent: the kind ``human``.

With a client of its own the run talks with the person in the game's chat, and what it does is not
asked for but seen: the world accounts for it as for any agent. Elsewhere the person takes a step of
the game for each key.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, runtime_checkable

from voxpolis.bots.agents.by_form import next_step
from voxpolis.bots.agents.protocol import AgentSetup, Lesson, Review
from voxpolis.bots.prompts import quoted
from voxpolis.records import events
from voxpolis.records.questions import Choice

# What a person types, alone in a line, in any case.
READY, DONE = "[ready]", "[done]"

BINDS = "The contract that binds you:"
GO = f"Type {READY} when you are ready; nothing counts before that."
# Of who plays with keys.
NOTHING_MORE = Choice("do nothing more in this episode", "Escape")
BEGUN = f"It has begun. Type {DONE} when you want to do nothing more."


class PersonLeftError(RuntimeError):
    """A person who is waited for has left the game."""


class Seat:
    """The talk between a run and the person who plays one of its agents."""

    def __init__(self, name: str) -> None:
        self.name = name
        # Whether the person has said, in this episode, that it has done.
        self.has_done = False
        # None: the person has left.
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._has_left = False
        self._tell: Callable[[str], Awaitable[None]] | None = None
        self._briefed = ""

    def attach(self, tell: Callable[[str], Awaitable[None]]) -> None:
        self._tell = tell

    async def tell(self, text: str) -> None:
        """Tell the person something, in lines.

        Raises:
            RuntimeError: there is no world that the person is in.
        """
        if self._tell is None:
            raise RuntimeError(f"nobody knows where {self.name} is")
        await self._tell(text)

    async def brief(self, text: str) -> None:
        """Tell the person what the game is, unless that was the last briefing."""
        if text != self._briefed:
            self._briefed = text
            await self.tell(text)

    def hear(self, text: str) -> None:
        self._lines.put_nowait(text)

    def enter(self) -> None:
        self._has_left = False

    def leave(self) -> None:
        """Take in that the person has left the game: who waits for it waits no more."""
        self._has_left = True
        self._lines.put_nowait(None)

    def begin(self) -> None:
        """Begin an episode: forget what was typed and not yet waited for."""
        self.has_done = False
        self.forget()

    def forget(self) -> None:
        """Forget what was typed and not yet waited for."""
        while not self._lines.empty():
            self._lines.get_nowait()

    async def line(self) -> str:
        """Wait for the next line that the person types."""
        while True:
            if self._has_left:
                raise PersonLeftError(f"{self.name} has left the game, and was waited for")
            line = await self._lines.get()
            if line is not None:
                return line.strip()

    async def until(self, wanted: str) -> None:
        """Wait until the person types a line; other lines are talk."""
        while (await self.line()).lower() != wanted:
            pass


@runtime_checkable
class Seated(Protocol):
    """A body whose player is a person."""

    @property
    def seat(self) -> Seat:
        """Talk with the person."""


@runtime_checkable
class Stepping(Protocol):
    """A body that takes a step of its world's game at a time."""

    def steps(self) -> Sequence[Choice]:
        """Return the steps that can be taken now, the one that does nothing first."""

    async def step(self, choice: Choice) -> None:
        """Take one of them, and wait until the world has taken it."""


class KeyPlayer:
    """A person's part in a world of steps; see :class:`bots.agents.protocol.Agent`."""

    is_ready = True

    def __init__(self, setup: AgentSetup) -> None:
        """Take a seat.

        Raises:
            TypeError: the world takes no steps.
        """
        if not isinstance(setup.body, Stepping):
            raise TypeError(f"no person can play {setup.body.name} in this world")
        self._setup = setup
        self._steps = setup.body

    async def prepare(self, observation: str) -> str:
        return ""

    async def live(self) -> None:
        """Take step after step until the person says that it has done.

        Who chooses none in time does nothing in that step.
        """
        setup, briefing = self._setup, self._setup.briefing
        setup.note(events.SeatTaken)
        told = [briefing.told, f"{BINDS}\n{briefing.contract}" if briefing.contract else ""]
        while True:
            steps = self._steps.steps()
            text = "\n\n".join(filter(None, [*told, await setup.body.observe()]))
            choices = (*steps, NOTHING_MORE)
            chosen = await next_step(setup.model, setup.body.name, text, choices)
            if chosen == NOTHING_MORE:
                return
            await self._steps.step(chosen or steps[0])

    async def review(self, review: Review) -> Lesson | None:
        return None


class Person:
    """A person's part in a run; see :class:`bots.agents.protocol.Agent`."""

    is_ready = False

    def __init__(self, setup: AgentSetup) -> None:
        """Take a seat.

        Raises:
            TypeError: the world has no seat for a person.
        """
        if not isinstance(setup.body, Seated):
            raise TypeError(f"no person can play {setup.body.name} in this world")
        self._seat = setup.body.seat
        self._briefing = setup.briefing
        self._note = setup.note

    async def prepare(self, observation: str) -> str:
        await self._seat.brief(self._briefing.told)
        if self._briefing.contract:
            await self._seat.tell(f"{BINDS}\n{quoted(self._briefing.contract)}")
        await self._seat.tell(f"{observation}\n{GO}")
        await self._seat.until(READY)
        return ""

    async def live(self) -> None:
        self._note(events.SeatTaken)
        await self._seat.tell(BEGUN)
        await self._seat.until(DONE)
        self._seat.has_done = True

    async def review(self, review: Review) -> Lesson | None:
        await self._seat.tell("\n".join(["It is over.", review.outcome, *review.judgement]))
        return None


def person_of(setup: AgentSetup) -> Person | KeyPlayer:
    """Return a person's part in the world of a body: with a client of its own, or by keys."""
    return Person(setup) if isinstance(setup.body, Seated) else KeyPlayer(setup)
