"""Other forms of a judge model's answer: a table, a balance, a sum; and what stands beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from math import isclose
from typing import Any

from bots.structured import AnswerError, Names, beside_fields, places, plain, rows_of, spoken
from bots.structured.outside import label_above, refuse_outside
from judge.finding_words import Moved, repeats
from records.text import caseless

#: What tells a model's judgement from other objects, and how a table of one calls its columns.
_ITS_FIELDS = frozenset(("findings", "finding", "critiques", "critique"))
_TERMS = frozenset(("term", "clause", "number", "no", "no.", "#", "id"))
_FINDINGS = frozenset(("finding", "findings", "result", "verdict", "judgement", "judgment"))
_PAYMENTS = frozenset(("payment", "payments", "transfer", "transfers"))
_WAY = {"from": "from", "payer": "from", "to": "to", "receiver": "to", "amount": "amount"}
_WAY |= {"emeralds": "amount", "amount (emeralds)": "amount"}
_NONE = frozenset(("", "-", "\u2013", "\u2014", "none", "n/a", "0", "nobody"))
#: An amount with the sum by which it was found.
_RECKONED = caseless(
    r"(?P<n>\d+(?:\.\d+)?)(?: emeralds?)?\s*\((?P<a>\d+(?:\.\d+)?)(?: [a-z_ ]{1,30})?"
    r"\s*[x*\u00d7]\s*(?P<b>\d+(?:\.\d+)?)(?: [a-z_ ]{1,30})?\)"
)
_STRING_OR_REMARK = re.compile(r'"(?:[^"\\\n]|\\.)*"|(?://|#)([^\n]*)|/\*(.*?)\*/', re.DOTALL)
_ADVICE = "write the judgement alone, and nothing behind it"


def refuse_beside(
    answer: str,
    findings: Sequence[str],
    payments: Sequence[Moved],
    agents: Collection[str],
    fields: Names,
) -> None:
    """Refuse an answer that says something beside its judgement which could correct it.

    A thought before an object is none of it, but for a line that leads to it.

    Args:
        answer: of a model.
        findings: what it was read as, in words.
        payments: the same: who pays whom how much.
        agents: the players.
        fields: of a judgement that is written in lines.

    Raises:
        AnswerError: it does.
    """
    text = spoken(answer)
    objects = [(start, end) for one, start, end in places(text) if _is_judgement(one)]
    if not objects:
        beside = beside_fields(answer, fields)
    else:
        ends = [*(start for start, _ in objects[1:]), len(text)]
        behind = (text[end:stop] for (_, end), stop in zip(objects, ends, strict=True))
        beside = [line for part in behind for line in part.split("\n")]
        beside += [one for start, end in objects for one in _remarks_in(text[start:end])]
        lead = label_above(text[: objects[0][0]].split("\n"))
        beside = [lead, *beside] if lead else beside
    refuse_outside(beside, findings, lambda part: repeats(part, payments, agents), _ADVICE)


def _remarks_in(raw: str) -> list[str]:
    """Return the remarks that stand in the text of an object, which are no JSON."""
    found = (one[1] or one[2] or "" for one in _STRING_OR_REMARK.finditer(raw))
    return [one for one in found if one.strip()]


def refuse_note(
    name: str, text: str, findings: Sequence[str], payments: Sequence[Moved], agents: Sequence[str]
) -> None:
    """Refuse a field behind the findings that says something which these do not.

    Raises:
        AnswerError: it does.
    """
    advice = f'leave out "{name[:30]}"'
    refuse_outside(text.split("\n"), findings, lambda part: repeats(part, payments, agents), advice)


def _is_judgement(found: Mapping[str, Any]) -> bool:
    inner = next(iter(found.values()), None) if len(found) == 1 else None
    names = {
        str(key).strip().lower() for one in (found, inner) if isinstance(one, dict) for key in one
    }
    return bool(names & _ITS_FIELDS)


def with_objects(answer: str) -> str:
    """Return an answer with the object for a table of findings, where it has no object itself.

    The columns say the term (or none), the finding, and either its payments in words or from, to
    and amount; a row without an amount moves nothing.
    """
    if "|" not in answer or "{" in answer:
        return answer
    rows = list(rows_of(spoken(answer).split("\n")))
    told = [(line, [plain(cell).lower() for cell in head], cells) for line, head, cells in rows]
    found = [
        (head, cells) for _, head, cells in told if _is_table(head) and len(head) == len(cells)
    ]
    if not found:
        return answer
    asked = json.dumps({"findings": [_row(head, cells) for head, cells in found]})
    lines: list[str] = []
    for line, head, _ in told:
        if not _is_table(head):
            lines.append(line)
        elif asked not in lines:
            lines.append(asked)
    return "\n".join(lines)


def _is_table(head: Sequence[str]) -> bool:
    ways = {_WAY[name] for name in head if name in _WAY}
    known = _TERMS | _FINDINGS | _PAYMENTS | _WAY.keys()
    has_payments = len(ways) == 3 or any(name in _PAYMENTS for name in head)
    return has_payments and any(name in _FINDINGS for name in head) and known >= {*head}


def _row(head: Sequence[str], cells: Sequence[str]) -> dict[str, Any]:
    row: dict[str, Any] = {"payments": []}
    way: dict[str, str] = {}
    for name, raw in zip(head, cells, strict=True):
        cell = plain(raw)
        if name in _TERMS:
            row["term"] = cell
        elif name in _FINDINGS:
            row["finding"] = cell
        elif name in _PAYMENTS:
            row["payments"] = [] if cell.lower() in _NONE else [cell]
        else:
            way[_WAY[name]] = cell
    if way and way["amount"].lower() not in _NONE:
        row["payments"] = [way]
    return row


def reckoned(text: str) -> float | None:
    """Return the amount of a text such as ``12 (6 iron x 2)``; None: it is none.

    Raises:
        AnswerError: it does not add up.
    """
    found = _RECKONED.fullmatch(text.strip())
    if found is None:
        return None
    if not isclose(float(found["n"]), float(found["a"]) * float(found["b"]), abs_tol=1e-2):
        raise AnswerError(f"payments: {text[:60]!r} does not add up")
    return float(found["n"])


def balanced(found: Mapping[str, Any], agents: Collection[str]) -> list[dict[str, Any]] | None:
    """Return the payment of a balance such as ``{"Ann": -5, "Bob": 5}``; None: it is none."""
    known = {name.casefold() for name in agents}
    values = list(found.values())
    is_number = all(isinstance(one, int | float) and not isinstance(one, bool) for one in values)
    if not found or not is_number or not {str(name).casefold() for name in found} <= known:
        return None
    if not any(values):
        return []
    if len(found) != 2 or not isclose(sum(values), 0, abs_tol=1e-2):
        return None
    (payer, amount), (receiver, _) = sorted(found.items(), key=lambda one: float(one[1]))
    return [{"from": payer, "to": receiver, "amount": -amount}]
