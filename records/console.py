"""Printing for people.

Names, paths and texts of runs are printed literally, even if they look like markup.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.console import Console, ConsoleOptions, JustifyMethod, RenderableType
from rich.segment import Segment
from rich.table import Table

from voxpolis.records.text import printable

# Maximum width of a table, and width below which a console is narrow, in characters.
WIDEST, NARROW = 1000, 60


class PlainConsole(Console):
    """A console that prints no control characters, because names may come from strangers."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterator[Segment]:
        for segment in super().render(renderable, options):
            lines = segment.text.split("\n")
            clean = segment.text if segment.control else "\n".join(map(printable, lines))
            yield segment._replace(text=clean)


def plain_console(**options: Any) -> Console:
    """Return a console that prints ``[word]`` and ``:word:`` literally."""
    return PlainConsole(markup=False, emoji=False, highlight=False, **options)


def table_of(
    title: str,
    columns: Sequence[str],
    rows: Iterable[Sequence[str]],
    justify: JustifyMethod = "right",
) -> Table:
    """Create a table. The first column names the rows; ``justify`` aligns the other columns."""
    table = Table(title=title)
    for number, column in enumerate(columns):
        table.add_column(column, justify=justify if number else "left", no_wrap=not number)
    for row in rows:
        table.add_row(*row)
    return table


def print_whole(console: Console, table: Table) -> None:
    """Print a table in full width, so that no number is cut off.

    If the table is wider than the console, the padding in its cells is removed first. If the table
    is still too wide and the console is narrow, each row is printed as a block of lines instead.
    """
    wide = console.options.update(width=WIDEST)
    needed = console.measure(table, options=wide).maximum
    if needed > console.width and table.box is not None:
        table.padding = (0, 0)
        needed = console.measure(table, options=wide).maximum
    if needed > console.width < NARROW:
        _print_blocks(console, table)
        return
    console.width = max(console.width, needed)
    console.print(table)


def _print_blocks(console: Console, table: Table) -> None:
    """Print each row as a block: the first cell, then a line for each other cell with content."""
    if table.title:
        console.print(table.title)
    names = [_plain(column.header) for column in table.columns]
    for row in zip(*(column.cells for column in table.columns), strict=True):
        first, *others = map(_plain, row)
        console.print(f"{names[0]} {first}".strip() if first else "")
        for name, cell in zip(names[1:], others, strict=True):
            if cell:
                console.print(f"  {name}: {cell}")


def _plain(cell: RenderableType) -> str:
    return " ".join(str(cell).split())
