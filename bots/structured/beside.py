"""What a role lets stand beside its answer: words that say nothing of their own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from bots.structured.framing import takes_leave
from bots.structured.neutral import closes, is_harmless, is_neutral, says_why
from bots.structured.text import plain
from records.text import caseless

#: What an answer says of itself behind it, in words that say nothing more.
_OF_ITSELF = caseless(
    r"\W*(?:note[:,]? )?(?:(?:this|the above|my)(?: [\w-]+)? ?(?:answer|response|reply|output"
    r"|choice|decision|list|plan|program)?"
    r" (?:is|reflects?|follows?|fits?|keeps? to|uses|respects|meets|matches|is in|is based on)"
    r"|i(?: have|'ve)? (?:based|made|given|formed|chosen|picked|kept to|followed|used|considered)"
    r" (?:my|this|the)(?: \w+)?)"
    r"(?: (?:my|the|what|i|know|aims?|goals?|needs?|interests?|situation|personality"
    r"|character|rules?|happened|requested|required|instructions?|format|form|forms|of|and|in|role|traits|prompt"
    r"|question|constraints|current|with|to|on|given|available|provided|information|above"
    r"|observations?|context|data|record))*\W*"
)


@dataclass(frozen=True)
class Known:
    """What a role lets stand beside its answer; see :func:`alone`."""

    own: frozenset[str]
    is_bare: bool
    is_free: bool
    beside: re.Pattern[str] | None
    languages: frozenset[str]
    binds: bool
    asked: Mapping[str, str] | None

    def is_mere(self, part: str) -> bool:
        """Whether words beside an answer say nothing of their own."""
        said = plain(part)
        return (
            is_neutral(part, () if self.is_bare else self.own)
            or is_harmless(part)
            or takes_leave(said)
            or closes(part)
            or (says_why(said) and not self.binds)
            or bool(_OF_ITSELF.fullmatch(said))
            or (self.beside is not None and bool(self.beside.fullmatch(part.strip())))
        )
