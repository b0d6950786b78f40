"""What a model says of an amendment beside its words: reasons for it, and that it sets no number.

No such line becomes law.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bots.structured import is_remark

#: A line that says that no number is set.
_SETS_NONE = re.compile(
    r"\W*(?:SET\W*(?:(?i:none|nothing|n/?a|null|no (?:numbers?|changes?))\W*)?"
    r"|(?i:no|without(?: a)?) SET\b[^\d=]*)"
)
#: Where such a line begins within another.
_BEFORE = re.compile(r"(?<=[.!])\s+(?=SET\W+(?i:none|nothing|n/?a|null)\W*$)")


def without_remarks(body: Sequence[str]) -> list[str]:
    """Return the lines under an amendment's head that are its words or set its numbers.

    What stands below a heading such as ``Reason:`` is a remark like what stands behind it, up to a
    line that sets a number.
    """
    kept: list[str] = []
    is_below = False
    for line in (part for whole in body for part in _BEFORE.split(whole)):
        told = is_remark(line)
        if not (told or _SETS_NONE.fullmatch(line) or (is_below and "SET" not in line)):
            kept.append(line)
        is_below = (is_below and "SET" not in line) or (told and line.rstrip(" *").endswith(":"))
    return kept
