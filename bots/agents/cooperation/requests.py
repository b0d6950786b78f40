"""The questions of the cooperation modules as structured data, and the parsing of the answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal, TypeVar, Union

from pydantic import Field

from voxpolis.bots.agents.cooperation.knowledge import Finding, Known
from voxpolis.bots.models import Message
from voxpolis.bots.models.typed import Answer, AnswerError, each, integer, line, narrowed, one_of
from voxpolis.bots.prompts import messages, quoted, quoted_line

# --- Parts that several questions share: the agent's situation, claims and terms ------------------
#
# The world defines which claims and which terms of agreements code can check (:class:`Language`).
# This module only passes the claims and terms on: as answer types for a model, and as values that
# print as a sentence.

# Maximum length of a message, and of the free text of an agreement, in characters.
MOST_LETTERS, MOST_WORDS = 240, 480
# Maximum number of hypotheses, predictions, claims or terms in one answer.
MOST_CLAIMS = 12

T = TypeVar("T")
U = TypeVar("U")


@dataclass(frozen=True)
class Moment:
    """The situation of an agent, as its cooperation modules see it.

    Attributes:
        character: a description of the agent's character; may be empty.
        place: one or two sentences that say where the agent is, and at what time.
        round: the current round, counted from 1.
        hour: the current time in the world.
        about: the agent's observation as structured data, for scripted minds.
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
    """A statement or a hypothesis of an agent.

    Attributes:
        test: the claim in the world's language, which code can check; None if the statement is free
            text.
    """

    text: str
    test: object = None


@dataclass(frozen=True)
class Terms:
    """The terms of an offered agreement.

    Attributes:
        text: all terms in words.
        words: the part in free text, which nothing enforces; may be empty.
        binding: the part that code checks, one line per term.
        value: the binding part, in the form that the world's institutions use.
    """

    text: str
    words: str = ""
    binding: tuple[str, ...] = ()
    value: object = None


@dataclass(frozen=True)
class Language:
    """The claims and promises that code can check in a world.

    Attributes:
        names: the names of the players.
        claims: the possible forms of a claim, as prompts list them.
        promises: the possible forms of a term, as prompts list them.
        claim_types: returns the answer types for claims, one per form.
        read_claim: converts an answer into a claim. Raises ``AnswerError`` if the answer mentions
            something that does not exist.
        term_types: returns the answer types for terms, one per form.
        read_terms: converts structured terms, free text and the names of the two parties into the
            terms of an offer. Raises ``AnswerError`` if the terms are invalid.
    """

    names: tuple[str, ...]
    claims: tuple[str, ...]
    promises: tuple[str, ...]
    claim_types: Callable[[], tuple[type[Answer], ...]]
    read_claim: Callable[[Mapping[str, Any]], object]
    term_types: Callable[[], tuple[type[Answer], ...]]
    read_terms: Callable[[Sequence[Mapping[str, Any]], str, tuple[str, str]], Terms]

    def claim_in(self, statement: Said) -> Claim:
        """Convert an answer into a claim.

        Raises:
            AnswerError: the answer mentions something that does not exist.
        """
        test = None if statement.test is None else self.read_claim(statement.test)
        return Claim(statement.statement, test)


class Said(Answer):
    """Something that is so."""

    statement: str = Field(description="In words.")
    test: dict[str, Any] | None = Field(
        default=None, description="The same in a form; null where none fits."
    )


def claim_type(claims: tuple[type[Answer], ...]) -> type[Said]:
    """Return the answer type for one claim, which uses one of the given forms or free text."""
    return narrowed(Said, statement=line(MOST_LETTERS), test=one_form(claims) | None)


def claims_type(claims: tuple[type[Answer], ...]) -> Any:
    """Return the answer type for a list of claims.

    Invalid claims are dropped, and valid claims are kept.
    """
    return each(claim_type(claims), MOST_CLAIMS)


def one_form(types: tuple[type[Answer], ...]) -> Any:
    """Return a union of answer types.

    The field ``form`` of an answer tells which of the types the answer has.
    """
    return Annotated[Union[types], Field(discriminator="form")]  # noqa: UP007


