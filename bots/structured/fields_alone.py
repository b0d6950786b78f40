"""Reading the fields that were asked for, where nothing is attached that may say something else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from typing import Any, TypeVar

from bots.structured.alone import alone
from bots.structured.fields import only_reading
from bots.structured.labels import Names, called, usual_names
from bots.structured.nested import Inside, Parts
from bots.structured.text import AnswerError
from records.text import caseless

T = TypeVar("T")
#: Items of a list that a heading may count: ``### Claim 2``.
_MOST = 12
#: The number of such an item, where a heading ends with it, or a list without items.
_NUMBER = r"#?\d{1,2}[.:)]?|\[\s*\]"
#: What a field holds that holds nothing.
_NOTHING = r"(?:none|null|nothing|n/?a|no|empty|nil|keine?|ninguno|aucune?|nessuno|[-\u2013\u2014])"


def fields_alone(
    answer: str,
    read: Callable[[dict[str, Any]], T],
    names: Names,
    *,
    inside: Inside | None = None,
    whole: Collection[str] = (),
    own: Collection[str] = (),
    thoughts: Collection[str] = ("reasoning",),
    besides: Callable[[dict[str, Any]], object] = lambda _: None,
    told: Callable[[T], object] = lambda found: found,
    binds: bool | Callable[[T], bool] = False,
) -> T:
    """Return what an answer says in its fields; see :func:`bots.structured.only_reading`.

    Args:
        answer: of a model.
        read: reads the fields.
        names: of the fields.
        inside: the fields that hold objects, or lists of them.
        whole: the fields to which all lines below belong up to the next field.
        own: other words that are neutral in labels, headings and keys, in small letters.
        thoughts: the fields in which anything may be said, whatever ``read`` takes of them.
        besides: what is told in fields besides, that may be left out.
        told: what of it is the same where it is said again in other words.
        binds: whether no free words stand beside or behind it; see :func:`bots.structured.alone`.

    Raises:
        AnswerError: see :func:`bots.structured.only_reading`, or something is attached to it
            that may say something else (:mod:`bots.structured.attached`).
    """
    known, within = {*own, *_words(names)}, dict[str, str]()
    for field, parts in (inside or {}).items():
        known.update(_words(parts.names), _counted(field, parts, names))
        within |= usual_names(parts.names)

    def reading(fields: dict[str, Any]) -> tuple[T, object]:
        thought = tuple(str(fields.get(name)) for name in thoughts)
        return read(fields), (thought, besides(fields))

    def whole_reading(text: str) -> tuple[T, object]:
        return only_reading(
            text, reading, names, inside=inside, whole=whole, sees_others=binds is not True
        )

    if _holds_only(answer, names, inside or {}):  # nothing is attached to it
        with suppress(AnswerError):
            return whole_reading(answer)[0]
    either = "|".join(map(re.escape, (*names, *(n for more in names.values() for n in more))))
    beside = caseless(rf"\W*(?:{either})\W*[:=]\W*{_NOTHING}\W*|{_NUMBER}")
    value, _ = alone(
        answer,
        whole_reading,
        known,
        beside=beside,
        binds=(lambda found: binds(found[0])) if callable(binds) else binds,
        asked=(usual_names(names), within),
        compared=lambda found: told(found[0]),
    )
    return value


def _holds_only(answer: str, names: Names, inside: Inside) -> bool:
    """Whether an answer is one object of JSON with no field but those asked for, once each."""
    text = answer.strip()
    if text[:1] != "{" or text[-1:] != "}":
        return False
    try:
        found = json.loads(text, object_pairs_hook=_once)
    except (ValueError, RecursionError):
        return False
    return _are_asked(found, names) and all(
        _is_asked(value, inside.get(name)) for name, value in _usually(found, names)
    )


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return pairs as an object.

    Raises:
        ValueError: two have one name.
    """
    if len({called(key) for key, _ in pairs}) < len(pairs):
        raise ValueError("a field stands twice")
    return dict(pairs)


def _usually(found: dict[str, Any], names: Names) -> Iterator[tuple[str, Any]]:
    usual = usual_names(names)
    yield from ((usual[called(key)], value) for key, value in found.items())


def _are_asked(found: dict[str, Any], names: Names) -> bool:
    usual = [usual_names(names).get(called(key)) for key in found]
    return None not in usual and len({*usual}) == len(usual)


def _is_asked(value: Any, parts: Parts | None) -> bool:
    """Whether a field's value holds no objects, or such as are asked for there."""
    if isinstance(value, list):
        return all(_is_asked(one, parts) for one in value)
    if not isinstance(value, dict):
        return True
    plain = not any(isinstance(one, dict | list) for one in value.values())
    return parts is not None and plain and _are_asked(value, parts.names)


def _counted(field: str, parts: Parts, names: Names) -> Iterator[str]:
    """Yield what items of a list may be called with their numbers, as one word."""
    names_of = (*parts.names, *names[field], *(n for more in parts.names.values() for n in more))
    yield from (f"{name}{number}" for name in names_of for number in range(1, _MOST + 1))


def _words(names: Names) -> Iterator[str]:
    """Yield the names of fields as one word, and the words of each."""
    for name in (one for usual, more in names.items() for one in (usual, *more)):
        yield name.casefold()
        yield re.sub(r"[\W_]", "", name.casefold())
        yield from re.findall(r"[^\W\d_]+|\d+", name.casefold())
