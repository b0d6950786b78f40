"""What the parts of a decision say: its lines ACTION, ABOUT and EXPECT, or an object's fields.

All three are labelled alike: ``EXPECT: …``, ``EXPECTS: …``, ``**EXPECT** …``, ``EXPECT → …``.
"""

from __future__ import annotations

import re
from functools import lru_cache

from bots.agents.piano.expecting import EXPECT
from bots.structured import REMEMBERED, AnswerError, read_objects, tagged

ACTION, ABOUT = "ACTION", "ABOUT"
#: What a decision says, a line each.
TAGS = (ACTION, ABOUT, EXPECT)
#: A label as models write it at the start of a line: with a mark behind it, or in capitals alone.
_FORM = rf"(?P<tag>{ACTION}|{ABOUT}|{EXPECT}(?:S|ED|ATIONS?)?)"
_LABELS = re.compile(
    rf"^(?P<before>(?:[ \t>*_`#-]|\d+[.)])*){_FORM}[*_`\"']*"
    r"(?:[ \t]*(?::|=>?|->|\u2192|\u21d2|[\u2013\u2014-](?!\w))[*_`\"']*[ \t]*"
    r"|(?P<bare>[ \t]+)(?=\S))",
    re.IGNORECASE | re.MULTILINE,
)
#: How models call what follows a verb, in answers of JSON.
_ARGUMENTS = ("argument", "arguments", "target", "place", "person", "somebody", "share", "amount")
#: How they call the verb where the action is an object of its own.
_VERB_FIELDS = ("VERB", "NAME", "TYPE", "KIND", "DECISION")


def _label(found: re.Match[str]) -> str:
    """Return a label as the prompt has it; other words that begin a line as they are."""
    if found["bare"] is not None and not found["tag"].isupper():
        return found[0]
    return f"{found['before']}{_tag(found['tag'])}: "


def _tag(name: str) -> str:
    """Return which of the tags a name is, however it ends; else the name."""
    whole = re.fullmatch(_FORM, name.upper())
    return next(tag for tag in TAGS if name.upper().startswith(tag)) if whole else name


@lru_cache(REMEMBERED)
def expected_in(answer: str) -> tuple[str, ...]:
    """Return what stands behind EXPECT in an answer, all of it that says anything."""
    return tuple([value for tag, value in said_in(answer) if tag == EXPECT and value])


@lru_cache(REMEMBERED)
def said_in(answer: str) -> tuple[tuple[str, str], ...]:
    """Return the tags and values of an answer."""
    return tuple(_from_object(answer) or tagged(_LABELS.sub(_label, answer), TAGS))


def _from_object(answer: str) -> list[tuple[str, str]]:
    """Return the tags and values of an answer that is a JSON object instead of lines."""
    try:
        found = read_objects(answer)[-1]
    except AnswerError:
        return []
    inner = next(iter(found.values()), None)
    if len(found) == 1 and isinstance(inner, dict):
        found = inner
    fields = {str(key).upper(): value for key, value in found.items() if value is not None}
    if isinstance(fields.get(ACTION), dict):
        inner = fields.pop(ACTION)
        fields |= {str(key).upper(): value for key, value in inner.items() if value is not None}
    called = next((fields[name] for name in _VERB_FIELDS if name in fields), None)
    if called is not None:
        fields.setdefault(ACTION, called)
    more = [_written(fields[key.upper()]) for key in _ARGUMENTS if key.upper() in fields]
    if len(more) > 1 and not all(re.search(r"\d", one) for one in more[1:]):
        raise AnswerError("the action has several arguments; write it in one line")
    if isinstance(fields.get(ACTION), str) and len(fields[ACTION].split()) == 1:
        fields[ACTION] = " ".join([fields[ACTION], *more])
    named = {_tag(key): value for key, value in fields.items()}
    return [(tag, str(named[tag])) for tag in TAGS if tag in named]


def _written(value: object) -> str:
    """Return the value of a field as a decision has it: a number below 1 is a share of 1."""
    return f"{value * 100:g} %" if isinstance(value, float) and 0 < value < 1 else str(value)
