"""A negotiator's message in parts: its thought, what all see, a contract, clauses, an acceptance.

``[accept]`` counts only alone on a line, unquoted and outside the thought; what may stand beside it
says :mod:`judge.message_words`. Where nobody can tell whether it is one, the message is refused
with what to write.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bots.structured import AnswerError, plain
from judge.contract_titles import is_title
from judge.message_forms import in_tags, refuse_hidden, split
from judge.message_questions import EndsThoughtError
from judge.message_tags import (
    ACCEPT,
    CLAUSES,
    CONTRACT,
    MESSAGE,
    PUBLIC,
    THINKING,
    Line,
    hides_acceptance,
    scan,
)
from records.text import caseless

#: Of a message: no negotiator needs more, and a flood must not hold up others.
MOST_LINES, MOST_CHARACTERS = 1000, 50_000
#: Parts that nobody sees, and those that are terms.
_NOT_SAID = (THINKING, CONTRACT, CLAUSES)
#: Of a line that others see.
LONGEST_LINE = 5_000
#: An acceptance as one word, or as a field with other words than yes; and tags that there are not.
_IN_WORDS = caseless(r"\W*accept(?:[ .!]*$|\s*:)")
_NO_TAG = caseless(
    r"\W*[\[\uff3b<\u3010]\s*/?\s*(?:i |we )?(?:accept|agree|reject|refuse|decline|deal)[\w ]{0,40}"
    r"\W*[\]\uff3d>\u3011]\W*"
)
_ALONE = (
    "[accept] counts only on a line of its own, without other words, quotation marks or bullets"
)
_HOW = "a contract begins with a line that is [contract], and ends with one that is [contract end]"
_CONTRACT_END, _CLAUSES_END = f"{CONTRACT} end", f"{CLAUSES} end"
_IN_THOUGHT = "end a thought with [thinking end] before [contract], and write no contract within it"
_AFTER = "[accept] stands on a line of its own after your message"


def parts_of(answer: str, *, ends_thought: bool = False) -> dict[str, str]:
    """Return the text after each tag; of a thought or a message in pieces, all of it.

    Args:
        answer: the message.
        ends_thought: an ``[accept]`` that ends it behind a thought counts: it was asked about.

    Raises:
        EndsThoughtError: an ``[accept]`` ends it behind a thought.
        AnswerError: there are two contracts or lists of clauses, or nobody knows whether an
            ``[accept]`` is one.
    """
    if len(answer) > MOST_CHARACTERS:
        raise AnswerError(f"the message has more than {MOST_CHARACTERS} characters")
    text = in_tags(answer)
    if text.count("\n") + text.count("\r") > MOST_LINES:
        raise AnswerError(f"the message has more than {MOST_LINES} lines")
    begins = any(line.tag == MESSAGE for line in scan(text, lambda line: [line]))
    said = scan(text, lambda line: split(line, begins))
    parts: dict[str, list[str]] = {}
    now, terms = "", _Terms()
    for number, line in enumerate(said):
        if now == THINKING and line.tag == ACCEPT:
            is_last = _is_last(line, said[number + 1 :])
            if is_last and not ends_thought:
                raise EndsThoughtError
            if not is_last:
                parts[now].append(line.text)
                continue
        if line.tag == THINKING and ACCEPT in parts:
            raise AnswerError("a thought stands before [accept], which ends your answer")
        if (line.tag or now) != THINKING:
            _check_public(line, (line.tag or now) in PUBLIC)
        if now not in _NOT_SAID or line.tag == MESSAGE:
            _check_title(line, said[number + 1 :])
        if line.tag is not None:
            terms.take(line, now)
            now = line.tag
        part = terms.part_of(now)
        if line.rest or part == now:
            parts.setdefault(part, []).append(line.rest)
    found = {name: "\n".join(text).strip() for name, text in parts.items()}
    terms.check_end(found)
    return found


@dataclass
class _Terms:
    """Where a message's contract and clauses begin and end.

    Attributes:
        begun: which of the two there were.
        is_open: whether the contract has not ended.
        is_thought: whether it began within a thought that had not ended.
    """

    begun: set[str] = field(default_factory=set)
    is_open: bool = False
    is_thought: bool = False

    def take(self, line: Line, now: str) -> None:
        """Let a tag count that stands behind the part ``now``.

        Raises:
            AnswerError: it is quoted, a second one, or one that nothing in a contract is.
        """
        if line.tag in (CONTRACT, CLAUSES):
            if line.is_quoted:
                raise AnswerError(
                    f"[{line.tag}] of yours stands in no quotation and in no block below other "
                    "words: write it without > and without lines of ```"
                )
            if line.tag in self.begun:
                raise AnswerError(f"there are two of [{line.tag}]; write one")
            self.begun.add(line.tag)
            self.is_thought = self.is_thought or now == THINKING
        elif self.is_open and line.tag not in (_CLAUSES_END, _CONTRACT_END):
            raise AnswerError("a contract ends with [contract end], before all else")
        elif self.is_thought and line.tag == f"{THINKING} end":
            raise AnswerError(_IN_THOUGHT)
        elif line.tag in (_CONTRACT_END, _CLAUSES_END) and not self.begun:
            raise AnswerError(f"[{line.tag}] ends nothing: {_HOW}")
        if line.tag in (CONTRACT, _CONTRACT_END):
            self.is_open = line.tag == CONTRACT

    def part_of(self, now: str) -> str:
        """Return the part of what stands behind a tag: behind clauses a contract goes on."""
        return CONTRACT if now == _CLAUSES_END and self.is_open else now

    def check_end(self, parts: Mapping[str, str]) -> None:
        """Check that nothing is left open.

        Raises:
            AnswerError: something is, or the contract may be a part of a thought that goes on.
        """
        if self.is_open:
            raise AnswerError("a contract ends with [contract end]")
        if self.is_thought and any(parts.get(end) for end in (_CONTRACT_END, _CLAUSES_END)):
            raise AnswerError(_IN_THOUGHT)


def beside(parts: Mapping[str, str]) -> str:
    """Return all that a message says beside its thought and its terms, whether others hear it or
    not; ``parts``: of :func:`parts_of`, where what stands before the first tag is called nothing.
    """
    return "\n".join(text for name, text in parts.items() if name not in _NOT_SAID and text)


def _check_public(line: Line, is_seen: bool) -> None:
    """Refuse a line outside of a thought that may be another part, or an acceptance.

    Raises:
        AnswerError: it may.
    """
    if len(line.text) > LONGEST_LINE:
        raise AnswerError(f"a line has more than {LONGEST_LINE} characters")
    if _IN_WORDS.match(plain(line.text)) or _is_no_tag(line):
        raise AnswerError(
            "to agree, write [accept] in brackets on a line of its own; if you do not, say so in "
            "words after [message]"
        )
    if hides_acceptance(line):
        raise AnswerError(_ALONE)
    if is_seen:
        refuse_hidden(line.text)


def _check_title(line: Line, following: Sequence[Line]) -> None:
    """Refuse a title of a contract that is none by its tag, unless parts with tags follow it.

    Raises:
        AnswerError: a contract may be meant.
    """
    said = line.text if line.tag is None else line.text.partition("]")[2]
    if line.tag not in (None, MESSAGE) or not is_title(said):
        return
    told = next((one for one in following if one.tag or not one.is_empty), None)
    if told is None or told.tag not in (THINKING, MESSAGE, CONTRACT, CLAUSES):
        raise AnswerError(f"to propose, write it all between two lines of their own: {_HOW}")


def _is_no_tag(line: Line) -> bool:
    """Whether a line of words is a tag that there is not, and looks like an answer."""
    return line.tag in (None, MESSAGE) and bool(_NO_TAG.fullmatch(line.rest))


def _is_last(line: Line, following: Sequence[Line]) -> bool:
    """Whether an ``[accept]`` right behind a thought is the last line; else the thought goes on.

    Raises:
        AnswerError: it may be meant, and another part follows, or it is an item of a list.
    """
    told = next((one for one in following if one.tag or not one.is_empty), None)
    if (told is None and line.marks - {"code"}) or (told is not None and told.tag is not None):
        raise AnswerError(f"{_AFTER}, and not right after your thought")
    return told is None
