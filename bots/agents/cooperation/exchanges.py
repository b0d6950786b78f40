"""What communication asks a model: what to say, to answer and to believe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from bots.agents.cooperation.known import FREE
from bots.agents.cooperation.wording import (
    CLAIM,
    COUNTS,
    MOST_CLAIMS,
    MOST_LETTERS,
    MOST_TERMS,
    PLACES,
    Claim,
    Language,
    Moment,
    ReadClaim,
    beside_items,
    claim_of,
    listed,
    numbered,
    refuse_disorder,
    test_of,
)
from bots.prompts import quoted, render
from bots.structured import (
    AnswerError,
    Names,
    Parts,
    fields_alone,
    own_words,
    plain,
    read_choice,
    says_nothing,
)
from bots.structured.values import as_text, field_list, field_share, field_text, field_value
from records.text import caseless

Act = Literal["nothing", "ask", "offer"]


@dataclass(frozen=True)
class Words:
    """What an agent says to another, or that it says nothing.

    ``terms`` are those of an offer, ``test`` the checkable form of a question (``free``: it has
    none); ``claims`` what it says is so; ``binding`` what of the terms code checks.
    """

    act: Act
    to: str = ""
    text: str = ""
    terms: str = ""
    test: str = FREE
    claims: tuple[Claim, ...] = ()
    binding: tuple[str, ...] = ()


_ACTS: Mapping[str, Act] = {"NOTHING": "nothing", "ASK": "ask", "OFFER": "offer"}
#: What trust is made of, where it is an object for each claim.
_TRUST = Parts({"trust": ("belief",), "claim": COUNTS}, by_place=True)
#: The number of the claim that a trust is about, before it.
_COUNTED = caseless(r"^\W*(?:claim\s*#?\d{1,2}|\d{1,2}(?=[:)]))\W+(?=\d)")
#: What leads to what is said, besides.
_SAYING = own_words("message messages offer proposal proposed reply say what agreement question")
#: The fields of what somebody says.
_SPOKEN: Names = {"reasoning": (), "act": ("action",), "to": (), "message": (), "test": ()}
_SPOKEN = {**_SPOKEN, "terms": (), "claims": ("claim",)}


@dataclass(frozen=True)
class SpeakRequest:
    """The question whether an agent wants to ask somebody something, or to offer an agreement."""

    role: ClassVar[str] = "speak"

    moment: Moment
    hearing: tuple[str, ...]
    language: Language

    def prompt(self) -> str:
        """Return the question in words."""
        return render(
            "cooperation/speak",
            **self.moment.fields(),
            hearing=", ".join(self.hearing),
            forms=listed(self.language.claims),
            promises=listed(self.language.promises),
            round=str(self.moment.round),
        )

    def read(self, answer: str) -> Words:
        """Return what is said.

        Raises:
            AnswerError: it is to nobody who hears it, an act or its text is missing, or terms are
                partly in forms.
        """
        read_claim, hearing = self.language.read_claim, self.hearing

        def read(fields: dict[str, Any]) -> Words:
            act = read_choice(field_text(fields, "act"), _ACTS)
            if act is None:
                raise AnswerError('"Act" is NOTHING, ASK or OFFER')
            if act == "nothing":
                return Words("nothing")
            said = field_text(fields, "to").strip(" .").lower()
            to = next((name for name in hearing if name.lower() == said), "")
            if not to:
                raise AnswerError(f'"To" is one of those who hear you: {", ".join(hearing)}')
            text, claims = (
                field_text(fields, "message")[:MOST_LETTERS],
                claims_in(fields, read_claim),
            )
            if act == "ask":
                test = test_of(field_text(fields, "test", default=FREE), read_claim)
                return Words("ask", to, text, test=test, claims=claims)
            whole = "; ".join(_terms_of(field_value(fields, "terms")))
            if len(whole) > MOST_TERMS:  # cut terms would be others
                raise AnswerError(f'"Terms" have at most {MOST_TERMS} letters')
            binding = tuple(self.language.read_terms(whole, (self.moment.name, to)))
            return Words("offer", to, text, whole, claims=claims, binding=binding)

        if says_nothing(answer):
            return Words("nothing")
        return fields_alone(
            answer,
            read,
            _SPOKEN,
            inside={"claims": CLAIM},
            whole={"terms"},
            own=_SAYING,
            told=_said,
            binds=lambda found: found.act == "offer",
        )


def _said(words: Words) -> object:
    """Return what is the same of somebody's words where they are said again in others."""
    return words.act, words.to, words.test, words.terms, [one.test for one in words.claims]


