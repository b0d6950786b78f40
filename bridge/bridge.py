"""Bots on a Minecraft server, as asyncio objects."""

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
from voxpolis.bridge.placement import Placement, PlacementCallbacks
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

# --- Merging the events of several hosts by time --------------------------------------------------
#
# A host is a process with bots. Each answer of a host contains the time up to which the host has
# reported all events. An event is held back until all hosts have reported up to its time. The delay
# is limited to a moment of real time, so that a host that hangs delays no other host. The events of
# one agent always remain in order. A reply is passed on after all events that its host reported
# before it.

# An event is held back for at most this many seconds of real time.
HOLD_S = 0.2


class EventMerge:
    """Merges the events of all hosts in the order of their times.

    ``hand_on`` is called with each event. ``hold_s`` is the longest time for which an event is held
    back, in seconds of the clock ``wall``.
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
        # For each host: its events, each with the time at which it arrived; and the time up to
        # which the host has reported all events.
        self._held: dict[object, deque[tuple[float, Event | Callable[[], None]]]] = {}
        self._told: dict[object, float] = {}

    def add(
        self,
        host: object,
        events: Sequence[Event],
        until: float,
        then: Callable[[], None] | None = None,
    ) -> bool:
        """Add events from a host that has reported everything before the game time ``until``.

        ``then`` is called after these events have been passed on.

        Returns:
            True if some events are held back. In this case call :meth:`release` later.
        """
        came = self._wall()
        held = self._held.setdefault(host, deque())
        held.extend((came, event) for event in events)
        if then is not None:
            held.append((came, then))
        self._told[host] = max(until, self._told.get(host, -math.inf))
        return self.release()

    def end(self, host: object) -> None:
        """Pass on the remaining events of a host that has ended."""
        for _, what in self._held.pop(host, ()):
            self._do(what)
        self._told.pop(host, None)
        self.release()

    def release(self) -> bool:
        """Pass on events that are no longer held back. Return True if others still are."""
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
        """Pass on the replies at the head of a host's queue, up to the first event."""
        while held and not isinstance(held[0][1], Event):
            self._do(held.popleft()[1])

    def _do(self, what: Event | Callable[[], None]) -> None:
        if isinstance(what, Event):
            self._hand_on(what)
        else:
            what()


def _time(what: Event | Callable[[], None]) -> float:
    """Return the time of an event. For a reply, return -inf, because replies never wait."""
    return what.t if isinstance(what, Event) else -math.inf


# --------------------------------------------------------------------------------------------------

REAL_TIME = Clock()
# Maximum length of a program or a skill. `bridge/js/sandbox/program.js` refuses longer ones.
MAX_PROGRAM = 200_000
# The longest time limit in milliseconds: the largest integer that JavaScript represents exactly.
MAX_TIMEOUT_MS = 2**53 - 1
# Maximum length of an error message that a program or an event caused, in characters.
MAX_COMPLAINT = 500


def _truncated(code: str) -> str:
    """Shorten a program that is too long.

    One character more than allowed remains, so that Node still refuses the program.
    """
    return well_formed(code[: MAX_PROGRAM + 1])


class Bot:
    """The body of an agent: a Mineflayer bot with its own JavaScript engine."""

    def __init__(self, bridge: Bridge, name: str) -> None:
        self.name = name
        self._bridge = bridge

    async def prepare(self) -> None:
        """Start the engine, so that the next program begins without delay.

        A program has to wait for its engine. If time counts from the start of the programs, as in
        an episode, prepare the engines of all bots first.

        Raises:
            BridgeError: the bot is gone.
        """
        await self._bridge.request(Prepare, bot=self.name)

    async def run(
        self, code: str, timeout_s: float, seed: int = 0, skills: Mapping[str, str] | None = None
    ) -> RunResult:
        """Run a JavaScript program with this bot.

        The program may use ``await``, ``bot``, the primitives, ``mcData``, ``Vec3``, goals, timers
        and ``console``. If it only declares functions, its last ``async function name(bot)`` is
        called. A program that ignores its time limit is killed together with its engine; the bot
        remains in the world.

        Args:
            code: the program.
            timeout_s: the time limit in seconds of game time.
            seed: the seed of the program's ``Math.random``.
            skills: a dictionary from the name of each function that the program may call to the
                function's source.

        Returns:
            How the program ended. An error of the program is part of the result and is not raised.

        Raises:
            BridgeError: the bot is gone, or is already running a program.
            ValueError: the time limit is negative or not finite.
        """
        if not 0 <= timeout_s < math.inf:
            raise ValueError(f"timeout_s must be a finite number, 0 or more, not {timeout_s}")
        result = await self._bridge.request(
            Run,
            bot=self.name,
            code=_truncated(code),
            timeout_ms=round(min(timeout_s * 1000, MAX_TIMEOUT_MS)),
            seed=seed,
            skills={well_formed(k): _truncated(v) for k, v in (skills or {}).items()},
        )
        try:
            return RunResult.model_validate(result)
        except ValidationError as error:  # only this program fails, and the run continues
            told = f"the result cannot be read: {str(error)[:MAX_COMPLAINT]}"
            problem = CodeError(message=told, line=None, column=None, source=None, done=[])
            return RunResult(status="error", error=problem, logs=[], seconds=0.0)

    async def stop(self, reason: str) -> None:
        """Stop the program that is running, and wait until no part of it is running any more."""
        await self._bridge.request(Stop, bot=self.name, reason=reason)

    async def observe(self) -> Observation:
        """Return what the bot perceives at this moment.

        Raises:
            BridgeError: the bot is gone, or its observation cannot be read.
        """
        result = await self._bridge.request(Observe, bot=self.name)
        try:
            return Observation.model_validate(result)
        except ValidationError as error:
            raise BridgeError(f"the observation of {self.name} cannot be read: {error}") from error

    async def answer_use(self, request: int, ok: bool, text: str) -> None:
        """Answer an event ``block_used``.

        The function ``useBlock`` in the agent's program returns ``text``. If ``ok`` is false, the
        function fails with ``text`` as the reason.
        """
        await self._bridge.request(AnswerUse, bot=self.name, request=request, ok=ok, text=text)

    async def quit(self) -> None:
        await self._bridge.remove(self.name)


