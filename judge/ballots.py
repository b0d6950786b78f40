"""Reading ballots: one yes, no or abstain for each amendment."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

from bots.structured import (
    CORRECTS,
    AnswerError,
    UnconfirmedError,
    alone,
    is_neutral,
    lines,
    own_words,
    places,
    plain,
    rows_of,
    spoken,
    takes_back,
    unboxed,
    was_said,
)
from judge.constitution import CHOICES, Choice, sections
from records.text import caseless

_CHOICE = caseless(r"\b(yes|no|abstain)\b")
#: A choice that begins a sentence and is one, and one that ends it.
_BEGINS = caseless(
    r"\W*(?:(?:(?:i|my)\s+(?:vote|choice|answer)\s*(?:is|:)?"
    r"|i(?:'d| would|'ll| will)\s+(?:say|vote|answer))\W*)?(?P<choice>yes|no|abstain)"
    r"(?=\W*$|\s*[.,;:!()\u2013\u2014-]|\s+(?:because|since|as|to (?:it|this))\b)"
)
#: A choice that stands by itself, and begins no other words.
_STANDS = caseless(r"(?<![\w'-])(?P<choice>yes|no|abstain)(?!\.\s*\d)(?=\W*$|\s*[.,;:!)\]])")
#: As far from the end of a text as what ends it may begin.
_END_CHARACTERS = 100
_ENDS = caseless(r"(?:[:=\u2013\u2014]|\s-|\bvote)\s*\W*(?P<choice>yes|no|abstain)\W*$")
#: What makes an exception of a ballot that stands above.
_BUT = re.compile(r"^\W*but (?:yes|no|abstain)\b", re.IGNORECASE | re.MULTILINE)
_HANGS = caseless(
    r"\b(?:if|unless|provided)\b|(?:\b(?:cannot|can not|not|never)|n't)\s+(?:vote|say)\b"
)
#: What may stand before a ballot.
_LEAD = caseless(
    r"(?:(?:so|my|the|final|i|here is)\W+)*"
    r"(?:ballot|votes?|answer|choices?|decision|vote as follows)\W*(?:is|are)?\s*[:=]\s*"
)
_FOR_ONE = caseless(
    r"(?:(?:on|for)\s+)?(?:amendment[\s_]*#?|#|no\.|proposal\s*)\s*(\d+)"
    r"(?:\s*\([^()]*\))?\W*[:.)=\u2013\u2014-]?\s*(.*)"
)
#: One choice for all amendments: ``yes to all``, ``both: no``.
_FOR_ALL = caseless(
    r"(?:i\s+)?(?:vote\s+)?(?:(?P<first>yes|no|abstain)\W+(?:(?:to|on|for|from)\s+)?(?P<all>all|both|each|every)"
    r"|(?P<every>all|both)\W+(?P<last>yes|no|abstain))"
    r"(?:\s+(?:of|the|these|them|amendments?|one|(?P<count>two|three|four|five|\d)))*"
)
#: Choices with the numbers that they are for: ``Yes to 1 and 3, no to 2``.
_NUMBERS = (
    r"(?:(?:amendment|proposal|number)s?+\s*+)?+#?+\d{1,2}+(?:\s*+(?:,|&|\band\b)\s*+#?+\d{1,2}+)*+"
)
_TO_NUMBERS = caseless(
    rf"(?:i\s++)?+(?:vote\s++)?+(?P<choice>yes|no|abstain)\s++(?:to|on|for|from)\s++(?P<numbers>{_NUMBERS})"
    r"\s*+(?:[,;.]|$)?+\s*+(?:(?:and|but)\b\s*+)?+"
)
_ORDINALS = ("first", "second", "third", "fourth", "fifth")
_ORDINAL = caseless(rf"\bthe ({'|'.join(_ORDINALS)})(?: (?:one|amendment|proposal))?\b")
#: What a table may call the column that says the vote.
_VOTES = frozenset(("vote", "votes", "ballot", "choice", "my vote", "decision"))
#: Where the next amendment begins within a line.
_NEXT = caseless(r"(?<=[^\W_])[*_]*+\s*+[;,|]\s*+(?=[*_]*+amendment\s*+#?\d)")
#: A choice with a remark behind it, in brackets, behind a dash or as a reason; and a last reason.
_WITH_REMARK = caseless(
    r"\W*(?P<choice>yes|no|abstain)\b"
    r"(?:\W*|\s*\((?!\W*(?:or|but|not|yes|abstain)\b)[^()]*\)\W*|\s*(?:\s-|[:\u2013\u2014]).*|\s+(?:because|since)\b.*)"
)
_LAST_REASON = caseless(r"\s*(?:because|since|as)\b.*")
#: Where the next choice of a line may begin.
_APART = re.compile(r"[,;](?![^()]{0,100}\))")
#: A lead of a few words, in any language, and what leads to other things than a ballot.
_ANY_LEAD = re.compile(r"[^\W\d_]+(?:\s+[^\W\d_]+){0,4}\s*:\s*(?=\S)")
_OTHER_LEAD = caseless(
    r"\b(?:yes|no|abstain|not?|n't|never|examples?|instead|other|options?|if|could|might|draft"
    r"|both|all|each|every|says?|said|thinks?|votes|first|was|earlier|before|form|format)\b"
)
#: How objects and voters say yes and no, with nothing beside it.
_TRUTH: dict[str, Choice] = {
    **dict.fromkeys(("aye", "yea", "yes indeed"), "yes"),
    **dict.fromkeys(("nay", "no way"), "no"),
    **dict.fromkeys(("true", "for", "in favor", "in favour", "support", "approve"), "yes"),
    **dict.fromkeys(("false", "against", "oppose", "reject"), "no"),
}
#: A vote behind the number and the title of its amendment, which makes no vote of its own.
_TITLED = caseless(
    r"\W*(?:\d{1,2}[.)]|amendment[ _]?#?\d{1,2}\b)"
    r"(?![^:]*\b(?:yes|no|abstain|not|never|n't|if|unless|until|when|only|but|except|against|oppos\w*"
    r"|reject\w*|opposite|instead|i|we|he|she|they|votes?|voting|says?|said|thinks?|reads|was)\b)"
    r"[^:\n]{1,60}:\W*(?:yes|no|abstain)\W*"
)
_COUNTS = ("two", "three", "four", "five")
_ITEM = re.compile(r"^\s*(?:>\s*)*\(?(\d{1,2})[.):]\s*(.*)$")


#: Words of a ballot that say neither yes nor no.
_OWN = own_words(
    """
    one two three four five these them vote votes voting ballot ballots choice choices cast
    amendment amendments proposal proposals number to on of both all each i respectively order
    """
)


def read_ballot(answer: str, amendments: int) -> tuple[Choice, ...]:
    """Return the ballot of an answer: exactly one choice for each amendment.

    Raises:
        AnswerError: it holds other words, or too few or too many choices.
    """
    found = alone(answer, lambda text: _read(text, amendments), _OWN, bare=True, beside=_TITLED)
    remark = next(_remarks(answer), "")
    if remark and not was_said(found):
        raise UnconfirmedError(found, remark)
    return found


def _remarks(answer: str) -> Iterator[str]:
    """Yield what is said beside choices that stand in a row, or in a list."""
    split = ((line, _APART.split(line)) for line in spoken(answer).split("\n"))
    rows = [one for one, parts in split if parts[1:] and all(map(_BEGINS.match, parts))]
    for line in (*rows, *_texts([value for value, _, _ in places(answer)])):
        rest = _CHOICE.sub(" ", re.sub(r"[(\[]\d[)\]]", "", line))
        if rest != line and not is_neutral(rest, _OWN):
            yield " ".join(line.split())


def _texts(value: object) -> Iterator[str]:
    """Yield the texts of an object, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, dict)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from _texts(one)


