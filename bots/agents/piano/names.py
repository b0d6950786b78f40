"""Names in decisions: which place or person is meant by what an answer says after its verb."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from bots.structured import AnswerError, is_aside
from records.text import caseless

#: What follows the name of a thing, a place or a person and is none of it: why, where, what then.
_REMARK = re.compile(
    r"\s*(?:[(\[;:/&|?\u2192]|,\s|\.\s|\s[-\u2013\u2014]+\s|\s(?:because|since|so|as|to|for|from|at|in|near"
    r"|with|where|who|then|now|first|again|while|until|about|and|or)\b).*",
    re.IGNORECASE | re.DOTALL,
)
#: A remark that may name a second one.
_SECOND = caseless(r"\s*(?:,|/|&|and\b|or\b|then\b)(?!\s*(?:because|since|as|so)\b)")
_SEVERAL = caseless(r"\b(?:or|and|then)\b|[,/&|?\u2192]")
#: Of those that one knows, so many are named in a complaint.
MOST_TOLD = 40


@dataclass(frozen=True)
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
        if all(name not in some for some in (self.places, self.people, self.others)):
            names = list(dict.fromkeys([*self.places, *self.people, *self.others]))
            found = _known(name, names, deeds)
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


def without_remark(text: str) -> str:
    """Return what is named at the beginning of a text, without what is said of it."""
    return _REMARK.sub("", text, count=1).strip()


def _known(name: str, known: Sequence[str], deeds: str) -> str | None:
    """Return which known one a name means, with or without a remark; None: none, or several."""
    bare = without_remark(name)
    forms = {one.casefold().removeprefix("the "): one for one in reversed(known)}
    for wanted in (name, bare):
        if found := forms.get(wanted.strip().casefold().removeprefix("the ")):
            rest = name[len(wanted) :]
            if not rest.strip():
                return found
            others = "|".join(re.escape(form) for form, one in forms.items() if one != found)
            is_second = _SECOND.match(rest) and re.search(rf"\b(?:{others})\b", rest, re.IGNORECASE)
            is_more = not is_aside(f" {rest.strip()}", others, deeds)
            return None if is_more or (others and is_second) else found
    ending = [one for form, one in forms.items() if _ends(bare.casefold(), form)]
    return ending[0] if len(ending) == 1 and not _SEVERAL.search(name) else None


def _ends(said: str, form: str) -> bool:
    """Whether words end with a name, and say before it only which one of its kind it is."""
    before = said.removesuffix(f" {form}")
    return before != said and not re.search(r"'s?\b|\b(?:not|other|another|next|new)\b", before)
