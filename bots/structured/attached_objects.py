"""What is attached to an answer in its objects: keys that nobody asked for, or that label it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from typing import Any

from bots.structured.blocks import places
from bots.structured.framing import says_how_sure
from bots.structured.labels import called
from bots.structured.neutral import REASONS, is_harmless, is_neutral
from bots.structured.text import AnswerError
from bots.structured.values import is_nothing
from bots.structured.withdrawn import says_it_holds

#: Which one it is.
_NUMBERS = re.compile(r"(?:no\.?|nr\.?|number|id|index|n|#|title|round|hour|turn|step)")
_REMARKS = re.compile(r"(?:notes?|comments?|remarks?|description|details?|summary)")
_CAPITALS = re.compile(r"\b[A-Z]{3,}\b")
_NOBODY = "zzz"
_MOST_KEYS = 60


#: By each name of a field that is asked for, as it is compared, the usual one: of the object, and
#: of objects inside.
Asked = tuple[Mapping[str, str], Mapping[str, str]]


class Objects:
    """The objects of a line, or of lines."""

    def __init__(
        self,
        text: str,
        own: frozenset[str],
        same: Callable[[str], bool],
        is_free: bool = False,
        asked: Asked | None = None,
        has_notes: bool = False,
    ) -> None:
        """Take a text; ``same``: whether the same is read with another text in its place.

        ``asked``: see :data:`Asked`;
        ``has_notes``: whether reasons may stand in it, and other fields that nobody asked for,
        which are free words (:attr:`notes`).
        """
        self._has_notes = has_notes
        self.notes: list[str] = []
        self._text, self._own, self._same, self._is_free = text, own, same, is_free
        self._asked = asked or ({}, {})

    def check(self) -> None:
        """Look at all keys.

        Raises:
            AnswerError: one is not needed and could say something else, or only labels the answer
                with another word than its own; or one stands twice, and differently.
        """
        for _, start, end in places(self._text):
            refuse_twice(self._text[start:end])
        found = [value for value, _, _ in places(self._text)]
        for n, value in enumerate(found):
            if not self._is_same(found, n, value):
                continue  # it is written otherwise than JSON; its reader alone knows how
            if sum(1 for _ in _paths(value)) > _MOST_KEYS:
                continue
            left = value
            for path in [*_paths(value)]:
                left = self._without(found, n, left, path)

    def _without(self, found: list[Any], n: int, value: Any, path: list[Any]) -> Any:
        """Return an object without a key that adds nothing; refuse one that may say something."""
        *way, key = path
        shorter = deepcopy(value)
        inner = _at(shorter, way)
        if not isinstance(inner, dict) or key not in inner:
            return value
        told = inner.pop(key)
        if self._is_same(found, n, shorter):
            if self._is_asked(str(key), inner, is_inside=bool(way)):
                return value
            is_reason = bool(REASONS.fullmatch(called(str(key)))) and not is_nothing(str(told))
            if adds_nothing(called(str(key)), told, self._own, self._is_free) and (
                self._has_notes or not is_reason
            ):
                return shorter
            if self._has_notes and isinstance(told, str | int | float) and told is not True:
                self.notes.append(f"{key}: {told}")
            else:
                raise AnswerError(f'leave out "{str(key)[:30]}", which could say something else')
            return shorter
        renamed = deepcopy(value)
        inner = _at(renamed, way)
        items = [(_NOBODY if one == key else one, each) for one, each in inner.items()]
        inner.clear()
        inner.update(items)
        is_named = str(key).isdecimal() or is_neutral(str(key), self._own)
        if self._is_same(found, n, renamed) and not is_named:
            raise AnswerError(f'"{str(key)[:30]}" is no name of your answer; write it as asked')
        return value

    def _is_asked(self, key: str, others: Mapping[str, Any], *, is_inside: bool) -> bool:
        """Whether a key is a field that is asked for there, and no other key is the same field."""
        asked = self._asked[is_inside]
        usual = asked.get(called(key))
        return usual is not None and all(asked.get(called(str(o))) != usual for o in others)

    def _is_same(self, found: list[Any], n: int, value: Any) -> bool:
        parts, last = [], 0
        for m, (_, start, end) in enumerate(places(self._text)):
            told = value if m == n else found[m]
            parts += [self._text[last:start], json.dumps(told, ensure_ascii=False)]
            last = end
        return self._same("".join([*parts, self._text[last:]]))


def adds_nothing(
    name: str, value: Any, own: frozenset[str] = frozenset(), is_free: bool = False
) -> bool:
    """Whether a field that is not needed changes nothing: why, how sure, which one, or nothing."""
    if value in (None, "", [], {}) or (isinstance(value, str) and is_nothing(value)):
        return True
    if isinstance(value, bool):
        return says_it_holds(name) or (not value and name in own)
    if REASONS.fullmatch(name) or says_how_sure(name, value) or _NUMBERS.fullmatch(name):
        return True
    if isinstance(value, int):
        return 0 < value < _MOST_KEYS and name in own
    return isinstance(value, str) and _is_mere(name, value, own, is_free)


def _is_mere(name: str, text: str, own: frozenset[str], is_free: bool) -> bool:
    """Whether the words of a field say nothing beside the answer; of free words, a thought may."""
    if _REMARKS.fullmatch(name):
        return is_free or is_harmless(text)
    if not (is_neutral(name, own) or name in own):
        return False
    return not _CAPITALS.search(text) if is_free else is_neutral(text)


def refuse_twice(text: str) -> None:
    """Refuse JSON in which a key stands twice in an object, with different values.

    Raises:
        AnswerError: one does.
    """

    def made(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        known: dict[str, Any] = {}
        for key, value in pairs:
            if known.setdefault(key, value) != value:
                raise AnswerError(f'the answer says "{key[:30]}" twice, and differently')
        return known

    try:
        json.loads(text, object_pairs_hook=made, strict=False)
    except AnswerError:
        raise
    except (ValueError, RecursionError):
        return


def _paths(value: Any, way: tuple[Any, ...] = ()) -> Iterator[list[Any]]:
    """Yield the ways to all keys, outer ones first."""
    if len(way) > 6:
        return
    if isinstance(value, dict):
        for key, inner in value.items():
            yield [*way, key]
            yield from _paths(inner, (*way, key))
    elif isinstance(value, list):
        for n, inner in enumerate(value):
            yield from _paths(inner, (*way, n))


def _at(value: Any, way: list[Any]) -> Any:
    for one in way:
        try:
            value = value[one]
        except (KeyError, IndexError, TypeError):
            return None
    return value
