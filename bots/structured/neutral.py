"""The closed vocabulary of what may be attached to an answer: words that say nothing of their own.

A label, a heading, a key or a remark that consists of these words leaves an answer as it is, in any
role; a role adds the names of its own fields. What has any other word may limit the answer, say
whose it is or deny it, in words that nobody can list: so it is asked for again.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from bots.structured.framing_words import ANNOUNCES, LEADS, THINKS
from bots.structured.text import plain
from records.text import caseless

_WORD = re.compile(r"[^\W\d_]+(?:['\u2019][^\W\d_]+)?")
#: Of these words nobody can make a correction: none denies, limits, compares, counts or names a
#: player.
NEUTRAL = frozenset(
    _WORD.findall(
        """
        a above according all an analysis and answer answers are as asked at based below by
        carefully certainly clause clauses code complete conclusion contract contract's critique
        critiques decided decision each episode evaluated every everything final finally finding
        findings follow following follows for form formal format formatted full game given has
        have hence here here's hope i i've in into is it item items its json judge judged
        judgement judgements judgment judgments let's list listed me my net now object of ok
        okay on one our output overall payment payments per play player player's players
        players' please program record records requested response result results reviewed ruling
        s section server server's settles so stated step summary sure table task term terms text
        thank that the their then there therefore these they this those through thus to turn
        turned understood us valid verdict we well went were with word words work written you
        your
        """
    )
)
#: What answers are called besides, where nothing binds by itself.
_CALLED = frozenset(
    _WORD.findall(
        """
        reply field value own on these based found action actions plan plans choice vote votes
        best chosen selected next line lines own short brief current today yours i'd i'll i'm
        will say choose go goes do did made make give write respond classification label current
        script solution block absolutely course great happy alright antwort endgültige finale
        meine mein entscheidung stimme wahl aktion plan programm hier ist die der das lautet
        kurz also respuesta final mi la el decisión voto acción es aquí está elección programa
        réponse finale ma mon décision vote choix le voici est programme risposta la mia
        decisione voto azione ecco è scelta programma resposta minha decisão ação aqui escolha
        ответ мой окончательный решение голос вот план действие моё итоговый
        """
    )
)
_EASTERN = re.compile(
    "以下是|这是|我的|最终|最終|回答|答案|决定|決定|投票|行动|行動|计划|計画|如下|以下が"
    "|これが|私の|答え|です|は"
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])|_")
#: All marks that may stand around words, bullets and numbers of a list among them.
_MARKS = re.compile(
    r"[%\s\"'\u2018\u2019\u201c\u201d\u00ab\u00bb*_`#>:.,;!?()\[\]{}"
    r"|=\u2026\u2013\u2014\u2022\u00b7"
    r"\u3002\uff01\uff0c\u3001\uff1a\xa1\xbf<\\/-]"
)
#: Pictures that dress a line and judge nothing: no crosses, ticks or arrows back.
_DRESS = re.compile(
    "[\ufe0f\u200d\u2728\u27a1\u2192\u25b6\u2b50\u2696\U0001f300-\U0001f5fa"
    "\U0001f600-\U0001f64f\U0001f680-\U0001f6ff\U0001f900-\U0001f9ff\U0001fa70-\U0001faff\u2705\u2714\u2713]"
)
_BOX = re.compile(r"[\[(]\s*[xX\u2713\u2714\u2717\u2718 ]?\s*[\])]")
#: Which item of a list follows, or which part of a whole.
_COUNTED = caseless(
    r"^\s*(?:>\s*)*(?:[-*\u2022\u2013\u2014]\s+)?(?:\*\*)?\(?\d{1,2}[.)](?:\*\*)?\s+"
    r"|\b(?:step|amendment|item|term|clause|finding|line|no\.?|number|round|turn|part|topic"
    r"|group)s?[ _]?#?\d{1,2}"
    r"(?:\s*(?:of|/)\s*\d{1,2})?\b"
    r"|(?<=\w)\s*[(\[]?\d{1,2}\s*(?:/|of)\s*\d{1,2}[)\]]?\s*(?=:|$)"
)
#: A line that says why, whatever it says behind its label or its first word.
_WHY = (
    r"(?:(?:my|the|a|an|one|brief|short|quick|key|additional|some|step[- ]by[- ]step)\s+)*"
    r"(?:thoughts?|thinking|thought process|reasoning|reasons?|why|rationale|justification"
    r"|explanations?|analysis|considerations?|context|observations?|situation|strategy|motivation"
    r"|evidence|assessment|evaluation|tl;?dr"
    r"|begr\xfcndung|erkl\xe4rung|explicaci\xf3n|raz\xf3n|justificaci\xf3n|explication|raison"
    r"|spiegazione|motivazione|explica\xe7\xe3o|raz\xe3o|\u89e3\u91ca|\u7406\u7531|\u8aac\u660e"
    r"|\u043f\u0440\u0438\u0447\u0438\u043d\u0430"
    r"|\u043e\u0431\u043e\u0441\u043d\u043e\u0432\u0430\u043d\u0438\u0435)"
    r"(?: (?:for|behind|of|on) (?:this|that|it|my|the)(?: \w+)?"
    r"| (?:this|it|that) (?:works|fits|helps|matters|makes sense))?"
)
_IS_WHY = caseless(rf"\W*(?:\d+[.)]\s*)?{_WHY}\s*")
_SAYS_WHY = caseless(rf"\W*{_WHY}\W*:.*")
#: Other remarks that change nothing: how it was, and how sure one is.
_FORMER = caseless(
    r"\W*(?:it\s+)?(?:was(?:\s+(?:previously|formerly|before))?|previously|formerly|currently"
    r"|instead\s+of|(?:up|down|raised|lowered|increased|decreased|reduced"
    r"|changed)\s+from)\s*[:=]?\s*"
    r"\d+(?:\.\d+)?\s*(?:%|percent\b|/\s*10\b|(?:out\s+)?of\s+10\b)?"
    r"(?:\s+(?:before|earlier|until\s+now|so\s+far))?"
    r"(?:\s+(?:because|since)\b[^()]*)?\W*|\W*[(\[][+-]\d+(?:\.\d+)?[)\]]\W*"
)
_SURE = caseless(
    r"\W*(?:my |overall )?(?:confidence|certainty)(?: (?:level|score))?\W*(?:(?:very|quite) )?"
    r"(?:\d+(?:\.\d+)?\s*(?:%|percent|/ ?10{1,2})?|high|medium|moderate|low)\W*"
    r"|\W*(?:there is |without )?(?:a |no )?(?:doubt|question)(?: about (?:it|that|this))?\W*"
    r"|\W*(?:(?:very|quite) )?(?:(?:high|medium|moderate|low) confidence|certain|sure)\W*"
    r"|\W*\d{1,3}\s*% (?:sure|certain|confident|confidence)\W*"
)
#: Reasons of a key in an object, and what only counts or says how sure one is.
REASONS = caseless(
    r"(?:(?:my|your|the|short|brief|step_by_step|chain_of)_)*"
    r"(?:reasons?|reasoning|rationale|why|because|thoughts?|thinking|thought_process|analysis"
    r"|explanation|justification|argument|evidence|basis|source|motivation|considerations?"
    r"|observations?|situation|context|strategy|intent(?:ion)?|feelings?|emotions?|mood|tone"
    r"|begr\xfcndung|raz\xf3n|raison|motivo)"
)


def own_words(text: str) -> frozenset[str]:
    """Return the words of a text, as a role adds them to the vocabulary."""
    return frozenset(text.split())


def is_neutral(text: str, own: Collection[str] = ()) -> bool:
    """Whether all words of a text are neutral ones, or ``own`` words of a role, in small letters.

    Other numbers than those of a list, boxes, crosses and ticks are no such words.
    """
    if _BOX.search(text) or "~~" in text:
        return False
    if own and "".join(text.split()).casefold().strip(":*_#\"'-.") in own:
        return True
    text = _DRESS.sub("", _CAMEL.sub(" ", _COUNTED.sub(" ", text)))
    if re.search(r"[\u3040-\u30ff\u4e00-\u9fff]", text):
        text = _EASTERN.sub("", text)
    words = [word.casefold().replace("\u2019", "'") for word in _WORD.findall(text)]
    rest = _MARKS.sub("", _WORD.sub("", text))
    digits = re.findall(r"\d+", text)
    is_known = all(word in NEUTRAL or word in _CALLED or word in own for word in words)
    return is_known and all(one in own for one in digits) and not re.sub(r"\d", "", rest)


def leads(text: str) -> bool:
    """Whether a line only leads to what follows it."""
    said = plain(_DRESS.sub("", text)).strip()
    return bool(LEADS.fullmatch(said) or ANNOUNCES.fullmatch(said) or THINKS.fullmatch(said))


def is_why(label: str) -> bool:
    """Whether a heading or a label announces reasons: ``## Why this works``."""
    return bool(_IS_WHY.fullmatch(plain(_DRESS.sub("", label)).strip(" :*?")))


def says_why(line: str) -> bool:
    """Whether a line is a reason by its own label."""
    return bool(_SAYS_WHY.fullmatch(plain(line).strip()))


#: What takes leave besides, or says that there is nothing to say.
_CLOSES = caseless(
    r"\W*(?:cheers|thanks|thank you(?: for \w+)?|good luck(?: to (?:us|you) ?(?:all|both)?"
    r"| everyone)?"
    r"|best(?: regards| wishes)?|none|nothing|n/?a|enjoy|done|end"
    r"|(?:no|nothing) (?:further|more|other|additional)(?: (?:comments?|remarks?|to (?:add|say)))?"
    r"|let me know(?:,? (?:how (?:this|it) \w+(?: \w+)?|what you think|if [^.!?:\n]{1,60}))?)\W*"
)


def closes(line: str) -> bool:
    """Whether a line behind an answer only ends it."""
    return bool(_CLOSES.fullmatch(plain(_DRESS.sub("", line))))


def is_harmless(rest: str, own: Collection[str] = ()) -> bool:
    """Whether what follows an answer in its line changes nothing: how it was, how sure one is."""
    return bool(is_neutral(rest, own) or _FORMER.fullmatch(rest) or _SURE.fullmatch(rest))
