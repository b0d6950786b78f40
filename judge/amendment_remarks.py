"""What a model says of an amendment beside its words: reasons for it, and that it sets no number.

No such line becomes law.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from bots.structured import AnswerError, is_remark
from records.text import caseless

#: A line that says that no number is set.
_SETS_NONE = re.compile(
    r"\W*(?:SET\W*(?:(?i:none|nothing|n/?a|null|no (?:numbers?|changes?))\W*)?"
    r"|(?i:no|without(?: a)?) SET\b[^\d=]*)"
)
#: Where such a line begins within another.
_BEFORE = re.compile(r"(?<=[.!])\s+(?=SET\W+(?i:none|nothing|n/?a|null)\W*$)")

#: What a model says of its amendments behind the last one, and is none of them.
_CLOSING = caseless(
    r"(?:(?:these|this|the above|both|all)(?: \w+)? (?:amendments?|changes?|proposals?)"
    r" (?:reflects?|aims?|address(?:es)?|balances?|represents?|captures?|responds?"
    r"|(?:is|are) (?:meant|intended|based|designed))\b"
    r"|(?:in )?summary\s*:|overall,|to sum up,|thank you\b|let's\b"
    r"|please (?:vote|review|consider|discuss)\b"
    r"|(?:i|we) (?:hope|believe|trust|think) (?:that )?(?:these|this|the)(?: \w+)? (?:amendments?"
    r"|changes?|proposals?)\b"
    r"|(?:the village|villagers|everybody|everyone|you|people) (?:can|may|should)"
    r" (?:now vote|vote (?:now|on (?:it|them|this|these)))\b).*"
)


def closes(line: str) -> bool:
    """Whether a line behind the last amendment is about all of them, or takes leave."""
    return bool(_CLOSING.fullmatch(line))


#: What a model says of its amendments that may take them back, or limit them.
_OF_THEM = caseless(
    r"\W*(?:(?:these|both|all of (?:these|them)|the above)\b(?! (?:who|people|pieces|goods)\b)"
    r"|(?:an? |one |my )?(?:caveats?|disclaimers?|limitations?)\s*:"
    r"|\(?(?:an? |one |please |important )?notes?\b.*"
    r"\b(?:only|if|unless|except|until|not|never)\b).*"
)


def refuse_of_them(body: Sequence[str]) -> None:
    """Refuse lines below an amendment that are about what was proposed, and no words of law.

    Raises:
        AnswerError: there are.
    """
    for line in body:
        if _OF_THEM.fullmatch(line) and not closes(line):
            raise AnswerError(f"{line[:60]!r} is no law; write the amendments and nothing else")


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
