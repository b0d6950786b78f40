"""What a negotiator's words say of agreeing, beside the tag that alone counts.

An acceptance binds where nothing else is said, or only that one agrees, in the few words below.
Whatever else stands beside it, in any language, may limit, quote or refuse it: then the player is
asked once more, and ``[accept]`` without those words binds. So nothing depends on knowing all words
that refuse.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from bots.structured import AnswerError
from records.text import caseless

_GOOD = (
    r"(?:good|great|fine|fair|perfect|excellent|wonderful|reasonable|acceptable|balanced|ok|okay)"
)
_FOR = r"(?: (?:to|for|with) (?:me|us|both|both of us|everyone))?"
#: What is agreed to, and as what.
_OBJECT = (
    rf"(?:this|that|it|(?:this|that|the|your|these|our) (?:{_GOOD} |standing |proposed )*"
    r"(?:contract|terms|proposal|offer|deal|agreement))"
)
_AS = r"(?: as (?:it|they) (?:is|are|stands?)| as (?:written|proposed|stated))?"
_SOON = (
    r"(?:can|will|do|hereby|gladly|happily|fully|also|therefore"
    r"|(?:am|are) (?:very )?(?:happy|glad|pleased|ready) to)"
)
#: Clauses that agree, whole; with names in the place of NAME.
_AGREEING = (
    rf"(?:(?:i|we)(?: {_SOON})* )?(?:accept|agree)(?:(?: to| with)? {_OBJECT})?{_AS}",
    rf"(?:very )?(?:happy|glad|pleased) to (?:accept|agree)(?:(?: to)? {_OBJECT})?{_AS}",
    r"agreed|accepted|(?:done )?deal|it(?:'s| is) a deal|i am in"
    r"|i (?:mean|confirm) (?:it|this|that|my acceptance)"
    r"|(?:we|you)(?: have| have got|'ve got) (?:a deal|an agreement)",
    rf"{_OBJECT} works(?: well| fine)?{_FOR}|(?:that )?works{_FOR}",
)
#: A clause that approves of it, whole.
_APPROVING = (
    rf"{_OBJECT}(?: is|'s| looks| sounds| seems)(?: very| quite)? {_GOOD}(?: enough)?{_FOR}"
)
#: Clauses that say nothing against it, whole.
_FRIENDLY = (
    rf"(?:very |all |sounds |looks )*(?:yes|yep|sure|{_GOOD}|done|well|right|of course|absolutely)",
    _APPROVING,
    r"(?:many )?thanks(?: a lot| NAME)?|thank you(?: very much| so much)?(?: NAME)?|cheers|NAME",
    r"let(?:'s| us) (?:do (?:it|this|that)|go|begin|start|get (?:started|going|to work)|play"
    r"|work together)(?: NAME)?",
    r"(?:i(?:'m| am)? )?look(?:ing)? forward to (?:it|this|that|working (?:with you|together)"
    r"|playing(?: with you)?)|let me know if you need anything(?: else)?|i hope (?:this|that) helps"
    r"|feel free to ask|good luck|have (?:a )?(?:good|great|nice|fun)(?: day| game| time)?"
    r"|(?:hi|hello|hey)(?: NAME)?|here(?: it is|(?: is|'s) my (?:answer|response|reply|message))?"
    r"|see you(?: there| soon)?"
    r"|(?:kind |best )?regards|happy to (?:help|play)"
    r"|i(?: have|'ve)? (?:thought|read) (?:about )?(?:this|it)"
    r"(?: carefully| over| for a moment)?",
)
_AGREES = re.compile("|".join(_AGREEING))
_APPROVES = re.compile("|".join((*_AGREEING, _APPROVING)))
_PLAIN = re.compile("|".join((*_AGREEING, *_FRIENDLY)))
#: What ends a clause, and what stands around words without a meaning.
_BREAKS = re.compile(r"[.!,;:\n\u2014\u2013]+|\s-\s|\s(?:and|so|then)\s")
_SIGNS = "*_ \t\U0001f44d\U0001f91d\u2705\U0001f389\U0001f60a\U0001f642\U0001f44c\ufe0f"
#: Stands for a player's name while the case of a text is lost.
_NAME = "\ue000"
#: Longer words than these are asked about unread.
_MOST_CHARACTERS = 400


class SaysMoreError(AnswerError):
    """A message accepts, and says more than that.

    Attributes:
        said: the message itself.
    """

    def __init__(self, said: str) -> None:
        super().__init__(
            "your message has [accept], which binds you to the proposal that stands as it is, and "
            "says more than that you agree. If you agree, answer with [accept] alone; what you "
            "said after [message] is told to the others, too. If you do not, leave [accept] out, "
            "and say after [message] what you want instead"
        )
        self.said = said


_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;\n]?")
#: How somebody says in a longer sentence that it agrees, and what may make it no acceptance.
_SAYS_SO = caseless(
    r"^\W*(?:(?:ok|okay|yes|fine|great|good|well)\W+)*"
    r"(?:agreed|accepted|(?:done )?deal|it(?:'s| is) a deal"
    r"|(?:we|you) have (?:a deal|an agreement))\b"
    r"|\b(?:i|we)(?:'ll)? (?:(?:will|can|do|am|are|hereby|gladly|happily|fully|also|therefore|thus"
    r"|happy to|glad to|willing to|ready to|pleased to|going to|now) )*"
    r"(?:accept\b(?! (?:at least |no less than )?\d| nothing\b| no\b)"
    r"|agree\b(?=\W*$| (?:to|on|with|and accept|wholeheartedly|completely|fully)\b))"
)
_LIMITS = caseless(
    r"\b(?:if|unless|but|not|never|only|when|once|until|provided|except|would|could"
    r"|should|may|might|cannot|that|whether|propose|suggest|instead|however|almost)\b|n't\b|\?"
)


def refuse_agreement(message: str, names: Iterable[str]) -> None:
    """Refuse words that accept the proposal that stands, of which no tag says that it counts.

    Raises:
        AnswerError: a sentence says so, and says nothing that may limit it.
    """
    said = (one for one in _SENTENCE.findall(message) if not _LIMITS.search(one))
    if any(map(_SAYS_SO.search, said)) or agrees(message, names):
        raise AnswerError(
            "to agree to the proposal that stands, write [accept] on a line of its own after "
            "your message; if you do not, say in your message what you want instead"
        )


def agrees(said: str, names: Iterable[str]) -> bool:
    """Return whether words say that one agrees, and nothing else."""
    return _is_plain(said, names, with_one=_AGREES)


def approves(said: str, names: Iterable[str]) -> bool:
    """Return whether words say that one agrees or finds it good, and nothing else."""
    return _is_plain(said, names, with_one=_APPROVES)


def says_more(said: str, names: Iterable[str]) -> bool:
    """Return whether words beside an acceptance say more than that one agrees, or may.

    Args:
        said: all that the message says beside it.
        names: of those who play.
    """
    return bool(said.strip()) and not _is_plain(said, names)


def _is_plain(said: str, names: Iterable[str], *, with_one: re.Pattern[str] | None = None) -> bool:
    """Whether each clause is one of those above; ``with_one``: a form that one of them has."""
    if len(said) > _MOST_CHARACTERS:
        return False
    parted = said
    for name in names:
        parted = re.sub(rf"\b{re.escape(name)}\b", _NAME, parted)
    text = parted.casefold().replace("\u2019", "'").replace(_NAME.casefold(), "NAME")
    text = text.replace("i'm ", "i am ").replace("we're ", "we are ").replace("'ll ", " will ")
    clauses = [" ".join(one.strip(_SIGNS).split()) for one in _BREAKS.split(text)]
    known = [one for one in clauses if one]
    if not all(map(_PLAIN.fullmatch, known)):
        return False
    return with_one is None or any(map(with_one.fullmatch, known))
