"""Reading fields: what an answer says in lines ``NAME: value`` instead of a JSON object."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

from bots.structured.blocks import read_objects
from bots.structured.framing import bare
from bots.structured.labels import Labels, Names, called, usual_names
from bots.structured.nested import Inside, shaped
from bots.structured.others import refuse_others
from bots.structured.outline import Outline
from bots.structured.reading import is_frame, is_remark, without_leave
from bots.structured.text import AnswerError, plain
from bots.structured.unboxing import unboxed

T = TypeVar("T")
_HEADING = re.compile(r"^\s*(?:>\s*)*#{1,6}\s")


def said_fields(answer: str, names: Names) -> list[tuple[str, str]]:
    """Return the fields that an answer's lines name, in their order, as pairs of name and text.

    A field's text goes on to the next field, heading or remark on the answer. What takes leave at
    the end is in none, nor is what a line quotes (``> …``).
    """
    labels = Labels.of(names)
    found: list[tuple[str, list[str]]] = []
    is_open = False
    for line in _lines(answer):
        is_other = bool(_HEADING.match(line)) or is_remark(plain(line))
        for text in labels.split(plain(line)):
            begins = labels.begins(text)
            if begins is not None:
                found.append((begins[0], [begins[1]]))
                is_open = True
            elif is_other:
                is_open = False
            elif is_open:
                found[-1][1].append(text)
    return [(name, _text(said)) for name, said in found]


def beside_fields(answer: str, names: Names) -> list[str]:
    """Return the lines behind the first field of an answer that belong to none of its fields.

    A field ends with an empty line below its text, so that a paragraph behind it is none of it.
    """
    labels = Labels.of(names)
    beside: list[str] = []
    is_begun = is_open = has_text = False
    for line in unboxed(answer).splitlines():
        said = plain(line)
        begins = [one for text in labels.split(said) if (one := labels.begins(text)) is not None]
        if begins:
            is_begun = is_open = True
            has_text = bool(begins[-1][1])
        elif not said:
            is_open = is_open and not has_text
        elif is_begun and (not is_open or _HEADING.match(line) or is_remark(said)):
            is_open = False
            if not line.lstrip().startswith(">"):
                beside.append(line)
        else:
            has_text = True
    return beside


def _lines(answer: str) -> list[str]:
    """Return the lines of an answer as they are, but for fences, quotations and its leave."""
    said = (line for line in unboxed(answer).splitlines() if not line.lstrip().startswith(">"))
    raw = [line for line in said if bare(line) and not is_frame(line)]
    return raw[: len(without_leave([plain(line) for line in raw]))]


def _text(said: Sequence[str]) -> str:
    text = "\n".join(line for line in said if line).strip(" \t\n,;|")
    if text.endswith("}") and text.count("}") > text.count("{"):  # of an object that is none
        text = text[:-1].rstrip()
    return text[1:-1] if text[:1] == text[-1:] == '"' and len(text) > 1 else text


def as_object(answer: str, names: Names) -> dict[str, Any]:
    """Return the fields that an answer's lines name as an object, each a text.

    Raises:
        AnswerError: there is none, or one is said twice in different words.
    """
    fields: dict[str, Any] = {}
    for name, text in said_fields(answer, names):
        if text and fields.get(name) and fields[name].casefold() != text.casefold():
            raise AnswerError(f'the answer says "{name}" twice, and differently; say it once')
        fields[name] = fields.get(name) or text
    if not fields:
        raise AnswerError("the answer is not a JSON object")
    return fields


def only_reading(
    answer: str,
    read: Callable[[dict[str, Any]], T],
    names: Names,
    in_lines: Callable[[str], dict[str, Any]] | None = None,
    inside: Inside | None = None,
    whole: Collection[str] = (),
    *,
    sees_others: bool = False,
) -> T:
    """Return what an answer's JSON object says, or what its lines say for one.

    Objects that say nothing are passed over. Lines count where no object has a field that was asked
    for: ``**Success:** no`` says the same as ``{"success": "no"}``.

    Args:
        answer: of a model.
        read: raises ``AnswerError`` for an object that is not what was asked for. Fields have the
            names that were asked for, whatever the answer calls them.
        names: of the fields.
        in_lines: turns lines into an object; by default a field is a text.
        inside: the fields that hold objects, or lists of them; ``read`` gets these under the usual
            names of their fields, however they are written.
        whole: the fields to which all lines below belong up to the next field: a remark or a
            heading among them could limit what they say. For answers with ``inside``.
        sees_others: whether ``read`` sees to the fields that were not asked for; else an object has
            none that could say something else (:mod:`bots.structured.others`).

    Raises:
        AnswerError: there is none, or there are several that say different things.
    """
    usual = usual_names(names)
    outline = Outline(answer, names, inside, whole) if inside else None
    objects = _unboxed(outline.objects() if outline else _objects(answer), usual)
    objects = (one for one in objects if not (outline and outline.is_item(one)))
    attempts = [one for one in map(partial(_renamed, usual=usual), objects) if one]
    if not attempts and outline:
        return read(shaped(outline.whole(), inside or {}, sees_others=sees_others))
    if not attempts:
        return read(in_lines(answer) if in_lines else as_object(answer, names))

    def reading(one: dict[str, Any]) -> T:
        refuse_others(one, names, sees_others=sees_others)
        return read(shaped(one, inside or {}, sees_others=sees_others))

    return _the_one(attempts, reading)


def _the_one(found: Iterable[dict[str, Any]], read: Callable[[dict[str, Any]], T]) -> T:
    """Return what those of some objects that can be read say, which is the same."""
    readings: list[T] = []
    problem: AnswerError | None = None
    for one in found:
        try:
            reading = read(one)
        except AnswerError as error:
            problem = error
            continue
        if reading not in readings:
            readings.append(reading)
    if len(readings) > 1:
        raise AnswerError("the answer holds several objects that differ; write exactly one")
    if readings:
        return readings[0]
    assert problem is not None
    raise problem


def _objects(answer: str) -> list[dict[str, Any]]:
    try:
        return read_objects(answer)
    except AnswerError:
        return []


def _unboxed(found: Iterable[dict[str, Any]], usual: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield objects; of one that is only the box of another, the inner one."""
    for one in found:
        inner = next(iter(one.values()), None) if len(one) == 1 else None
        is_box = isinstance(inner, dict) and not _renamed(one, usual)
        yield inner if is_box and isinstance(inner, dict) else one


def _renamed(found: Mapping[str, Any], usual: Mapping[str, str]) -> dict[str, Any]:
    """Return an object with the usual names of its fields, in order; empty: it has none of them."""
    renamed, is_asked = dict[str, Any](), False
    for key, value in found.items():
        name = usual.get(called(str(key)))
        is_asked = is_asked or name is not None
        if name is None:
            renamed[str(key)] = value
        elif renamed.setdefault(name, value) != value:
            raise AnswerError(f'the answer says "{name}" twice, and differently')
    return renamed if is_asked else {}
