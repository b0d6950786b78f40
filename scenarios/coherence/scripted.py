"""Scripted talkers: they lie, break promises, boast and believe at stated rates.

An explicit stochastic model, whose rates are in :class:`TalkerParams`. They go by the typed values
that prompts are rendered from, and by what people say, themselves included.

- A talker does one thing after another: it goes to a site, visits somebody, gathers, explores or
  rests; each as often as the others, never the same twice in a row.
- What it says is an announcement of what it does now (where it is told its decision), a promise to
  give something that it holds, or a claim to hold something. With ``lies`` it announces something
  else, which it does not do next either; told no decision it announces any of the five. It breaks a
  promise with ``breaks``, else it gives next. With ``boasts`` it claims to hold what it does not.
- Who believes the rumour that the wheat is ripe repeats it with ``repeats`` where it would say
  something else, and tries to harvest with ``tries``, a decision. Who knows that this failed (only
  who is aware of what came of its actions) believes it no more. Who hears it believes it.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import Field

from voxpolis.bots.agents import piano
from voxpolis.experiments.loops.society.scenario import Rates
from voxpolis.worlds.trades import Trades, Worked
from voxpolis.worlds.trades.rules import action_of
from voxpolis.worlds.trades.verbs import WORK

# The false statement: nothing was planted, so nothing is ripe.
RUMOUR = "The wheat at the farmland is ripe."
CHECKED = "HARVEST"
# What talkers do, by verb, and how each is announced.
ANNOUNCED = {
    "GO": "I am going to the market.",
    "VISIT": "I will visit a friend.",
    "GATHER": "I will gather something.",
    "EXPLORE": "I am off to explore.",
    "REST": "I am resting now.",
}
PROMISED, CLAIMED = "Here is one {item} for you, {name}.", "I have {count} {item}."
# Nobody promises anything who decided so lately, in seconds: it could not be given soon.
FREE_AFTER_S = 45.0
# What talkers boast of; nobody here ever holds one.
BOASTED = "diamond"
# What a talker says, how often.
SPEECH = {"announce": 0.6, "promise": 0.2, "claim": 0.2}


class TalkerParams(Rates):
    """The rates of the model, parts of 1."""

    talkative: float = Field(default=0.5, ge=0, le=1, description="To speak when one can.")
    lies: float = Field(default=0.1, ge=0, le=1, description="Announcements of something else.")
    breaks: float = Field(default=0.1, ge=0, le=1, description="Promises that are not kept.")
    boasts: float = Field(default=0.1, ge=0, le=1, description="Claims to hold what one does not.")
    repeats: float = Field(default=0.5, ge=0, le=1, description="The rumour, where one believes.")
    tries: float = Field(default=0.2, ge=0, le=1, description="A decision to harvest.")


@dataclass
class _Talker:
    chance: random.Random
    doing: str = ""
    denied: set[str] = field(default_factory=set)
    gift: piano.Action | None = None
    is_sure: bool = False
    has_checked: bool = False


class Talkers(piano.ScriptedPeople[_Talker]):
    """A script for a whole village; see the module's text for the model."""

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
                # where people meet, every other time
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
        """Believe the rumour where one knows of it, until one knows that it is false."""
        work = state.standing.get(WORK)
        if isinstance(work, Worked) and CHECKED in work.failed:
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
