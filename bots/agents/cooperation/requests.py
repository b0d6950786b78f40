"""What understanding and reputation ask a model: typed values, prompts, and their answers."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from bots.agents.cooperation.known import Finding
from bots.agents.cooperation.wording import (
    CLAIM,
    COUNTS,
    PLACES,
    Claim,
    Language,
    Moment,
    beside_items,
    claim_of,
    items_of,
    listed,
    refuse_disorder,
)
from bots.prompts import quoted_line, render
from bots.structured import AnswerError, Parts, fields_alone, own_words, plain
from bots.structured.values import field_list, field_share, field_text, field_value
from records.text import caseless

Verdict = Literal["true", "false", "unknown"]
_VERDICTS: Mapping[str, Verdict] = {"TRUE": "true", "FALSE": "false", "UNKNOWN": "unknown"}

#: What predictions and verdicts are made of, where each is an object.
_PREDICTION = Parts(
    {
        "test": ("form",),
        "probability": ("chance", "likelihood", "confidence"),
        "text": ("statement", "prediction"),
    }
)
_VERDICT = Parts({"verdict": ("status",), "hypothesis": COUNTS}, by_place=True)
#: A prediction in one line.
_PREDICTED = caseless(
    r"(?P<test>.+?)(?:\s*[:(,=\u2013\u2014|]|\s-+>?\s|\s+with\b)\s*(?:an?\s+)?"
    r"(?:(?:probability|chance|likelihood|p)\s*(?:of|is|[:=])?\s*)?"
    r"(?P<probability>\d*\.?\d+\s*%?)[)\].]*"
)
#: What a hypothesis is about that is about nobody.
WORLD = "world"
#: What an object is called that holds the scores alone.
_BOX = "ratings"
#: How scores are called.
_SCORED = own_words("name agent player score scores rating reliability reliable reputation trust")
#: The number of what a verdict is about, before it.
_COUNTED = caseless(r"^\W*(?:hypothesis\s*)?#?\d{1,2}\W+")


# --- Understanding -------------------------------------------------------------------------------


@dataclass(frozen=True)
class InduceRequest:
    """The question which rules would explain the present from the past.

    ``history`` are the latest changes that the agent saw, oldest first.
    """

    role: ClassVar[str] = "induce"

    moment: Moment
    history: tuple[str, ...]
    language: Language

    def prompt(self) -> str:
        """Return the question in words."""
        return render(
            "cooperation/induce",
            **self.moment.fields(),
            history=listed(self.history),
            forms=listed(self.language.claims),
        )

    def read(self, answer: str) -> tuple[tuple[Claim, str], ...]:
        """Return the claims of an answer, each with what it is about: ``world`` or a name.

        What is in no checkable form is free.

        Raises:
            AnswerError: there is no list of hypotheses.
        """

        def read(fields: dict[str, Any]) -> tuple[tuple[Claim, str], ...]:
            found = []
            for one in items_of(fields, "hypotheses"):
                claim = claim_of(one, self.language.read_claim)
                found.append((claim, _about(one, claim, self.language.names)))
            return tuple(found)

        names = {"hypotheses": ("hypothesis",)}
        return fields_alone(
            answer, read, names, inside={"hypotheses": CLAIM}, besides=_kinds, told=_tested
        )


def _tested(found: tuple[tuple[Claim, str], ...]) -> list[tuple[str, str]]:
    """Return of hypotheses what code sees of them."""
    return [(claim.test, about) for claim, about in found]


def _kinds(fields: Mapping[str, Any]) -> list[str]:
    """Return what hypotheses say that they are about, which their forms may say without it."""
    items = items_of(fields, "hypotheses")
    return [field_text(one, "kind", default="") for one in items if isinstance(one, Mapping)]


def _about(one: object, claim: Claim, names: Sequence[str]) -> str:
    """Return whom a hypothesis is about, or ``world``; where it does not say, its form does.

    Raises:
        AnswerError: it is about something else.
    """
    named = [name for name in names if re.search(rf"\b{re.escape(name)}\b", claim.test)]
    usual = named[0] if len(named) == 1 else WORLD
    kind = field_text(one, "kind", default=usual) if isinstance(one, Mapping) else usual
    said = plain(kind).lower().removeprefix("the ").removeprefix("agent").strip(" :.")
    known = {name.lower(): name for name in (WORLD, *names)}
    if said not in known:
        raise AnswerError(f'"Kind" is {WORLD}, or a name: {", ".join(names)}')
    return known[said]


@dataclass(frozen=True)
class PredictRequest:
    """The question what will be so in some rounds, if the agent does as it plans."""

    role: ClassVar[str] = "predict"

    moment: Moment
    plan: str
    rounds: int
    language: Language

    def prompt(self) -> str:
        """Return the question in words."""
        return render(
            "cooperation/predict",
            **self.moment.fields(),
            plan=self.plan or "none yet",
            rounds=str(self.rounds),
            forms=listed(self.language.claims),
        )

    def read(self, answer: str) -> tuple[tuple[str, float], ...]:
        """Return checkable forms with how probable each is.

        Raises:
            AnswerError: one is in no form, or has no probability.
        """
        read_claim = self.language.read_claim

        def read(fields: dict[str, Any]) -> tuple[tuple[str, float], ...]:
            found: dict[str, float] = {}
            for one in items_of(fields, "predictions"):
                parts = _prediction_in(one)
                test = read_claim(field_text(parts, "test"))
                chance = field_share(field_value(parts, "probability"), "probability")
                if found.setdefault(test, chance) != chance:
                    raise AnswerError(f'"{test}" has two probabilities; write it once')
            return tuple(found.items())

        return fields_alone(
            answer,
            read,
            {"predictions": ("prediction",)},
            inside={"predictions": _PREDICTION},
        )


def _prediction_in(one: object) -> Mapping[str, Any]:
    """Return the parts of a prediction, also of one in a line: ``tree 4 has apples: 90 %``."""
    if isinstance(one, Mapping) and "test" not in one and "text" in one:
        one = {**one, "test": one["text"]}
    if isinstance(one, Mapping) and ("probability" in one or "test" not in one):
        return one
    found = _PREDICTED.fullmatch(str(one["test"] if isinstance(one, Mapping) else one))
    if found is None:
        raise AnswerError('each prediction has a "test" and a "probability"')
    return found.groupdict()


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
            history=listed(self.history),
            hypotheses="\n".join(numbered),
            count=str(len(self.findings)),
        )

    def read(self, answer: str) -> tuple[Verdict, ...]:
        """Return a verdict for each hypothesis.

        Raises:
            AnswerError: there are too few or too many, or other words.
        """
        names = {"reasoning": (), "verdicts": ("verdict",)}
        inside = {"verdicts": _VERDICT}
        return fields_alone(
            answer,
            self._verdicts,
            names,
            inside=inside,
            own=PLACES,
            besides=lambda fields: beside_items(fields, "verdicts", "hypothesis"),
        )

    def _verdicts(self, fields: dict[str, Any]) -> tuple[Verdict, ...]:
        found: list[Verdict] = []
        texts = [one.text for one in self.findings]
        refuse_disorder(field_list(fields, "verdicts"), "hypothesis", texts)
        for one in field_list(fields, "verdicts"):
            said = field_text(one, "verdict") if isinstance(one, Mapping) else str(one)
            verdict = _VERDICTS.get(_COUNTED.sub("", said).strip(" \t.\"'*_").upper())
            if verdict is None:
                raise AnswerError("a verdict is true, false or unknown")
            found.append(verdict)
        if len(found) != len(self.findings):
            raise AnswerError(f"there are {len(self.findings)} hypotheses to judge")
        return tuple(found)


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
        parts = (f"{name}:\n{listed(lines)}" for name, lines in self.deeds.items())
        example = ", ".join(f'"{name}": 5' for name in self.deeds)
        return render("cooperation/rate", name=self.name, deeds="\n\n".join(parts), example=example)

    def read(self, answer: str) -> Mapping[str, float]:
        """Return a score from 0 to 10 for each of the others.

        Raises:
            AnswerError: somebody has none.
        """
        names = {**dict.fromkeys(self.deeds, ()), "why": ("reasoning",), _BOX: ()}
        return fields_alone(answer, self._scores, names, own=_SCORED, thoughts=())

    def _scores(self, fields: dict[str, Any]) -> Mapping[str, float]:
        boxed = fields.get(_BOX)
        scores = boxed if isinstance(boxed, Mapping) else fields
        return {name: field_share(field_value(scores, name), name, 10.0) for name in self.deeds}
