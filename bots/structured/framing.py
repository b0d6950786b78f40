"""What chat models put around an answer, whatever they are asked for: one rule for all roles.

Lines at the beginning that only lead to what follows (``Sure! Here is my answer:``, ``Let me think
about this.``, ``### Final answer``), and lines at the end that only take leave of whoever asked
(``I hope this helps!``) or say how sure the model is, are part of no answer, in any role. Each has
a closed form, which is the whole line: nothing that such a line leaves out could limit an answer.
So they are taken away before a reader sees the answer, in English and the commonest of seven other
languages. What stands above words that call something the answer is a thought
(:func:`answer_part`); what only explains an answer, in free words, is for those who read free words
(:func:`bots.structured.is_remark`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from bots.structured.framing_words import (
    ANNOUNCES,
    CALLED,
    COURTESY,
    FINALLY,
    HARMLESS_NO,
    LEADS,
    LEAVES,
    LIMITS,
    MAY_CALL,
    OPENS,
    THINKS,
    TITLED,
)
from bots.structured.text import plain, spoken
from bots.values import REMEMBERED

#: A line between parts of an answer.
RULE = re.compile(r"\s*([-*_=~])(?:\s*\1){2,}\s*")
#: A picture before or behind what a line says.
_PICTURES = r"[\u2190-\u21ff\u2300-\u23ff\u2460-\u27bf\u2900-\u2bff\ufe0f\U0001f000-\U0001faff\s]+"
PICTURE = re.compile(rf"^{_PICTURES}|{_PICTURES}$")
#: Longer lines are no frame.
_LONGEST = 240
#: Answers of up to so many characters are known again.
_BRIEF = 500
#: Boxes that are looked at.
_MOST = 8

#: Fields that say how sure a model is, and words for it.
_SURE = re.compile(r"(?:confidence|certainty)(?:[_ ](?:level|score))?", re.IGNORECASE)
_MUCH = re.compile(r"\d+(?:\.\d+)?\s*(?:%|percent|/ ?10{1,2})?")
_SURENESS = ("low", "medium", "moderate", "high", "very high", "certain")
#: What no label stands before, for it counts alone in its line.
_ACCEPTS = re.compile(r"\W*accept\b", re.IGNORECASE)
_HEADING = re.compile(r"^\s*(?:#{1,6}\s|\*\*[^*]+\*\*\s*$)")
#: LaTeX's box, in which models put what they found.
_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")
_DRESS = re.compile(r"^\s*\\(?:text|textbf|mathrm|textit)\{(.*)\}\s*$", re.DOTALL)


@lru_cache(REMEMBERED)  # lines of an answer, which is read again without each of its parts
def bare(line: str) -> str:
    """Return what a line says, without pictures around it."""
    return plain(PICTURE.sub("", plain(line)))


def unframed(answer: str, *, again: bool = False) -> str:
    """Return an answer without lines at its ends that are part of no answer.

    What calls the first line the answer (``**Answer:** yes``) is none of it, either, and what says
    all once more, in the same lines below an empty one, says it once. An answer that is nothing
    else stays as it is. ``again``: it follows a complaint, so that it may begin with courtesies.
    """
    if again:
        answer = _without_courtesies(spoken(answer))
    return _unframed(answer) if len(answer) > _BRIEF else _unframed_briefly(answer)


def _without_courtesies(answer: str) -> str:
    """Return an answer without its first lines of courtesies, or such words before a colon."""
    lines = answer.split("\n")
    while (first := _next(lines, 0, len(lines))) is not None and _is_courtesy(lines[first]):
        if _next(lines, first + 1, len(lines)) is None:
            break
        lines = lines[first + 1 :]
    head, colon, rest = lines[0].partition(":")
    if colon and rest.strip() and _is_courtesy(head) and not _ACCEPTS.match(rest):
        lines[0] = rest.strip()
    return "\n".join(lines)


def _is_courtesy(line: str) -> bool:
    is_item = bool(re.match(r"\s*(?:[-*\u2022]|\d+[.)])\s", line))
    return len(line) <= _LONGEST and not is_item and bool(COURTESY.fullmatch(bare(line)))


def without_opening(answer: str) -> str | None:
    """Return an answer behind a complaint without a line that opens it; None: there is none.

    Such a line is short, ends with a colon, is about the answer or its form, and has no word that
    limits or denies anything, nor a number: ``Right, no commentary this time:``.
    """
    lines = spoken(answer).split("\n")
    first = _next(lines, 0, len(lines))
    following = None if first is None else _next(lines, first + 1, len(lines))
    if first is None or following is None or len(lines[first]) > _LONGEST:
        return None
    said = bare(lines[first])
    if not OPENS.fullmatch(said) or LIMITS.search(HARMLESS_NO.sub("", said)):
        return None
    return "\n".join(lines[following:])


def refers_back(answer: str) -> bool:
    """Whether an answer is courtesies alone, such as that it stays the same."""
    return _is_courtesy(" ".join(answer.split()))


def _unframed(answer: str) -> str:
    lines = spoken(answer).split("\n")
    start = _next(lines, 0, len(lines)) or 0
    end = (_last(lines, start, len(lines)) or 0) + 1
    is_called_once = len(_called(lines)) <= 1
    while (first := _next(lines, start, end)) is not None and _is_lead(lines[first]):
        if not is_called_once and _is_called(lines[first]):
            break
        following = _next(lines, first + 1, end)
        if following is None:
            break
        start = following
    while (last := _last(lines, start, end)) is not None:
        before = _last(lines, start, last)
        if before is not None and _says_sureness(lines[before], lines[last]):
            last, before = before, _last(lines, start, before)
        elif not _is_leave(lines[last]):
            break
        if before is None:
            break
        end = before + 1
    first_line = uncalled(lines[start]) if is_called_once else lines[start]
    kept = [first_line, *lines[start + 1 : end]]
    return "\n".join(_once(kept))


#: The same for answers that are said again and again, as by thousands of scripted persons.
_unframed_briefly = lru_cache(REMEMBERED)(_unframed)


def _once(lines: Sequence[str]) -> Sequence[str]:
    """Return lines without the second half where it says the first once more, set apart from it."""
    told = [n for n, line in enumerate(lines) if _says(line) and not _is_called(line)]
    half = len(told) // 2
    if not half or [lines[n] for n in told[:half]] != [lines[n] for n in told[half:]]:
        return lines
    end = told[half - 1] + 1
    return lines[:end] if end < told[half] else lines


def _says_sureness(head: str, line: str) -> bool:
    """Whether a line below a heading only says how sure the model is: ``## Confidence``, High."""
    is_head = bool(_HEADING.match(head)) or head.rstrip(" *").endswith(":")
    if not is_head or len(head) + len(line) > _LONGEST:
        return False
    name = bare(head).rstrip(":").strip().casefold().removeprefix("my ").removeprefix("overall ")
    said = bare(line).rstrip(" .!").casefold().removeprefix("very ").removeprefix("quite ")
    is_word = said in _SURENESS
    return bool(_SURE.fullmatch(name)) and (is_word or bool(_MUCH.fullmatch(said)))


