"""What may not stand behind a plan as if it were a remark, for it says more than one."""

from __future__ import annotations

import re

from bots.agents.planner.plans import Verb
from bots.structured import AnswerError

_FOR_SOMEBODY = re.compile(r"\b(?:until|for|signal\w*)\b", re.IGNORECASE)
_KEEPS = re.compile(r"\bkeep\w*\b", re.IGNORECASE)


def refuse_more(verb: Verb, rest: str) -> None:
    """Refuse what follows a plan where it is a part of another plan's form.

    Raises:
        AnswerError: it waits for somebody, or keeps some, in other words than the form's.
    """
    if verb == "WAIT" and _FOR_SOMEBODY.search(rest):
        raise AnswerError("to wait for a player, write WAIT FOR and the player's name")
    if verb == "GATHER" and _KEEPS.search(rest):
        raise AnswerError("what is kept stands behind the resource: GATHER 3 wood KEEPING 2")