def usable(items: Sequence[T], read: Callable[[T], U]) -> tuple[U, ...]:
    """Apply ``read`` to each item, and return the results of the items that ``read`` accepts.

    Raises:
        AnswerError: ``read`` accepts none of the items. The error is that of the first item.
    """
    found, problems = [], []
    for one in items:
        try:
            found.append(read(one))
        except AnswerError as problem:
            problems.append(problem)
    if problems and not found:
        raise problems[0]
    return tuple(found)


# --- Lists in prompts -----------------------------------------------------------------------------


def numbered(claims: Sequence[Claim]) -> str:
    """Format claims as a numbered list; ``none`` if there are no claims."""
    lines = (
        f"{number}. {quoted_line(one.text if one.test is None else str(one.test))}"
        for number, one in enumerate(claims, start=1)
    )
    return "\n".join(lines) or "none"


def listed(lines: Iterable[str]) -> str:
    """Format lines as the list items of a prompt."""
    return "\n".join(f"- {line}" for line in lines) or "- nothing"


def shares(percents: Sequence[float]) -> tuple[float, ...]:
    """Convert percentages into fractions from 0 to 1."""
    return tuple(round(one / 100, 6) for one in percents)


# --------------------------------------------------------------------------------------------------

Verdict = Literal["true", "false", "unknown"]
# The subject of a hypothesis that is about no particular agent.
WORLD = "world"


# --- Understanding --------------------------------------------------------------------------------


class Hypothesis(Said):
    """A rule of the world, or a habit of an agent."""

    about: str = Field(default=WORLD, description=f"{WORLD}, or the name of whom it is about.")


class Induced(Answer):
    """Hypotheses of an agent."""

    hypotheses: list[Hypothesis] = Field(description="The rules and habits; may be empty.")


@lru_cache(256)
def _induced_type(claims: tuple[type[Answer], ...], names: tuple[str, ...]) -> type[Answer]:
    said = claim_type(claims).model_fields
    fields = {name: (said[name].annotation, said[name]) for name in ("statement", "test")}
    one = narrowed(Hypothesis, **fields, about=one_of((WORLD, *names)))
    return narrowed(Induced, hypotheses=each(one, MOST_CLAIMS))


@dataclass(frozen=True)
class InduceRequest:
    """A request for rules that explain what the agent has experienced recently.

    ``history`` holds the latest changes in the world that the agent has seen, oldest first.
    """

    role: ClassVar[str] = "induce"
    answer: ClassVar[type[Answer]] = Induced

    moment: Moment
    history: tuple[str, ...]
    language: Language

    def messages(self) -> list[Message]:
        return messages(
            "cooperation/induce",
            **self.moment.fields(),
            history=listed(self.history),
            forms=listed(self.language.claims),
        )

    def narrow(self) -> type[Answer]:
        return _induced_type(self.language.claim_types(), self.language.names)

    def value(self, answer: Induced) -> tuple[tuple[Claim, str], ...]:
        """Return the claims, each with its subject (``world`` or the name of an agent).

        Raises:
            AnswerError: every claim mentions something that does not exist.
        """
        return usable(answer.hypotheses, lambda one: (self.language.claim_in(one), one.about))


class Prediction(Answer):
    """Something that may be so, and how probable that is."""

    test: dict[str, Any] = Field(description="What may be so.")
    percent: float = Field(description="How probable it is, in percent.")


class Predicted(Answer):
    """Predictions of an agent."""

    predictions: list[Prediction] = Field(description="What you predict; may be empty.")


@lru_cache(256)
def _predicted_type(claims: tuple[type[Answer], ...]) -> type[Answer]:
    one = narrowed(Prediction, test=one_form(claims), percent=integer(0, 100))
    return narrowed(Predicted, predictions=each(one, MOST_CLAIMS))