def says_how_sure(name: str, value: object) -> bool:
    """Whether a field of an object only says how sure the model is, as a number or a word."""
    if not _SURE.fullmatch(name.strip()) or isinstance(value, bool):
        return False
    return isinstance(value, int | float) or str(value).strip(" .%").casefold() in _SURENESS


def answer_part(text: str) -> str:
    """Return what an answer calls the answer: all that stands behind or below those words.

    What stands above ``### Final answer`` or ``**Answer:** yes`` is a thought, where there is one
    such line, or one that is final; so is ``Let me think about this.`` before all, with what
    stands between it and the only rule. What stands in
    boxes as mathematicians write them is the answer, where all are the same.
    """
    boxes = set(_boxes(text))
    if len(boxes) == 1:
        return boxes.pop()
    lines = text.split("\n")
    called = _called(lines)
    at = [n for n in called if FINALLY.search(lines[n])] or called
    first = _next(lines, 0, len(lines))
    if len(at) == 1:
        has_rest = uncalled(lines[at[0]]) != lines[at[0]]
        below = lines[at[0] + (not has_rest) :]
    elif first is not None and _thinks(lines[first]):
        rules = [n for n in range(first, len(lines)) if RULE.fullmatch(lines[n])]
        ends = [n for n in rules if any(map(_says, lines[n:]))]
        below = lines[(ends[0] if len(ends) == 1 else first) + 1 :]
    else:
        return text
    return "\n".join(below) if any(map(_says, below)) else text


