"""The agent kind ``human``: a person plays the agent.

A person with a Minecraft client communicates with the run through the game's chat, and the run
observes the person's actions, which the world counts like any agent's. In other worlds the person
presses a key for each step of the game.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, runtime_checkable

from voxpolis.bots.agents.form_model import next_step
from voxpolis.bots.agents.protocol import AgentSetup, Lesson, Review
from voxpolis.bots.prompts import quoted
from voxpolis.records import events
from voxpolis.records.questions import Choice

# Commands that a person types, each on a line by itself, in upper or lower case.
READY, DONE = "[ready]", "[done]"

BINDS = "The contract that binds you:"
GO = f"Type {READY} when you are ready; nothing counts before that."
# Texts for persons who play with keys.
NOTHING_MORE = Choice("do nothing more in this episode", "Escape")
BEGUN = f"It has begun. Type {DONE} when you want to do nothing more."


class PersonLeftError(RuntimeError):
    """A person that the run waits for has left the game."""


class Seat:
    """Conversation between a run and the person who plays one of its agents."""

    def __init__(self, name: str) -> None:
        self.name = name
        # True once the person has ended its play in this episode.
        self.has_done = False
        # Lines typed by the person; None means that the person has left.
        self._lines: asyncio.Queue[str | None] = asyncio.Queue()
        self._has_left = False
        self._tell: Callable[[str], Awaitable[None]] | None = None
        self._briefed = ""

    def attach(self, tell: Callable[[str], Awaitable[None]]) -> None:
        self._tell = tell

    async def tell(self, text: str) -> None:
        """Send text to the person, line by line.

        Raises:
            RuntimeError: the person is not in a world.
        """
        if self._tell is None:
            raise RuntimeError(f"{self.name} is not in any known world")
        await self._tell(text)

    async def brief(self, text: str) -> None:
        """Send the description of the game, unless it is the last description sent."""
        if text != self._briefed:
            self._briefed = text
            await self.tell(text)

    def hear(self, text: str) -> None:
        self._lines.put_nowait(text)

    def enter(self) -> None:
        self._has_left = False

    def leave(self) -> None:
        """Handle the person's departure: cancel everything that waits for their input."""
        self._has_left = True
        self._lines.put_nowait(None)

    def begin(self) -> None:
        """Start an episode: discard lines that were typed earlier."""
        self.has_done = False
        self.forget()

    def forget(self) -> None:
        """Discard lines that were typed earlier."""
        while not self._lines.empty():
            self._lines.get_nowait()

    async def line(self) -> str:
        """Wait for the next line that the person types."""
        while True:
            if self._has_left:
                raise PersonLeftError(f"{self.name} has left the game while the run waited for it")
            line = await self._lines.get()
            if line is not None:
                return line.strip()

    async def until(self, wanted: str) -> None:
        """Wait until the person types ``wanted``; ignore other lines."""
        while (await self.line()).lower() != wanted:
            pass


@runtime_checkable
class HumanBody(Protocol):
    """A body that a person controls."""

    @property
    def seat(self) -> Seat:
        """Return the conversation with the person."""


@runtime_checkable
class SteppedBody(Protocol):
    """A body in a world where agents act in single steps."""

    def steps(self) -> Sequence[Choice]:
        """Return the available steps, beginning with the one that does nothing."""

    async def step(self, choice: Choice) -> None:
        """Take a step, and wait until the world has carried it out."""


class KeyPlayer:
    """A person who plays in a world of single steps; see :class:`bots.agents.protocol.Agent`."""

    is_ready = True

    def __init__(self, setup: AgentSetup) -> None:
        """Create the player.

        Raises:
            TypeError: the world does not support steps.
        """
        if not isinstance(setup.body, SteppedBody):
            raise TypeError(f"no person can play {setup.body.name} in this world")
        self._setup = setup
        self._steps = setup.body

    async def prepare(self, observation: str) -> str:
        return ""

    async def live(self) -> None:
        """Take steps until the person stops playing. After a timeout, the step does nothing."""
        setup, briefing = self._setup, self._setup.briefing
        setup.note(events.SeatTaken)
        contract = f"{BINDS}\n{briefing.contract}" if briefing.contract else ""
        introduction = [briefing.full_text, contract]
        while True:
            steps = self._steps.steps()
            text = "\n\n".join(filter(None, [*introduction, await setup.body.observe()]))
            choices = (*steps, NOTHING_MORE)
            chosen = await next_step(setup.model, setup.body.name, text, choices)
            if chosen == NOTHING_MORE:
                return
            await self._steps.step(chosen or steps[0])

    async def review(self, review: Review) -> Lesson | None:
        return None


class Person:
    """A person who plays with a Minecraft client; see :class:`bots.agents.protocol.Agent`."""

    is_ready = False

    def __init__(self, setup: AgentSetup) -> None:
        """Create the player.

        Raises:
            TypeError: the world has no seat for a person.
        """
        if not isinstance(setup.body, HumanBody):
            raise TypeError(f"no person can play {setup.body.name} in this world")
        self._seat = setup.body.seat
        self._briefing = setup.briefing
        self._note = setup.note

    async def prepare(self, observation: str) -> str:
        await self._seat.brief(self._briefing.full_text)
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
    """Return the player suited to the body: with a Minecraft client, or with keys."""
    return Person(setup) if isinstance(setup.body, HumanBody) else KeyPlayer(setup)
