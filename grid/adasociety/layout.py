"""Maps of one's own: rows of symbols, and what they stand for."""

from __future__ import annotations

from collections.abc import Container
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from voxpolis.grid.core.data import check_map, error_text, lines_of

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
        return {self.pile: self.units} if self.pile else dict(self.chest or {})


def read_layout(layout: str, legend: dict[str, Any]) -> dict[str, Any]:
    """A layout in our letters with its legend, and the map, blocks, piles and events of it.

    Raises:
        ValueError: rows differ in length, or a symbol is not in the legend, or makes no sense.
    """
    ours = {letter: value for letter, value in legend.items() if _is_letter(value)}
    symbols = _symbols(legend, ours)
    lines = lines_of(layout, legend)
    check_map(lines, layout, LETTERS, legend)
    rows = ["".join(ours.get(letter, letter) for letter in line) for line in lines]
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
    text = "\n".join(rows)
    found = {"map": (len(rows), len(rows[0])), "blocks": text.count(BLOCK)}
    return {"layout": text, "legend": symbols, **found, "piles": piles, "events": events}


def _is_letter(value: object) -> bool:
    """Whether a letter of a legend stands for another that means something by itself."""
    return isinstance(value, str) and len(value) == 1 and value in LETTERS


def _symbols(legend: dict[str, Any], ours: Container[str]) -> dict[str, Symbol]:
    """A legend's symbols by their letters, without those that stand for letters of ours.

    Raises:
        ValueError: one is no letter or no symbol.
    """
    symbols: dict[str, Symbol] = {}
    for letter, value in legend.items():
        if not isinstance(letter, str) or len(letter) != 1 or letter in "\r\n\t":
            raise ValueError(f"legend: {letter!r} is not one letter")
        if letter in LETTERS:
            raise ValueError(f"legend: {letter!r} means something by itself")
        if letter in ours:
            continue
        if letter == " " or isinstance(value, str):
            raise ValueError(
                f"legend: {letter!r} stands for one of {LETTERS}"
                f"{'' if letter == ' ' else ', or {pile: …}, {event: …} or {chest: …}'}"
                f", not for {value!r}"
            )
        try:
            symbols[letter] = Symbol.model_validate(value)
        except ValidationError as error:
            raise ValueError(f"legend.{letter}: {error_text(error)}") from error
    return symbols
