"""Bots in a Minecraft server, as asyncio objects."""

from __future__ import annotations

import asyncio
import itertools
import json
import math
from collections.abc import AsyncIterator, Mapping
from typing import Any, Self

from pydantic import ValidationError

import vanilla
from bridge.link import Link
from bridge.protocol import (
    Answer,
    AnswerUse,
    ClearSignals,
    CodeError,
    CommandMessage,
    Movement,
    Observation,
    Observe,
    Prepare,
    Primitives,
    Quit,
    Reply,
    Run,
    RunResult,
    Spawn,
    Stop,
)
from records import Clock, Event, parse_event
from records.events import Fault, Log

MINECRAFT_VERSION = vanilla.VERSION
REAL_TIME = Clock()
#: Characters of a program or a skill; `bridge/js/sandbox/program.js` refuses longer ones.
MAX_PROGRAM = 200_000
#: The longest time limit in milliseconds: whole numbers up to here are exact in JavaScript.
MAX_TIMEOUT_MS = 2**53 - 1
#: Characters of a complaint about a message.
MAX_COMPLAINT = 500


def _well_formed(text: str) -> str:
    """The text without lone surrogates, which no encoder takes."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _sent(code: str) -> str:
    """As much of a program as goes over the wire: of one that is too long, enough to tell."""
    return _well_formed(code[: MAX_PROGRAM + 1])


class BridgeError(RuntimeError):
    """The Node side refused or failed; the message says what to do where that is known."""


class Bot:
    """One agent's body: a Mineflayer bot, and an engine of its own for its code."""

    def __init__(self, bridge: Bridge, name: str) -> None:
        self.name = name
        self._bridge = bridge

    async def prepare(self) -> None:
        """Have an engine ready, so that the next program begins at once.

        A program waits for its engine; where time counts from when programs begin, as in an
        episode, all engines should be ready before.

        Raises:
            BridgeError: the bot is gone.
        """
        await self._bridge.request(Prepare, bot=self.name)

    async def run(
        self, code: str, timeout_s: float, seed: int = 0, skills: Mapping[str, str] | None = None
    ) -> RunResult:
        """Run a JavaScript program with this bot.

        The program may await, and sees ``bot``, the primitives, ``mcData``, ``Vec3``, goals,
        timers and ``console``. A program that only declares functions is run by calling its last
        ``async function name(bot)``. A program that does not stop at its time limit is killed
        with its engine; the bot stays in the world.

        Args:
            code: the program.
            timeout_s: its time limit, in seconds of game time.
            seed: fixes the program's ``Math.random``.
            skills: sources of functions that the program may call, by the functions' names.

        Returns:
            how it ended; errors of the program are part of the result, not raised.

        Raises:
            BridgeError: the bot is gone, or runs a program already.
            ValueError: the time limit is no finite number of seconds, or negative.
        """
        if not 0 <= timeout_s < math.inf:
            raise ValueError(f"timeout_s must be a finite number, 0 or more, not {timeout_s}")
        result = await self._bridge.request(
            Run,
            bot=self.name,
            code=_sent(code),
            timeout_ms=round(min(timeout_s * 1000, MAX_TIMEOUT_MS)),
            seed=seed,
            skills={_well_formed(k): _sent(v) for k, v in (skills or {}).items()},
        )
        try:
            return RunResult.model_validate(result)
        except ValidationError as error:  # the program's own loss, and nobody else's
            told = f"how it ended cannot be read: {str(error)[:MAX_COMPLAINT]}"
            problem = CodeError(message=told, line=None, column=None, source=None, done=[])
            return RunResult(status="error", error=problem, logs=[], seconds=0.0)

    async def stop(self, reason: str) -> None:
        """Stop the running program, if any; returns when nothing of it runs any more."""
        await self._bridge.request(Stop, bot=self.name, reason=reason)

    async def observe(self) -> Observation:
        """What the bot perceives now.

        Raises:
            BridgeError: the bot is gone, or what it perceives cannot be read.
        """
        result = await self._bridge.request(Observe, bot=self.name)
        try:
            return Observation.model_validate(result)
        except ValidationError as error:
            raise BridgeError(f"{self.name} perceives what cannot be read: {error}") from error

    async def answer_use(self, request: int, ok: bool, text: str) -> None:
        """Answer a ``block_used`` event of this bot: ``useBlock`` returns ``text`` or fails."""
        await self._bridge.request(AnswerUse, bot=self.name, request=request, ok=ok, text=text)

    async def quit(self) -> None:
        """Leave the world."""
        await self._bridge.request(Quit, bot=self.name)


