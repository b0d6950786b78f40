"""Programs that are written anew: which words above the last of several call it the one that holds.

Only words of :data:`_FINAL` do, as a whole: any others may say that it is somebody else's, for
another case, or not to be run.
"""

from __future__ import annotations

import re

from records.text import caseless

_WHICH = (
    r"better|final(?:ly)?|corrected|correction|improved|revised|fixed|updated|complete|full|whole"
    r"|entire|new"
)
_WHAT = r"(?:program|version|answer|code|plan|solution|one|script|block|response)"
_AGAIN = (
    r"(?:on reflection|on (?:second|further) thoughts?|actually|rather|again|anew|together"
    r"|in (?:one|a single) block)"
)
#: A sentence that says no more than that what follows it takes the place of what was before.
_FINAL = caseless(
    rf"(?=.*\b(?:{_WHICH}|{_AGAIN})\b)"
    r"\W*(?:(?:so|then|now|and|but|no(?=[,.!:;])|ok(?:ay)?|wait|actually|rather|on reflection"
    r"|on (?:second|further) thoughts?|or(?=,? (?:better|rather)\b))\b\W*)*"
    r"(?:(?:here(?:'s| is)|this is|it is|i write|i use|i take|let me write|let me use)\W+)?"
    r"(?:(?:the|my|a|an|our|all of|all|it)\s+)*"
    rf"(?:(?:{_WHICH})\b\W*(?:and\s+)?)*(?:(?:{_WHAT}|it)\b)?(?:\s*{_AGAIN}\b)*"
    r"(?:\s+(?:is|below|follows))?\W*"
)
#: A longer sentence says more.
_MOST_CHARACTERS = 100
_MARKS = re.compile(r"[*_`]")
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*\n")


def is_anew(above: str) -> bool:
    """Whether the words right above a block say that it takes the place of those before it.

    Args:
        above: what stands between the block before it and the block.
    """
    last = " ".join(_SENTENCE.split(_MARKS.sub("", above).strip())[-1].split())
    return len(last) <= _MOST_CHARACTERS and bool(_FINAL.fullmatch(last))
