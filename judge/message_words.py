"""What a negotiator's words say of agreeing, beside the tag that alone counts.

An acceptance binds where nothing else is said, or only that one agrees, in the few words below.
Whatever else stands beside it, in any language, may limit, quote or refuse it: then the player is
asked once more, and ``[accept]`` without those words binds. So nothing depends on knowing all words
that refuse.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import chain

from bots.structured import own_words
from judge.agreement_words import AGREEING, BREAKS, FRIENDLY, OPENS
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
    rf"(?:(?:i|we)(?: {_SOON})* )?(?:accept|agree|approve|concur)(?:(?: to| with)? {_OBJECT})?"
    rf"{_AS}",
    rf"(?:very )?(?:happy|glad|pleased) to (?:accept|agree)(?:(?: to)? {_OBJECT})?{_AS}",
    r"(?:agreed|accepted|confirmed)(?: and (?:agreed|accepted|confirmed))?|i am (?:all )?in",
    r"(?:it(?:'s| is) a |that(?:'s| is) a |done )?deal|count me in|i (?:am on board|concur)",
    r"i (?:mean|confirm) (?:it|this|that|my (?:acceptance|agreement))|i confirm(?: that)?",
    r"(?:we|you)(?: have| have got|'ve got) (?:a deal|an agreement)|we are in agreement",
    rf"{_OBJECT} works(?: well| fine)?{_FOR}|(?:that )?works{_FOR}",
    r"\u597d\u7684|\u6211(?:\u540c\u610f|\u63a5\u53d7)(?:\u8fd9\u4e2a|\u8be5|\u6b64)?(?:\u5408\u540c|\u63d0\u8bae|\u6761\u6b3e)?",
    *map(re.escape, chain.from_iterable(AGREEING.values())),
)
#: A clause that approves of it, whole.
_APPROVING = (
    rf"(?:{_OBJECT}(?: is| are|'s| looks| sounds| seems) |sounds |looks )(?:very |quite )?"
    rf"{_GOOD}(?: enough)?{_FOR}"
)
#: What players set out to do together when all is said; no price and no condition is among it.
_TO_DO = (
    r"do (?:it|this|that)|go(?: ahead| for it)?|begin|start|proceed|play|work|win|succeed"
    r"|get (?:started|going|to work|to it|it done|this done)"
    r"|make (?:it|this|that) (?:work|happen|a success)|make the most of (?:it|this|that)"
    r"|(?:maximi[sz]e|raise|increase|earn) our (?:gains?|earnings|profits?|rewards?|incomes?)"
)
_MINE = (
    r"(?:my|your) (?:corrected |revised |final |new )?"
    r"(?:answer|response|reply|message|move|decision)"
)
#: Clauses that say nothing against it, whole.
_FRIENDLY = (
    rf"(?:very |all |sounds |looks )*(?:yes|yep|sure|{_GOOD}|done|well|right|of course|absolutely)",
    rf"{_GOOD} enough|understood|i understand|you are right",
    _APPROVING,
    r"(?:many )?thanks(?: a lot| NAME)?|thank you(?: very much| so much)?(?: NAME)?|cheers|NAME",
    rf"(?:let(?:'s| us)|i look forward to|looking forward to) (?:{_TO_DO})"
    r"(?: (?:now|then|together|right away|at once))*(?: NAME)?",
    r"(?:i(?:'m| am)? )?look(?:ing)? forward to (?:it|this|that|working (?:with you|together)"
    r"|playing(?: with you)?)|let me know if you need anything(?: else)?|i hope (?:this|that) helps"
    r"|(?:i(?: am)? )?look(?:ing)? forward to (?:a|an|our) (?:\w+ )?(?:episode|game|round"
    r"|partnership|cooperation|collaboration)|(?:happy|glad|pleased) to work with you"
    r"|thank you for (?:the|your|this) (?:\w+ )?(?:proposal|offer|contract|terms|message)"
    r"|let(?:'s| us) (?:both|all) do our parts?|(?:nods|smiles|bows)(?: in agreement)?"
    r"|good luck to (?:us|you|both of us)(?: both| all)?"
    r"|(?:this|it|that) (?:maximi[sz]es|raises|increases) our (?:joint |common |total )?(?:gains?"
    r"|earnings|rewards?|welfare)"
    r"|feel free to ask|good luck|have (?:a )?(?:good|great|nice|fun)(?: day| game| time)?"
    rf"|(?:hi|hello|hey)(?: NAME)?|here(?: it is|(?: is|'s) {_MINE})?|(?:this is )?{_MINE}(?: is)?"
    r"|see you(?: there| soon)?"
    r"|(?:kind |best )?regards|happy to (?:help|play)"
    r"|i(?: have|'ve)? (?:thought|read) (?:about )?(?:this|it)"
    r"(?: carefully| over| for a moment)?",
    *map(re.escape, chain.from_iterable(FRIENDLY.values())),
)
#: Clauses that lead to an answer, which count as said until the player was asked what it means.
_LEADING = (
    r"(?:based on|given) (?:the|this|my|our) (?:current )?(?:situation|goals?|contract|proposal)",
    r"i (?:would|will) (?:now )?(?:do|answer|respond|reply|say)(?: (?:as follows|the following))?",
    r"after (?:careful |some )?(?:consideration|thought)",
    r"let me (?:try again|answer again|clarify|rephrase)",
    r"(?:i apologi[sz]e|(?:i am )?sorry|(?:my )?apologies)"
    r"(?: for (?:the|my|that|any) (?:confusion|mistake|error|misunderstanding))?",
    r"here is what i (?:would|will|want to) (?:do|say|answer)",
)
#: The same of one who considers, which only a message that agrees can end.
_CONSIDERING = (
    r"let me think(?: about (?:it|this|that))?(?: (?:for|over) a (?:moment|minute|while))?",
    r"there are (?:several|many|some|a few) (?:things|ways|options)(?: that)? (?:i|we) could"
    r" (?:do|say|consider|choose|answer)",
)
#: A sentence that says only why, in words of which none refuses, limits or names a number.
_WHY = (
    r"(?:(?:note|reason(?:ing)?|explanation|rationale|justification): *)?"
    r"(?:(?:i|we) (?:chose|choose|picked|decided on|did|do|accept|accepted|agree|agreed)"
    rf"(?: (?:to|with))?(?: {_OBJECT})? )?(?:because|since|as)"
    rf"(?:,? (?:it|this|that|these|they|which|the|a|an|is|are|in|for|to|of|and|with|me|us|we|both"
    r"|all|everyone|fits?|serves?|suits?|matches|helps?|benefits?|supports?|gives?|brings?|leaves"
    r"|makes|contract|terms|proposal|offer|deal|agreement|(?:my|our) (?:goals?|interests?|gains?)"
    rf"|current|circumstances|situation|players?|split|better off|better than none|NAME|{_GOOD}))+"
)
_LONG = {
    "i'm ": "i am ",
    "i've ": "i have ",
    "we're ": "we are ",
    "you're ": "you are ",
    "'ll ": " will ",
    "'d ": " would ",
}
_SHORT = re.compile("|".join(_LONG))
_AGREES = re.compile("|".join(_AGREEING))
_APPROVES = re.compile("|".join((*_AGREEING, _APPROVING)))
_PLAIN = re.compile("|".join((*_AGREEING, *_FRIENDLY)))
_PLAIN_OR_LEADS = re.compile("|".join((*_AGREEING, *_FRIENDLY, *_LEADING)))
_PLAIN_OR_CONSIDERS = re.compile("|".join((_PLAIN_OR_LEADS.pattern, *_CONSIDERING)))
_ONLY_WHY = re.compile(rf"^[ *_(]*{_WHY}[ .!*_)]*$", re.MULTILINE)
#: What somebody does who agrees, as it is played.
_GESTURE = re.compile(
    r"(?:^\s*\*?|\*)(?:nods?|smiles?|grins?|bows?|shakes hands|extends (?:a|his|her|their) hand"
    r"|thinks|ponders)(?: (?:in agreement|slowly|warmly|happily|thoughtfully|approvingly))?"
    r"(?:\*|\s+(?=I\b))"
)
#: What ends a clause, and what stands around words without a meaning.
_BREAKS = re.compile(rf"[.!,;:\n\u2014\u2013{BREAKS}]+|\s-\s|\s(?:and|so|then)\s")
_SIGNS = f"#*_ \t\U0001f44d\U0001f91d\u2705\U0001f389\U0001f60a\U0001f642\U0001f44c\ufe0f{OPENS}"
#: Stands for a player's name while the case of a text is lost.
_NAME = "\ue000"
#: Longer words than these are asked about unread.
_MOST_CHARACTERS = 400


def agrees(said: str, names: Iterable[str]) -> bool:
    """Return whether words say that one agrees, and nothing else."""
    return _is_plain(said, names, with_one=_AGREES)


def approves(said: str, names: Iterable[str]) -> bool:
    """Return whether words say that one agrees or finds it good, and nothing else."""
    return _is_plain(said, names, with_one=_APPROVES)


#: Words of which a courtesy beside an acceptance consists, and of which it has one: none of them
#: limits, counts, denies or asks for anything.
_COURTEOUS = own_words(
    """
    a abide accept acceptable accepted accepting agree agreed agreeable agreement all am amazing
    an and are at awesome be beneficial benefit benefits best both by collaborate
    collaborating collaboration collaborative commit committed complete comply conditions
    confirm contract cooperate cooperating cooperation cooperative counterproposal counteroffer
    deal delighted do done earn emeralds excellent excited execute fair fairly follow for
    forward fulfil fulfill get glad go good great happily happy have honor honour i i'll i'm in
    into is it it's keep let let's like look looking looks love make makes maximise maximize me
    mine mining move mutual mutually my now of offer ok okay on our ours ourselves part
    partner partnership perfect plan play pleased proceed promise promised proposal proposed
    reasonable respect reward rewarding rewards right satisfied seems sense shared solid
    sound sounds start started stick strategy success successful successfully sure terms
    thank thanks that that's the these this to together too trust understand understood uphold
    us very we we'll welcome well will wise with wonderful work working works yes you your
    """
)
_CONSENTS = caseless(
    r"\b(?:accept\w*|agree\w*|deal|fair|good|great|perfect|excellent|glad|happy|sounds|works?"
    r"|thanks?|confirm|reasonable|pleased|delighted|follow|understood|yes|sure|okay|ok)\b"
)
_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")


def _is_courteous(said: str) -> bool:
    """Whether words beside an acceptance only say, in courtesies, that one agrees."""
    words = [word.casefold().replace("\u2019", "'") for word in _WORD.findall(said)]
    known = all(word in _COURTEOUS or _CONSENTS.fullmatch(word) for word in words)
    return known and bool(_CONSENTS.search(said)) and not re.search(r"[\d?]", said)


def says_more(
    said: str, names: Iterable[str], *, message: str = "", is_asked: bool = False
) -> bool:
    """Return whether words beside an acceptance say more than that one agrees, or may.

    Args:
        said: all that the message says beside it.
        names: of those who play.
        message: the part of it that all are told.
        is_asked: it was asked before whether it accepts, and told that it binds as it stands. Then
            courtesies say no more, nor do words around the message that only lead to the answer,
            and words that only say why.
    """
    if not said.strip() or (is_asked and _is_courteous(said)):
        return False
    if not is_asked:
        return not _is_plain(said, names)
    if not message.strip():
        return not _is_plain(said, names, _PLAIN_OR_LEADS, with_why=True)
    is_told = _is_plain(message, names, with_why=True)
    return not (is_told and _is_plain(said, names, _PLAIN_OR_CONSIDERS, with_why=True))


def _is_plain(
    said: str,
    names: Iterable[str],
    forms: re.Pattern[str] = _PLAIN,
    *,
    with_one: re.Pattern[str] | None = None,
    with_why: bool = False,
) -> bool:
    """Whether each clause has one of the forms.

    Args:
        said: the words.
        names: of those who play.
        forms: of clauses.
        with_one: a form that one of the clauses has.
        with_why: let lines go that only say why.
    """
    if len(said) > _MOST_CHARACTERS:
        return False
    text = folded(_GESTURE.sub(". ", said), names)
    if with_why:
        text = _ONLY_WHY.sub("", text)
    clauses = [" ".join(one.strip(_SIGNS).split()) for one in _BREAKS.split(text)]
    known = [one for one in clauses if one]
    if not all(map(forms.fullmatch, known)):
        return False
    return with_one is None or any(map(with_one.fullmatch, known))


def folded(said: str, names: Iterable[str]) -> str:
    """Return words in lower case, in the one spelling that the forms have, with NAME for names."""
    for name in names:
        said = re.sub(rf"\b{re.escape(name)}\b", _NAME, said)
    text = said.casefold().replace("\u2019", "'").replace(_NAME.casefold(), "NAME")
    return _SHORT.sub(lambda short: _LONG[short[0]], text)
