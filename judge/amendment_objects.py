"""Amendments as JSON objects that name a number of the constitution as a field of their own."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection
from typing import Any, TypeVar

from bots.structured import (
    AnswerError,
    UnconfirmedError,
    is_neutral,
    lines,
    places,
    plain,
    rows_of,
    spoken,
    was_said,
    without_leave,
)

T = TypeVar("T")

#: What a table calls the column of an amendment's words.
_WORDS = frozenset(("amendment", "text", "words", "proposal", "change", "article", "law"))
#: All columns of such a table.
_COLUMNS = _WORDS | {"set", "#", "no", "no.", "number", "reason", "reasons", "why", "rationale"}

#: What shows that amendments stand outside of objects, too.
_OUTSIDE = re.compile(r"^\W*(?:(?i:amendment)\s*#?\s*\d+\W*(?:$|:)|\d+[.)])|\bSET\b", re.MULTILINE)


def objects_alone(answer: str, read: Callable[[str], T]) -> T:
    """Return what an answer says; words behind its objects, if any, are asked about.

    Where amendments are objects, nothing behind the last one is of any amendment.

    Raises:
        AnswerError: it cannot be read.
        UnconfirmedError: there are such words, and the same was not said before.
    """
    own, beside = _parted(answer)
    found = read(own)
    if beside and not was_said(found):
        raise UnconfirmedError(found, beside)
    return found


def _parted(answer: str) -> tuple[str, str]:
    """Return an answer without the words behind its objects, and these words; empty: none."""
    text = spoken(answer)
    found = [*places(text)] if "{" in text else []
    if not found:
        return answer, ""
    end = found[-1][2]
    end += len(text[end:]) - len(text[end:].lstrip(" \t\n]}"))
    behind = without_leave(lines(text[end:]))
    if not behind or _OUTSIDE.search(text[: found[0][1]]) or _OUTSIDE.search("\n".join(behind)):
        return answer, ""
    fence = "\n```" if text[:end].count("```") % 2 else ""
    return text[:end] + fence, " ".join(behind)


def with_sets(answer: str, names: Collection[str]) -> str:
    """Return an answer whose objects set numbers under ``set``, as they are asked for.

    ``{"text": "Lower it.", "tax_rate": 0.1}`` says ``{"text": "Lower it.", "set": {"tax_rate":
    0.1}}``.

    Args:
        answer: of a model.
        names: of the numbers that can be set.
    """
    if "{" not in answer:
        return _with_heads(answer) if "|" in answer else answer
    text = spoken(answer)
    parts, last = [], 0
    for found, start, end in places(text):
        changed = _asked(found, names)
        if changed != found:
            parts += [text[last:start], json.dumps(changed, ensure_ascii=False)]
            last = end
    return "".join([*parts, text[last:]]) if parts else answer


def _with_heads(answer: str) -> str:
    """Return an answer with heads and lines for a table that has a column for what is set."""
    said: list[str] = []
    number = 0
    for line, head, cells in rows_of(spoken(answer).split("\n")):
        names = [plain(one).lower() for one in head]
        if "set" not in names or len(names) != len(cells):
            said.append(line)
            continue
        unknown = [one for one in names if one not in _COLUMNS and not is_neutral(one)]
        if unknown:
            raise AnswerError(f"leave out the column {unknown[0][:40]!r}, which may limit a law")
        number += 1
        told = dict(zip(names, map(plain, cells), strict=True))
        words = [told[name] for name in names if name in _WORDS and told[name]]
        sets = told["set"].removeprefix("SET ")
        is_set = sets.strip(" -\u2013\u2014").lower() not in ("", "none", "n/a")
        said += [f"***Amendment{number}***", *words, *([f"SET {sets}"] if is_set else [])]
    return "\n".join(said)


def _asked(value: Any, names: Collection[str]) -> Any:
    """Return a value in which objects have the numbers that they set under ``set``."""
    if isinstance(value, list):
        return [_asked(one, names) for one in value]
    if not isinstance(value, dict):
        return value
    sets, others = {}, {}
    for key, inner in value.items():
        name = "_".join(str(key).lower().split())
        is_number = isinstance(inner, int | float | str) and not isinstance(inner, bool)
        if name in names and is_number:
            sets[name] = inner
        else:
            others[key] = inner if str(key).lower() == "set" else _asked(inner, names)
    if not sets or not others:
        return {**others, **sets}
    there = next((key for key in others if str(key).lower() == "set"), None)
    told = others.pop(there) if there is not None else {}
    return {**others, "set": {**(told if isinstance(told, dict) else {}), **sets}}
