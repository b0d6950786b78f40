"""Bots in a Minecraft server, as asyncio objects."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any, Self

from pydantic import ValidationError

from voxpolis.bridge.connection import BridgeError, Connection, well_formed
from voxpolis.bridge.hosts import HostPlan
from voxpolis.bridge.housing import Hears, Housing
from voxpolis.bridge.protocol import (
    Answer,
    AnswerUse,
    CommandMessage,
    Movement,
    Observation,
    Observe,
    Passing,
    Prepare,
    Primitives,
    Run,
    Stop,
)
from voxpolis.records import Clock, Event, parse_event
from voxpolis.records.events import (
    BodyBack,
    BodyLost,
    CodeFailed,
    CodeFinished,
    CodeStarted,
    Fault,
    Log,
)
from voxpolis.records.programs import CodeError, RunResult
from voxpolis.records.vanilla import MINECRAFT_VERSION

# --- One record of several hosts: their events in the order of their time -------------------------
# Each answer of a host says until when it has told everything. What one host tells is held back
# until all others have told until then, or for a moment of the wall's clock at most, so that a host
# that hangs holds nobody up. The order of one agent's events is kept in any case, and whoever waits
# for an answer of a host has it once all that happened there before is handed on.

# The longest that an event is held back, in seconds of the wall's clock.
HOLD_S = 0.2


class EventMerge:
    """Hands events on, ordered by time over all hosts.

    ``hand_on`` is called with each; ``wall`` is the clock that holding back is measured by.
    """

    def __init__(
        self,
        hand_on: Callable[[Event], None],
        hold_s: float = HOLD_S,
        wall: Callable[[], float] = time.monotonic,
    ) -> None:
        self._hand_on = hand_on
        self._hold_s = hold_s
        self._wall = wall
        # By host: when each event came, and it; and until when the host has told everything.
        self._held: dict[object, deque[tuple[float, Event | Callable[[], None]]]] = {}
        self._told: dict[object, float] = {}

    def add(
        self,
        host: object,
        events: Sequence[Event],
        until: float,
        then: Callable[[], None] | None = None,
    ) -> bool:
        """Take in what a host tells; it has told everything before the game's time ``until``.

        ``then`` is called once its events are handed on.

        Returns:
            whether something is held back, so that :meth:`release` is to be called later.
        """
        came = self._wall()
        held = self._held.setdefault(host, deque())
        held.extend((came, event) for event in events)
        if then is not None:
            held.append((came, then))
        self._told[host] = max(until, self._told.get(host, -math.inf))
        return self.release()

    def end(self, host: object) -> None:
        """Hand on what is left of a host, which tells nothing more."""
        for _, what in self._held.pop(host, ()):
            self._do(what)
        self._told.pop(host, None)
        self.release()

    def release(self) -> bool:
        """Hand on what is due; return whether something is still held back."""
        overdue = self._wall() - self._hold_s
        for held in self._held.values():
            self._reply(held)
        while waiting := {host: held[0] for host, held in self._held.items() if held}:
            first = min(waiting, key=lambda host: _time(waiting[host][1]))
            told = min(
                (until for host, until in self._told.items() if host not in waiting),
                default=math.inf,
            )
            is_late = any(came <= overdue for came, _ in waiting.values())
            if _time(waiting[first][1]) > told and not is_late:
                return True
            self._do(self._held[first].popleft()[1])
            self._reply(self._held[first])
        return False

    def _reply(self, held: deque[tuple[float, Event | Callable[[], None]]]) -> None:
        """Answer whoever waits for what comes before the next event."""
        while held and not isinstance(held[0][1], Event):
            self._do(held.popleft()[1])

    def _do(self, what: Event | Callable[[], None]) -> None:
        if isinstance(what, Event):
            self._hand_on(what)
        else:
            what()


def _time(what: Event | Callable[[], None]) -> float:
    """When an event happened; replies, of which none is a host's next thing, wait for nothing."""
    return what.t if isinstance(what, Event) else -math.inf


# --------------------------------------------------------------------------------------------------

REAL_TIME = Clock()
# Characters of a program or a skill; `bridge/js/sandbox/program.js` refuses longer ones.
MAX_PROGRAM = 200_000
# The longest time limit in milliseconds: whole numbers up to here are exact in JavaScript.
MAX_TIMEOUT_MS = 2**53 - 1
# Characters of a complaint about a message.
MAX_COMPLAINT = 500


def _sent(code: str) -> str:
    """As much of a program as goes over the wire: of one that is too long, enough to tell."""
    return well_formed(code[: MAX_PROGRAM + 1])


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
            skills={well_formed(k): _sent(v) for k, v in (skills or {}).items()},
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
        await self._bridge.take_out(self.name)


