"""What names a contract in another way than the tag, and so may begin or end one.

``[proposal]``, ``<counter-offer>``, ``**Proposed contract:**``, ``### Terms v2`` and ``My offer:``
on lines of their own, and fields such as ``contract_terms``: whoever writes them means a contract,
and is told how to write it.
"""

from __future__ import annotations

import re

from bots.structured import plain
from records.text import caseless

_BEFORE = (
    r"(?:my|our|the|an?|new|revised|updated|full|final|proposed|amended|modified|alternative|formal"
    r"|draft|another|start|begin|end|of|\w{1,40}+'s)"
)
_NAME = r"(?:counter[ _-]?)?(?:contract|proposal|offer|terms)s?"
_BEHIND = (
    r"(?:of|for|the|and|contract|proposal|offer|terms|conditions|draft|text|start|begins?|ends?|new"
    r"|revised|updated|final|version|v\.?\d{1,2}|\d{1,2}(?![.)\d]))"
)
_TITLE = rf"(?:{_BEFORE}[ _:-]++)*+{_NAME}(?:[ _:-]++{_BEHIND})*+"
_BRACKET = caseless(rf"[\[<{{\u3010]\s*+/?+\s*+{_TITLE}\s*+:?+\s*+/?+\s*+[\]>}}\u3011][\s:.*_]*+")
_ELEMENT = caseless(rf"<\s*+(?!(?:contract|clauses)\s*+>){_TITLE}\s*+>")
_WORDS = caseless(_TITLE)
_BEFORE_TERMS = caseless(rf"{_TITLE}\s*+:\s*+1[.)]\s.*+")
#: How a title is marked, a colon behind it aside, and what stands around it without a meaning.
_MARKED = re.compile(r"\s*+(?:#{1,6}\s|[*_]{2}|[=~-]{2,})")
_AROUND = " \t=~-:.*_"
_FIELD = caseless(r"contract|proposal|offer|terms|(?:new|counter)?[ _-]?(?:agreement|deal)$")


def is_title(line: str) -> bool:
    """Whether a line is nothing but a title of a contract, as a tag, a heading or words.

    Args:
        line: as it was said, without one of our tags before it.
    """
    bare = plain(line)
    if _BRACKET.fullmatch(bare) or _BEFORE_TERMS.fullmatch(bare):
        return True
    is_marked = bool(_MARKED.match(line)) or bare.endswith(":")
    return is_marked and bool(_WORDS.fullmatch(bare.strip(_AROUND)))


def has_element(text: str) -> bool:
    """Whether a text of elements has one that means a contract, and is called otherwise."""
    return bool(_ELEMENT.search(text))


def names_contract(field: str) -> bool:
    """Whether a field's name, in lower case, says that its value is a contract."""
    return bool(_FIELD.search(field))
