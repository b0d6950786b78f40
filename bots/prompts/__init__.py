"""Prompts: one Markdown file for each question. Text that agents or people wrote is quoted.

A line ``---`` divides a file. Above the line is the system message with the role and the rules.
This part is the same in all calls, so that endpoints can cache it. Below the line is the user
message with the current situation.

A prompt consists of headings, facts and a transcript. Agents write contract texts, messages and
chat, and could imitate a heading or a line of the transcript. Therefore each line of a quoted text
begins with ``>``. All lines without ``>`` were written by the program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from voxpolis.bots.models.model import Message
from voxpolis.records.text import one_line, printable

# The mark at the beginning of each quoted line.
MARK = ">"
# The line between the system message and the user message.
_MOMENT = "\n---\n"
_VARIABLE = re.compile(r"\{\{(\w+)\}\}")


class PromptFolder:
    """A folder of prompts. Every package that asks models has its own folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._paths: dict[str, Path] = {}

    def render(self, prompt: str, /, **variables: str) -> str:
        """Return the file ``prompt``.md with each ``{{variable}}`` filled in.

        Raises:
            KeyError: a variable of the prompt is missing, or a given variable is unknown.
        """
        text = self._checked(prompt, variables)
        return _VARIABLE.sub(lambda match: variables[match[1]], text).strip()

    def messages(self, prompt: str, /, **variables: str) -> list[Message]:
        """Return the file ``prompt``.md as a system message and a user message; see :meth:`render`.

        Raises:
            KeyError: a variable of the prompt is missing, or a given variable is unknown.
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
        if path is None:  # joining the path each time would take longer than filling in the prompt
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
    """Return the text of a prompt file. Each file is read only once."""
    return path.read_text(encoding="utf-8")


# The prompts of the agent kinds.
PROMPTS = PromptFolder(Path(__file__).parent)
render, messages = PROMPTS.render, PROMPTS.messages


def quoted(text: str) -> str:
    """Return a text as a quotation, in which each line begins with ``>``.

    An empty text stays empty.

    Every Unicode line separator starts a new line. Characters that could hide or reorder a line are
    replaced. Therefore no part of the text can be mistaken for text outside the quotation.
    """
    return "\n".join(f"{MARK} {printable(line)}".rstrip() for line in text.splitlines())


def quoted_line(text: str) -> str:
    """Return a text as one line in quotation marks.

    Quotation marks within the text are replaced.
    """
    return f'"{one_line(text).replace(chr(34), chr(39))}"'
