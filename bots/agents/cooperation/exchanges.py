"""What communication asks: what to say, what to answer, and how far to believe it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from voxpolis.bots.agents.cooperation.wording import (
    MOST_CLAIMS,
    MOST_LETTERS,
    MOST_WORDS,
    Claim,
    Language,
    Moment,
    Said,
    Terms,
    claims_type,
    listed,
    numbered,
    one_form,
    shares,
    usable,
)
from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, AnswerError, integer, line, narrowed, one_of
from voxpolis.bots.prompts import messages, quoted

Types = tuple[type[Answer], ...]


# --- To say something -----------------------------------------------------------------------------


class Nothing(Answer):
    """Say nothing."""

    do: Literal["NOTHING"] = "NOTHING"


class Ask(Answer):
    """Ask somebody something."""

    do: Literal["ASK"] = "ASK"
    to: str = Field(description="One of those who hear you.")
    message: str = Field(description=f"What you say, in at most {MOST_LETTERS} letters.")
    test: dict[str, Any] | None = Field(
        default=None, description="What you want to know whether it is so; null where no form fits."
    )


class Offer(Answer):
    """Offer somebody an agreement, which it can accept or refuse."""

    do: Literal["OFFER"] = "OFFER"
    to: str = Field(description="One of those who hear you.")
    message: str = Field(description=f"What you say, in at most {MOST_LETTERS} letters.")
    terms: list[dict[str, Any]] = Field(
        default=[], description="The terms that are checked; may be empty."
    )
    words: str | None = Field(
        default=None,
        description="Terms that no form says, which bind by word only; null for none. At most "
        f"{MOST_WORDS} letters.",
    )


class Spoken(Answer):
    """What an agent says to another, or that it says nothing."""

    act: Annotated[Nothing | Ask | Offer, Field(discriminator="do")] = Field(
        description="What you do."
    )
    claims: list[Said] = Field(default=[], description="What you say is so; may be empty.")


@lru_cache(256)
def _spoken_type(claims: Types, terms: Types, hearing: tuple[str, ...]) -> type[Spoken]:
    to, message = one_of(hearing), line(MOST_LETTERS)
    ask = narrowed(Ask, to=to, message=message, test=one_form(claims) | None)
    several: Any = Annotated[list[one_form(terms)], Field(max_length=MOST_CLAIMS)]  # type: ignore[misc]
    offer = narrowed(Offer, to=to, message=message, terms=several)
    act: Any = Annotated[Nothing | ask | offer, Field(discriminator="do")]
    return narrowed(Spoken, act=act, claims=claims_type(claims))


NO_TERMS = Terms("")


@dataclass(frozen=True)
class Words:
    """What an agent says to another, or that it says nothing.

    Attributes:
        act: what it does.
        to: to whom.
        text: what it says.
        test: the claim of which it asks whether it is so; None: it asks in no form.
        terms: those of an offer.
        claims: what it says is so.
    """

    act: Literal["nothing", "ask", "offer"]
    to: str = ""
    text: str = ""
    test: object = None
    terms: Terms = NO_TERMS
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True)
class SpeakRequest:
    """The question whether an agent wants to ask somebody something, or to offer an agreement."""

    role: ClassVar[str] = "speak"
    answer: ClassVar[type[Answer]] = Spoken

    moment: Moment
    hearing: tuple[str, ...]
    language: Language

    def messages(self) -> list[Message]:
        return messages(
            "cooperation/speak",
            **self.moment.fields(),
            hearing=", ".join(self.hearing),
            forms=listed(self.language.claims),
            promises=listed(self.language.promises),
            round=str(self.moment.round),
        )

    def narrow(self) -> type[Answer]:
        language = self.language
        return _spoken_type(language.claim_types(), language.term_types(), self.hearing)

    def value(self, answer: Spoken) -> Words:
        """Return what is said; claims about what does not exist are left out.

        Raises:
            AnswerError: it asks for what does not exist, or offers what cannot be terms. The terms
                of an offer are one deal: where one of them cannot be used, none is offered.
        """
        act = answer.act
        if isinstance(act, Nothing):
            return Words("nothing")
        claims = usable(answer.claims, self.language.claim_in)
        if isinstance(act, Ask):
            test = None if act.test is None else self.language.read_claim(act.test)
            return Words("ask", act.to, act.message, test, claims=claims)
        words = " ".join((act.words or "").split())
        if len(words) > MOST_WORDS:  # cut terms would be others
            raise AnswerError(f"words: at most {MOST_WORDS} letters")
        if not words and not act.terms:
            raise AnswerError("an offer has terms, or words")
        terms = self.language.read_terms(act.terms, words, (self.moment.name, act.to))
        return Words("offer", act.to, act.message, terms=terms, claims=claims)


# --- To answer ------------------------------------------------------------------------------------


_TRUST = "In percent, how far you believe each of its claims, in their order."


class Replied(Answer):
    """What an agent answers to a question."""

    trust: list[float] = Field(description=_TRUST)
    message: str = Field(description=f"What you answer, in at most {MOST_LETTERS} letters.")
    claims: list[Said] = Field(default=[], description="What you say is so; may be empty.")


class OfferReply(Answer):
    """Whether an agent accepts an offer."""

    trust: list[float] = Field(description=_TRUST)
    accept: bool = Field(description="Whether you accept the agreement.")
    claims: list[Said] = Field(default=[], description="What you say is so; may be empty.")


class Weighed(Answer):
    """How far an agent believes what another claims."""

    trust: list[float] = Field(description=_TRUST)


def _percents(count: int) -> Any:
    """Return the type of so many whole percents."""
    return Annotated[list[integer(0, 100)], Field(min_length=count, max_length=count)]  # type: ignore[misc]


@lru_cache(256)
def _replied_type(claims: Types, count: int) -> type[Answer]:
    message, said = line(MOST_LETTERS), claims_type(claims)
    return narrowed(Replied, trust=_percents(count), message=message, claims=said)


@lru_cache(256)
def _offer_reply_type(claims: Types, count: int) -> type[Answer]:
    return narrowed(OfferReply, trust=_percents(count), claims=claims_type(claims))


@lru_cache(256)
def _weighed_type(count: int) -> type[Answer]:
    return narrowed(Weighed, trust=_percents(count))


@dataclass(frozen=True)
class Reply:
    """What an agent answers.

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

    @property
    def answer(self) -> type[Answer]:
        return OfferReply if self.words.act == "offer" else Replied

    def messages(self) -> list[Message]:
        is_offer = self.words.act == "offer"
        terms = {}
        if is_offer:
            told = self.words.terms
            terms = {"terms": quoted(told.text), "binding": listed(told.binding)}
        return messages(
            "cooperation/reply_to_offer" if is_offer else "cooperation/reply",
            **self.moment.fields(),
            **terms,
            speaker=self.speaker,
            message=quoted(self.words.text),
            claims=numbered(self.words.claims),
            forms=listed(self.language.claims),
        )

    def narrow(self) -> type[Answer]:
        kind = _offer_reply_type if self.words.act == "offer" else _replied_type
        return kind(self.language.claim_types(), len(self.words.claims))

    def value(self, answer: Replied | OfferReply) -> Reply:
        """Return what is answered; claims about what does not exist are left out."""
        trust = _trust(answer.trust, self.words.claims)
        claims = usable(answer.claims, self.language.claim_in)
        if isinstance(answer, Replied):
            return Reply(answer.message, trust, claims)
        return Reply("ACCEPT" if answer.accept else "REFUSE", trust, claims, answer.accept)


@dataclass(frozen=True)
class WeighRequest:
    """The question how far an agent believes what another answered to it."""

    role: ClassVar[str] = "weigh"
    answer: ClassVar[type[Answer]] = Weighed

    moment: Moment
    speaker: str
    question: str
    said: str
    claims: tuple[Claim, ...]

    def messages(self) -> list[Message]:
        return messages(
            "cooperation/weigh",
            **self.moment.fields(),
            speaker=self.speaker,
            question=quoted(self.question),
            said=quoted(self.said),
            claims=numbered(self.claims),
        )

    def narrow(self) -> type[Answer]:
        return _weighed_type(len(self.claims))

    def value(self, answer: Weighed) -> tuple[float, ...]:
        """Return how far each claim is believed, from 0 to 1."""
        return _trust(answer.trust, self.claims)


def _trust(percents: Sequence[float], claims: Sequence[Claim]) -> tuple[float, ...]:
    if len(percents) != len(claims):
        raise AnswerError(f"trust: one number for each of the {len(claims)} claims")
    return shares(percents)
