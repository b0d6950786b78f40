"""Maps of one's own: rows of symbols, and what they stand for."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from grid.core.data import check_map, error_text

#: What a byte of the map holds at most.
MAX_UNITS = 255
#: Letters that mean something in every layout: blocks, nothing, where agents start.
BLOCK, GROUND, START = "#", ".", "@"
LETTERS = BLOCK + GROUND + START

Units = Annotated[int, Field(gt=0, le=MAX_UNITS)]


class Symbol(BaseModel):
    """What a letter of a layout stands for: a pile with its units, an event's station, or a chest.

    ``chest`` is what lies in it. Where a game has chests, things are laid down there and nowhere
    else.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    pile: str = ""
    units: Units = 1
    event: str = ""
    chest: dict[str, Units] | None = None

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
        ValueError: rows differ in length, or a symbol is not in the legend, or makes no sense.
    """
    rows = layout.split()
    symbols = _symbols(legend)
    check_map(rows, layout, LETTERS, symbols)
    piles: dict[str, tuple[int, int]] = {}
    events: dict[str, int] = {}
    for symbol in "".join(rows):
        if symbol in LETTERS:
            continue
        stands_for = symbols[symbol]
        if stands_for.event:
            events[stands_for.event] = events.get(stands_for.event, 0) + 1
        for name, lying in stands_for.holds.items():
            number, units = piles.get(name, (0, 0))
            piles[name] = number + 1, max(units, lying)
    blocks = layout.count(BLOCK)
    return {"map": (len(rows), len(rows[0])), "blocks": blocks, "piles": piles, "events": events}


def _symbols(legend: dict[str, Any]) -> dict[str, Symbol]:
    """A legend's symbols by their letters.

    Raises:
        ValueError: one is no letter or no symbol.
    """
    symbols: dict[str, Symbol] = {}
    for letter, value in legend.items():
        if not isinstance(letter, str) or len(letter) != 1 or letter.isspace():
            raise ValueError(f"legend: {letter!r} is not one letter")
        if letter in LETTERS:
            raise ValueError(f"legend: {letter!r} means something by itself")
        try:
            symbols[letter] = Symbol.model_validate(value)
        except ValidationError as error:
            raise ValueError(f"legend.{letter}: {error_text(error)}") from error
    return symbols
