"""The attacks of ``tests/data/attacks.yaml``."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

LIMIT_S = 0.5


@dataclass(frozen=True)
class Attack:
    """One hostile program; see the file for the fields."""

    group: str
    name: str
    code: str
    ends: list[str]
    says: str = ""
    limit_s: float = LIMIT_S

    def __str__(self) -> str:
        return f"{self.group}: {self.name}"


def read_attacks() -> list[Attack]:
    """All attacks, in the file's order."""
    text = (Path(__file__).parent / "data" / "attacks.yaml").read_text(encoding="utf-8")
    return [
        Attack(group["group"], **attack)
        for group in yaml.safe_load(text)
        for attack in group["attacks"]
    ]