def _read(answer: str, amendments: int) -> tuple[Choice, ...]:
    if takes_back(answer) or _BUT.search(answer):
        raise AnswerError(
            "the answer changes its mind; write the ballot once, and nothing behind it"
        )
    counted = re.findall(r"[(\[](\d+)[)\]](?!\s*:)", answer)
    if counted and counted != [str(n) for n in range(1, amendments + 1)]:
        raise AnswerError("write the ballot in the order of the amendments, without their numbers")
    single = (_by_number(answer, amendments), _for_the_only(answer, amendments))
    table = _in_a_table(answer, amendments)
    if table is not None and len(table) != amendments:
        raise AnswerError("the table has no yes, no or abstain for each amendment, in their order")
    if table is not None:
        return table
    numbered = (_to_numbers(line, amendments) for line in lines(answer))
    others = (*single, *numbered, *_in_a_row(answer, amendments))
    ballots = {ballot for ballot in others if ballot}
    if not ballots:
        others = (*_under_heads(answer, amendments), *_with_remarks(answer, amendments))
        ballots = {ballot for ballot in others if ballot}
    if len(ballots) != 1:
        times = "once" if amendments == 1 else f"{amendments} times"
        raise AnswerError(f"a ballot is {times} yes, no or abstain")
    return ballots.pop()


