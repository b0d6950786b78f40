"""What is asked about a recorded village: which roles goals show, and which words mean the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, AnswerError, each, line, narrowed, one_of
from voxpolis.bots.prompts import PromptFolder

#: Characters of a role's name.
MOST_CHARACTERS = 32

messages = PromptFolder(Path(__file__).parent / "prompts").messages


class Role(Answer):
    """The role that goals show."""

    role: line(MOST_CHARACTERS) = Field(description="One lower-case noun, such as farmer.")  # type: ignore[valid-type]


@dataclass(frozen=True)
class RoleRequest:
    """The question which role somebody's last goals show; the newest goal last."""

    role: ClassVar[str] = "role"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Role]] = Role

    goals: tuple[str, ...]

    def messages(self) -> list[Message]:
        """Return the question in words."""
        return messages("role", goals="\n".join(self.goals))

    def read(self, answer: Role) -> str:
        """Return the role, one word in small letters.

        Raises:
            AnswerError: it is not one word.
        """
        word: str = answer.role.lower()
        if not word.replace("-", "").isalpha():
            raise AnswerError("role: one lower-case noun, such as farmer")
        return word


class Merge(Answer):
    """A word that another one replaces."""

    word: str
    into: str = Field(description="The word that replaces it.")


class Synonyms(Answer):
    """Which words mean the same role; empty: none do."""

    merges: each(Merge, 200)  # type: ignore[valid-type]


@dataclass(frozen=True)
class SynonymsRequest:
    """The question which of the roles' names mean the same."""

    role: ClassVar[str] = "synonyms"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Synonyms]] = Synonyms

    words: tuple[str, ...]

    def messages(self) -> list[Message]:
        """Return the question in words."""
        return messages("synonyms", words=", ".join(self.words))

    def narrow(self) -> type[Synonyms]:
        """Return the type of an answer that can only name these words."""
        word = one_of(self.words, "word")
        return narrowed(Synonyms, merges=(each(narrowed(Merge, word=word, into=word), 200), ...))

    def read(self, answer: Synonyms) -> dict[str, str]:
        """Return what replaces each word, itself where nothing does.

        Raises:
            AnswerError: words replace each other in turn.
        """
        merged: dict[str, str] = {}
        for one in answer.merges:
            merged.setdefault(one.word, one.into)
        return {word: _last(word, merged) for word in self.words}


def _last(word: str, merged: Mapping[str, str]) -> str:
    """Return what replaces a word in the end.

    Raises:
        AnswerError: words replace each other in turn.
    """
    seen, now = {word}, word
    while (other := merged.get(now, now)) != now:
        now = other
        if now in seen:
            raise AnswerError(f"{word} and {merged[word]} replace each other; keep one of them")
        seen.add(now)
    return now
