"""Prompts: one file a role, rendered strictly."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
_VARIABLE = re.compile(r"\{\{(\w+)\}\}")


def render(name: str, /, **variables: str) -> str:
    """Fill in the prompt ``name``.md; ``{{variable}}`` marks what is filled in.

    Raises:
        KeyError: a variable of the prompt is missing, or one is given that it does not have.
    """
    text, wanted = _template(name)
    if wanted != set(variables):
        off = ", ".join(sorted(wanted ^ set(variables)))
        raise KeyError(f"prompt {name}: missing or unknown variables: {off}")
    return _VARIABLE.sub(lambda match: variables[match[1]], text).strip()


@cache
def _template(name: str) -> tuple[str, frozenset[str]]:
    text = (FOLDER / f"{name}.md").read_text(encoding="utf-8")
    return text, frozenset(_VARIABLE.findall(text))


def policy(path: str) -> str:
    """The text of a scripted policy, for example ``double_vein/greedy``."""
    return (FOLDER / f"{path}.js").read_text(encoding="utf-8")