def _choices(text: str) -> tuple[Choice, ...]:
    words = (word.lower() for word in _CHOICE.findall(text))
    return tuple(choice for word in words for choice in CHOICES if choice == word)


def _by_number(answer: str, amendments: int) -> tuple[Choice, ...]:
    """Return the ballot of an answer with a line for each amendment; empty: it has none."""
    chosen: dict[int, Choice] = {}
    for line in (one for told in unboxed(answer).splitlines() for one in _NEXT.split(told)):
        found = _ITEM.match(line.replace("*", "")) or _FOR_ONE.match(plain(line))
        if found is None:
            continue
        number, text = int(found[1]), found[2]
        inner = _FOR_ONE.match(plain(text))
        if inner is not None:
            number, text = int(inner[1]), inner[2]
        for choice in _alone(plain(text)):
            if chosen.setdefault(number, choice) != choice:
                return ()
    if set(chosen) != set(range(1, amendments + 1)):
        return ()
    return tuple(chosen[number] for number in range(1, amendments + 1))


def _under_heads(answer: str, amendments: int) -> list[tuple[Choice, ...]]:
    """Return the ballot of choices under heads as amendments have them, ``***Amendment1***``."""
    chosen: dict[int, set[Choice]] = {}
    for number, body in sections(answer).items():
        chosen[number] = {choice for line in body[:1] for choice in _alone(line)}
    if sorted(chosen) != list(range(1, amendments + 1)) or any(
        len(c) != 1 for c in chosen.values()
    ):
        return []
    return [tuple(next(iter(chosen[number])) for number in sorted(chosen))]


def _with_remarks(answer: str, amendments: int) -> list[tuple[Choice, ...]]:
    """Return the ballots of lines whose choices have remarks, or whose only one has a lead."""
    found = []
    said = lines(answer)
    for line in said:
        lead = _LEAD.match(line)
        own = line[lead.end() :] if lead and not _OTHER_LEAD.search(lead[0]) else line
        text = own if lead or said[1:] else _without_lead(line)
        parts = _APART.split(text)
        if parts[1:] and _LAST_REASON.fullmatch(parts[-1]):
            parts.pop()
        chosen = [_alone(part) for part in parts if _WITH_REMARK.fullmatch(part)]
        if len(chosen) == len(parts) == amendments and all(len(one) == 1 for one in chosen):
            found.append(tuple(choice for one in chosen for choice in one))
    return found


def _in_a_table(answer: str, amendments: int) -> tuple[Choice, ...] | None:
    """Return the ballot of a table with a column for votes, a row for each; empty: it is none.

    None where there is no such table.
    """
    found: list[tuple[Choice, ...]] = []
    is_table = False
    for _, head, cells in rows_of(spoken(answer).split("\n")) if "|" in answer else ():
        named = [n for n, name in enumerate(head) if plain(name).strip(" ?").lower() in _VOTES]
        number = re.findall(r"\d+", cells[0]) if cells else []
        is_table = is_table or (bool(named) and len(head) > 2)
        if len(named) != 1 or len(head) != len(cells) or number != [str(len(found) + 1)]:
            continue
        told = plain(cells[named[0]])
        found.append(_choices(told) if _CHOICE.fullmatch(told) else ())
    if not is_table:
        return None
    is_whole = len(found) == amendments and all(len(one) == 1 for one in found)
    return tuple(choice for one in found for choice in one) if is_whole else ()


