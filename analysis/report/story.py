"""The chapters of a run, such as the start of an episode, the first vote or the first death."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from voxpolis.records import events
from voxpolis.records.outcome import in_words

Raw = Mapping[str, Any]
# Titles of an episode's end, by reason. Games that are played in rounds also end at a time limit.
ENDED = {"time_limit": "the end", "all_gained": "the end: nothing is left to gain"}
# Maximum number of chapters.
MOST_CHAPTERS = 1000


class Chapters:
    """Decides for each event whether a chapter begins with the event, and what the title of the
    chapter is.
    """

    def __init__(self) -> None:
        self._seen: set[tuple[Any, ...]] = set()
        self._told = 0
        self._episodes = 0
        self._titles: dict[str, Callable[[Raw], str | None]] = {
            "episode_started": self._episode,
            "condition_started": lambda event: f"condition {event['condition']}",
            "contract_agreed": lambda event: (
                None if event["name"] == "none" else events.summary_of(event)
            ),
            "ledger": self._first_dug,
            "block_dug": lambda event: self._first(event, f"first {in_words(event['block'])}"),
            "event_executed": lambda event: self._first(event, f"first {event['event']}"),
            "milestone": lambda event: self._first(event, f"milestone {event['name']}"),
            "vote": lambda event: self._first(event, "the vote begins"),
            "law_changed": events.summary_of,
            "converted": self._first_convert,
            "died": lambda event: self._first(event, f"{event['agent']} dies"),
            "role": self._first_role,
            "action_done": self._first_gift,
            "code_failed": self._first_failure,
            "fault": lambda event: self._first(event, "a fault"),
            "judgement": lambda event: self._first(event, "judgement"),
            "episode_ended": lambda event: ENDED.get(
                event["reason"], f"ended: {in_words(event['reason'])}"
            ),
        }

    def title(self, event: Raw) -> str | None:
        """Return the title of the chapter that begins with an event, or None.

        If an event of another version lacks the fields that a title needs, no chapter begins with
        it.
        """
        name = self._titles.get(event["kind"])
        if name is None or self._told >= MOST_CHAPTERS:
            return None
        try:
            title = name(event)
        except LookupError:
            return None
        self._told += title is not None
        return title

    def _episode(self, event: Raw) -> str:
        if event["attempt"] == 1:
            self._episodes += 1
            return f"episode {self._episodes}"
        return f"episode {self._episodes}, attempt {event['attempt']}"

    def _first(self, event: Raw, title: str) -> str | None:
        return self._once(event, (title,), title)

    def _once(self, event: Raw, what: tuple[str, ...], title: str) -> str | None:
        """Return a title the first time that something happens in an episode, and None
        afterwards.
        """
        key = (event["episode"], *what)
        if key in self._seen:
            return None
        self._seen.add(key)
        return title

    def _first_convert(self, event: Raw) -> str | None:
        if event.get("believed"):
            return None
        return self._first(event, f"first {events.directness(event['level'])} convert")

    def _first_dug(self, event: Raw) -> str | None:
        is_dug = event["action"] == "dug"
        return self._first(event, f"first {in_words(event['item'])}") if is_dug else None

    def _first_role(self, event: Raw) -> str | None:
        role = str(event["role"])
        return self._once(event, ("role", role), f"first {in_words(role)}: {event['agent']}")

    def _first_gift(self, event: Raw) -> str | None:
        if not event["ok"] or not event["to"]:
            return None
        gift = f"{event['agent']} gives {in_words(event['item'])} to {event['to']}"
        return self._once(event, ("gift",), gift)

    def _first_failure(self, event: Raw) -> str | None:
        return self._once(event, ("code_failed",), f"a program of {event['agent']} fails")
