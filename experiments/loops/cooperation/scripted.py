"""Scripted persons' answers to the prompts of the modules of cooperation, from typed values.

What they know of their world, what they can say of it and what they promise, is their scenario's.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, Field, PositiveInt, model_validator

from voxpolis.bots.agents.cooperation import requests
from voxpolis.bots.agents.cooperation.knowledge import Known
from voxpolis.bots.models import ChatRequest
from voxpolis.bots.models.typed import Answer
from voxpolis.experiments.loops.cooperation.cooperation import (
    MODULES,
    ROLES,
    ActsSeen,
    Cooperation,
    modules_in,
)
from voxpolis.experiments.run.options import option
from voxpolis.judge.deeds.account import CooperationRules
from voxpolis.judge.deeds.acts import ActHistory, Amount, LastRound, promise
from voxpolis.judge.deeds.claims import Claim, State
from voxpolis.judge.deeds.commitments import say as say_promise
from voxpolis.judge.deeds.promises import Promise
from voxpolis.judge.deeds.reputation import exact_reputation
from voxpolis.judge.law.assembly import Proposal, ProposalRequest, VoteRequest
from voxpolis.judge.law.constitution import Ballot, Vote
from voxpolis.judge.law.penalties import first_constitution

# From 0 to 1.
Share = Annotated[float, Field(ge=0, le=1)]
Observed = Literal["nothing", "true", "all"]


@dataclass(frozen=True)
class Manners:
    """How a scripted person cooperates.

    ``observes``: at its first search for rules it supposes nothing, what is so, or as many
    falsehoods besides; ``lies``: the part of its answers that are the contrary of what it knows;
    ``talks``: it asks and offers in turn, or one of both, or nothing; ``wary``: it refuses offers
    of those whose reputation is below this; ``heeds``: how often it thinks of the law before it
    does what costs more than it brings.
    """

    observes: Observed = "all"
    lies: Share = 0.0
    keeps: Share = 1.0
    talks: Literal["both", "asks", "offers", "nothing"] = "both"
    wary: float = 3.0
    heeds: Share = 0.8


@dataclass
class ScriptedCompanion(ABC):
    """One person's modules through a game; what it answers follows from the seed and the round.

    ``kept``: by number of a promise of its own, whether it means to keep it.
    """

    name: str
    manners: Manners
    seed: str
    kept: dict[int, bool] = field(default_factory=dict)
    _has_thought: bool = False
    _exchanges: int = 0

    @abstractmethod
    def lends(self) -> CooperationRules:
        """Return how its world's claims and deeds are told."""

    @abstractmethod
    def rules(self) -> tuple[Sequence[Claim[Any]], Sequence[Claim[Any]]]:
        """Return what an observer supposes at its first search for rules: true ones, and false."""

    @abstractmethod
    def see(self, about: object) -> None:
        """Take in the typed value of what it perceives."""

    @abstractmethod
    def states(self) -> Sequence[State[Any]]:
        """Return what it can ask about: claims about how things are."""

    @abstractmethod
    def knows(self, claim: Claim[Any]) -> State[Any] | None:
        """Return what it knows to be so, of what a claim is about; None: it does not know."""

    @abstractmethod
    def contrary(self, claim: State[Any]) -> State[Any]:
        """Return the contrary of a claim."""

    @abstractmethod
    def predictions(self, about: object) -> Sequence[tuple[Claim[Any], float]]:
        """Return what it thinks will be, with how probable that is."""

    @abstractmethod
    def offer(self, moment: requests.Moment, to: str) -> Promise:
        """Return what it offers to promise."""

    def means_to_keep(self, number: int) -> bool:
        """Return whether it means to keep a promise of its own; drawn once for each."""
        if number not in self.kept:
            draws = random.Random(f"{self.seed} promise {number}")
            self.kept[number] = draws.random() < self.manners.keeps
        return self.kept[number]

    def answer(self, request: object) -> Answer | str:
        """Return the answer to a module's question.

        Raises:
            ValueError: no module asks that.
        """
        say = self.lends().claims.say
        match request:
            case requests.InduceRequest():
                if self._has_thought or self.manners.observes == "nothing":
                    return requests.Induced(hypotheses=[])
                self._has_thought = True
                true, false = self.rules()
                rules = [*true, *(false if self.manners.observes == "all" else ())]
                supposed = {f"I think: {one}": say(one) for one in rules}
                return requests.Induced(
                    hypotheses=[
                        requests.Hypothesis(statement=s, test=test) for s, test in supposed.items()
                    ]
                )
            case requests.PredictRequest(moment=moment):
                predicted = [
                    requests.Prediction(test=say(claim), percent=_percent(probability))
                    for claim, probability in self.predictions(moment.about)
                ]
                return requests.Predicted(predictions=predicted)
            case requests.CheckRequest(findings=findings):
                return requests.Checked(verdicts=["unknown"] * len(findings))
            case requests.SpeakRequest():
                return self._speak(request)
            case requests.ReplyRequest():
                return self._reply(request)
            case requests.WeighRequest(moment=moment, speaker=speaker, claims=claims):
                return requests.Weighed(trust=[self._trust_in(moment, speaker)] * len(claims))
            case requests.RateRequest(kept=kept):
                rates = {name: round(10 * exact_reputation(*own), 4) for name, own in kept.items()}
                return requests.Rated(
                    scores=[requests.Score(name=name, score=rate) for name, rate in rates.items()]
                )
            case ProposalRequest():
                return Proposal(amendment=None)
            case VoteRequest(law=law, amendments=amendments):
                # for what raises what it costs to break the world's own article
                fine = self.lends().account.offence.number
                before = law.parameters[fine]
                raises = {one.number: one.sets.get(fine, before) > before for one in amendments}
                votes = [Vote(amendment=n, vote="yes" if up else "no") for n, up in raises.items()]
                return Ballot(votes=votes)
        raise ValueError(f"no module asks {type(request).__name__}")

    # --- Communication ---------------------------------------------------------------------------

    def _speak(self, request: requests.SpeakRequest) -> requests.Spoken:
        """Ask about what it knows of, or offer a promise where it has given none."""
        moment, talks = request.moment, self.manners.talks
        self.see(moment.about)
        to = request.hearing[moment.round % len(request.hearing)]
        has_promised = any(pledge.by == self.name for pledge in moment.known.promises)
        is_turn_to_offer = talks == "offers" or (talks == "both" and moment.round % 2 == 0)
        if is_turn_to_offer and not has_promised:
            terms = [say_promise(self.offer(moment, to))]
            return requests.Spoken(act=requests.Offer(to=to, message="Let us agree.", terms=terms))
        states = self.states()
        if talks in ("asks", "both") and states and not is_turn_to_offer:
            self._exchanges += 1
            state = states[self._exchanges % len(states)]
            test = self.lends().claims.say(state)
            return requests.Spoken(
                act=requests.Ask(to=to, message=f"Is it so: {state}?", test=test)
            )
        return requests.Spoken(act=requests.Nothing())

    def _reply(self, request: requests.ReplyRequest) -> requests.Replied | requests.OfferReply:
        """Accept offers of those of good repute; answer what it knows, or the contrary."""
        moment, words = request.moment, request.words
        self.see(moment.about)
        trust = [self._trust_in(moment, request.speaker)] * len(words.claims)
        if words.act == "offer":
            reputation = moment.known.reputation.get(request.speaker, 5.0)
            return requests.OfferReply(trust=trust, accept=reputation >= self.manners.wary)
        asked: Any = words.test
        known = None if asked is None else self.knows(asked)
        if known is None:
            return requests.Replied(trust=trust, message="I do not know.")
        draws = random.Random(f"{self.seed} answer {moment.round} {request.speaker}")
        lies = draws.random() < self.manners.lies
        said = self.contrary(known) if lies else known
        claims = [requests.Said(statement=str(said), test=self.lends().claims.say(said))]
        return requests.Replied(trust=trust, message=str(said), claims=claims)

    def _trust_in(self, moment: requests.Moment, speaker: str) -> float:
        return _percent(moment.known.trust.get(speaker, 0.5))


