"""Who lives in the society: names, traits, true likeability and extroversion, drawn by seed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from voxpolis.records.yaml_text import read_yaml

LEAST, MOST = 0.0, 10.0
NAMES = (
    *("Ada", "Ben", "Cora", "Dan", "Eva", "Finn", "Gus", "Hana", "Ivo", "Jana", "Kai", "Lena"),
    *("Max", "Nora", "Otto", "Pia", "Quin", "Rosa", "Sam", "Tess", "Udo", "Vera", "Will", "Xena"),
    *("Yann", "Zoe", "Abel", "Bea", "Carl", "Dora", "Emil", "Fay", "Gil", "Hope", "Ines", "Jon"),
    *("Kira", "Leo", "Mara", "Nils", "Olga", "Paul", "Ruth", "Sven", "Thea", "Ugo", "Viola", "Wim"),
    *("Yara", "Zeno"),
)


@dataclass(frozen=True)
class Personality:
    """Somebody: ``traits`` in three sentences, and what they come to, 0 to 10 each."""

    name: str
    traits: str
    likeability: float
    extroversion: float


@cache
def _file() -> Any:
    return read_yaml(Path(__file__).parent / "personalities.yaml")


def names(count: int) -> list[str]:
    """Return so many names: each as it is, then each with a number."""
    rounds = range(-(-count // len(NAMES)))
    return [name if not k else f"{name}{k + 1}" for k in rounds for name in NAMES][:count]


def personalities(count: int, seed: int) -> list[Personality]:
    """Return so many people; likeability and extroversion are drawn evenly, each by itself."""
    rng = random.Random(f"{seed} personalities")
    return [_drawn(rng, name) for name in names(count)]


def _drawn(rng: random.Random, name: str) -> Personality:
    likeability, extroversion = rng.uniform(LEAST, MOST), rng.uniform(LEAST, MOST)
    told = [
        rng.choice(_fifth(_file()["likeability"], likeability)),
        rng.choice(_fifth(_file()["extroversion"], extroversion)),
        rng.choice(_file()["own"]),
    ]
    return Personality(name, " ".join(told), round(likeability, 2), round(extroversion, 2))


def _fifth(bands: list[list[str]], value: float) -> list[str]:
    return bands[min(int(value / (MOST - LEAST) * len(bands)), len(bands) - 1)]


def likeability_of(traits: str) -> float:
    """Return the middle of the fifth of likeability that traits were drawn from; 5 of others."""
    bands = _file()["likeability"]
    wide = (MOST - LEAST) / len(bands)
    found = (k for k, band in enumerate(bands) if any(told in traits for told in band))
    return next((LEAST + (k + 0.5) * wide for k in found), (LEAST + MOST) / 2)