@dataclass(frozen=True)
class PredictRequest:
    """A request for predictions, given the agent's plan."""

    role: ClassVar[str] = "predict"
    answer: ClassVar[type[Answer]] = Predicted

    moment: Moment
    plan: str
    rounds: int
    language: Language

    def messages(self) -> list[Message]:
        return messages(
            "cooperation/predict",
            **self.moment.fields(),
            plan=self.plan or "none yet",
            rounds=str(self.rounds),
            forms=listed(self.language.claims),
        )

    def narrow(self) -> type[Answer]:
        return _predicted_type(self.language.claim_types())

    def value(self, answer: Predicted) -> tuple[tuple[object, float], ...]:
        """Return the predicted claims with their probabilities.

        If the answer repeats a claim, the first probability counts.

        Raises:
            AnswerError: every prediction mentions something that does not exist.
        """
        read = self.language.read_claim
        found: dict[object, float] = {}
        for test, percent in usable(answer.predictions, lambda one: (read(one.test), one.percent)):
            found.setdefault(test, round(percent / 100, 6))
        return tuple(found.items())


class Checked(Answer):
    """Which hypotheses an agent's experience bears out."""

    verdicts: list[Verdict] = Field(description="A verdict for each hypothesis, in their order.")


@lru_cache(256)
def _checked_type(count: int) -> type[Answer]:
    verdicts = Annotated[list[Verdict], Field(min_length=count, max_length=count)]
    return narrowed(Checked, verdicts=verdicts)


@dataclass(frozen=True)
class CheckRequest:
    """A request to judge whether the agent's experience confirms its hypotheses in free text."""

    role: ClassVar[str] = "check"
    answer: ClassVar[type[Answer]] = Checked

    moment: Moment
    history: tuple[str, ...]
    findings: tuple[Finding, ...]

    def messages(self) -> list[Message]:
        numbered = (f"{n}. {quoted_line(one.text)}" for n, one in enumerate(self.findings, 1))
        return messages(
            "cooperation/check",
            **self.moment.fields(),
            history=listed(self.history),
            hypotheses="\n".join(numbered),
        )

    def narrow(self) -> type[Answer]:
        return _checked_type(len(self.findings))

    def value(self, answer: Checked) -> tuple[Verdict, ...]:
        if len(answer.verdicts) != len(self.findings):
            raise AnswerError(f"verdicts: one for each of the {len(self.findings)} hypotheses")
        return tuple(answer.verdicts)


# --- Reputation -----------------------------------------------------------------------------------


class Score(Answer):
    """How far an agent can be relied on."""

    name: str = Field(description="Who.")
    score: float = Field(description="From 0, not at all, to 10.")


class Rated(Answer):
    """How far each of the others can be relied on."""

    scores: list[Score] = Field(description="A score for each of the others.")


@lru_cache(256)
def _rated_type(names: tuple[str, ...]) -> type[Answer]:
    score = narrowed(Score, name=one_of(names), score=integer(0, 10))
    return narrowed(Rated, scores=each(score, len(names)))


@dataclass(frozen=True)
class RateRequest:
    """A request to rate how reliable the other agents are, given their recorded deeds.

    ``deeds`` lists for each agent its promises with their results, its breaches and its actions,
    but not what the agent said. ``kept`` says how many promises each agent has kept, and how many
    it has broken.
    """

    role: ClassVar[str] = "rate"
    answer: ClassVar[type[Answer]] = Rated

    name: str
    deeds: Mapping[str, tuple[str, ...]]
    kept: Mapping[str, tuple[int, int]]

    def messages(self) -> list[Message]:
        parts = (f"{name}:\n{listed(lines)}" for name, lines in self.deeds.items())
        return messages("cooperation/rate", name=self.name, deeds="\n\n".join(parts))

    def narrow(self) -> type[Answer]:
        return _rated_type(tuple(self.deeds))

    def value(self, answer: Rated) -> Mapping[str, float]:
        """Return a rating from 0 to 10 for each agent.

        If the answer rates an agent twice, the first rating counts.
        """
        scores = {one.name: one.score for one in reversed(answer.scores)}
        return {name: scores[name] for name in self.deeds if name in scores}


# --- Communication: what to say, what to answer, what to believe ----------------------------------

Types = tuple[type[Answer], ...]


