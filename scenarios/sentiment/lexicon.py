"""How a text speaks of somebody, by a lexicon; and what speakers of a mood say."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from records.files import read_text
from records.yaml_text import load_yaml

#: Scores go from hate to love; in the middle is who is neither.
HATE, NEUTRAL, LOVE = 0.0, 5.0, 10.0
_WORD = re.compile(r"[a-z]+")


@cache
def _file() -> Any:
    return load_yaml(read_text(Path(__file__).parent / "words.yaml"))


@cache
def weights() -> Mapping[str, int]:
    """Return the words with their weights, -5 to 5."""
    return {word: int(weight) for weight, words in _file()["words"].items() for word in words}


def words_of(weight: int) -> list[str]:
    """Return the words of a weight."""
    return [word for word, own in weights().items() if own == weight]


def score_of(text: str) -> float:
    """Return how a text speaks of somebody, 0 (hate) to 10 (love): 5 and the mean weight of its
    words that are in the lexicon; 5 without any.
    """
    found = [weights()[word] for word in _WORD.findall(text.lower()) if word in weights()]
    mean = sum(found) / len(found) if found else 0.0
    return min(max(NEUTRAL + mean, HATE), LOVE)


def moods() -> list[str]:
    """Return the moods that speakers can have."""
    return list(_file()["moods"])


def line_of(mood: str, rng: random.Random) -> str:
    """Return something that a speaker of a mood says."""
    parts = _file()["moods"][mood]
    return f"{rng.choice(parts['opens'])} {rng.choice(parts['closes'])}"
