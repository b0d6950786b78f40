"""Scripted citizens, who find roles, work at their trades, and feed each other.

This is a stochastic model of people, for villages without a language model. Citizens use the data
from which prompts are rendered and the utterances of all people, including their own. They use
their own profiles, goals, plans and insights, but never read the text of prompts. The rates are in
:class:`CitizenParams`.

- A citizen draws its role when it makes its first goal. The weight of a role is the village's need
  for it, minus ``avoidance`` times the share of citizens in that role among those that the citizen
  knows. If no weight is positive, the role with the largest weight is chosen. Citizens who know the
  others therefore fill gaps.
- With probability ``switching`` per 30 s, a citizen draws another role in the same way. A citizen
  does not consider others if it knows none (without social awareness) or if ``avoidance`` is 0.
  Such a citizen cannot tell whether its work is needed, and changes its role ``doubt`` times as
  often.
- What a citizen knows about another person is a profile. The profile states the other's role, which
  follows from what the other says or from an observed action that belongs to a single trade.
- A citizen chooses an action of its own trade with probability ``devotion``, and otherwise any
  action of another trade that is possible. It first gets the inputs from the market, or by work
  that belongs to no trade. If it has a plan, the plan decides in half of all cases which of its
  actions comes first. Otherwise, an insight about itself decides with probability ``heeding``: the
  citizen takes the intended action that it has done least. A citizen follows an insight as long as
  it remembers that insight. Insights come from self-reflection and are kept by memory, so a citizen
  without one of these two modules follows no insight. A citizen that knows of a recent failure
  avoids the action that failed. Without action awareness, it tries that action again and again.
- A citizen whose trade has no action in its world does general work: it gathers what others need.
- A citizen without a role looks around.
- A hungry citizen eats what it has, fetches food from the market, or says that it is hungry. A
  person who hears this brings food with probability ``kindness`` as soon as it can spare some. The
  hearer keeps this intention for 120 s, or for as long as its long-term memory recalls the other
  person's hunger. After that, the hearer forgets the matter, because the hungry person has found
  food or will ask again. A citizen brings products beyond ``spare`` pieces to the market, where
  others find what they need. Of the inputs of its own trade, it keeps up to four times ``spare``
  pieces.
- A citizen with cooperation modules that wants to do its part in a round (:class:`ActsCompanion`)
  brings to the market one piece of the item that it has most of. It does so as soon as it has an
  item and is not hungry.
- A citizen that can speak does so with probability ``talkative``. It speaks about its next action
  and its role, and about its last insight while it remembers that insight.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from pydantic import Field

from voxpolis.bots.agents import piano
from voxpolis.bots.models.scripted import Chances
from voxpolis.experiments.loops.cooperation.scripted import ActsCompanion
from voxpolis.experiments.loops.society.cooperation import COOPERATION, ModuleKnowledge
from voxpolis.experiments.loops.society.scenario import Rates, Talkative
from voxpolis.experiments.run.options import Share
from voxpolis.scenarios.specialisation.measures import Community, roles, trades
from voxpolis.worlds.trades import HUNGRY, Trades, WorkKnowledge
from voxpolis.worlds.trades.errands import ErrandPlanner
from voxpolis.worlds.trades.rules import action_of
from voxpolis.worlds.trades.verbs import WORK

# How citizens state their role and their hunger. Other citizens parse both sentences.
IS, STARVING = "My work here is that of {role}.", "I am hungry."
_IS = re.compile(r"My work here is that of an? (\w+)\.")
# Announcements of actions; others are derived from the verb.
ANNOUNCED = {"GO": "I am going to", "VISIT": "I will visit", "REST": "I am resting"}
# Format of profiles of others.
PROFILE = "works as {role}"
_PROFILE = re.compile(r"^works as an? (\w+)$")
# How citizens write an insight (their trade, and the action that they did least), and how they say
# the two parts.
INSIGHT = "I know my trade."
SELDOM = "Of my trade I do this the least: {action}."
_SELDOM = re.compile(r"^Of my trade I do this the least: (.+)\.$")
# ``switching`` is the probability per this many seconds.
SWITCH_S = 30.0
# A citizen intends to feed a hungry person for this many seconds, even if it forgets the request.
FEEDS_S = 120.0
# Number of pieces of food fetched in one trip; minimum number of pieces for a delivery to the
# market; and factor by which more of a trade's own inputs are kept.
MEAL, LEAST_DELIVERED, OWN_USE = 2, 2, 4


class CitizenParams(Rates):
    """The rates of the model. Shares and probabilities are from 0 to 1."""

    avoidance: float = Field(
        default=2.0,
        ge=0,
        le=100,
        description="How strongly a person avoids a role that many others have.",
    )
    switching: Share = Field(
        default=0.05, description="Probability that a person takes another role within 30 s."
    )
    doubt: float = Field(
        default=3.0,
        ge=1,
        le=20,
        description="Factor on switching for a person who does not consider others.",
    )
    devotion: Share = Field(
        default=0.9, description="Probability that a person chooses an action of its own trade."
    )
    heeding: Share = Field(
        default=0.5, description="Probability that a person follows an insight about itself."
    )
    kindness: Share = Field(
        default=0.8, description="Probability that a person brings food to a hungry person."
    )
    spare: int = Field(
        default=2, ge=1, le=1000, description="Number of pieces of a product that a person keeps."
    )
    talkative: Talkative = 0.3


@dataclass
class _Citizen:
    chances: Chances
    role: str = ""
    chosen_at: float = 0.0
    wish: str = ""
    # People that the citizen intends to feed, and when it heard of each one's hunger.
    feeds: dict[str, float] = field(default_factory=dict)
    # The last round in which the citizen brought something to the market.
    brought: int = 0
    # Times and roles: the true values that measures must recover.
    history: list[tuple[float, str]] = field(default_factory=list)


class Citizens(piano.ScriptedPeople[_Citizen]):
    """The scripted minds of the village. The module's docstring explains the model."""

    def __init__(
        self,
        names: Sequence[str],
        community: Community,
        village: Trades,
        params: CitizenParams,
        seed: int,
        companions: Mapping[str, ActsCompanion] | None = None,
    ) -> None:
        """Create the minds. ``companions`` maps citizens to the scripts that answer for their
        cooperation modules.
        """
        self._companions = companions or {}
        self.params = params
        self.needs = community.needs
        self.people = {name: _Citizen(Chances(f"{seed} {name} citizen")) for name in names}
        own = {
            role: [action for action in roles()[role].actions if action in village.rules]
            for role in community.needs
        }
        trade = {action for actions in own.values() for action in actions}
        self._errands = ErrandPlanner(village, trade)
        free = [a for a, rule in village.actions.items() if a not in trade and not rule.needs]
        self._own = {role: actions or free for role, actions in own.items()}
        self._foods = village.hunger.foods
        self._market, self._items = village.market, village.items
        self._sites = list(village.sites)

    # --- Roles -----------------------------------------------------------------------------------

    def aim(self, person: _Citizen, request: piano.GoalRequest) -> piano.Goal:
        chance, now = person.chances.of("goal"), request.digest.t
        known = Counter(map(_role_in, (request.profiles or {}).values()))
        del known[""]
        heeds = self.params.avoidance > 0 and known.total() > 0
        in_30_s = min(1.0, self.params.switching * (1.0 if heeds else self.params.doubt))
        changes = 1 - (1 - in_30_s) ** ((now - person.chosen_at) / SWITCH_S)
        if not person.role or chance.random() < changes:
            person.role = self._draw(chance, person.role, known)
            person.history.append((now, person.role))
            person.wish = ""
        person.chosen_at = now
        return piano.Goal(goal=chance.choice(roles()[person.role].goals))

    def _draw(self, chance: random.Random, own: str, known: Counter[str]) -> str:
        others = max(1, known.total())
        left = {
            role: need - self.params.avoidance * known[role] / others
            for role, need in self.needs.items()
            if role != own
        }
        weights = {role: weight for role, weight in left.items() if weight > 0}
        if not weights:
            return max(left, key=lambda role: left[role])
        return chance.choices(list(weights), list(weights.values()))[0]

    def describe(self, person: _Citizen, request: piano.ProfilesRequest) -> piano.Profiles:
        found: dict[str, str] = {}
        for name, action in request.seen.items():
            own = [role for role in trades().get(action, ()) if role in self.needs]
            if len(own) == 1:
                found[name] = own[0]
        for heard in request.heard:
            if said := _IS.search(heard.text):
                found[heard.speaker] = said[1]
            if STARVING in heard.text and person.chances.of("kind").random() < self.params.kindness:
                person.feeds[heard.speaker] = heard.t
        told = {name: PROFILE.format(role=_with_article(role)) for name, role in found.items()}
        return piano.Profiles(
            about=[piano.Profile(name=name, profile=text) for name, text in told.items()]
        )

    # --- Work ------------------------------------------------------------------------------------

    def reflect(self, person: _Citizen, request: piano.ReflectRequest) -> piano.Insights:
        own = self._own.get(person.role, ())
        done = Counter(
            one.about.last.action
            for one in request.lately
            if isinstance(one.about, WorkKnowledge) and one.about.last.ok
        )
        if not any(done[action] for action in own):
            return piano.Insights(insights=(INSIGHT,)) if person.role else piano.NO_INSIGHTS
        least = min(own, key=lambda action: done[action])
        return piano.Insights(insights=(SELDOM.format(action=least),))

    def plan(self, person: _Citizen, request: piano.PlanRequest) -> piano.Plan:
        own = list(self._own.get(person.role, ()))
        person.chances.of("plan").shuffle(own)
        return piano.Plan(steps=own or ("See what is to be done",))

    def decide(self, person: _Citizen, request: piano.DecideRequest) -> piano.Decide:
        state = request.digest
        if state.is_done and str(state.decision.action) == person.wish:
            person.wish = ""
        part = self._part(person, request.agent, state)
        action = self._meal(person, state) or part or self._delivery(person, state)
        if not action and not person.role:
            action = piano.Action("GO", place=person.chances.of("look").choice(self._sites))
        action = action or self._work(person, state)
        return piano.Decide(action=action, about=person.role or None)

    def _meal(self, person: _Citizen, state: piano.Digest) -> piano.Action | None:
        """Return an action that feeds the citizen itself or another hungry person, or None."""
        held = state.seen.inventory
        foods = [food for food in self._foods if held.get(food, 0) > 0]
        if state.seen.around.feels == HUNGRY:
            if foods:
                return piano.Action("EAT", item=foods[0])
            offered = self._offered(state)
            found = next((food for food in self._foods if offered.get(food, 0) > 0), None)
            if found and f"TAKE {found}" not in _failed(state):
                return piano.Action("TAKE", MEAL, found)
            return None
        last, fed = state.decision, state.decision.action.person
        has_tried = last.action.do == "GIVE" and state.is_done
        if has_tried and person.feeds.get(fed, math.inf) <= last.t:
            del person.feeds[fed]
        if not person.feeds or sum(held.get(food, 0) for food in foods) < 2:
            return None
        remembered = {
            (one.about.speaker, one.about.t)
            for one in state.recalled
            if isinstance(one.about, piano.Heard)
        }
        for to, heard_s in person.feeds.items():
            if state.t - heard_s <= FEEDS_S or (to, heard_s) in remembered:
                return piano.Action("GIVE", 1, foods[0], to)
        return None

    def _part(self, person: _Citizen, name: str, state: piano.Digest) -> piano.Action | None:
        """Return the action with which the citizen keeps a promise or obeys the law in this round,
        or None.
        """
        holds, own = state.standing.get(COOPERATION), self._companions.get(name)
        if own is None or not isinstance(holds, ModuleKnowledge):
            return None
        last = state.decision
        if last.action.do == "PUT" and last.t >= holds.began and state.is_done:
            person.brought = person.brought if state.failure else holds.round
        inventory = state.seen.inventory
        held = Counter({item: inventory.get(item, 0) for item in self._items})
        if person.brought == holds.round or not held.total():
            return None
        item = max(sorted(held), key=lambda one: held[one])
        keeps = own.keeps_its_part(holds.known, holds.round)
        return piano.Action("PUT", 1, item) if keeps else None

    def _delivery(self, person: _Citizen, state: piano.Digest) -> piano.Action | None:
        """Return the action of bringing surplus products to the market, or None."""
        own = self._own.get(person.role, ())
        takes = {item for action in own for item in self._errands.takes(action)}
        for item in dict.fromkeys(item for action in own for item in self._errands.makes(action)):
            keeps = self.params.spare * (OWN_USE if item in takes else 1)
            more = state.seen.inventory.get(item, 0) - keeps
            if more >= LEAST_DELIVERED:
                return piano.Action("PUT", min(more, piano.MOST_PIECES), item)
        return None

    def _offered(self, state: piano.Digest) -> Mapping[str, int]:
        if state.seen.place == self._market:
            return state.seen.around.things
        sight = state.sights.get(self._market)
        return sight.things if sight else {}

    def _work(self, person: _Citizen, state: piano.Digest) -> piano.Action:
        held, offered, failed = state.seen.inventory, self._offered(state), _failed(state)
        if person.wish and (step := self._errands.step(person.wish, held, offered, failed)):
            return step
        person.wish = ""
        chance = person.chances.of("work")
        own = [a for a in self._own.get(person.role, ()) if a not in failed]
        if person.role and chance.random() >= self.params.devotion:
            ready = [
                action
                for role, actions in self._own.items()
                for action in actions
                if role != person.role
                and action not in (*failed, *self._own[person.role])
                and self._errands.is_ready(action, held)
            ]
            if ready:
                person.wish = chance.choice(ready)
                return action_of(person.wish)
        steps = {a: s for a in own if (s := self._errands.step(a, held, offered, failed))}
        if not steps:
            return piano.Action("REST")
        planned = [action for action in state.plan if action in steps]
        first = planned[0] if planned and chance.random() < 0.5 else None
        if first is None and chance.random() < self.params.heeding:
            first = next(
                (a for one in state.recalled if (a := _least_done_action(one)) in steps), None
            )
        person.wish = first or chance.choice(list(steps))
        return steps[person.wish]

    # --- Talk ------------------------------------------------------------------------------------

    def talk(self, person: _Citizen, request: piano.TalkRequest) -> piano.Talk:
        if person.chances.of("talk").random() >= self.params.talkative:
            return piano.SILENT
        said = []
        if request.decision:
            verb, _, rest = str(request.decision.action).partition(" ")
            words = ANNOUNCED.get(verb, f"I will {verb.lower()}")
            said.append(f"{words} {rest.replace('_', ' ')}".strip() + ".")
        if person.role:
            said.append(IS.format(role=_with_article(person.role)))
        if request.digest.seen.around.feels == HUNGRY:
            said.append(STARVING)
        if any(isinstance(memory.about, piano.Insight) for memory in request.digest.recalled):
            said.append(INSIGHT)
        return piano.Talk(say=" ".join(said) or None)


def _with_article(role: str) -> str:
    return f"{'an' if role[0] in 'aeiou' else 'a'} {role}"


@cache
def _role_in(profile: str) -> str:
    found = _PROFILE.match(profile)
    return found[1] if found else ""


def _least_done_action(memory: piano.Memory) -> str:
    found = _SELDOM.match(memory.text) if isinstance(memory.about, piano.Insight) else None
    return found[1] if found else ""


def _failed(state: piano.Digest) -> frozenset[str]:
    work = state.standing.get(WORK)
    return frozenset(work.lately(state.t)) if isinstance(work, WorkKnowledge) else frozenset()
