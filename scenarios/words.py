"""What happened, in words, for prompts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from bridge import Observation, RunResult
from judge import Settlement
from records import events

MAX_LINES = 60


def counts(items: Mapping[str, int]) -> str:
    """Items and counts in words."""
    return ", ".join(f"{count} {name}" for name, count in sorted(items.items())) or "nothing"


def observation(seen: Observation) -> str:
    """What an agent perceives, in words."""
    x, y, z = seen.position
    entities = ", ".join(f"{e.name} ({e.distance:g} blocks away)" for e in seen.nearby_entities)
    return "\n".join(
        [
            f"Position: x={x:.1f}, y={y:.1f}, z={z:.1f}",
            f"Health: {seen.health:g} of 20. Hunger: {seen.food:g} of 20.",
            f"In hand: {seen.held_item or 'nothing'}. Inventory: {counts(seen.inventory)}.",
            f"Blocks near you, nearest first: {', '.join(seen.nearby_blocks) or 'none'}",
            f"Others near you: {entities or 'nobody'}",
        ]
    )


def surroundings(seen: Observation) -> str:
    """All that an agent perceives, in words: what Voyager's prompts hold."""
    chests = [
        f"{place}: {'not opened yet' if items is None else counts(items)}"
        for place, items in seen.chests.items()
    ]
    hour = (seen.time_of_day / 1000 + 6) % 24
    return "\n".join(
        [
            f"Biome: {seen.biome}. Time of day: {hour:04.1f} h.",
            observation(seen),
            f"Equipment: {', '.join(seen.equipment) or 'none'}. "
            f"Inventory slots used: {seen.inventory_slots_used} of 36.",
            f"Chests: {'; '.join(chests) or 'none'}",
        ]
    )


def of_climb(kind: type[events.Event], fields: Mapping[str, Any]) -> str:
    """What people are told while agents climb; nothing for what would be too much."""
    if kind is events.TaskStarted:
        return f"tries: {fields['task']}"
    if kind is events.TaskEnded and not fields["success"]:
        return f"gives up: {fields['task']}"
    if kind is events.ItemObtained:
        return f"has {fields['item']} for the first time ({fields['distinct']} kinds)"
    return ""


def outcome(
    inventories: Mapping[str, Mapping[str, int]],
    seen: Sequence[events.Event],
    program: RunResult | None = None,
) -> str:
    """How an episode ended and what led there, by the server's account."""
    lines = [f"At the end {agent} holds: {counts(items)}." for agent, items in inventories.items()]
    started = next((event.t for event in seen if isinstance(event, events.EpisodeStarted)), 0.0)
    lines += _work(seen, started)
    for event in seen:
        at = f"{event.t - started:.0f} s:"
        if isinstance(event, events.LedgerEntry) and event.action in _AT_THE_CHEST:
            lines.append(
                f"{at} {event.agent} {_AT_THE_CHEST[event.action].format(event.count, event.item)}."
            )
        elif isinstance(event, events.Signal):
            lines.append(f"{at} {event.agent} signalled {event.to}.")
        elif isinstance(event, events.Chat):
            lines.append(f"{at} {event.agent} said: {event.text}")
    if program is not None:
        lines.append(program_end(program))
    return "\n".join(lines[:MAX_LINES])


_AT_THE_CHEST = {"took": "took {0} {1} out of the chest", "put": "put {0} {1} into the chest"}


def _work(seen: Sequence[events.Event], started: float) -> list[str]:
    """What each dug and placed by the server's ledger, and from when to when."""
    did: dict[tuple[str, str, str], list[events.LedgerEntry]] = defaultdict(list)
    for event in seen:
        if isinstance(event, events.LedgerEntry) and event.action not in _AT_THE_CHEST:
            did[event.agent or "", event.action, event.item].append(event)
    return [
        f"{agent} {action} {sum(entry.count for entry in entries)} {block}, between "
        f"{entries[0].t - started:.0f} s and {entries[-1].t - started:.0f} s."
        for (agent, action, block), entries in sorted(did.items())
    ]


def program_end(program: RunResult, *, with_limits: bool = False) -> str:
    """How a program ended, with its error in the agent's terms.

    ``with_limits``: to be stopped at a limit counts as an error (in Double-Vein, where nobody is
    told the time limit, it does not).
    """
    limited = program.status in ("timeout", "stopped") and not with_limits
    if program.error is None or limited:
        return "The program ran without an error."
    error = program.error
    place = f" in line {error.line}, column {error.column}" if error.line else ""
    source = f"\n    {error.source}" if error.source else ""
    done = f"\nDone by then: {', '.join(error.done)}." if error.done else ""
    return f"The program ended with an error{place}: {error.message}{source}{done}"


def feedback(code: str, program: RunResult, critique: str, settlement: Settlement) -> str:
    """What an agent learns for its next program."""
    printed = "\n".join(program.logs[-20:])
    parts = [
        f"```javascript\n{code}```",
        program_end(program),
        f"It printed:\n{printed}" if printed else "",
        f"A critic says: {critique}" if critique else "",
        f"The judge says: {' '.join(settlement.reasons)}",
    ]
    return "\n\n".join(part for part in parts if part)