def _thinks(line: str) -> bool:
    return len(line) <= _LONGEST and bool(THINKS.fullmatch(bare(line)))


def _called(lines: Sequence[str]) -> list[int]:
    """Return which lines call what follows the answer; of some one after another, the last."""
    told = [n for n, line in enumerate(lines) if _says(line)]
    following = dict(pairwise(told))
    called = {n for n in told if _is_called(lines[n])}
    has_rest = {n for n in called if uncalled(lines[n]) != lines[n]}
    return [n for n in sorted(called) if n in has_rest or following.get(n) not in called]


@lru_cache(REMEMBERED)
def _is_called(line: str) -> bool:
    """Whether a line calls what stands behind it or below it the answer."""
    if len(line) > _LONGEST or not MAY_CALL.search(line) or line.lstrip()[:1] in "|>":
        return False
    said = bare(line)
    found = CALLED.fullmatch(said)
    is_headed = bool(_HEADING.match(line)) and bool(found or TITLED.fullmatch(said))
    return is_headed or bool((found and found["colon"]) or ANNOUNCES.fullmatch(said))


def uncalled(line: str) -> str:
    """Return a line without the words before its own that call these the answer."""
    found = CALLED.fullmatch(bare(line)) if _is_called(line) else None
    rest = found["rest"] if found is not None else ""
    return rest if rest and not _ACCEPTS.match(rest) else line


def _boxes(text: str) -> Iterator[str]:
    """Yield what stands in LaTeX's boxes, without other commands around it."""
    for box in list(_BOX.finditer(text))[:_MOST]:
        depth = 1
        for at in range(box.end(), min(len(text), box.end() + _LONGEST)):
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            if not depth:
                inner = text[box.end() : at].strip()
                dressed = _DRESS.fullmatch(inner)
                yield dressed[1].strip() if dressed else inner
                break


def _says(line: str) -> bool:
    return bool(line.strip()) and not RULE.fullmatch(line)


def _next(lines: Sequence[str], start: int, end: int) -> int | None:
    """Return the first line from ``start`` on that says something; None: none does."""
    return next((n for n in range(start, end) if _says(lines[n])), None)


def _last(lines: Sequence[str], start: int, end: int) -> int | None:
    return next((n for n in range(end - 1, start - 1, -1) if _says(lines[n])), None)


def _is_lead(line: str) -> bool:
    """Whether a line only leads to what follows it."""
    if len(line) > _LONGEST:
        return False
    said = bare(line)
    called = CALLED.fullmatch(said)
    is_called = called is not None and not called["rest"]
    return is_called or (called is None and _is_called(line)) or bool(LEADS.fullmatch(said))


def _is_leave(line: str) -> bool:
    """Whether a line only takes leave, ends the answer, or says how sure the model is."""
    return len(line) <= _LONGEST and takes_leave(bare(line))


def takes_leave(said: str) -> bool:
    """Whether what a line says only takes leave of whoever asked."""
    return bool(LEAVES.fullmatch(said))
