"""What is asked about a recorded society: whether words were kept, and whether they were so."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from pydantic import Field

from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer
from voxpolis.bots.prompts import PromptFolder, quoted

messages = PromptFolder(Path(__file__).parent / "prompts").messages


class Kept(Answer):
    """Whether somebody does what it announces or promises."""

    kept: bool | None = Field(description="null: they announce and promise nothing.")


class Denied(Answer):
    """Whether somebody claims of itself what is not so."""

    is_so: bool | None = Field(
        description="true: what they claim is so; false: it is not so; null: they claim nothing."
    )


@dataclass(frozen=True)
class Verdict:
    """An answer: yes, no, or None: there is nothing to judge."""

    value: bool | None


@dataclass(frozen=True)
class KeptRequest:
    """The question whether somebody did what it announced or promised.

    Attributes:
        text: what it said.
        doing: its decision at that moment; empty: none.
        then: what it decided next, in order.
    """

    role: ClassVar[str] = "kept"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Kept]] = Kept

    text: str
    doing: str
    then: tuple[str, ...]

    def messages(self) -> list[Message]:
        """Return the question in words."""
        then = "\n".join(self.then) or "(nothing more)"
        doing = self.doing or "(nothing)"
        return messages("kept", doing=doing, text=quoted(self.text), next=then)

    def read(self, answer: Kept) -> Verdict:
        """Return the verdict: whether it is kept."""
        return Verdict(answer.kept)


@dataclass(frozen=True)
class DeniedRequest:
    """The question whether somebody claims of itself what is not so.

    Attributes:
        text: what it said.
        holds: what it held, by the world's account; empty: nothing.
        done: what it did before, by the world's account, the newest last.
    """

    role: ClassVar[str] = "denied"
    of_record: ClassVar[bool] = True
    answer: ClassVar[type[Denied]] = Denied

    text: str
    holds: tuple[tuple[str, int], ...]
    done: tuple[str, ...]

    def messages(self) -> list[Message]:
        """Return the question in words."""
        holds = ", ".join(f"{count} {item}" for item, count in self.holds) or "nothing at all"
        done = ", ".join(self.done) or "(nothing)"
        return messages("denied", holds=holds, done=done, text=quoted(self.text))

    def read(self, answer: Denied) -> Verdict:
        """Return the verdict: whether it is denied."""
        return Verdict(None if answer.is_so is None else not answer.is_so)
