"""Who was for more tax and who for less: in words, by a small lexicon, and in votes.

The lexicon is ours. Each word of :data:`FOR_LESS` or :data:`FOR_MORE` counts -1 or 1, the other way
round where one of :data:`NOT` stands among the two words before it. Each share in per cent that is
not the law's counts -1 where it is less than that, 1 where it is more. The sentiment of a text is
the mean of what counts, from -1 (for less) to 1 (for more); 0 where nothing does.
``python -m scenarios.taxation.reading`` has a model judge the same texts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from voxpolis.judge.law.constitution import Amendment, Choice
from voxpolis.records.text import caseless

#: Whether somebody is for less tax, for more, or neither.
Stance = Literal["anti", "pro", "neutral"]
STANCES: tuple[Stance, ...] = ("anti", "pro", "neutral")
#: What an amendment does to the tax rate.
Direction = Literal["lowers", "raises", "other"]
#: How often yes, no and abstain was voted, by the voter's stance and the amendment's direction.
Votes = dict[Stance, dict[Direction, dict[Choice, int]]]

#: Beginnings of words.
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
#: So near to the law's rate is the law's rate.
SAME = 0.0005


def sentiment(text: str, tax_rate: float) -> float:
    """Return how much a text is for less tax (-1) or for more (1) than a rate; see the module."""
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
    """Return the stance of a sentiment."""
    return "neutral" if score == 0 else "anti" if score < 0 else "pro"


def direction_of(sets: Mapping[str, float], tax_rate: float) -> Direction:
    """Return what an amendment that sets some numbers does to a tax rate."""
    far = sets.get("tax_rate", tax_rate) - tax_rate
    return "other" if abs(far) < SAME else "lowers" if far < 0 else "raises"


def feedback_outcome(scores: Mapping[str, float]) -> dict[str, Any]:
    """Return the mean sentiment of what people said (None of nothing), and how many are of each
    stance; ``scores``: name → sentiment.
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
    """Return how people voted by the stance of what they had said before; who said nothing is
    neutral.

    Args:
        scores: name → sentiment of its feedback.
        amendments: in the order of the ballot.
        ballots: name → one choice for each amendment.
        tax_rate: of the law that holds when they vote.
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
    """Return the part of yes in all votes of some runs on amendments of a direction; None: there
    are none.
    """
    counts = [by[direction] for votes in runs for by in votes.values() if direction in by]
    cast = sum(sum(count.values()) for count in counts)
    return sum(count["yes"] for count in counts) / cast if cast else None
