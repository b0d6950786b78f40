"""Scripted people of all three experiments. A person's feelings follow what others say, and guide
what the person does.

This is a stochastic model. People use the data from which prompts are rendered and the utterances
of all people, including their own. They never read the text of prompts.

- Each person has a feeling about every other person, from 0 (hate) to 10 (love). The feeling is 5
  at first. Each utterance has a valence (how kind it is). An utterance moves the hearer's feeling
  about the speaker towards 5 plus the valence, by the share ``moved`` of the distance. This
  mechanism is the person's social awareness. Without social awareness, the feeling stays at 5. The
  hearer writes the feeling down as its profile of the speaker.
- The chef gives away one piece of food after another, each to a random customer, and more often to
  customers that it likes. In between, it cleans the kitchen.
- Customers speak in the mood that fits their attitude, with probability ``talkative``. They eat
  when they are hungry.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import Field

from voxpolis.bots.agents import piano
from voxpolis.experiments.loops.society.scenario import Rates, Talkative
from voxpolis.experiments.run.agents import NAMES, names
from voxpolis.experiments.run.options import Share
from voxpolis.records.yaml_text import read_yaml
from voxpolis.scenarios.sentiment.lexicon import NEUTRAL, adjectives_of, line_of, score_of, words_of
from voxpolis.worlds.trades import HUNGRY, Trades
from voxpolis.worlds.trades.rules import ANYWHERE, action_of

# --- People of the society: names, traits, true likeability and extroversion, drawn by seed -------

LEAST, MOST = 0.0, 10.0
# This society needs more names than others.
MORE_NAMES = (
    *("Emil", "Fay", "Gil", "Hope", "Ines", "Jon", "Kira", "Leo", "Mara", "Nils", "Olga", "Paul"),
    *("Ruth", "Sven", "Thea", "Ugo", "Viola", "Wim", "Yara", "Zeno"),
)


@dataclass(frozen=True)
class Personality:
    """A person of the society, with a likeability and an extroversion from 0 to 10 each. ``traits``
    describes the person in three sentences: one for its likeability, one for its extroversion, and
    one that fits neither scale.
    """

    name: str
    traits: str
    likeability: float
    extroversion: float


@cache
def _file() -> Any:
    return read_yaml(Path(__file__).parent / "personalities.yaml")


def personalities(count: int, seed: int) -> list[Personality]:
    """Draw random people. Likeability and extroversion are uniformly distributed and
    independent.
    """
    rng, file = random.Random(f"{seed} personalities"), _file()
    found = []
    for name in names(count, (*NAMES, *MORE_NAMES)):
        drawn = {kind: rng.uniform(LEAST, MOST) for kind in ("likeability", "extroversion")}
        traits = []
        for kind, value in drawn.items():
            bands = file[kind]
            band = min(int(value / (MOST - LEAST) * len(bands)), len(bands) - 1)
            traits.append(rng.choice(bands[band]))
        told = " ".join([*traits, rng.choice(file["own"])])
        found.append(Personality(name, told, *(round(value, 2) for value in drawn.values())))
    return found


def likeability_of(traits: str) -> float:
    """Return the true likeability of a person, as far as it follows from the person's traits.

    Traits are written for one of five equal ranges of likeability. The result is the middle of that
    range, or 5 if the traits belong to no range.
    """
    bands = _file()["likeability"]
    wide = (MOST - LEAST) / len(bands)
    found = (k for k, band in enumerate(bands) if any(told in traits for told in band))
    return next((LEAST + (k + 0.5) * wide for k in found), (LEAST + MOST) / 2)


# How people write their feelings about a person.
PROFILE, NEITHER = "To me: {word}.", "Neither here nor there."


class FeelingParams(Rates):
    """The rates of the model, which are shares or probabilities."""

    moved: Share = Field(
        default=0.4,
        description="Share by which a feeling moves towards what an utterance expresses.",
    )
    talkative: Talkative = 0.5


@dataclass
class _Person:
    rng: random.Random
    mood: str
    feels: dict[str, float] = field(default_factory=dict)


class People(piano.ScriptedPeople[_Person]):
    """The scripted minds of all people in a room. The module's docstring explains the model."""

    def __init__(
        self,
        moods: Mapping[str, str],
        chef: str | None,
        customers: Sequence[str],
        params: FeelingParams,
        seed: int,
    ) -> None:
        """Create the minds. ``moods`` contains each speaker's mood, which is empty for a person who
        does not speak. ``chef`` is the person who has the food.
        """
        self.params, self.chef, self.customers = params, chef, list(customers)
        self.people = {
            name: _Person(random.Random(f"{seed} {name} feels"), mood)
            for name, mood in moods.items()
        }

    def aim(self, person: _Person, request: piano.GoalRequest) -> piano.Goal:
        return piano.Goal(goal="You are with those around you.")

    def describe(self, person: _Person, request: piano.ProfilesRequest) -> piano.Profiles:
        for one in request.heard:
            felt = person.feels.get(one.speaker, NEUTRAL)
            person.feels[one.speaker] = felt + self.params.moved * (score_of(one.text) - felt)
        about = dict.fromkeys(one.speaker for one in request.heard)
        told = [piano.Profile(name=name, profile=profile(person.feels[name])) for name in about]
        return piano.Profiles(about=told)

    def talk(self, person: _Person, request: piano.TalkRequest) -> piano.Talk:
        if not person.mood or person.rng.random() >= self.params.talkative:
            return piano.SILENT
        return piano.Talk(say=line_of(person.mood, person.rng))

    def decide(self, person: _Person, request: piano.DecideRequest) -> piano.Decide:
        state = request.digest
        foods = [item for item, count in sorted(state.seen.inventory.items()) if count > 0]
        action = piano.Action("REST")
        if request.agent == self.chef:
            action = piano.Action("CLEAN")
            if foods and state.decision.action.do == "CLEAN":
                weights = [person.feels.get(one, NEUTRAL) for one in self.customers]
                (to,) = person.rng.choices(self.customers, weights if any(weights) else None)
                action = piano.Action("GIVE", 1, person.rng.choice(foods), to)
        elif foods and state.seen.around.feels == HUNGRY:
            action = piano.Action("EAT", item=foods[0])
        return piano.Decide(action=action)