def _percent(share: float) -> float:
    return round(100 * round(share, 4), 2)


# --- Scripted persons with modules of cooperation where rounds are counted as acts ----------------

# How sure a person is that others do again what they did last.
AGAIN = 0.8


@dataclass(frozen=True)
class ActsKnowledge:
    """What scripted persons of a scenario know and promise.

    ``lent``: how its claims and deeds are told; ``true``, ``false``: rules that are so in every
    round in which they are put to the test, and that are not; ``promised``: by agent, for a round.
    """

    lent: CooperationRules
    true: tuple[Claim[ActHistory], ...]
    false: tuple[Claim[ActHistory], ...]
    promised: Mapping[str, Amount]


@dataclass
class ActsCompanion(ScriptedCompanion):
    """One person's modules; it keeps its part of what is best for all, or it does not."""

    knowledge: ActsKnowledge = field(kw_only=True)
    seen: ActsSeen | None = None

    def lends(self) -> CooperationRules:
        return self.knowledge.lent

    def rules(self) -> tuple[Sequence[Claim[Any]], Sequence[Claim[Any]]]:
        return self.knowledge.true, self.knowledge.false

    def see(self, about: object) -> None:
        assert isinstance(about, ActsSeen)
        self.seen = about

    def states(self) -> Sequence[State[Any]]:
        if self.seen is None or self.seen.last is None:
            return []
        amounts = self.knowledge.promised.items()
        return [LastRound(amount) for name, amount in amounts if name != self.name]

    def knows(self, claim: Claim[Any]) -> State[Any] | None:
        if not isinstance(claim, LastRound) or self.seen is None or self.seen.last is None:
            return None
        return claim if claim.amount.is_so(self.seen.last) else claim.contrary

    def contrary(self, claim: State[Any]) -> State[Any]:
        assert isinstance(claim, LastRound)
        return claim.contrary

    def predictions(self, about: object) -> Sequence[tuple[Claim[Any], float]]:
        self.see(about)
        assert self.seen is not None
        last = self.seen.last
        if last is None:
            return []
        others = [one for name, one in self.knowledge.promised.items() if name != self.name]
        return [(one, AGAIN if one.is_so(last) else 1 - AGAIN) for one in others]

    def offer(self, moment: requests.Moment, to: str) -> Promise:
        """Return the promise to keep its part in the round that is about to begin."""
        return promise(self.knowledge.promised[self.name], moment.round)

    def keeps_its_part(self, known: Known, round_: int) -> bool:
        """Return whether it plays its part in a round: as it promised, or as the law wants it.

        Who has promised keeps that or not, whatever the law says.
        """
        own = [one.number for one in known.promises if one.by == self.name and one.number]
        if own:
            return all(self.means_to_keep(number) for number in own)
        fine = known.numbers.get(self.lends().account.offence.number, 0.0)
        draws = random.Random(f"{self.seed} law {round_}")
        return fine > 0 and draws.random() < self.manners.heeds


