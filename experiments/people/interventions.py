"""What people do to a run while it goes on, on the run's side.

See :mod:`records.interventions`, and :mod:`experiments.people.intervening` for the commands.
Words, observations and settings are taken by the loops that can take them. Questions outside of the
game and pauses of computed games are taken here, for all loops, where models are asked.
"""

from __future__ import annotations

import asyncio
import contextlib
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
# What is taken between an agent's steps, and again from a record.
TAKEN: tuple[Action, ...] = ("say", "whisper", "set")
# How often it is looked on the wall's clock whether something is asked for.
WALL_LOOK_S = 0.2
# What is asked for in an interview.
INTERVIEW = "interview"
MAX_TOKENS, TEMPERATURE = 400, 0.7

# Returns what changes a setting, KEY=VALUE; None where it is none that can be changed to that.
Change = Callable[[str], Callable[[], None] | None]


class Interview(Answer):
    """What you say in the interview."""

    answer: Text = Field(description="Your own words, in a few sentences.")


class Listening(Protocol):
    """Somebody who can be told things."""

    def hear(self, speaker: str, text: str) -> None:
        """Hear somebody."""

    def tell(self, text: str, *, urgent: bool = False) -> None:
        """Notice something."""


class Ear:
    """Keeps what an agent that takes turns is told until its next one."""

    def __init__(self) -> None:
        self._told: list[str] = []

    def hear(self, speaker: str, text: str) -> None:
        """Keep what somebody says."""
        self._told.append(f"{speaker} says to you: {quoted_line(text)}")

    def tell(self, text: str, *, urgent: bool = False) -> None:
        """Keep what is noticed."""
        self._told.append(text)

    def take(self) -> tuple[str, ...]:
        """Return what was told since the last time, a sentence each."""
        told, self._told = tuple(self._told), []
        return told


class Interventions:
    """Lets agents hear and notice things, and a society's settings change."""

    def __init__(
        self,
        folder: Path,
        agents: Mapping[str, Listening],
        writer: RunWriter,
        change: Change = lambda _: None,
    ) -> None:
        """Begin.

        Args:
            folder: the run's.
            agents: by name.
            writer: the run's record; where it holds interventions already, these happen again.
            change: returns what changes a setting.
        """
        self._incoming = Incoming(folder, agents, TAKEN, writer.unapplied_interventions)
        self._agents = agents
        self._writer = writer
        self._change = change

    async def watch(self, clock: Time) -> None:
        """Look once a second of the society's time, until cancelled."""
        while True:
            self.take()
            await clock.sleep(LOOK_S, key=-1)

    def take(self) -> None:
        """Do what was recorded at this moment, then what is new.

        What is asked for while a run that was cut off is played again waits until its record ends.
        """
        while (again := self._recorded()) is not None and self._do(again):
            pass
        if self._writer.is_replaying:
            return
        for found in self._incoming.new():
            self._do(found)

    def _recorded(self) -> Intervention | None:
        """Return what comes next in the record of what is taken here, None where nothing does.

        It is asked for one at a time: a change has events of its own, which stand in the record
        before what was taken next.
        """
        for one in self._writer.expected_interventions():
            if one.action in TAKEN:
                return Intervention(one.agent or "", one.action, one.by, one.text)
        return None

    def _do(self, found: Intervention) -> bool:
        """Do and record one thing; return False for a change that is none, which is neither."""
        change = self._change(found.text) if found.action == "set" else None
        if found.action == "set" and change is None:
            return False
        agent = self._agents.get(found.agent)
        self._writer.event(
            events.Intervention,
            found.agent or None,
            action=found.action,
            by=found.by,
            text=found.text,
        )
        if change is not None:
            change()
        elif agent is not None and found.action == "say":
            agent.hear(found.by, found.text)
        elif agent is not None:
            agent.tell(found.text, urgent=True)
        return True


class Pauses:
    """Lets a computed game stand still while a file is in its folder.

    A game that keeps a time of its own stands between two of its moments. All others stand while
    nobody is asked anything. (Where many are asked in one moment, those whose calls waited would
    go on in another order than they do without a pause, or in a replay.)

    Attributes:
        has_moments: whether the game keeps a time of its own.
    """

    def __init__(self, folder: Path | None, writer: RunWriter) -> None:
        """Begin; without a folder, the game never stands still."""
        self._wish = None if folder is None else PauseRequests(folder)
        self._writer = writer
        self._since: float | None = None
        self.has_moments = False

    def between_moments(self) -> Callable[[], Awaitable[None]]:
        """Return what a game with a time of its own waits for between its moments."""
        self.has_moments = True
        return self._stand_still

    async def before_call(self) -> None:
        """Wait until somebody may be asked something."""
        if not self.has_moments:
            await self._stand_still()

    def begin(self) -> None:
        """Begin without a pause, also where a run before was cut off in one."""
        if self._wish is not None:
            self._wish.forget()

    def end(self) -> None:
        """Record that the game goes on, if it stood still."""
        if self._since is not None:
            passed = f"after {time.monotonic() - self._since:.1f} s of the wall's clock"
            self._since = None
            by = "" if self._wish is None else self._wish.by()
            self._writer.event(events.Intervention, action="go_on", by=by, text=passed)

    def look(self) -> bool:
        """Record that a pause begins or ends, also while an answer is waited for.

        Returns:
            whether the game is to stand still now.
        """
        if self._wish is None or not self._wish.now():
            self.end()
            return False
        if self._since is None:
            self._since = time.monotonic()
            self._writer.event(events.Intervention, action="pause", by=self._wish.by())
        return True

    async def _stand_still(self) -> None:
        while self.look():
            await asyncio.sleep(WALL_LOOK_S)


class Outside:
    """A model that whoever runs the experiment can ask, too, outside of the game.

    See :class:`bots.models.ChatModel`. What an agent was asked last stands before the question, so
    that it answers from what it knows; nothing of it reaches the game.
    """

    def __init__(
        self,
        model: ChatModel,
        folder: Path,
        agents: Collection[str],
        writer: RunWriter,
        pauses: Pauses,
    ) -> None:
        """Begin.

        Args:
            model: who answers.
            folder: the run's.
            agents: who can be asked from outside.
            writer: the run's record.
            pauses: of the game.
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
        """Return what answers without being waited for; see :class:`~bots.models.ChatModel`."""
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
        """Keep what somebody was asked last who can be asked from outside."""
        if request.agent in self._asked:
            self._last[str(request.agent)] = (request.messages, answer.written())

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Look what is asked for as long as this is open."""
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
        """Ask an agent, and record what it says; where it is to remember, it notices that."""
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
            with contextlib.suppress(ValueError):  # the run may be over meanwhile
                intervene(self._folder, asked.agent, "whisper", asked.by, text)

    def _before(self, agent: str) -> Sequence[Message]:
        """Return what an agent was asked last, and answered."""
        if agent not in self._last:
            return [{"role": "user", "content": f"You are {agent}. You were asked nothing yet."}]
        asked, answer = self._last[agent]
        return [*asked, {"role": "assistant", "content": answer}]


# Of what an agent remembers of an interview.
MAX_REMEMBERED = 600
QUESTION = """\
Step out of the game for a moment. {by} interviews you about it; nobody who plays hears that, and
nothing in the game changes by it. Answer in your own words, in a few sentences, as the one who you
are there.

{by} asks: {text}"""
