"""Reading the fields that were asked for, where nothing is attached that may say something else."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from typing import Any, TypeVar

from bots.structured.alone import alone
from bots.structured.fields import only_reading
from bots.structured.labels import Names, usual_names
from bots.structured.nested import Inside
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
    is_law = binds is True
    known, asked = {*own, *_words(names)}, usual_names(names)
    for field, parts in (inside or {}).items():
        known.update(_words(parts.names))
        asked = {**usual_names(parts.names), **asked}
        items = (*parts.names, *names[field], *(n for more in parts.names.values() for n in more))
        known.update(f"{name}{number}" for name in items for number in range(1, _MOST + 1))

    def reading(fields: dict[str, Any]) -> tuple[T, object]:
        thought = tuple(str(fields.get(name)) for name in thoughts)
        return read(fields), (thought, besides(fields))

    def whole_reading(text: str) -> tuple[T, object]:
        return only_reading(
            text, reading, names, inside=inside, whole=whole, sees_others=not is_law
        )

    called = "|".join(map(re.escape, (*names, *(n for more in names.values() for n in more))))
    beside = caseless(rf"\W*(?:{called})\W*[:=]\W*{_NOTHING}\W*|{_NUMBER}")
    value, _ = alone(
        answer,
        whole_reading,
        known,
        beside=beside,
        binds=is_law or (lambda found: callable(binds) and binds(found[0])),
        asked=asked,
        compared=lambda found: told(found[0]),
    )
    return value


def _words(names: Names) -> Iterator[str]:
    """Yield the names of fields as one word, and the words of each."""
    for name in (one for usual, more in names.items() for one in (usual, *more)):
        yield name.casefold()
        yield re.sub(r"[\W_]", "", name.casefold())
        yield from re.findall(r"[^\W\d_]+|\d+", name.casefold())
