"""What understanding and reputation ask a model: typed values, prompts, and their answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from bots.agents.cooperation.known import Finding
from bots.agents.cooperation.wording import Claim, Language, Moment, claim_of, items_of, listed
from bots.prompts import quoted_line, render
from bots.structured import AnswerError, only_reading
from bots.structured.values import field_list, field_share, field_text, field_value

Verdict = Literal["true", "false", "unknown"]


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
        return only_reading(
            answer,
            lambda fields: tuple(
                (claim_of(one, self.language.read_claim), _about(one, self.language.names))
                for one in items_of(fields, "hypotheses")
            ),
            {"hypotheses": ("hypothesis",)},
        )


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
            found = []
            for one in items_of(fields, "predictions"):
                if not isinstance(one, Mapping):
                    raise AnswerError('each prediction has a "test" and a "probability"')
                test = read_claim(field_text(one, "test"))
                found.append((test, field_share(field_value(one, "probability"), "probability")))
            return tuple(found)

        return only_reading(answer, read, {"predictions": ("prediction",)})


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
        return only_reading(answer, self._verdicts, names)

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
        return only_reading(
            answer,
            lambda fields: {
                name: field_share(field_value(fields, name), name, 10.0) for name in self.deeds
            },
            {**dict.fromkeys(self.deeds, ()), "why": ("reasoning",)},
        )
