"""What is asked about a recorded village: which roles goals show, and which words mean the same."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bots.prompts import PromptFolder
from bots.structured import AnswerError, lines, read_objects

render = PromptFolder(Path(__file__).parent / "prompts").render
#: A role in one word, perhaps after words that say so.
_ROLE = re.compile(
    r"(?:(?:(?:the|their|this|my|final|shown)\s++){0,3}+(?:role|answer)(?: (?:they show|shown))?+"
    r"\W++(?:is\W++)?+)?+(?:an?\s++)?+\W*+([a-z][a-z-]{1,30}+)\W*+",
    re.I,
)
#: Words that name no role.
_NO_ROLES = frozenset(
    ("ambiguous", "mixed", "none", "nothing", "sure", "uncertain", "unclear", "unknown", "various")
)
_MERGE = re.compile(r"MERGE\b[:\s]+([a-z-]+)\s*(?::|->|=|into|with)\s*([a-z-]+)\W*", re.I)
_NONE = re.compile(
    r"(?:.*\W)?NONE\W*"
    r"|none of (?:these|them|those|the(?:se)? words) (?:are synonyms|mean the same)\W*+",
    re.IGNORECASE,
)


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
            AnswerError: no line is one word that names a role.
        """
        found = [match[1].lower() for line in lines(answer) if (match := _ROLE.fullmatch(line))]
        roles = [word for word in found if word not in _NO_ROLES]
        if not roles:
            raise AnswerError("the answer is one word, such as farmer")
        return roles[-1]


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
        says_none = _is_empty(answer) or any(_NONE.fullmatch(line) for line in said)
        if not pairs and not says_none:
            raise AnswerError("there is no line MERGE word: word, nor NONE")
        small = {str(a).lower(): str(b).lower() for a, b in pairs}
        return {word: _last(word, small, self.words) for word in self.words}


def _is_empty(answer: str) -> bool:
    """Whether an answer is an object whose only field is an empty list of words."""
    try:
        (found,) = read_objects(answer)
    except (AnswerError, ValueError):
        return False
    values = [value for key, value in found.items() if str(key).lower() in ("merge", "merges")]
    return len(found) == 1 and values in ([[]], [{}], [None])


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