class Bridge:
    """The Node side and its bots. Use it as ``async with Bridge() as bridge``.

    ``clock`` is the server's (``ServerState.clock()``): a faster one makes bots live faster.
    """

    def __init__(self, clock: Clock = REAL_TIME) -> None:
        self.clock = clock
        self.bots: dict[str, Bot] = {}
        self._ids = itertools.count()
        self._waiting: dict[int, asyncio.Future[Any]] = {}
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._link = Link(self._from_thread(self._receive), self._from_thread(self._down))
        self._fault: str | None = None

    async def __aenter__(self) -> Self:
        """Start the Node side.

        Raises:
            BridgeError: it does not start.
        """
        self._loop = asyncio.get_running_loop()
        try:
            await asyncio.to_thread(self._link.open)
        except Exception as error:
            raise BridgeError(f"cannot start Node: {error}") from error
        return self

    async def __aexit__(self, *error: object) -> None:
        """Take all bots out of the world."""
        if self._fault is None:
            await asyncio.gather(*(b.quit() for b in self.bots.values()), return_exceptions=True)
        await asyncio.to_thread(self._link.close)

    async def spawn(
        self,
        name: str,
        host: str,
        port: int,
        movement: Movement = "careful",
        refereed: bool = False,
        listens: bool = False,
        primitives: Primitives = "strict",
    ) -> Bot:
        """Let a new bot join a server; see :class:`bridge.protocol.Spawn`.

        Raises:
            BridgeError: the server cannot be joined.
        """
        await self.request(
            Spawn,
            bot=name,
            host=host,
            port=port,
            version=MINECRAFT_VERSION,
            speed=self.clock.speed,
            anchor_ms=self.clock.anchor * 1000,
            clock_file=str(self.clock.file or ""),
            movement=movement,
            primitives=primitives,
            refereed=refereed,
            listens=listens,
        )
        self.bots[name] = Bot(self, name)
        return self.bots[name]

    async def clear_signals(self) -> None:
        """Forget all signals that nobody has taken, between two episodes."""
        await self.request(ClearSignals)

    async def events(self) -> AsyncIterator[Event]:
        """All that happens to the bots, as it happens; ends never, so cancel the reader.

        The events are those of ``records.events`` (``bridge.protocol.BOT_EVENTS`` lists the
        kinds); here ``t`` is the game's Unix time in seconds and ``episode`` is 0.
        """
        while True:
            yield await self._events.get()

    async def request(self, kind: type[CommandMessage], **fields: Any) -> Any:
        """Send a command and wait for its reply's result.

        Raises:
            BridgeError: the Node side refused, failed, or is gone.
        """
        if self._fault is not None:
            raise BridgeError(self._fault)
        command = kind(id=next(self._ids), **fields)
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._waiting[command.id] = future
        self._link.send(command.model_dump_json())
        try:
            return await future
        finally:
            self._waiting.pop(command.id, None)

    def _from_thread(self, method: Any) -> Any:
        """A function that has ``method`` called in the event loop, unless that has ended."""

        def call(text: str) -> None:
            if self._loop is not None and not self._loop.is_closed():
                self._loop.call_soon_threadsafe(method, text)

        return call

    def _receive(self, text: str) -> None:
        answer = Answer.model_validate_json(text)
        for event in answer.events:
            self._events.put_nowait(self._read_event(event))
        for reply in answer.replies:
            self._read_reply(reply)

    def _read_event(self, text: str) -> Event:
        """An event; one that is not as it should be becomes a line in its agent's log."""
        fields: dict[str, Any] = {}
        try:
            fields = dict(json.loads(text))
            json.dumps(fields, ensure_ascii=False).encode()  # no lone surrogates
            t = fields.pop("time_ms") / 1000
            return parse_event({**fields, "t": t, "episode": 0})
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            name = fields.get("agent")
            agent = name if isinstance(name, str) and name in self.bots else None
            said = _well_formed(f"an event was not recorded: {str(error)[:MAX_COMPLAINT]}")
            return Log(t=self.clock.now(), episode=0, agent=agent, text=said)

    def _read_reply(self, text: str) -> None:
        """Hand a reply to the call that waits for it; one that cannot be read fails that call."""
        try:
            fields = json.loads(_well_formed(json.dumps(json.loads(text), ensure_ascii=False)))
            future = self._waiting.get(fields["id"])
        except (ValueError, TypeError, KeyError, RecursionError):
            return
        if future is None or future.done():
            return
        try:
            reply = Reply.model_validate(fields)
        except ValueError as error:
            future.set_exception(BridgeError(f"a reply that cannot be read: {error}"))
            return
        if reply.ok:
            future.set_result(reply.result)
        else:
            future.set_exception(BridgeError(reply.error))

    def _down(self, reason: str) -> None:
        if self._fault is not None:
            return
        self._fault = reason
        self._events.put_nowait(
            Fault(t=self.clock.now(), episode=0, where="bridge", message=reason)
        )
        for future in self._waiting.values():
            if not future.done():
                future.set_exception(BridgeError(reason))
