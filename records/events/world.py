"""Events of the world: the map, speech, actions and inventories."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from voxpolis.records.events.base import Coordinate, Counts, Event, Height, Position, Whole


class WorldBuilt(Event, origin="world", lane="world"):
    """The map of an episode's world from above, before anything has changed.

    Attributes:
        ground: rectangles ``(block, x, z, last x, last z)``. Later rectangles cover earlier ones.
        blocks: a dictionary from the name of each other kind of block to its positions.
        places: a dictionary from the name of each place that agents know to its position.
        boxes: the ground with its heights, ``(block, x, y, z, last x, last y, last z)``; empty if
            the world is flat.
    """

    kind: Literal["world_built"] = "world_built"
    ground: list[tuple[str, Coordinate, Coordinate, Coordinate, Coordinate]] = Field(default=[])
    blocks: dict[str, list[Position]] = Field(default={})
    places: dict[str, Position] = Field(default={})
    boxes: list[tuple[str, Whole, Height, Whole, Whole, Height, Whole]] = Field(default=[])

    def summary(self) -> str:
        return f"the world was built: {', '.join(self.blocks) or 'open land'}"


class Chat(Event, origin="bot", lane="talk", in_words="“{text}”"):
    """A chat message of an agent, as the server broadcast it."""

    kind: Literal["chat"] = "chat"
    text: str


class SignWritten(Event, origin="bot", lane="talk", in_words="wrote on a sign: “{text}”"):
    """An agent wrote a text on a sign. ``position`` is the position of the sign."""

    kind: Literal["sign_written"] = "sign_written"
    position: Position
    text: str


class PlayerJoined(Event, origin="bot", lane="run"):
    """A player that is not one of the run's bots is on the server.

    The player has joined, or was there when the run began.

    If ``has_seat`` is true, the player is a person who plays an agent. Otherwise the player is a
    stranger, whose actions do not count.
    """

    kind: Literal["player_joined"] = "player_joined"
    name: str
    has_seat: bool = False

    def summary(self) -> str:
        return f"{self.name} joined{'' if self.has_seat else ', a stranger'}"


class PlayerLeft(Event, origin="bot", lane="run"):
    """A player that is not one of the run's bots left.

    ``has_seat`` is as in :class:`PlayerJoined`.
    """

    kind: Literal["player_left"] = "player_left"
    name: str
    has_seat: bool = False

    def summary(self) -> str:
        return f"{self.name} left{'' if self.has_seat else ', a stranger'}"


class StrangerSaid(Event, origin="bot", lane="talk", in_words="{name}, a stranger: “{text}”"):
    """A chat message of a player who plays no agent."""

    kind: Literal["stranger_said"] = "stranger_said"
    name: str
    text: str


class SeatTaken(Event, origin="experiment", lane="run", in_words="a person plays"):
    """A person plays the agent in this episode, from this moment on."""

    kind: Literal["seat_taken"] = "seat_taken"


class Signal(Event, origin="bot", lane="talk", in_words="signals {name} to {to}"):
    """An agent sent a signal. The addressee stops waiting when it receives the signal."""

    kind: Literal["signal"] = "signal"
    to: str
    name: str


class BlockDug(Event, origin="bot", lane="world", in_words="digs {block}"):
    """An agent dug a block."""

    kind: Literal["block_dug"] = "block_dug"
    block: str
    position: Position


class BlockPlaced(Event, origin="bot", lane="world", in_words="places {block}"):
    """An agent placed a block."""

    kind: Literal["block_placed"] = "block_placed"
    block: str
    position: Position


class BlocksChanged(Event, origin="bot", lane=None):
    """Blocks that changed, as the server reported them, at most once per second.

    An agent or a rule of the world may be the cause. ``blocks`` are the new blocks as ``(block, x,
    y, z)``, with ``air`` for empty positions. If a block has an age or can be open, its state
    follows the name: ``wheat[age=3]``.
    """

    kind: Literal["blocks_changed"] = "blocks_changed"
    blocks: list[tuple[str, Whole, Height, Whole]]


# For a chunk: the number of columns, the maximum number of block names, and the maximum number of
# entries above ground per event.
COLUMNS, MOST_NAMES, MOST_ABOVE = 256, 1024, 1024
_InChunk = Annotated[int, Field(ge=0, le=15)]
_Number = Annotated[int, Field(ge=0, lt=MOST_NAMES)]


class LandSeen(Event, origin="bot", lane=None):
    """A chunk of natural land from above, as an agent's body first saw it.

    The chunk has 16 by 16 columns of blocks. Columns are listed row by row from north to south, and
    each row from west to east.

    Attributes:
        x: the x coordinate of the chunk's first block.
        z: the z coordinate of the chunk's first block.
        names: the names of the blocks, to which the other fields refer by index.
        heights: the height of the highest ground block of each column.
        tops: the type of this block, as an index into ``names``.
        above: blocks above the ground (trees, plants, water, roofs), as ``(index into names, x, z,
            lowest y, highest y)``. Here x and z are relative to the chunk. Blocks that do not fit
            into one event follow in further events without ``heights``.
    """

    kind: Literal["land_seen"] = "land_seen"
    x: Whole
    z: Whole
    names: Annotated[list[str], Field(max_length=MOST_NAMES)]
    heights: Annotated[list[Height], Field(max_length=COLUMNS)]
    tops: Annotated[list[_Number], Field(max_length=COLUMNS)]
    above: Annotated[
        list[tuple[_Number, _InChunk, _InChunk, Height, Height]], Field(max_length=MOST_ABOVE)
    ]

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        if len(self.heights) != len(self.tops):
            raise ValueError("heights and tops have different numbers of columns")
        numbers = (*self.tops, *(number for number, *_ in self.above))
        if max(numbers, default=0) >= max(1, len(self.names)):
            raise ValueError("number of a block that is not in names")
        return self


class BlocksBared(Event, origin="bot", lane=None):
    """Blocks next to blocks that were dug, as ``(block, x, y, z)``. Each position is reported once.

    These blocks have not changed. They are the visible part of the underground.
    """

    kind: Literal["blocks_bared"] = "blocks_bared"
    blocks: list[tuple[str, Whole, Height, Whole]]


class PilesChanged(Event, origin="world", lane=None):
    """The new numbers of units on the grid cells where units were added or taken.

    An agent or the rules of the game may be the cause. ``piles`` are ``(block, x, z, units)``, with
    the same block names as in :class:`WorldBuilt`.
    """

    kind: Literal["piles_changed"] = "piles_changed"
    piles: list[tuple[str, Whole, Whole, int]]


class BlockUsed(Event, origin="bot", lane="world", in_words="uses {block}"):
    """An agent used a block that has a meaning in the scenario.

    ``request`` is the number of this use. The scenario's answer contains the same number.
    """

    kind: Literal["block_used"] = "block_used"
    block: str
    position: Position
    request: int


class ItemCollected(Event, origin="bot", lane="world", in_words="picks up {count} {item}"):
    """An agent picked up items."""

    kind: Literal["item_collected"] = "item_collected"
    item: str
    count: int


class ContainerMoved(Event, origin="bot", lane="world"):
    """An agent moved items out of a container (``count`` > 0) or into it (``count`` < 0)."""

    kind: Literal["container_moved"] = "container_moved"
    item: str
    count: int
    container: str

    def summary(self) -> str:
        return f"{'took' if self.count > 0 else 'put'} {abs(self.count)} {self.item}"


class LedgerEntry(
    Event, origin="world", lane="world", in_words="server's ledger: {action} {count} {item}"
):
    """The server's counts for an agent since the last reading, about a second before.

    ``dug`` and ``placed`` count blocks, and come from the server's statistics. ``took`` and ``put``
    count items, and come from the contents of a chest and the inventories.
    """

    kind: Literal["ledger"] = "ledger"
    action: Literal["dug", "placed", "took", "put"]
    item: str
    count: int


class Died(Event, origin="bot", lane="world", in_words="dies"):
    """An agent died."""

    kind: Literal["died"] = "died"


class PositionSampled(Event, origin="bot", lane=None):
    """The position of an agent's body, sampled about once a second."""

    kind: Literal["position"] = "position"
    position: Position


