"""Messages of negotiators in other forms than the one that is asked for: objects, elements, words.

``{"message": "…"}``, ``<message>…</message>`` and ``**Message:** …`` say the same as
``[message] …``. The tags that are asked for win: where there is one, nothing else is one.
"""

from __future__ import annotations

import re
from typing import Any

from bots.structured import AnswerError, plain, read_objects, spoken

_NAMES = "thinking|thoughts?|think|message|contract|clauses|accept"
_TAGGED = re.compile(rf"\[\s*(?:/|end[ _](?:of[ _])?)?(?:{_NAMES})(?:[ _]end)?\s*\]", re.IGNORECASE)
_BEGINS = re.compile(rf"<({_NAMES})>|<(accept)\s*/>", re.IGNORECASE)
_ENDS = re.compile(r"</(contract|clauses)>", re.IGNORECASE)
_OTHER_ENDS = re.compile(r"</(?:thinking|thought|message|accept)>", re.IGNORECASE)
_WORD = re.compile(
    r"^[ \t]*(?P<heading>#{1,6}[ \t]+)?[*_]*(?P<name>thinking|thoughts?|message|contract|clauses)"
    r"(?P<end>[ _]end)?(?:[*_]*:[*_]*|[*_]+[ \t]*$|(?(heading)[ \t]*$|(?!)))[ \t]*",
    re.IGNORECASE | re.MULTILINE,
)
_TERMS = "(?:contract|clauses)"
_END = r"\s*(?:/|end[ _](?:of[ _])?)"
#: Where a part of a message begins or ends within a line, and nobody quotes it: a thought or a
#: message; a contract or clauses that also end in this line, that begin at its end, or that end.
_WITHIN = (
    r"(?<=\S)\s+(?=\[\s*(?:thinking|thoughts?|think|(?P<message>message))\s*\](?![\"'`]))",
    r"(?<=\S)\s+(?=\[\s*(?P<part>contract|clauses)\s*\](?![\"'`])"
    rf".*\[(?:\s*(?P=part)[ _]end|{_END}(?P=part))\s*\])",
    rf"(?<=[\w.!?:;,)\"'])\s*(?=\[(?:{_END})?\s*{_TERMS}(?:[ _]end)?\s*\]\W*$)",
    rf"(?<=[\w.!?:;,)\"'])\s*(?=\[(?:{_END}{_TERMS}|\s*{_TERMS}[ _]end)\s*\])",
)
#: Longer lines are no line of a negotiator's.
LONGEST_SPLIT = 10_000
_LETTER = re.compile(r"[^\W\d_]")
_SPLITS = re.compile("|".join(_WITHIN), re.IGNORECASE)
#: What in a public part may be no part of it: a thought in words, and a contract in words or within
#: a line.
_THOUGHT = r"(?:inner |private |my )?+(?:thinking|thoughts?|think|reasoning)\b"
_THINKS = re.compile(
    r"^[\s>#*_-]*+(?:inner |private )?+(?:thinking|thoughts?|reasoning)(?: process)?[*_]*+\s*+:"
    rf"|(?:&lt;|[\[\uff3b\u3010<{{`])[\s\"'/]*+{_THOUGHT}|\(\s*+{_THOUGHT}\s*+:",
    re.IGNORECASE,
)
_TITLED = re.compile(
    r"^\s*(?:#{1,6}\s+|[*_]{2})[*_]*(?:contract|clauses)(?:[ _]end)?[*_]*\s*:?[*_]*\s*$"
    r"|^\s*[*_]{2}(?:contract|clauses)(?::[*_]{2}|[*_]{2}\s*:)",
    re.IGNORECASE,
)
_INSIDE = re.compile(r"(?<=\S)\s+\[\s*(?:contract|clauses)\s*\](?![\"'`])", re.IGNORECASE)
#: What is said of accepting, as a field or an element.
_ACCEPTS = re.compile(
    r"^[ \t]*(?:[-*+][ \t]+)?(?:#{1,6}[ \t]+)?[*_]*(?:\[accept\]|accepts?(?:[*_]*[ \t]*:))[*_ \t]*"
    r"(?P<said>true|yes|accepted|false|no|none|n/a)\b[*_ \t.!]*$",
    re.IGNORECASE | re.MULTILINE,
)
_YES = ("true", "yes", "accepted", "1")
_NOT = ("false", "no", "none", "n/a", "0")


def in_tags(answer: str) -> str:
    """Return a message with the tags that are asked for, whatever form it is in."""
    text = spoken(answer)
    if _TAGGED.search(text):
        return text
    try:
        found = read_objects(answer)
    except AnswerError:
        found = []
    written = [said for one in found if (said := _object_in_tags(one))]
    if written:
        return "\n".join(written)
    if _BEGINS.search(text):
        text = _BEGINS.sub(lambda tag: f"\n[{(tag[1] or tag[2]).lower()}] ", text)
        return _acceptances(_OTHER_ENDS.sub("\n", _ENDS.sub(r"\n[\1 end]\n", text)))
    text = _acceptances(text)
    return _WORD.sub(lambda word: f"[{word['name'].lower()}{(word['end'] or '').lower()}] ", text)


def _acceptances(text: str) -> str:
    """Return a text with ``Accept: yes`` as the tag, and without ``Accept: no``."""
    return _ACCEPTS.sub(lambda line: "[accept]" if line["said"].lower() in _YES else "", text)


def _object_in_tags(found: dict[str, Any]) -> str:
    """Return a message's object in tags; empty: it has no field of a message."""
    fields = {str(key).strip(" []").lower(): value for key, value in found.items()}
    parts = [
        f"[{name}] {_words(fields[name])}"
        for name in ("thinking", "thought", "message")
        if _words(fields.get(name))
    ]
    contract, clauses = _words(fields.get("contract")), _words(fields.get("clauses"))
    if contract or clauses:
        formal = [f"[clauses]\n{clauses}\n[clauses end]"] if clauses else []
        parts.append("\n".join(["[contract]", contract, *formal, "[contract end]"]))
    if _accepts(fields):
        parts.append("[accept]")
    return "\n".join(parts)


def _accepts(fields: dict[str, Any]) -> bool:
    """Return whether a message's object accepts.

    Raises:
        AnswerError: it has a field for it that says neither yes nor no, or a contract in parts.
    """
    if isinstance(fields.get("contract"), dict):
        raise AnswerError('"contract" is a text, and "clauses" a field beside it')
    told = [fields[name] for name in ("accept", "accepts", "accepted") if name in fields]
    said = {"" if one is None else str(one).strip(" .!").lower() for one in told}
    if said - {*_YES, *_NOT, ""}:
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
