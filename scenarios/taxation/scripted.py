"""Scripted villagers: they work, talk about the tax, are persuaded, vote, and pay.

An explicit stochastic model of people, for villages without a language model. They go by the typed
values that prompts are rendered from, and by what other villagers say; never by a prompt's words.
The model, with its rates in :class:`VillagerParams`:

- Each has a wish for the tax rate. Constituents' wishes are normal around ``wish``; influencers'
  are fixed, uniform in ``pro`` or ``anti``.
- Who hears a wish moves towards it by a part of the distance: ``persuasion`` for an influencer's,
  ``gossip`` for anybody else's. Influencers do not move.
- Who complies pays what the law asks for, with a relative error of ``error``; who does not
  (``1 - compliance``, drawn each season) pays nothing.
- A vote is for what comes nearer to one's wish than the law, against what leads away from it, and
  an abstention within ``indifference``. Amendments without numbers get a yes with ``civic``.
"""

from __future__ import annotations

import random
import re
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from bots.agents.piano import (
    DecideRequest,
    Decision,
    GoalRequest,
    PlanRequest,
    ReflectRequest,
    SocialRequest,
    TalkRequest,
)
from bots.models import ChatRequest
from judge.constitution import Amendment
from scenarios.taxation.institution import Bell
from scenarios.taxation.referendum import AmendmentsRequest, BallotRequest, FeedbackRequest

#: How villagers say what they wish; it is read in what others say.
WISH = "tax should be {percent} %"
_WISH = re.compile(r"tax should be (\d+(?:\.\d+)?) %")
#: What somebody who says what they are about to do says.
ANNOUNCED = {
    "WORK": "I am at my work.",
    "GO": "I am going to {target}.",
    "VISIT": "I am visiting {target}.",
    "PAY": "I am paying my tax.",
    "REST": "I am resting.",
}


#: What is always answered the same.
ALWAYS: Mapping[type, str] = {
    GoalRequest: "GOAL: Be on good terms with those around me.",
    PlanRequest: "Talk to those who are near.",
    ReflectRequest: "Nothing of note happened.",
}


