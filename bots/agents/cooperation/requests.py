"""What the modules ask a model: typed values, the prompts of them, and how answers are read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from bots.agents.cooperation.hypotheses import FREE
from bots.agents.cooperation.known import Finding, Known
from bots.prompts import render
from bots.prompts.quoting import quoted, quoted_line
from bots.structured import AnswerError, only_reading
from bots.structured.fields import as_text, field_list, field_share, field_text, field_value

#: Of a message, in letters.
MOST_LETTERS = 240
#: Of hypotheses, predictions or claims in one answer.
MOST_CLAIMS = 12

Act = Literal["nothing", "ask", "offer"]
Verdict = Literal["true", "false", "unknown"]
#: Returns a claim in the world's own words; raises ``AnswerError`` where it is in no form.
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
            "observations": _listed(self.observations),
            "changes": _listed(self.changes),
            "known": self.known.sections(),
        }


@dataclass(frozen=True)
class Claim:
    """Something that is said to be so, and its checkable form (``free``: it has none)."""

    text: str
    test: str


# --- Understanding -------------------------------------------------------------------------------


@dataclass(frozen=True)
class InduceRequest:
    """The question which rules would explain the present from the past.

    ``history`` are the latest changes that the agent saw, oldest first; ``names`` who plays;
    ``forms`` how what can be checked is worded.
    """

    role: ClassVar[str] = "induce"

    moment: Moment
    history: tuple[str, ...]
    names: tuple[str, ...]
    forms: tuple[str, ...]

    def prompt(self) -> str:
        """Return the question in words."""
        return render(
            "cooperation/induce",
            **self.moment.fields(),
            history=_listed(self.history),
            forms=_listed(self.forms),
        )


def read_hypotheses(
    answer: str, names: Sequence[str], read_claim: ReadClaim
) -> tuple[tuple[Claim, str], ...]:
    """Return the claims of an answer, each with what it is about: ``world`` or a name.

    What is in no checkable form is free.

    Raises:
        AnswerError: there is no list of hypotheses.
    """

    def read(fields: dict[str, Any]) -> tuple[tuple[Claim, str], ...]:
        return tuple(
            (claim, _about(one, names))
            for one in _listed_in(fields, "hypotheses")
            for claim in [_claim(one, read_claim)]
        )

    return only_reading(answer, read)


def _about(one: object, names: Sequence[str]) -> str:
    kind = field_text(one, "kind", default="world") if isinstance(one, Mapping) else "world"
    said = kind.lower().removeprefix("agent").strip(" :")
    return next((name for name in names if name.lower() == said), "world")


@dataclass(frozen=True)
class PredictRequest:
    """The question what will be so in some rounds, if the agent does as it plans."""

    role: ClassVar[str] = "predict"

    moment: Moment
    plan: str
    rounds: int
    forms: tuple[str, ...]

    def prompt(self) -> str:
        """Return the question in words."""
        return render(
            "cooperation/predict",
            **self.moment.fields(),
            plan=self.plan or "none yet",
            rounds=str(self.rounds),
            forms=_listed(self.forms),
        )


def read_predictions(answer: str, read_claim: ReadClaim) -> tuple[tuple[str, float], ...]:
    """Return checkable forms with how probable each is.

    Raises:
        AnswerError: one is in no form, or has no probability.
    """

    def read(fields: dict[str, Any]) -> tuple[tuple[str, float], ...]:
        found = []
        for one in _listed_in(fields, "predictions"):
            if not isinstance(one, Mapping):
                raise AnswerError('each prediction has a "test" and a "probability"')
            test = read_claim(field_text(one, "test"))
            found.append((test, field_share(field_value(one, "probability"), "probability")))
        return tuple(found)

    return only_reading(answer, read)


@dataclass(frozen=True)
class CheckRequest:
    """The question which hypotheses that no code can check an agent's experience bears out."""

    role: ClassVar[str] = "check"

    moment: Moment
    history: tuple[str, ...]
    findings: tuple[Finding, ...]

    def prompt(self) -> str:
        """Return the question in words."""
        numbered = (f"{n}. {quoted_line(one.text)}" for n, one in enumerate(self.findings, 1))
        return render(
            "cooperation/check",
            **self.moment.fields(),
            history=_listed(self.history),
            hypotheses="\n".join(numbered),
            count=str(len(self.findings)),
        )

    def read(self, answer: str) -> tuple[Verdict, ...]:
        """Return a verdict for each hypothesis.

        Raises:
            AnswerError: there are too few or too many, or other words.
        """
        return only_reading(answer, self._verdicts)

    def _verdicts(self, fields: dict[str, Any]) -> tuple[Verdict, ...]:
        said = [str(one).strip(" .").lower() for one in field_list(fields, "verdicts")]
        found: list[Verdict] = []
        for one in said:
            if one not in ("true", "false", "unknown"):
                raise AnswerError("a verdict is true, false or unknown")
            found.append(one)  # type: ignore[arg-type]  # mypy does not narrow by a tuple
        if len(found) != len(self.findings):
            raise AnswerError(f"there are {len(self.findings)} hypotheses to judge")
        return tuple(found)