def _to_numbers(line: str, amendments: int) -> tuple[Choice, ...]:
    """Return the ballot of a line that names each amendment behind a choice; empty: it is none."""
    text = _LEAD.sub("", line, count=1) if _LEAD.match(line) else line
    text = _ORDINAL.sub(lambda one: str(_ORDINALS.index(one[1].lower()) + 1), text)
    chosen: list[tuple[int, Choice]] = []
    at = 0
    while at < len(text):
        part = _TO_NUMBERS.match(text, at)
        if part is None:
            return ()
        (choice,) = _choices(part["choice"])
        chosen += [(int(number), choice) for number in re.findall(r"\d+", part["numbers"])]
        at = part.end()
    if sorted(number for number, _ in chosen) != list(range(1, amendments + 1)):
        return ()
    return tuple(choice for _, choice in sorted(chosen))


def _alone(text: str) -> set[Choice]:
    """Return the choices that stand alone at the ends of a text: a title may begin with No.

    Where one does, so do those that stand by themselves within it: ``yes (I mean no)`` has two.
    """
    if _HANGS.search(text) or CORRECTS.search(text):
        return set()
    if (truth := text.strip(" .!").lower()) in _TRUTH:
        return {_TRUTH[truth]}
    found = (_BEGINS.match(text), _ENDS.search(text, max(0, len(text) - _END_CHARACTERS)))
    ends = {choice for one in found if one for choice in _choices(one["choice"])}
    within = (_choices(one["choice"]) for one in _STANDS.finditer(text))
    return ends.union(*within) if ends else ends


def _for_the_only(answer: str, amendments: int) -> tuple[Choice, ...]:
    """Return the ballot of sentences on one amendment, such as ``I vote yes.``; empty: none."""
    if amendments != 1:
        return ()
    told = (line for line in lines(answer) if not _FOR_ALL.fullmatch(line.strip(" .!")))
    said = {choice for line in told for choice in _alone(_LEAD.sub("", line, count=1))}
    return tuple(said) if len(said) == 1 else ()


def _in_a_row(answer: str, amendments: int) -> list[tuple[Choice, ...]]:
    """Return the ballots of lines, and of lines one after another, that are nothing else."""
    raw = [line for line in unboxed(answer).splitlines() if lines(line)]
    in_turn = (list(group) for _, group in groupby(raw, key=lambda line: bool(_row(line))))
    found = [_row(text) for text in (*raw, "\n".join(raw), *map("\n".join, in_turn))]
    said = lines(answer)
    found += [_for_all(line, amendments) for line in (*said, " ".join(said))]
    found += [_row(own) for line in said if (own := _without_lead(line)) != line]
    return [row for row in found if len(row) == amendments]


def _without_lead(line: str) -> str:
    """Return a line without a few words and a colon that lead to a ballot of one's own."""
    lead = _ANY_LEAD.match(line)
    return line[lead.end() :] if lead and not _OTHER_LEAD.search(lead[0]) else line


def _for_all(line: str, amendments: int) -> tuple[Choice, ...]:
    """Return the ballot of a line that says the same of all amendments; empty: it does not."""
    found = _FOR_ALL.fullmatch(line.strip(" .!"))
    if found is None:
        return ()
    both = (found["all"] or found["every"]).lower() == "both"
    said = (found["count"] or "two" * both).lower()
    if said and (_COUNTS.index(said) + 2 if said in _COUNTS else int(said)) != amendments:
        return ()
    return _choices(found["first"] or found["last"]) * amendments


def _row(raw: str) -> tuple[Choice, ...]:
    """Return the choices of lines, as they are, that say nothing else; empty: they do.

    Numbers beside them are those of the choices, in their order.
    """
    said = [_LEAD.sub("", line, count=1) if _LEAD.match(line) else line for line in lines(raw)]
    chosen = _choices(" ".join(said))
    numbers = [number.lstrip("0") for number in re.findall(r"\d+", raw)]
    if numbers and numbers != [str(n) for n in range(1, len(chosen) + 1)]:
        return ()
    rest = re.sub(r"\b(?:and|ballot|votes?)\b", "", _CHOICE.sub("", " ".join(said)))
    return () if re.search(r"[^\W\d_]", rest) else chosen
