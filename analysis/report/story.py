"""The story of a run: its outcome in a sentence, and its chapters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeGuard

from voxpolis.records import events
from voxpolis.records.text import in_digits, many

Raw = Mapping[str, Any]
# Maximum number of chapters, to keep an overview.
MOST_CHAPTERS = 40
# Measures in the sentence, in this order, if the result has them.
MEASURES = ("welfare", "gini", "normalised", "fairness")
# Further measures of a condition, which may be anywhere in a result, and their wording. ``{s}`` is
# the plural ending, and fractions are shown as percentages.
FIGURES: Mapping[str, str] = {
    "entropy": "entropy of roles {} bit{s}",
    "persistence": "persistence {}",
    "tax_share_before": "{:.1%} of the inventory paid before the vote",
    "tax_share_after": "{:.1%} after it",
    "direct": "{} direct convert{s}",
    "indirect": "{} indirect one{s}",
    "items": "{} kind{s} of item each",
    "union": "{} among all",
    "score": "score {}",
    "milestones": "{} milestone{s}",
    "trees_alive": "trees alive {}",
    "repeat": "{:.1%} of the people repeat a rumour",
    "statements.announced.kept": "{:.1%} of the announcements were followed",
}
# Wording for a run without a result, by state.
NO_RESULT: Mapping[str, str] = {
    "live": "There is no result yet: the run is in progress.",
    "gone": "The run ended without a result: its process is gone.",
}
# Maximum number of conditions in a sentence.
MOST_CONDITIONS = 4
# Maximum number of agents with rewards in a sentence.
MOST_REWARDS = 4


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
            "contract_agreed": lambda event: f"contract {event['name']} in force",
            "ledger": self._first_dug,
            "block_dug": lambda event: self._first(event, f"first {_words(event['block'])}"),
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
            "episode_ended": lambda event: f"ended: {_words(event['reason'])}",
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
        return self._first(event, f"first convert, level {event['level']}")

    def _first_dug(self, event: Raw) -> str | None:
        is_dug = event["action"] == "dug"
        return self._first(event, f"first {_words(event['item'])}") if is_dug else None

    def _first_role(self, event: Raw) -> str | None:
        role = str(event["role"])
        return self._once(event, ("role", role), f"first {_words(role)}: {event['agent']}")

    def _first_gift(self, event: Raw) -> str | None:
        if not event["ok"] or not event["to"]:
            return None
        gift = f"{event['agent']} gives {_words(event['item'])} to {event['to']}"
        return self._once(event, ("gift",), gift)

    def _first_failure(self, event: Raw) -> str | None:
        return self._once(event, ("code_failed",), f"a program of {event['agent']} fails")


def outcome(facts: Raw, result: Raw | None, state: str = "") -> str:
    """Describe the outcome of a run in a sentence, computed from its result.

    For a run with several conditions, no mean is given, because it would mix the conditions.
    """
    if not result:
        return NO_RESULT.get(
            state, "There is no result: the run is in progress or was interrupted."
        )
    if "error" in result:
        return f"The run failed: {result['error']}"
    if "runs" not in result:
        means = ", ".join(_means(result))
        return f"The result lists no episodes{'; means: ' if means else ''}{means}."
    played = [one for one in result["runs"] if isinstance(one, dict)]
    conditions = Counter(str(one["condition"]) for one in played if one.get("condition"))
    count, ended = _extent(result, len(played))
    game = f" ({_words(facts['game'])})" if facts.get("game") and facts.get("condition") else ""
    began = f"{count} of {_words(facts.get('scenario') or 'a run')}{game}"
    if len(conditions) > 1:
        named = [_with_figures(result, played, name) for name in conditions]
        few = len(conditions) <= MOST_CONDITIONS
        told = "; ".join(named) if few else ", ".join(conditions)
        return f"{began} under {len(conditions)} conditions{ended}: {told}.{_interventions(result)}"
    kind = "contract " if facts.get("contract") else ""
    (name,) = conditions or ("",)
    under = f" under {kind}{name}" if name else ""
    found = [*_means(result), *_figures(result, played, name), *_rewards(played)]
    told = _with_words(result, played, name, found)
    return f"{began}{under}{ended}{': ' if told else ''}{told}.{_interventions(result)}"


def _interventions(result: Raw) -> str:
    count = result.get("interventions")
    if not isinstance(count, int) or count < 1:
        return ""
    return f" Its record has {many(count, 'intervention')} from outside."


def _extent(result: Raw, played: int) -> tuple[str, str]:
    if not result.get("unfinished"):
        return many(played, "episode"), ""
    ended = " ended; interrupted" if result.get("interrupted") else " ended so far"
    cases, done = result.get("cases"), result.get("cases_done")
    if not isinstance(cases, int):  # results of an older version lack the list
        return many(played, "episode"), ended
    if played == done:
        return f"{played} of {many(cases, 'episode')}", ended
    return f"{many(played, 'episode')}, {done} of {many(cases, 'run')},", ended


def _with_figures(result: Raw, played: Sequence[Raw], condition: str) -> str:
    own = [one for one in played if one.get("condition") == condition]
    told = _with_words(result, own, condition, _figures(result, own, condition))
    return f"{condition}{' ' if told else ''}{told}"


def _with_words(result: Raw, played: Sequence[Raw], condition: str, summary: Sequence[str]) -> str:
    of = "on average " if summary and len(played) > 1 else ""
    words = _at(_summary(result, condition), "in_words")
    told = f"{of}{', '.join(summary)}", words if isinstance(words, str) else ""
    return "; ".join(filter(None, told))


def _means(result: Raw) -> list[str]:
    mean = result.get("mean")
    known = mean if isinstance(mean, dict) else {}
    found = [(name, known.get(name)) for name in MEASURES]
    return [f"{name} {in_digits(value)}" for name, value in found if _is_number(value)]


def _figures(result: Raw, played: Sequence[Raw], condition: str) -> list[str]:
    summary, found = _summary(result, condition), []
    for name, words in FIGURES.items():
        value = _at(summary, name)
        value = value.get("mean") if isinstance(value, dict) else value
        values = [value] if _is_number(value) else [_at(one, name) for one in played]
        numbers = [one for one in values if _is_number(one)]
        if numbers and len(numbers) == len(values):
            found.append(_format_measure(words, sum(numbers) / len(numbers)))
    return found


def _summary(result: Raw, condition: str) -> object:
    conditions = result.get("conditions")
    return conditions.get(condition) if isinstance(conditions, dict) else result.get("mean")


def _format_measure(words: str, value: float) -> str:
    if "{}" not in words:
        return words.format(value)
    shown = in_digits(value)
    return words.format(shown, s="" if shown == "1" else "s")


def _at(data: object, path: str) -> Any:
    """Return the value at a path such as ``a.b`` within nested mappings, or None."""
    for name in path.split("."):
        data = data.get(name) if isinstance(data, dict) else None
    return data


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _rewards(played: list[Any]) -> list[str]:
    rewards: dict[str, list[float]] = {}
    for one in played:
        agents = one.get("agents")
        for agent, own in agents.items() if isinstance(agents, dict) else ():
            if isinstance(own, dict) and isinstance(own.get("reward"), int | float):
                rewards.setdefault(str(agent), []).append(float(own["reward"]))
    if len(rewards) > MOST_REWARDS:
        return []
    return [f"{agent} gets {in_digits(sum(own) / len(own))}" for agent, own in rewards.items()]


def _words(name: object) -> str:
    return str(name).replace("_", " ")
