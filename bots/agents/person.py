"""The agent kind ``human``: a person plays the agent.

A person with a Minecraft client talks to the run through the game's chat. The world counts the
person's actions like those of any other agent. In other worlds the person presses a key for each
step of the game.
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

# Commands for the person to type, each on its own line, in upper or lower case.
READY, DONE = "[ready]", "[done]"

BINDS = "The contract that binds you:"
GO = f"Type {READY} when you are ready; nothing counts before that."
# Texts for people who play with keys.
NOTHING_MORE = Choice("do nothing more in this episode", "Escape")
BEGUN = f"It has begun. Type {DONE} when you want to do nothing more."


class PersonLeftError(RuntimeError):
    """A person has left the game, but the run needs that person's input."""


class Seat:
    """The chat of a run with the person who plays one of its agents."""

    def __init__(self, name: str) -> None:
        self.name = name
        # True after the person has typed that they want to do nothing more in this episode.
        self.has_done = False
        # The lines that the person has typed. None means that the person has left.
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
        """Send the description of the game, unless it is the same as the last one that was sent."""
        if text != self._briefed:
            self._briefed = text
            await self.tell(text)

    def hear(self, text: str) -> None:
        self._lines.put_nowait(text)

    def enter(self) -> None:
        self._has_left = False

    def leave(self) -> None:
        """Handle the person's departure: everything that waits for the person's input fails."""
        self._has_left = True
        self._lines.put_nowait(None)

    def begin(self) -> None:
        """Start an episode, and discard the lines that the person typed before."""
        self.has_done = False
        self.forget()

    def forget(self) -> None:
        """Discard the lines that the person has typed so far."""
        while not self._lines.empty():
            self._lines.get_nowait()

    async def line(self) -> str:
        """Wait for the next line that the person types.

        Raises:
            PersonLeftError: the person has left the game.
        """
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
        """The conversation with the person."""


@runtime_checkable
class SteppedBody(Protocol):
    """A body in a world where each action is a single step."""

    def steps(self) -> Sequence[Choice]:
        """Return the steps that are possible now. The first step is to do nothing."""

    async def step(self, choice: Choice) -> None:
        """Take a step, and wait until the world has carried it out."""


class KeyPlayer:
    """A person who plays one step at a time with keys; see :class:`bots.agents.protocol.Agent`."""

    is_ready = True

    def __init__(self, setup: AgentSetup) -> None:
        """Create the player.

        Raises:
            TypeError: the body cannot act in single steps.
        """
        if not isinstance(setup.body, SteppedBody):
            raise TypeError(f"no person can play {setup.body.name} in this world")
        self._setup = setup
        self._steps = setup.body

    async def prepare(self, observation: str) -> str:
        return ""

    async def live(self) -> None:
        """Ask the person for steps until the person stops playing.

        After a timeout the step is to do nothing.
        """
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
            TypeError: a person cannot control the body.
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
    """Create the player for a body.

    A person whose body has a Minecraft client plays with this client; other persons use keys.
    """
    return Person(setup) if isinstance(setup.body, HumanBody) else KeyPlayer(setup)
