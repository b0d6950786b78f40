"""Roles: which one social goals show, by a lexicon, and what societies need."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from voxpolis.records.text import caseless
from voxpolis.records.yaml_text import read_yaml

#: A goal that shows no role of the lexicon.
OTHER = "other"


@dataclass(frozen=True)
class Role:
    """A role of the lexicon.

    Attributes:
        words: finds a word that shows it.
        actions: of the trade, as the village names them.
        goals: as scripted citizens write them.
    """

    words: re.Pattern[str]
    actions: tuple[str, ...]
    goals: tuple[str, ...]


@dataclass(frozen=True)
class Community:
    """A kind of village: what it wants, and how much it needs of each role, in shares of 1."""

    goal: str
    needs: Mapping[str, float]


def _finder(words: Sequence[str]) -> re.Pattern[str]:
    forms = "|".join(re.escape(word).replace(r"\*", r"\w*") for word in words)
    return caseless(rf"\b(?:{forms})\b")


@cache
def _file() -> tuple[Mapping[str, Role], Mapping[str, Community]]:
    fields = read_yaml(Path(__file__).parent / "roles.yaml")
    roles = {
        name: Role(_finder(one["words"]), tuple(one["actions"]), tuple(one["goals"]))
        for name, one in fields["roles"].items()
    }
    return roles, {name: Community(**one) for name, one in fields["societies"].items()}


def roles() -> Mapping[str, Role]:
    """Return the lexicon's roles by name, in its order."""
    return _file()[0]


def communities() -> Mapping[str, Community]:
    """Return the kinds of village by name."""
    return _file()[1]


@cache
def _shown(goal: str) -> frozenset[str]:
    """Return the roles of which a goal has a word."""
    return frozenset(name for name, role in roles().items() if role.words.search(goal))


def role_of(goals: Sequence[str]) -> str:
    """Return the role that most of some goals show; of as many the lexicon's first; else other."""
    counts = Counter(name for goal in goals for name in _shown(goal))
    if not counts:
        return OTHER
    most = max(counts.values())
    return next(name for name in roles() if counts[name] == most)


@cache
def trades() -> Mapping[str, frozenset[str]]:
    """Return the roles whose trade each action is of, by action."""
    found: dict[str, set[str]] = {}
    for name, role in roles().items():
        for action in role.actions:
            found.setdefault(action, set()).add(name)
    return {action: frozenset(names) for action, names in found.items()}
