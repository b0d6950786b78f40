"""Social awareness: what others say changes what the agent thinks of them, and of the matter.

An agent that keeps profiles (:attr:`bots.agents.piano.Agent.profiles`) also writes one line on each
other that it hears, or sees doing something.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Coroutine, Iterable, Iterator, Mapping
from dataclasses import field
from functools import partial
from itertools import chain
from typing import Any, ClassVar, TypeVar

from bots.agents.piano.agent import Agent, Heard
from bots.prompts import render
from bots.structured import (
    AnswerError,
    UnclearError,
    alone,
    has_other_number,
    is_aside,
    lines,
    own_words,
    refuse_taken_back,
    remembered,
    without_former,
)
from bots.values import made_often
from records import events
from records.text import caseless

V = TypeVar("V")

LOWEST, HIGHEST = 0, 10
MAX_HEARD = 12
#: Of a belief and of a profile.
MAX_BELIEF_CHARACTERS = 200
MAX_PROFILE_CHARACTERS = 200
_LIKES = caseless(
    r"LIKES?\b[:\s]+(?P<name>[^\W\d][\w']*(?:[ -][^\W\d][\w']*){0,2}?)"
    r"(?:\s+|\s*[:=,(]\s*|\s+[\u2013\u2014-]\s+)"
    r"(?P<number>-?\d++(?:\.\d++)?+)(?!\.?\d)\s*"
    r"(?:(?:/|of|out of)\s*10\b(?!.*\b(?:LIKES|BELIEVES)\b).*"
    r"|(?:\u2192|->)\s*(?P<now>\d++(?:\.\d++)?+)(?!\.?\d)\W*"
    r"|\([+-]\d++(?:\.\d++)?+\)\W*"
    r"|(?:(?!\W*\d)[(,;\uff0c\u2013\u2014-]|(?<=\s)(?:because|since)\b)"
    r"(?!.*\b(?:LIKES|BELIEVES)\b)(?!\s*(?:and\s+)?\w+\s+\d).*|\.)?"
)
#: Several likings in one line: ``LIKES Ben 7, Cora 5``.
_OTHER = r"[^\W\d]\w*[\s:=]+-?\d++(?:\.\d++)?+(?!\.?\d)(?:\s*(?:/|of|out of)\s*10\b)?"
_SEVERAL = caseless(rf"LIKES?[:\s]+{_OTHER}(?:(?:\s*[,;]\s*|\s+and\s+)(?:and\s+)?{_OTHER})+\.?")
_SPLIT = caseless(r"\s*[,;]\s*(?:and\s+)?|\s+and\s+")
_LIKES_HEAD = re.compile(r"LIKES\b|(?i:likes\s+\w+\s+-?\d)")
_BELIEVES = caseless(r"BELIE(?:VES?|FS?)\b[:\s]+([^:]{1,40}?)\s*:\s*+([^(\[\s].*)")
_BELIEVES_HEAD = re.compile(r"BELIEVES\b")
#: By how much a liking changed, behind its number.
_STEP = re.compile(r"\s*\([+-]\d++(?:\.\d++)?+\)")
#: Of how much it is, behind its number.
_SCALE = caseless(r"\s*(?:/|of|out of)\s*10\b")
#: What a liking turns to, behind its number.
_TURNS = caseless(
    r"(?:\W*(?:/|out of|of)\s*10\b)?\W*(?:but|though|although|however|unless|if|or)\b"
)
_ABOUT = caseless(r"ABOUT\b[:\s]+(\w[\w']*(?:[ -]\w[\w']*){0,2}?)(?:\s*\([^()]*\))?\s*:\s*(.+)")
_ABOUT_HEAD = re.compile(r"ABOUT\b")
_NOTHING = caseless(r"(?:.*\W)?NOTHING(?: (?:really )?(?:changes|changed|has changed|new))?\W*")
#: What is no name of one person: the form's own word, two, and what leads to a number.
_NO_NAME = caseless(
    r"(?:name|person|somebody|speaker)|.*(?:\band\b|&).*"
    r"|(?:.* )?(?:now|today|then|but|up|down|to|from|by|at|more|less|not|about|currently|is|was"
    r"|number)"
)
#: A form in which nothing is filled in, and a liking of 0 that may be none.
_NO_CHANGE = r"(?:none|nothing(?: new| changes| changed)?|no changes?|unchanged|n/a)\W*"
_EMPTY = caseless(
    rf"(?:LIKES?\b\W*|(?:BELIE(?:VES?|FS?)|ABOUT)\b(?:[^:]{{1,60}}:)?\W*){_NO_CHANGE}"
)
_UNCHANGED = caseless(r"\b0\b\W*(?:no change|unchanged|same|nothing)")
#: A line just as it is asked for: no word of it can be left out.
_FORM = re.compile(
    r"LIKES [^\W\d_]\w* (?:\d|10)"
    rf"|BELIEVES \w+: \w(?:[\w ,'-]|\.(?=\d)){{0,{MAX_BELIEF_CHARACTERS - 2}}}[\w%]"
)
#: What the fields are called, and words that say nothing.
_LIKINGS = own_words(
    """
    subject who matter score topic opinion what likes like liking likings believes believe
    beliefs belief name person number value of out 10 nothing changes changed update updates now
    from 0 to
    """
)
_PROFILES = own_words("what about profile profiles name person nothing changes changed")


@made_often
class SocialRequest:
    """What the prompt about things heard is rendered from.

    ``liked``: how much the agent liked the speakers before, name → 0 to 10; ``seen``: what others
    were seen to do, by name; ``profiles``: what the agent knew of these before, in a line each;
    None: such agents keep none.
    """

    role: ClassVar[str] = "social"

    agent: str
    traits: str
    heard: tuple[Heard, ...]
    liked: Mapping[str, int]
    seen: Mapping[str, str] = field(default_factory=dict)
    profiles: Mapping[str, str] | None = None

    def prompt(self) -> str:
        """Return the question in words."""
        heard = "\n".join(f"{one.speaker}: {one.text}" for one in self.heard)
        if self.profiles is not None:
            return render(
                "piano/profiles",
                name=self.agent,
                traits=self.traits,
                heard=heard or "(nothing)",
                seen="\n".join(f"{name}: {act}" for name, act in self.seen.items()) or "(nobody)",
                profiles="\n".join(f"{n}: {text}" for n, text in self.profiles.items()) or "-",
            )
        liked = "; ".join(sorted(f"{name} {value} of 10" for name, value in self.liked.items()))
        return render(
            "piano/social",
            name=self.agent,
            traits=self.traits,
            heard=heard,
            likes=liked or "-",
        )


def run(agent: Agent) -> Coroutine[Any, Any, None] | None:
    """Think about what was heard and seen since the last time, if anything was."""
    profiles, deeds = agent.profiles, agent.unjudged_deeds
    if not agent.unjudged and not deeds:
        return None
    count = min(MAX_HEARD, len(agent.unjudged))
    heard = tuple([agent.unjudged.popleft() for _ in range(count)])
    seen = {name: deeds.pop(name) for name in list(deeds)[:MAX_HEARD]} if deeds else {}
    about = {*seen, *[one.speaker for one in heard]}
    known = agent.sentiments
    request = SocialRequest(
        agent.name,
        agent.traits,
        heard,
        {one.speaker: known[one.speaker] for one in heard if one.speaker in known},
        seen,
        None if profiles is None else {n: text for n, text in profiles.items() if n in about},
    )
    people = _Acquainted(agent, about)
    read = partial(read_profiles if profiles is not None else read_social, people=people)
    return agent.ask(request, read, partial(_take, agent, about))


def _take(agent: Agent, about: Collection[str], found: Views | None) -> None:
    """Let an agent think of others what was read; ``about``: whom it was asked about."""
    if found is None:
        return
    profiles, (likings, beliefs, written) = agent.profiles, found
    for name, value in likings.items():
        if agent.sentiments.get(name) != value:
            agent.sentiments[name] = value
            agent.note(events.SentimentChanged, about=name, value=value)
    agent.beliefs.update(beliefs)
    meant = {name.casefold(): name for name in about} if written else {}
    for said_name, text in written.items():
        other = meant.get(said_name.casefold())
        if profiles is not None and other is not None and profiles.get(other) != text:
            profiles[other] = text
            agent.note(events.ProfileWritten, about=other, text=text)


class _Acquainted(Collection[str]):
    """The names of all of whom an agent can say anything, without a copy of a whole country for
    each answer.
    """

    def __init__(self, agent: Agent, about: Collection[str]) -> None:
        """``about``: those whom it is asked about."""
        self._agent = agent
        self._about = about

    def _groups(self) -> Iterator[Collection[str]]:
        yield self._agent.people
        yield self._agent.met
        yield self._agent.sentiments
        yield self._about

    def __contains__(self, name: object) -> bool:
        return any(name in group for group in self._groups())

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self._groups())

    def __len__(self) -> int:
        return len(set(self))


def _usual(name: str, people: Collection[str]) -> str | None:
    """Return a name as one of the people has it, in any case; None: nobody has."""
    if name in people:
        return name
    said = name.casefold()
    return next((one for one in people if one.casefold() == said), None)


#: Likings from 0 to 10 by name, beliefs by subject, profiles by name.
Views = tuple[dict[str, int], dict[str, str], dict[str, str]]


def read_profiles(answer: str, people: Collection[str] | None = None) -> Views:
    """Return what an answer says of others.

    Args:
        answer: of a model.
        people: of whom something can be said; None: of anybody.

    Raises:
        AnswerError: there is no line of a known form, nor the word NOTHING; or one is about nobody,
            about several, or about one who has another.
    """
    read = partial(_read_profiles, people=people)
    return alone(answer, read, _PROFILES, beside=_EMPTY, compared=lambda found: {*found[2]})


def _read_profiles(answer: str, people: Collection[str] | None) -> Views:
    told = lines(answer)
    said = [line for line in told if not _EMPTY.fullmatch(line)]
    found = [(line, _ABOUT.fullmatch(line)) for line in said]
    if any(m is None and _ABOUT_HEAD.match(line) for line, m in found):
        raise AnswerError("what is known of each is one line: ABOUT name: …")
    written = _once((m[1].strip(), m[2].strip()) for _, m in found if m)
    for name in written:
        if _NO_NAME.fullmatch(name) or (people is not None and _usual(name, people) is None):
            raise AnswerError(f"there is nobody called {name}; write a line ABOUT name: … for each")
    says_nothing = told != said or any(_NOTHING.fullmatch(line) for line in said)
    if not written and not says_nothing:
        raise AnswerError("there is no line ABOUT name: …, nor NOTHING")
    return {}, {}, {name: text[:MAX_PROFILE_CHARACTERS] for name, text in written.items()}


def _once(pairs: Iterable[tuple[str, V]]) -> dict[str, V]:
    """Return pairs as a mapping.

    Raises:
        AnswerError: two differ about the same.
    """
    found: dict[str, V] = {}
    called: dict[str, str] = {}
    for name, value in pairs:
        if found.setdefault(called.setdefault(name.casefold(), name), value) != value:
            raise AnswerError(f"the answer says two things of {name}; write one line for each")
    return found


def read_social(answer: str, people: Collection[str] | None = None) -> Views:
    """Return likings and beliefs; no profiles.

    Args:
        answer: of a model. A number between two is the nearest whole one, the greater of both.
        people: whom one can like; a liking of nobody is left out. None: anybody.

    Raises:
        AnswerError: there is no line of either form, nor the word NOTHING; nothing is left; or two
            lines differ about the same.
    """
    numbers, beliefs = _views(answer)
    meant = {name: name if people is None else _usual(name, people) for name in numbers}
    likings = {
        other: int(number + 0.5)
        for name, number in numbers.items()
        if (other := meant[name]) is not None
    }
    if numbers and not likings and not beliefs:
        raise AnswerError(f"there is nobody called {next(iter(numbers))}")
    return likings, dict(beliefs), {}


@remembered
def _views(answer: str) -> tuple[Mapping[str, float], Mapping[str, str]]:
    return alone(answer, _read_views, _LIKINGS, beside=_EMPTY, form=_FORM, compared=_told)


def _told(views: tuple[Mapping[str, float], Mapping[str, str]]) -> object:
    """Return of likings and beliefs what is the same where it is said in other words."""
    return views[0], {*views[1]}


def _read_views(answer: str) -> tuple[Mapping[str, float], Mapping[str, str]]:
    """Return how much an answer says that others are liked, by the names it has, and beliefs."""
    said = lines(answer, ("LIKES", "BELIEVES", "BELIEFS"))
    told = [one for line in said for one in _apart(line)]
    said = [line for line in told if not _EMPTY.fullmatch(line)]
    liked = [m for line in said if (m := _LIKES.fullmatch(line))]
    numbers = _once((m[1].strip(), float(m["now"] or m[2])) for m in liked)
    believed = [m for line in said if (m := _BELIEVES.fullmatch(line))]
    beliefs = _once((m[1], m[2].strip()[:MAX_BELIEF_CHARACTERS]) for m in believed)
    for belief in beliefs.values():
        refuse_taken_back(belief)
    if any(_BELIEVES_HEAD.match(line) and not _BELIEVES.fullmatch(line) for line in said):
        raise AnswerError("a belief is one line: BELIEVES subject: what you now believe or want")
    if any(map(_UNCHANGED.search, said)):
        raise UnclearError("a liking is one line for each person: LIKES name number")
    if any(map(_NO_NAME.fullmatch, numbers)):
        raise AnswerError("a liking is one line for each person: LIKES name number")
    if any(not LOWEST <= value <= HIGHEST for value in numbers.values()):
        raise AnswerError("a liking is a number from 0 to 10")
    behind = [_STEP.sub("", m.string[m.end("number") :], 1) for m in liked if not m["now"]]
    is_changed = any(map(has_other_number, behind)) or any(map(_TURNS.match, behind))
    is_changed = is_changed or not all(is_aside(_SCALE.sub("", one, count=1)) for one in behind)
    if is_changed or any(_LIKES_HEAD.match(line) and not _LIKES.fullmatch(line) for line in said):
        raise AnswerError("a liking is one line: LIKES name number")
    says_nothing = told != said or any(_NOTHING.fullmatch(line) for line in said)
    if not numbers and not beliefs and not says_nothing:
        raise AnswerError("there is no line LIKES or BELIEVES, nor NOTHING")
    return numbers, beliefs


def _apart(line: str) -> list[str]:
    """Return a line with several likings as a line for each, one of a liking without what it was,
    and any other as it is.
    """
    text = without_former(line) if _LIKES_HEAD.match(line) else line
    if not _SEVERAL.fullmatch(text):
        return [text]
    first, *others = _SPLIT.split(text)
    return [first, *(f"LIKES {other}" for other in others)]
