"""Prompts: one Markdown file per role, rendered strictly; text written by others is quoted.

A line ``---`` divides a file. Above it is the system message with role and rules, which is constant
over calls so that endpoints can cache it. Below it is the user message with the current situation.

A prompt consists of headings, a record and a transcript. Agents write contract texts, messages and
chat, and may imitate a heading or a line of a transcript. Each quoted line therefore begins with
``>``, and the program wrote every line without it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from voxpolis.bots.models.model import Message
from voxpolis.records.text import one_line, printable

# Prefix of each quoted line.
MARK = ">"
# Line between the system message and the user message.
_MOMENT = "\n---\n"
_VARIABLE = re.compile(r"\{\{(\w+)\}\}")


class PromptFolder:
    """A folder of prompts; every package that asks models has its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths: dict[str, Path] = {}

    def render(self, prompt: str, /, **variables: str) -> str:
        """Return ``prompt``.md with each ``{{variable}}`` filled in.

        Raises:
            KeyError: a variable of the prompt is missing, or an unknown one is given.
        """
        text = self._checked(prompt, variables)
        return _VARIABLE.sub(lambda match: variables[match[1]], text).strip()

    def messages(self, prompt: str, /, **variables: str) -> list[Message]:
        """Return ``prompt``.md as a system and a user message; see :meth:`render`.

        Raises:
            KeyError: a variable of the prompt is missing, or an unknown one is given.
            ValueError: the file has no line ``---``.
        """
        text = self._checked(prompt, variables)
        rules, divider, moment = text.partition(_MOMENT)
        if not divider:
            raise ValueError(
                f"prompt {prompt} has no line --- between system message and user message"
            )
        system, user = (
            _VARIABLE.sub(lambda match: variables[match[1]], part).strip()
            for part in (rules, moment)
        )
        return [{"role": "system", "content": system}, {"role": "user", "content": user}]

    def _checked(self, prompt: str, variables: Mapping[str, str]) -> str:
        path = self._paths.get(prompt)
        if path is None:  # joining paths would take longer than filling in a prompt
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
    """Return the text of a prompt file, read once."""
    return path.read_text(encoding="utf-8")


# Prompts of the agent kinds.
PROMPTS = PromptFolder(Path(__file__).parent)
render, messages = PROMPTS.render, PROMPTS.messages


def quoted(text: str) -> str:
    """Return text as a quotation: each of its lines begins with ``>``; empty text stays empty.

    Every Unicode line separator starts a new line. Characters that could hide or reorder a line are
    replaced, so that no part of the text can be mistaken for text outside the quotation.
    """
    return "\n".join(f"{MARK} {printable(line)}".rstrip() for line in text.splitlines())


def quoted_line(text: str) -> str:
    """Return text as one line in quotation marks, with inner quotation marks replaced."""
    return f'"{one_line(text).replace(chr(34), chr(39))}"'
