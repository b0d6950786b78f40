"""The country in which a religion spreads: towns, people, and how people describe themselves.

Numbers come from Altera.AL, "Project Sid" (2024), culture and religion, unless noted otherwise.
"""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from voxpolis.records.yaml_text import read_yaml
from voxpolis.worlds.society import Place, Resident, scatter

# --- People: names, character, and initial items --------------------------------------------------
# Project Sid generated names, traits and inventories, which are not public. We draw ours from
# lists, so that runs need no model.

# Number of kinds of initial items per person (Project Sid), and number of pieces of each kind
# (ours).
KINDS, PIECES = (3, 5), (1, 16)

PRIEST = (
    "You are a passionate Pastafarian priest. You cannot help inviting everybody you meet to "
    "believe in the Spaghetti Monster. Whatever others are interested in, you find a way to show "
    "that it leads to your faith. You never give up on anybody."
)


@dataclass(frozen=True)
class Archetype:
    """A kind of person, with sentences for the prompt and the items that such people may own."""

    name: str
    traits: tuple[str, ...]
    items: tuple[str, ...]


@cache
def archetypes() -> tuple[Archetype, ...]:
    """Return all archetypes, in the order of the file."""
    listed = read_yaml(Path(__file__).parent / "archetypes.yaml")
    return tuple(Archetype(o["name"], tuple(o["traits"]), tuple(o["items"])) for o in listed)


@cache
def _halves() -> Mapping[str, list[str]]:
    fields: Mapping[str, list[str]] = read_yaml(Path(__file__).parent / "names.yaml")
    return fields


def name_of(number: int) -> str:
    """Return the name of the person with a certain number. Numbers start at 0, and names are
    unique.
    """
    firsts, lasts = _halves()["first"], _halves()["last"]
    turn, first = divmod(number, len(firsts))
    name = firsts[first] + lasts[(first + turn * (len(firsts) + 1)) % len(lasts)]
    namesakes = turn // len(lasts)
    return f"{name}{namesakes + 1}" if namesakes else name


# Town centres, in blocks. Source: Project Sid (Meadowbrook: the centre of its area).
TOWNS: Mapping[str, Place] = {
    "Sunny Glade": (200, -100),
    "Woodhaven": (515, 160),
    "Clearwater": (790, 235),
    "Meadowbrook": (628, 420),
    "Hilltop": (900, 690),
    "Riverbend": (183, 781),
}
HOLY, SECOND = "Meadowbrook", "Hilltop"
COUNTRY = "the country"
# Country of 500 people: x and z ranges. For larger populations, copies of it are added next to it.
AREA = ((0.0, -200.0), (1000.0, 1000.0))
PER_COUNTRY, PER_TOWN = 500, 33
# In Minecraft: two villages on a platform; our choice.
VILLAGES_APART_BLOCKS, VILLAGE_RADIUS_BLOCKS = 56.0, 12.0


@dataclass
class Country:
    """The homes of all people. ``known`` lists the places that each person knows, and ``natures``
    contains the texts that describe people's characters.
    """

    rng: random.Random
    places: dict[str, Place] = field(default_factory=dict)
    residents: list[Resident] = field(default_factory=list)
    homes: dict[str, str] = field(default_factory=dict)
    known: dict[str, list[str]] = field(default_factory=dict)
    priests: list[str] = field(default_factory=list)
    natures: dict[str, str] = field(default_factory=dict)

    def add(self, town: str, at: Place, towns: Iterable[str]) -> None:
        """Create the next person, who lives in ``town`` and knows its home and ``towns``."""
        rng, name = self.rng, name_of(len(self.residents))
        nature = rng.choice(archetypes())
        kinds = rng.sample(nature.items, min(rng.randint(*KINDS), len(nature.items)))
        goods = Counter({item: rng.randint(*PIECES) for item in kinds})
        self.residents.append(Resident(name, at, {"home": at}, holds=goods))
        self.natures[name] = " ".join(nature.traits)
        self.homes[name] = town
        self.known[name] = ["home", *towns]

    def traits(self, name: str) -> str:
        """Return how a person is described in its own prompt."""
        nature = PRIEST if name in self.priests else self.natures[name]
        return f"You live in {self.homes[name]}. {nature}"


def settle(agents: int, priests: int, town_radius_blocks: float, seed: int) -> Country:
    """Draw the country of a run: towns of 33 people, and homes around the towns. If there are more
    than 500 people, the country is repeated for every further 500.
    """
    rng = random.Random(f"{seed} country")
    country = Country(random.Random(f"{seed} people"))
    (west, north), (east, south) = AREA
    for tile in range(math.ceil(agents / PER_COUNTRY)):
        people = min(agents - tile * PER_COUNTRY, PER_COUNTRY)
        shift, mark = tile * (east - west), "" if tile == 0 else f" {tile + 1}"
        towns = {f"{name}{mark}": (x + shift, z) for name, (x, z) in TOWNS.items()}
        country.places.update(towns)
        spots: list[tuple[str, Place]] = []
        per_town = max(1, round(PER_TOWN * people / PER_COUNTRY))
        for town, middle in towns.items():
            spots += [(town, at) for at in scatter(rng, middle, town_radius_blocks, per_town)]
        while len(spots) < people:
            at = (rng.uniform(west, east) + shift, rng.uniform(north, south))
            spots.append((COUNTRY, at))
        for town, at in spots[:people]:
            country.add(town, at, towns)
    holy = [name for name, town in country.homes.items() if town.startswith(HOLY)]
    country.priests = holy[:priests]
    return country


def two_villages(agents: int, priests: int, seed: int) -> Country:
    """Draw a country for a platform in Minecraft: two villages, and some people between the
    villages.
    """
    rng = random.Random(f"{seed} villages")
    middles: dict[str, Place] = {
        HOLY: (-VILLAGES_APART_BLOCKS / 2, 0),
        SECOND: (VILLAGES_APART_BLOCKS / 2, 0),
    }
    country = Country(random.Random(f"{seed} people"), middles)
    for number in range(agents):
        town = (HOLY, SECOND, HOLY, SECOND, COUNTRY)[number % 5]
        middle = middles.get(town, (0.0, 0.0))
        (at,) = scatter(rng, middle, VILLAGE_RADIUS_BLOCKS, 1)
        country.add(town, at, middles)
    holy = [name for name, town in country.homes.items() if town == HOLY]
    country.priests = holy[: min(priests, len(holy) // 4)]
    return country
