"""What stands right above a program: that it is the one to run, or that it is not."""

from __future__ import annotations

import re

from bots.structured.text import AnswerError, plain
from records.text import caseless

_PROGRAM = r"(?:programs?|code|attempts?|try|versions?|plans?|scripts?|solutions?|drafts?|ones?)"
#: Words above a block by which it is another one than the answer: another time's, somebody else's,
#: for another case, or one that is not to be run.
_ANOTHER = caseless(
    rf"\b(?:last|previous(?:ly)?|earlier|old|former(?:ly)?|failed|rejected|bad|wrong|worse)\W+"
    rf"(?:\w+(?:'s)?\W+){{0,2}}?(?:{_PROGRAM}|time|episode|round)\b"
    rf"|\b(?!(?:here|it|that|this|there|let|what|he|she)'s)\w+'s (?:\w+ )?{_PROGRAM}\b"
    r"|^\W*(?:if|unless|in case|should|when|otherwise|else|alternativ\w*|not|never)\b"
    r"|\b(?:do not|don't|never) (?:use|run|play|take|do|execute)\b"
    rf"|^\W*(?:an? )?(?:draft|example|alternative)\b|\bwas my {_PROGRAM}\b"
)


def refuse_another(above: str) -> None:
    """Refuse a block whose label says that it is not the program of the answer.

    Args:
        above: what stands above it.

    Raises:
        AnswerError: the label does: a last line that ends with a colon, or a heading.
    """
    lines = [line for line in above.splitlines() if line.strip()]
    last = lines[-1] if lines else ""
    is_label = plain(last).endswith(":") or bool(
        re.match(r"\s*(?:#{1,6}\s|\*\*[^*]+\*\*\s*$)", last)
    )
    if is_label and _ANOTHER.search(plain(last)):
        raise AnswerError(
            f"{plain(last)[:60]!r} stands above the block; write your own program, and no other"
        )
