"""Plans in objects, whole or in parts (``{"action": "GO", "x": 3, "z": 4}``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bots.structured import AnswerError, read_objects

#: How the object of an answer in JSON calls its plan, and in parts how many of what, and where.
_PLAN_FIELDS = ("plan", "action", "answer", "choice", "decision", "verb")
_COUNT_FIELDS = ("count", "n", "amount", "quantity", "units", "number", "share", "group")
_WHAT_FIELDS = ("item", "resource", "what", "thing", "target", "player", "partner")
_PLACE_FIELDS = ("row", "r", "column", "col", "c", "x", "y", "z")
_GOES = ("GO", "GO TO", "MOVE", "MOVE TO", "WALK TO", "GO_TO", "GOTO")


def plan_lines(answer: str) -> list[str]:
    """Return the plan of an answer that is a JSON object, in one piece or in parts, as a line."""
    try:
        found = read_objects(answer)[-1]
    except AnswerError:
        return []
    fields = {str(key).lower(): value for key, value in found.items()}
    for inner in (*_PLAN_FIELDS, "parameters", "arguments", "args", "position", "coordinates"):
        if isinstance(fields.get(inner), Mapping):
            fields |= {str(key).lower(): value for key, value in fields.pop(inner).items()}
    plan = next((fields[name] for name in _PLAN_FIELDS if isinstance(fields.get(name), str)), None)
    place = _place(fields) if plan and plan.strip().upper() in _GOES else ""
    if place:
        return [f"Plan: GO TO {place}"]
    if plan is None or len(plan.split()) > 1:
        return [f"Plan: {plan}"] if plan else []
    parts = [
        str(fields[name])
        for names in (_COUNT_FIELDS, _WHAT_FIELDS)
        for name in names
        if isinstance(fields.get(name), str | int | float)
    ]
    return [f"Plan: {' '.join([plan, *parts])}"]


def _place(fields: Mapping[str, Any]) -> str:
    """Return the place that an object's fields name by its coordinates; empty: there is none."""
    told = [name for name in _PLACE_FIELDS if isinstance(fields.get(name), int | float)]
    return f"({', '.join(f'{name}={fields[name]}' for name in told)})" if len(told) > 1 else ""