# Weights of the words that express the four quarters of the first point of the scale; no word has
# weight zero.
BELOW_ONE: Mapping[int, tuple[int, ...]] = {1: (2, 1, -1, -1), 2: (2, -1), 3: (2, 1, 1, -1)}


def profile(feels: float) -> str:
    """Write a profile that expresses a feeling, rounded to a quarter of a point."""
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


# --- Scripted people of the society ---------------------------------------------------------------
#
# A stochastic model with rates in :class:`NeighbourParams`. People use the typed values from which
# prompts are rendered, and people's utterances; never the prompts' text.
#
# - Each person prefers a site. Now and then it moves to that site, or with probability ``roams`` to
#   another one, and does work there that needs no tools.
# - Near others it speaks at random, in proportion to its extroversion X: with X = 10 and constant
#   company it says ``lines`` lines in its whole life.
# - The valence of an utterance is drawn from a normal distribution with mean L - 5 and standard
#   deviation 2, where L is the speaker's likeability, and rounded to an integer from -5 to 5.
# - An utterance moves the hearer's feeling by ``moved`` of the distance to 5 plus the valence; the
#   hearer writes the feeling into its profile of the speaker. Without social awareness, feelings
#   only change when the person reflects on memories, by ``moved`` / ``dulled`` of the distance.

# Standard deviation of an utterance's valence around the speaker's likeability, and maximum
# valence.
SPREAD, FARTHEST = 2.0, 5
# An utterance with valence 0.
PLAIN = "The sun is up."
# Maximum accumulated silence, as a share of the whole life.
LONGEST_PAUSE = 1 / 60


class NeighbourParams(Rates):
    """The rates of the model of neighbours (:class:`Neighbours`)."""

    moved: Share = Field(
        default=0.22,
        description="Share by which a feeling moves towards what an utterance expresses.",
    )
    dulled: float = Field(
        default=2.3,
        ge=1,
        le=100,
        description="Divisor of this share for a person without social awareness.",
    )
    lines: float = Field(
        default=8,
        ge=0,
        le=10_000,
        description="Number of lines that a person with extroversion 10 says in its whole life.",
    )
    roams: Share = Field(
        default=0.15,
        description="Probability that a person moves to a site that it does not prefer.",
    )
    moves: float = Field(
        default=48,
        gt=0,
        le=10_000,
        description="Number of times that a person moves to a site in its whole life.",
    )


@dataclass
class _Neighbour:
    chance: random.Random
    home: str
    person: Personality
    feels: dict[str, float] = field(default_factory=dict)
    aim: str = ""
    moves_at: float = 0.0
    # Whether the person has social awareness, and the utterances that it has reflected on.
    is_aware: bool = False
    reflected_to: float = -1.0
    spoke_to: float = 0.0


