"""The blocks of the world as bots report them. Each change is passed on only once."""

from __future__ import annotations

from voxpolis.records import events
from voxpolis.records.events import Position
from voxpolis.worlds.layout import Block, Layout

# Maximum number of recorded changes in an arena or in natural terrain: about 2 MB of the record.
MOST_CHANGES = 60_000
# Maximum amount of recorded chunk data of natural terrain: about 2 MB of the record.
MOST_LAND_NUMBERS = 500_000
FLUIDS = frozenset({"water", "lava"})


class StandingBlocks:
    """Remembers the last known block at each position, so that repeated reports can be dropped.

    In an arena, only the bot of the first agent reports, because every bot sees everything. This
    bot only reports positions of the layout, because construction work and a referee's copies of
    blocks are not changes of the world. In natural terrain, every bot reports its surroundings:
    each chunk when the bot first sees it, and blocks that digging has exposed.
    """

    def __init__(
        self,
        layout: Layout | None = None,
        most: int = MOST_CHANGES,
        most_land: int = MOST_LAND_NUMBERS,
    ) -> None:
        """Start with the blocks of a layout, or with natural terrain if there is no layout.

        ``most`` limits the number of reported changes and exposed blocks. ``most_land`` limits the
        amount of reported chunk data.
        """
        self._layout = layout
        self._left = most
        self._land_left = most_land
        # The agent whose bot first reported each chunk.
        self._chunks: dict[tuple[int, int], str | None] = {}
        self._known: dict[Block, str] = {}
        # Sources of liquids that were poured and are known to exist.
        self._poured: dict[Block, str] = {}
        # Bots that can report an arena; the first of them reports.
        self._tellers: list[str] = []
        if layout is not None:
            self._known = {p: block for block, places in layout.blocks.items() for p in places}
            self._tellers = list(layout.starts)

    def news(self, event: events.Event) -> events.Event | None:
        """Return the part of an event that is new, or None if nothing is new.

        If several agents pour a liquid into one position at the same moment, each of them has
        emptied its bucket and has seen the source appear. The source is then credited to the first
        of these agents.
        """
        if isinstance(event, events.BlockPlaced) and event.block in FLUIDS:
            place = _block(event.position)
            if self._poured.get(place) == event.block:
                return None
            self._poured[place] = event.block
        elif isinstance(event, events.BlocksChanged) and self._poured:
            for block, x, y, z in event.blocks:
                if self._poured.get((x, y, z), block) != block:
                    del self._poured[x, y, z]
        if isinstance(event, events.BlockDug):
            self._note("air", event.position)
        elif isinstance(event, events.BlockPlaced):
            self._note(event.block, event.position)
        elif isinstance(event, events.LandSeen):
            return self._new_land(event)
        elif isinstance(event, events.BlocksBared):
            return self._new_bared(event)
        if not isinstance(event, events.BlocksChanged):
            return event
        if self._layout is not None and event.agent not in self._tellers[:1]:
            return None
        changed = [
            (block, x, y, z)
            for block, x, y, z in event.blocks
            if self._known.get((x, y, z)) != block
            and (self._layout is None or (x, y, z) in self._known)
        ][: self._left]
        self._known.update({(x, y, z): block for block, x, y, z in changed})
        self._left -= len(changed)
        return event.model_copy(update={"blocks": changed}) if changed else None

    def lost(self, agent: str | None) -> None:
        """Handle the loss of an agent's body.

        If the lost body was the one that reports positions in the arena, another bot reports them
        from now on.
        """
        if agent in self._tellers[:1]:
            self._tellers = [*self._tellers[1:], *self._tellers[:1]]

    def _new_land(self, event: events.LandSeen) -> events.LandSeen | None:
        size = len(event.heights) + len(event.tops) + 5 * len(event.above)
        chunk = (event.x, event.z)
        is_rest = not event.heights and self._chunks.get(chunk) == event.agent
        is_new = bool(event.heights) and chunk not in self._chunks
        if self._layout is not None or not (is_new or is_rest) or size > self._land_left:
            return None
        self._chunks[chunk] = event.agent
        self._land_left -= size
        return event

    def _new_bared(self, event: events.BlocksBared) -> events.BlocksBared | None:
        bared = [
            (block, x, y, z)
            for block, x, y, z in event.blocks
            if self._layout is None and (x, y, z) not in self._known
        ][: self._left]
        self._known.update({(x, y, z): block for block, x, y, z in bared})
        self._left -= len(bared)
        return event.model_copy(update={"blocks": bared}) if bared else None

    def _note(self, block: str, position: Position) -> None:
        place = _block(position)
        if self._layout is None or place in self._known:
            self._known[place] = block


def _block(position: Position) -> Block:
    x, y, z = (round(part) for part in position)
    return x, y, z
