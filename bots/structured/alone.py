"""Reading an answer alone: whatever stands beside it is asked about, and never interpreted."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from functools import lru_cache
from typing import TypeVar

from bots.structured.attached import Attached, Known
from bots.structured.attached_objects import is_only_asked
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
    languages: Collection[str] = (),
    binds: bool | Callable[[T], bool] = False,
    asked: Mapping[str, str] | None = None,
    compared: Callable[[T], object] = lambda value: value,
) -> T:
    """Return what an answer says, where no free words stand beside it, or it is said once more.

    Args:
        answer: of a model.
        read: reads it; called again with parts of it.
        own: words of the role that are neutral in its labels, keys and remarks, in small letters.
        bare: whether it is a bare word: below prose it has a label.
        free: whether it is free words, which are looked at line by line only, and need not be the
            same the second time.
        any_word: whether any word can be an answer, so that a remark's last word is no other one.
        beside: the role's own forms that say nothing, as lines or behind the answer.
        languages: of blocks that hold it, besides the usual ones; an empty block may have none.
        binds: whether the very words of what was read take effect, as those of a law: beside and
            behind it stand no free ones, and paragraphs of their own are asked about, above and
            behind it; beside a law (true) there are none behind it, either.
        asked: by each name of a field that is asked for, as it is compared, the usual one.
        compared: what of it is the same where it is said again.

    Raises:
        UnconfirmedError: free words stand beside it (:mod:`bots.structured.confirming`).
        AnswerError: it cannot be read, or what the message names is attached to it.
    """
    binding = binds if callable(binds) else lambda _: bool(binds)

    def checked(text: str) -> T:
        value = read(text)
        forms, is_law = frozenset(languages), binds is True
        known = Known(frozenset(own), bare, free, beside, forms, binding(value), is_law, asked)
        if known.binds or not was_said(compared(value), is_free=free):
            _check(text, value, read, known, compared)
        return value

    try:
        return checked(answer)
    except AnswerError as error:
        is_remarked = not (error.asks or languages or binds is True)
        compares = None if free or any_word else read
        found = _without_remarks(answer, compares, checked, binding, bare) if is_remarked else None
        if found is None:
            raise
    value, remark = found
    if was_said(compared(value), is_free=free):
        return value
    raise UnconfirmedError(compared(value), remark)


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
    if known.asked and is_only_asked(text, known.asked):
        return
    if known.languages and same(changed := apart_from_blocks(text)):
        text = changed
    attached = Attached(text, same, known)
    attached.check()
    if attached.prose and not was_said(compared(value)):
        raise UnconfirmedError(compared(value), attached.prose[0])


def _without_remarks(
    answer: str,
    read: Callable[[str], T] | None,
    checked: Callable[[str], T],
    binding: Callable[[T], bool],
    bare: bool,
) -> tuple[T, str] | None:
    """Return what an answer says without the remarks in its lines, and the first of these.

    A bare word may also be the last one of a sentence.

    None: it says nothing then, it binds, or a remark says something else: where ``read`` is there,
    which free words have not, as any of these says something else.

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
        if binding(value):
            return None
        if any(one.may_count() for one in remarks):
            return None
        if read is not None and any(_is_another(one, read, value) for one in remarks):
            return None
        return value, remarks[0].words
    last = last_word(spoken(answer)) if bare else None
    if last is not None and (read is None or _said(read, last[1]) is UNSAID):
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
