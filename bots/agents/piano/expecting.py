"""What a decision says that it will come to, how that is read, and what came of it in the world."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from bots.structured import AnswerError, plain
from records.text import caseless

EXPECT = "EXPECT"
#: Ours: an expectation that names no time is looked at after so many seconds.
WITHIN_S = 60.0
LONGEST_S = 3600.0
MOST_ITEMS = 1000
_NOTHING = caseless(r"\W*(?:nothing|none|no change|n/?a|-)?\W*")
_UNIT = r"(s|secs?|seconds?|min|minutes?|m)\b"
_WITHIN = caseless(
    rf"\bwithin\s+(?:about\s+)?(\d+(?:\.\d+)?)\s*(?:{_UNIT})?"
    rf"|\b(?:in|after)\s+(\d+(?:\.\d+)?)\s*{_UNIT}"
)
_SIGN = r"(?:(?P<sign>[+\u2212-])\s*)?"
_STOPS = "and|or|within|in|at|by|after|from|for|then|to|with|but|if"
_ITEM = caseless(
    rf"{_SIGN}(?<![\w.])(?P<count>\d+)\s*(?:x\s+|more\s+|of\s+|new\s+)*(?P<less>(?:fewer|less)\s+)?"
    rf"(?P<item>[a-z][a-z0-9_]*(?: (?!(?:{_STOPS})\b)[a-z][a-z0-9_]*){{0,2}})"
)
#: What stands between things: what is said before one belongs to it alone.
_BETWEEN = caseless(r"[,;+&]|\b(?:and|plus|then)\b")
#: Words before a number: those that say nothing of its sign, those of getting, and of losing.
_NEUTRAL = re.compile(
    r"i|ill|id|im|we|will|would|should|shall|can|could|expect|expecting|hope|hoping|to|be|about|around"
    r"|roughly|approximately|at|least|another|an|a|additional|extra|of|also|the|my|me|some|by|more|up"
    r"|probably|likely|hopefully|with|now|then"
)
_GETS = re.compile(
    r"have|got|(?:get|gain|receiv|obtain|collect|gather|harvest|min|dig|craft|mak|earn|find|tak|buy"
    r"|bring|pick|produc|bak|smelt|cut|chop|catch|add)(?:e|t)?(?:s|d|ed|ing)?"
)
_LOSES = re.compile(
    r"lost|spent|paid|away|over|minus|(?:los|giv|spend|pay|us|consum|eat|sell|drop|put|hand|donat"
    r"|deliver|cost)(?:e|t)?(?:s|d|n|ing)?"
)
_BEHIND = re.compile(
    r"_(?P<word>more|less|fewer|gone|lost|given|spent|eaten|sold|paid|used)(?:_\w+)?$"
)
#: Numbers of which nobody knows which one is meant, and things that go to somebody.
_UNCLEAR = caseless(
    r"\d\s*(?:-|\u2013|\bto\b|\bor\b)\s*[+-]?\d|\bor\b|\b(?:not?|never|none|without|if|unless)\b|n't\b"
)
_TO_SOMEBODY = caseless(r"\s+to\s+\w")
#: A remark in brackets on what there is now.
_NOW = caseless(r"\([^()]*\b(?:hold|have|had|now|currently|total|makes)\b[^()]*\)")
_AT = caseless(r"\b(?:at|be in|near)\s+(?:the\s+)?(.+)")
#: The form's own words, which name nothing.
_FORM = ("thing", "things")
_FORMS = (
    f"{EXPECT} takes a number and a thing, or a place: {EXPECT}: +2 thing within 40 s, "
    f"{EXPECT}: at place within 40 s, or {EXPECT}: nothing"
)

MET, PARTLY, MISSED, OTHER = "met", "partly", "missed", "other"


@dataclass(frozen=True)
class Forecast:
    """What somebody expects of a decision.

    Attributes:
        items: how many more (less: below 0) of each item it will hold.
        place: where it will be; empty: it does not say.
        within_s: by when, in seconds after the decision.
    """

    items: Mapping[str, int] = field(default_factory=dict)
    place: str = ""
    within_s: float = WITHIN_S

    def __str__(self) -> str:
        """Return it as prompts and records have it."""
        parts = [f"{count:+d} {item}" for item, count in self.items.items()]
        what = [", ".join(parts)] if parts else []
        if self.place:
            what.append(f"at {self.place}")
        return f"{', '.join(what)} within {self.within_s:g} s"


@dataclass(frozen=True)
class Ended:
    """An expectation whose time has come: what it was, and the world's account of it.

    Attributes:
        action: in words.
        forecast: what was expected of it.
        before: what was held when it was decided.
        after: what was held when it was over.
        is_there: whether one was at the place then.
        is_over: whether the action itself was over.
        hurt: how much health was lost meanwhile, of 20.
    """

    action: str
    forecast: Forecast
    before: Mapping[str, int]
    after: Mapping[str, int]
    is_there: bool
    is_over: bool
    hurt: float = 0.0

    def changes(self) -> dict[str, int]:
        """Return how many more or less of each item there are."""
        names = sorted({*self.before, *self.after})
        change = {name: self.after.get(name, 0) - self.before.get(name, 0) for name in names}
        return {name: count for name, count in change.items() if count}

    def outcome(self) -> str:
        """Return ``met``, ``partly``, ``missed``, or ``other``: something else came of it."""
        wanted, changes = self.forecast.items, self.changes()
        came = [_came(changes, item, count) for item, count in wanted.items()]
        fits = [
            got >= count if count > 0 else got <= count
            for got, count in zip(came, wanted.values(), strict=True)
        ]
        if self.forecast.place:
            fits.append(self.is_there)
        if all(fits):
            return MET
        moved = [got * count > 0 for got, count in zip(came, wanted.values(), strict=True)]
        if any(fits) or any(moved):
            return PARTLY
        return OTHER if changes or self.hurt else MISSED

    def in_words(self) -> str:
        """Return what came of it, as it is remembered."""
        came = [f"{count:+d} {item}" for item, count in self.changes().items()]
        if self.hurt:
            came.append(f"{self.hurt:g} health lost")
        if self.forecast.place and not self.is_there:
            came.append(f"I am not at {self.forecast.place}")
        told = ", ".join(came) or "nothing came of it"
        return f"I expected {self.forecast} of {self.action}, but {told}"


def _came(changes: Mapping[str, int], item: str, count: int) -> int:
    """Return by how much an item changed, however its number is written."""
    forms = [item, item.removesuffix("s"), item.removesuffix("es")]
    found = next((form for form in forms if form in changes), None)
    return changes[found] if found is not None and count else 0


def read_forecast(said: str, places: Sequence[str] = ()) -> Forecast | None:
    """Return what an answer's words after ``EXPECT:`` say; None: nothing.

    Args:
        said: such as ``+3 cobblestone within 40 s`` or ``at the market within 20 s``.
        places: places and people, whose names may be written in any case.

    Raises:
        AnswerError: it says something else.
    """
    text = plain(said)
    if _NOTHING.fullmatch(text):
        return None
    timed = _WITHIN.search(text)
    rest = f"{text[: timed.start()]} {text[timed.end() :]}" if timed else text
    items = _items(_NOW.sub(" ", rest))
    place = _place(rest, places)
    if not items and not place:
        raise AnswerError(_FORMS)
    return Forecast(items, place, _seconds(timed))


def _items(text: str) -> dict[str, int]:
    """Return how many more, or less, of each thing some words say; nothing that is not understood.

    Raises:
        AnswerError: a number may be another one, or its sign is not clear.
    """
    items: dict[str, int] = {}
    end, carried, is_unclear = 0, 1, bool(_UNCLEAR.search(text))
    for found in _ITEM.finditer(text):
        name = re.sub(r"\W+", "_", found["item"].strip().lower())
        if name in _FORM:
            continue
        before = _BETWEEN.split(text[end : found.start()])[-1].lower().replace("'", "")
        words = re.findall(r"\w+", before)
        loses, gets = (any(map(form.fullmatch, words)) for form in (_LOSES, _GETS))
        forms = (_NEUTRAL, _GETS, _LOSES)
        is_known = all(any(form.fullmatch(word) for form in forms) for word in words)
        if not is_known or is_unclear or (loses and gets) or _TO_SOMEBODY.match(text, found.end()):
            raise AnswerError(_FORMS)
        carried = -1 if loses else 1 if gets else carried
        behind = _BEHIND.search(name)
        name = name[: behind.start()] if behind else name
        is_less = found["less"] or (behind and behind["word"] != "more")
        sign = (
            -1 if found["sign"] in ("-", "\u2212") or is_less else 1 if found["sign"] else carried
        )
        items[name] = sign * min(int(found["count"]), MOST_ITEMS)
        end = found.end()
    return items


def _seconds(timed: re.Match[str] | None) -> float:
    if timed is None:
        return WITHIN_S
    number, unit = timed[1] or timed[3], timed[2] or timed[4] or "s"
    seconds = float(number) * (60 if unit.lower().startswith("m") else 1)
    return min(max(seconds, 1.0), LONGEST_S)


def _place(text: str, places: Sequence[str]) -> str:
    """Return which of the known places some words say that one will be at; empty: none."""
    found = _AT.search(text)
    if found is None:
        return ""
    said = found[1].strip(" .,;!").casefold()
    forms = {place.casefold().removeprefix("the "): place for place in places}
    return next((place for form, place in forms.items() if said.startswith(form)), "")
