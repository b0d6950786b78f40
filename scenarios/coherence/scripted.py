"""Scripted talkers, who lie, break promises, boast and believe rumours at given rates.

This is a stochastic model whose rates are in :class:`TalkerParams`. Talkers use the data from which
prompts are rendered and the utterances of all people, including their own.

- A talker does one thing after another. It goes to a site, visits a person, gathers, explores or
  rests, with equal probabilities, but never does the same thing twice in a row.
- A talker announces its current action (if its speech module knows the decision), promises to give
  away an item that it has, or claims to have an item. With probability ``lies`` it announces an
  action that it does neither now nor next. If its speech module does not know the decision, it
  announces any of the five actions. With probability ``breaks`` it breaks a promise; otherwise its
  next action is to give the item away. With probability ``boasts`` it claims to have an item that
  it does not have.
- A talker that hears the rumour of ripe wheat believes it. When a believer speaks, it repeats the
  rumour with probability ``repeats``. With each decision, it tries to harvest with probability
  ``tries``. It stops believing when it knows that a harvest has failed, for which it needs action
  awareness.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import Field

from voxpolis.bots.agents import piano
from voxpolis.experiments.loops.society.scenario import Rates, Talkative
from voxpolis.experiments.run.options import Share
from voxpolis.worlds.trades import Trades, WorkKnowledge
from voxpolis.worlds.trades.rules import action_of
from voxpolis.worlds.trades.verbs import WORK

# The false statement: nothing was planted.
RUMOUR = "The wheat at the farmland is ripe."
CHECKED = "HARVEST"
# Talkers' actions by verb, and their announcements.
ANNOUNCED = {
    "GO": "I am going to the market.",
    "VISIT": "I will visit a friend.",
    "GATHER": "I will gather something.",
    "EXPLORE": "I am off to explore.",
    "REST": "I am resting now.",
}
PROMISED, CLAIMED = "Here is one {item} for you, {name}.", "I have {count} {item}."
# Seconds after a decision in which a talker makes no promise, because it could not give an item
# soon.
FREE_AFTER_S = 45.0
# Item that talkers boast of; nothing in this village provides it.
BOASTED = "diamond"
# Probabilities of the kinds of utterance.
SPEECH = {"announce": 0.6, "promise": 0.2, "claim": 0.2}


class TalkerParams(Rates):
    """The rates of the model, which are probabilities."""

    talkative: Talkative = 0.5
    lies: Share = Field(default=0.1, description="Probability that an announcement is false.")
    breaks: Share = Field(default=0.1, description="Probability that a promise is broken.")
    boasts: Share = Field(
        default=0.1, description="Probability that a claim to have an item is false."
    )
    repeats: Share = Field(
        default=0.5,
        description="Probability that a person who believes the rumour repeats it when it speaks.",
    )
    tries: Share = Field(
        default=0.2, description="Probability that such a person decides to harvest."
    )


@dataclass
class _Talker:
    chance: random.Random
    doing: str = ""
    denied: set[str] = field(default_factory=set)
    gift: piano.Action | None = None
    is_sure: bool = False
    has_checked: bool = False


class Talkers(piano.ScriptedPeople[_Talker]):
    """The scripted minds of the village. The module's docstring explains the model."""

    def __init__(
        self, names: Sequence[str], village: Trades, params: TalkerParams, seed: int
    ) -> None:
        self.params = params
        self._sites = [site for site in village.sites if site != village.market]
        self._market = village.market
        self._work = [
            name
            for name, rule in village.actions.items()
            if name.startswith("GATHER ") and not rule.tools and not rule.needs
        ]
        self.people = {name: _Talker(random.Random(f"{seed} {name} talks")) for name in names}

    # --- Doing -----------------------------------------------------------------------------------

    def decide(self, person: _Talker, request: piano.DecideRequest) -> piano.Decide:
        self._think(person, request.digest)
        chance, denied, gift = person.chance, person.denied, person.gift
        person.denied, person.gift = set(), None
        if gift:
            person.doing = "GIVE"
            return piano.Decide(action=gift)
        if person.is_sure and chance.random() < self.params.tries:
            person.doing = CHECKED
            return piano.Decide(action=piano.Action(CHECKED))
        verbs = [verb for verb in ANNOUNCED if verb not in (person.doing, *denied)]
        person.doing = chance.choice(verbs or [v for v in ANNOUNCED if v != person.doing])
        match person.doing:
            case "GO":
                # every second action leads to where people meet
                action = piano.Action(
                    "GO", place=chance.choice([self._market, chance.choice(self._sites)])
                )
            case "VISIT":
                others = [name for name in self.people if name != request.agent]
                action = piano.Action("VISIT", person=chance.choice(others))
            case "GATHER":
                action = action_of(chance.choice(self._work))
            case verb:
                action = piano.Action(verb)
        return piano.Decide(action=action)

    def _think(self, person: _Talker, state: piano.Digest) -> None:
        work = state.standing.get(WORK)
        if isinstance(work, WorkKnowledge) and CHECKED in work.failed:
            person.has_checked = True
        told = [one.text for one in state.happened] + [one.text for one in state.recalled]
        knows = any(RUMOUR in text for text in told)
        person.is_sure = (person.is_sure or knows) and not person.has_checked

    # --- Saying ----------------------------------------------------------------------------------

    def talk(self, person: _Talker, request: piano.TalkRequest) -> piano.Talk:
        state, chance = request.digest, person.chance
        self._think(person, state)
        if chance.random() >= self.params.talkative:
            return piano.SILENT
        if person.is_sure and chance.random() < self.params.repeats:
            return piano.Talk(say=RUMOUR)
        held = {item: count for item, count in state.seen.inventory.items() if count > 0}
        (kind,) = chance.choices(list(SPEECH), list(SPEECH.values()))
        is_free_soon = state.t - state.decision.t >= FREE_AFTER_S
        if kind == "promise" and held and state.seen.near and is_free_soon and not person.gift:
            item, name = chance.choice(sorted(held)), chance.choice(state.seen.near)
            if chance.random() >= self.params.breaks:
                person.gift = piano.Action("GIVE", 1, item, name)
            return piano.Talk(say=PROMISED.format(item=item.replace("_", " "), name=name))
        if kind == "claim" and chance.random() < self.params.boasts:
            return piano.Talk(say=CLAIMED.format(count=2, item=BOASTED))
        if kind == "claim" and held:
            item = chance.choice(sorted(held))
            return piano.Talk(say=CLAIMED.format(count=held[item], item=item.replace("_", " ")))
        if request.decision is None:
            return piano.Talk(say=ANNOUNCED[chance.choice(list(ANNOUNCED))])
        doing = request.decision.action.do
        if doing != person.doing or doing not in ANNOUNCED:
            return piano.SILENT
        if chance.random() >= self.params.lies:
            return piano.Talk(say=ANNOUNCED[doing])
        lie = chance.choice([verb for verb in ANNOUNCED if verb != doing])
        person.denied.add(lie)
        return piano.Talk(say=ANNOUNCED[lie])
