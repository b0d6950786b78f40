"""Measures of taxed villages, and a table that compares them with published numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field
from rich.console import Console

from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer
from voxpolis.bots.prompts import PromptFolder, quoted
from voxpolis.experiments.loops.society.scenario import by_condition, condition_table
from voxpolis.experiments.run.scenario import Entry, Result, counting
from voxpolis.experiments.run.tables import print_closing_lines, with_ci95
from voxpolis.judge.law.constitution import Amendment, Choice
from voxpolis.records.console import plain_console, print_whole, table_of
from voxpolis.records.measures import known_mean, mean_and_ci95
from voxpolis.records.text import caseless

# --- Stances on the tax: in words, by a small lexicon, and in votes -------------------------------
#
# The lexicon is ours. Each word of :data:`FOR_LESS` or :data:`FOR_MORE` counts -1 or 1, with the
# opposite sign if one of the two words before it is in :data:`NOT`. Each percentage that differs
# from the law's rate counts -1 if lower and 1 if higher. The sentiment of a text is the mean of
# these counts, from -1 (for less tax) to 1 (for more), or 0 without any. ``python -m
# scenarios.taxation.reading`` lets a model judge the same texts.

# A person's stance: for less tax, for more tax, or neither.
Stance = Literal["anti", "pro", "neutral"]
STANCES: tuple[Stance, ...] = ("anti", "pro", "neutral")
# Effect of an amendment on the tax rate.
Direction = Literal["lowers", "raises", "other"]
# Counts of yes, no and abstain, by voter's stance and amendment's direction.
Votes = dict[Stance, dict[Direction, dict[Choice, int]]]

# Word stems.
FOR_LESS = (
    *("lower", "reduc", "cut", "decreas", "less", "halv", "abolish", "burden", "excessive"),
    *("unfair", "unjust", "crush", "greed", "heavy", "steep", "overtax", "hurt", "too high"),
    *("too much", "incredibly high", "scrap", "relie"),
)
FOR_MORE = (
    *("rais", "increas", "higher", "more tax", "pay more", "vital", "essential", "selfish"),
    *("invest", "too low", "too little", "contribut", "generous", "common good", "support"),
    *("public good", "necessary"),
)
NOT = ("not", "no", "never", "don't", "doesn't", "isn't", "shouldn't", "without", "against", "nor")

_WORDS = caseless(
    "|".join(rf"\b(?P<{name}>{'|'.join(map(re.escape, words))})"
             for name, words in (("less", FOR_LESS), ("more", FOR_MORE)))
)  # fmt: skip
_NOT = caseless(rf"\b(?:{'|'.join(NOT)})\b(?:\s+[\w']+)?\s+$")
_PERCENT = caseless(r"(\d+(?:\.\d+)?)\s*(?:%|per ?cent)")
# Maximum difference from the law's rate that counts as equal.
SAME = 0.0005


def sentiment(text: str, tax_rate: float) -> float:
    """Return how far a text asks for less or more tax, from -1 (less) to 1 (more)."""
    text = text.replace("\u2019", "'")
    counted = []
    for found in _WORDS.finditer(text):
        weight = -1 if found["less"] else 1
        counted.append(-weight if _NOT.search(text[: found.start()]) else weight)
    for number in _PERCENT.findall(text):
        far = float(number) / 100 - tax_rate
        counted += [] if abs(far) < SAME else [1 if far > 0 else -1]
    return round(sum(counted) / len(counted), 4) if counted else 0.0


def stance_of(score: float) -> Stance:
    """Return the stance that a score from :func:`sentiment` expresses."""
    return "neutral" if score == 0 else "anti" if score < 0 else "pro"


def direction_of(sets: Mapping[str, float], tax_rate: float) -> Direction:
    """Return whether the numbers of an amendment raise a tax rate, lower it, or do neither."""
    far = sets.get("tax_rate", tax_rate) - tax_rate
    return "other" if abs(far) < SAME else "lowers" if far < 0 else "raises"


def feedback_outcome(scores: Mapping[str, float]) -> dict[str, Any]:
    """Return the mean sentiment of the feedback (or None), and the number of people with each
    stance.

    ``scores`` contains each person's sentiment.
    """
    count = Counter(map(stance_of, scores.values()))
    mean = round(sum(scores.values()) / len(scores), 4) if scores else None
    return {"sentiment": mean, **{stance: count[stance] for stance in STANCES}}


def votes_by_stance(
    scores: Mapping[str, float],
    amendments: Sequence[Amendment],
    ballots: Mapping[str, Sequence[Choice]],
    tax_rate: float,
) -> Votes:
    """Count votes by the stance that the voter's feedback expressed. Voters without feedback are
    neutral.
    """
    found: Votes = {}
    for name, choices in ballots.items():
        by_direction = found.setdefault(stance_of(scores.get(name, 0.0)), {})
        for amendment, choice in zip(amendments, choices, strict=True):
            direction = direction_of(amendment.sets, tax_rate)
            count = by_direction.setdefault(direction, {"yes": 0, "no": 0, "abstain": 0})
            count[choice] += 1
    return {stance: found[stance] for stance in STANCES if stance in found}


def yes_share(runs: Sequence[Votes], direction: Direction) -> float | None:
    """Return the share of yes votes among all votes on amendments in one direction, or None if
    there were none.
    """
    counts = [by[direction] for votes in runs for by in votes.values() if direction in by]
    cast = sum(sum(count.values()) for count in counts)
    return sum(count["yes"] for count in counts) / cast if cast else None


SOURCE = "Project Sid (Altera.AL 2024), figure 10"
# Share paid, in per cent, before and after the law was changed. Source: Project Sid, figure 10.
PUBLISHED: Mapping[str, str] = {
    "full-anti": "about 20 before, about 9 after",
    "full-pro": "about 20 before, rises after",
    "frozen-anti": "stays at about 20",
    "frozen-pro": "stays at about 20",
    "ablated-anti": "rises, whatever its influencers want",
    "ablated-pro": "rises, whatever its influencers want",
}
HALVES = ("tax_share_before", "tax_share_after")


def summary(entries: Sequence[Entry]) -> Result:
    """Summarise the shares that people paid, by condition.

    The results are means with 95 % confidence intervals over the runs in which an agent acted;
    ``runs`` is their number.
    """
    return by_condition(
        entries, lambda runs: {half: mean_and_ci95(run[half] for run in runs) for half in HALVES}
    )


def show(result: Result) -> None:
    """Print the table next to published figures."""
    acted = counting(result["runs"])

    def cells(name: str, measured: Result) -> list[str]:
        law = known_mean(run["tax_rate_after"] for run in acted if run["condition"] == name)
        shares = [with_ci95(measured[half], ".1f", 100) for half in HALVES]
        return [*shares, "-" if law is None else f"{law * 100:.1f}"]

    console, title = plain_console(), "share of their items that constituents paid, %"
    columns = ("before", "after", "law after")
    print_whole(console, condition_table(result, title, columns, cells, PUBLISHED, SOURCE))
    has_spread = any(
        f[h]["ci95"] is not None for f in result["conditions"].values() for h in HALVES
    )
    spread = "mean ± half the 95 % confidence interval over runs; " if has_spread else ""
    console.print(f"{spread}published: {SOURCE}")
    near = {}
    for kind in ("season", "between"):
        found = known_mean(run["near_chest"][kind] for run in acted)
        near[kind] = "-" if found is None else f"{found:.0%}"
    console.print(
        f"within 6 blocks of the chest came {near['season']} of the constituents in a season, "
        f"{near['between']} in as long a time between seasons (figure 10 C)"
    )
    show_stances(console, acted)
    print_closing_lines(console, result)


def show_stances(console: Console, runs: Sequence[Entry]) -> None:
    """Print feedback and votes by condition. Nothing is printed if no village voted."""
    voted = [run for run in runs if any(run["feedback"][stance] for stance in STANCES)]
    if not voted:
        return
    rows = []
    for name in dict.fromkeys(run["condition"] for run in voted):
        of = [run for run in voted if run["condition"] == name]
        said = [sum(run["feedback"][stance] for run in of) for stance in STANCES]
        score = known_mean(run["feedback"]["sentiment"] for run in of)
        shares = [yes_share([run["votes"] for run in of], kind) for kind in ("lowers", "raises")]
        told = ["-" if share is None else f"{share:.0%}" for share in shares]
        rows.append([name, "-" if score is None else f"{score:+.2f}", *map(str, said), *told])
    columns = ("condition", "sentiment", *STANCES, "yes to lower", "yes to raise")
    print_whole(console, table_of("people's feedback on the law, and their votes", columns, rows))


# --- Questions about a recorded village: who wants less tax, and who more? ------------------------

# Sentiment of each answer.
SENTIMENTS = {"LESS": -1.0, "NEITHER": 0.0, "MORE": 1.0}

messages = PromptFolder(Path(__file__).parent / "prompts").messages


class Sentiment(Answer):
    """Which tax the speaker wants."""

    wants: Literal["LESS", "MORE", "NEITHER"] = Field(description="Less tax, more tax, or neither.")


@dataclass(frozen=True)
class SentimentRequest:
    """Asks whether the author of a text wants less or more tax than at that time."""

    role: ClassVar[str] = "sentiment"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Sentiment]] = Sentiment

    text: str
    tax_rate: float

    def messages(self) -> list[Message]:
        return messages("sentiment", percent=f"{self.tax_rate * 100:g}", text=quoted(self.text))

    def read(self, answer: Sentiment) -> float:
        return SENTIMENTS[answer.wants]