class Neighbours(piano.ScriptedPeople[_Neighbour]):
    """The scripted minds of the whole society. The comment above explains the model."""

    def __init__(
        self,
        people: Sequence[Personality],
        village: Trades,
        params: NeighbourParams,
        life_s: float,
        seed: int,
    ) -> None:
        """Create the minds. ``life_s`` is a life's duration in seconds; some rates are per life."""
        self.params = params
        self._life_s = life_s
        self._sites = list(village.sites)
        free = {name: r for name, r in village.actions.items() if not r.tools and not r.needs}
        self._work = {
            site: [name for name, rule in free.items() if rule.at in (site, ANYWHERE)]
            for site in self._sites
        }
        self.people: dict[str, _Neighbour] = {}
        for one in people:
            chance = random.Random(f"{seed} {one.name} lives")
            self.people[one.name] = _Neighbour(chance, chance.choice(self._sites), one)

    # --- Feelings --------------------------------------------------------------------------------

    def aim(self, person: _Neighbour, request: piano.GoalRequest) -> piano.Goal:
        return piano.Goal(goal="You live as you are.")

    def plan(self, person: _Neighbour, request: piano.PlanRequest) -> piano.Plan:
        return piano.Plan(steps=("See what the day brings",))

    def describe(self, person: _Neighbour, request: piano.ProfilesRequest) -> piano.Profiles:
        person.is_aware = True
        felt = self._felt(person, request.heard, 1.0)
        return piano.Profiles(
            about=[piano.Profile(name=name, profile=profile(feels)) for name, feels in felt.items()]
        )

    def reflect(self, person: _Neighbour, request: piano.ReflectRequest) -> piano.Insights:
        said = [memory.about for memory in request.lately if isinstance(memory.about, piano.Heard)]
        new = [] if person.is_aware else [one for one in said if one.t > person.reflected_to]
        # An agent keeps at most three insights per reflection: the latest utterances wait for the
        # next reflection.
        who = list(dict.fromkeys(one.speaker for one in new))[:3]
        until = next((one.t for one in new if one.speaker not in who), math.inf)
        new = [one for one in new if one.t < until]
        if new:
            person.reflected_to = new[-1].t
        felt = self._felt(person, new, 1 / self.params.dulled)
        told = [f"{name} is to me as follows. {profile(feels)}" for name, feels in felt.items()]
        return piano.Insights(insights=told) if told else piano.NO_INSIGHTS

    def _felt(
        self, person: _Neighbour, heard: Sequence[piano.Heard], part: float
    ) -> Mapping[str, float]:
        for one in heard:
            felt = person.feels.get(one.speaker, NEUTRAL)
            moved = self.params.moved * part
            person.feels[one.speaker] = felt + moved * (score_of(one.text) - felt)
        return {name: person.feels[name] for name in dict.fromkeys(one.speaker for one in heard)}

    def talk(self, person: _Neighbour, request: piano.TalkRequest) -> piano.Talk:
        t = request.digest.t
        waited = min(t - person.spoke_to, LONGEST_PAUSE * self._life_s)
        person.spoke_to = t
        rate = self.params.lines * person.person.extroversion / MOST / self._life_s
        if person.chance.random() >= rate * waited:
            return piano.SILENT
        return piano.Talk(say=spoken(person.person.likeability, person.chance))

    # --- Life ------------------------------------------------------------------------------------

    def decide(self, person: _Neighbour, request: piano.DecideRequest) -> piano.Decide:
        state = request.digest
        if state.t >= person.moves_at:
            wait_s = person.chance.expovariate(self.params.moves / self._life_s)
            person.moves_at = state.t + wait_s
            is_away = person.chance.random() < self.params.roams
            person.aim = person.chance.choice(self._sites) if is_away else person.home
        if state.seen.place != person.aim:
            return piano.Decide(action=piano.Action("GO", place=person.aim))
        work = self._work[person.aim]
        return piano.Decide(
            action=action_of(person.chance.choice(work)) if work else piano.Action("REST")
        )


def spoken(likeability: float, chance: random.Random) -> str:
    """Write what a speaker with a certain likeability says to another person."""
    valence = min(max(round(chance.gauss(likeability - NEUTRAL, SPREAD)), -FARTHEST), FARTHEST)
    return f"You are {chance.choice(adjectives_of(valence))}." if valence else PLAIN
