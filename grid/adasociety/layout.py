"""Maps of one's own: rows of symbols, and what they stand for."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, model_validator

#: What a byte of the map holds at most.
MAX_UNITS = 255


class Symbol(BaseModel):
    """What a letter of a layout stands for: a pile with its units, an event's station, or a chest.

    ``chest`` is what lies in it. Where a game has chests, things are laid down there and nowhere
    else.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    pile: str = ""
    units: PositiveInt = Field(default=1, le=MAX_UNITS)
    event: str = ""
    chest: dict[str, PositiveInt] | None = None

    @model_validator(mode="after")
    def _one(self) -> Symbol:
        if [bool(self.pile), bool(self.event), self.chest is not None].count(True) != 1:
            raise ValueError("a symbol is either a pile, an event or a chest")
        return self

    @property
    def holds(self) -> dict[str, int]:
        """The units of resources that lie there."""
        return {self.pile: self.units} if self.pile else dict(self.chest or {})


def read_layout(layout: str, legend: dict[str, Any]) -> dict[str, Any]:
    """Map, blocks, piles and events of a layout.

    Raises:
        ValueError: rows differ in length, or a symbol is not in the legend.
    """
    rows = layout.split()
    if len({len(row) for row in rows}) != 1:
        raise ValueError("the layout's rows are not equally long")
    piles: dict[str, tuple[int, int]] = {}
    events: dict[str, int] = {}
    for symbol in "".join(rows):
        if symbol in "#.@":
            continue
        if symbol not in legend:
            raise ValueError(f"the layout's {symbol!r} is not in the legend")
        stands_for = Symbol.model_validate(legend[symbol])
        if stands_for.event:
            events[stands_for.event] = events.get(stands_for.event, 0) + 1
        for name, lying in stands_for.holds.items():
            number, units = piles.get(name, (0, 0))
            piles[name] = number + 1, max(units, lying)
    blocks = layout.count("#")
    return {"map": (len(rows), len(rows[0])), "blocks": blocks, "piles": piles, "events": events}
