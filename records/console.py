"""Printing for people: names, paths and texts that runs hold are no markup."""

from __future__ import annotations

from typing import Any

from rich.console import Console


def plain_console(**options: Any) -> Console:
    """Return a console that prints every ``[word]`` and ``:word:`` as it is written.

    Args:
        options: of :class:`rich.console.Console`.
    """
    return Console(markup=False, emoji=False, highlight=False, **options)
