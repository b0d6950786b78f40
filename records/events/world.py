"""Events of the world: what was built, said, done and held, by bodies and by the world itself."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from voxpolis.records.events.base import Coordinate, Counts, Event, Height, Position, Whole


class WorldBuilt(Event, origin="world", lane="world"):
    """What an episode's world is made of, seen from above, before anybody changes it.

    ``ground``: rectangles ``(block, x, z, last x, last z)``, later ones on top of earlier ones;
    ``blocks``: positions by name; ``places``: what agents know by a name. ``boxes``: the ground
    with its heights, ``(block, x, y, z, last x, last y, last z)``; none where a world is flat.
    """

    kind: Literal["world_built"] = "world_built"
    ground: list[tuple[str, Coordinate, Coordinate, Coordinate, Coordinate]] = Field(default=[])
    blocks: dict[str, list[Position]] = Field(default={})
    places: dict[str, Position] = Field(default={})
    boxes: list[tuple[str, Whole, Height, Whole, Whole, Height, Whole]] = Field(default=[])

    def summary(self) -> str:
        return f"the world was built: {', '.join(self.blocks) or 'open land'}"


class Chat(Event, origin="bot", lane="talk", in_words="“{text}”"):
    """What an agent said, as the server told everyone."""

    kind: Literal["chat"] = "chat"
    text: str


class SignWritten(Event, origin="bot", lane="talk", in_words="wrote on a sign: “{text}”"):
    """What an agent wrote on a sign, as the server told it. ``position``: the sign's."""

    kind: Literal["sign_written"] = "sign_written"
    position: Position
    text: str


class PlayerJoined(Event, origin="bot", lane="run"):
    """Somebody who is no bot of the run's joined the server, or was there when it began.

    ``has_seat``: whether that is a person who plays an agent; else it is a stranger, whose deeds
    count nowhere.
    """

    kind: Literal["player_joined"] = "player_joined"
    name: str
    has_seat: bool = False

    def summary(self) -> str:
        return f"{self.name} joined{'' if self.has_seat else ', a stranger'}"


class PlayerLeft(Event, origin="bot", lane="run"):
    """Somebody who is no bot of the run's left the server; ``has_seat`` as for who joined."""

    kind: Literal["player_left"] = "player_left"
    name: str
    has_seat: bool = False

    def summary(self) -> str:
        return f"{self.name} left{'' if self.has_seat else ', a stranger'}"


class StrangerSaid(Event, origin="bot", lane="talk", in_words="{name}, a stranger: “{text}”"):
    """What somebody said in chat who plays no agent."""

    kind: Literal["stranger_said"] = "stranger_said"
    name: str
    text: str


class SeatTaken(Event, origin="experiment", lane="run", in_words="a person plays"):
    """A person plays in an agent's place from now on, in this episode."""

    kind: Literal["seat_taken"] = "seat_taken"


class Signal(Event, origin="bot", lane="talk", in_words="signals {name} to {to}"):
    """A signal sent; its addressee's wait ends when it takes it."""

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
    """What stands at some places now, as the server told a body: the last of a second's changes.

    It makes no difference whether an agent or a rule of the world changed them. ``blocks`` are
    ``(block, x, y, z)``; ``air`` stands where nothing does. A block's name is followed by its age
    or by whether it is open, where it has such a state: ``wheat[age=3]``.
    """

    kind: Literal["blocks_changed"] = "blocks_changed"
    blocks: list[tuple[str, Whole, Height, Whole]]


# Of a chunk: its columns, how many kinds of block it names, and what stands above in one event.
COLUMNS, MOST_NAMES, MOST_ABOVE = 256, 1024, 1024
_InChunk = Annotated[int, Field(ge=0, le=15)]
_Number = Annotated[int, Field(ge=0, lt=MOST_NAMES)]


