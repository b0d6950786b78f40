"""What is asked about a recorded country: who believes, and what people cared about."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from bots.prompts import PromptFolder, quoted
from bots.structured import AnswerError, alone, lines, listed, read_word
from records.text import caseless

MOST_TOPICS = 15

render = PromptFolder(Path(__file__).parent / "prompts").render
#: A topic, perhaps with a number, and its keywords, which a JSON list has in brackets.
_NUMBERED = caseless(r"\W*topic\s*#?\d+\W*[:.)-]\s*([^:()]+?)\s*[:(]\s*([^()]+?)[)\s.]*")
_TOPIC = caseless(
    r"TOPICS?\b\s*(?:#?\d+\s*)?[-.:)\u2013\u2014]?\s*(?:\d+\s*[-.:)]\s*)?"
    r"([^:\[\n]{1,40}?)\s*(?::\s*|\s[-\u2013\u2014]+>?\s|(?=\[))(.+)"
)
#: What begins as a topic.
_TRIED = re.compile(r"TOPIC\b\s*\S")
#: The same without the word, in a list of nothing else: at least two keywords of few words.
_KEYWORD = r"[^\s,.:;]++(?: [^\s,.:;]++){0,2}+"
_LISTED = re.compile(rf"([^:\[\n]{{1,40}}+):\s*+({_KEYWORD}(?:,\s*+{_KEYWORD})++)\.?")
#: That there are none, alone or behind what leads to it.
_NONE = caseless(r"(?:\W*+(?:topics?|answer)\b)?+\W*+none\W*+")
#: What the answer may be called.
_OWN = frozenset(("believes", "belief", "believer", "believe", "speaker", "person", "does"))
#: How many have a topic.
_COUNT = caseless(r"\(mentioned by \d+(?: people| persons)?\)")
#: What a list of topics is called, and its parts.
_TOPICS = frozenset(("topic", "topics", "keyword", "keywords", "common", "shared", "main"))
#: What is answered, and the verdict that it is.
_VERDICTS = {"YES": True, "NO": False, "TRUE": True, "FALSE": False}
#: What is said of a topic's keywords behind them.
_BRACKETS = re.compile(r"\([^()]*\)")


@dataclass(frozen=True)
class BelievesRequest:
    """The question whether somebody who said something believes."""

    role: ClassVar[str] = "believes"
    of_record: ClassVar[bool] = True

    text: str

    def prompt(self) -> str:
        """Return the question in words."""
        return render("believes", text=quoted(self.text))

    def read(self, answer: str) -> bool:
        """Return the verdict; see :func:`read_verdict`."""
        return read_verdict(answer)


@dataclass(frozen=True)
class SummaryRequest:
    """The question what somebody's goals were about; ``goals``: seconds and words."""

    role: ClassVar[str] = "summary"
    of_record: ClassVar[bool] = True

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
    of_record: ClassVar[bool] = True

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
    """Return whether the answer is yes; see :func:`bots.structured.read_word`.

    Raises:
        AnswerError: it is neither yes nor no alone, nor behind a label, or both.
    """
    return read_word(answer, _VERDICTS, _OWN)


def read_topics(answer: str) -> dict[str, list[str]]:
    """Return the topics of an answer with their keywords, the first :data:`MOST_TOPICS`; empty: it
    says that people share none.

    Raises:
        AnswerError: there is no line of the form nor the word NONE, or there are both, or a
            topic stands twice.
    """
    return alone(answer, _read_topics, _TOPICS, beside=_COUNT)


def _numbered(line: str) -> str:
    """Return a topic's line whose own name stands behind its number as one of the form."""
    found = _NUMBERED.fullmatch(line)
    return f"TOPIC {found[1]}: {found[2]}" if found else line


def _read_topics(answer: str) -> dict[str, list[str]]:
    says_none = any(map(_NONE.fullmatch, lines(answer)))
    told = [_numbered(line) for line in lines(answer)]
    said = [topic for line in told if (topic := _TOPIC.fullmatch(line))]
    for line in told:
        if _TRIED.match(line) and not (_TOPIC.fullmatch(line) or _NONE.fullmatch(line)):
            raise AnswerError(f"{line[:60]!r} is not of the form TOPIC name: keyword, keyword")
    said = said or _listed_topics(answer)
    found = {
        name.strip(): [word for one in words.split(",") if (word := one.strip(" .\"'[]").lower())]
        for name, words in ((one[1], _BRACKETS.sub("", one[2])) for one in said)
    }
    if len({one[1].strip().casefold() for one in said}) < len(said):
        raise AnswerError("a topic stands twice; write one line for each, with all its keywords")
    if bool(found) == says_none:
        raise AnswerError("there is no line TOPIC name: keyword, keyword, nor NONE alone")
    return dict(list(found.items())[:MOST_TOPICS])


def _listed_topics(answer: str) -> list[re.Match[str]]:
    """Return topics of a list whose items all are of the form, but for the word TOPIC."""
    topics = [_LISTED.fullmatch(item) for item in listed(answer)]
    return [topic for topic in topics if topic is not None] if all(topics) else []
