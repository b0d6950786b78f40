"""Handles interventions inside the run that is in progress.

:mod:`experiments.people.intervention_commands` sends the interventions, by means of
:mod:`records.interventions`. Game loops handle messages, observations and settings. This module
handles interviews, and pauses of simulated games, for all loops. It does both when a model is
called.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections.abc import (
    AsyncIterator,
    Awaitable,
    Callable,
    Collection,
    Mapping,
    Sequence,
)
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Protocol

from pydantic import Field

from voxpolis.bots.asking import ask
from voxpolis.bots.models import (
    Answer,
    AnswerError,
    Answering,
    ChatModel,
    ChatRequest,
    Completion,
    Message,
    ModelError,
    at_once,
)
from voxpolis.bots.models.typed import Text
from voxpolis.bots.prompts import quoted_line
from voxpolis.bots.time import Time
from voxpolis.records import RunWriter, events
from voxpolis.records.interventions import (
    Action,
    Incoming,
    Intervention,
    PauseRequests,
    intervene,
)
from voxpolis.records.text import one_line

LOOK_S = 1.0
# Interventions that happen between an agent's steps, and are repeated from a record.
REPEATED_KINDS: tuple[Action, ...] = ("say", "whisper", "set")
# Polling interval for interventions, in wall-clock seconds.
WALL_LOOK_S = 0.2
# Shortest pause between two looks of a game that simulates faster, in wall-clock seconds.
OFTEN_S = 0.01
# Interventions that are interviews.
INTERVIEW = "interview"
MAX_TOKENS, TEMPERATURE = 400, 0.7

# Returns a function that applies KEY=VALUE, or None if that setting cannot be changed.
Change = Callable[[str], Callable[[], None] | None]


class Interview(Answer):
    """Answer in an interview."""

    answer: Text = Field(description="Your own words, in a few sentences.")


class MessageReceiver(Protocol):
    """An agent that can receive messages."""

    def hear(self, speaker: str, text: str) -> None:
        """Let the agent hear what a speaker says."""

    def tell(self, text: str, *, urgent: bool = False) -> None:
        """Let the agent notice a text from outside the game."""


class MessageBuffer:
    """Keeps the messages to an agent until its next turn."""

    def __init__(self) -> None:
        self._told: list[str] = []

    def hear(self, speaker: str, text: str) -> None:
        self._told.append(f"{speaker} says to you: {quoted_line(text)}")

    def tell(self, text: str, *, urgent: bool = False) -> None:
        self._told.append(text)

    def take(self) -> tuple[str, ...]:
        """Return the messages that were kept, one sentence each, and delete them."""
        told, self._told = tuple(self._told), []
        return told


class Interventions:
    """Delivers messages to agents, and changes the settings of a society."""

    def __init__(
        self,
        folder: Path,
        agents: Mapping[str, MessageReceiver],
        writer: RunWriter,
        change: Change = lambda _: None,
    ) -> None:
        """Prepare to receive interventions.

        Args:
            folder: folder of the run.
            agents: agents by name.
            writer: writer of the record. If a record is replayed, its interventions are repeated.
            change: returns a function that changes a setting.
        """
        self._incoming = Incoming(folder, agents, REPEATED_KINDS, writer.unapplied_interventions)
        self._agents = agents
        self._writer = writer
        self._change = change

    async def watch(self, clock: Time) -> None:
        """Look for interventions once per simulated second, until cancelled."""
        while True:
            self.take()
            await clock.sleep(LOOK_S, key=-1)

    def take(self) -> None:
        """Repeat the interventions that were recorded at this moment, and then apply new
        interventions.

        While an interrupted run is replayed, new interventions wait until the end of its record.
        """
        while (again := self._recorded()) is not None and self._do(again):
            pass
        if self._writer.is_replaying:
            return
        for found in self._incoming.new():
            self._do(found)

    def _recorded(self) -> Intervention | None:
        """Return the next recorded intervention that is due now, or None.

        The method returns only one intervention per call: if it changes a setting, further events
        are recorded before the next intervention.
        """
        for one in self._writer.expected_interventions():
            if one.action in REPEATED_KINDS:
                return Intervention(one.agent or "", one.action, one.by, one.text)
        return None

    def _do(self, intervention: Intervention) -> bool:
        """Apply and record an intervention. Return False if it is an invalid change, which is not
        recorded.
        """
        change = self._change(intervention.text) if intervention.action == "set" else None
        if intervention.action == "set" and change is None:
            return False
        agent = self._agents.get(intervention.agent)
        self._writer.event(
            events.Intervention,
            intervention.agent or None,
            action=intervention.action,
            by=intervention.by,
            text=intervention.text,
        )
        if change is not None:
            change()
        elif agent is not None and intervention.action == "say":
            agent.hear(intervention.by, intervention.text)
        elif agent is not None:
            agent.tell(intervention.text, urgent=True)
        return True


class Pauses:
    """Pauses a simulated game while there is a pause file in its folder.

    A game with its own clock pauses between two moments of simulated time. Other games pause before
    a model is called. (A pause while several calls are running would change the order in which they
    continue, so that a replay would differ.)

    Attributes:
        has_moments: whether the game has its own clock.
    """

    def __init__(self, folder: Path | None, writer: RunWriter) -> None:
        """Prepare to pause. Without a folder, the game never pauses."""
        self._wish = None if folder is None else PauseRequests(folder)
        self._writer = writer
        self._since: float | None = None
        self._looked = -math.inf
        self.has_moments = False

    def between_moments(self) -> Callable[[], Awaitable[None]]:
        """Return the function that a game with its own clock must await between two moments."""
        self.has_moments = True
        return self._stand_still

    async def before_call(self) -> None:
        """Wait until a model may be called."""
        if not self.has_moments:
            await self._stand_still()

    def begin(self) -> None:
        """Start without a pause, even if the game was paused when the run was interrupted."""
        if self._wish is not None:
            self._wish.forget()

    def end(self) -> None:
        """If the game is paused, record that it continues."""
        if self._since is not None:
            passed = f"after {time.monotonic() - self._since:.1f} s of wall-clock time"
            self._since = None
            by = "" if self._wish is None else self._wish.by()
            self._writer.event(events.Intervention, action="continue", by=by, text=passed)

    def look(self) -> bool:
        """Record the start or the end of a pause, even while the game waits for an answer.

        Returns:
            Whether the game must pause now.
        """
        if self._wish is None or not self._wish.now():
            self.end()
            return False
        if self._since is None:
            self._since = time.monotonic()
            self._writer.event(events.Intervention, action="pause", by=self._wish.by())
        return True

    async def _stand_still(self) -> None:
        # Looking for the file takes as long as a simulated moment of a small society.
        if time.monotonic() - self._looked < OFTEN_S:
            return
        while self.look():
            await asyncio.sleep(WALL_LOOK_S)
        self._looked = time.monotonic()


class InterviewableModel:
    """Wraps a model so that agents can also be interviewed from outside the game.

    See :class:`bots.models.ChatModel`. The question of an interview is added to the agent's last
    question and answer, so that the agent answers from what it knows. Nothing of the interview
    reaches the game.
    """

    def __init__(
        self,
        model: ChatModel,
        folder: Path,
        agents: Collection[str],
        writer: RunWriter,
        pauses: Pauses,
    ) -> None:
        """Wrap a model.

        Args:
            model: the model to wrap.
            folder: folder of the run.
            agents: agents that can be interviewed.
            writer: writer of the record.
            pauses: pauses of the game.
        """
        self._model = model
        self._folder = folder
        self._writer = writer
        self._asked = frozenset(agents)
        self._incoming = Incoming(
            folder, agents, ("ask", "interview"), writer.unapplied_interventions
        )
        self._last: dict[str, tuple[Sequence[Message], str]] = {}
        self._pauses = pauses

    async def complete(self, request: ChatRequest) -> Completion:
        """Answer a conversation; see :class:`~bots.models.model.ChatModel`."""
        if not self._pauses.has_moments:
            await self._pauses.before_call()
        answer = await self._model.complete(request)
        self._keep(request, answer)
        return answer

    def at_once(self) -> Answering | None:
        """Return a function that answers without waiting, if the model has one; see
        :class:`~bots.models.ChatModel`.
        """
        inner = at_once(self._model)
        if inner is None or not self._pauses.has_moments:
            return None
        if not self._asked:
            return inner
        keep = self._keep

        def answering(request: ChatRequest) -> Completion:
            answer = inner(request)
            keep(request, answer)
            return answer

        return answering

    def _keep(self, request: ChatRequest, answer: Completion) -> None:
        """Remember the last question to an agent and its answer, if the agent can be
        interviewed.
        """
        if request.agent in self._asked:
            self._last[str(request.agent)] = (request.messages, answer.written())

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Look for interviews while the context is open."""
        self._pauses.begin()
        task = asyncio.create_task(self._watch())
        try:
            yield
        finally:
            self._pauses.end()
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task

    async def _watch(self) -> None:
        while True:
            self._pauses.look()
            if not self._writer.is_replaying:
                for asked in self._incoming.new():
                    await self._interview(asked)
            await asyncio.sleep(WALL_LOOK_S)

    async def _interview(self, asked: Intervention) -> None:
        """Interview an agent and record its answer. An agent that should remember the interview
        also notices the question.
        """
        fields = {"action": asked.action, "by": asked.by}
        self._writer.event(events.Intervention, asked.agent, **fields, text=asked.text)
        prompt: Message = {"role": "user", "content": QUESTION.format(by=asked.by, text=asked.text)}
        try:
            said = await ask(
                self._model,
                [*self._before(asked.agent), prompt],
                Interview,
                role=INTERVIEW,
                agent=asked.agent,
                temperature=TEMPERATURE,
                about=asked,
                max_tokens=MAX_TOKENS,
            )
            answer = one_line(said.answer)
        except AnswerError as error:
            answer = f"({error.cause})"
        except ModelError as error:
            answer = f"(no answer: {one_line(str(error))})"
        self._writer.event(events.Interviewed, asked.agent, by=asked.by, text=answer)
        if asked.action == "interview":
            text = f'{asked.by} asked me: "{asked.text}" I answered: "{answer}"'[:MAX_REMEMBERED]
            with contextlib.suppress(ValueError):  # the run may have ended
                intervene(self._folder, asked.agent, "whisper", asked.by, text)

    def _before(self, agent: str) -> Sequence[Message]:
        if agent not in self._last:
            return [{"role": "user", "content": f"You are {agent}. You were asked nothing yet."}]
        asked, answer = self._last[agent]
        return [*asked, {"role": "assistant", "content": answer}]


# Maximum length of an interview that an agent remembers.
MAX_REMEMBERED = 600
QUESTION = """\
Step out of the game for a moment. {by} interviews you about it; nobody who plays hears that, and
nothing in the game changes by it. Answer in your own words, in a few sentences, as the one who you
are there.

{by} asks: {text}"""
