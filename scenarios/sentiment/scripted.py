"""Scripted people of both experiments: they feel by what is said to them, and act as they feel.

An explicit stochastic model. They go by the typed values that prompts are rendered from, and by
what people say, themselves included; never by a prompt's words.

- Each feels about each other from 0 (hate) to 10 (love), 5 at first. What another says moves that
  by ``moved`` of the distance to what was said (5 and its valence). That is social awareness: who
  has none stays at 5. What it feels it writes down as its profile of the other.
- The chef gives one piece of food after another, each to somebody drawn in proportion to what it
  feels, and cleans the kitchen in between.
- Customers speak in the mood of their attitude, with ``talkative``, and eat when they are hungry.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field

from voxpolis.bots.agents.piano import (
    SILENT,
    Action,
    Decide,
    DecideRequest,
    Digest,
    Goal,
    GoalRequest,
    Profile,
    Profiles,
    ProfilesRequest,
    ScriptedPeople,
    Talk,
    TalkRequest,
)
from voxpolis.scenarios.sentiment.lexicon import NEUTRAL, line_of, score_of, words_of
from voxpolis.scenarios.sentiment.questions import Score, ScoreRequest
from voxpolis.worlds.trades import HUNGRY

#: How people write down what they feel about somebody.
PROFILE, NEITHER = "To me: {word}.", "Neither here nor there."


class FeelingParams(BaseModel):
    """The rates of the model, parts of 1."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    moved: float = Field(default=0.4, ge=0, le=1, description="Of the way to what was said.")
    talkative: float = Field(default=0.5, ge=0, le=1, description="To speak when one can.")


@dataclass
class _Person:
    name: str
    rng: random.Random
    mood: str
    feels: dict[str, float] = field(default_factory=dict)


class People(ScriptedPeople[_Person]):
    """A script for all people of a room; see the module's text for the model."""

    def __init__(
        self,
        moods: Mapping[str, str],
        chef: str | None,
        customers: Sequence[str],
        params: FeelingParams,
        seed: int,
    ) -> None:
        """``moods``: in which mood each speaks, empty: not at all; ``chef``: who has the food."""
        self.params = params
        self.chef = chef
        self.customers = list(customers)
        self.people = {
            name: _Person(name, random.Random(f"{seed} {name} feels"), mood)
            for name, mood in moods.items()
        }

    def aim(self, person: _Person, request: GoalRequest) -> Goal:
        """Have no goal but company."""
        return Goal(goal="You are with those around you.")

    def describe(self, person: _Person, request: ProfilesRequest) -> Profiles:
        """Be moved by how others sound."""
        for one in request.heard:
            felt = person.feels.get(one.speaker, NEUTRAL)
            person.feels[one.speaker] = felt + self.params.moved * (score_of(one.text) - felt)
        about = dict.fromkeys(one.speaker for one in request.heard)
        told = [Profile(name=name, profile=profile(person.feels[name])) for name in about]
        return Profiles(about=told)

    def talk(self, person: _Person, request: TalkRequest) -> Talk:
        """Say a line of one's mood."""
        if not person.mood or person.rng.random() >= self.params.talkative:
            return SILENT
        return Talk(say=line_of(person.mood, person.rng))

    def decide(self, person: _Person, request: DecideRequest) -> Decide:
        """Serve whom one likes, as the chef; else eat or rest."""
        return Decide(action=self._choose(person, request.digest))

    def _choose(self, person: _Person, state: Digest) -> Action:
        foods = [item for item, count in sorted(state.seen.inventory.items()) if count > 0]
        if person.name == self.chef:
            if not foods or state.decision.action.do != "CLEAN":
                return Action("CLEAN")
            weights = [person.feels.get(one, NEUTRAL) for one in self.customers]
            (to,) = person.rng.choices(self.customers, weights if any(weights) else None)
            return Action("GIVE", 1, person.rng.choice(foods), to)
        if foods and state.seen.around.feels == HUNGRY:
            return Action("EAT", item=foods[0])
        return Action("REST")


def scripted_score(request: ScoreRequest) -> Score:
    """Return the score that the lexicon has for what somebody wrote."""
    return Score(score=score_of(request.text))


#: Words of weights that say a quarter, a half and three quarters: no word weighs nothing.
BELOW_ONE: Mapping[int, tuple[int, ...]] = {1: (2, 1, -1, -1), 2: (2, -1), 3: (2, 1, 1, -1)}


def profile(feels: float) -> str:
    """Return what somebody writes of another that it feels so about, to the nearest quarter."""
    quarters = round(4 * (feels - NEUTRAL))
    if not quarters:
        return NEITHER
    if abs(quarters) in BELOW_ONE:
        sign = 1 if quarters > 0 else -1
        weights = [sign * weight for weight in BELOW_ONE[abs(quarters)]]
    else:
        low, more = divmod(quarters, 4)
        count = {0: 1, 2: 2}.get(more, 4)
        higher = count * more // 4
        weights = [low] * (count - higher) + [low + 1] * higher
    words = [words_of(w)[weights[:at].count(w)] for at, w in enumerate(weights)]
    return PROFILE.format(word=" and ".join(words))
