"""Who may agree to a proposal in words, without the tag, and is asked whether it does.

To be asked takes less than to be bound, since a question binds nobody: a sentence in which who
speaks accepts is asked about, whatever else stands in it. Talk about conditions (``I would accept
if …``, ``if you agree``) and questions are no such sentence.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Sequence

from judge.message_questions import SaysSoError
from judge.message_words import agrees, approves, folded

_SENTENCE = re.compile(r"[^.!?;\n]+[.!?;\n]?")
_WORD = re.compile(r"[\w']+|[:,]")
_VERBS = re.compile(r"accept(?:ing)?|agree(?:ing)?|approv(?:e|ing)|concur")
#: What somebody can be of a mind to do, and be the one who does it.
_BEFORE_TO = re.compile(
    r"happy|glad|pleased|delighted|ready|willing|prepared|inclined|going|like|love|decided?"
    r"|chosen?|choose|have|able"
)
#: What between who speaks and a verb makes it no acceptance, or another's.
_TURNS = re.compile(
    r"not|never|no|nor|neither|hardly|almost|nearly|partly|partially|cannot|\w+n't|you|he|she"
    r"|they|who|could|might|may|should|refuse|decline|reject|hope|propose|suggest|NAME|:"
)
#: Words that make what follows in their clause a condition, or hang it on one.
_CONDITIONS = re.compile(
    r"if|unless|when(?:ever)?|once|until|till|whether|before|provid(?:ed|ing)|assuming"
)
#: What in a clause before who speaks asks, wishes, proposes or denies.
_ASKS = re.compile(
    r"can|could|do|shall|should|will|would|may|might|hope|propose|suggest|let|let's|not|never"
    r"|no|\w+n't"
)
_NEGATIONS = re.compile(r"not|never|no|nothing|none|nobody|neither|nor|less")
#: Characters of a sentence that are read.
_LONGEST = 1000
#: Words up to which a verb may follow who speaks.
_REACH = 12
#: What a new clause begins behind.
_PARTS = (",", ":", "and", "but", "so", "then")
_THING = r"(?:contract|terms|proposal|offer|deal|agreement)"
_OFTEN = r"(?:hereby |now |fully |gladly |also |thus )*"
_STARTS = (
    r"^\W*(?:(?:ok|okay|yes|fine|great|good|well|NAME|so|then)\W+)*"
    r"(?:agreed\b(?! on the\b)|accepted\b|approved\b|(?:done )?deal(?=\W*$|[,!])|count me in\b"
    r"|acceptance confirmed|let(?:'s| us) (?:go with|finali[sz]e|seal|sign|conclude) "
    rf"(?:this|that|the|your|our) {_THING})"
)
_SETTLED = (
    r"\b(?:we|you)(?: have|'ve)?(?: got)?(?: yourself| ourselves)? (?:a deal|an agreement)\b"
    r"|\b(?:it|that|this)(?:'s| is) a deal\b|\bwe are in (?:full )?agreement\b"
    r"|\bi (?:am|will be) (?:all |in )?(?:in|on board)\b(?! (?:the|a|my|need)\b)"
    rf"|\bi will (?:take|sign) (?:it|this|that|(?:the|your) {_THING})\b"
    r"|\bi have no objections?\b|\bmy answer is yes\b|\bi confirm my (?:acceptance|agreement)\b"
    rf"|(?:\b(?:is|are|been|am)|'s|\bconsider(?: (?:it|this|that))?) {_OFTEN}"
    r"(?:accepted|agreed|approved)\b"
    r"|^\W*(?:my )?(?:final )?(?:decision|move|action|answer|choice|verdict|vote|response|status)"
    r"\W+(?:is )?(?:to |i )?(?:accept|agree)(?:ed)?\b"
)
_SAYS_SO = re.compile(f"{_STARTS}|{_SETTLED}")


def refuse_agreement(message: str, names: Iterable[str], *, is_asked: bool = False) -> None:
    """Refuse words that accept the proposal that stands, of which no tag says that it counts.

    Args:
        message: what all are told.
        names: of those who play.
        is_asked: it was asked about such words before. Then only those that say nothing else than
            that it agrees are asked about again.

    Raises:
        SaysSoError: a sentence says so.
    """
    names = tuple(names)
    sentences = () if is_asked else map(str.strip, _SENTENCE.findall(folded(message, names)))
    is_told = agrees(message, names) or (not is_asked and approves(message, names))
    if is_told or any(map(_may_agree, sentences)):
        raise SaysSoError(message)


def _may_agree(sentence: str) -> bool:
    """Whether a folded sentence may say that who speaks accepts what stands."""
    if sentence.endswith("?"):
        return False
    sentence = sentence[:_LONGEST]
    found = _SAYS_SO.search(sentence)
    if found is not None:
        before, behind = (
            _WORD.findall(part) for part in (sentence[: found.start()], sentence[found.end() :])
        )
        if not (_hangs(before, behind) or _has(_NEGATIONS, before[-3:])):
            return True
    words = _WORD.findall(sentence)
    return any(_VERBS.fullmatch(word) and _is_own(words, at) for at, word in enumerate(words))


def _is_own(words: Sequence[str], at: int) -> bool:
    """Whether who speaks does what the verb at a place says, now and without a condition."""
    reach = range(at - 1, max(-1, at - 2 - _REACH), -1)
    me = next((n for n in reach if words[n] in ("i", "we")), None)
    if me is None:
        return False
    start = next((n + 1 for n in range(me - 1, -1, -1) if words[n] in _PARTS), 0)
    between, behind = words[me + 1 : at], words[at + 1 :]
    if _has(_ASKS, words[start:me]) or _has(_TURNS, between) or _has(_CONDITIONS, between):
        return False
    if "to" in between and not _has(_BEFORE_TO, between):
        return False
    if "would" in between and between[-1] != "to":
        return False
    return not (_is_partial(between, behind) or _hangs(words[:me], behind))


def _is_partial(between: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether what stands behind a verb makes it a bid, or an opinion on something else."""
    if not behind:
        return False
    is_bid = behind[0].isdigit() and ("will" in between or "would" in between)
    is_opinion = behind[0] == "that" and len(behind) > 1 and not re.fullmatch(_THING, behind[1])
    return is_bid or is_opinion or _has(_NEGATIONS, behind[:1]) or behind[:2] == ["at", "least"]


def _hangs(before: Sequence[str], behind: Sequence[str]) -> bool:
    """Whether a condition stands before what is said, or behind it in the same clause."""
    clause = list(itertools.takewhile(lambda word: word not in ("and", ":"), behind))
    is_as_long = ("as", "long") in itertools.pairwise(clause)
    return is_as_long or _has(_CONDITIONS, [*before, *clause])


def _has(pattern: re.Pattern[str], words: Iterable[str]) -> bool:
    return any(map(pattern.fullmatch, words))
