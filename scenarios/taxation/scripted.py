"""Scripted villagers, who work, talk about the tax, are persuaded, vote, and pay.

This is a stochastic model of people, for villages without a language model. Villagers use the data
from which prompts are rendered and the utterances of all people, including their own. They use
their own goals, plans and insights, but never read the text of prompts. The rates are in
:class:`VillagerParams`.

- Each villager has a wish for the tax rate. The wishes of constituents are normally distributed
  around ``wish``. The wishes of influencers are drawn uniformly from ``pro`` or ``anti``, and never
  change.
- A constituent who hears another person's wish moves its own wish towards it, by a share of the
  distance between the two. The share is ``persuasion`` if the speaker is an influencer, and
  ``gossip`` otherwise. It is multiplied by ``conviction`` if the speaker says that it is sure. It
  is also multiplied by one fifth of how much the hearer likes the speaker, from 0 to 10.
- A goal names a person to talk to. That person is one of the best-liked people among those that the
  villager likes or remembers hearing. An influencer chooses a person that it does not remember
  hearing. A plan says to visit that person first, and the visit follows the plan. Without a plan,
  the villager visits a random person.
- A villager who reflects on wishes that it has heard becomes sure of its own wish, and says so as
  long as it remembers this insight.
- In each season, a villager complies with probability ``compliance``. A villager that complies pays
  what the law asks, with a relative error of ``error``; a villager that does not comply pays
  nothing. For each earlier season in which it does not know that it has paid, a villager pays
  ``arrears`` times the tax in addition. Villagers without action awareness therefore pay more from
  season to season, whether or not they are persuaded.
- A villager votes yes if an amendment moves the law closer to its wish, and no if the amendment
  moves the law further away. It abstains if the difference is within ``indifference``. With
  probability ``civic``, it votes yes on an amendment that sets no numbers.
"""

from __future__ import annotations

import random
import re
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from voxpolis.bots.agents import piano
from voxpolis.bots.models.scripted import Chances
from voxpolis.bots.models.typed import Answer
from voxpolis.experiments.loops.society.scenario import Rates, Talkative
from voxpolis.experiments.run.options import Share
from voxpolis.judge.law.constitution import Amendment, Ballot, Choice, SetNumber, Vote
from voxpolis.scenarios.taxation import referendum

# How villagers state a wish, and that they are sure of it. Other villagers parse both sentences.
WISH = "tax should be {percent} %"
_WISH = re.compile(r"tax should be (\d+(?:\.\d+)?) %")
SURE = "I am sure"
# Format of plans.
VISIT = "Visit {name}"
_VISIT = re.compile(r"^Visit (.+)$")
# Announcements of actions.
ANNOUNCED = {
    "WORK": "I am at my work.",
    "GO": "I am going to {target}.",
    "VISIT": "I am visiting {target}.",
    "PAY": "I am paying my tax.",
    "REST": "I am resting.",
}
# The liking that has no effect on persuasion, and the number of best-liked people from whom a
# person to talk to is drawn. Both are our choices.
NEUTRAL, FRIENDS = 5, 3


class VillagerParams(Rates):
    """The rates of the model. Shares are from 0 to 1."""

    wish: Share = Field(default=0.2, description="Mean tax rate that constituents wish for.")
    wish_sd: Share = Field(
        default=0.03, description="Standard deviation of the constituents' wishes."
    )
    anti: tuple[float, float] = Field(
        default=(0.05, 0.10),
        description="Range of the wishes of anti-tax influencers. Source: Project Sid.",
    )
    pro: tuple[float, float] = Field(
        default=(0.25, 0.35),
        description="Range of the wishes of pro-tax influencers, at least 25 %.",
    )
    persuasion: Share = Field(
        default=0.06,
        description="Share by which a wish moves towards that of an influencer who states it.",
    )
    gossip: Share = Field(
        default=0.02, description="The same for a speaker who is not an influencer."
    )
    conviction: float = Field(
        default=1.5, ge=0, le=10, description="Factor on both shares if the speaker is sure."
    )
    compliance: Share = Field(
        default=0.99, description="Probability that a person pays in a season."
    )
    error: Share = Field(
        default=0.08, description="Standard deviation of the relative error in a payment."
    )
    arrears: Share = Field(
        default=0.04,
        description="Extra payment, as a share of the tax, for each past season in which the "
        "person does not know that it has paid.",
    )
    indifference: Share = Field(
        default=0.01,
        description="A person abstains if an amendment changes the distance of the law from its "
        "wish by at most this much.",
    )
    civic: Share = Field(
        default=0.7, description="Probability of a yes on an amendment without numbers."
    )
    sociable: Share = Field(
        default=0.25, description="Probability that a person visits someone instead of working."
    )
    talkative: Talkative = 0.3


