"""Messages of negotiators in other forms than the one that is asked for: objects, elements, words.

``{"message": "…"}``, ``<message>…</message>`` and ``**Message:** …`` say the same as
``[message] …``. The tags that are asked for win: where there is one, nothing else is one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from bots.structured import AnswerError, places, plain, says_how_sure, spoken
from judge.contract_titles import has_element, names_contract
from judge.message_tags import (
    ACCEPT,
    CLAUSES,
    CONTRACT,
    ENDS_BEFORE,
    ENDS_BEHIND,
    MESSAGE,
    NAMES,
    TAG,
    TERM_NAMES,
    THINKING,
    THOUGHT_NAMES,
)
from records.text import caseless

#: A part's element: it begins, ends, or is both at once.
_ELEMENT = caseless(rf"<(?P<ends>/?)\s*(?P<name>{NAMES})\s*(?P<alone>/?)>")
_WORD = re.compile(
    rf"^[ \t]*(?P<heading>#{{1,6}}[ \t]+)?[*_]*(?P<name>{THOUGHT_NAMES}|{MESSAGE}|{TERM_NAMES})"
    rf"(?P<end>{ENDS_BEHIND})?(?:[*_]*:[*_]*|[*_]+[ \t]*$|(?(heading)[ \t]*$|(?!)))[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_TERMS = f"(?:{TERM_NAMES})"
_PARTS = f"(?:{THOUGHT_NAMES}|{MESSAGE}|{TERM_NAMES})"
_END = rf"\s*(?:{ENDS_BEFORE})"
#: Where a part of a message begins or ends within a line, and nobody quotes it: a thought or a
#: message; a contract or clauses that also end in this line, that begin at its end, or that end.
_WITHIN = (
    rf"(?<=\S)\s+(?=\[\s*(?:{THOUGHT_NAMES}|(?P<message>{MESSAGE}))\s*\](?![\"'`]))",
    rf"(?<=\S)\s+(?=\[\s*(?P<part>{TERM_NAMES})\s*\](?![\"'`])"
    rf".*\[(?:\s*(?P=part){ENDS_BEHIND}|{_END}(?P=part))\s*\])",
    rf"(?<=[\w.!?:;,)\"'])\s*(?=\[(?:{_END})?\s*{_TERMS}(?:{ENDS_BEHIND})?\s*\]\W*$)",
    rf"(?<=[\w.!?:;,)\"'])\s*(?=\[(?:{_END}{_PARTS}|\s*{_PARTS}{ENDS_BEHIND})\s*\])",
)
#: Longer lines are no line of a negotiator's.
LONGEST_SPLIT = 10_000
_LETTER = re.compile(r"[^\W\d_]")
_SPLITS = caseless("|".join(_WITHIN))
#: What in a public part may be no part of it: a thought in words, and a contract in words or within
#: a line.
_THOUGHT = rf"(?:inner |private |my )?+(?:{THOUGHT_NAMES}|reasoning)\b"
_THINKS = caseless(
    rf"^[\s>#*_-]*+(?:inner |private )?+(?:{THOUGHT_NAMES}|reasoning)(?: process)?[*_]*+\s*+:"
    rf"|(?:&lt;|[\[\uff3b\u3010<{{`])[\s\"'/]*+{_THOUGHT}|\(\s*+{_THOUGHT}\s*+:"
)
_TITLED = caseless(
    rf"^\s*(?:#{{1,6}}\s+|[*_]{{2}})[*_]*{_TERMS}(?:{ENDS_BEHIND})?[*_]*\s*:?[*_]*\s*$"
    rf"|^\s*[*_]{{2}}{_TERMS}(?::[*_]{{2}}|[*_]{{2}}\s*:)"
)
_INSIDE = caseless(rf"(?<=\S)\s+\[\s*{_TERMS}\s*\](?![\"'`])")
#: What is said of accepting, as a field or an element.
_ACCEPTS = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+)?(?:#{1,6}[ \t]+)?[*_]*(?:\[accept\]|accepts?(?:[*_]*[ \t]*:))[*_ \t]*"
    r"(?P<said>true|yes|accepted|false|no|none|n/a)\b[*_ \t.!]*$",
    re.IGNORECASE | re.MULTILINE,
)
_FENCE_ALONE = re.compile(r"^[ \t]*(?:```|~~~)(?:json)?[ \t]*$", re.MULTILINE)
_ACCEPTANCE = ("accept", "accepts", "accepted")
#: What may be a field's name.
_KEY = re.compile(r"[\"\']([^\"\'\n]{1,60})[\"\']\s*:")
#: Fields that nobody else is told.
_THOUGHT_KEYS = (
    rf"(?:(?:inner|private|internal|my|hidden)[_ ]?)?(?:{THOUGHT_NAMES}|reasoning|rationale"
    r"|analysis|scratchpad|monologue|chain[_ ]of[_ ]thoughts?)"
)
_THOUGHT_KEY = caseless(_THOUGHT_KEYS)
_AGREEING_NAME = caseless(r"accept|agree(?!ment)|reject")
#: Fields of what somebody does, and what they say of a proposal or an acceptance.
_DOES = ("action", "decision", "move", "type", "response", "choice", "answer", "intent")
_ACCEPTS_SO = caseless(r"\W*+(?:i |to )?(?:accept|agree)\w*+\W*+(?:\w++\W*+){0,3}")
_PROPOSES_SO = caseless(
    r"\W*(?:i |to )?(?:(?:re)?propos|offer|counter|negotiat)\w*+\W*+(?:\w++\W*+){0,3}"
)
_PART_NAME = caseless(rf"{_THOUGHT_KEYS}|{MESSAGE}|{TERM_NAMES}|accept(?:s|ed)?")
#: Of other fields, what says nothing.
_EMPTY: tuple[object, ...] = (None, "", [], {})
#: A thought under its label or heading at the beginning of a message, up to the message's tag.
_MESSAGE = caseless(r"\[\s*message\s*\]")
_LABELLED = re.compile(
    r"\s*(?:#{1,6}\s+|\*\*)?(?:my )?(?:thinking|thoughts?|reasoning|analysis)"
    r"(?:\s*:\s*|\s*:?\*\*:?\s*|\s*\n)(?P<thought>[^\[\]]{1,4000}?)"
    r"(?:\n\s*(?:#{1,6}\s+|\*\*)(?:message|answer)[:*]*)?\n\s*(?=[*_]*\[\s*message\s*\])",
    re.IGNORECASE,
)
_YES = ("true", "yes", "accepted", "1")
_NOT = ("false", "no", "none", "n/a", "0")


def in_tags(answer: str) -> str:
    """Return a message with the tags that are asked for, whatever form it is in."""
    text = spoken(answer)
    if TAG.search(text):
        return _with_thought(text)
    objects = list(places(text))
    written = [said for one, _, _ in objects if (said := _object_in_tags(one))]
    if written:
        is_bound = any(map(_accepts, (_fields(one) for one, _, _ in objects)))
        before, behind = _unwritten(text, objects) if is_bound else ("", [])
        return "\n".join([before, *written, *behind])
    if _ELEMENT.search(text):
        if has_element(text):
            raise AnswerError("a contract stands in <contract>, and in no other element")
        return _acceptances(_without_elements(text))
    text = _acceptances(text)
    return _WORD.sub(lambda word: f"[{word['name'].lower()}{(word['end'] or '').lower()}] ", text)


def _with_thought(text: str) -> str:
    """Return a message in whose tags what stands first under a thought's label is a thought.

    It ends where the only ``[message]`` begins a line, so that all that is said is below that.
    """
    found = _LABELLED.match(text)
    if found is None or len(_MESSAGE.findall(text)) != 1:
        return text
    return f"[thinking] {found['thought'].strip(' *:')}\n[thinking end]\n{text[found.end() :]}"


def _without_elements(text: str) -> str:
    """Return a text with tags in the place of the elements that stand in no other.

    What stands within one is its text: nobody accepts within a message, or within a thought.
    """
    parts, last, inside = [], 0, ""
    for mark in _ELEMENT.finditer(text):
        name, ends = mark["name"].lower(), bool(mark["ends"])
        if name == ACCEPT and inside and inside != ACCEPT:
            continue
        is_term = name in (CONTRACT, CLAUSES)
        if ends and (is_term or name == inside):
            inside = "" if name == inside else inside
            tag = f"\n[{name} end]\n" if is_term or name != ACCEPT else "\n"
        elif not ends and (not inside or is_term):
            inside = inside if mark["alone"] else name
            tag = f"\n[{name}] "
        else:
            continue
        parts += [text[last : mark.start()], tag]
        last = mark.end()
    return "".join([*parts, text[last:]])


def _acceptances(text: str) -> str:
    """Return a text with ``Accept: yes`` as the tag, and without ``Accept: no``.

    Raises:
        AnswerError: it says both.
    """
    found = _ACCEPTS.sub(lambda line: "[accept]" if line["said"].lower() in _YES else "", text)
    if ACCEPT in _tags(found) and any(
        line["said"].lower() not in _YES for line in _ACCEPTS.finditer(text)
    ):
        raise AnswerError("accept is said twice, once yes and once no")
    return found


def _tags(text: str) -> set[str]:
    return {found["name"].lower() for found in TAG.finditer(text)}


def _fields(found: Mapping[str, Any]) -> dict[str, Any]:
    """Return an object's fields by their usual names."""
    return {_name(str(key)): value for key, value in found.items()}


