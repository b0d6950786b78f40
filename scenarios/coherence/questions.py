"""What is asked about a recorded society: whether words were kept, and whether they were so."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bots.prompts import PromptFolder
from bots.prompts.quoting import quoted
from bots.structured import AnswerError, lines
from records.text import caseless

render = PromptFolder(Path(__file__).parent / "prompts").render
#: What is answered, and what it means.
ANSWERS = {"YES": True, "NO": False, "NONE": None}
_WORD = caseless(rf"\b({'|'.join(ANSWERS)})\b")
#: A line that begins with the answer, where none is in capitals.
_FIRST = caseless(
    rf"(?:[\w ]{{0,30}}\banswer(?: is)?\s*[:=-]?\s*)?({'|'.join(ANSWERS)})(?=\s*(?:[^\w\s]|$))"
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

    text: str
    doing: str
    then: tuple[str, ...]

    def prompt(self) -> str:
        """Return the question in words."""
        then = "\n".join(self.then) or "(nothing more)"
        doing = self.doing or "(nothing)"
        return render("kept", doing=doing, text=quoted(self.text), next=then)

    def read(self, answer: str) -> Verdict:
        """Return the verdict; see :func:`read_word`."""
        return read_word(answer)


@dataclass(frozen=True)
class DeniedRequest:
    """The question whether somebody claims of itself what is not so.

    Attributes:
        text: what it said.
        holds: what it held, by the world's account; empty: nothing.
        done: what it did before, by the world's account, the newest last.
    """

    role: ClassVar[str] = "denied"

    text: str
    holds: tuple[tuple[str, int], ...]
    done: tuple[str, ...]

    def prompt(self) -> str:
        """Return the question in words."""
        holds = ", ".join(f"{count} {item}" for item, count in self.holds) or "nothing at all"
        done = ", ".join(self.done) or "(nothing)"
        return render("denied", holds=holds, done=done, text=quoted(self.text))

    def read(self, answer: str) -> Verdict:
        """Return the verdict; see :func:`read_word`."""
        return read_word(answer)


def read_word(answer: str) -> Verdict:
    """Return what an answer of one word says.

    Raises:
        AnswerError: no word says it, or several do.
    """
    said = lines(answer)
    words = {word for line in said for word in _WORD.findall(line) if word.isupper()}
    if not words:
        words = {found[1].upper() for line in said if (found := _FIRST.match(line))}
    if len(words) != 1:
        raise AnswerError("the answer is one word: YES, NO or NONE")
    return Verdict(ANSWERS[words.pop()])
