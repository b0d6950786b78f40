"""The protocol between Python and Node, in one place.

Both sides come from the models here and in ``records.programs``: Python validates with them, and
``python -m bridge.typings``
writes ``bridge/js/protocol.d.ts`` from them, which ``tsc`` holds the JavaScript to.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from voxpolis.records import events

# Kinds of event that come from the Node side.
BOT_EVENTS = events.kinds("bot")


Movement = Literal["careful", "free"]
# What a primitive does that cannot do what it is asked: it throws, or says so as Voyager's do.
Primitives = Literal["strict", "voyager"]


class Message(BaseModel):
    """Any message; unknown fields are errors, so that the two sides cannot drift apart."""

    model_config = ConfigDict(extra="forbid")


class CommandMessage(Message):
    """A command of Python's; ``id`` is its own, and that of its reply."""

    id: int


class Spawn(CommandMessage):
    """Join a server with a new bot; the reply is the bot's first observation.

    ``speed``, ``anchor_ms`` and ``clock_file`` are those of the game's clock (``records.Clock``; no
    file: empty). A body whose
    ``movement`` is ``free`` digs and builds its way where there is none; a ``careful`` one leaves
    the land as it is. ``refereed``: using a block is a ``block_used`` event that Python answers.
    ``primitives``: ``strict`` ones throw where they cannot do what they are asked; those of
    ``voyager`` say so in chat and go on, and take tables and furnaces back after a program.
    ``listens``: what all other players say, and who comes and goes, are events, too.
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
    """Have an engine ready for a bot's programs; the reply comes when it is."""

    op: Literal["prepare"] = "prepare"
    bot: str


class Run(CommandMessage):
    """Run a program with a bot; the reply is a ``RunResult``, when the program is over.

    ``skills`` are further sources by name, each an async function of ``bot`` that the program and
    the other skills may call.
    """

    op: Literal["run"] = "run"
    bot: str
    code: str
    timeout_ms: int
    seed: int
    skills: dict[str, str]


class Stop(CommandMessage):
    """Stop a bot's program; the reply comes when nothing of it runs any more."""

    op: Literal["stop"] = "stop"
    bot: str
    reason: str


class Observe(CommandMessage):
    """Ask what a bot perceives; the reply is an :class:`Observation`."""

    op: Literal["observe"] = "observe"
    bot: str


class AnswerUse(CommandMessage):
    """Answer a bot's ``block_used`` event: what came of it, or why nothing did."""

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
    """Forget all signals that were sent and not yet taken.

    ``epoch``: that of what is sent from now on, see :class:`Passing`.
    """

    op: Literal["clear_signals"] = "clear_signals"
    epoch: int


# --- Several hosts -------------------------------------------------------------------------------


class Begin(CommandMessage):
    """The first command: the game's clock as in :class:`Spawn`, and how many threads bodies share.

    No threads: one a core. ``epoch`` as in :class:`ClearSignals`. What an earlier bridge told of
    other hosts is forgotten.
    """

    op: Literal["begin"] = "begin"
    speed: float
    anchor_ms: float
    clock_file: str
    threads: int
    epoch: int


class TellTime(CommandMessage):
    """Ask a host for the game's time there; the reply is Unix time in milliseconds."""

    op: Literal["tell_time"] = "tell_time"


class Neighbours(CommandMessage):
    """Tell a host which agents have joined and left at others, so that signals can be for them."""

    op: Literal["neighbours"] = "neighbours"
    joined: list[str]
    left: list[str]


class Deliver(CommandMessage):
    """Bring a host a signal that was sent at another to one of its agents."""

    op: Literal["deliver"] = "deliver"
    sender: str
    to: str
    name: str


class Credit(CommandMessage):
    """Let ``count`` signals that ``sender`` sent to an agent elsewhere no longer be untaken.

    A negative count: so many more are, which the sender's host does not know of yet.
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
    """An entity near a bot; ``distance`` in blocks."""

    name: str
    distance: float


class Observation(Message):
    """What a bot perceives: health and food from 0 to 20, ``nearby_blocks`` nearest first.

    ``equipment`` is what it wears and holds. ``chests`` are those near it or opened before, by
    position, with what they held when it last looked (None: it never looked).
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
    """The answer to the command with the same id."""

    id: int
    ok: bool
    result: Any
    error: str | None


class Passing(Message):
    """What a host has for another.

    A ``signal`` for an agent there, or that one of its own has ``taken`` a signal from there.
    ``epoch`` counts how often all signals had been forgotten when it was sent.
    """

    kind: Literal["signal", "taken"]
    sender: str
    to: str
    name: str
    epoch: int


class Answer(Message):
    """What one exchange brings back, each message as JSON of its own.

    So one that is not as it should be costs no other. ``replies`` are :class:`Reply`; ``events``
    have ``time_ms`` (wall clock) and no ``episode``; ``passing`` are :class:`Passing`. No event of
    a later answer is from before ``time_ms``.
    """

    replies: list[str]
    events: list[str]
    passing: list[str]
    time_ms: float
