"""What the questions of all modules are made of: where an agent is, claims and their forms."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bots.agents.cooperation.known import FREE, Known
from bots.prompts import quoted_line
from bots.structured import AnswerError, NotThereError, Parts, plain, refuse_torn
from bots.structured.values import as_text, field_list, field_text, field_value
from records.text import caseless

#: Of a message, in letters.
MOST_LETTERS = 240
#: Of the terms of an agreement, in letters.
MOST_TERMS = 480
#: Of hypotheses, predictions or claims in one answer.
MOST_CLAIMS = 12

#: What a claim or hypothesis is made of.
CLAIM = Parts(
    {
        "text": ("claim", "statement", "hypothesis", "rule"),
        "kind": ("about",),
        "test": ("form", "checkable_form", "check"),
    }
)
#: What an item calls the number of what it is about.
COUNTS = ("number", "no", "no.", "nr", "id", "index", "item", "#")
#: Numbers of items, where a list is read by its items' places.
PLACES = frozenset(map(str, range(1, MOST_CLAIMS + 1)))
#: Which one an item is about, in words, and how an item in a line says its number first.
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_COUNTED = caseless(
    r"\W*(?P<which>(?:(?:the )?(?:hypothesis|claim|rule|statement|item|h|c|no\.?|number)\s*)?"
    rf"#?\d{{1,2}}|(?:the )?(?:{'|'.join(_ORDINALS)})(?: one)?|[a-z])"
    r"(?P<rest>(?:[.)]\s+|\s*[:=]|(?<=#\d)\s)\S?.*)"
)
#: Names of an object's fields within a test: several were run together.
_RUN_TOGETHER = caseless(r"[\W_](?:text|kind|test)\W?\s*[:=]")

#: Returns which forms the terms that one offers another hold; raises ``AnswerError`` where they
#: cannot be terms.
ReadTerms = Callable[[str, tuple[str, str]], Sequence[str]]
#: Returns a claim in the world's own words; raises ``AnswerError`` where it is in no form, and
#: ``NotThereError`` where it is about what does not exist.
ReadClaim = Callable[[str], str]


@dataclass(frozen=True)
class Moment:
    """Where an agent is, as its modules know it.

    Attributes:
        name: the agent's name.
        character: what it is told of its character; empty: nothing.
        world: what it is told of the world.
        place: where and when it is, in a sentence or two.
        observations: what it sees.
        changes: what has happened since its last turn.
        known: what its modules tell it.
        round: which round is played, from 1.
        hour: the world's time.
        about: the typed value of what it perceives, for scripted minds.
    """

    name: str
    character: str
    world: str
    place: str
    observations: tuple[str, ...]
    changes: tuple[str, ...]
    known: Known
    round: int
    hour: int
    about: object = None

    def fields(self) -> dict[str, str]:
        """Return the variables that every prompt begins with."""
        return {
            "name": self.name,
            "character": f"\n{self.character}" if self.character else "",
            "world": self.world,
            "place": self.place,
            "observations": listed(self.observations),
            "changes": listed(self.changes),
            "known": self.known.sections(),
        }


@dataclass(frozen=True)
class Claim:
    """Something that is said to be so, and its checkable form (``free``: it has none)."""

    text: str
    test: str


@dataclass(frozen=True)
class Language:
    """How an agent's world words what can be checked.

    Attributes:
        names: who plays.
        claims: the forms of claims.
        promises: the forms of promises.
        read_claim: returns a claim in the world's own words; raises ``AnswerError``.
        read_terms: returns which forms terms hold; where a world has none, they are words.
    """

    names: tuple[str, ...]
    claims: tuple[str, ...]
    promises: tuple[str, ...]
    read_claim: ReadClaim
    read_terms: ReadTerms = lambda _terms, _parties: ()


# --- What they have in common --------------------------------------------------------------------


def items_of(fields: Mapping[str, Any], name: str) -> list[Any]:
    """Return the first items of a list that must be there; it may be empty.

    Raises:
        AnswerError: it is not there, or is no list.
    """
    field_value(fields, name)
    return field_list(fields, name)[:MOST_CLAIMS]


def beside_items(fields: Mapping[str, Any], name: str, of: str) -> list[Mapping[str, Any]]:
    """Return what the items of a list say of which one each is about."""
    items = (one for one in field_list(fields, name) if isinstance(one, Mapping))
    return [{key: one[key] for key in (of, *COUNTS) if key in one} for one in items]


def refuse_disorder(items: Sequence[object], of: str, texts: Sequence[str]) -> None:
    """Refuse items that say which number each is about, in another order: they are read by place.

    Args:
        items: as they were answered.
        of: what they are about, in a word.
        texts: what they are about, in their order.

    Raises:
        AnswerError: one says another number than its own, or is about another text.
    """
    for place, one in enumerate(items, start=1):
        if isinstance(one, Mapping):
            said = next((str(one[key]) for key in (of, *COUNTS) if key in one), "")
            number = _number_of(said)
        else:
            counted = _COUNTED.fullmatch(str(one))
            said = str(one)[: counted.start("rest")] if counted else str(one).rpartition(":")[0]
            number = _number_of(counted["which"]) if counted else None
        _refuse_another(said, place, texts)
        if number is not None and number != place:
            raise AnswerError(f"item {place} says that it is number {number}: write all in order")


def _number_of(said: str) -> int | None:
    """Return the number that an item says it has; None: it says none."""
    which = plain(said).strip(" \"'().:#*").casefold().removeprefix("the ").removesuffix(" one")
    if which in _ORDINALS:
        return _ORDINALS.index(which) + 1
    if len(which) == 1 and "a" <= which <= "z":
        return ord(which) - ord("a") + 1
    found = re.fullmatch(r"(?:[^\W\d]+[\W_]*)?\W*(\d{1,2})\W*", said)
    return int(found[1]) if found else None


def _refuse_another(said: str, place: int, texts: Sequence[str]) -> None:
    told = [_plainly(text) for text in texts]
    if _plainly(said) in told and told[place - 1 : place] != [_plainly(said)]:
        raise AnswerError(f"item {place} is about {said[:40]!r}: write all in order")


def _plainly(text: str) -> str:
    return plain(text).strip(" .\"'").casefold()


def claim_of(one: object, read_claim: ReadClaim) -> Claim:
    """Return a claim; what is in no form says so.

    A text alone is a claim only where all of it is a form.

    Raises:
        AnswerError: it has no text, is a piece of something else, or its test is in no form.
        NotThereError: it is about what does not exist.
    """
    if not isinstance(one, Mapping):
        return _in_words(as_text(one, "text"), read_claim)
    test = field_text(one, "test", default="")
    if not test:
        return _in_words(field_text(one, "text"), read_claim)
    text = field_text(one, "text", default="" if _is_free(test) else test)
    if not text:
        raise AnswerError('the field "Text" is missing')
    refuse_torn(text, CLAIM.names)
    if _RUN_TOGETHER.search(f" {test}"):
        raise AnswerError(f"{test[:40]!r} is no form; write the whole object in JSON")
    return Claim(text[:MOST_LETTERS], test_of(test, read_claim))


def _in_words(text: str, read_claim: ReadClaim) -> Claim:
    """Return the claim of a line that is a form, and nothing else.

    Words beside a form could deny or limit it: ``Not so: tree 3 has apples``.
    """
    refuse_torn(text, CLAIM.names)
    try:
        test = read_claim(text.strip(" .*`\"'"))
    except NotThereError:
        raise
    except AnswerError as error:
        raise AnswerError(
            'each claim is an object with a "text" and a "test", which is "free" where no form '
            "fits, or a form alone"
        ) from error
    return Claim(text[:MOST_LETTERS], test)


def test_of(text: str, read_claim: ReadClaim) -> str:
    """Return the checkable form of words, or ``free`` where they say so.

    Raises:
        AnswerError: they are in no form, and do not say so.
        NotThereError: they are in one, about what does not exist.
    """
    if _is_free(text):
        return FREE
    try:
        return read_claim(text)
    except NotThereError:
        raise
    except AnswerError as error:
        raise AnswerError(f'{error}; where none fits, "Test" is "{FREE}"') from error


def _is_free(text: str) -> bool:
    return plain(text).strip(" .\"'").lower() in (FREE, "none")


def numbered(claims: Sequence[Claim]) -> str:
    """Return claims as a numbered list; ``none`` where there is none."""
    lines = (
        f"{number}. {quoted_line(one.text if one.test == FREE else one.test)}"
        for number, one in enumerate(claims, start=1)
    )
    return "\n".join(lines) or "none"


def listed(lines: Iterable[str]) -> str:
    """Return lines as a list of a prompt."""
    return "\n".join(f"- {line}" for line in lines) or "- nothing"
