"""What a decision says that it will come to, how that is read, and what came of it in the world."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from bots.agents.piano.names import same_things
from bots.structured import AnswerError, plain

EXPECT = "EXPECT"
#: Ours: an expectation that names no time is looked at after so many seconds.
WITHIN_S = 60.0
LONGEST_S = 3600.0
MOST_ITEMS = 1000
_UNIT = r"(?:s|secs?|seconds?|min|minutes?|m)"
_WITHIN = re.compile(
    rf"(?:within\s+(?:about\s+|the\s+next\s+)?(?P<number>\d+(?:\.\d+)?)(?:\s*(?P<unit>{_UNIT}))?"
    rf"|(?:in|after)\s+(?P<later>\d+(?:\.\d+)?)\s*(?P<of>{_UNIT}))(?![\w%]|[.,-]\d)",
    re.IGNORECASE,
)
#: What stands behind a label where there is nothing to say.
SAYS_NOTHING = (
    r"(?:nothing|none|null|nil|n/?a|no (?:subject|topic))"
    r"(?:\s+(?:special|new|else|much|at all|in particular))?"
)
_NOTHING = re.compile(
    rf"\W*(?:(?:{SAYS_NOTHING}|no change)(?:[,;.]\s+[^\d+-]*)?|-)?\W*", re.IGNORECASE
)
#: What ends the name of a thing.
_STOPS = (
    "and|or|nor|but|if|unless|until|when|while|because|since|as|so|then|than|not|no|within|without|with|in"
    "|into|on|onto|off|over|under|at|by|of|after|before|from|for|to|via|per|each|is|are"
)
_ITEM = re.compile(
    r"(?P<words>(?:[a-z']+[\s:]+)*)(?:(?P<sign>[+\u2013-])\s*)?(?<![\w.])(?P<count>\d+)\s*"
    r"(?:x\s+|more\s+|of\s+|new\s+)*(?P<less>(?:fewer|less)\s+)?"
    rf"(?P<item>(?!(?:{_STOPS})\b)[a-z][a-z0-9_]*"
    rf"(?: (?!(?:{_STOPS})\b)[a-z][a-z0-9_]*){{0,2}})(?!\w)",
    re.IGNORECASE,
)
#: What stands between parts, and may end them.
_BETWEEN = re.compile(r"[\s,;:&.!]*(?:\b(?:and|plus|then)\b\s*)?", re.IGNORECASE)
#: Words before a number: those that say nothing of its sign, those of getting, and of losing.
_NEUTRAL = re.compile(
    r"i|ill|id|im|we|will|would|should|shall|can|could|expect|expecting|hope|hoping|to|be|about|around"
    r"|roughly|approximately|at|least|another|an|a|additional|extra|also|the|my|me|some|by|more|up"
    r"|probably|likely|hopefully|with|now"
)
_GETS = re.compile(
    r"have|got|(?:get|gain|receiv|obtain|collect|gather|harvest|min|dig|craft|mak|earn|find|tak|buy"
    r"|bring|pick|produc|bak|smelt|cut|chop|catch|add)(?:e|t)?(?:s|d|ed|ing)?"
)
_LOSES = re.compile(
    r"lost|spent|paid|away|minus|(?:los|giv|spend|pay|us|consum|eat|sell|drop|put|hand|donat"
    r"|deliver|cost|deposit|plant|sow|stor|plac)(?:e|t)?(?:s|d|n|ed|ing)?"
)
#: Numbers in words, a thing before its number, and words that make a number the most there is.
_DIGITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_IN_WORDS = re.compile(rf"\b(?:{'|'.join(_DIGITS)})\b(?=\s+[a-z])", re.IGNORECASE)
_TURNED = re.compile(
    r"(?P<start>^|[,;]\s*|\band\s+)(?P<item>[a-z]\w*(?: [a-z]\w*){0,2})(?::\s*|\s+)"
    r"(?P<number>[+\u2013-]\s*\d+)"
    r"(?=\s*$|\s*[,;]|\s+(?:within|in|and)\b)",
    re.IGNORECASE,
)
_AT_MOST = re.compile(r"\bup to\s*[+\u2013-]?\s*\d", re.IGNORECASE)
#: What is done with somebody, or at a place, that is named behind the thing.
_GIVES_OR_TAKES = re.compile(rf"{_GETS.pattern}|{_LOSES.pattern}")
_BEHIND = re.compile(
    r"_(?P<word>more|less|fewer|gone|lost|given|spent|eaten|sold|paid|used)(?:_\w+)?$"
)
#: A remark in brackets on what there is now or why, and a reason at the end.
_REMARK = re.compile(
    r"\([^()]*\b(?:hold|have|had|now|currently|total|makes)\b[^()]*\)|\((?:because|since|as|from|for)\b[^()]*\)"
    r"|(?:[,;.]?\s+(?:because|since|as)\s|\s[-\u2013\u2014]+\s+(?!\d))[^\d]*$",
    re.IGNORECASE,
)
_AT = (
    r"(?:(?:i|i'll|i'm|will|should|to|be|am|arrive|stand|back|expect)\s+)*"
    r"(?:at|in|near)\s+(?:the\s+)?"
)
#: What may stand behind a place or a person as a part of it.
_ENDS = r"(?:'s(?: (?:house|place|home))?)?(?![\w'])"
#: The form's own words, which name nothing.
_FORM = ("thing", "things")
_FORMS = (
    f"{EXPECT} takes a number and a thing, or a place: {EXPECT}: +2 thing within 40 s, "
    f"{EXPECT}: at place within 40 s, or {EXPECT}: nothing"
)

Known = tuple[re.Pattern[str], Mapping[str, str], re.Pattern[str]]

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
    found = item if item in changes else next(iter(same_things(item, changes)), None)
    return changes[found] if found is not None and count else 0


def read_forecast(
    said: str, places: Sequence[str] = (), things: Collection[str] = ()
) -> Forecast | None:
    """Return what an answer's words after ``EXPECT:`` say; None: nothing.

    Args:
        said: such as ``+3 cobblestone within 40 s`` or ``at the market within 20 s``.
        places: places and people, whose names may be written in any case.
        things: those that there are, as far as it is known.

    Raises:
        AnswerError: it says something else.
    """
    text = " ".join(_REMARK.sub(" ", plain(said)).split())
    text = _IN_WORDS.sub(lambda one: str(_DIGITS.index(one[0].lower()) + 1), text)
    text = _joined(text, frozenset(things))
    text = _TURNED.sub(r"\g<start>\g<number> \g<item>", text)
    if _AT_MOST.search(text):
        raise AnswerError(_FORMS)
    if _NOTHING.fullmatch(_WITHIN.sub("", text)):
        return None
    found, at = _Parts(_known(places)), 0
    while at < len(text):
        between = _BETWEEN.match(text, at)
        start = between.end() if between else at
        is_apart = at == 0 or bool(between and between[0].strip())
        at = found.read(text, start, is_apart=is_apart) if start < len(text) else start
    if not found.items and not found.place:
        raise AnswerError(_FORMS)
    return Forecast(found.items, found.place, found.within_s or WITHIN_S)


@lru_cache(1024)
def is_nameable(thing: str) -> bool:
    """Whether an expectation can name a thing so that just this is read, with _ and with spaces."""
    said = [f"+1 {name}{when}" for name in (thing, _spaced(thing)) for when in ("", " within 40 s")]
    try:
        told = [read_forecast(one, (), (thing,)) for one in said]
    except AnswerError:
        return False
    return all(one is not None and one.items == {thing: 1} for one in told)


def _spaced(thing: str) -> str:
    return thing.replace("_", " ")


def _joined(text: str, things: frozenset[str]) -> str:
    """Return a text in which names that spaces cut short are one word: ``flint_and_steel``."""
    form = _cut_short(things)
    return form.sub(lambda one: re.sub(r"\s+", "_", one[0]), text) if form else text


@lru_cache(64)
def _cut_short(things: frozenset[str]) -> re.Pattern[str] | None:
    """Return what finds the things that are not read with spaces; None: there are none."""
    names = [_spaced(thing) for thing in sorted(things, key=len, reverse=True) if "_" in thing]
    cut = [
        name for name in names if not (found := _ITEM.match(f"1 {name}")) or found["item"] != name
    ]
    if not cut:
        return None
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, cut))})(?:e?s)?\b", re.IGNORECASE)


def _known(places: Sequence[str]) -> Known:
    """Return what finds a place behind ``at``, the places by what it finds, and what finds one
    that something is given to or taken from.
    """
    forms = {place.casefold().removeprefix("the "): place for place in places}
    names = "|".join(re.escape(form) for form in sorted(forms, key=len, reverse=True)) or r"(?!)"
    whom = rf"\s+(?:to|from|in|into)\s+(?:the\s+)?(?:{names}|(?-i:[A-Z][a-z]+)){_ENDS}"
    at = rf"{_AT}(?P<place>{names}){_ENDS}"
    return re.compile(at, re.IGNORECASE), forms, re.compile(whom, re.IGNORECASE)


@dataclass
class _Parts:
    """What an expectation says, read part by part from its beginning: all of it, or nothing.

    Attributes:
        known: see :func:`_known`.
        items: how many more of each thing.
        place: where one will be.
        within_s: by when; 0: it does not say so far.
        sign: of the last thing, which is that of the next one, if that has none.
    """

    known: Known
    items: dict[str, int] = field(default_factory=dict)
    place: str = ""
    within_s: float = 0.0
    sign: int = 1

    def read(self, text: str, start: int, *, is_apart: bool) -> int:
        """Read the part that begins somewhere, and return where it ends.

        Args:
            text: all that is said.
            start: where the part begins.
            is_apart: whether anything divides it from the one before.

        Raises:
            AnswerError: it is none of the forms, or says again what was said.
        """
        timed = _WITHIN.match(text, start)
        if timed is not None and not self.within_s:
            self.within_s = _seconds(timed)
            return timed.end()
        place = self.known[0].match(text, start)
        if place is not None and not self.place and is_apart:
            self.place = self.known[1][place["place"].casefold()]
            return place.end()
        item = _ITEM.match(text, start)
        if item is None or not (is_apart or (item["sign"] and not item["words"])):
            raise AnswerError(_FORMS)
        self._add(item)
        has_verb = any(map(_GIVES_OR_TAKES.fullmatch, item["words"].lower().split()))
        whom = self.known[2].match(text, item.end()) if has_verb else None
        return whom.end() if whom else item.end()

    def _add(self, found: re.Match[str]) -> None:
        """Add how many more, or less, of a thing there will be.

        Raises:
            AnswerError: its sign is not clear, it is named twice, or it is nothing.
        """
        words = re.findall(r"\w+", found["words"].lower().replace("'", ""))
        loses, gets = (any(map(form.fullmatch, words)) for form in (_LOSES, _GETS))
        is_known = all(
            any(form.fullmatch(word) for form in (_NEUTRAL, _GETS, _LOSES)) for word in words
        )
        name = re.sub(r"\W+", "_", found["item"].strip().lower())
        behind = _BEHIND.search(name)
        name = name[: behind.start()] if behind else name
        is_less = loses or found["less"] or (behind and behind["word"] != "more")
        is_unclear = (loses and gets) or (is_less and gets) or (is_less and found["sign"] == "+")
        is_unclear = is_unclear or (gets and found["sign"] not in (None, "+"))
        is_thing = name not in (*_FORM, *self.items) and not re.fullmatch(_UNIT, name)
        if not is_known or is_unclear or not is_thing:
            raise AnswerError(_FORMS)
        self.sign = -1 if loses else 1 if gets else self.sign
        sign = -1 if is_less else self.sign
        sign = sign if found["sign"] is None or is_less else 1 if found["sign"] == "+" else -1
        self.items[name] = sign * min(int(found["count"]), MOST_ITEMS)


def _seconds(timed: re.Match[str]) -> float:
    number, unit = timed["number"] or timed["later"], timed["unit"] or timed["of"] or "s"
    seconds = float(number) * (60 if unit.lower().startswith("m") else 1)
    return min(max(seconds, 1.0), LONGEST_S)