class Inventory(Event, origin="world", lane=None):
    """The items of an agent at one moment, according to the world.

    ``value`` is what the items are worth to the agent, if the scenario defines this. On the grid,
    ``value`` is the agent's score.
    """

    kind: Literal["inventory"] = "inventory"
    items: Counts
    value: float | None = None


class ItemObtained(
    Event, origin="experiment", lane="world", in_words="first {item}, {distinct} kinds"
):
    """An agent has an item of some kind for the first time, according to the server.

    Attributes:
        iteration: the number of programs that the agent has asked its model for; 0 for agents that
            do not count them.
        distinct: the number of kinds that the agent has had so far.
    """

    kind: Literal["item_obtained"] = "item_obtained"
    item: str
    iteration: int = 0
    distinct: int


class Milestone(Event, origin="experiment", lane="world", in_words="milestone: {name}"):
    """An agent reached a milestone of a technology tree for the first time."""

    kind: Literal["milestone"] = "milestone"
    name: str
    iteration: int


class EventExecuted(
    Event, origin="world", lane="world", in_words="an agent made {output} ({event})"
):
    """An agent on the grid carried out ``event`` (a recipe) at a station, and made ``output``."""

    kind: Literal["event_executed"] = "event_executed"
    event: str
    output: str


class GroupsChanged(Event, origin="world", lane="world"):
    """The groups to which an agent now belongs, with its weight in each group."""

    kind: Literal["groups_changed"] = "groups_changed"
    groups: dict[str, float]

    def summary(self) -> str:
        return f"groups: {', '.join(self.groups) or 'none'}"


class Produced(Event, origin="world", lane="world", in_words="gets {resource} of {source}"):
    """A referee gave an agent a resource. ``source`` is ``pile``, or the event that made it."""

    kind: Literal["produced"] = "produced"
    resource: str
    source: str
    position: Position
