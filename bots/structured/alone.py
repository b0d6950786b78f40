"""Reading an answer alone: whatever stands beside it is asked about, and never interpreted."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from contextlib import suppress
from functools import lru_cache
from typing import TypeVar

from bots.structured.attached import Attached, Known
from bots.structured.attached_objects import Asked
from bots.structured.confirming import UNSAID, UnconfirmedError, was_said
from bots.structured.remarked import Remark, last_word, without_remarks
from bots.structured.text import AnswerError, spoken
from bots.structured.unboxing import without_elements
from bots.structured.units import apart_from_blocks, without_agreeing_marks

T = TypeVar("T")


def alone(
    answer: str,
    read: Callable[[str], T],
    own: Collection[str] = (),
    *,
    bare: bool = False,
    free: bool = False,
    any_word: bool = False,
    beside: re.Pattern[str] | None = None,
    form: re.Pattern[str] | None = None,
    languages: Collection[str] = (),
    binds: bool | Callable[[T], bool] = False,
    asked: Asked | None = None,
    compared: Callable[[T], object] = lambda value: value,
) -> T:
    """Return what an answer says, where no free words stand beside it, or it is said twice.

    Args:
        answer: of a model.
        read: reads it, and parts of it.
        own: words of the role that are neutral in its labels, keys and remarks, in small letters.
        bare: whether it is a bare word: below prose it has a label.
        free: whether it is free words, looked at line by line, and not the same the second time.
        any_word: whether any word can be an answer.
        beside: the role's own forms that say nothing, as lines or behind the answer.
        form: of a line of which no word can be left out: an answer of these has none beside it.
        languages: of blocks that hold it, besides the usual ones; an empty block may have none.
        binds: whether its very words take effect: none stand beside it; true: nor behind, as a law.
        asked: the fields that are asked for.
        compared: what of it is the same where it is said again.

    Raises:
        AnswerError: it cannot be read, or free words are beside it (``UnconfirmedError``).
    """
    binding = binds if callable(binds) else lambda _: bool(binds)

    def checked(text: str) -> T:
        value = read(text)
        kind = (frozenset(languages), binding(value), binds is True, asked)
        known = Known(frozenset(own), bare, free, beside, *kind)
        is_known = not known.binds and was_said(compared(value), is_free=free)
        if not (is_known or _is_all(form, text)):
            _check(text, value, read, known, compared)
        return value

    def is_open(remark: Remark, value: T) -> bool:
        is_bound = binding(value) or remark.may_count()
        if free or any_word:  # there any words are another answer
            return is_bound or (any_word and remark.may_turn())
        return is_bound or _is_another(remark, read, value)

    try:
        return checked(answer)
    except AnswerError as error:
        is_whole = error.asks or languages or binds is True
        if is_whole or (found := _without_remarks(answer, checked, is_open, bare=bare)) is None:
            raise
    if not was_said(compared(found[0]), is_free=free):
        raise UnconfirmedError(compared(found[0]), found[1])
    return found[0]


def _is_all(form: re.Pattern[str] | None, text: str) -> bool:
    """Whether all lines of an answer have a form, so that nothing stands beside it."""
    return form is not None and all(map(form.fullmatch, text.split("\n")))


def _check(
    answer: str,
    value: T,
    read: Callable[[str], T],
    known: Known,
    compared: Callable[[T], object],
) -> None:
    """Look at what is attached to an answer that is read as a value.

    Raises:
        UnconfirmedError: free words, and it was not said before.
        AnswerError: what may be another answer, or anything at all beside what binds.
    """
    text = without_agreeing_marks(spoken(answer))

    @lru_cache(None)  # parts of this answer, which are tried again and again
    def same(part: str) -> bool:
        with suppress(AnswerError):
            return bool(read(part) == value)
        return False

    if "<" in text and "\n<" not in text and same(changed := without_elements(text)):
        text = changed
    if known.languages and same(changed := apart_from_blocks(text)):
        text = changed
    attached = Attached(text, same, known)
    attached.check()
    if attached.prose and not was_said(compared(value)):
        raise UnconfirmedError(compared(value), attached.prose[0])


def _without_remarks(
    answer: str, checked: Callable[[str], T], is_open: Callable[[Remark, T], bool], *, bare: bool
) -> tuple[T, str] | None:
    """Return what an answer says without the remarks in its lines, and the first of these.

    A bare word may also be the last one of a sentence. None: it says nothing then, or a remark
    leaves it open whether it says something else.

    Raises:
        UnconfirmedError: it says something, and has free words beside its lines as well.
    """
    for shorter, remarks in without_remarks(answer, bare=bare):
        try:
            value = checked(shorter)
        except UnconfirmedError:
            raise
        except AnswerError:
            continue
        return None if any(is_open(one, value) for one in remarks) else (value, remarks[0].words)
    last = last_word(spoken(answer)) if bare else None
    if last is not None and _said(checked, last[1]) is UNSAID:
        with suppress(AnswerError):
            return checked(last[0]), last[1]
    return None


def _is_another(remark: Remark, read: Callable[[str], T], value: T) -> bool:
    """Whether the end of a remark is another answer, and not what is said without its line."""
    nothing = _said(read, remark.instead(""))
    found = (_said(read, other) for other in remark.others())
    return any(one not in (UNSAID, nothing, value) for one in found)


def _said(read: Callable[[str], object], text: str) -> object:
    try:
        return read(text)
    except AnswerError:
        return UNSAID
