"""Scripted people of the society: they live here and there, speak as they are, and come to feel.

An explicit stochastic model, whose rates are in :class:`NeighbourParams`. They go by the typed
values that prompts are rendered from, and by what people say; never by a prompt's words.

- Each has a site that it prefers. Now and then it moves: to that one, or with ``roams`` to another;
  there it does work that takes no tools.
- Near others it speaks by chance, in proportion to its extroversion X: whoever has 10, and others
  near all the time, says ``lines`` lines in the whole life.
- What it says has a valence drawn from a normal distribution around L - 5 with a standard deviation
  of 2, where L is its likeability, as a whole number from -5 to 5.
- What another says moves what it feels about it by ``moved`` of the way to 5 and the valence. That
  is social awareness, and it writes what it feels into its profile of the other. Who has none comes
  to feel only as it reflects on what it remembers: by ``moved`` / ``dulled`` of the way.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field

from voxpolis.bots.agents.piano import (
    NO_INSIGHTS,
    SILENT,
    Action,
    Decide,
    DecideRequest,
    Digest,
    Goal,
    GoalRequest,
    Heard,
    Insights,
    Plan,
    PlanRequest,
    Profile,
    Profiles,
    ProfilesRequest,
    ReflectRequest,
    ScriptedPeople,
    Talk,
    TalkRequest,
)
from voxpolis.scenarios.sentiment.lexicon import NEUTRAL, adjectives_of, score_of
from voxpolis.scenarios.sentiment.personalities import MOST, Personality
from voxpolis.scenarios.sentiment.scripted import profile
from voxpolis.worlds.trades import Trades
from voxpolis.worlds.trades.rules import ANYWHERE, action_of

#: How far what somebody says is from its likeability, one standard deviation; and at most from 5.
SPREAD, FARTHEST = 2.0, 5
#: What somebody says whose valence is 0.
PLAIN = "The sun is up."
#: Nobody saves up more silence than this, in parts of the whole life.
LONGEST_PAUSE = 1 / 60


class NeighbourParams(BaseModel):
    """The rates of the model."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    moved: float = Field(default=0.22, ge=0, le=1, description="Of the way to what was said.")
    dulled: float = Field(
        default=2.3, ge=1, le=100, description="So much less without social awareness."
    )
    lines: float = Field(
        default=8, ge=0, le=10_000, description="Said in the whole life at extroversion 10."
    )
    roams: float = Field(default=0.15, ge=0, le=1, description="To a site that is not one's own.")
    moves: float = Field(default=48, gt=0, le=10_000, description="In the whole life.")


@dataclass
class _Neighbour:
    chance: random.Random
    home: str
    person: Personality
    feels: dict[str, float] = field(default_factory=dict)
    aim: str = ""
    moves_at: float = 0.0
    #: Whether it thinks about what it hears as it hears it; and what it has reflected on.
    is_aware: bool = False
    reflected_to: float = -1.0
    spoke_to: float = 0.0


class Neighbours(ScriptedPeople[_Neighbour]):
    """A script for a whole society; see the module's text for the model."""

    def __init__(
        self,
        people: Sequence[Personality],
        village: Trades,
        params: NeighbourParams,
        life_s: float,
        seed: int,
    ) -> None:
        """``life_s``: how long they live, in seconds; their rates are of that."""
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

    def aim(self, person: _Neighbour, request: GoalRequest) -> Goal:
        """Have no goal but to live."""
        return Goal(goal="You live as you are.")

    def plan(self, person: _Neighbour, request: PlanRequest) -> Plan:
        """Have no plan either."""
        return Plan(steps=("See what the day brings",))

    def describe(self, person: _Neighbour, request: ProfilesRequest) -> Profiles:
        """Take to heart at once what was heard."""
        person.is_aware = True
        felt = self._felt(person, request.heard, 1.0)
        return Profiles(
            about=[Profile(name=name, profile=profile(feels)) for name, feels in felt.items()]
        )

    def reflect(self, person: _Neighbour, request: ReflectRequest) -> Insights:
        """Take what was heard since the last time to heart, where nothing else does."""
        said = [memory.about for memory in request.lately if isinstance(memory.about, Heard)]
        new = [] if person.is_aware else [one for one in said if one.t > person.reflected_to]
        # three insights at most are kept: what was said last of all waits for the next time
        who = list(dict.fromkeys(one.speaker for one in new))[:3]
        until = next((one.t for one in new if one.speaker not in who), math.inf)
        new = [one for one in new if one.t < until]
        if new:
            person.reflected_to = new[-1].t
        felt = self._felt(person, new, 1 / self.params.dulled)
        told = [f"{name} is to me as follows. {profile(feels)}" for name, feels in felt.items()]
        return Insights(insights=told) if told else NO_INSIGHTS

    def _felt(self, person: _Neighbour, heard: Sequence[Heard], part: float) -> Mapping[str, float]:
        """Let what was said move somebody's feelings; return those that it is about."""
        for one in heard:
            felt = person.feels.get(one.speaker, NEUTRAL)
            moved = self.params.moved * part
            person.feels[one.speaker] = felt + moved * (score_of(one.text) - felt)
        return {name: person.feels[name] for name in dict.fromkeys(one.speaker for one in heard)}

    def talk(self, person: _Neighbour, request: TalkRequest) -> Talk:
        """Say something, the more often the more outgoing one is."""
        t = request.digest.t
        waited = min(t - person.spoke_to, LONGEST_PAUSE * self._life_s)
        person.spoke_to = t
        rate = self.params.lines * person.person.extroversion / MOST / self._life_s
        if person.chance.random() >= rate * waited:
            return SILENT
        return Talk(say=spoken(person.person.likeability, person.chance))

    # --- Life ------------------------------------------------------------------------------------

    def decide(self, person: _Neighbour, request: DecideRequest) -> Decide:
        """Live where one is at home, and roam."""
        return Decide(action=self._choose(person, request.digest))

    def _choose(self, person: _Neighbour, state: Digest) -> Action:
        if state.t >= person.moves_at:
            wait_s = person.chance.expovariate(self.params.moves / self._life_s)
            person.moves_at = state.t + wait_s
            is_away = person.chance.random() < self.params.roams
            person.aim = person.chance.choice(self._sites) if is_away else person.home
        if state.seen.place != person.aim:
            return Action("GO", place=person.aim)
        work = self._work[person.aim]
        return action_of(person.chance.choice(work)) if work else Action("REST")


def spoken(likeability: float, chance: random.Random) -> str:
    """Return a line of somebody's so likeable."""
    valence = min(max(round(chance.gauss(likeability - NEUTRAL, SPREAD)), -FARTHEST), FARTHEST)
    return f"You are {chance.choice(adjectives_of(valence))}." if valence else PLAIN


def expected_valence(likeability: float) -> float:
    """Return what somebody so likeable says on average, from -5 to 5: the truth for measures."""
    mean = likeability - NEUTRAL

    def below(x: float) -> float:
        return 0.5 * (1 + math.erf((x - mean) / SPREAD / math.sqrt(2)))

    steps = range(-FARTHEST, FARTHEST)
    return FARTHEST - sum(below(step + 0.5) for step in steps)
