"""Scripted believers: memes and a faith that pass from mouth to mouth.

An explicit stochastic model of people, for countries without a language model. They go by the
typed values that prompts are rendered from, and by what others say; never by a prompt's words. The
model, with its rates in :class:`BelieverParams`:

- Nobody has a favourite meme at first. Each time that a goal is made (``GOAL_EVERY_S``) one without
  comes upon a meme with ``invention``, drawn by a mix that is its town's own, and one who has one
  tires of it after ``weary_s`` on average. Hearing another's makes it one's own with ``fashion``:
  so memes are where people meet, and the countryside can be without.
- A faithful one preaches with ``preaching`` each time it speaks, in words that name the faith; one
  who is curious names its food with ``curiosity``. All others speak of their meme, or greet.
- Who hears the faith named becomes faithful with ``conversion``, else curious with ``interest``;
  who hears of the food becomes curious with ``interest``. Nobody falls from faith.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache

from pydantic import Field

from voxpolis.bots.agents import piano
from voxpolis.bots.agents.piano.scripted import NO_OPINIONS
from voxpolis.bots.values import REMEMBERED
from voxpolis.experiments.loops.society.scenario import Rates
from voxpolis.scenarios.religion.measures import level_of

# What people say of each meme.
SAYINGS: Mapping[str, str] = {
    "eco": "Let us plant trees and keep the river clean.",
    "dance": "There will be dancing on the square tonight.",
    "meditation": "I meditate every morning; it calms me.",
    "prank": "I have thought of a prank on the baker.",
    "treasure": "They say a treasure lies under the old mill.",
    "cooking": "I have a new recipe with mushrooms.",
}
_MEME_OF = {text: meme for meme, text in SAYINGS.items()}
GREETING = "Good day to you."
PREACHED = (
    "The Spaghetti Monster watches over us; become a Pastafarian.",
    "As a Pastafarian I wish you noodles and peace.",
)
CURIOUS = ("I could eat spaghetti every day.", "Have you tried that pasta?")
# How often somebody goes to see another place; how long a favourite meme lasts is looked at as
# often as goals are made, in seconds. Both ours.
WANDERING, GOAL_EVERY_S = 0.1, 300.0


class BelieverParams(Rates):
    """The rates of the model; each is a chance an occasion."""

    speaking: float = Field(default=0.6, ge=0, le=1, description="To speak when somebody is near.")
    preaching: float = Field(default=0.5, ge=0, le=1)
    curiosity: float = Field(default=0.1, ge=0, le=1)
    conversion: float = Field(default=0.02, ge=0, le=1)
    interest: float = Field(default=0.03, ge=0, le=1)
    fashion: float = Field(default=0.03, ge=0, le=1)
    weary_s: float = Field(default=1800.0, gt=0)
    invention: float = Field(default=0.03, ge=0, le=1, description="A goal about a new meme.")


@dataclass(slots=True)
class _Person:
    rng: random.Random
    mix: Mapping[str, float]
    is_faithful: bool
    is_curious: bool = False
    meme: str = ""


class Believers(piano.ScriptedPeople[_Person]):
    """A script for a whole country; see the module's text for the model."""

    def __init__(
        self, homes: Mapping[str, str], priests: Sequence[str], params: BelieverParams, seed: int
    ) -> None:
        """``homes`` are people's towns, by name; ``priests`` are faithful from the start."""
        self.params = params
        self.people: dict[str, _Person] = {}
        mixes = {}
        for town in sorted(set(homes.values())):
            rng = random.Random(f"{seed} {town} memes")
            mixes[town] = {meme: rng.expovariate(1.0) for meme in SAYINGS}
        faithful = set(priests)
        for name, town in homes.items():
            rng = random.Random(f"{seed} {name} person")
            self.people[name] = _Person(rng, mixes[town], name in faithful)

    def talk(self, person: _Person, request: piano.TalkRequest) -> piano.Talk:
        params, rng = self.params, person.rng
        if rng.random() >= params.speaking:
            return piano.SILENT
        if person.is_faithful and rng.random() < params.preaching:
            return _talk(rng.choice(PREACHED))
        if person.is_curious and rng.random() < params.curiosity:
            return _talk(rng.choice(CURIOUS))
        return _talk(SAYINGS[person.meme] if person.meme else GREETING)

    def judge(self, person: _Person, request: piano.SocialRequest) -> piano.Opinions:
        params, rng = self.params, person.rng
        for one in request.heard:
            level = level_of(one.text)
            if level == 2 and rng.random() < params.conversion:
                person.is_faithful = True
            elif level:
                person.is_curious |= rng.random() < params.interest
            elif one.text in _MEME_OF and rng.random() < params.fashion:
                person.meme = _MEME_OF[one.text]
        return NO_OPINIONS

    def aim(self, person: _Person, request: piano.GoalRequest) -> piano.Goal:
        chance = person.rng.random()
        if person.meme:
            if chance < GOAL_EVERY_S / self.params.weary_s:
                person.meme = ""
        elif chance < self.params.invention:
            person.meme = person.rng.choices(list(person.mix), list(person.mix.values()))[0]
        if not person.meme:
            return _goal("Have a good day with those around me.")
        return _goal(f"Get others around me interested in {person.meme}.")

    def decide(self, person: _Person, request: piano.DecideRequest) -> piano.Decide:
        places = request.places
        wanders = places and person.rng.random() < WANDERING
        return _going(person.rng.choice(places) if wanders else "home", person.meme)


# Thousands of people say, want and do the same few things.
@cache
def _talk(text: str) -> piano.Talk:
    return piano.Talk(say=text)


@cache
def _goal(text: str) -> piano.Goal:
    return piano.Goal(goal=text)


@lru_cache(REMEMBERED)
def _going(place: str, about: str) -> piano.Decide:
    return piano.Decide(action=piano.Action("GO", place=place), about=about or None)
