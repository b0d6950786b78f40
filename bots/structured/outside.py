"""What is said beside an answer that binds: nothing that could correct it.

A correction never begins with a known word, so none is looked for. What stands outside of an object
or of clauses is a line that says nothing of its own, for it consists of a few neutral words
(``Here is my judgement, by the contract's terms:``), or repeats what is said inside. Anything else
is asked for again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from bots.structured.framing import bare, takes_leave
from bots.structured.neutral import NEUTRAL
from bots.structured.reading import is_frame
from bots.structured.text import AnswerError
from records.text import caseless

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
#: A number of a list or of a term, which counts nothing.
_COUNTED = re.compile(r"\b(?:term|clause|finding|step)s?\s+#?\d{1,2}\b", re.IGNORECASE)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
#: What is said of one's own answer: in which form it is.
_IN_FORM = caseless(r"\W*[(*]*note[:,]? this (?:follows|is in) the requested (?:format|form)\W*")
#: How sure somebody is, below its heading.
_SURE = caseless(
    r"(?:my |overall )?(?:confidence|certainty)(?: level)?:?"
    r"|(?:very |quite )?(?:high|medium|moderate|low)[.]?"
)
_LIST_MARK = re.compile(r"^\s*(?:\d{1,2}[.):]|[-*\u2022])\s+")


class BesideError(AnswerError):
    """Words beside an answer may correct it.

    Attributes:
        words: the first of them.
    """

    def __init__(self, words: str, advice: str) -> None:
        super().__init__(f"{words[:60]!r} may correct what you say beside it; {advice}")
        self.words = words


def is_framing(line: str, also: frozenset[str] = frozenset()) -> bool:
    """Whether a line says nothing of its own: all its words are neutral ones, or take leave.

    ``also``: other words that are neutral beside this answer.
    """
    said = bare(line)
    if is_frame(line) or not re.search(r"\w", said) or takes_leave(said):
        return True
    if _IN_FORM.fullmatch(said) or _SURE.fullmatch(said):
        return True
    text = _COUNTED.sub("term", _LIST_MARK.sub("", said))
    words = [word.casefold().replace("\u2019", "'") for word in _WORD.findall(text)]
    return (
        not re.search(r"\d", text)
        and bool(words)
        and all(word in NEUTRAL or word in also for word in words)
    )


def refuse_outside(
    lines: Iterable[str],
    inside: Iterable[str],
    repeats: Callable[[str], bool],
    advice: str,
    also: frozenset[str] = frozenset(),
) -> None:
    """Refuse lines that say something which is not said inside.

    Args:
        lines: that stand outside, as they are.
        inside: the sentences that are said inside.
        repeats: whether a sentence says once more, in other words, what is said inside.
        advice: what a model is told to write instead.
        also: see :func:`is_framing`.

    Raises:
        BesideError: there are such lines.
    """
    known = {_folded(part) for text in inside for part in (text, *_SENTENCE.split(text))}
    for line in lines:
        if is_framing(line, also):
            continue
        for part in _SENTENCE.split(bare(line)):
            if not (is_framing(part, also) or _folded(part) in known or repeats(part)):
                raise BesideError(part, advice)


def _folded(text: str) -> str:
    return " ".join(re.findall(r"[\w.%]+", text.casefold())).rstrip(".")


def label_above(lines: Sequence[str]) -> str:
    """Return the line right above what is asked for where it leads to it; empty: none does."""
    said = [line for line in lines if bare(line) and not is_frame(line)]
    return bare(said[-1]) if said and bare(said[-1]).endswith(":") else ""