# --- To say something -----------------------------------------------------------------------------


class Nothing(Answer):
    """Say nothing."""

    do: Literal["NOTHING"] = "NOTHING"


class Ask(Answer):
    """Ask another agent something."""

    do: Literal["ASK"] = "ASK"
    to: str = Field(description="One of those who hear you.")
    message: str = Field(description=f"What you say, in at most {MOST_LETTERS} letters.")
    test: dict[str, Any] | None = Field(
        default=None, description="What you want to know whether it is so; null where no form fits."
    )


class Offer(Answer):
    """Offer another agent an agreement, which it can accept or refuse."""

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
    """Message of an agent to another, or silence."""

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
    """A message from one agent to another, or silence.

    Attributes:
        test: the claim that the message asks about; None if the question is free text.
        claims: the claims that the message makes.
    """

    act: Literal["nothing", "ask", "offer"]
    to: str = ""
    text: str = ""
    test: object = None
    terms: Terms = NO_TERMS
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True)
class SpeakRequest:
    """A request to ask another agent something, to offer it an agreement, or to say nothing."""

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
        """Return the message. Claims about things that do not exist are dropped.

        Raises:
            AnswerError: the message asks about something that does not exist, or offers invalid
                terms. One invalid term makes the whole offer invalid, because the terms belong
                together.
        """
        act = answer.act
        if isinstance(act, Nothing):
            return Words("nothing")
        claims = usable(answer.claims, self.language.claim_in)
        if isinstance(act, Ask):
            test = None if act.test is None else self.language.read_claim(act.test)
            return Words("ask", act.to, act.message, test, claims=claims)
        words = " ".join((act.words or "").split())
        if len(words) > MOST_WORDS:  # a shortened text could mean something different
            raise AnswerError(f"words: at most {MOST_WORDS} letters")
        if not words and not act.terms:
            raise AnswerError("an offer has terms, or words")
        terms = self.language.read_terms(act.terms, words, (self.moment.name, act.to))
        return Words("offer", act.to, act.message, terms=terms, claims=claims)


# --- To answer ------------------------------------------------------------------------------------


_TRUST = "In percent, how far you believe each of its claims, in their order."


class Replied(Answer):
    """Answer of an agent to a question."""

    trust: list[float] = Field(description=_TRUST)
    message: str = Field(description=f"What you answer, in at most {MOST_LETTERS} letters.")
    claims: list[Said] = Field(default=[], description="What you say is so; may be empty.")


class OfferReply(Answer):
    """Answer of an agent to an offer."""

    trust: list[float] = Field(description=_TRUST)
    accept: bool = Field(description="Whether you accept the agreement.")
    claims: list[Said] = Field(default=[], description="What you say is so; may be empty.")


class Weighed(Answer):
    """How far an agent believes what another claims."""

    trust: list[float] = Field(description=_TRUST)


def _percents(count: int) -> Any:
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
    """An agent's answer to a message.

    Attributes:
        trust: the trust in each claim of the message, from 0 to 1.
        accepts: whether the agent accepts the offer in the message, if the message is an offer.
    """

    text: str
    trust: tuple[float, ...] = ()
    claims: tuple[Claim, ...] = ()
    accepts: bool = False


@dataclass(frozen=True)
class ReplyRequest:
    """A request to answer a message from another agent."""

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
        """Return the answer. Claims about things that do not exist are dropped."""
        trust = _trust(answer.trust, self.words.claims)
        claims = usable(answer.claims, self.language.claim_in)
        if isinstance(answer, Replied):
            return Reply(answer.message, trust, claims)
        return Reply("ACCEPT" if answer.accept else "REFUSE", trust, claims, answer.accept)


@dataclass(frozen=True)
class WeighRequest:
    """A request to state how far the agent trusts each claim of an answer that it received."""

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
        return _trust(answer.trust, self.claims)


def _trust(percents: Sequence[float], claims: Sequence[Claim]) -> tuple[float, ...]:
    if len(percents) != len(claims):
        raise AnswerError(f"trust: one number for each of the {len(claims)} claims")
    return shares(percents)
