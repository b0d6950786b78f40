"""What happened, in words, for prompts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

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


def outcome(
    inventories: Mapping[str, Mapping[str, int]],
    seen: Sequence[events.Event],
    program: RunResult | None = None,
) -> str:
    """How an episode ended and what led there, by the server's account."""
    lines = [f"At the end {agent} holds: {counts(items)}." for agent, items in inventories.items()]
    dug = Counter((e.agent, e.block) for e in seen if isinstance(e, events.BlockDug))
    lines += [f"{agent} dug {count} {block}." for (agent, block), count in sorted(dug.items())]
    for event in seen:
        if isinstance(event, events.ContainerMoved):
            did = "took" if event.count > 0 else "put in"
            lines.append(f"{event.agent} at the chest: {did} {abs(event.count)} {event.item}.")
        elif isinstance(event, events.Signal):
            lines.append(f"{event.agent} signalled {event.to}.")
        elif isinstance(event, events.Chat):
            lines.append(f"{event.agent} said: {event.text}")
    if program is not None:
        lines.append(program_end(program))
    return "\n".join(lines[:MAX_LINES])


def program_end(program: RunResult) -> str:
    """How a program ended, with its error in the agent's terms."""
    if program.error is None or program.status in ("timeout", "stopped"):
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