def _terms_of(value: object) -> Iterator[str]:
    """Yield the terms of an offer, each without the mark of its line: a text has one a line.

    What an object says of a name begins with that name.

    Raises:
        AnswerError: there are none.
    """
    if isinstance(value, Mapping):
        for name, told in value.items():
            for said in told if isinstance(told, list) else [told]:
                text = as_text(said, "terms")
                is_named = str(name).isdecimal() or text.lower().startswith(str(name).lower())
                yield text if is_named else f"{name}: {text}"
        return
    lines: list[Any] = value if isinstance(value, list) else str(value or "").splitlines()
    kept: list[Any] = [line for line in lines if plain(str(line)).strip(" ;")]
    for line in kept or [None]:
        yield plain(as_text(line, "terms")).rstrip(" ;")


@dataclass(frozen=True)
class Reply:
    """What somebody answers.

    ``trust``: how far it believes each claim of the message; ``accepts``: of an offer.
    """

    text: str
    trust: tuple[float, ...] = ()
    claims: tuple[Claim, ...] = ()
    accepts: bool = False


@dataclass(frozen=True)
class ReplyRequest:
    """The question what an agent answers to what another said to it."""

    role: ClassVar[str] = "reply"

    moment: Moment
    speaker: str
    words: Words
    language: Language

    def prompt(self) -> str:
        """Return the question in words."""
        name = "cooperation/reply_to_offer" if self.words.act == "offer" else "cooperation/reply"
        terms = {}
        if self.words.act == "offer":
            checked = listed(self.words.binding)
            terms = {"terms": quoted(self.words.terms), "binding": checked}
        return render(
            name,
            **self.moment.fields(),
            **terms,
            speaker=self.speaker,
            message=quoted(self.words.text),
            claims=numbered(self.words.claims),
            forms=listed(self.language.claims),
        )

    def read(self, answer: str) -> Reply:
        """Return what somebody answers to a message.

        Raises:
            AnswerError: the answer or a trust is missing.
        """
        read_claim, words = self.language.read_claim, self.words

        def read(fields: dict[str, Any]) -> Reply:
            text = field_text(fields, "answer")[:MOST_LETTERS]
            trust, claims = _trust(fields, words.claims), claims_in(fields, read_claim)
            if words.act != "offer":
                return Reply(text, trust, claims)
            accepts = read_choice(text, {"ACCEPT": True, "REFUSE": False})
            if accepts is None:
                raise AnswerError('"Answer" is ACCEPT or REFUSE, and no more')
            return Reply(text, trust, claims, accepts=accepts)

        names = {"reasoning": (), "trust": (), "answer": (), "claims": ("claim",)}
        inside = {"claims": CLAIM}
        return fields_alone(
            answer,
            read,
            names,
            inside=inside,
            own=_SAYING,
            besides=_about,
            told=lambda found: (found.trust, [one.test for one in found.claims], found.accepts),
            binds=lambda _: words.act == "offer",
        )


@dataclass(frozen=True)
class WeighRequest:
    """The question how far an agent believes what another answered to it."""

    role: ClassVar[str] = "weigh"

    moment: Moment
    speaker: str
    question: str
    answer: str
    claims: tuple[Claim, ...]

    def prompt(self) -> str:
        """Return the question in words."""
        return render(
            "cooperation/weigh",
            **self.moment.fields(),
            speaker=self.speaker,
            question=quoted(self.question),
            said=quoted(self.answer),
            claims=numbered(self.claims),
            count=str(len(self.claims)),
        )

    def read(self, answer: str) -> tuple[float, ...]:
        """Return how far each claim is believed, from 0 to 1.

        Raises:
            AnswerError: there are too few or too many numbers.
        """
        names = {"reasoning": (), "trust": ()}
        return fields_alone(
            answer,
            lambda f: _trust(f, self.claims),
            names,
            inside={"trust": _TRUST},
            own=PLACES,
            besides=_about,
        )


def _trust(fields: Mapping[str, Any], claims: Sequence[Claim]) -> tuple[float, ...]:
    texts = [one.text if one.test == FREE else one.test for one in claims]
    refuse_disorder(field_list(fields, "trust"), "claim", texts)
    found = tuple(field_share(_trusted(one), "trust") for one in field_list(fields, "trust"))
    if claims and len(found) != len(claims):
        raise AnswerError(f'"Trust" has one number for each of the {len(claims)} claims')
    return found[: len(claims)]


def _about(fields: Mapping[str, Any]) -> object:
    """Return which claims an answer says that its trust is about."""
    return beside_items(fields, "trust", "claim")


def _trusted(one: object) -> object:
    """Return the number of an item of a list of trust, whatever says which claim it is about."""
    if isinstance(one, Mapping):
        return field_value(one, "trust")
    return _COUNTED.sub("", one) if isinstance(one, str) else one


def claims_in(fields: Mapping[str, Any], read_claim: ReadClaim) -> tuple[Claim, ...]:
    """Return what an answer claims to be so."""
    return tuple(claim_of(one, read_claim) for one in field_list(fields, "claims")[:MOST_CLAIMS])
