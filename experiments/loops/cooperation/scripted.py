"""Scripted answers to the questions of cooperation modules, computed from data instead of prompts.

Each scenario defines what its scripted persons know, claim and promise.
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
from voxpolis.experiments.run.options import Share, option
from voxpolis.judge.deeds.account import CooperationRules
from voxpolis.judge.deeds.acts import ActHistory, Amount, LastRound, promise
from voxpolis.judge.deeds.claims import Claim, State
from voxpolis.judge.deeds.commitments import say as say_promise
from voxpolis.judge.deeds.promises import Promise
from voxpolis.judge.deeds.reputation import exact_reputation
from voxpolis.judge.law.assembly import Proposal, ProposalRequest, VoteRequest
from voxpolis.judge.law.constitution import Ballot, Vote
from voxpolis.judge.law.penalties import first_constitution

Observed = Literal["nothing", "true", "all"]


@dataclass(frozen=True)
class Manners:
    """How cooperative a scripted person is.

    ``observes`` says which hypotheses the person has at its first search for rules: none, true
    rules, or true rules and equally many false rules. ``lies`` is the share of answers that
    contradict what the person knows. ``talks`` says whether the person asks and offers in turn,
    only asks, only offers, or does neither. ``wary`` is the lowest reputation of agents whose
    offers the person accepts. ``heeds`` is the probability that the person obeys the law if obeying
    has a cost.
    """

    observes: Observed = "all"
    lies: Share = 0.0
    keeps: Share = 1.0
    talks: Literal["both", "asks", "offers", "nothing"] = "both"
    wary: float = 3.0
    heeds: Share = 0.8


@dataclass
class ScriptedCompanion(ABC):
    """Answers for the cooperation modules of a scripted person. Answers only depend on the seed and
    the round.

    ``kept`` maps the number of each promise of the person to whether the person intends to keep it.
    """

    name: str
    manners: Manners
    seed: str
    kept: dict[int, bool] = field(default_factory=dict)
    _has_thought: bool = False
    _exchanges: int = 0

    @abstractmethod
    def language(self) -> CooperationRules:
        """Return the claims and deeds that can be expressed in the person's world."""

    @abstractmethod
    def rules(self) -> tuple[Sequence[Claim[Any]], Sequence[Claim[Any]]]:
        """Return the hypotheses of a person at its first search for rules: first the true ones,
        then the false ones.
        """

    @abstractmethod
    def see(self, about: object) -> None:
        """Store what the person perceives, which is given as structured data."""

    @abstractmethod
    def states(self) -> Sequence[State[Any]]:
        """Return claims about the world's present state, about which the person can ask others."""

    @abstractmethod
    def knows(self, claim: Claim[Any]) -> State[Any] | None:
        """Return the true claim about the subject of ``claim``; None if unknown to the person."""

    @abstractmethod
    def contrary(self, claim: State[Any]) -> State[Any]:
        """Return a claim that contradicts ``claim``."""

    @abstractmethod
    def predictions(self, about: object) -> Sequence[tuple[Claim[Any], float]]:
        """Return predictions, each with its probability."""

    @abstractmethod
    def offer(self, moment: requests.Moment, to: str) -> Promise:
        """Return the promise that the person offers to another."""

    def means_to_keep(self, number: int) -> bool:
        """Return whether the person intends to keep a promise. The intention is chosen at random,
        once for each promise.
        """
        if number not in self.kept:
            draws = random.Random(f"{self.seed} promise {number}")
            self.kept[number] = draws.random() < self.manners.keeps
        return self.kept[number]

    def answer(self, request: object) -> Answer | str:
        """Answer the question of a module.

        Raises:
            ValueError: the question does not belong to a module.
        """
        say = self.language().claims.say
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
                # Vote for amendments that raise the fine in the world's own article.
                fine = self.language().account.offence.number
                before = law.parameters[fine]
                raises = {one.number: one.sets.get(fine, before) > before for one in amendments}
                votes = [Vote(amendment=n, vote="yes" if up else "no") for n, up in raises.items()]
                return Ballot(votes=votes)
        raise ValueError(f"no module asks {type(request).__name__}")

    # --- Communication ---------------------------------------------------------------------------

    def _speak(self, request: requests.SpeakRequest) -> requests.Spoken:
        """Ask about something, or offer a promise if the person has no open promise."""
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
            test = self.language().claims.say(state)
            return requests.Spoken(
                act=requests.Ask(to=to, message=f"Is it so: {state}?", test=test)
            )
        return requests.Spoken(act=requests.Nothing())

    def _reply(self, request: requests.ReplyRequest) -> requests.Replied | requests.OfferReply:
        """Answer an offer or a question. Offers are accepted from agents with a good reputation.
        Questions are answered truthfully, or with the opposite of the truth.
        """
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
        claims = [requests.Said(statement=str(said), test=self.language().claims.say(said))]
        return requests.Replied(trust=trust, message=str(said), claims=claims)

    def _trust_in(self, moment: requests.Moment, speaker: str) -> float:
        return _percent(moment.known.trust.get(speaker, 0.5))


def _percent(share: float) -> float:
    return round(100 * round(share, 4), 2)