class Bridge:
    """The Node processes and their bots. Use it as ``async with Bridge() as bridge``.

    Args:
        clock: the clock of the server (``ServerState.clock()``). If the clock runs fast, the
            bots move fast.
        plan: the number and the kind of the hosts.
        rejoins: whether bots rejoin when their host or their connection is lost. If not, a loss
            is a fault.
    """

    def __init__(
        self, clock: Clock = REAL_TIME, plan: HostPlan | None = None, rejoins: bool = False
    ) -> None:
        self.clock = clock
        self.bots: dict[str, Bot] = {}
        self._events: asyncio.Queue[Event] = asyncio.Queue()
        self._merge = EventMerge(self._hear)
        # For each agent with a running program, the time at which the program began.
        self._programs: dict[str, float] = {}
        hears = PlacementCallbacks(self._answered, self._lost, self._back, self._broken)
        self.placement = Placement(clock, plan or HostPlan(), rejoins, hears)

    async def __aenter__(self) -> Self:
        """Start the first Node process.

        Raises:
            BridgeError: Node does not start.
        """
        await self.placement.start()
        return self

    async def __aexit__(self, *error: object) -> None:
        """Take all bots out of the world, and end all Node processes."""
        await self.placement.close()

    async def ensure_hosts(self, bots: int) -> None:
        """Start as many hosts as this number of bots needs. Without this call there is one host.

        Raises:
            BridgeError: a host does not start.
        """
        await self.placement.ensure_hosts(bots)

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
        """Let a new bot join a server, on the host with the fewest bots.

        For the arguments see :class:`bridge.protocol.Spawn`.

        Raises:
            BridgeError: the bot cannot join.
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
        bot = self.bots[name] = Bot(self, name)  # before it joins: bots of a wave keep their order
        await self.placement.join(name, fields)
        return bot

    async def remove(self, name: str) -> None:
        await self.placement.leave(name)

    def reachable(self, server: str) -> str:
        """Return an address of the server that the bots of all hosts can use.

        Raises:
            BridgeError: a host cannot reach the server.
        """
        return self.placement.reachable(server)

    def is_away(self, name: str) -> bool:
        """Return whether a bot has lost its host or connection and has not rejoined yet."""
        return self.placement.is_away(name)

    async def clear_signals(self) -> None:
        """Discard all signals that have not been received, for the start of an episode."""
        await self.placement.clear_signals()

    async def events(self) -> AsyncIterator[Event]:
        """Yield the events of the bots as they happen, until the caller is cancelled.

        The events are those of ``records.events``; ``bridge.protocol.BOT_EVENTS`` lists the kinds.
        In these events, ``t`` is the Unix time of the game in seconds, and ``episode`` is 0. The
        events of several hosts are in the order of time.
        """
        while True:
            yield await self._events.get()

    async def request(self, kind: type[CommandMessage], bot: str, **fields: Any) -> Any:
        """Send a command to a bot's host, and return the result of the reply.

        Raises:
            BridgeError: Node refused the command, failed, or is gone.
        """
        return await self.placement.ask(kind, bot, fields)

    # --- Messages from hosts ----------------------------------------------------------------------

    def _answered(self, host: Connection, answer: Answer, reply: Callable[[], None]) -> None:
        told = [self._or_lost(self._read_event(event, host)) for event in answer.events]
        self._merge_in(host, told, host.time_of(answer.time_ms), reply)
        for text in answer.passing:
            self.placement.post.pass_on(Passing.model_validate_json(text))

    def _or_lost(self, event: Event) -> Event:
        """Return ``body_lost`` for a fault of a bot that will rejoin; else the event itself."""
        if not isinstance(event, Fault) or event.where != "bot" or event.agent is None:
            return event
        if not self.placement.lose_bot(event.agent):
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
        """Convert the JSON text of an event into an event object.

        A text that is not a valid event becomes a line in its agent's log.
        """
        fields: dict[str, Any] = {}
        try:
            fields = dict(json.loads(text))
            # Raises an error if the text contains unpaired surrogates.
            json.dumps(fields, ensure_ascii=False).encode()
            t = host.time_of(fields.pop("time_ms"))
            return parse_event({**fields, "t": t, "episode": 0})
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            name = fields.get("agent")
            agent = name if isinstance(name, str) and name in self.bots else None
            said = well_formed(f"an event was not recorded: {str(error)[:MAX_COMPLAINT]}")
            return Log(t=self.clock.now(), episode=0, agent=agent, text=said)

    def _lost(self, host: Connection, names: Sequence[str], reason: str) -> None:
        """Record what the loss of a host means for its agents.

        Each agent's body is lost, and so is its program if one was running.
        """
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
