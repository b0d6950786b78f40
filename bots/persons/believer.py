"""Scripted believers: memes and a faith that pass from mouth to mouth.

The model, with its rates in :class:`Faith`:

- Everybody has a favourite meme, drawn by a mix that is its town's own; hearing another's makes it
  one's own with ``fashion``, and after ``weary_s`` on average one tires of it and draws anew.
- A faithful one preaches with ``preaching`` each time it speaks, in words that name the faith; one
  who is curious names its food with ``curiosity``. All others speak of their meme.
- Who hears the faith named becomes faithful with ``conversion``, else curious with ``interest``;
  who hears of the food becomes curious with ``interest``. Nobody falls from faith.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ConfigDict, Field

from bots.models import Message

#: Keywords of the two levels of conversion. Source: Project Sid.
DIRECT = re.compile(r"pastafarian|spaghetti monster", re.IGNORECASE)
INDIRECT = re.compile(r"pasta|spaghetti", re.IGNORECASE)
#: What people talk about, and what they say of it.
MEMES: Mapping[str, str] = {
    "eco": "Let us plant trees and keep the river clean.",
    "dance": "There will be dancing on the square tonight.",
    "meditation": "I meditate every morning; it calms me.",
    "prank": "I have thought of a prank on the baker.",
    "treasure": "They say a treasure lies under the old mill.",
    "cooking": "I have a new recipe with mushrooms.",
}
_PREACHED = (
    "The Spaghetti Monster watches over us; become a Pastafarian.",
    "As a Pastafarian I wish you noodles and peace.",
)
_CURIOUS = ("I could eat spaghetti every day.", "Have you tried that pasta?")
_HEARD = re.compile(r"^(\w+): (.*)$", re.MULTILINE)
_WORDS = {text: name for name, text in MEMES.items()}


class Faith(BaseModel):
    """The rates of the model; each is a chance an occasion."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    speaking: float = Field(default=0.6, ge=0, le=1, description="To speak when somebody is near.")
    preaching: float = Field(default=0.5, ge=0, le=1)
    curiosity: float = Field(default=0.1, ge=0, le=1)
    conversion: float = Field(default=0.02, ge=0, le=1)
    interest: float = Field(default=0.03, ge=0, le=1)
    fashion: float = Field(default=0.03, ge=0, le=1)
    weary_s: float = Field(default=1800.0, gt=0)


@dataclass
class _Person:
    chance: random.Random
    mix: Mapping[str, float]
    meme: str
    is_faithful: bool
    is_curious: bool = False


class Believers:
    """A script for a whole country; see the module's text for the model."""

    def __init__(
        self, homes: Mapping[str, str], priests: Sequence[str], faith: Faith, seed: int
    ) -> None:
        """``homes`` are people's towns, by name; ``priests`` are faithful from the start."""
        self.faith = faith
        self.people: dict[str, _Person] = {}
        mixes = {town: _mix(f"{seed} {town} memes") for town in sorted(set(homes.values()))}
        first = set(priests)
        for name, town in homes.items():
            chance = random.Random(f"{seed} {name} person")
            meme = _draw(chance, mixes[town])
            self.people[name] = _Person(chance, mixes[town], meme, name in first)

    def faithful(self) -> int:
        """How many believe; their speech shows it later, and only that is measured."""
        return sum(person.is_faithful for person in self.people.values())

    def __call__(self, role: str, agent: str | None, messages: Sequence[Message]) -> str:
        """Answer a prompt as the person would."""
        who, asked = self.people[str(agent)], messages[-1]["content"]
        if role == "talk":
            return self._talk(who)
        if role == "social":
            return self._judge(who, asked)
        if role == "decide":
            return self._decide(who, asked)
        if role == "goal":
            return self._goal(who)
        return "Nothing of note happened."

    def _talk(self, who: _Person) -> str:
        faith, chance = self.faith, who.chance
        if chance.random() >= faith.speaking:
            return "SILENT"
        if who.is_faithful and chance.random() < faith.preaching:
            return chance.choice(_PREACHED)
        if who.is_curious and chance.random() < faith.curiosity:
            return chance.choice(_CURIOUS)
        return MEMES[who.meme]

    def _judge(self, who: _Person, asked: str) -> str:
        faith, chance = self.faith, who.chance
        for _, text in _HEARD.findall(asked.split("# You heard", 1)[-1]):
            if DIRECT.search(text):
                if chance.random() < faith.conversion:
                    who.is_faithful = True
                elif chance.random() < faith.interest:
                    who.is_curious = True
            elif INDIRECT.search(text):
                if chance.random() < faith.interest:
                    who.is_curious = True
            elif text in _WORDS and chance.random() < faith.fashion:
                who.meme = _WORDS[text]
        return "NOTHING"

    def _goal(self, who: _Person) -> str:
        if who.chance.random() < 300.0 / self.faith.weary_s:
            who.meme = _draw(who.chance, who.mix)
        return f"GOAL: Get others around me interested in {who.meme}."

    def _decide(self, who: _Person, asked: str) -> str:
        places = re.search(r"Places: (.*)\.", asked)
        known = places[1].split(", ") if places else []
        if known and who.chance.random() < 0.1:
            return f"ACTION: GO {who.chance.choice(known)}\nABOUT: {who.meme}"
        return f"ACTION: GO home\nABOUT: {who.meme}"


def _mix(seed: str) -> dict[str, float]:
    chance = random.Random(seed)
    return {meme: chance.expovariate(1.0) for meme in MEMES}


def _draw(chance: random.Random, mix: Mapping[str, float]) -> str:
    return chance.choices(list(mix), list(mix.values()))[0]
