"""Scripted believers: memes (topics of goals) and a faith spread by word of mouth.

This is a stochastic model of people, for countries without a language model. Believers use the data
from which prompts are rendered and what others say. They never read the text of prompts. The rates
are in :class:`BelieverParams`.

- At first no person has a favourite meme. Each time a person without a meme sets a goal
  (``GOAL_EVERY_S``), it picks a meme from its town's distribution with probability ``invention``. A
  person with a meme loses it after ``weary_s`` on average. A person adopts a meme that it hears
  with probability ``fashion``. Memes therefore survive where people meet, and the countryside may
  have none.
- Each time a faithful person speaks, it preaches with probability ``preaching``, in words that name
  the faith. Each time a curious person speaks, it names the food with probability ``curiosity``. At
  other times, people speak of their meme or greet.
- A person who hears the faith named becomes faithful with probability ``conversion``. Otherwise, it
  becomes curious with probability ``interest``. A person who only hears of the food becomes curious
  with probability ``interest``. A faithful person stays faithful.
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
from voxpolis.experiments.run.options import Share
from voxpolis.scenarios.religion.measures import level_of

# Utterances about each meme.
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
# Probability of visiting another place, and seconds between the moments at which goals are made and
# memes may be lost. Our choices.
WANDERING, GOAL_EVERY_S = 0.1, 300.0


class BelieverParams(Rates):
    """The rates of the model. Most are probabilities per occasion, such as per utterance."""

    speaking: Share = Field(
        default=0.6, description="Probability that a person speaks when others are near."
    )
    preaching: Share = Field(
        default=0.5, description="Probability that a faithful person who speaks names the faith."
    )
    curiosity: Share = Field(
        default=0.1, description="Probability that a curious person who speaks names the food."
    )
    conversion: Share = Field(
        default=0.02,
        description="Probability that a person who hears the faith named becomes faithful.",
    )
    interest: Share = Field(
        default=0.03,
        description="Probability that a person who hears of the faith or the food becomes curious.",
    )
    fashion: Share = Field(
        default=0.03, description="Probability that a person takes up a meme that it hears."
    )
    weary_s: float = Field(
        default=1800.0, gt=0, description="Mean time after which a person loses a meme, in seconds."
    )
    invention: Share = Field(
        default=0.03,
        description="Probability that a person without a meme chooses one when it sets a goal.",
    )


@dataclass(slots=True)
class _Person:
    rng: random.Random
    mix: Mapping[str, float]
    is_faithful: bool
    is_curious: bool = False
    meme: str = ""


class Believers(piano.ScriptedPeople[_Person]):
    """The scripted minds of the country. The module's docstring explains the model."""

    def __init__(
        self, homes: Mapping[str, str], priests: Sequence[str], params: BelieverParams, seed: int
    ) -> None:
        """Create the minds. ``homes`` contains each person's town, and ``priests`` are faithful
        from the start.
        """
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


# Thousands of people say, want and do the same few things, so they share the objects for these
# things.
@cache
def _talk(text: str) -> piano.Talk:
    return piano.Talk(say=text)


@cache
def _goal(text: str) -> piano.Goal:
    return piano.Goal(goal=text)


@lru_cache(REMEMBERED)
def _going(place: str, about: str) -> piano.Decide:
    return piano.Decide(action=piano.Action("GO", place=place), about=about or None)