class LandSeen(Event, origin="bot", lane=None):
    """What a chunk of natural land looks like from above, as an agent's body first saw it.

    ``x`` and ``z`` are its first block's; its 16 by 16 columns come row by row, from north to
    south, each from west to east. ``heights`` is the highest block of each column's ground, and
    ``tops`` what that is, by its number in ``names``. ``above`` is what stands above the ground:
    trees, plants, water, roofs, as ``(number, x, z, lowest y, highest y)``, x and z in the chunk.
    Where that is much, further events of the chunk have the rest of it, and no ``heights``.
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
            raise ValueError("heights and tops are of different columns")
        numbers = (*self.tops, *(number for number, *_ in self.above))
        if max(numbers, default=0) >= max(1, len(self.names)):
            raise ValueError("a block has no name")
        return self


class BlocksBared(Event, origin="bot", lane=None):
    """What stands next to blocks that were dug: ``(block, x, y, z)``, each place once.

    Nothing has changed there; it is what can be seen of the underground.
    """

    kind: Literal["blocks_bared"] = "blocks_bared"
    blocks: list[tuple[str, Whole, Height, Whole]]


class PilesChanged(Event, origin="world", lane=None):
    """How many units lie on some cells of the grid now, where that has changed.

    It makes no difference whether an agent or the game's rules changed them. ``piles`` are
    ``(block, x, z, units)``, called as in :class:`WorldBuilt`.
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
    """Items that changed hands with a container: ``count`` > 0 was taken out, < 0 put in."""

    kind: Literal["container_moved"] = "container_moved"
    item: str
    count: int
    container: str

    def summary(self) -> str:
        return f"{'took' if self.count > 0 else 'put'} {abs(self.count)} {self.item}"


class LedgerEntry(
    Event, origin="world", lane="world", in_words="server's ledger: {action} {count} {item}"
):
    """What the server itself counted since its ledger was last read, about once a second.

    ``dug`` and ``placed`` are blocks, by its statistics; ``took`` and ``put`` are items, by what a
    chest and the inventories hold.
    """

    kind: Literal["ledger"] = "ledger"
    action: Literal["dug", "placed", "took", "put"]
    item: str
    count: int


class Died(Event, origin="bot", lane="world", in_words="dies"):
    """An agent died."""

    kind: Literal["died"] = "died"


class PositionSampled(Event, origin="bot", lane=None):
    """Where an agent's body is, about once a second."""

    kind: Literal["position"] = "position"
    position: Position


class Inventory(Event, origin="world", lane=None):
    """An agent's items as the world's own state has them, sampled.

    ``value``: what they are worth to it, or on the grid its score, where the scenario says.
    """

    kind: Literal["inventory"] = "inventory"
    items: Counts
    value: float | None = None


class ItemObtained(
    Event, origin="experiment", lane="world", in_words="first {item}, {distinct} kinds"
):
    """An agent holds a kind of item for the first time, by the server's own account.

    ``iteration`` is the prompting iteration (0 where there are none), ``distinct`` how many kinds
    that makes.
    """

    kind: Literal["item_obtained"] = "item_obtained"
    item: str
    iteration: int = 0
    distinct: int


class Milestone(Event, origin="experiment", lane="world", in_words="milestone: {name}"):
    """An agent reached a milestone of a tree for the first time."""

    kind: Literal["milestone"] = "milestone"
    name: str
    iteration: int


class EventExecuted(
    Event, origin="world", lane="world", in_words="somebody made {output} ({event})"
):
    """Somebody on the grid made an ``output`` at a station."""

    kind: Literal["event_executed"] = "event_executed"
    event: str
    output: str


class GroupsChanged(Event, origin="world", lane="world"):
    """The groups that an agent is in, with its weight in each."""

    kind: Literal["groups_changed"] = "groups_changed"
    groups: dict[str, float]

    def summary(self) -> str:
        return f"groups: {', '.join(self.groups) or 'none'}"


class Produced(Event, origin="world", lane="world", in_words="gets {resource} of {source}"):
    """A referee gave an agent a resource: out of a pile (``source`` is ``pile``) or of an event."""

    kind: Literal["produced"] = "produced"
    resource: str
    source: str
    position: Position
