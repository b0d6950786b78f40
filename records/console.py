"""Printing for people: names, paths and texts that runs hold are no markup."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table

#: A table is as wide as it needs, in characters, up to this.
WIDEST = 1000


def plain_console(**options: Any) -> Console:
    """Return a console that prints every ``[word]`` and ``:word:`` as it is written.

    Args:
        options: of :class:`rich.console.Console`.
    """
    return Console(markup=False, emoji=False, highlight=False, **options)


def print_whole(console: Console, table: Table) -> None:
    """Print a table as wide as it needs: a number that is cut off is no number."""
    needed = console.measure(table, options=console.options.update(width=WIDEST)).maximum
    console.width = max(console.width, needed)
    console.print(table)
