"""Prompts: one Markdown file a role, rendered strictly."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

_VARIABLE = re.compile(r"\{\{(\w+)\}\}")


class PromptFolder:
    """A folder of prompts; every package that asks models has one of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def render(self, prompt: str, /, **variables: str) -> str:
        """Return ``prompt``.md with each ``{{variable}}`` filled in.

        Raises:
            KeyError: a variable of the prompt is missing, or one is given that it does not have.
        """
        text = template(self._folder / f"{prompt}.md")
        wanted = set(_VARIABLE.findall(text))
        if wanted != set(variables):
            off = ", ".join(sorted(wanted ^ set(variables)))
            raise KeyError(f"prompt {prompt}: missing or unknown variables: {off}")
        return _VARIABLE.sub(lambda match: variables[match[1]], text).strip()


@cache
def template(path: Path) -> str:
    """Return the text of a prompt's file, read once."""
    return path.read_text(encoding="utf-8")


#: The prompts of the agent kinds.
render = PromptFolder(Path(__file__).parent).render