# Of minds without modules.
NOBODY: Mapping[str, ActsCompanion] = MappingProxyType({})


def answer_of(companions: Mapping[str, ActsCompanion], request: ChatRequest) -> Answer | str:
    """Return a scripted mind's answer to a module's question; empty: no module asks."""
    own = companions.get(request.agent or "")
    if own is None or request.role not in ROLES:
        return ""
    return own.answer(request.about)


# --- What can be varied about modules of cooperation, as settings of scenarios declare it ---------


def _known(chosen: str) -> str:
    modules_in(chosen)
    return chosen


# Modules by their names; see :func:`experiments.loops.cooperation.cooperation.modules_in`.
ModuleNames = Annotated[str, AfterValidator(_known)]
# How modules work, as settings say it; each scenario has defaults of its own.
Hits = Annotated[PositiveInt, Field(description="Hits that make a hypothesis a rule.")]
SearchEvery = Annotated[
    PositiveInt, Field(description="Rounds from one search for rules to the next.")
]
ReputationEvery = Annotated[
    PositiveInt, Field(description="Rounds from one publication of reputations to the next.")
]
AmendEvery = Annotated[
    PositiveInt, Field(description="Rounds from one vote on the constitution to the next.")
]


def modules_option(who: str, more: str = "") -> Any:
    """Return the field ``--modules`` of settings: which modules some people carry."""
    told = f"Modules of cooperation that {who} carry, with commas, or all: {', '.join(MODULES)}."
    return Field(default="", description=f"{told}{more}", json_schema_extra=option("modules"))


class ActsModules(BaseModel):
    """Settings of scenarios whose rounds are counted as acts; they declare ``--modules`` by
    :func:`modules_option`, under a name of their own.
    """

    confirm: Hits = 5
    understand_every: SearchEvery = 1
    reputation_every: ReputationEvery = 1
    amend_every: AmendEvery = 5
    manners: dict[str, Manners] = Field(
        default={}, description="By who carries modules, how its scripted mind cooperates."
    )

    @property
    @abstractmethod
    def chosen(self) -> str:
        """Which modules are carried, as they were named."""

    @property
    @abstractmethod
    def duty_costs(self) -> float:
        """What a neglected duty costs by the first law."""

    @abstractmethod
    def knowledge(self) -> ActsKnowledge:
        """Return the scenario's claims, deeds and duty, and what scripted minds know of them."""

    @model_validator(mode="after")
    def _carried_by_several(self) -> ActsModules:
        names = self.knowledge().promised
        if self.chosen and len(names) < 2:
            raise ValueError("--modules are for two people or more")
        if unknown := sorted(set(self.manners) - set(names)):
            known = ", ".join([*names][:3]) + ", …" * (len(names) > 3)
            raise ValueError(f"manners.{unknown[0]}: nobody has that name; there are {known}")
        return self

    def rules(self) -> Cooperation | None:
        chosen = modules_in(self.chosen) if self.chosen else ()
        if not chosen:
            return None
        lent = self.knowledge().lent
        return Cooperation(
            chosen,
            lent,
            first_constitution(lent.account, self.duty_costs),
            understand_every=self.understand_every,
            predict_rounds=1,
            confirm=self.confirm,
            amend_every=self.amend_every,
            reputation_every=self.reputation_every,
        )

    def companions(self, seed: str) -> Mapping[str, ActsCompanion]:
        """Return the scripted minds' answers to modules, by name; none where none are carried."""
        if not self.chosen:
            return {}
        knowledge, manners = self.knowledge(), self.manners
        return {
            name: ActsCompanion(
                name, manners.get(name, Manners()), f"{seed} {name}", knowledge=knowledge
            )
            for name in knowledge.promised
        }
