"""Names in decisions: which place, person or thing is meant by what an answer says."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from bots.structured import AnswerError, is_aside
from bots.values import made_often

#: What follows the name of a thing, a place or a person and is none of it: why, where, what then.
_REMARK = re.compile(
    r"\s*(?:[(\[;:/&|?\u2192]|,\s|\.\s|\s[-\u2013\u2014]+\s|\s(?:because|since|so|as|to|for|from|at|in|near"
    r"|with|where|who|then|now|first|again|while|until|about|and|or)\b).*",
    re.IGNORECASE | re.DOTALL,
)
#: What may stand before a name, and leaves it the same: an article, and of which kind it is.
_ARTICLE = r"\W*(?:(?:back |over )?(?:to|at) )?(?:(?:the|a|an|my|our|this) )?"
_OF_PLACES = r"(?:(?:community|village|town|local|public|common|place) )?"
_OF_PEOPLE = (
    r"(?:(?:good|dear|old|close|best) )?(?:(?:friend|neighbou?r|colleague|partner|brother|sister"
    r"|mother|father|husband|wife|son|daughter|cousin|farmer|miner|smith|baker|builder) )?"
)
#: What may stand behind a name as a part of it.
_PLACE_ENDS = r"(?: (?:square|building|house|area|place))?"
_HOUSE = r"(?:'s (?:house|place|home))?"
#: How a remark begins that gives a reason, in which others may be named, and where a person is.
_REASON = re.compile(
    r"(?:[,;.:]\s+|\s*[(\[]|\s+[-\u2013\u2014]+\s+|\s+)(?:because|since|as|so|until|while|where|who"
    r"|in order to|to(?! (?:the|a|an|my)\b))\s.*",
    re.IGNORECASE | re.DOTALL,
)
_WHERE = re.compile(r"\s+(?:at|in|near)\s[\w' ]+[.!]?", re.IGNORECASE)
#: How a remark begins in which nobody else can be named.
_PLAIN = re.compile(
    r"(?:[,;.:]\s|\s*[(\[]|\s+[-\u2013\u2014]+\s|\s+(?:for|at|in|on|near|with|now|right now|today"
    r"|again|first|please)\b).*|\W*",
    re.IGNORECASE | re.DOTALL,
)
#: Of those that one knows, so many are named in a complaint.
MOST_TOLD = 40


@made_often
class Known:
    """What an agent can name.

    Attributes:
        own: its own name, which it cannot mean.
        places: by name.
        people: those that it knows, who are told in complaints, the nearest first.
        others: everybody who lives there.
        finds: whether its body can head for something of just this name that it knows nothing of.
    """

    own: str = ""
    places: Sequence[str] = ()
    people: Sequence[str] = ()
    others: Collection[str] = ()
    finds: Callable[[str], bool] | None = None

    def meant(self, verb: str, name: str, deeds: str, *, is_person: bool = False) -> str:
        """Return which place or person a name means, in any case, with an article or a remark.

        Args:
            verb: before the name, for the complaint.
            name: as it was said.
            deeds: a regular expression of all verbs.
            is_person: whether it can only be a person.

        Raises:
            AnswerError: there is none of that name, or it may be several.
        """
        found: str | None = name
        if not (name in self.places or name in self.people or name in self.others):
            names = list(dict.fromkeys([*self.places, *self.people, *self.others]))
            people = {*self.people, *self.others} - {*self.places}
            found = _known(name, names, people, deeds, is_person=is_person)
        if found is None and self.finds is not None and self.finds(name.strip()):
            found = name.strip()
        if found in (None, self.own) or (is_person and found in self.places):
            told = ", ".join(self._told(is_person)) or "nobody that you know"
            raise AnswerError(
                f"{verb} {name[:40]}: that is not one of: {told}; name one, and no more"
            )
        return str(found)

    def _told(self, is_person: bool) -> Iterator[str]:
        """Yield the names in complaints."""
        named = self.people if is_person else [*self.places, *self.people]
        yield from [one for one in dict.fromkeys(named) if one != self.own][:MOST_TOLD]


def things_meant(said: str, things: Collection[str]) -> list[str]:
    """Return which things some words can mean: one by its name, or all of which they are a part.

    Names of one and of many are the same, and so are those with spaces: "oak planks" means
    ``oak_planks``, and so does "planks" where nothing else is made of planks.

    Args:
        said: such as ``Oak Planks``.
        things: by name, in small letters, with _ between words.
    """
    name = re.sub(r"\W+", "_", said.strip().lower()).strip("_")
    if name in things:
        return [name]
    whole = same_things(name, things)
    words = [_forms(word) for word in name.split("_")]
    return whole or [one for one in things if name and _has_all(one, words)]


def same_things(name: str, things: Iterable[str]) -> list[str]:
    """Return the things of a name, of one or of many of them."""
    return [one for one in things if _forms(one) & _forms(name)]


def _has_all(thing: str, words: Iterable[set[str]]) -> bool:
    own = [_forms(word) for word in thing.split("_")]
    return all(any(word & mine for mine in own) for word in words)


def _forms(word: str) -> set[str]:
    """Return how a word is written of one thing, as far as its ending tells."""
    return {word, word.removesuffix("s"), word.removesuffix("es")}


def without_remark(text: str) -> str:
    """Return what is named at the beginning of a text, without what is said of it."""
    return _REMARK.sub("", text, count=1).strip()


def _known(
    name: str, known: Sequence[str], people: Collection[str], deeds: str, *, is_person: bool
) -> str | None:
    """Return which known one a name means, as the whole of it but for a remark; None: none.

    Whose house somebody goes to is whom it goes to; nothing is given to a house.
    """
    forms = {one.casefold().removeprefix("the "): one for one in reversed(known)}
    text = " ".join(name.split())
    there = [form for form in forms if form in text.casefold()]
    for form in sorted(there, key=len, reverse=True):
        one = forms[form]
        before, behind = (_OF_PEOPLE, "") if one in people else (_OF_PLACES, _PLACE_ENDS)
        behind = _HOUSE if one in people and not is_person else behind
        whole = rf"{_ARTICLE}{before}{re.escape(form)}{behind}(?![\w'])"
        found = re.match(whole, text, re.IGNORECASE)
        if found is not None:
            others = "|".join(re.escape(other) for other in there if other != form)
            rest = text[found.end() :]
            return one if _is_remark(rest, others, deeds, of_person=one in people) else None
    return None


def _is_remark(rest: str, others: str, deeds: str, *, of_person: bool) -> bool:
    """Whether what stands behind a name is nothing, or a remark that names no second one."""
    if not is_aside(f" {rest.strip()}", others, deeds):
        return False
    if _REASON.fullmatch(rest) or (of_person and _WHERE.fullmatch(rest)):
        return True
    is_named = bool(others) and re.search(rf"\b(?:{others})\b", rest, re.IGNORECASE)
    return bool(_PLAIN.fullmatch(rest)) and not is_named
