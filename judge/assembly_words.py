"""What words of an amendment can say where code goes by a law's numbers alone: nothing of these.

Where no judge applies words, words that repeal an article or say another fine would stand in the
law and do nothing. So words that name an article, a number of the law or what it takes must say
what the amendment's lines ``SET`` do; without such lines they must name none of it. Other words
pass, and everybody is told that they bind by consent.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from bots.structured import AnswerError, is_frame, plain, takes_leave
from bots.structured.neutral import closes, is_neutral, is_why, says_why
from judge.constitution import SET_FORM, Amendment, Constitution
from records.text import caseless

#: What is told of words that were voted in.
BY_CONSENT = "(Words, which bind by consent: nothing carries them out.)"

#: An article by its number, in the languages that answers are read in.
_ARTICLE = caseless(
    r"(?:\b(?:articles?|art[i\xed]culos?|artikel|artigos?|articol[oi]|art|rules?|laws?|regla)\b"
    r"\.?|§|第)\s*#?(?P<number>\d{1,2})"
)
_SETS = re.compile(r"\bSET\b.*\d|\w=\s*\d|\}\s*$")
#: What the law takes, by whatever name.
_TAKEN = caseless(r"\b(?:fin(?:es?|ed|ing)|penalt(?:y|ies)|ban(?:s|ned)?|punish\w*)\b")
_FINED = caseless(r"\b(?:fin(?:es?|ed|ing)|penalt(?:y|ies)|pay(?:s|ing)?|cost(?:s|ing)?)\b")
_MORE = caseless(r"\b(?:rais\w+|increas\w+|higher|more|dearer|stricter|harsher|stronger)\b")
_LESS = caseless(r"\b(?:lower\w*|reduc\w+|decreas\w+|less|smaller|cheaper|milder|softer)\b")
_COUNTED = re.compile(r"(?<![\w.,])\d+(?:\.\d+)?")
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_IN_WORDS = caseless(rf"\b(?:{'|'.join(_WORDS)})\b")


def check_words(one: Amendment, law: Constitution) -> None:
    """Refuse words that would change what code carries out, and do not.

    Raises:
        AnswerError: there are some; the message says which line does it.
    """
    numbers = _named(one.text, law)
    article = _ARTICLE.search(one.text)
    held = article["number"] if article else ""
    if article:
        numbers |= _named(dict(enumerate(law.articles, start=1)).get(int(held), ""), law)
    if not numbers and _TAKEN.search(one.text):
        numbers = _meant(one, law)
    others = sorted(numbers - one.sets.keys())
    if one.sets and (not numbers or numbers & one.sets.keys()):
        _check_amounts(one, law, is_named=bool(numbers or article or _TAKEN.search(one.text)))
        return
    if not (others or article or _TAKEN.search(one.text)):
        return
    what = f"article {held}" if article else others[0] if others else "what the law takes"
    which = (others if others else [*law.limits])[0]
    raise AnswerError(
        f"words change nothing of {what}, for only numbers are carried out: set them, such as "
        f"SET {which} = 0 for nothing, or leave {what} out of the words"
    )


def refuse_below_sets(answer: str, own: Collection[str]) -> None:
    """Refuse words below the last number that is set: they may limit it, and nothing follows them.

    Raises:
        AnswerError: there are some that do more than take leave, or say why.
    """
    lines = answer.splitlines()
    last = max((n for n, line in enumerate(lines) if _SETS.search(line)), default=len(lines))
    is_why_below = False
    for line in lines[last + 1 :]:
        said = plain(line)
        is_why_below |= is_why(said) or says_why(said)
        is_mere = is_frame(line) or is_neutral(line, own) or closes(line) or takes_leave(said)
        if said and not (is_mere or is_why_below):
            raise AnswerError(f"leave out {said[:60]!r} below what is set, which holds in any case")


def _named(words: str, law: Constitution) -> set[str]:
    """Return the numbers of a law that words name, in one word or several."""
    said = re.sub(r"[\W_]+", " ", words.casefold())
    return {name for name in law.limits if name.replace("_", " ") in said}


def _meant(one: Amendment, law: Constitution) -> set[str]:
    """Return the numbers that words about a fine mean: ``the fine for attacks``; none: any.

    Who is banned for attacks is told nothing of their fine.
    """
    said = one.text.casefold()
    parts = {name: name.split("_")[:-1] for name in law.limits}
    taken = {
        name
        for name, words in parts.items()
        if any(_TAKEN.fullmatch(word) and re.search(rf"\b{word}", said) for word in words)
    }
    if taken and not _FINED.search(said):
        return taken
    return taken | {
        name
        for name, words in parts.items()
        if any(word in said for word in words if not _TAKEN.fullmatch(word))
    }


def _check_amounts(one: Amendment, law: Constitution, *, is_named: bool) -> None:
    """Refuse words that say other numbers than those that are set, or none of what they name.

    Raises:
        AnswerError: they do.
    """
    said = _ARTICLE.sub("", one.text)
    told = {float(found) for found in _COUNTED.findall(said)}
    told |= {float(_WORDS.index(word.lower())) for word in _IN_WORDS.findall(said)} - {1.0}
    values = set(one.sets.values())
    if other := told - values - {*law.parameters.values()}:
        raise AnswerError(
            f"its words say {min(other):g}, which is not what it sets; only {SET_FORM} is carried "
            "out, at once and always: say the same number in its words, or none"
        )
    if is_named and not (told & values or values == {0.0} or _points(said, one.sets, law)):
        raise AnswerError(
            f"its words do not say what it sets: write {', '.join(f'{v:g}' for v in values)} in "
            "them, too, or leave out what they say of the law"
        )


def _points(words: str, sets: Mapping[str, float], law: Constitution) -> bool:
    """Whether words say that all that is set gets more, or less, as it does."""
    more, less = _MORE.search(words), _LESS.search(words)
    moves = {value > law.parameters[name] for name, value in sets.items()}
    return moves == {bool(more)} and bool(more) != bool(less)
