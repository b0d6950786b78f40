"""What is asked about a recorded village: which roles goals show, and which words mean the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bots.prompts import PromptFolder
from bots.structured import AnswerError, lines

render = PromptFolder(Path(__file__).parent / "prompts").render
#: A role in one word, perhaps after a word that says so.
_ROLE = re.compile(r"(?:(?:role|answer)\W+(?:is\W+)?)?(?:an?\s+)?\W*([a-z][a-z-]{1,30})\W*", re.I)
_MERGE = re.compile(r"MERGE\b[:\s]+([a-z-]+)\s*(?::|->|=|into|with)\s*([a-z-]+)\W*", re.I)
_NONE = re.compile(r"(?:.*\W)?NONE\W*", re.IGNORECASE)


@dataclass(frozen=True)
class RoleRequest:
    """The question which role somebody's last goals show; the newest goal last."""

    role: ClassVar[str] = "role"

    goals: tuple[str, ...]

    def prompt(self) -> str:
        """Return the question in words."""
        return render("role", goals="\n".join(self.goals))

    def read(self, answer: str) -> str:
        """Return the role, one word in small letters.

        Raises:
            AnswerError: no line is one word.
        """
        found = [match[1] for line in lines(answer) if (match := _ROLE.fullmatch(line))]
        if not found:
            raise AnswerError("the answer is one word, such as farmer")
        return found[-1].lower()


@dataclass(frozen=True)
class SynonymsRequest:
    """The question which of the roles' names mean the same."""

    role: ClassVar[str] = "synonyms"

    words: tuple[str, ...]

    def prompt(self) -> str:
        """Return the question in words."""
        return render("synonyms", words=", ".join(self.words))

    def read(self, answer: str) -> dict[str, str]:
        """Return what replaces each word, itself where nothing does.

        Raises:
            AnswerError: there is no line of the form, nor the word NONE.
        """
        said = lines(answer)
        pairs = [match.groups() for line in said if (match := _MERGE.fullmatch(line))]
        if not pairs and not any(_NONE.fullmatch(line) for line in said):
            raise AnswerError("there is no line MERGE word: word, nor NONE")
        small = {str(a).lower(): str(b).lower() for a, b in pairs}
        return {word: _last(word, small, self.words) for word in self.words}


def _last(word: str, merged: Mapping[str, str], words: tuple[str, ...]) -> str:
    """Return what replaces a word in the end; words that replace each other in turn stay."""
    seen = {word}
    now = word
    while now in merged and merged[now] in words:
        now = merged[now]
        if now in seen:
            return word
        seen.add(now)
    return now


Question = RoleRequest | SynonymsRequest
