"""Events of the world: building, speech, actions, inventories."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from voxpolis.records.events.base import Coordinate, Counts, Event, Height, Position, Whole


class WorldBuilt(Event, origin="world", lane="world"):
    """Map of an episode's world from above, before any changes.

    ``ground``: rectangles ``(block, x, z, last x, last z)``; later rectangles cover earlier ones.
    ``blocks``: positions by name; ``places``: named places that agents know. ``boxes``: the ground
    with its heights, ``(block, x, y, z, last x, last y, last z)``; empty for a flat world.
    """

    kind: Literal["world_built"] = "world_built"
    ground: list[tuple[str, Coordinate, Coordinate, Coordinate, Coordinate]] = Field(default=[])
    blocks: dict[str, list[Position]] = Field(default={})
    places: dict[str, Position] = Field(default={})
    boxes: list[tuple[str, Whole, Height, Whole, Whole, Height, Whole]] = Field(default=[])

    def summary(self) -> str:
        return f"the world was built: {', '.join(self.blocks) or 'open land'}"


class Chat(Event, origin="bot", lane="talk", in_words="“{text}”"):
    """An agent's chat message, as broadcast by the server."""

    kind: Literal["chat"] = "chat"
    text: str


class SignWritten(Event, origin="bot", lane="talk", in_words="wrote on a sign: “{text}”"):
    """An agent's text on a sign, as reported by the server. ``position``: the sign's."""

    kind: Literal["sign_written"] = "sign_written"
    position: Position
    text: str


class PlayerJoined(Event, origin="bot", lane="run"):
    """A player other than the run's bots joined the server, or was present when the run began.

    ``has_seat``: the player is a person who plays an agent. Otherwise the player is a stranger,
    whose actions do not count.
    """

    kind: Literal["player_joined"] = "player_joined"
    name: str
    has_seat: bool = False

    def summary(self) -> str:
        return f"{self.name} joined{'' if self.has_seat else ', a stranger'}"


class PlayerLeft(Event, origin="bot", lane="run"):
    """A player other than the run's bots left; ``has_seat`` as in :class:`PlayerJoined`."""

    kind: Literal["player_left"] = "player_left"
    name: str
    has_seat: bool = False

    def summary(self) -> str:
        return f"{self.name} left{'' if self.has_seat else ', a stranger'}"


class StrangerSaid(Event, origin="bot", lane="talk", in_words="{name}, a stranger: “{text}”"):
    """A chat message of a player without a seat."""

    kind: Literal["stranger_said"] = "stranger_said"
    name: str
    text: str


class SeatTaken(Event, origin="experiment", lane="run", in_words="a person plays"):
    """From now on a person plays in an agent's place, in this episode."""

    kind: Literal["seat_taken"] = "seat_taken"


class Signal(Event, origin="bot", lane="talk", in_words="signals {name} to {to}"):
    """A signal was sent; its addressee stops waiting when it consumes the signal."""

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
    """Current blocks at some positions, as reported by the server, at most once per second.

    The cause may be an agent or a rule of the world. ``blocks`` are ``(block, x, y, z)``, with
    ``air`` for empty positions. If a block has an age or an open state, it follows the block's
    name: ``wheat[age=3]``.
    """

    kind: Literal["blocks_changed"] = "blocks_changed"
    blocks: list[tuple[str, Whole, Height, Whole]]


# For a chunk: number of columns, maximum number of block names, and maximum number of entries above
# ground per event.
COLUMNS, MOST_NAMES, MOST_ABOVE = 256, 1024, 1024
_InChunk = Annotated[int, Field(ge=0, le=15)]
_Number = Annotated[int, Field(ge=0, lt=MOST_NAMES)]


class LandSeen(Event, origin="bot", lane=None):
    """A chunk of natural land from above, as an agent's body first saw it.

    ``x`` and ``z`` are those of its first block; its 16 by 16 columns are in row-major order, rows
    from north to south and each from west to east. ``heights`` is the highest ground block of each
    column, and ``tops`` the type of that block as an index into ``names``. ``above`` lists blocks
    above the ground (trees, plants, water, roofs) as ``(index into names, x, z, lowest y, highest
    y)``, with x and z relative to the chunk. If there are too many for one event, further events
    contain the rest, without ``heights``.
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
    """Blocks next to dug blocks: ``(block, x, y, z)``, each position once.

    These blocks have not changed; they are the visible part of the underground.
    """

    kind: Literal["blocks_bared"] = "blocks_bared"
    blocks: list[tuple[str, Whole, Height, Whole]]


class PilesChanged(Event, origin="world", lane=None):
    """Current number of units on grid cells where it has changed.

    The cause may be an agent or the game's rules. ``piles`` are ``(block, x, z, units)``, with
    names as in :class:`WorldBuilt`.
    """

    kind: Literal["piles_changed"] = "piles_changed"
    piles: list[tuple[str, Whole, Whole, int]]


class BlockUsed(Event, origin="bot", lane="world", in_words="uses {block}"):
    """An agent used a block that has a meaning in the scenario; ``request`` is answered once."""

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
    """Items moved between an agent and a container: ``count`` > 0 was taken out, < 0 put in."""

    kind: Literal["container_moved"] = "container_moved"
    item: str
    count: int
    container: str

    def summary(self) -> str:
        return f"{'took' if self.count > 0 else 'put'} {abs(self.count)} {self.item}"


class LedgerEntry(
    Event, origin="world", lane="world", in_words="server's ledger: {action} {count} {item}"
):
    """Server counts since its ledger was last read, about once a second.

    ``dug`` and ``placed`` are blocks, from its statistics; ``took`` and ``put`` are items, from the
    contents of a chest and the inventories.
    """

    kind: Literal["ledger"] = "ledger"
    action: Literal["dug", "placed", "took", "put"]
    item: str
    count: int


class Died(Event, origin="bot", lane="world", in_words="dies"):
    """An agent died."""

    kind: Literal["died"] = "died"


class PositionSampled(Event, origin="bot", lane=None):
    """Position of an agent's body, about once a second."""

    kind: Literal["position"] = "position"
    position: Position


class Inventory(Event, origin="world", lane=None):
    """Sample of an agent's items, from the world's state.

    ``value``: the items' worth to the agent (on the grid, the agent's score), if the scenario
    defines one.
    """

    kind: Literal["inventory"] = "inventory"
    items: Counts
    value: float | None = None


class ItemObtained(
    Event, origin="experiment", lane="world", in_words="first {item}, {distinct} kinds"
):
    """An agent has a kind of item for the first time, according to the server.

    ``iteration`` is the prompting iteration (0 if there are none), ``distinct`` the number of kinds
    so far.
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
    """An agent on the grid made an ``output`` at a station."""

    kind: Literal["event_executed"] = "event_executed"
    event: str
    output: str


class GroupsChanged(Event, origin="world", lane="world"):
    """The groups that an agent belongs to, with its weight in each."""

    kind: Literal["groups_changed"] = "groups_changed"
    groups: dict[str, float]

    def summary(self) -> str:
        return f"groups: {', '.join(self.groups) or 'none'}"


class Produced(Event, origin="world", lane="world", in_words="gets {resource} of {source}"):
    """A referee gave an agent a resource, from a pile (``source`` is ``pile``) or for an event."""

    kind: Literal["produced"] = "produced"
    resource: str
    source: str
    position: Position
