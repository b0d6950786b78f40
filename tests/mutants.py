"""Calls with mutated arguments: all of ``bot`` and every primitive, given what they do not expect.

Ten thousand calls are ``python -m tests.measure_attacks --calls 10000``.
"""

from __future__ import annotations

from pathlib import Path

TEXT = (Path(__file__).parent / "data" / "mutants.js").read_text(encoding="utf-8")


def program(calls: int) -> str:
    """A program that makes so many calls and catches what they throw; its seed says which."""
    return TEXT.replace("CALLS_TO_MAKE", str(calls))
