"""The protocol between Python and Node.

Both sides follow the models here and in ``records.programs``. Python validates messages with them.
``python -m bridge.typings`` writes ``bridge/js/protocol.d.ts`` from them, and ``tsc`` checks the
JavaScript against it.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from voxpolis.records import events

# Event kinds that come from Node.
BOT_EVENTS = events.kinds("bot")


Movement = Literal["careful", "free"]
# How a primitive fails: ``strict`` throws an error, ``voyager`` reports it in chat as Voyager does.
Primitives = Literal["strict", "voyager"]


class Message(BaseModel):
    """Base of all messages. Unknown fields are errors, so that Python and Node cannot drift
    apart.
    """

    model_config = ConfigDict(extra="forbid")


class CommandMessage(Message):
    """Command from Python. Its ``id`` is repeated in the reply."""

    id: int


class Spawn(CommandMessage):
    """Join a server with a new bot; the reply is the bot's first observation.

    ``speed``, ``anchor_ms`` and ``clock_file`` describe the game's clock (``records.Clock``;
    ``clock_file`` is empty if there is none).

    ``movement``: a ``free`` body digs and builds if there is no path; a ``careful`` body leaves
    the land unchanged.

    ``refereed``: using a block emits a ``block_used`` event that Python answers.

    ``primitives``: ``strict`` primitives throw when they fail. ``voyager`` primitives report
    failures in chat and continue, and take placed tables and furnaces back after a program.

    ``listens``: if true, other players' chat, joins and leaves are also reported as events.
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
    """Start an engine for a bot's programs; the reply comes when it is ready."""

    op: Literal["prepare"] = "prepare"
    bot: str


class Run(CommandMessage):
    """Run a program with a bot; the reply, at the program's end, is a ``RunResult``.

    ``skills`` are further sources by name. Each is an async function of ``bot`` that the program
    and the other skills may call.
    """

    op: Literal["run"] = "run"
    bot: str
    code: str
    timeout_ms: int
    seed: int
    skills: dict[str, str]


class Stop(CommandMessage):
    """Stop a bot's program; the reply comes once no part of it is running."""

    op: Literal["stop"] = "stop"
    bot: str
    reason: str


class Observe(CommandMessage):
    """Ask for a bot's observation; the reply is an :class:`Observation`."""

    op: Literal["observe"] = "observe"
    bot: str


class AnswerUse(CommandMessage):
    """Answer a bot's ``block_used`` event with the result, or with the reason for its failure."""

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
    """Discard all pending signals.

    ``epoch``: the number of the epoch that begins; see :class:`Passing`.
    """

    op: Literal["clear_signals"] = "clear_signals"
    epoch: int


# --- Several hosts -------------------------------------------------------------------------------


class Begin(CommandMessage):
    """The first command: the game's clock as in :class:`Spawn`, and the number of body threads.

    ``threads``: 0 means one per core. ``epoch`` as in :class:`ClearSignals`. The host forgets the
    agents of other hosts that an earlier bridge announced.
    """

    op: Literal["begin"] = "begin"
    speed: float
    anchor_ms: float
    clock_file: str
    threads: int
    epoch: int


class TellTime(CommandMessage):
    """Ask a host for its game time; the reply is Unix time in milliseconds."""

    op: Literal["tell_time"] = "tell_time"


class Neighbours(CommandMessage):
    """Tell a host which agents have joined and left other hosts, so that signals can reach them."""

    op: Literal["neighbours"] = "neighbours"
    joined: list[str]
    left: list[str]


class Deliver(CommandMessage):
    """Deliver a signal from an agent on another host to one of this host's agents."""

    op: Literal["deliver"] = "deliver"
    sender: str
    to: str
    name: str


class Credit(CommandMessage):
    """Reduce the number of signals from ``sender`` that are pending on another host by ``count``.

    A negative count raises the number, for signals that the sender's host does not know about yet.
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
    """Entity near a bot; ``distance`` in blocks."""

    name: str
    distance: float


class Observation(Message):
    """Perception of a bot: health and food from 0 to 20, ``nearby_blocks`` nearest first.

    ``equipment`` is what the bot wears and holds. ``chests`` are those that are near or were opened
    before, by position, with their items when the bot last looked inside (None: never).
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
    """Answer to the command with the same id."""

    id: int
    ok: bool
    result: Any
    error: str | None


class Passing(Message):
    """Message from one host to another: a ``signal`` for an agent there, or a receipt.

    A receipt (``taken``) says that an agent on this host has taken a signal that came from the
    other host. ``epoch`` is how often all signals had been discarded when the message was sent.
    """

    kind: Literal["signal", "taken"]
    sender: str
    to: str
    name: str
    epoch: int


class Answer(Message):
    """Result of one exchange. Each message is a separate JSON text, so that a malformed message
    does not spoil the others.

    ``replies`` are :class:`Reply`. ``events`` have ``time_ms`` (wall clock) and no ``episode``.
    ``passing`` are :class:`Passing`. Later answers contain no event from before ``time_ms``.
    """

    replies: list[str]
    events: list[str]
    passing: list[str]
    time_ms: float
