"""Calls with mutated arguments: all of ``bot`` and every primitive, given what they do not expect.

Ten thousand calls are ``python -m tests.measure_attacks --calls 10000``.
"""

from __future__ import annotations

import re
from pathlib import Path

TEXT = (Path(__file__).parent / "data" / "mutants.js").read_text(encoding="utf-8")
DECLARED = Path(__file__).parent.parent / "bridge" / "js" / "primitives" / "index.js"


def primitives() -> list[str]:
    """The names of all primitives, from where they are declared.

    Raises:
        ValueError: they are declared in another way than before.
    """
    listed = re.search(r"^const PRIMITIVES = \{([\w\s,]+)\}", DECLARED.read_text("utf-8"), re.M)
    if listed is None:
        raise ValueError(f"{DECLARED} declares no primitives")
    return [name.strip() for name in listed[1].split(",")]


def program(calls: int) -> str:
    """A program that makes so many calls and catches what they throw; its seed says which."""
    named = TEXT.replace("PRIMITIVES_DECLARED", ", ".join(primitives()))
    return named.replace("CALLS_TO_MAKE", str(calls))