def _name(key: str) -> str:
    return key.strip(" []").lower()


def _unwritten(
    text: str, objects: Sequence[tuple[dict[str, Any], int, int]]
) -> tuple[str, list[str]]:
    """Return what an answer says before objects that accept, and what it says behind them or in
    fields that are no part of a message: nobody is bound by an object that words quote or limit.

    Raises:
        AnswerError: one of the objects accepts and another does not, or one does both.
    """
    at, behind = objects[0][1], list[str]()
    for found, start, end in objects:
        fields = _fields(found)
        if not _accepts(fields) and any(name in fields for name in _ACCEPTANCE):
            raise AnswerError('"accept" is said twice, once true and once false')
        keys = Counter(_name(key) for key in _KEY.findall(text[start:end]))
        twice = next((name for name in fields if keys[name] > 1), None)
        if twice is not None:
            raise AnswerError(f'"{twice[:40]}" is said twice in an answer with "accept"')
        others = [
            (key, value)
            for key, value in fields.items()
            if not (_PART_NAME.fullmatch(key) or says_how_sure(key, value))
        ]
        behind += [
            text[at:start],
            *(f"{key}: {value}" for key, value in others if value not in _EMPTY),
        ]
        at = end
    behind.append(text[at:])
    return _without_fences(text[: objects[0][1]]), [
        one for one in map(_without_fences, behind) if one
    ]


