"""Prompts: one Markdown file a role, rendered strictly; other people's words in it are quoted.

A line ``---`` divides a file: above it stand role and rules, the system's message, which stay the
same from call to call so that endpoints can cache them; below it stands the moment, the user's.

A prompt is headings, a record, a transcript. Contract texts, messages and chat are written by
agents, and an agent may write a heading or a line of a transcript, too. Each line of a quotation
begins with ``>``, therefore: what does not begin with it was written by the program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from voxpolis.bots.models.model import Message
from voxpolis.records.text import one_line, printable

# What each line of a quotation begins with.
MARK = ">"
# The line between role and rules, and the moment.
_MOMENT = "\n---\n"
_VARIABLE = re.compile(r"\{\{(\w+)\}\}")


class PromptFolder:
    """A folder of prompts; every package that asks models has one of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths: dict[str, Path] = {}

    def render(self, prompt: str, /, **variables: str) -> str:
        """Return ``prompt``.md with each ``{{variable}}`` filled in.

        Raises:
            KeyError: a variable of the prompt is missing, or one is given that it does not have.
        """
        text = self._checked(prompt, variables)
        return _VARIABLE.sub(lambda match: variables[match[1]], text).strip()

    def messages(self, prompt: str, /, **variables: str) -> list[Message]:
        """Return ``prompt``.md as a system's and a user's message; see :meth:`render`.

        Raises:
            KeyError: a variable of the prompt is missing, or one is given that it does not have.
            ValueError: the file has no line ``---``.
        """
        text = self._checked(prompt, variables)
        rules, divider, moment = text.partition(_MOMENT)
        if not divider:
            raise ValueError(f"prompt {prompt} has no line --- between its rules and the moment")
        system, user = (
            _VARIABLE.sub(lambda match: variables[match[1]], part).strip()
            for part in (rules, moment)
        )
        return [{"role": "system", "content": system}, {"role": "user", "content": user}]

    def _checked(self, prompt: str, variables: Mapping[str, str]) -> str:
        path = self._paths.get(prompt)
        if path is None:  # to join paths takes longer than to fill a prompt in
            path = self._paths[prompt] = self._folder / f"{prompt}.md"
        text = template(path)
        wanted = _variables(text)
        if wanted != variables.keys():
            off = ", ".join(sorted(wanted ^ set(variables)))
            raise KeyError(f"prompt {prompt}: missing or unknown variables: {off}")
        return text


@cache
def _variables(text: str) -> frozenset[str]:
    return frozenset(_VARIABLE.findall(text))


@cache
def template(path: Path) -> str:
    """Return the text of a prompt's file, read once."""
    return path.read_text(encoding="utf-8")


# The prompts of the agent kinds.
PROMPTS = PromptFolder(Path(__file__).parent)
render, messages = PROMPTS.render, PROMPTS.messages


def quoted(text: str) -> str:
    """Return a text as a quotation: each of its lines begins with ``>``; empty for an empty text.

    Whatever Unicode takes for the end of a line ends one, and what could hide or reorder a line
    is replaced, so that no part of the text can be read as standing outside the quotation.
    """
    return "\n".join(f"{MARK} {printable(line)}".rstrip() for line in text.splitlines())


def quoted_line(text: str) -> str:
    """Return a text as one line between quotation marks, with none of them inside."""
    return f'"{one_line(text).replace(chr(34), chr(39))}"'
