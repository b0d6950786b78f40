"""What is asked about a recorded society: whether words were kept, and whether they were so."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bots.prompts import PromptFolder, quoted
from bots.structured import read_word

render = PromptFolder(Path(__file__).parent / "prompts").render
#: What the answer may be called.
_OWN = frozenset(("kept", "keep", "promise", "announcement", "true", "claim", "claims"))
#: What is answered, and what it means.
ANSWERS: dict[str, bool | None] = {"YES": True, "NO": False, "NONE": None}


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

    text: str
    doing: str
    then: tuple[str, ...]

    def prompt(self) -> str:
        """Return the question in words."""
        then = "\n".join(self.then) or "(nothing more)"
        doing = self.doing or "(nothing)"
        return render("kept", doing=doing, text=quoted(self.text), next=then)

    def read(self, answer: str) -> Verdict:
        """Return the verdict; see :func:`read_verdict`."""
        return read_verdict(answer)


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

    text: str
    holds: tuple[tuple[str, int], ...]
    done: tuple[str, ...]

    def prompt(self) -> str:
        """Return the question in words."""
        holds = ", ".join(f"{count} {item}" for item, count in self.holds) or "nothing at all"
        done = ", ".join(self.done) or "(nothing)"
        return render("denied", holds=holds, done=done, text=quoted(self.text))

    def read(self, answer: str) -> Verdict:
        """Return the verdict; see :func:`read_verdict`."""
        return read_verdict(answer)


def read_verdict(answer: str) -> Verdict:
    """Return what an answer of one word says; see :func:`bots.structured.read_word`.

    Raises:
        AnswerError: no word says it, or several do.
    """
    return Verdict(read_word(answer, ANSWERS, _OWN))
