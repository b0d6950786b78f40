"""Programs in JavaScript with nothing attached that may say that they are not to be run."""

from __future__ import annotations

from bots.structured.alone import alone
from bots.structured.attached import SCRIPTS
from bots.structured.blocks import read_program
from bots.structured.neutral import own_words

#: What a program may be called.
_OWN = own_words(
    "what do javascript js function main policy version updated revised improved new async"
)


def read_javascript(answer: str) -> str:
    """Return the JavaScript program of an answer; see :func:`bots.structured.blocks.read_program`.

    Raises:
        AnswerError: there is none, or something else is attached to it.
    """
    return alone(answer, read_program, _OWN, free=True, languages=SCRIPTS)