def _without_fences(text: str) -> str:
    return _FENCE_ALONE.sub("", text).strip()


def _object_in_tags(found: Mapping[str, Any]) -> str:
    """Return a message's object in tags; empty: it has no field of a message."""
    fields = _fields(found)
    thoughts = [value for key, value in fields.items() if _THOUGHT_KEY.fullmatch(key)]
    thought = "\n".join(filter(None, map(_words, thoughts)))
    message = _words(fields.get(MESSAGE))
    parts = [f"[{THINKING}] {thought}\n[{THINKING} end]"] if thought else []
    parts += [f"[{MESSAGE}] {message}"] if message else []
    _check_names(fields)
    contract, clauses = _words(fields.get("contract")), _words(fields.get("clauses"))
    if contract or clauses:
        formal = [f"[clauses]\n{clauses}\n[clauses end]"] if clauses else []
        parts.append("\n".join(["[contract]", contract, *formal, "[contract end]"]))
    if _accepts(fields):
        parts.append("[accept]")
    return "\n".join(parts)


def _check_names(fields: Mapping[str, Any]) -> None:
    """Check that no field of a message's object is a contract or an acceptance by another name.

    Raises:
        AnswerError: one is.
    """
    others = {key: value for key, value in fields.items() if not _PART_NAME.fullmatch(key)}
    for key, value in others.items():
        if value and names_contract(key):
            if isinstance(value, bool) or _AGREEING_NAME.search(key):
                raise AnswerError(f'to agree, write "accept": true, and no "{key[:40]}"')
            raise AnswerError(f'a contract stands in the field "contract", not in "{key[:40]}"')
    done = [str(value) for key, value in others.items() if key in _DOES]
    if any(map(_ACCEPTS_SO.fullmatch, done)) and not any(n in fields for n in _ACCEPTANCE):
        raise AnswerError('to agree to the proposal that stands, write "accept": true')
    if any(map(_PROPOSES_SO.fullmatch, done)) and not (fields.keys() & {CONTRACT, CLAUSES}):
        raise AnswerError('to propose a contract, write it in the field "contract"')


def _accepts(fields: Mapping[str, Any]) -> bool:
    """Return whether a message's object accepts.

    Raises:
        AnswerError: it has a field for it that says neither yes nor no, or a contract in parts.
    """
    if isinstance(fields.get("contract"), dict):
        raise AnswerError('"contract" is a text, and "clauses" a field beside it')
    told = [fields[name] for name in _ACCEPTANCE if name in fields]
    said = {"" if one is None else str(one).strip(" .!").lower() for one in told}
    if said - {*_YES, *_NOT, ""} or (said & {*_YES} and said & {*_NOT}):
        raise AnswerError('"accept" is true or false')
    return bool(said & {*_YES})


def _words(value: object) -> str:
    """Return a field's text; of a list, a numbered line for each item."""
    if not isinstance(value, list):
        return "" if value is None or isinstance(value, bool) else str(value).strip()
    said = [str(item).strip() for item in value]
    is_numbered = all(re.match(r"\d+[.)]", item) for item in said)
    return "\n".join(said if is_numbered else (f"{n}. {one}" for n, one in enumerate(said, 1)))


def split(line: str, has_message: bool = False) -> list[str]:
    """Return a line as several, where parts of a message begin or end within it.

    ``has_message``: the message begins a line of its own, so that none begins within one.
    """
    if len(line) > LONGEST_SPLIT:
        return [line]
    at, parts = 0, []
    for gap in _SPLITS.finditer(line):
        if not _LETTER.search(line[at : gap.start()]):
            continue  # a bullet or a number
        if gap["message"] and has_message:
            continue
        parts.append(line[at : gap.start()])
        at = gap.end()
    return [part for part in (*parts, line[at:]) if part.strip()] or [line]


def refuse_hidden(line: str) -> None:
    """Refuse a line of a public part that may be another part: nobody's thoughts are told.

    Raises:
        AnswerError: it is called a thought, or a contract.
    """
    if _THINKS.search(line):
        raise AnswerError("a thought begins with [thinking] in brackets, before the message")
    if _TITLED.match(line) or _INSIDE.search(plain(line)):
        raise AnswerError("write [contract] and [contract end] in brackets, on lines of their own")
