"""Names in records of earlier versions, with their current names.

Only this module knows old names.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# The fields of events, by kind.
FIELDS: Mapping[str, Mapping[str, str]] = {
    "expectation_ended": {"came": "actual"},
    "prediction_settled": {"came": "is_true"},
}
# The values of fields, by kind and field.
VALUES: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "intervention": {"action": {"go_on": "continue"}},
}
# The keys of an entry in a result's ``runs``.
RESULT_KEYS: Mapping[str, str] = {"words_and_deeds": "statements"}


def rename_event(event: dict[str, Any]) -> bool:
    """Replace old names in an event by the current names. Return whether anything has changed."""
    kind = event["kind"]
    fields = FIELDS.get(kind, {})
    old = [name for name in fields if name in event]
    for name in old:
        event[fields[name]] = event.pop(name)
    is_changed = bool(old)
    for name, values in VALUES.get(kind, {}).items():
        if isinstance(value := event.get(name), str) and value in values:
            event[name] = values[value]
            is_changed = True
    return is_changed


def rename_entry(entry: dict[str, Any]) -> None:
    """Replace old names in an entry of a result by the current names."""
    for name in RESULT_KEYS.keys() & entry.keys():
        entry[RESULT_KEYS[name]] = entry.pop(name)