# --- Communication -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Words:
    """What an agent says to another, or that it says nothing.

    ``terms`` are those of an offer, ``test`` the checkable form of a question (``free``: it has
    none); ``claims`` what it says is so.
    """

    act: Act
    to: str = ""
    text: str = ""
    terms: str = ""
    test: str = FREE
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True)
class SpeakRequest:
    """The question whether an agent wants to ask somebody something, or to offer an agreement."""

    role: ClassVar[str] = "speak"

    moment: Moment
    hearing: tuple[str, ...]
    forms: tuple[str, ...]
    promises: tuple[str, ...]

    def prompt(self) -> str:
        """Return the question in words."""
        return render(
            "cooperation/speak",
            **self.moment.fields(),
            hearing=", ".join(self.hearing),
            forms=_listed(self.forms),
            promises=_listed(self.promises),
            round=str(self.moment.round),
        )


def read_words(answer: str, hearing: Sequence[str], read_claim: ReadClaim) -> Words:
    """Return what is said.

    Raises:
        AnswerError: it is to nobody who hears it, or an act or its text is missing.
    """

    def read(fields: dict[str, Any]) -> Words:
        act = field_text(fields, "act").strip(" .").lower()
        if act == "nothing":
            return Words("nothing")
        if act not in ("ask", "offer"):
            raise AnswerError('"Act" is NOTHING, ASK or OFFER')
        said = field_text(fields, "to").strip(" .").lower()
        to = next((name for name in hearing if name.lower() == said), "")
        if not to:
            raise AnswerError(f'"To" is one of those who hear you: {", ".join(hearing)}')
        text, claims = field_text(fields, "message")[:MOST_LETTERS], _claims(fields, read_claim)
        if act == "ask":
            test = _test(field_text(fields, "test", default=FREE), read_claim)
            return Words("ask", to, text, test=test, claims=claims)
        terms = field_value(fields, "terms")
        lines = terms if isinstance(terms, list) else [terms]
        whole = "; ".join(as_text(line, "terms") for line in lines)
        return Words("offer", to, text, whole, claims=claims)

    return only_reading(answer, read)


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
    forms: tuple[str, ...]

    def prompt(self) -> str:
        """Return the question in words."""
        name = "cooperation/reply_to_offer" if self.words.act == "offer" else "cooperation/reply"
        terms = {"terms": quoted(self.words.terms)} if self.words.act == "offer" else {}
        return render(
            name,
            **self.moment.fields(),
            **terms,
            speaker=self.speaker,
            message=quoted(self.words.text),
            claims=_numbered(self.words.claims),
            forms=_listed(self.forms),
        )


