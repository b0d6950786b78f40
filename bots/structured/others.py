"""Fields that nobody asked for: an object may hold no others that could say something else.

Who reads an object by the names that were asked for sees nothing of ``"condition": "only if …"``
beside them, or of a second answer under another name. So all others are asked to be left out, but
for reasons, for how sure the model is, for the item's number or title, and for remarks that
tell what is so.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from bots.structured.framing import says_how_sure
from bots.structured.labels import called
from bots.structured.remarks import is_aside
from bots.structured.text import AnswerError
from bots.structured.values import is_nothing
from bots.structured.withdrawn import refuse_withdrawn, says_it_holds
from records.text import caseless

#: Why the model says what it says, which decides nothing.
_REASONS = caseless(
    r"(?:(?:my|your|the|short|brief|step_by_step|chain_of)_)*"
    r"(?:reasons?|reasoning|rationale|why|because|thoughts?|thinking|thought_process|analysis"
    r"|explanation|justification|argument|evidence|basis|source|motivation|considerations?"
    r"|observations?|situation|context|strategy|intent(?:ion)?|feelings?|emotions?|mood|tone)"
)
#: Which one it is.
_NUMBERS = caseless(r"(?:no\.?|nr\.?|number|id|index|n|#|title|round|hour|turn|step)")
_REMARKS = caseless(r"(?:notes?|comments?|remarks?|description|details?|summary)")
_LONGEST_NAME = 30


def refuse_others(
    found: Mapping[Any, Any], asked: Iterable[str], *, sees_others: bool = False
) -> None:
    """Refuse an object with fields that were not asked for and could change what it says.

    Args:
        found: the object, under the usual names of its fields.
        asked: these names.
        sees_others: whether the reader sees to them; then it only may not say that it fails.

    Raises:
        AnswerError: it has one, the first of which is named, or says that it does not hold.
    """
    refuse_withdrawn(found)
    if sees_others:
        return
    names = [*asked]
    known = {called(name) for name in names}
    for key, value in found.items():
        name = called(str(key))
        if name not in known and not _adds_nothing(name, value):
            fields = ", ".join(f'"{one}"' for one in names)
            raise AnswerError(
                f'leave out "{str(key)[:_LONGEST_NAME]}", which could say something else; '
                f"the fields are {fields}"
            )


def _adds_nothing(name: str, value: Any) -> bool:
    if value in (None, "", [], {}) or (isinstance(value, str) and is_nothing(value)):
        return True
    if isinstance(value, bool):
        return says_it_holds(name)  # and if not, it was refused above
    if _REASONS.fullmatch(name) or says_how_sure(name, value) or _NUMBERS.fullmatch(name):
        return True
    return bool(_REMARKS.fullmatch(name)) and isinstance(value, str) and is_aside(f" ({value})")
