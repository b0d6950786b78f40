"""What the words of a judge model's finding say is paid: by whom, to whom, how much, or nothing.

Words that say another payment than the payments do show that one of the two was not meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import isclose

from bots.structured import NEUTRAL
from records.text import caseless

#: Payer, receiver and amount.
Moved = tuple[str, str, float]

_SAID = (
    "zero|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen"
    "|sixteen|seventeen|eighteen|nineteen|twenty"
)
_WORDS = _SAID.split("|")
_NUMBER = rf"(?:\d+(?:\.\d+)?|(?:{_SAID})\b)"
_MUST = r"(?:must|should|shall|will|has to|have to|is to|needs to|is obliged to)"
_PAYS = (
    r"(?:pays?|owes?|transfers?|gives?|compensates?|reimburses?|sends?|refunds?|repays?|remits?"
    rf"|hands? over|{_MUST} (?:pay|owe|transfer|give|compensate|reimburse|send|refund|repay|remit"
    r"|hand over))"
)
_GETS = (
    r"(?:receives?|gets|is owed|is due|is paid|is entitled to|collects?"
    rf"|{_MUST} (?:receive|get|collect|be paid))"
)
_IS_DUE = r"(?:is|are) (?:\w+ )?(?:due|owed|payable|paid|transferred)"
_EMERALDS = r"(?: emeralds?)?"
_GOES = r"(?:must|is|are|to|be|go|goes|move|moves|moved|due|paid|transferred|sent)"
_END = r"(?P<end>(?= in (?:all|total)\b|\s*[.!;,]|\s*$))"
_PART = re.compile(r"(?<=[.!?;])\s+|\n")
#: What a sentence says of a case that need not be: the words of a term.
_IN_GENERAL = caseless(r"\b(?:if|unless|when|whenever|per|each|every|would|else)\b")
#: That nothing is paid: of a player's payments (``pays``), or of any.
_NOTHING = caseless(
    r"\b(?:(?P<pays>(?:pays?|owes?|transfers?) (?:\w+ )?(?:nothing|none|zero)\b"
    r"|(?:(?:does|need|must|should|shall|will) not|(?:does|need|should|wo)n't)"
    r" (?:have to |need to )?(?:pay|owe|transfer)\b"
    r"|(?:is|are|was|were) (?:not|no longer) (?:required|obliged|obligated|bound|liable|supposed)"
    r" to (?:pay|owe|transfer|give|compensate|reimburse|refund|hand over)\b"
    r"|would (?:have )?(?:pay|paid|owed?)\b)"
    r"|(?:no|zero) (?:payments?|transfers?|compensation|emeralds)\b"
    r"(?: (?:is|are|needs? to be|has to be)?\s?(?:due|owed|made|paid|required|needed))?"
    r"|payments? (?:is|are|was|were|be|has been|have been) (?:not|never) (?:yet )?"
    r"(?:triggered|due|owed|made|required|needed|payable|necessary|activated|earned)\b"
    r"|nothing (?:(?:is|was|has to be|needs to be|to be)\s)?"
    r"(?:owed|due|paid|payable|transferred|follows|moves|changes hands)\b"
    r"|(?:nobody|no one|neither(?: player| side| party)?) (?:pays|owes|has to pay)\b"
    r"|(?:is|are|was|were|been) (?:waived|cancell?ed|void(?:ed)?|annulled|forgiven)\b)"
    r"(?! (?:for|other|beyond|besides|except|yet|but)\b)"
)
#: Behind that, what somebody pays all the same.
_PAYS_SOME = caseless(rf"\b{_PAYS} (?:\w+ ){{0,3}}?(?!zero\b){_NUMBER}")
#: The result of a reckoning, at the end of what is said.
_RESULT = caseless(
    r"(?:=|\b(?:makes?|comes? to|amounts? to|equals?|is equal to|adds? up to|totals|totalling"
    rf"|yields?|works? out (?:to|at|as)|results? in|which is)\b)\s*({_NUMBER}){_EMERALDS}\W*$"
)
#: What should be paid, beside what is.
_SHOULD = caseless(
    rf"\b(?:should|would|could|might|ought to)(?: have)?(?: \w+)? be(?:en)? (?:\w+ )?({_NUMBER})"
    rf"|(?<![\w.])({_NUMBER}){_EMERALDS} (?:should|would|could|might) (?:have been|be)\b"
)
#: What denies, in English and the commonest words of seven other languages.
DENIES = caseless(
    r"\b(?:not|cannot|no(?! (?:doubt|question|later|less|more|other)\b|\. ?\d)|nothing|none"
    r"|never|nobody|neither|nor|without|fail(?:s|ed|ure)?|unmet|unfulfilled|unsatisfied|lack(?:s|ed)?|missing|absent|void"
    r"|nicht|nichts|kein\w*|nie|nunca|nada|ning\w+|rien|pas|jamais|aucun\w*|non|niente|nessun\w*"
    r"|n\xe3o|nenhum\w*|\u043d\u0435|\u043d\u0435\u0442)\b|n't\b|\u4e0d|\u6ca1|\u7121|\u65e0"
    r"|\u306a\u3044|\u306a\u3057"
)
#: The sum at the end of a sentence that says who pays.
_IN_ALL = caseless(
    rf"\b(?:in (?:total|all)|altogether|total(?:ling| of)?)\W+({_NUMBER}){_EMERALDS}\W*$"
)


#: That nothing is paid beside that, or by those who pay nothing.
_NO_MORE = caseless(
    r"\b(?:no|nothing) (?:(?:further|other|more|additional) )*(?:payments?|transfers?)?[^.;:,!?]*"
)
#: That a term was kept, and nothing else.
_KEPT = caseless(
    r"(?:(?:the|this|each|every|both|all|all of the) )?(?:terms?|clauses?|contract)(?: \d{1,2})?"
    r" (?:was|were|is|are) (?:kept|fulfilled|met|satisfied)"
    r"|(?:both|all) players (?:have )?kept (?:to )?the contract"
)
#: What stands between the clauses of a sentence.
_CLAUSES = caseless(r"[.,;:!?\n\u2013\u2014]|\b(?:and|so|therefore|thus|hence|but|yet|which|who)\b")
#: How a sentence begins that sums up, and one that says of all that nothing is paid.
_SUM_UP = (
    r"(?:so|thus|therefore|hence|net(?: (?:payment|transfer|result|settlement|effect))?"
    r"|in (?:total|all|sum|short)|overall|total|altogether|sum(?:mary)?|result|conclusion)"
)
_ALL_NOTHING = caseless(
    rf"(?:{_SUM_UP}\W+)*(?:no (?:payments?|transfers?)|nothing|no emeralds)"
    r" (?:is|are|was|were) (?:due|owed|paid|made|transferred)"
)


#: Characters; a finding is a sentence or two.
_LONGEST = 2000
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
#: Words of findings in which nobody can say another payment than the one beside them.
_KNOWN = NEUTRAL - {"for", "settles", "settled"} | frozenset(
    f"""
    was emerald emeralds {_SAID.replace("|", " ")} pays pay owes owe must kept keep keeps held holds
    hold had
    fulfilled met satisfied broke broken breached violated did does do signal signalled
    signals sent used uses use took takes take gave mined mines harvested collected gathered
    got crafted cleaned ate eaten worth value values times x more fewer less than least most
    both all together raw iron diamond diamonds wheat ore pickaxe stone piece pieces apple
    apples during end total follow follows applies apply condition penalty agreed agreement
    it its they their who what after before time because since but promise promised whole
    one other
    """.split()
)


@dataclass(frozen=True)
class Told:
    """A payment in words; ``payer`` or ``receiver`` are empty where they are not said."""

    payer: str
    receiver: str
    amount: float


@lru_cache(maxsize=64)
def _forms(agents: tuple[str, ...]) -> tuple[tuple[re.Pattern[str], ...], re.Pattern[str]]:
    """Return the forms of a plain sentence that says a payment, and what any says with a number."""
    who = "|".join(map(re.escape, agents))
    of = rf"(?:(?:a|the) (?:total|sum) of )?(?P<n>{_NUMBER}){_EMERALDS}"
    plain = (
        rf"\b(?P<a>{who}) {_PAYS} (?:to )?(?:(?P<b>{who}) )?(?:with )?{of}"
        rf"(?: (?:in total )?to (?P<c>{who}))?{_END}",
        rf"\b(?P<b>{who}) {_GETS} {of}(?: (?:from|by) (?P<a>{who}))?(?P<c>){_END}",
        rf"(?<![\w.])(?<!\bof ){of} {_IS_DUE}(?: to (?P<b>{who}))?(?: (?:from|by) (?P<a>{who}))?"
        rf"(?: to (?P<c>{who}))?{_END}",
        rf"(?P<a>)(?P<c>)\b(?:he|she|it|they) {_PAYS} (?:to )?(?:with )?{of}"
        rf"(?: (?:in total )?to (?P<b>{who}))?{_END}",
        rf"(?P<c>)(?<![\w.]){of}(?: {_GOES})*? from (?P<a>{who}) to (?P<b>{who}){_END}",
        rf"(?P<c>)\b(?P<a>{who}) ?(?:\u2192|[-=]+>) ?(?P<b>{who}):? {of}{_END}",
    )
    said = (
        rf"\b(?:{who})\b(?:(?!\b(?:{who})\b)[^;]){{0,200}}?\b(?:{_PAYS}|{_GETS})\b\D{{0,100}}?({_NUMBER})"
        rf"|(?<![\w.])({_NUMBER}){_EMERALDS} {_IS_DUE}\b"
    )
    compiled = tuple(caseless(form) for form in plain)
    return compiled, caseless(said)


def says_payment(text: str, agents: Collection[str]) -> bool:
    """Whether a sentence says of a player that it pays or gets some positive number."""
    said = _forms(tuple(agents))[1]
    return any(_value(one[1] or one[2]) > 0 for one in said.finditer(text))


def contradiction(
    words: str, payments: Sequence[Moved], agents: Collection[str], is_told: bool = True
) -> str:
    """Return what some words say that payments do not; empty: they agree.

    A sentence such as ``Ann pays Bob 5.`` says one of the payments from Ann to Bob, their sum, or
    what is left of them where both pay. The last that is said of paying is not that nobody does.

    Args:
        words: of a finding.
        payments: its own, or those of all findings; one is above 0 at least.
        agents: the players.
        is_told: whether they are its own, so that it cannot say that nothing is paid.
    """
    takes_back = ""
    amounts = [amount for _, _, amount in payments]
    sums = [*amounts, sum(amounts)]
    for part in _PART.split(words):
        last = 0
        for told, end in _told(part, agents):
            is_plain = part[end : end + 1] != ","
            if not _agrees(told, payments, is_plain):
                return _in_words(told)
            last = max(last, end)
        whole = None if last else _IN_ALL.search(part)
        if whole and is_told and says_payment(part, agents) and not _is_one(_value(whole[1]), sums):
            return f"{_value(whole[1]):g}"
        nothing = is_told and _says_nothing(part[last:], payments, agents)
        is_taken_up = takes_back and (last or _PAYS_SOME.search(part))
        takes_back = nothing or ("" if is_taken_up else takes_back)
    result = _RESULT.search(words)
    if result and is_told and not _is_one(_value(result[1]), sums):
        return f"{_value(result[1]):g}"
    for one in _SHOULD.finditer(words) if is_told else ():
        if not _is_one(_value(one[1] or one[2]), sums):
            return one[0]
    return takes_back


def is_open(words: str, payments: Sequence[Moved], agents: Collection[str]) -> bool:
    """Whether words could say of payments something that no closed form sees.

    A finding says in one of the closed forms who pays (:func:`_told`), and behind that no more than
    known words do; or it consists of known words (:data:`_KNOWN`), such as what somebody held.
    """
    if len(words) > _LONGEST:
        return True
    parts = [part for part in _PART.split(words) if part.strip()]
    said = [n for n, part in enumerate(parts) if _told(part, agents)]
    others = parts[said[-1] + 1 :] if said else parts
    known = {name.casefold() for name in agents}
    payers = {payer.casefold() for payer, _, amount in payments if amount}
    silent = "|".join(map(re.escape, known - payers)) or "(?!)"
    return not all(
        repeats(part, payments, agents)
        or bool(caseless(rf"\W*(?:{silent}) (?:pays|owes) nothing\W*").fullmatch(part))
        or _is_known(part, known, payers)
        for part in others
    )


def _is_known(part: str, names: Collection[str], payers: Collection[str]) -> bool:
    """Whether a sentence has known words only; behind who pays it may say for what."""
    words = _words_of(_NO_MORE.sub("", part)) - {*names}
    who = "|".join(map(re.escape, payers)) or "(?!)"
    is_for = caseless(rf"\b(?:{who}) {_PAYS}\b.*\bfor\b").search(part)
    return all(word in _KNOWN or len(word) == 1 or (is_for and word == "for") for word in words)


def _words_of(text: str) -> set[str]:
    return {word.casefold().removesuffix("'s") for word in _WORD.findall(text)}


def lacks_payer(words: str, payments: Sequence[Moved], agents: Collection[str]) -> bool:
    """Whether words deny something, and nowhere say that somebody pays.

    ``The condition was not met.`` does not say why somebody should pay all the same; ``She did not
    signal, so she owes 5.`` does, and so does the amount behind the denial.
    """
    words = _NO_MORE.sub("", words)
    denied = list(DENIES.finditer(words))
    if not denied or says_payment(words, agents):
        return False
    for verb in caseless(rf"\b{_PAYS}\b").finditer(words):
        clause = _CLAUSES.split(words[: verb.start()])[-1]
        if not DENIES.search(clause):
            return False
    sums = [amount for _, _, amount in payments]
    behind = re.findall(rf"(?<![\w.]){_NUMBER}", words[denied[-1].end() :], re.IGNORECASE)
    return not any(_is_one(_value(number), [*sums, sum(sums)]) for number in behind)


def other_payer(words: str, payments: Sequence[Moved], agents: Collection[str]) -> str:
    """Return who pays by some words and does not by the payments; empty: nobody.

    Of a sentence in general (``if``, ``for each``) nothing follows.
    """
    payers = {payer for payer, _, amount in payments if amount}
    known = {name.casefold(): name for name in agents}
    who = "|".join(map(re.escape, agents))
    must = r"(?:(?:has|have|had|needs?|ought|is|was) (?:still )?to|must|should|shall|will)"
    pay = "(?:pay|owe|transfer|compensate|reimburse|refund|repay)"
    said = caseless(
        rf"\b(?P<a>{who}) (?:is the (?:one|player|party|side) (?:who |that )?)?"
        rf"(?:{must} (?:be the one to )?{pay}\b|{pay}s\b)"
        r"(?! (?:nothing|none|no|zero|0)\b)"
        rf"|\b(?:paid|owed|borne|payable|to pay) (?:by|from) (?P<b>{who})\b"
    )
    for part in _PART.split(words):
        if _IN_GENERAL.search(part) or DENIES.search(part):
            continue
        for one in said.finditer(part):
            name = known[(one["a"] or one["b"]).casefold()]
            if name not in payers:
                return name
    return ""


def repeats(part: str, payments: Sequence[Moved], agents: Collection[str]) -> bool:
    """Whether a sentence says no more than what payments say, or what is left of them.

    ``Net: Ann pays Bob 5 emeralds in total.`` and, where there are no payments, ``Nothing is due.``
    """
    text = " ".join(part.strip(" .!*_").split())
    if _KEPT.fullmatch(text):
        return True
    if _ALL_NOTHING.fullmatch(text):
        return not any(amount for _, _, amount in payments)
    who = "|".join(map(re.escape, agents))
    form = caseless(
        rf"(?:{_SUM_UP}\W+)*(?P<a>{who}) (?:{_PAYS}|\u2192|->) ?(?:(?P<b>{who}):? )?"
        rf"(?:a total of )?(?P<n>{_NUMBER}){_EMERALDS}(?: to (?P<c>{who}))?"
        r"(?: (?:in total|in all|net|overall|altogether))?"
    )
    found = form.fullmatch(text)
    if found is None:
        return False
    known = {name.casefold(): name for name in agents}
    receiver = known.get((found["b"] or found["c"] or "").casefold(), "")
    told = Told(known[found["a"].casefold()], receiver, _value(found["n"]))
    return _agrees(told, payments, is_plain=True)


def _told(part: str, agents: Collection[str]) -> list[tuple[Told, int]]:
    """Return the payments that a part says to be due, and where each ends."""
    known = {name.casefold(): name for name in agents}
    found = []
    for form in _forms(tuple(agents))[0]:
        for one in form.finditer(part):
            payer, receiver = one["a"] or "", one["b"] or one["c"] or ""
            told = Told(
                known.get(payer.casefold(), ""),
                known.get(receiver.casefold(), ""),
                _value(one["n"]),
            )
            is_general = part[one.end() : one.end() + 1] == "," and _IN_GENERAL.search(part)
            if told.amount > 0 and not is_general:
                found.append((told, one.end()))
    return found


def _agrees(told: Told, payments: Sequence[Moved], is_plain: bool) -> bool:
    """Whether payments are what is told; not plain: whether some go the way that it says."""
    there = [amount for *way, amount in payments if _is_way(told, way)]
    if not is_plain:
        return bool(there)
    back = [amount for *way, amount in payments if _is_way(told, way[::-1])]
    return bool(there) and _is_one(told.amount, [*there, sum(there), sum(there) - sum(back)])


def _is_way(told: Told, way: Sequence[str]) -> bool:
    return told.payer in ("", way[0]) and told.receiver in ("", way[1])


def _says_nothing(part: str, payments: Sequence[Moved], agents: Collection[str]) -> str:
    """Return what a part says of nothing being paid, where payments say otherwise."""
    payers = {payer.casefold() for payer, _, amount in payments if amount}
    who = caseless(rf"\b(?:{'|'.join(map(re.escape, agents))})\b")
    for one in _NOTHING.finditer(part):
        by = caseless(rf" (?:to \w+ )?(?:from|by) ({who.pattern})").match(part, one.end())
        before = who.findall(part, 0, one.start())
        subject = by[1] if by else before[-1] if before and one["pays"] else ""
        is_own = not subject or subject.casefold() in payers
        if is_own and not _PAYS_SOME.search(part, one.end()):
            return one[0]
    return ""


def _value(number: str) -> float:
    word = number.casefold()
    return float(_WORDS.index(word)) if word in _WORDS else float(number)


def _is_one(number: float, of: Sequence[float]) -> bool:
    return any(isclose(number, one, rel_tol=1e-9, abs_tol=1e-2) for one in of)


def _in_words(told: Told) -> str:
    parts = [told.payer and f"{told.payer} pays", f"{told.amount:g}"]
    return " ".join([*filter(None, parts), *([f"to {told.receiver}"] if told.receiver else [])])
