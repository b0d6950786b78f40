"""Describes in words what happened in an episode, for prompts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from voxpolis.bots.prompts import MARK, quoted_line
from voxpolis.records import events
from voxpolis.records.text import counts

MAX_LINES = 60
# Limit on chat lines: a player who floods the chat must not push recorded events out of the judge's
# prompt.
MAX_CHAT_LINES, MAX_CHAT_CHARACTERS = 20, 300


def outcome_text(inventories: Mapping[str, Mapping[str, int]], seen: Sequence[events.Event]) -> str:
    """Describe the outcome of an episode and what led to it, according to the world.

    Players' messages are quoted in one line each, so that a message cannot pass itself off as part
    of the world's account.
    """
    lines = [f"At the end {agent} holds: {counts(items)}." for agent, items in inventories.items()]
    started = next((event.t for event in seen if isinstance(event, events.EpisodeStarted)), 0.0)
    lines += _work(seen, started)
    chat = 0
    for event in seen:
        at = f"{event.t - started:.0f} s:" if event.t >= started else "before it began:"
        if isinstance(event, events.LedgerEntry) and event.action in _AT_THE_CHEST:
            lines.append(
                f"{at} {event.agent} {_AT_THE_CHEST[event.action].format(event.count, event.item)}."
            )
        elif isinstance(event, events.Signal):
            lines.append(f"{at} {event.agent} signalled {event.to}.")
        elif isinstance(event, events.Chat) and event.agent is None:
            lines.append(f"{at} The server said: {quoted_line(event.text[:MAX_CHAT_CHARACTERS])}")
        elif isinstance(event, events.Chat) and chat < MAX_CHAT_LINES:
            chat += 1
            said = quoted_line(event.text[:MAX_CHAT_CHARACTERS])
            lines.append(f"{MARK} {at} {event.agent} said: {said}")
    return "\n".join(lines[:MAX_LINES])


_AT_THE_CHEST = {"took": "took {0} {1} out of the chest", "put": "put {0} {1} into the chest"}


def _work(seen: Sequence[events.Event], started: float) -> list[str]:
    """Describe what each agent dug and placed, and when, according to the server's log."""
    did: dict[tuple[str, str, str], list[events.LedgerEntry]] = defaultdict(list)
    for event in seen:
        if isinstance(event, events.LedgerEntry) and event.action not in _AT_THE_CHEST:
            did[event.agent or "", event.action, event.item].append(event)
    return [
        f"{agent} {action} {sum(entry.count for entry in entries)} {block}, between "
        f"{entries[0].t - started:.0f} s and {entries[-1].t - started:.0f} s."
        for (agent, action, block), entries in sorted(did.items())
    ]
