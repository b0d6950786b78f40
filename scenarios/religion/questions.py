"""What is asked about a recorded country: who believes, and what people cared about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bots.prompts import PromptFolder
from bots.structured import AnswerError, lines, listed

MOST_TOPICS = 15

render = PromptFolder(Path(__file__).parent / "prompts").render
#: A topic, perhaps with a number, and its keywords, which a JSON list has in brackets.
_TOPIC = re.compile(
    r"TOPICS?:?\s+(?:\d+\s*[-.:)]\s*)?([^:\[\n]{1,40}?)\s*(?::\s*|(?=\[))(.+)", re.IGNORECASE
)
#: The same without the word, in a list of nothing else: at least two keywords of few words.
_KEYWORD = r"[^\s,.:;]++(?: [^\s,.:;]++){0,2}+"
_LISTED = re.compile(rf"([^:\[\n]{{1,40}}+):\s*+({_KEYWORD}(?:,\s*+{_KEYWORD})++)\.?")
#: That there are none, alone or behind what leads to it.
_NONE = re.compile(r"(?:\W*+(?:topics?|answer)\b)?+\W*+none\W*+", re.IGNORECASE)
_YES_NO = re.compile(r"\b(YES|NO)\b", re.IGNORECASE)
#: A line that begins with the verdict, where none is in capitals.
_VERDICT = re.compile(
    r"(?:[\w ]{0,30}\banswer(?: is)?\s*[:=-]?\s*)?(YES|NO)(?=\s*(?:[^\w\s]|$))", re.IGNORECASE
)
#: The verdict as the truth value of a field.
_TRUTH = re.compile(r"(?:\w+\s*[:=]\s*)?(true|false)\W*", re.IGNORECASE)


@dataclass(frozen=True)
class BelievesRequest:
    """The question whether somebody who said something believes."""

    role: ClassVar[str] = "believes"

    text: str

    def prompt(self) -> str:
        """Return the question in words."""
        return render("believes", text=self.text)

    def read(self, answer: str) -> bool:
        """Return the verdict; see :func:`read_verdict`."""
        return read_verdict(answer)


@dataclass(frozen=True)
class SummaryRequest:
    """The question what somebody's goals were about; ``goals``: seconds and words."""

    role: ClassVar[str] = "summary"

    goals: tuple[tuple[float, str], ...]

    def prompt(self) -> str:
        """Return the question in words."""
        return render("summary", goals="\n".join(f"{t:.0f} s: {text}" for t, text in self.goals))

    def read(self, answer: str) -> str:
        """Return the summary.

        Raises:
            AnswerError: it says nothing.
        """
        text = "\n".join(f"- {line}" for line in lines(answer) if "[" in line)
        if not text:
            raise AnswerError("there is no line with keywords in brackets")
        return text


@dataclass(frozen=True)
class TopicsRequest:
    """The question which topics the summaries of many share."""

    role: ClassVar[str] = "topics"

    summaries: tuple[str, ...]

    def prompt(self) -> str:
        """Return the question in words."""
        people = enumerate(self.summaries, start=1)
        summaries = "\n".join(f"Person {number}:\n{text}" for number, text in people)
        return render("topics", summaries=summaries, most=str(MOST_TOPICS))

    def read(self, answer: str) -> dict[str, list[str]]:
        """Return the topics; see :func:`read_topics`."""
        return read_topics(answer)


def read_verdict(answer: str) -> bool:
    """Return whether the answer is yes.

    Raises:
        AnswerError: it is neither yes nor no, or both.
    """
    said = lines(answer)
    words = {word for line in said for word in _YES_NO.findall(line) if word.isupper()}
    if not words:
        words = {found[1].upper() for line in said if (found := _VERDICT.match(line))}
    if not words:
        words = {word.upper() for line in said for word in _YES_NO.findall(line)}
    if not words:
        truths = {found[1].lower() for line in said if (found := _TRUTH.fullmatch(line))}
        words = {"YES" if truth == "true" else "NO" for truth in truths}
    if len(words) != 1:
        raise AnswerError("the answer is one word, YES or NO")
    return words == {"YES"}


def read_topics(answer: str) -> dict[str, list[str]]:
    """Return the topics of an answer with their keywords, the first :data:`MOST_TOPICS`; empty: it
    says that people share none.

    Raises:
        AnswerError: there is no line of the form nor the word NONE, or there are both.
    """
    says_none = any(map(_NONE.fullmatch, lines(answer)))
    said = [topic for line in lines(answer) if (topic := _TOPIC.match(line))]
    said = said or _listed_topics(answer)
    found = {
        name.strip(): [word.strip(" .\"'[]").lower() for word in words.split(",") if word.strip()]
        for name, words in (one.groups() for one in said)
    }
    if bool(found) == says_none:
        raise AnswerError("there is no line TOPIC name: keyword, keyword, nor NONE alone")
    return dict(list(found.items())[:MOST_TOPICS])


def _listed_topics(answer: str) -> list[re.Match[str]]:
    """Return topics of a list whose items all are of the form, but for the word TOPIC."""
    topics = [_LISTED.fullmatch(item) for item in listed(answer)]
    return [topic for topic in topics if topic is not None] if all(topics) else []
