"""The messages that Python and Node exchange.

The models here and in ``records.programs`` define the messages of both sides. Python validates
messages with the models. ``python -m bridge.typings`` writes ``bridge/js/protocol.d.ts`` from the
models, and ``tsc`` checks the JavaScript code against this file.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from voxpolis.records import events

# The kinds of events that come from Node.
BOT_EVENTS = events.kinds("bot")


Movement = Literal["careful", "free"]
# What a primitive does if it fails: ``strict`` throws an error; ``voyager`` reports the failure in
# the chat, as in Voyager.
Primitives = Literal["strict", "voyager"]


class Message(BaseModel):
    """The base class of all messages.

    An unknown field is an error, so that Python and Node stay in step.
    """

    model_config = ConfigDict(extra="forbid")


class CommandMessage(Message):
    """A command that Python sends to Node. The reply from Node has the same ``id``."""

    id: int


class Spawn(CommandMessage):
    """Join a server with a new bot. The reply is the bot's first observation.

    ``speed``, ``anchor_ms`` and ``clock_file`` describe the clock of the game (``records.Clock``).
    ``clock_file`` is empty if there is no such file.

    ``movement``: a ``free`` body digs and builds if there is no path. A ``careful`` body leaves the
    land as it is.

    ``refereed``: when the bot uses a block, an event ``block_used`` is sent, which Python answers.

    ``primitives``: ``strict`` primitives throw an error if they fail. ``voyager`` primitives report
    a failure in the chat, and the program continues. With ``voyager`` primitives, the bot takes
    tables and furnaces back when the program has ended.

    ``listens``: whether events also report what other players say, and when they join and leave.
    """

    op: Literal["spawn"] = "spawn"
    bot: str
    host: str
    port: int
    version: str
    speed: float
    anchor_ms: float
    clock_file: str
    movement: Movement
    primitives: Primitives
    refereed: bool
    listens: bool


class Prepare(CommandMessage):
    """Start an engine for a bot's programs. The reply comes when the engine is ready."""

    op: Literal["prepare"] = "prepare"
    bot: str


class Run(CommandMessage):
    """Run a program with a bot. The reply comes when the program ends, and is a ``RunResult``.

    ``skills`` maps the names of further functions to their source code. A skill is an async
    function of ``bot`` that the program and other skills may call.
    """

    op: Literal["run"] = "run"
    bot: str
    code: str
    timeout_ms: int
    seed: int
    skills: dict[str, str]


class Stop(CommandMessage):
    """Stop the program of a bot.

    The reply comes when no part of the program is running any more.
    """

    op: Literal["stop"] = "stop"
    bot: str
    reason: str


class Observe(CommandMessage):
    """Ask what a bot perceives. The reply is an :class:`Observation`."""

    op: Literal["observe"] = "observe"
    bot: str


class AnswerUse(CommandMessage):
    """Answer a bot's event ``block_used`` with a result, or with the reason for a failure."""

    op: Literal["answer_use"] = "answer_use"
    bot: str
    request: int
    ok: bool
    text: str


class Quit(CommandMessage):
    """Take a bot out of the world."""

    op: Literal["quit"] = "quit"
    bot: str


class ClearSignals(CommandMessage):
    """Discard all signals that have not been received.

    ``epoch`` is the number of times that signals have been discarded; see :class:`Passing`.
    """

    op: Literal["clear_signals"] = "clear_signals"
    epoch: int


# --- Several hosts --------------------------------------------------------------------------------


class Begin(CommandMessage):
    """The first command to a host.

    The fields of the clock are those of :class:`Spawn`, and ``epoch`` is that of
    :class:`ClearSignals`. ``threads`` is the number of threads for bodies; 0 means one per core.
    If another bridge used the host before, the host forgets which agents are on other hosts.
    """

    op: Literal["begin"] = "begin"
    speed: float
    anchor_ms: float
    clock_file: str
    threads: int
    epoch: int


class TellTime(CommandMessage):
    """Ask a host for the time of the game. The reply is a Unix time in milliseconds."""

    op: Literal["tell_time"] = "tell_time"


class Neighbours(CommandMessage):
    """Tell a host which agents have joined and left other hosts.

    The agents of this host can then send signals to the agents that have joined.
    """

    op: Literal["neighbours"] = "neighbours"
    joined: list[str]
    left: list[str]


class Deliver(CommandMessage):
    """Deliver a signal from an agent on another host to an agent on this host."""

    op: Literal["deliver"] = "deliver"
    sender: str
    to: str
    name: str


class Credit(CommandMessage):
    """Reduce by ``count`` the number of signals from ``sender`` that count as waiting elsewhere.

    A negative ``count`` increases the number, for signals that the sender's host does not know yet.
    """

    op: Literal["credit"] = "credit"
    sender: str
    to: str
    count: int


Command = Annotated[
    Spawn
    | Prepare
    | Run
    | Stop
    | Observe
    | AnswerUse
    | Quit
    | ClearSignals
    | Begin
    | TellTime
    | Neighbours
    | Deliver
    | Credit,
    Field(discriminator="op"),
]


class SeenEntity(Message):
    """An entity near a bot. ``distance`` is in blocks."""

    name: str
    distance: float


class Observation(Message):
    """The observation of a bot.

    Attributes:
        health: from 0 to 20.
        food: from 0 to 20.
        equipment: what the bot wears and holds.
        chests: a dictionary from the position of each chest that is near or that the bot has opened
            to what was in it when the bot last looked inside; None if the bot never did.
        nearby_blocks: the names of blocks nearby, nearest first.
    """

    position: tuple[float, float, float]
    health: float
    food: float
    held_item: str | None
    equipment: list[str]
    inventory: dict[str, int]
    inventory_slots_used: int
    chests: dict[str, dict[str, int] | None]
    biome: str
    nearby_blocks: list[str]
    nearby_entities: list[SeenEntity]
    time_of_day: float


class Reply(Message):
    """The reply to the command with the same id."""

    id: int
    ok: bool
    result: Any
    error: str | None


class Passing(Message):
    """A message from one host to another: a ``signal`` for one of its agents, or a receipt.

    A receipt (``taken``) says that an agent on this host has received a signal that came from the
    other host. ``epoch`` is the number of times that all signals had been discarded when the
    message was sent.
    """

    kind: Literal["signal", "taken"]
    sender: str
    to: str
    name: str
    epoch: int


class Answer(Message):
    """The data that Node returns in one exchange: replies, events and messages for other hosts.

    Each message is a separate JSON text, so an invalid message does not affect the others.

    Attributes:
        replies: texts of :class:`Reply`.
        events: texts of events, with ``time_ms`` (the time of the game) and without ``episode``.
        passing: texts of :class:`Passing`.
        time_ms: later answers contain no events from before this time.
    """

    replies: list[str]
    events: list[str]
    passing: list[str]
    time_ms: float