@dataclass
class _Villager:
    chances: Chances
    is_influencer: bool
    wish: float


class Villagers(piano.ScriptedPeople[_Villager]):
    """The scripted minds of the village. The module's docstring explains the model."""

    def __init__(
        self,
        constituents: Iterable[str],
        influencers: Mapping[str, str],
        params: VillagerParams,
        seed: int,
        helpers: Iterable[str] = (),
    ) -> None:
        """Create the minds. ``influencers`` maps a name to ``pro`` or ``anti``. Villagers do not
        talk to ``helpers``, such as the election manager.
        """
        self.params = params
        self.people: dict[str, _Villager] = {}
        self._helpers = set(helpers)
        for name in (*constituents, *sorted(self._helpers)):
            drawn = random.Random(f"{seed} {name} wish").gauss(params.wish, params.wish_sd)
            wish = min(max(drawn, 0.0), 1.0)
            self.people[name] = _Villager(Chances(f"{seed} {name}"), False, wish)
        for name, stance in influencers.items():
            low, high = params.pro if stance == "pro" else params.anti
            wish = random.Random(f"{seed} {name} wish").uniform(low, high)
            self.people[name] = _Villager(Chances(f"{seed} {name}"), True, wish)

    def take_part(self, person: _Villager, about: Any) -> Answer | None:
        match about:
            case referendum.FeedbackRequest():
                return referendum.Feedback(opinion=f"The {_wish(person.wish)} All else may stay.")
            case referendum.AmendmentsRequest():
                return _amend(about.feedback)
            case referendum.CompileRequest():
                return referendum.LawReading(
                    readings=[
                        referendum.Reading(amendment=one.number, sets=_sets(one.sets), judged=False)
                        for one in about.amendments
                    ]
                )
            case referendum.AssessRequest():
                percent = float(f"{about.law.parameters['tax_rate'] * 100:g}")
                return referendum.Dues(everybody=percent, exceptions=[])
            case referendum.BallotRequest():
                law = about.law.parameters["tax_rate"]
                votes = [(one.number, self._choose(person, law, one)) for one in about.amendments]
                return Ballot(votes=[Vote(amendment=n, vote=choice) for n, choice in votes])
        return None

    # --- Talk partners and actions ---------------------------------------------------------------

    def _others(self, name: str) -> list[str]:
        return [other for other in self.people if other != name and other not in self._helpers]

    def aim(self, person: _Villager, request: piano.GoalRequest) -> piano.Goal:
        others = self._others(request.agent)
        heard = {one.speaker for one in _heard(request.digest.recalled)}
        if person.is_influencer:
            found = [name for name in others if name not in heard] or others
        else:
            liking = dict(request.liked)
            known = [name for name in others if name in heard or name in liking]
            known.sort(key=lambda name: -liking.get(name, NEUTRAL))
            found = known[:FRIENDS] or others
        if not found:
            return piano.Goal(goal="Be on good terms with those around me.")
        return piano.Goal(goal=f"Talk about the tax with {person.chances.of('goal').choice(found)}")

    def decide(self, person: _Villager, request: piano.DecideRequest) -> piano.Decide:
        state, chance = request.digest, person.chances.of("decide")
        if self._is_to_pay(state):
            percent = round(self._due(person, state) * 100, 2)
            return piano.Decide(action=piano.Action("PAY", percent=percent), about="tax")
        if person.is_influencer or chance.random() < self.params.sociable:
            planned = _VISIT.match(state.plan[0]) if state.plan else None
            others = self._others(request.agent)
            if planned or others:
                whom = planned[1] if planned else chance.choice(others)
                return piano.Decide(action=piano.Action("VISIT", person=whom), about="tax")
        return piano.Decide(
            action=piano.Action("WORK"), about="tax" if chance.random() < 0.5 else None
        )

    def _is_to_pay(self, state: piano.Digest) -> bool:
        """Return whether a season is open and the villager believes that it has not paid in this
        season.
        """
        season, last = referendum.season_of(state.standing), state.decision
        if season is None or not season.is_open(state.t):
            return False
        if season.number in referendum.account_of(state.standing).seasons:
            return False
        return not (last.action.do == "PAY" and last.t >= season.opened and state.is_done)

    def _due(self, person: _Villager, state: piano.Digest) -> float:
        season, chance = referendum.season_of(state.standing), person.chances.of("due")
        law = state.standing[referendum.LAW]
        assert isinstance(law, referendum.Law)
        if season is None or chance.random() >= self.params.compliance:
            return 0.0
        rate = law.constitution.parameters["tax_rate"]
        asked = rate if season.due is None else season.due
        unknown = season.number - 1 - len(referendum.account_of(state.standing).seasons)
        owed = asked * (1 + self.params.arrears * unknown)
        return min(max(owed * (1 + chance.gauss(0, self.params.error)), 0.0), 1.0)

    # --- Talk ------------------------------------------------------------------------------------

    def talk(self, person: _Villager, request: piano.TalkRequest) -> piano.Talk:
        decision, chance = request.decision, person.chances.of("talk")
        if not person.is_influencer and chance.random() >= self.params.talkative:
            return piano.SILENT
        if decision is None:  # the speech module does not know the decision
            verb, target, about = chance.choice(list(ANNOUNCED)), "somebody", ""
        else:
            action, about = decision.action, decision.about
            verb, target = action.do, action.target
        said = ANNOUNCED[verb].format(target=target)
        if "tax" in about or person.is_influencer:
            is_sure = any(memory.text.startswith(SURE) for memory in request.digest.recalled)
            said += f" {SURE if is_sure else 'I say'}: the {_wish(person.wish)}"
        return piano.Talk(say=said)

    def plan(self, person: _Villager, request: piano.PlanRequest) -> piano.Plan:
        _, _, name = request.goal.partition(" with ")
        return piano.Plan(steps=(VISIT.format(name=name), "Say what I wish for the tax"))

    def reflect(self, person: _Villager, request: piano.ReflectRequest) -> piano.Insights:
        if any(_WISH.search(heard.text) for heard in _heard(request.lately)):
            return piano.Insights(insights=(f"{SURE} that the {_wish(person.wish)}",))
        return piano.NO_INSIGHTS

    def judge(self, person: _Villager, request: piano.SocialRequest) -> piano.Opinions:
        likes: dict[str, int] = {}
        for heard in request.heard:
            found, other = _WISH.search(heard.text), self.people.get(heard.speaker)
            if found is None or other is None:
                continue
            far = float(found[1]) / 100 - person.wish
            likes[heard.speaker] = max(0, 8 - round(abs(far) * 40))
            if not person.is_influencer:
                person.wish += self._weight(request, heard, other) * far
        if not likes:
            return piano.Opinions()
        return piano.Opinions(
            likes=[piano.Liking(name=name, liking=value) for name, value in likes.items()],
            believes=[
                piano.Belief(subject="tax", belief=f"it should be {_percent(person.wish)} %")
            ],
        )

    def _weight(
        self, request: piano.SocialRequest, heard: piano.Heard, speaker: _Villager
    ) -> float:
        """Return how far a villager's own wish moves towards a wish that the villager has heard.
        The result is a share of the distance between the two wishes.
        """
        rate = self.params.persuasion if speaker.is_influencer else self.params.gossip
        if SURE in heard.text:
            rate *= self.params.conviction
        return min(1.0, rate * request.liked.get(heard.speaker, NEUTRAL) / NEUTRAL)

    def _choose(self, person: _Villager, law: float, amendment: Amendment) -> Choice:
        rate = amendment.sets.get("tax_rate")
        if rate is None:
            return "yes" if person.chances.of("ballot").random() < self.params.civic else "no"
        gain = abs(law - person.wish) - abs(rate - person.wish)
        if abs(gain) <= self.params.indifference:
            return "abstain"
        return "yes" if gain > 0 else "no"


def _heard(memories: Sequence[piano.Memory]) -> list[piano.Heard]:
    return [memory.about for memory in memories if isinstance(memory.about, piano.Heard)]


def _amend(feedback: Mapping[str, str]) -> referendum.Amendments:
    """Return the election manager's amendments. One sets the tax rate to the median of the wishes
    in the feedback; another is in words.
    """
    wishes = [float(found) for text in feedback.values() for found in _WISH.findall(text)]
    if wishes:
        rate = round(statistics.median(wishes) / 100, 3)
        told = {
            f"The tax is {_percent(rate)} % of what each holds.": {"tax_rate": rate},
            "After each season the village is told what was paid.": {},
        }
    else:
        told = {"Everything stays as it is.": {}}
    changes = [
        referendum.VillageChange(words=words, sets=_sets(sets), judged=False)
        for words, sets in told.items()
    ]
    return referendum.Amendments(amendments=changes)


def _sets(numbers: Mapping[str, float]) -> list[SetNumber]:
    return [SetNumber(parameter=name, value=value) for name, value in numbers.items()]


def _wish(rate: float) -> str:
    return f"{WISH.format(percent=_percent(rate))}."


def _percent(rate: float) -> str:
    return f"{rate * 100:.1f}"
