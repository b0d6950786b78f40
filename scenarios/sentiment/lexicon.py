"""Measures the sentiment of a text about a person with a lexicon, and writes lines for speakers in
a certain mood.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any, ClassVar

from pydantic import Field

from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, integer, narrowed
from voxpolis.bots.prompts import PromptFolder, quoted
from voxpolis.records.yaml_text import read_yaml

# Range of scores from hate to love, and the neutral middle.
HATE, NEUTRAL, LOVE = 0.0, 5.0, 10.0
# A negated word counts with half its weight and the opposite sign: "not kind" is milder than
# "rude".
DENIED = -0.5
# A negation affects up to this many following words in its clause; "not only" negates nothing.
DENIED_WITHIN = 3
_NOT = frozenset({"not", "no", "never", "nor", "neither", "without", "hardly", "cannot"})
_CLAUSE = re.compile(r"[.,;:!?()]|\bbut\b|\bnot only\b")
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")


@cache
def _file() -> Any:
    return read_yaml(Path(__file__).parent / "words.yaml")


def words_of(weight: int) -> list[str]:
    """Return the words of the lexicon with a certain weight, from -5 to 5."""
    return list(_file()["words"].get(weight, ()))


def adjectives_of(weight: int) -> list[str]:
    """Return the adjectives of the lexicon with a certain weight."""
    return [word for word in words_of(weight) if word not in _file()["verbs"]]


@cache
def _forms() -> Mapping[str, int]:
    found = {word: weight for weight, words in _file()["words"].items() for word in words}
    for verb in _file()["verbs"]:
        plural = f"{verb}es" if verb.endswith("sh") else f"{verb}s"
        past = f"{verb}d" if verb.endswith("e") else f"{verb}ed"
        found |= dict.fromkeys((plural, past), found[verb])
    return found


def score_of(text: str) -> float:
    """Return how a text feels about a person, from 0 (hate) to 10 (love).

    The score is 5 plus the mean weight of those words in the text that the lexicon contains. A text
    without such words scores 5. The weight of a negated word is multiplied by :data:`DENIED`.
    """
    found, known = [], _forms()
    for clause in _CLAUSE.split(text.lower().replace("\u2019", "'")):
        words = _WORD.findall(clause)
        for at, word in enumerate(words):
            if word in known:
                before = words[max(0, at - DENIED_WITHIN) : at]
                is_denied = any(other in _NOT or other.endswith("n't") for other in before)
                found.append(known[word] * (DENIED if is_denied else 1))
    mean = sum(found) / len(found) if found else 0.0
    return min(max(NEUTRAL + mean, HATE), LOVE)


def line_of(mood: str, rng: random.Random) -> str:
    """Write a random line for a speaker in a certain mood."""
    parts = _file()["moods"][mood]
    return f"{rng.choice(parts['opens'])} {rng.choice(parts['closes'])}"


# --- Questions about a recorded run: feelings in what people wrote --------------------------------

messages = PromptFolder(Path(__file__).parent / "prompts").messages


class Score(Answer):
    """A number from 0 to 10."""

    score: Annotated[float, Field(ge=HATE, le=LOVE)]


# Models answer in integers; the lexicon's scores are finer.
WholeScore = narrowed(Score, score=(integer(int(HATE), int(LOVE)), ...))


@dataclass(frozen=True)
class ScoreRequest:
    """Asks how one person feels about another, based on what the first person wrote."""

    role: ClassVar[str] = "score"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Score]] = Score

    observer: str
    about: str
    text: str

    def messages(self) -> list[Message]:
        own = {"observer": self.observer, "about": self.about}
        return messages("score", text=quoted(self.text), **own)

    def narrow(self) -> type[Score]:
        return WholeScore

    def read(self, answer: Score) -> float:
        return answer.score


@dataclass(frozen=True)
class LikeabilityRequest:
    """Asks how likeable a person is, based on its traits. The answer serves as the true value."""

    role: ClassVar[str] = "likeability"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Score]] = Score

    name: str
    traits: str

    def messages(self) -> list[Message]:
        return messages("likeability", name=self.name, traits=self.traits)

    def narrow(self) -> type[Score]:
        return WholeScore

    def read(self, answer: Score) -> float:
        return answer.score
