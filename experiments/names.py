"""Names of people in societies."""

from __future__ import annotations

NAMES = (
    *("Ada", "Ben", "Cora", "Dan", "Eva", "Finn", "Gus", "Hana", "Ivo", "Jana", "Kai", "Lena"),
    *("Max", "Nora", "Otto", "Pia", "Quin", "Rosa", "Sam", "Tess", "Udo", "Vera", "Will", "Xena"),
    *("Yann", "Zoe", "Abel", "Bea", "Carl", "Dora"),
)


def names(count: int) -> list[str]:
    """Return so many names: each as it is, then each with a number."""
    rounds = range(-(-count // len(NAMES)))
    return [name if not k else f"{name}{k + 1}" for k in rounds for name in NAMES][:count]
