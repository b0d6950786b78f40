"""What a negotiator's words say of agreeing, beside the tag that alone counts.

Words that agree without the tag, and words that refuse beside it, are asked for again: nobody knows
which of the two is meant.
"""

from __future__ import annotations

import re

from bots.structured import AnswerError
from records.text import caseless

_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;\n]?")
#: How somebody says that it agrees, and what in the same sentence may make it no acceptance.
_AGREES = caseless(
    r"^\W*(?:(?:ok|okay|yes|fine|great|good|well)\W+)*"
    r"(?:agreed|accepted|(?:done )?deal|it(?:'s| is) a deal|we have (?:a deal|an agreement))\b"
    r"|\b(?:i|we)(?:'ll)? (?:(?:will|can|do|am|are|hereby|gladly|happily|fully|also|therefore|thus"
    r"|happy to|glad to|willing to|ready to|pleased to|going to|now) )*"
    r"(?:accept\b(?! (?:at least |no less than )?\d| nothing\b| no\b)"
    r"|agree\b(?=\W*$| (?:to|on|with|and accept|wholeheartedly|completely|fully)\b))"
)
_LIMITS = caseless(
    r"\b(?:if|unless|but|not|never|only|when|once|until|provided|except|would|could"
    r"|should|may|might|cannot|that|whether|propose|suggest|instead|however|almost)\b|n't\b|\?"
)
#: What turns a proposal down, or asks for another.
_DENIES = caseless(
    r"\b(?:reject\w*|refus\w*|declin\w*|disagree\w*|object|withdraw|counter-?\w*|instead|no deal"
    r"|un(?:fair|acceptable|reasonable|balanced|even)|ridiculous|absurd|outrageous|insult\w*"
    r"|on (?:the )?condition|provided|unless|only (?:if|when)|(?:until|once) you"
    r"|too (?:little|few|low|much|many|high|expensive|one-sided))\b"
    r"|(?:\b(?:not|never|no|cannot|hardly)|n't)\b[^.!?;]*\b(?:accept\w*|agree\w*|approve|sign"
    r"|take|work|fair|enough|acceptable|good|deal|interested|like|want|okay|ok)\b"
    r"|\b(?:i|we)(?:'d| would| do| must| still| will|'ll| should)? (?:\w+ )?"
    r"(?:want|need|demand|ask|expect|require|propose|suggest|offer|prefer|rather)\b"
    r"[^.!?;]*(?:\d|\b(?:more|better|less|fewer|higher|lower|another|different|half|change)\b)"
    r"|\bor nothing\b|\?"
    r"|^\W*(?:nope|never|not|no(?! (?:problem|objections?|doubt|worries|complaints?|more to)))\b"
)


def _agrees(sentence: str) -> bool:
    """Whether a sentence agrees to the proposal that stands, and says nothing that may limit it."""
    return bool(_AGREES.search(sentence)) and not _LIMITS.search(sentence)


def refuse_agreement(message: str) -> None:
    """Refuse words that accept the proposal that stands, of which no tag says that it counts.

    Raises:
        AnswerError: a sentence says so, and says nothing that may limit it.
    """
    if any(map(_agrees, _SENTENCE.findall(message))):
        raise AnswerError(
            "to agree to the proposal that stands, write [accept] on a line of its own after "
            "your message; if you do not, say in your message what you want instead"
        )


def refuse_denial(message: str) -> None:
    """Refuse words beside an acceptance that turn down what it accepts.

    Raises:
        AnswerError: a sentence does, or asks, and none behind it agrees.
    """
    is_denied = False
    for sentence in _SENTENCE.findall(message):
        is_denied = not _agrees(sentence) and (is_denied or bool(_DENIES.search(sentence)))
    if is_denied:
        raise AnswerError(
            "your message does not agree to the proposal that stands, and [accept] does: if you "
            "agree, say so in your message; if not, leave [accept] out"
        )