def read_reply(answer: str, words: Words, read_claim: ReadClaim) -> Reply:
    """Return what somebody answers to a message.

    Raises:
        AnswerError: the answer or a trust is missing.
    """

    def read(fields: dict[str, Any]) -> Reply:
        text = field_text(fields, "answer")[:MOST_LETTERS]
        trust, claims = _trust(fields, words.claims), _claims(fields, read_claim)
        if words.act != "offer":
            return Reply(text, trust, claims)
        choice = text.split()[0].strip(".,:;!*\"'").upper()
        if choice not in ("ACCEPT", "REFUSE"):
            raise AnswerError('"Answer" is ACCEPT or REFUSE')
        return Reply(text, trust, claims, accepts=choice == "ACCEPT")

    return only_reading(answer, read)


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
            claims=_numbered(self.claims),
            count=str(len(self.claims)),
        )

    def read(self, answer: str) -> tuple[float, ...]:
        """Return how far each claim is believed, from 0 to 1.

        Raises:
            AnswerError: there are too few or too many numbers.
        """
        return only_reading(answer, lambda fields: _trust(fields, self.claims))


def _trust(fields: Mapping[str, Any], claims: Sequence[Claim]) -> tuple[float, ...]:
    found = tuple(field_share(one, "trust") for one in field_list(fields, "trust"))
    if claims and len(found) != len(claims):
        raise AnswerError(f'"Trust" has one number for each of the {len(claims)} claims')
    return found[: len(claims)]


def _claims(fields: Mapping[str, Any], read_claim: ReadClaim) -> tuple[Claim, ...]:
    return tuple(_claim(one, read_claim) for one in field_list(fields, "claims")[:MOST_CLAIMS])


# --- Reputation ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class RateRequest:
    """The question how far the others can be relied on, by what the record says that they did.

    ``deeds``: by agent, its promises with what became of them, its breaches and its actions. What
    anybody said is not among them. ``kept``: by agent, how many promises it kept and broke.
    """

    role: ClassVar[str] = "rate"

    name: str
    deeds: Mapping[str, tuple[str, ...]]
    kept: Mapping[str, tuple[int, int]]

    def prompt(self) -> str:
        """Return the question in words."""
        parts = (f"{name}:\n{_listed(lines)}" for name, lines in self.deeds.items())
        example = ", ".join(f'"{name}": 5' for name in self.deeds)
        return render("cooperation/rate", name=self.name, deeds="\n\n".join(parts), example=example)

    def read(self, answer: str) -> Mapping[str, float]:
        """Return a score from 0 to 10 for each of the others.

        Raises:
            AnswerError: somebody has none.
        """
        return only_reading(
            answer,
            lambda fields: {
                name: field_share(field_value(fields, name), name, 10.0) for name in self.deeds
            },
        )


# --- What they have in common --------------------------------------------------------------------


def _listed_in(fields: Mapping[str, Any], name: str) -> list[Any]:
    """Return the first items of a list that must be there; it may be empty."""
    field_value(fields, name)
    return field_list(fields, name)[:MOST_CLAIMS]


def _claim(one: object, read_claim: ReadClaim) -> Claim:
    """Return a claim; one that is in no form is free."""
    if not isinstance(one, Mapping):
        text = as_text(one, "text")
        return Claim(text[:MOST_LETTERS], _test(text, read_claim))
    test = field_text(one, "test", default=FREE)
    text = field_text(one, "text", default=test)
    return Claim(text[:MOST_LETTERS], _test(test, read_claim))


def _test(text: str, read_claim: ReadClaim) -> str:
    try:
        return read_claim(text)
    except AnswerError:
        return FREE


def _numbered(claims: Sequence[Claim]) -> str:
    lines = (
        f"{number}. {quoted_line(one.text if one.test == FREE else one.test)}"
        for number, one in enumerate(claims, start=1)
    )
    return "\n".join(lines) or "none"


def _listed(lines: Iterable[str]) -> str:
    return "\n".join(f"- {line}" for line in lines) or "- nothing"
