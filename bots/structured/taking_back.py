"""What is answered and then taken back: one rule for all questions.

Models think aloud, and some go on after their answer: ``YES``, and a line below ``On reflection,
NO.``; an object, and below it ``Please disregard the above.`` So wherever a sentence, behind what
can be read as the whole answer, begins to take back (:data:`_TAKES_BACK`), then

- the last whole answer holds, where what follows is one by itself and the reader takes it for the
  answer of all;
- words are a part of what is said, where the answer is free words and these are among them:
  somebody who says ``Five. Actually, four.`` to a neighbour said so;
- otherwise nobody knows what holds, and the model is asked again with the words that take back.

What stands before the answer takes nothing of it back, nor does what an object, a program or
somebody in quotation marks says.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from bots.structured.blocks import code_places, places
from bots.structured.confirming import UnconfirmedError, said_before
from bots.structured.framing import refers_back, unframed, without_opening
from bots.structured.text import QUOTES, AnswerError, spoken
from bots.structured.units import without_agreeing_marks
from bots.structured.withdrawn import refuse_limited, refuse_withdrawn
from bots.values import REMEMBERED
from records.text import caseless

T = TypeVar("T")

#: Words that make what follows them hold instead of what was said, wherever they stand.
CORRECTS = caseless(
    r"\b(?:on (?:second|further) thoughts?|on reflection|correction|scratch that|actually|wait"
    r"|changed? my mind|but no)\b"
)
#: Marks before a sentence, and those of them that are its own.
_MARKS = re.compile(r"[^\w\n]{0,12}+")
_OPENING = " ([-\u2013\u2014"
#: So many sentences that may take back are looked at, the last ones; a flood of them is no answer.
_MOST = 8
#: Answers of up to so many characters are known again.
_BRIEF = 500
#: Where a sentence begins, and how it may do so before it says what matters.
_BEGINS = (
    r"(?:^|(?P<label>:)|[.!?;}\u2026\u3002\uff01\uff1f(\[\u2013\u2014]|\s-(?=\s))"
    r"[^\w\n]{0,12}+"
    r"(?:(?:no,|(?:oh|um+|uh|ah|well|sorry|ok|okay|but|and|so|or|please|apologies)\b)[^\w\n]{0,12}+)*+"
)
_ANSWER = (
    r"(?:above|answer|response|json|object|verdict|judge?ments?|score|decision|vote|ballot|reply"
    r"|findings?|amendments?|payments?|program|code|plan|list|line|goal|first (?:one|line|part))"
)
_AGAIN = (
    r"(?:on|upon|thinking|having thought)(?: (?:it|this|that|about|over|a|some))* "
    r"(?:reflection|(?:second|further|closer|deeper|again|twice)\b"
    r"(?: (?:thoughts?|reflection|consideration|inspection|reading|review|look|thinking))?)\b"
)
_IS_WRONG = (
    r"(?:wrong|incorrect|mistaken|(?:not|n't) (?:right|correct|final|valid)|a mistake|an error"
    r"|a (?:first |rough )?draft|a placeholder|(?:only|just) an example|void|invalid)\b"
    r"(?! (?:of|to|for|about|that)\b)"
)
#: What takes back also within a sentence.
_ANYWHERE = (
    r"(?:on (?:second|further) thoughts?|on reflection|scratch that|i take (?:that|it) back"
    r"|i changed my mind)\b"
)
#: What begins with this takes back, whatever follows.
_ALWAYS = (
    rf"{_AGAIN}|(?:corrected|corrigendum|erratum|edit(?:ed)?|update)\s*+(?:[:\u2014]|\*\*)"
    r"|correction\b|(?:scratch|strike) (?:that|this|it|the)\b|never ?mind\b|(?:hold|hang) on\b"
    r"|(?:having said that|that (?:being )?said|on the other hand)\b"
    r"|hmm+\b|w?oops\b|my (?:mistake|bad)\b|(?:or )?rather[,:]|instead[,:]"
    r"|(?-i:[Ww]ait)(?=\s*[,.!:;\u2026\u2013\u2014-]+\s*(?!then\b|until\b|till\b)\S"
    r"|\s+(?:no\b|actually\b|a (?:second|minute|moment|sec)\b))"
    r"|i(?:'ve| have)? changed my mind|i(?:'m| am) changing my mind"
    r"|i(?:'d like to| would like to| must| have to)? take (?:that|this|it|my \w+|the above) back"
    r"|i (?:must |have to |hereby )?(?:take back|retract|withdraw|revoke|rescind)\b"
    r"|i(?:'ve| have)? (?:made|see|notice|reali[sz]ed?|found|spotted) (?:a|an|my|the) (?:\w+ )?"
    r"(?:mistake|error|slip)|i was (?:wrong|mistaken)\b(?! (?:about|to|not)\b)"
    r"|i (?:misread|misspoke|miscounted|miscalculated|misunderstood|meant)\b"
    rf"|(?:disregard|ignore|forget|discard)(?: \w+){{0,3}}? (?:{_ANSWER}\b"
    r"|(?:that|this|it|what i (?:said|wrote))\s*(?:[.,;:!]|$))"
    rf"|(?:do not|don't) (?:use|count|apply|take)(?: \w+){{0,3}}? {_ANSWER}\b"
    rf"|(?:that|this|it|(?:the|my|that|this)(?: \w+)? {_ANSWER})"
    rf"(?:(?:'s| is| was| are)(?: \w+){{0,2}}? {_IS_WRONG}"
    r"| (?:isn't|wasn't) (?:right|correct|final|valid)\b)"
    r"|let me (?:correct|revise|reconsider|re-?think|redo|rephrase|re-?evaluate|restate|re-?check"
    r"|try again|start over|think again|(?:change|fix) (?:that|this|it|my|the answer))\b"
    r"|(?:make|change) (?:that|it|my \w+)(?: to)? (?:\d|(?-i:[A-Z]{2}))"
    r"|(?:it|that|this) should (?:be|read|say|have been) (?:\d|not\b|instead\b|(?-i:[A-Z]{2}))"
    r"|(?:korrektur|correcci[o\xf3]n|correzione|corre\xe7\xe3o|\u66f4\u6b63|\u8a02\u6b63)\s*+[:,.]"
    r"|(?:ach nein|nein, doch|doch nicht|moment mal|bei n\xe4herem|finalement,? non"
    r"|non,? finalement|\xe0 la r\xe9flexion"
    r"|pens\xe1ndolo (?:mejor|bien)|mejor dicho|espera,|ripensandoci)\b"
    r"|\u4e0d\u5bf9|\u7b49\u7b49|\u7b49\u4e00\u4e0b|\u4ed4\u7ec6\u60f3\u60f3"
)
#: This goes on with what was said where its feelings are good, and else takes it back.
_ACTUALLY = (
    r"actually\b(?!\W+(?:yes\b|quite\b|i (?:do\b(?! not|n't)|like|love|enjoy|agree|look forward"
    r"|think so|believe so)|i(?:'m| am)(?: \w+)? (?:glad|happy|pleased|sure|certain|confident"
    r"|looking forward|excited|proud|fond|delighted|eager|curious|fine|thankful|grateful)\b"
    r"|(?:that|this|it)(?:'s| is) (?:right|fine|true|good|great|fair|a good|what i|the best)))"
)
#: This takes back where it says below that something else holds.
_HOWEVER = (
    r"(?:however|although|though|yet|nevertheless|that said|still)\b[^.!?\n]{0,200}?"
    r"\b(?:rather|instead|nobody|no one|nothing|no payments?|no longer|not (?:be )?(?:paid|owed"
    r"|due|pay|owe|required|valid)|should (?:be|have been)|the other way"
    r"|(?:amount|answer|verdict|score|payment) (?:is|was|should|must))\b"
)
#: This states the answer once more, and another one where its value was not said before.
_RESTATES = (
    r"(?:the|its|my)(?: (?:correct|right|actual|real|true|final|proper|new))? (?:amount|payment"
    r"|answer|verdict|score|number|share|goal|action|choice|decision|transfer|rate)"
    r" (?:is|was|should be|must be|would be|ought to be|becomes)(?: an?| only| just)? "
    r"(?P<value>\d[\d.]*|(?-i:[A-Z]{2,}))"
)
_TAKES_BACK = re.compile(
    rf"(?:{_BEGINS}|\s(?={_ANYWHERE}))(?P<words>{_ALWAYS}|{_ACTUALLY}|{_HOWEVER}|{_RESTATES}|(?P<no>\bno(?=[,!]\s)))",
    re.IGNORECASE | re.MULTILINE,
)
#: Labels behind which somebody takes back what they wrote; other labels say who speaks.
_NOTE = caseless(
    r"(?:^|[.!?}])[^\w.!?}]*"
    r"(?:(?:an? |one |final |important |please )?(?:note|comment|remark|caveat)|ps|nb)\W*$"
)
#: A box to tick before a line or behind its label, a cross before it, and a block of changes.
_BOX = re.compile(
    r"^(?:[^\w\n\[]{0,6}|\W{0,3}\d{1,2}[.)]\s*|[^\n\[\]]{1,40}:\s*)"
    r"\[(?P<tick>[ xX\u2713\u2714])\](?!\()",
    re.MULTILINE,
)
_CROSS = re.compile(r"^[^\w\n]{0,4}[\u274c\u2717\u2718\u274e\U0001f6ab]", re.MULTILINE)
_CHANGES = re.compile(r"^[ \t]*(?:`{3,}|~{3,})[ \t]*(?:diff|patch)\b", re.MULTILINE | re.IGNORECASE)
#: A line of a list, a quotation or a program's remark.
_LISTED = re.compile(r"\s*(?:[-*+\u2022]\s|\(?\d{1,2}[.):]\s)")
_QUOTED = re.compile(r"\s*(?:>|//|/\*)")
_SHOWN_CHARACTERS = 60
#: Languages of blocks that are no programs.
_NO_PROGRAMS = ("json", "json5", "jsonc", "text", "txt", "markdown", "md")
#: How an object begins that is none of a program.
_JSON = re.compile(r"\{\s*[\"'\u201c]")
#: Of free words so many show that they are among those that were read.
_COMPARED_CHARACTERS = 8
#: What may stand before such words in their line, which is all theirs.
_OPENERS = caseless(r"\b(?:oh|no|um+|uh|ah|well|sorry|ok|okay|but|and|so|or|please|apologies)\b")


def settled(read: Callable[[str], T], *, again: bool = False) -> Callable[[str], T]:
    """Return a reader of what is not taken back behind it, nor by its own object.

    It sees an answer without what stands around it (:func:`bots.structured.framing.unframed`);
    where nothing can be read of that, as of a form whose field is called an answer, it sees all.
    ``again``: the answer follows a complaint, and may begin with courtesies, which are none.
    """

    def reading(text: str) -> T:
        bare = unframed(text, again=again)
        if again and refers_back(bare):
            raise AnswerError("that is no answer by itself; write the answer once more, as it is")
        try:
            return held(bare)
        except AnswerError as error:
            opened = without_opening(bare) if again else None
            if opened is not None:
                with suppress(AnswerError):
                    return held(opened)
            if error.asks or bare.strip() == text.strip():
                raise
            return held(text)

    def held(text: str) -> T:
        try:
            return held_as(read(text), text)
        except UnconfirmedError as problem:
            with said_before(problem.value):
                held_as(read(text), text)
            raise

    def held_as(value: T, text: str) -> T:
        if "{" in text:
            _check_objects(text)
        if "[" in text or "`" in text or not text.isascii():
            _check_marks(text)
        for turn in _turns(text):
            _check(read, value, turn)
        return value

    return reading


@dataclass(frozen=True)
class _Turn:
    """A place where an answer may take back what it says.

    Attributes:
        before: what stands before the words that do.
        after: the rest, from these words on.
        is_line: whether they begin a line that is none of a list.
    """

    before: str
    after: str
    is_line: bool

    @property
    def complaint(self) -> str:
        """What is wrong with such an answer."""
        said = " ".join(self.after.split())[:_SHOWN_CHARACTERS]
        return (
            f"it takes back what it says, with {said!r}; decide, and write the answer once and "
            "nothing behind it"
        )


def takes_back(text: str) -> bool:
    """Whether something in a text, behind its beginning, takes back what stands before it."""
    return bool(_turns(text))


def refuse_taken_back(text: str) -> None:
    """Refuse words of which the last ones take the first back: ``Dig. Actually, no.``.

    Raises:
        AnswerError: they do.
    """
    for turn in _turns(text):
        raise AnswerError(turn.complaint)


def _check(read: Callable[[str], T], value: T, turn: _Turn) -> None:
    """Refuse an answer that is read as a value, and takes back at a place what it says before.

    Raises:
        AnswerError: what is before is an answer, and what is behind is not the one that was read.
    """
    try:
        first = read(turn.before)
    except AnswerError:
        return
    if first != value and not turn.is_line:
        return  # words within a line, and a part of what it says
    try:
        if read(turn.after) == value:
            return
    except AnswerError:
        pass
    begins = " ".join(turn.after.split())[:_COMPARED_CHARACTERS].casefold()
    if isinstance(value, str) and first != value and begins in value.casefold():
        return
    raise AnswerError(turn.complaint)


def _check_objects(text: str) -> None:
    """Refuse an answer whose last object says that it does not hold, or one that is limited.

    Raises:
        AnswerError: it does.
    """
    said = spoken(text)
    programs = code_places(said, besides=_NO_PROGRAMS)
    objects = [
        found
        for found, start, end in places(said)
        if _JSON.match(said, start, end) and not any(a <= start < b for a, b in programs)
    ]
    refuse_withdrawn(objects[-1] if objects else {})
    refuse_limited(objects)


def _check_marks(text: str) -> None:
    """Refuse boxes of which some are ticked, crosses, and changes from one text to another.

    Raises:
        AnswerError: there are some outside of a program.
    """
    if _CHANGES.search(text):
        raise AnswerError("it is a change of a text; write the text as it is to be")
    if not _BOX.search(text) and not _CROSS.search(text):
        return
    said = without_agreeing_marks(spoken(text))
    for start, end in reversed(code_places(said, besides=_NO_PROGRAMS)):
        said = said[:start] + said[end:]
    if len({one["tick"] == " " for one in _BOX.finditer(said)}) > 1:
        raise AnswerError("write what you choose alone, without boxes to tick")
    if _CROSS.search(said):
        raise AnswerError("write what you choose alone, and nothing that is crossed out")


def _turns(answer: str) -> tuple[_Turn, ...]:
    return tuple(_found(answer)) if len(answer) > _BRIEF else _known_turns(answer)


@lru_cache(REMEMBERED)
def _known_turns(answer: str) -> tuple[_Turn, ...]:
    return tuple(_found(answer))


def _found(answer: str) -> Iterator[_Turn]:
    """Yield the last places where an answer may take back what it says."""
    text = spoken(answer)
    found = list(_TAKES_BACK.finditer(text.translate(QUOTES)))
    if not found:
        return
    closed = [(start, end) for _, start, end in places(text)] + code_places(text)
    for one in [one for one in found if _counts(text, one, closed)][-_MOST:]:
        start = one.start("words")
        line = text[text.rfind("\n", 0, start) + 1 : start]
        note = _NOTE.search(line[: line.rfind(":")]) if one["label"] else None
        if note is not None:
            bare, end = line[: note.start()], start - len(line) + note.start() + bool(note.start())
        else:
            bare, end = _OPENERS.sub("", line), one.start() + _marks(text, one)
        is_line = not re.search(r"\w", bare) and not _LISTED.match(line)
        yield _Turn(text[:end].rstrip(_OPENING), text[start:], is_line)


def _marks(text: str, found: re.Match[str]) -> int:
    """Return how many marks stand between a sentence and the one that takes it back."""
    marks = _MARKS.match(text, found.start(), found.start("words"))
    return len(marks[0]) if marks else 0


def _counts(text: str, found: re.Match[str], closed: list[tuple[int, int]]) -> bool:
    """Whether words that take back are the answerer's own, behind something that they can."""
    start = found.start("words")
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if found["label"] and not _NOTE.search(line[: line.rfind(":")]):
        return False
    if _QUOTED.match(line) or line.translate(QUOTES).count('"') % 2:
        return False
    if found["no"] and (_LISTED.match(line) or re.search(r"\w", line)):
        return False
    value = found["value"]
    if value and re.search(rf"(?<![\w.]){re.escape(value.rstrip('.'))}(?![\w]|\.\d)", text[:start]):
        return False
    return bool(text[: found.start()].strip()) and not any(a <= start < b for a, b in closed)
