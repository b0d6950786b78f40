"""Settings that some conditions of a scenario do not use: who names one for these is told so."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pydantic import BaseModel

from experiments.options import extra_of, option_names
from experiments.usage import UsageError


def only_under(*conditions: str) -> dict[str, Any]:
    """Return what marks a setting that changes something under these conditions alone."""
    return {"conditions": list(conditions)}


def refuse_unused(kind: type[BaseModel], given: Collection[str], condition: str | None) -> None:
    """Refuse settings that would change nothing.

    Args:
        kind: all settings.
        given: the names of those that were given; parts of one with dots (``ways.lines``).
        condition: the one that is played; None: all are.

    Raises:
        UsageError: one is of other conditions.
    """
    for whole in sorted({name.partition(".")[0] for name in given}):
        field = kind.model_fields.get(whole)
        its = extra_of(field).get("conditions") if field is not None else None
        if its and condition is not None and condition not in its:
            name = option_names(kind, [whole]).get(whole, f"setting {whole}")
            raise UsageError(
                f"{name} changes nothing under --condition {condition}, only under: "
                f"{', '.join(its)}"
            )