class VillagerParams(BaseModel):
    """The rates of the model; shares are parts of 1."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    wish: float = Field(default=0.2, ge=0, le=1, description="Mean wish of constituents.")
    wish_sd: float = Field(default=0.03, ge=0, le=1)
    anti: tuple[float, float] = Field(
        default=(0.05, 0.10), description="What anti-tax influencers want. Source: Project Sid."
    )
    pro: tuple[float, float] = Field(
        default=(0.25, 0.35), description="What pro-tax influencers want: at least 25 %."
    )
    persuasion: float = Field(default=0.06, ge=0, le=1)
    gossip: float = Field(default=0.02, ge=0, le=1)
    compliance: float = Field(default=0.99, ge=0, le=1)
    error: float = Field(default=0.08, ge=0, le=1)
    indifference: float = Field(default=0.01, ge=0, le=1)
    civic: float = Field(default=0.7, ge=0, le=1)
    sociable: float = Field(default=0.25, ge=0, le=1, description="Chance of a visit, not work.")
    talkative: float = Field(default=0.3, ge=0, le=1, description="Chance to speak when one can.")


@dataclass
class _Villager:
    """One person: what it wants, and what it has done."""

    rng: random.Random
    is_influencer: bool
    wish: float
    paid: int = 0


class Villagers:
    """A script for a whole village; see the module's text for the model."""

    def __init__(
        self,
        constituents: Iterable[str],
        influencers: Mapping[str, str],
        params: VillagerParams,
        seed: int,
        helpers: Iterable[str] = (),
    ) -> None:
        """``influencers`` are pro or anti by name; ``helpers`` have no wish (the manager)."""
        self.params = params
        self.people: dict[str, _Villager] = {}
        self._helpers = set(helpers)
        for name in (*constituents, *sorted(self._helpers)):
            rng = random.Random(f"{seed} {name} person")
            wish = min(max(rng.gauss(params.wish, params.wish_sd), 0.0), 1.0)
            self.people[name] = _Villager(rng, False, wish)
        for name, stance in influencers.items():
            rng = random.Random(f"{seed} {name} person")
            low, high = params.pro if stance == "pro" else params.anti
            self.people[name] = _Villager(rng, True, rng.uniform(low, high))

    def __call__(self, request: ChatRequest) -> str:
        """Answer a request as the person would.

        Raises:
            TypeError: nobody ever thought of such a request.
        """
        about, person = request.about, self.people[str(request.agent)]
        match about:
            case DecideRequest():
                return self._decide(person, about)
            case TalkRequest():
                return self._talk(person, about.decision)
            case SocialRequest():
                return self._judge(person, about)
            case FeedbackRequest() | AmendmentsRequest() | BallotRequest():
                return self._take_part(person, about)
        if type(about) in ALWAYS:
            return ALWAYS[type(about)]
        raise TypeError(f"scripted villagers cannot answer {request.role}: {about!r}")

    def _take_part(
        self, person: _Villager, about: FeedbackRequest | AmendmentsRequest | BallotRequest
    ) -> str:
        """Answer what the village's institution asks."""
        match about:
            case FeedbackRequest():
                return f"The {_wish(person.wish)} All else may stay."
            case AmendmentsRequest():
                return _amend(about.feedback)
            case BallotRequest():
                law = about.law.parameters["tax_rate"]
                return ", ".join(self._choose(person, law, one) for one in about.amendments)

    def _decide(self, person: _Villager, request: DecideRequest) -> str:
        bells = [n.about for n in request.digest.notices if isinstance(n.about, Bell)]
        if bells and bells[-1].season > person.paid:
            person.paid = bells[-1].season
            return f"ACTION: PAY {self._due(person, bells[-1].tax_rate * 100):.2f} %\nABOUT: tax"
        if person.is_influencer or person.rng.random() < self.params.sociable:
            others = [o for o in self.people if o != request.agent and o not in self._helpers]
            return f"ACTION: VISIT {person.rng.choice(others)}\nABOUT: tax"
        return f"ACTION: WORK\nABOUT: {'tax' if person.rng.random() < 0.5 else 'nothing'}"

    def _due(self, person: _Villager, law_percent: float) -> float:
        if person.rng.random() >= self.params.compliance:
            return 0.0
        return min(max(law_percent * (1 + person.rng.gauss(0, self.params.error)), 0.0), 100.0)

    def _talk(self, person: _Villager, decision: Decision | None) -> str:
        if not person.is_influencer and person.rng.random() >= self.params.talkative:
            return "SILENT"
        if decision is None:  # nobody told the mouth what was decided
            verb, target, about = person.rng.choice(list(ANNOUNCED)), "somebody", ""
        else:
            verb, target, about = decision.action.verb, decision.action.target, decision.about
        said = ANNOUNCED[verb].format(target=target)
        if "tax" in about or person.is_influencer:
            said += f" I say the {_wish(person.wish)}"
        return said

    def _judge(self, person: _Villager, request: SocialRequest) -> str:
        answer = []
        for heard in request.heard:
            found, other = _WISH.search(heard.text), self.people.get(heard.speaker)
            if found is None or other is None:
                continue
            far = float(found[1]) / 100 - person.wish
            answer.append(f"LIKES {heard.speaker} {max(0, 8 - round(abs(far) * 40))}")
            if not person.is_influencer:
                rate = self.params.persuasion if other.is_influencer else self.params.gossip
                person.wish += rate * far
        if not answer:
            return "NOTHING"
        return "\n".join([*answer, f"BELIEVES tax: it should be {_percent(person.wish)} %"])

    def _choose(self, person: _Villager, law: float, amendment: Amendment) -> str:
        rate = amendment.sets.get("tax_rate")
        if rate is None:
            return "yes" if person.rng.random() < self.params.civic else "no"
        gain = abs(law - person.wish) - abs(rate - person.wish)
        if abs(gain) <= self.params.indifference:
            return "abstain"
        return "yes" if gain > 0 else "no"


def _amend(feedback: Mapping[str, str]) -> str:
    """Return what an election manager makes of what people said: the median wish, and words."""
    wishes = [float(found) for text in feedback.values() for found in _WISH.findall(text)]
    if not wishes:
        return "***Amendment1***\nEverything stays as it is."
    rate = statistics.median(wishes) / 100
    return (
        f"***Amendment1***\nThe tax is {_percent(rate)} % of what each holds.\n"
        f"SET tax_rate = {rate:.3f}\n"
        "***Amendment2***\nAfter each season the village is told what was paid."
    )


def _wish(rate: float) -> str:
    return f"{WISH.format(percent=_percent(rate))}."


def _percent(rate: float) -> str:
    return f"{rate * 100:.1f}"