# --- Scripted persons in rounds of counted acts ---------------------------------------------------

# How sure a person is that others will repeat their last act.
REPEAT_CONFIDENCE = 0.8


@dataclass(frozen=True)
class ActsKnowledge:
    """The knowledge and the promises of a scenario's scripted persons.

    ``lent`` defines the claims and deeds that can be named. ``true`` contains rules that no round
    contradicts, and ``false`` contains other rules. ``promised`` is what each agent promises to do
    in a round.
    """

    lent: CooperationRules
    true: tuple[Claim[ActHistory], ...]
    false: tuple[Claim[ActHistory], ...]
    promised: Mapping[str, Amount]


@dataclass
class ActsCompanion(ScriptedCompanion):
    """Answers for the modules of one person. In each round, the person either does or does not do
    its part of what is best for the group.
    """

    knowledge: ActsKnowledge = field(kw_only=True)
    seen: ActsSeen | None = None

    def language(self) -> CooperationRules:
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
        return [
            (one, REPEAT_CONFIDENCE if one.is_so(last) else 1 - REPEAT_CONFIDENCE) for one in others
        ]

    def offer(self, moment: requests.Moment, to: str) -> Promise:
        """Return the promise to do the person's part in the next round."""
        return promise(self.knowledge.promised[self.name], moment.round)

    def keeps_its_part(self, known: Known, round_: int) -> bool:
        """Return whether the person does its part in a round, because of a promise or because of
        the law.

        If the person has made a promise, only the promise counts.
        """
        own = [one.number for one in known.promises if one.by == self.name and one.number]
        if own:
            return all(self.means_to_keep(number) for number in own)
        fine = known.numbers.get(self.language().account.offence.number, 0.0)
        draws = random.Random(f"{self.seed} law {round_}")
        return fine > 0 and draws.random() < self.manners.heeds


# Used by minds without modules.
NO_COMPANIONS: Mapping[str, ActsCompanion] = MappingProxyType({})


def answer_of(companions: Mapping[str, ActsCompanion], request: ChatRequest) -> Answer | str:
    """Return the answer of a scripted person to the question of a module. Any other question gets
    an empty answer.
    """
    own = companions.get(request.agent or "")
    if own is None or request.role not in ROLES:
        return ""
    return own.answer(request.about)


# --- Settings of cooperation modules --------------------------------------------------------------


def _known(chosen: str) -> str:
    modules_in(chosen)
    return chosen


# Module names; see :func:`experiments.loops.cooperation.cooperation.modules_in`.
ModuleNames = Annotated[str, AfterValidator(_known)]
# Parameters of modules; each scenario has its own defaults.
Hits = Annotated[
    PositiveInt, Field(description="Number of confirmations that turn a hypothesis into a rule.")
]
SearchEvery = Annotated[
    PositiveInt, Field(description="Number of rounds between two searches for rules.")
]
ReputationEvery = Annotated[
    PositiveInt, Field(description="Number of rounds after which reputations are published.")
]
AmendEvery = Annotated[
    PositiveInt, Field(description="Number of rounds between two votes on the constitution.")
]


def modules_option(who: str, more: str = "") -> Any:
    """Return the field of a settings class for ``--modules``, which selects the modules of
    agents.
    """
    told = f"Cooperation modules of the {who}: {', '.join(MODULES)} (comma-separated), or all."
    return Field(default="", description=f"{told}{more}", json_schema_extra=option("modules"))


class ActsModules(BaseModel):
    """The settings of cooperation modules in all scenarios that count acts in each round.

    Each scenario declares ``--modules`` with :func:`modules_option`, under a field name of its own.
    """

    confirm: Hits = 5
    understand_every: SearchEvery = 1
    reputation_every: ReputationEvery = 1
    amend_every: AmendEvery = 5
    manners: dict[str, Manners] = Field(
        default={}, description="How each scripted agent cooperates, by agent."
    )

    @property
    @abstractmethod
    def chosen(self) -> str:
        """The setting that selects the agents' modules, as the user wrote it."""

    @property
    @abstractmethod
    def duty_costs(self) -> float:
        """The fine that the initial law imposes for a neglected duty."""

    @abstractmethod
    def knowledge(self) -> ActsKnowledge:
        """Return the claims, the deeds and the duty that the scenario defines, and what its
        scripted persons know and promise.
        """

    @model_validator(mode="after")
    def _carried_by_several(self) -> ActsModules:
        names = self.knowledge().promised
        if self.chosen and len(names) < 2:
            raise ValueError("--modules needs at least two people")
        if unknown := sorted(set(self.manners) - set(names)):
            known = ", ".join([*names][:3]) + ", …" * (len(names) > 3)
            raise ValueError(
                f"manners.{unknown[0]}: there is no agent of that name; there are {known}"
            )
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
        """Return a dictionary from each agent's name to the script that answers for its modules.
        Without modules, the dictionary is empty.
        """
        if not self.chosen:
            return {}
        knowledge, manners = self.knowledge(), self.manners
        return {
            name: ActsCompanion(
                name, manners.get(name, Manners()), f"{seed} {name}", knowledge=knowledge
            )
            for name in knowledge.promised
        }