class Bridge:
    """The Node side and its bots. Use it as ``async with Bridge() as bridge``.

    Args:
        clock: the server's (``ServerState.clock()``): a faster one makes bots live faster.
        plan: which hosts bots live in.
        rejoins: whether bots whose host, or whose own connection, is lost join anew; else that is
            a fault.
    """

    def __init__(
        self, clock: Clock = REAL_TIME, plan: HostPlan | None = None, rejoins: bool = False
    ) -> None:
        self.clock = clock
        self.bots: dict[str, Bot] = {}
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._merge = EventMerge(self._hear)
        # Agents whose programs run, and since when.
        self._programs: dict[str, float] = {}
        hears = Hears(self._answered, self._lost, self._back, self._broken)
        self.housing = Housing(clock, plan or HostPlan(), rejoins, hears)

    async def __aenter__(self) -> Self:
        """Start the Node side.

        Raises:
            BridgeError: it does not start.
        """
        await self.housing.start()
        return self

    async def __aexit__(self, *error: object) -> None:
        """Take all bots out of the world."""
        await self.housing.close()

    async def make_room(self, bots: int) -> None:
        """Have as many hosts as so many bots need; without it there is one.

        Raises:
            BridgeError: one does not start.
        """
        await self.housing.make_room(bots)

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

        It lives in the host that has the fewest bots.

        Raises:
            BridgeError: the server cannot be joined.
        """
        fields = {
            "host": host,
            "port": port,
            "version": MINECRAFT_VERSION,
            "speed": self.clock.speed,
            "anchor_ms": self.clock.anchor * 1000,
            "movement": movement,
            "primitives": primitives,
            "refereed": refereed,
            "listens": listens,
        }
        await self.housing.join(name, fields)
        self.bots[name] = Bot(self, name)
        return self.bots[name]

    async def take_out(self, name: str) -> None:
        """Take a bot out of the world."""
        await self.housing.leave(name)

    def reachable(self, server: str) -> str:
        """Return a server's address as bots of all hosts can use it.

        Raises:
            BridgeError: some cannot reach it.
        """
        return self.housing.reachable(server)

    def is_away(self, name: str) -> bool:
        """Whether a bot has lost its host or its connection, and is on its way back."""
        return self.housing.is_away(name)

    async def clear_signals(self) -> None:
        """Forget all signals that nobody has taken, between two episodes."""
        await self.housing.clear_signals()

    async def events(self) -> AsyncIterator[Event]:
        """All that happens to the bots, as it happens; ends never, so cancel the reader.

        The events are those of ``records.events`` (``bridge.protocol.BOT_EVENTS`` lists the
        kinds); here ``t`` is the game's Unix time in seconds and ``episode`` is 0. Those of
        several hosts come in the order of their time.
        """
        while True:
            yield await self._events.get()

    async def request(self, kind: type[CommandMessage], bot: str, **fields: Any) -> Any:
        """Send a bot's host a command and wait for its reply's result.

        Raises:
            BridgeError: the Node side refused, failed, or is gone.
        """
        return await self.housing.ask(kind, bot, fields)

    # --- What hosts say --------------------------------------------------------------------------

    def _answered(self, host: Connection, answer: Answer, reply: Callable[[], None]) -> None:
        told = [self._or_lost(self._read_event(event, host)) for event in answer.events]
        self._merge_in(host, told, host.time_of(answer.time_ms), reply)
        for text in answer.passing:
            self.housing.post.pass_on(Passing.model_validate_json(text))

    def _or_lost(self, event: Event) -> Event:
        """An event; the fault of a bot that joins anew is that its body was lost."""
        if not isinstance(event, Fault) or event.where != "bot" or event.agent is None:
            return event
        if not self.housing.lose_bot(event.agent):
            return event
        return BodyLost(t=event.t, episode=0, agent=event.agent, message=event.message)

    def _merge_in(
        self,
        host: object,
        told: Sequence[Event],
        until: float,
        reply: Callable[[], None] | None = None,
    ) -> None:
        if self._merge.add(host, told, until, reply):
            asyncio.get_running_loop().call_later(HOLD_S, self._merge.release)

    def _hear(self, event: Event) -> None:
        if isinstance(event, CodeStarted) and event.agent is not None:
            self._programs[event.agent] = event.t
        elif isinstance(event, CodeFinished | CodeFailed) and event.agent is not None:
            self._programs.pop(event.agent, None)
        self._events.put_nowait(event)

    def _read_event(self, text: str, host: Connection) -> Event:
        """An event; one that is not as it should be becomes a line in its agent's log."""
        fields: dict[str, Any] = {}
        try:
            fields = dict(json.loads(text))
            json.dumps(fields, ensure_ascii=False).encode()  # no lone surrogates
            t = host.time_of(fields.pop("time_ms"))
            return parse_event({**fields, "t": t, "episode": 0})
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            name = fields.get("agent")
            agent = name if isinstance(name, str) and name in self.bots else None
            said = well_formed(f"an event was not recorded: {str(error)[:MAX_COMPLAINT]}")
            return Log(t=self.clock.now(), episode=0, agent=agent, text=said)

    def _lost(self, host: Connection, names: Sequence[str], reason: str) -> None:
        """Record what the loss of a host costs each of its agents."""
        self._merge.end(host)
        now, told = self.clock.now(), list[Event]()
        for name in names:
            began = self._programs.get(name)
            if began is not None:
                nothing: dict[str, Any] = {"line": None, "column": None, "source": None}
                nothing |= {"done": [], "logs": [], "seconds": max(0.0, now - began)}
                ended = {"status": "killed", "message": reason, **nothing}
                told.append(CodeFailed(t=now, episode=0, agent=name, **ended))
            told.append(BodyLost(t=now, episode=0, agent=name, message=reason))
        self._merge_in(self, told, math.inf)

    def _back(self, name: str, seconds: float) -> None:
        away = round(seconds, 3)
        back = BodyBack(t=self.clock.now(), episode=0, agent=name, seconds=away)
        self._merge_in(self, [back], math.inf)

    def _broken(self, reason: str) -> None:
        self._hear(Fault(t=self.clock.now(), episode=0, where="bridge", message=reason))
